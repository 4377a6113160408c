//! The signal that the agent repeats itself: it says the same again, or makes the same call again.

use super::input::TriggerInput;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};

/// Near-duplicate messages of the agent, and equal calls with equal results and no change between,
/// among the last twelve of each.
pub(super) fn signal(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let recent = &input.recent;
    let (said, called) = (recent.said.most_alike(), recent.calls.most_repeats());
    let least = policy.history.repeats as usize;
    let kind = SignalKind::CircularReasoning;
    if said >= least {
        Signal::new(kind, Action::Force, format!("{said} of the last 12 messages say the same"))
    } else if called >= least {
        Signal::new(kind, Action::Force, format!("a tool call was repeated {called} times in the last 12"))
    } else {
        Signal::new(kind, Action::None, "nothing repeats")
    }
}
