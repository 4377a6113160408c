//! The signal that a session was summarised many times and is better begun anew.

use super::input::TriggerInput;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};

/// Published versions; the caller alone can start a new session, so that it is advice.
pub(super) fn signal(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let versions = input.versions;
    let due = versions >= i64::from(policy.history.cycles);
    let (action, advice) =
        if due { (Action::Advise, ": hand over to a new session") } else { (Action::None, "") };
    Signal::new(SignalKind::Cycles, action, format!("{versions} published versions{advice}"))
}
