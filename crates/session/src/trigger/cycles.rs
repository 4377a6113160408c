//! The signal that a session was summarised so often that a new session would do better.

use super::input::TriggerInput;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};

/// Acts on the number of published versions. It only advises, because only the caller can start a new
/// session.
pub(super) fn signal(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let versions = input.versions;
    let due = versions >= i64::from(policy.history.cycles);
    let (action, advice) =
        if due { (Action::Advise, ": hand over to a new session") } else { (Action::None, "") };
    Signal::new(SignalKind::Cycles, action, format!("{versions} published versions{advice}"))
}
