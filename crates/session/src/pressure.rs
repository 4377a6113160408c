//! A session whose window fills: it clips large tool outputs, and it limits how often it is summarised.

use crate::accounting::{Accounting, MessageCounts, share};
use crate::room::Room;
use crate::settings::Policy;
use anchord_context::mask::{Clipping, Marks, MaskMode, PROTECTED_MESSAGES};
use anchord_messages::group;
use anchord_messages::id::Seq;
use anchord_messages::shape::AsShape;
use anchord_record::fill::share_of;

/// Clipping that an append does by itself must save this share of the effective window, so that the prefix is broken in
/// steps.
const STEP_SHARE: f64 = 0.1;
/// The most messages that are waited for after compressions that published nothing. The cost: a session whose cause of
/// refusal is removed waits so long, unless a compression is asked for.
const LONGEST_BACK_OFF: Seq = 64;

impl Accounting {
    /// The first message of the newest group or of an append of the `coming` messages, when that has to clip outputs before
    /// it, and the most tokens that the context should have then: at the force level, because no compression has brought the
    /// context below, or because these messages bring it there and leave none to cover.
    pub fn clip_boundary<'a>(
        &self,
        policy: &Policy,
        (head, floor): (Seq, Seq),
        coming: impl Iterator<Item = &'a MessageCounts> + Clone,
    ) -> Option<(Seq, u64)> {
        if policy.mask == MaskMode::Off || self.unmasked_results == 0 {
            return None;
        }
        let is_forced = |more| share(self.unbounded_tokens() + more, policy.effective_window) >= policy.force;
        let more = coming.clone().map(|message| u64::from(message.tokens)).sum::<u64>();
        if !is_forced(more) {
            return None;
        }
        let (mut after, mut last) = (self.clone(), head);
        for message in coming {
            last += 1;
            after.push(&MessageCounts { seq: last, ..message.clone() }, policy.preserve_recent);
        }
        let covers_nothing = after.span_end(last, policy.preserve_recent) <= floor;
        let trigger = u64::from(share_of(policy.effective_window, policy.compress));
        let newest = after.group_starts.last().filter(|_| covers_nothing || is_forced(0))?;
        Some(((*newest).min(head + 1), trigger.saturating_sub(more)))
    }

    /// Clips outputs before the message `newest`, when that saves enough to break the prefix: large ones that are older than
    /// the last messages, and the largest of the others as far as the context exceeds `goal`. `tail` is as for
    /// [`Self::clip`].
    pub fn clip_before<T: AsShape>(
        &mut self,
        policy: &Policy,
        (newest, goal): (Seq, u64),
        tail: &[T],
        marks: &Marks,
    ) {
        let clipped = self.with_old_clipped(policy, tail, marks);
        let clipped = clipped.with_largest_clipped(policy, (newest - 1, goal), tail, marks);
        let saved = clipped.masked_tokens.saturating_sub(self.masked_tokens);
        if saved >= u64::from(share_of(policy.effective_window, STEP_SHARE)) {
            *self = clipped;
        }
    }

    /// Clips what is older than the last messages. When the context exceeds its goal all the same, clips the largest before
    /// the newest group, and then smaller ones. `tail` is as for [`Self::clip`].
    pub fn clip_to<T: AsShape>(&mut self, room: Room, policy: &Policy, tail: &[T], marks: &Marks) {
        if policy.mask == MaskMode::Off {
            return;
        }
        let clipped = self.with_old_clipped(policy, tail, marks);
        let newest = group::groups(tail).last().map_or(0, |group| group.range.start);
        let end = newest.checked_sub(1).and_then(|at| tail.get(at)).map_or(0, AsShape::seq);
        *self = clipped.with_largest_clipped(policy, (end, room.goal()), tail, marks);
    }

    /// Whether clipping alone brings a context that is at the trigger far enough below it, so that no compression is needed:
    /// at least half of the way to the goal.
    pub fn is_clipping_enough<T: AsShape>(
        &self,
        room: Room,
        policy: &Policy,
        tail: &[T],
        marks: &Marks,
    ) -> bool {
        let trigger = u64::from(share_of(policy.effective_window, policy.compress));
        policy.mask == MaskMode::Auto
            && self.unbounded_tokens() >= trigger
            && self.with_old_clipped(policy, tail, marks).unbounded_tokens()
                <= u64::midpoint(trigger, room.goal())
    }

    /// The counts with large outputs clipped that are older than the last messages.
    fn with_old_clipped<T: AsShape>(&self, policy: &Policy, tail: &[T], marks: &Marks) -> Self {
        let old = tail.len().saturating_sub(PROTECTED_MESSAGES);
        let upto = old.checked_sub(1).and_then(|at| tail.get(at)).map_or(0, AsShape::seq);
        let mut clipped = self.clone();
        let clipping = Clipping::of(upto.max(self.mask_upto), Clipping::large_in(policy.effective_window));
        clipped.clip(clipping, policy.mask, tail, marks);
        clipped
    }

    /// The counts with outputs up to a message clipped, the largest first, as far as the context exceeds `goal`.
    fn with_largest_clipped<T: AsShape>(
        &self,
        policy: &Policy,
        (upto, goal): (Seq, u64),
        tail: &[T],
        marks: &Marks,
    ) -> Self {
        let mut clipped = self.clone();
        for from in Clipping::sizes(policy.effective_window) {
            if clipped.unbounded_tokens() <= goal {
                break;
            }
            clipped.clip(Clipping::of(upto.max(self.mask_upto), from), policy.mask, tail, marks);
        }
        clipped
    }

    /// The messages that must arrive after the last compression before the next automatic one: one after the first
    /// that published nothing, and twice as many after each further one, up to [`LONGEST_BACK_OFF`].
    pub fn back_off(&self) -> Seq {
        let doublings = self.refused.saturating_sub(1).min(LONGEST_BACK_OFF.ilog2());
        if self.refused == 0 { 0 } else { 1 << doublings }
    }
}
