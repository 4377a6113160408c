//! The signal that the context window fills.

use super::input::TriggerInput;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};

/// Acts on the served tokens as a share of the effective window.
pub(super) fn signal(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let usage = input.counts.usage(policy, 0);
    let share = usage.effective_utilization;
    let enough = input.counts.tail_messages >= policy.min_messages;
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
    Signal::new(SignalKind::Utilization, action, format!("{:.1} % of effective window", share * 100.0))
}
