//! What a session does when its window fills: it masks tool outputs before it is summarised, and it limits
//! how often it is summarised.

use crate::accounting::{Accounting, MessageCounts, share};
use crate::room::Room;
use crate::settings::{HYSTERESIS_SHARE, Policy};
use anchord_context::mask::{self, Level, Marks, MaskMode, Press};
use anchord_messages::id::Seq;
use anchord_messages::shape::AsShape;
use anchord_record::fill::share_of;

/// With at most this many unmasked tool results the mask position cannot move at the warn level, so the
/// messages are not even read.
const MANY_RESULTS: u32 = 14;
/// The most messages that are waited for after compressions that published nothing. The cost: a session whose cause of
/// refusal is removed waits so long, unless a compression is asked for.
const LONGEST_BACK_OFF: Seq = 64;

impl Accounting {
    /// How tool outputs are masked before an append of the `coming` messages; `None` when none has to be. Where these
    /// bring the context to the force level and leave no message to cover, masking is all that can be done, so it does
    /// not wait for the next append and protects the newest group alone.
    pub fn press<'a>(
        &self,
        policy: &Policy,
        (head, floor): (Seq, Seq),
        coming: impl Iterator<Item = &'a MessageCounts> + Clone,
    ) -> Option<Press> {
        if policy.mask == MaskMode::Off || self.unmasked_results == 0 {
            return None;
        }
        let share_with = |more| share(self.unbounded_tokens() + more, policy.effective_window);
        let more = coming.clone().map(|message| u64::from(message.tokens)).sum::<u64>();
        if share_with(more) >= policy.force {
            let (mut after, mut last) = (self.clone(), head);
            for message in coming {
                last += 1;
                after.push(&MessageCounts { seq: last, ..*message }, policy.preserve_recent);
            }
            let covers_nothing = after.span_end(last, policy.preserve_recent) <= floor;
            if let Some(newest) = after.group_starts.last().filter(|_| covers_nothing) {
                return Some(Press { level: Level::Force, protected_from: *newest });
            }
        }
        let share = share_with(0);
        let level = if share >= policy.force {
            Level::Force
        } else if share >= policy.warn && self.unmasked_results > MANY_RESULTS {
            Level::Warn
        } else {
            return None;
        };
        Some(Press { level, protected_from: mask::first_protected(head) })
    }

    /// Counts what placeholders save in a new tail, and moves the mask as far as it may when the context
    /// exceeds its goal. `tail` is as for [`Self::mask_through`].
    pub fn mask_to<T: AsShape>(&mut self, room: Room, mode: MaskMode, tail: &[T], marks: &Marks) {
        if mode == MaskMode::Off {
            return;
        }
        self.mask_through(self.mask_upto, tail, marks);
        if !room.is_met(self.unbounded_tokens()) {
            let head = tail.last().map_or(0, AsShape::seq);
            let press = Press { level: Level::Force, protected_from: mask::first_protected(head) };
            let upto = mask::step(self.mask_upto, tail, marks, press);
            self.mask_through(upto, tail, marks);
        }
    }

    /// The messages that must arrive after the last compression before the next automatic one: one after the first
    /// that published nothing, and twice as many after each further one, up to [`LONGEST_BACK_OFF`].
    #[must_use]
    pub fn back_off(&self) -> Seq {
        let doublings = self.refused.saturating_sub(1).min(LONGEST_BACK_OFF.ilog2());
        if self.refused == 0 { 0 } else { 1 << doublings }
    }

    /// Counts a published version; `by_window` if the window's fill started it.
    pub fn publish(&mut self, policy: &Policy, by_window: bool) {
        let enough = share_of(policy.effective_window, policy.compress - HYSTERESIS_SHARE);
        self.above_target = self.unbounded_tokens() > u64::from(enough);
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
