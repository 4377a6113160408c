//! The signal that a session grows fast.

use super::input::TriggerInput;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};

/// Acts on the tokens of the last five minutes as a share of the effective window.
#[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
pub(super) fn signal(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let tokens = input.recent.growth.within(input.now);
    let share = tokens as f64 / f64::from(policy.effective_window.max(1));
    let action = if share > policy.history.growth { Action::Warn } else { Action::None };
    let detail = format!("{:.1} % of effective window in 5 minutes", share * 100.0);
    Signal::new(SignalKind::Growth, action, detail)
}
