//! What a session does when its window fills: it masks tool outputs before it is summarised, and it limits
//! how often it is summarised.

use crate::accounting::Accounting;
use crate::room::Room;
use crate::settings::{HYSTERESIS_SHARE, Policy};
use anchord_context::mask::{self, Level, Marks, MaskMode};
use anchord_messages::shape::AsShape;
use anchord_record::fill::share_of;

/// With at most this many unmasked tool results the mask position cannot move at the warn level, so the
/// messages are not even read.
const MANY_RESULTS: u32 = 14;

impl Accounting {
    /// The level at which tool outputs are masked; `None` when nothing has to be masked.
    #[must_use]
    pub fn mask_level(&self, policy: &Policy) -> Option<Level> {
        if policy.mask == MaskMode::Off || self.unmasked_results == 0 {
            return None;
        }
        let share = self.usage(policy, 0).effective_utilization;
        if share >= policy.force {
            Some(Level::Force)
        } else if share >= policy.warn && self.unmasked_results > MANY_RESULTS {
            Some(Level::Warn)
        } else {
            None
        }
    }

    /// Counts what placeholders save in a new tail, and moves the mask as far as it may when the context
    /// exceeds its goal. `tail` is as for [`Self::mask_through`].
    pub fn mask_to<T: AsShape>(&mut self, room: Room, mode: MaskMode, tail: &[T], marks: &Marks) {
        if mode == MaskMode::Off {
            return;
        }
        self.mask_through(self.mask_upto, tail, marks);
        if !room.is_met(self.context_tokens()) {
            let upto = mask::step(self.mask_upto, tail, marks, Level::Force);
            self.mask_through(upto, tail, marks);
        }
    }

    /// Counts a published version; `by_window` if the window's fill started it.
    pub fn publish(&mut self, policy: &Policy, by_window: bool) {
        let enough = share_of(policy.effective_window, policy.compress - HYSTERESIS_SHARE);
        self.above_target = self.context_tokens() > u64::from(enough);
        if by_window {
            self.spent_tokens += worth(policy, self);
        }
    }

    /// Whether another compression because of the window would be too soon. Where versions reach the target,
    /// the next is due when all tokens between target and trigger have arrived. Where system prompt and
    /// newest messages alone keep the context above it, every new message would be a reason. Then at most
    /// three versions are made where two would do, and masking keeps the budget meanwhile. The cost: in such
    /// windows up to an eighth of the window stays uncovered for a while.
    #[must_use]
    pub fn is_compressed_too_often(&self, policy: &Policy) -> bool {
        let trigger = u64::from(share_of(policy.effective_window, policy.compress));
        let due = trigger + self.spent_tokens + worth(policy, self);
        self.above_target && self.spent_tokens > 0 && self.appended_tokens < due
    }
}

/// The tokens that must arrive for one compression: two thirds of those between its goal and the trigger, or
/// of the hysteresis where system prompt and pins leave less between them.
fn worth(policy: &Policy, counts: &Accounting) -> u64 {
    let trigger = u64::from(share_of(policy.effective_window, policy.compress));
    let hysteresis = u64::from(share_of(policy.effective_window, HYSTERESIS_SHARE));
    let between = trigger.saturating_sub(Room::of(policy, None, counts).goal()).max(hysteresis);
    (between * 2).div_ceil(3)
}
