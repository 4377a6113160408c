//! How a version is made: the strategy that decides what is read and kept, the engine that reads it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a compression reads and what it makes of it.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    ToSchema,
    sqlx::Type,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
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

impl Strategy {
    /// The strategy's word in JSON, in the database and in settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anchored => "anchored",
            Self::Opaque => "opaque",
            Self::Regenerative => "regenerative",
            Self::SlidingWindow => "sliding_window",
            Self::Rollback => "rollback",
        }
    }

    /// Whether its versions have a narrative that the gate can hold to account.
    #[must_use]
    pub fn has_narrative(self) -> bool {
        matches!(self, Self::Anchored | Self::Regenerative)
    }

    /// Whether its versions can be verified against the ledger and by probes.
    #[must_use]
    pub fn is_verifiable(self) -> bool {
        !matches!(self, Self::Opaque)
    }
}

/// Who read the span of a version.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema, sqlx::Type,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Engine {
    /// Code alone: no network, the same bytes for the same input.
    Extractive,
    /// A model fills the narrative; the ledger stays the same.
    Llm,
}

impl Engine {
    /// The engine's word in JSON, in the database and in settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Extractive => "extractive",
            Self::Llm => "llm",
        }
    }
}

/// Which engine a session asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum EngineChoice {
    /// The model when one is configured, else code alone.
    #[default]
    Auto,
    /// Code alone.
    Extractive,
    /// The model, with code alone as the fallback.
    Llm,
}
