//! The signal that the agent reads files again because it lost what it had read.

use super::input::TriggerInput;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};

/// With fewer readings the share is not used.
const LEAST_READS: usize = 8;

/// Acts on files that were read again without a change between, among the last twenty calls.
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
