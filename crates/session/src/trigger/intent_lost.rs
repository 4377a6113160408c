//! The signal that the agent does not know its task any more.

use super::input::TriggerInput;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};
use anchord_messages::id::Seq;

/// For how many messages the signal stays on: as long as hysteresis may delay a compression.
const HOLDS: Seq = 10;

/// Acts when the agent lost its task in the last messages.
pub(super) fn signal(_: &Policy, input: &TriggerInput<'_>) -> Signal {
    let lost = input.recent.lost;
    let kind = SignalKind::IntentLost;
    if lost > 0 && input.head - lost < HOLDS {
        Signal::new(kind, Action::Compress, format!("message {lost} does not know the task"))
    } else {
        Signal::new(kind, Action::None, "the agent knows its task")
    }
}
