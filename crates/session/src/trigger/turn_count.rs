//! The signal that many turns were taken since the anchor.

use super::input::TriggerInput;
use crate::room::Room;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};

/// Acts on the turns since the anchor, when a compression would save enough of what is served.
pub(super) fn signal(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let turns = input.counts.turns;
    let action = if turns <= policy.turns {
        Action::None
    } else if saves_enough(policy, input) && input.counts.tail_messages >= policy.min_messages {
        Action::Compress
    } else {
        Action::Evaluate
    };
    Signal::new(SignalKind::TurnCount, action, format!("{turns} turns since the anchor"))
}

/// Whether a compression would save enough. It leaves at most its goal, so the estimate is rather too low.
#[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
fn saves_enough(policy: &Policy, input: &TriggerInput<'_>) -> bool {
    let after = Room::of(policy, None, input.counts).goal();
    after as f64 <= input.counts.unbounded_tokens() as f64 * (1.0 - policy.history.savings)
}
