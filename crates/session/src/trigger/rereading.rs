//! The signal that the agent reads files again, so it has lost what it had read.

use super::input::TriggerInput;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};

/// A share tells nothing about fewer readings.
const LEAST_READS: usize = 8;

/// Files read again with no change between, among the last twenty calls.
#[expect(clippy::cast_precision_loss, reason = "twenty calls at most")]
pub(super) fn signal(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let found = input.recent.calls.rereads();
    let rules = &policy.history;
    let least = rules.rereads as usize;
    let share = if found.reads == 0 { 0.0 } else { found.again as f64 / found.reads as f64 };
    let often = found.again >= least || found.most >= least;
    let action = if often || (found.reads >= LEAST_READS && share > rules.reread_share) {
        Action::Immediate
    } else {
        Action::None
    };
    let detail =
        format!("{} of {} readings in the last 20 calls show the same again", found.again, found.reads);
    Signal::new(SignalKind::Rereading, action, detail)
}
