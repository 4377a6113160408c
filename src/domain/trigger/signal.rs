//! One function per signal; each returns its literal action, whatever the others say.

use serde::Serialize;
use utoipa::ToSchema;

use super::Situation;
use crate::domain::settings::Policy;

/// What a signal asks for, in order of severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Nothing.
    #[default]
    None,
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

impl Action {
    /// The action's word in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Optional => "optional",
            Self::Evaluate => "evaluate",
            Self::Warn => "warn",
            Self::Compress => "compress",
            Self::Force => "force",
            Self::Immediate => "immediate",
        }
    }
}

/// Which rule speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// Served tokens as a share of the effective window.
    Utilization,
    /// Uncompressed messages.
    MessageCount,
    /// Turns since the anchor.
    TurnCount,
    /// A task has ended.
    TaskBoundary,
}

impl SignalKind {
    /// The signal's word in JSON and in a compression's trigger.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Utilization => "utilization",
            Self::MessageCount => "message_count",
            Self::TurnCount => "turn_count",
            Self::TaskBoundary => "task_boundary",
        }
    }
}

/// What one rule says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Signal {
    /// Which rule.
    pub kind: SignalKind,
    /// What it asks for.
    pub action: Action,
    /// Why, in a sentence with its figure.
    pub detail: String,
}

/// Tokens served as a share of the effective window.
pub(super) fn utilization(policy: &Policy, situation: &Situation<'_>) -> Signal {
    let usage = situation.counts.usage(policy, 0);
    let share = usage.effective_utilization;
    let enough = situation.counts.tail_messages >= policy.min_messages;
    let action = if share >= policy.critical {
        Action::Immediate
    } else if share >= policy.force {
        Action::Force
    } else if share >= policy.compress && enough {
        Action::Compress
    } else if share >= policy.warn {
        Action::Warn
    } else {
        Action::None
    };
    let percent = share * 100.0;
    Signal { kind: SignalKind::Utilization, action, detail: format!("{percent:.1} % of effective window") }
}

/// Uncompressed messages.
pub(super) fn message_count(policy: &Policy, situation: &Situation<'_>) -> Signal {
    let messages = situation.counts.tail_messages;
    let [optional, compress, force] = policy.messages;
    let action = if messages >= force {
        Action::Force
    } else if messages >= compress && messages >= policy.min_messages {
        Action::Compress
    } else if messages >= optional {
        Action::Optional
    } else {
        Action::None
    };
    Signal { kind: SignalKind::MessageCount, action, detail: format!("{messages} uncompressed messages") }
}

/// Turns since the anchor; worth a compression when it would save a fifth of what is served.
pub(super) fn turn_count(policy: &Policy, situation: &Situation<'_>) -> Signal {
    let turns = situation.counts.turns;
    let action = if turns <= policy.turns {
        Action::None
    } else if saves_a_fifth(policy, situation) && situation.counts.tail_messages >= policy.min_messages {
        Action::Compress
    } else {
        Action::Evaluate
    };
    Signal { kind: SignalKind::TurnCount, action, detail: format!("{turns} turns since the anchor") }
}

/// The caller says that a task has ended.
pub(super) fn task_boundary(policy: &Policy, situation: &Situation<'_>) -> Signal {
    let enough = situation.counts.tail_messages >= policy.min_messages;
    let action = if !situation.task_boundary {
        Action::None
    } else if enough {
        Action::Compress
    } else {
        Action::Optional
    };
    let detail = if situation.task_boundary { "a task ended" } else { "no task ended" };
    Signal { kind: SignalKind::TaskBoundary, action, detail: detail.to_owned() }
}

/// A compression leaves at most the summary's bound and the preserved messages. The estimate takes
/// the bound as used up, so it promises too little rather than too much.
fn saves_a_fifth(policy: &Policy, situation: &Situation<'_>) -> bool {
    let counts = situation.counts;
    let messages = u64::from(counts.tail_messages.max(1));
    let preserved = counts.tail_tokens * u64::from(policy.preserve_recent).min(messages) / messages;
    let after = u64::from(counts.system_tokens)
        + u64::from(counts.pins_tokens)
        + u64::from(policy.max_summary_tokens)
        + preserved;
    after * 5 <= counts.context_tokens() * 4
}
