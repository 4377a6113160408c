//! Makes a context without a summary fit: whole groups give way, at a step, and between two steps the context is the one
//! before it and what is new.
//!
//! The step is the group from which on everything is served whole. It is chosen among those from which on the rest fits and takes at
//! least one part in [`LEAST_REST`] of the room: the one with the position that is divisible by the highest power of two. It stays
//! the choice while messages come, until the rest no longer fits or a higher position comes in, and nothing has to be stored.
//! Before the step stand the message that opened the session and the request in force there.

use super::budget::Fit;

/// The rest takes at least one part in so many of the room.
const LEAST_REST: u64 = 2;
/// A message that the model has answered is clipped to one part in so many of the budget.
const LARGEST: u32 = 2;
/// The most lines in place of left-out messages: one before and one behind the request in force.
const MOST_GAP_LINES: u64 = 2;
/// The message that opened a session is among so many of its first.
pub const OPENING_WITHIN: usize = 3;

impl Fit<'_, '_, '_> {
    /// Removes what stands before the step; `false` where there is none, because a group is too large.
    pub(super) fn begin_at_a_step(&mut self) -> bool {
        self.clip_answered();
        let Some(step) = self.step() else { return false };
        let request = (0..step).rev().find(|group| self.plan.asks(*group));
        for group in 0..step {
            if Some(group) != self.first_request && Some(group) != request && !self.has_kept(group) {
                self.plan.drop_group(group);
            }
        }
        self.total() <= u64::from(self.plan.input.budget)
    }

    /// Clips what the model has answered and is too large to stay, and nothing by the stored position, which moves with the newest
    /// messages.
    fn clip_answered(&mut self) {
        let most = self.plan.input.budget / LARGEST;
        for group in 0..self.plan.groups.len() {
            let mut changes = false;
            for at in self.range(group) {
                let may_clip = group < self.newest && self.may_clip(at);
                let Some(slot) = self.plan.slots.get_mut(at) else { continue };
                changes |= !std::mem::take(&mut slot.clipped.0).is_empty();
                if may_clip && slot.entry.tokens > most {
                    slot.clip = Some(most);
                    changes = true;
                }
            }
            if changes {
                self.plan.remake(group);
            }
        }
    }

    /// The first group after those that give way.
    fn step(&self) -> Option<usize> {
        let beside = self.plan.tokens() - self.plan.group_tokens + MOST_GAP_LINES * self.gap_line_tokens;
        let room = u64::from(self.plan.input.budget).saturating_sub(beside);
        let (mut rest, mut staying, mut request) = (self.plan.group_tokens, 0, 0);
        let mut best = None;
        for group in 0..=self.newest {
            let left = room.saturating_sub(staying + request);
            if (left.div_ceil(LEAST_REST)..=left).contains(&rest) {
                best = best.max(Some((self.height(group), group)));
            }
            let tokens = self.plan.turns.get(group).map_or(0, |turns| u64::from(turns.tokens));
            rest -= tokens;
            if Some(group) == self.first_request || self.has_kept(group) {
                staying += tokens;
            } else if self.plan.asks(group) {
                request = tokens;
            }
        }
        best.map(|(_, group)| group)
    }

    /// The highest power of two by which a position in a group is divisible.
    fn height(&self, group: usize) -> u32 {
        let seqs = self.plan.seqs(group);
        seqs.and_then(|(first, last)| ((first - 1) ^ last).checked_ilog2()).unwrap_or_default()
    }

    fn has_kept(&self, group: usize) -> bool {
        self.range(group).any(|at| self.is_kept(at))
    }
}
