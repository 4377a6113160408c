//! How a version is made: the strategy, which decides what is read and kept, and the engine, which reads it.
//!
//! Every strategy merges the record in the same way. So a session can change its strategy at any version, and
//! one dense line of 500 tokens loses nothing but what it does not show.

use serde::{Deserialize, Deserializer, Serialize};
use strum::{AsRefStr, IntoStaticStr};
use utoipa::ToSchema;

/// What a compression reads and what it makes of it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(AsRefStr, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Strategy {
    /// Reads the new span only and merges it into the current summary.
    #[default]
    Anchored,
    /// Makes one dense text; cannot be verified.
    Opaque,
    /// Reads the whole history afresh.
    Regenerative,
    /// Keeps the last messages and the ledger's sections, without a narrative.
    SlidingWindow,
    /// Makes an earlier version current again; never asked of an engine.
    Rollback,
}

/// The strategies that a request can name; serde lists these names in its error.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Requestable {
    Anchored,
    Opaque,
    Regenerative,
    SlidingWindow,
}

impl From<Requestable> for Strategy {
    fn from(asked: Requestable) -> Self {
        match asked {
            Requestable::Anchored => Self::Anchored,
            Requestable::Opaque => Self::Opaque,
            Requestable::Regenerative => Self::Regenerative,
            Requestable::SlidingWindow => Self::SlidingWindow,
        }
    }
}

/// Parses the strategy of a request, which cannot be a rollback.
///
/// # Errors
/// When it is not a strategy that a request can name.
pub fn asked<'de, D: Deserializer<'de>>(from: D) -> Result<Strategy, D::Error> {
    Requestable::deserialize(from).map(Strategy::from)
}

/// Parses an optional strategy as [`asked`] does.
///
/// # Errors
/// As [`asked`].
pub fn asked_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Strategy>, D::Error> {
    Option::<Requestable>::deserialize(from).map(|asked| asked.map(Strategy::from))
}

impl Strategy {
    /// Whether its versions have a narrative that the gate can check.
    pub fn has_narrative(self) -> bool {
        matches!(self, Self::Anchored | Self::Regenerative)
    }

    /// Whether its versions can be checked against the ledger and by probes.
    pub fn is_verifiable(self) -> bool {
        self.verifiable() != Verifiable::No
    }

    /// How far its versions can be checked against the originals.
    pub fn verifiable(self) -> Verifiable {
        match self {
            Self::Anchored | Self::SlidingWindow | Self::Rollback => Verifiable::Yes,
            Self::Regenerative => Verifiable::Partly,
            Self::Opaque => Verifiable::No,
        }
    }

    /// Whether an engine writes a narrative.
    pub fn asks_an_engine(self) -> bool {
        !matches!(self, Self::SlidingWindow)
    }

    /// How many messages stay verbatim unless a setting says otherwise.
    pub fn preserves(self) -> u32 {
        match self {
            Self::SlidingWindow => 20,
            Self::Anchored | Self::Opaque | Self::Regenerative | Self::Rollback => 5,
        }
    }

    /// The largest share that a rendering may take of what it replaces, so that a compression saves tokens
    /// even when its bound would leave room for more.
    pub fn share_of_before(self) -> f64 {
        match self {
            Self::Regenerative => 0.30,
            Self::SlidingWindow => 0.50,
            Self::Anchored | Self::Opaque | Self::Rollback => 0.40,
        }
    }

    /// The strategy that is tried on the same span when the gate refuses a candidate for good.
    pub fn fallback(self) -> Option<Self> {
        match self {
            // The earlier record is still there to be merged into.
            Self::Regenerative => Some(Self::Anchored),
            Self::Anchored | Self::Opaque | Self::SlidingWindow | Self::Rollback => None,
        }
    }
}

/// How far a version can be checked against the originals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Verifiability)]
pub enum Verifiable {
    /// Ledger, narrative and probes are checked.
    #[default]
    Yes,
    /// Ledger and probes are checked; the narrative was written anew.
    Partly,
    /// Nothing holds it to account: a reader should look up what matters.
    No,
}

/// The engine that read the span of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(AsRefStr, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Engine {
    /// Code alone: no network, the same bytes for the same input.
    Extractive,
    /// A model fills the narrative; the ledger stays the same.
    Llm,
}

/// The engine that a session requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EngineChoice {
    /// The model when one is configured, else code alone.
    #[default]
    Auto,
    /// Code alone.
    Extractive,
    /// The model, with code alone as the fallback.
    Llm,
}
