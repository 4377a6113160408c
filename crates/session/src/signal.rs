//! A signal: what one rule of the trigger says about a session.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, IntoStaticStr, VariantArray};
use utoipa::ToSchema;

/// The action that a signal requests, in order of severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[derive(AsRefStr, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[schema(as = SignalAction)]
pub enum Action {
    /// Nothing.
    #[default]
    None,
    /// A word to the caller; no decision follows from it.
    Advise,
    /// A compression would be fine.
    Optional,
    /// A compression is worth a look: done when it would save a fifth.
    Evaluate,
    /// The window is filling.
    Warn,
    /// Compress.
    Compress,
    /// Compress, and mask tool outputs.
    Force,
    /// Compress now, whatever hysteresis says.
    Immediate,
}

/// The rule.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema, AsRefStr, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SignalKind {
    /// Served tokens as a share of the effective window.
    Utilization,
    /// Uncompressed messages.
    MessageCount,
    /// Turns since the anchor.
    TurnCount,
    /// A task has ended.
    TaskBoundary,
    /// The agent does not know its task any more.
    IntentLost,
    /// The agent repeats itself.
    CircularReasoning,
    /// The agent reads again what it has read.
    Rereading,
    /// The agent's messages grow longer and tell nothing new.
    Verbosity,
    /// The session grows fast.
    Growth,
    /// The session was summarised many times.
    Cycles,
}

impl SignalKind {
    /// The history that its rule reads.
    pub const fn history(self) -> HistoryScope {
        match self {
            Self::Utilization | Self::MessageCount | Self::TurnCount | Self::Cycles => HistoryScope::Nothing,
            Self::TaskBoundary => HistoryScope::Todos,
            Self::IntentLost | Self::CircularReasoning | Self::Rereading | Self::Verbosity | Self::Growth => {
                HistoryScope::All
            }
        }
    }
}

/// A part of a session's history, computed message by message for the rules that read it. Each has those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HistoryScope {
    /// Nothing: the running counts are enough.
    #[default]
    Nothing,
    /// The open items of the todo list.
    Todos,
    /// Calls, texts and their lengths, and how fast tokens arrive.
    All,
}

/// The result of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Signal {
    /// Which rule.
    pub kind: SignalKind,
    /// The requested action, whether or not the policy counts it.
    pub action: Action,
    /// The reason, with the figure.
    pub detail: Cow<'static, str>,
    /// Whether the policy counts it.
    pub counts: bool,
}

impl Signal {
    /// Whether it asks for something: it counts, or it is advice, which nothing but the caller acts on.
    pub fn acts(&self) -> bool {
        self.action == Action::Advise || self.counts && self.action != Action::None
    }

    /// A signal; whether it counts is set later, by the policy.
    pub(crate) fn new(kind: SignalKind, action: Action, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, action, detail: detail.into(), counts: false }
    }
}
