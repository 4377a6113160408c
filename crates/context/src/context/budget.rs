//! Makes a context fit its budget. Without a summary whole groups give way first (`steps`). With one, and where a group is too large
//! for that, content is removed in this order, each step only as far as needed:
//!
//! 1. the newest outputs are clipped where they would leave no room for the record, half of the digest and the last groups;
//! 2. older tool outputs become placeholders, the oldest first: they stand behind digest and record, which a provider's
//!    cache keeps meanwhile;
//! 3. the digest is cut to half, the oldest lines first, and then to lengths of a fixed ladder and at last to nothing;
//! 4. older messages and outputs are clipped, the oldest first, and placeholders are shortened; the recap is removed, and
//!    notes are left out, the oldest first;
//! 5. the oldest groups are removed, down to the last two;
//! 6. the record is served in the largest of its smaller forms that fits, and beside the least one the last groups are
//!    removed that the model has answered;
//! 7. the newest outputs are clipped, all to one length, and then the other newest messages;
//! 8. the same steps are taken with the messages that the caller marked as kept; those that the record covers are
//!    clipped, the oldest first, and then left out.
//!
//! Newest is what the model has not answered yet: the last group, and the newest user message. The record is
//! never left out. A step always changes a whole group; what it removed beyond need is restored afterwards,
//! the newest first, clipped to a length of a fixed ladder. The tokens removed in all are a multiple of a
//! stride, so that while few messages arrive the same content is removed and what was served stays as it is.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::super::mask::{self, Keep, MaskMode};
use super::super::note;
use super::output::BudgetTooSmall;
use super::plan::{self, Plan};
use super::slot::Slot;
use anchord_messages::group::{Group, GroupKind, newest_user};
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::shape::{AsShape, Feature};
use anchord_record::digest;

/// No older message is clipped below this many tokens.
const LEAST_CLIP: u32 = 96;
/// The most groups that count as unanswered; in the minutes of a meeting no message is the model's.
const MOST_UNANSWERED: usize = 8;
/// So many of the newest groups stay before the record gives way.
const LAST_GROUPS: usize = 2;
/// The removed tokens are a multiple of the budget divided by this.
const STRIDES: u64 = 16;
/// The last resort clips the newest messages to this many tokens.
const HARD_LEAST: u32 = 48;

/// Removes content until the context fits.
pub(super) fn fit(plan: &mut Plan<'_, '_>) -> Result<(), BudgetTooSmall> {
    // Most contexts fit as they are, and then no line in place of messages has to be counted.
    if plan.gap_count == 0 && plan.tokens() <= u64::from(plan.input.budget) {
        return Ok(());
    }
    let mut fit = Fit::new(plan);
    if fit.plan.summary_message().is_none() {
        if fit.begin_at_a_step() {
            return Ok(());
        }
    } else {
        fit.leave_room_for_memory();
    }
    if fit.fits() {
        return Ok(());
    }
    for protection in [Protection::Marked, Protection::Nothing] {
        fit.protection = protection;
        let took = fit.mask_older()
            || fit.cut_digest(Some(fit.digest_floor()))
            || fit.cut_digest(None)
            || fit.clip_older()
            || fit.shorten_placeholders()
            || fit.drop_recap()
            || fit.cut_notes()
            || fit.drop_older(LAST_GROUPS)
            || fit.shrink_summary()
            || fit.drop_older(0)
            || fit.release_kept();
        let is_last = protection == Protection::Nothing;
        if !took {
            // The last resort may use the whole budget.
            fit.goal = u64::from(fit.plan.input.budget);
        }
        // The newest messages may have room again, now that the caller's marks no longer protect others.
        if (!took || is_last) && !fit.clip_newest() {
            continue;
        }
        if took {
            if fit.plan.summary_step > 0 && !is_last {
                // The smaller form of the record left them room.
                fit.clip_evenly(fit.newest, (true, LEAST_CLIP), &Fit::fits);
            }
            fit.give_back();
        }
        return Ok(());
    }
    Err(BudgetTooSmall { min_tokens: u32::try_from(fit.total()).unwrap_or(u32::MAX) })
}

/// The first group that the model has not answered: its last calls with what follows them, or what follows
/// its last text. At most [`MOST_UNANSWERED`] groups count, and only the last one when the model never spoke.
fn unanswered(plan: &Plan<'_, '_>) -> usize {
    let last = plan.groups.len().saturating_sub(1);
    let lead = |group: &Group| plan.input.tail.get(group.range.start).map(|entry| entry.role);
    let Some(spoken) = plan.groups.iter().rposition(|group| lead(group) == Some(Role::Assistant)) else {
        return last;
    };
    let asks = plan.groups.get(spoken).is_some_and(|group| matches!(group.kind, GroupKind::Calls(_)));
    (spoken + usize::from(!asks)).min(last).max(last.saturating_sub(MOST_UNANSWERED - 1))
}

/// A length of the ladder, in tokens: each is a sixteenth longer than the one before.
fn rung(number: u32) -> u32 {
    (0..number).fold(HARD_LEAST, |length, _| length.saturating_add(length / 16))
}

/// How many lengths of the ladder are at most `tokens`.
fn rungs_within(tokens: u32) -> u32 {
    let mut length = HARD_LEAST;
    let mut number = 0;
    while length <= tokens && length < u32::MAX {
        length = length.saturating_add(length / 16);
        number += 1;
    }
    number
}

/// Which messages are protected from removal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protection {
    /// Those that the caller marked as kept.
    Marked,
    Nothing,
}

pub(super) struct Fit<'p, 'a, 'i> {
    pub(super) plan: &'p mut Plan<'a, 'i>,
    /// An upper bound for the tokens of one line in place of left-out messages.
    pub(super) gap_line_tokens: u64,
    /// The most tokens that the context may have.
    goal: u64,
    /// The group with the newest user message.
    newest_user: Option<usize>,
    /// The group with the message that opened the session, unless a summary covers it.
    pub(super) first_request: Option<usize>,
    /// The first group that the model has not answered.
    pub(super) newest: usize,
    /// Messages with open errors, whose outputs are masked after the others.
    open_errors: BTreeSet<Seq>,
    protection: Protection,
    /// The tokens that the newest messages may take beside the memory.
    newest_room: u64,
    /// The recap and its tokens, once it was removed.
    recap: Option<(String, u32)>,
    /// For each slot that was masked here, its results that were masked before.
    masked_here: Vec<Option<Vec<usize>>>,
}

impl<'p, 'a, 'i> Fit<'p, 'a, 'i> {
    fn new(plan: &'p mut Plan<'a, 'i>) -> Self {
        let user = newest_user(plan.input.tail);
        let newest_user = user.map(|u| plan.groups.partition_point(|g| g.range.end <= u));
        let gap_line_tokens = plan.gap_line_bound();
        let open_errors = mask::open_errors(plan.input.tail, Seq::MAX);
        let (newest, first_request) = (unanswered(plan), plan.first_request());
        let masked_here = vec![None; plan.slots.len()];
        let protection = Protection::Marked;
        let (whole, budget) =
            (plan.tokens() + plan.gap_count * gap_line_tokens, u64::from(plan.input.budget));
        let stride = (budget / STRIDES).max(1);
        let goal = whole.saturating_sub(whole.saturating_sub(budget).div_ceil(stride) * stride);
        Self {
            plan,
            gap_line_tokens,
            goal,
            newest_user,
            first_request,
            newest,
            open_errors,
            protection,
            newest_room: 0,
            recap: None,
            masked_here,
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.plan.tokens() + self.plan.gap_count * self.gap_line_tokens
    }

    fn fits(&self) -> bool {
        self.total() <= self.goal
    }

    /// The slots of a group.
    pub(super) fn range(&self, group: usize) -> std::ops::Range<usize> {
        self.plan.groups.get(group).map_or(0..0, |group| group.range.clone())
    }

    pub(super) fn is_kept(&self, slot: usize) -> bool {
        let seq = self.plan.slots.get(slot).map_or(0, |slot| slot.entry.seq);
        self.protection == Protection::Marked && self.plan.input.mask.marks.get(&seq) == Some(&Keep::Always)
    }

    /// Whether a group was answered by the model, is not removed, and has neither the message that opened the session nor the newest
    /// user message.
    fn is_older(&self, group: usize) -> bool {
        let opens = self.protection == Protection::Marked && self.first_request == Some(group);
        let asks = opens || self.newest_user == Some(group);
        group < self.newest && !asks && !self.plan.is_dropped(group)
    }

    fn drop_recap(&mut self) -> bool {
        if let Some(recap) = self.plan.recap.take() {
            self.recap = Some((recap, self.plan.recap_tokens));
            self.plan.recap_tokens = 0;
        }
        self.fits()
    }

    /// Masks the outputs of older groups, the oldest first.
    fn mask_older(&mut self) -> bool {
        if self.plan.input.mask.mode == MaskMode::Off {
            return false;
        }
        for with_errors in [false, true] {
            for group in 0..self.newest {
                if self.plan.is_dropped(group) {
                    continue;
                }
                let mut changed = false;
                for slot in self.range(group) {
                    let is_error = self
                        .plan
                        .slots
                        .get(slot)
                        .is_some_and(|slot| self.open_errors.contains(&slot.entry.seq));
                    if !self.is_kept(slot) && (with_errors || !is_error) {
                        changed |= self.mask(slot);
                    }
                }
                if changed {
                    self.plan.remake(group);
                    if self.fits() {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn mask(&mut self, at: usize) -> bool {
        let Some(slot) = self.plan.slots.get_mut(at) else { return false };
        let results = slot.entry.results().iter().enumerate();
        let maskable: Vec<usize> = results.filter(|(_, r)| r.is_maskable()).map(|(i, _)| i).collect();
        let changes = maskable.len() > slot.masked.len();
        if changes {
            let before = std::mem::replace(&mut slot.masked, maskable);
            if let Some(masked) = self.masked_here.get_mut(at) {
                *masked = Some(before);
            }
        }
        changes
    }

    /// Clips older messages to the least length, the oldest first.
    fn clip_older(&mut self) -> bool {
        for group in 0..self.newest {
            if !self.is_older(group) {
                continue;
            }
            let slots: Vec<usize> = self.range(group).filter(|slot| self.may_clip(*slot)).collect();
            if slots.is_empty() {
                continue;
            }
            self.clip(group, &slots, Some(LEAST_CLIP));
            if self.fits() {
                return true;
            }
        }
        false
    }

    /// Whether clipping a slot saves anything; a placeholder cannot be clipped.
    pub(super) fn may_clip(&self, at: usize) -> bool {
        let Some(slot) = self.plan.slots.get(at) else { return false };
        let entry = slot.entry;
        let is_placeholder = entry.has(Feature::OnlyResults)
            && slot.masked.len() == entry.results().len()
            && !slot.masked.is_empty();
        entry.tokens > LEAST_CLIP && !is_placeholder && !self.is_kept(at) && !entry.role.is_system()
    }

    fn clip(&mut self, group: usize, slots: &[usize], length: Option<u32>) {
        for slot in slots {
            if let Some(slot) = self.plan.slots.get_mut(*slot) {
                // A message that is short enough stays as it was stored.
                slot.clip = length.filter(|length| slot.entry.tokens > *length);
            }
        }
        self.plan.remake(group);
    }

    /// Shortens placeholders, the oldest first: those of a group of hundreds can fill a budget by themselves.
    fn shorten_placeholders(&mut self) -> bool {
        for group in 0..self.newest {
            if self.plan.is_dropped(group) {
                continue;
            }
            let mut changed = false;
            for slot in self.range(group) {
                if let Some(slot) = self.plan.slots.get_mut(slot).filter(|slot| !slot.masked.is_empty()) {
                    changed |= !std::mem::replace(&mut slot.terse, true);
                }
            }
            if changed {
                self.plan.remake(group);
                if self.fits() {
                    return true;
                }
            }
        }
        false
    }

    /// Serves the largest form of the record that the budget holds; its strides count for messages alone, so that a
    /// larger budget never serves less of the record.
    fn shrink_summary(&mut self) -> bool {
        let smaller = self.plan.input.summary.map_or(0, |summary| summary.smaller.len());
        let budget = u64::from(self.plan.input.budget);
        // As if the newest outputs took all that was left for them: they are clipped to a ladder.
        let unused = self.newest_room.saturating_sub(self.newest_tokens());
        for step in 0..=smaller {
            self.plan.summary_step = step;
            if self.total() + unused <= budget {
                break;
            }
        }
        self.goal = self.total().clamp(self.goal, budget);
        self.fits()
    }

    /// The tokens of what the model has not answered.
    fn newest_tokens(&self) -> u64 {
        let newest = (self.newest..self.plan.groups.len()).filter_map(|group| self.plan.turns.get(group));
        newest.map(|turns| u64::from(turns.tokens)).sum()
    }

    /// Clips the newest outputs where they would leave no room for the record, half of the digest and the older groups
    /// that stay as long as the record is whole.
    fn leave_room_for_memory(&mut self) {
        let newest = self.newest_tokens();
        let memory = self.total() - self.plan.digest_tokens() - self.plan.group_tokens;
        let taken = memory + u64::from(self.digest_floor()) + self.staying_tokens();
        self.newest_room = newest.min(u64::from(self.plan.input.budget).saturating_sub(taken));
        let room = self.goal.saturating_sub(taken);
        if newest > room && self.plan.summary_message().is_some() {
            self.clip_evenly(self.newest, (true, LEAST_CLIP), &|fit| fit.newest_tokens() <= room);
        }
    }

    /// The least tokens of the answered groups that stay before the record gives way: the newest user message, and the last
    /// groups with their messages clipped.
    fn staying_tokens(&self) -> u64 {
        let first_of_last = self.plan.groups.len().saturating_sub(LAST_GROUPS);
        let staying = |group: usize| match self.newest_user {
            Some(user) if user == group => {
                self.plan.turns.get(group).map_or(0, |turns| u64::from(turns.tokens))
            }
            _ if group < first_of_last && !self.range(group).any(|slot| self.is_kept(slot)) => 0,
            _ => {
                let clipped = |at: usize| {
                    let tokens = self.plan.slots.get(at).map_or(0, |slot| slot.entry.tokens);
                    u64::from(if self.is_kept(at) { tokens } else { tokens.min(LEAST_CLIP) })
                };
                self.range(group).map(clipped).sum()
            }
        };
        (0..self.newest).map(staying).sum()
    }

    /// The tokens of the digest that stay as long as older outputs can give way.
    fn digest_floor(&self) -> u32 {
        let digest = self.plan.input.summary.and_then(|summary| summary.digest);
        digest.map_or(0, |digest| digest.tokens / 2)
    }

    /// Removes the oldest groups, each as a whole, but not the last `stay` ones.
    fn drop_older(&mut self, stay: usize) -> bool {
        let end = self.newest.min(self.plan.groups.len().saturating_sub(stay));
        for group in 0..end {
            if self.is_older(group) && !self.range(group).any(|slot| self.is_kept(slot)) {
                self.plan.drop_group(group);
                if self.fits() {
                    return true;
                }
            }
        }
        false
    }

    /// Clips kept messages that the summary covers, and then leaves them out; the oldest first.
    fn release_kept(&mut self) -> bool {
        if self.protection == Protection::Marked {
            return false;
        }
        for at in 0..self.plan.kept.len() {
            self.plan.clip_kept(at, LEAST_CLIP);
            if self.fits() {
                return true;
            }
        }
        while self.plan.release_oldest() {
            if self.fits() {
                return true;
            }
        }
        false
    }

    /// Restores what was removed beyond need, in reverse order: the recap, clipped messages,
    /// placeholders; the newest first. The first one that does not fit whole is clipped to the longest length
    /// that fits.
    fn give_back(&mut self) {
        if let Some((recap, tokens)) = self.recap.take() {
            (self.plan.recap, self.plan.recap_tokens) = (Some(recap), tokens);
            if !self.fits() {
                self.drop_recap();
            }
        }
        for what in [Shortening::Clipped, Shortening::Masked] {
            for group in (0..self.newest).rev() {
                if self.plan.is_dropped(group) {
                    continue;
                }
                let slots: Vec<usize> =
                    self.range(group).filter(|slot| self.was_taken(*slot, what)).collect();
                if !slots.is_empty() && !self.give_back_to(group, &slots, what) {
                    return;
                }
            }
        }
        self.cut_notes();
        self.cut_digest(None);
    }

    /// Serves as many of the newest notes as there is room for.
    fn cut_notes(&mut self) -> bool {
        self.plan.notes = None;
        let room = self.goal.saturating_sub(self.total());
        self.plan.notes = note::newest_within(self.plan.input.notes, room, self.plan.input.counter);
        self.fits()
    }

    /// Serves as much of the digest as there is room for, and at least `least` tokens of it.
    fn cut_digest(&mut self, least: Option<u32>) -> bool {
        let Some(digest) = self.plan.input.summary.and_then(|summary| summary.digest) else { return false };
        self.plan.digest = None;
        let room = self.goal.saturating_sub(self.total()).max(u64::from(least.unwrap_or_default()));
        if room >= u64::from(digest.tokens) {
            self.plan.digest = plan::whole_digest(self.plan.input);
        } else if let Some(steps) = rungs_within(u32::try_from(room).unwrap_or(u32::MAX)).checked_sub(1) {
            let cut = digest::cut((digest.text, digest.tokens), rung(steps), self.plan.input.counter);
            self.plan.digest = cut.map(|cut| (Cow::Owned(cut.text), cut.tokens));
        }
        self.fits()
    }

    fn was_taken(&self, at: usize, what: Shortening) -> bool {
        match what {
            Shortening::Clipped => self.plan.slots.get(at).is_some_and(|slot| slot.clip.is_some()),
            Shortening::Masked => self.masked_here.get(at).is_some_and(Option::is_some),
        }
    }

    /// Restores slots of one group, as many of the newest as fit whole; returns `false` when one does not
    /// fit.
    fn give_back_to(&mut self, group: usize, slots: &[usize], what: Shortening) -> bool {
        let taken: Vec<Slot<'a>> =
            slots.iter().filter_map(|slot| self.plan.slots.get(*slot).cloned()).collect();
        let given = Given { group, slots, taken: &taken, what };
        // A binary search for how many of the oldest slots stay as they are; the rest is restored.
        let (mut fewest, mut most) = (0, slots.len());
        while fewest < most {
            let stay = usize::midpoint(fewest, most);
            self.set(&given, stay, None);
            if self.fits() { most = stay } else { fewest = stay + 1 }
        }
        if fewest == 0 {
            self.set(&given, 0, None);
            return true;
        }
        let whole = taken.get(fewest - 1).map_or(0, |slot| slot.entry.tokens);
        let (mut least, mut above) = (rungs_within(LEAST_CLIP), rungs_within(whole));
        let mut length = None;
        while least < above {
            let middle = u32::midpoint(least, above);
            self.set(&given, fewest - 1, Some(rung(middle)));
            if self.fits() {
                length = Some(rung(middle));
                least = middle + 1;
            } else {
                above = middle;
            }
        }
        let stay = if length.is_some() { fewest - 1 } else { fewest };
        self.set(&given, stay, length);
        false
    }

    /// Leaves the `stay` oldest slots as they are, clips the next one to `length`, and restores the others.
    fn set(&mut self, from: &Given<'_, 'a>, stay: usize, length: Option<u32>) {
        let Given { group, slots, taken, what } = *from;
        for (place, (at, taken)) in slots.iter().zip(taken).enumerate() {
            let before = self.masked_here.get(*at).cloned().flatten();
            let Some(slot) = self.plan.slots.get_mut(*at) else { continue };
            slot.clone_from(taken);
            if place >= stay {
                slot.clip = length.filter(|_| place == stay);
                if let (Shortening::Masked, Some(before)) = (what, before) {
                    slot.masked = before;
                }
            }
        }
        self.plan.remake(group);
    }

    /// Clips what the model has not answered: its outputs to one length, then all of it.
    fn clip_newest(&mut self) -> bool {
        for group in self.newest..self.plan.groups.len() {
            let slots: Vec<usize> = self.range(group).collect();
            self.clip(group, &slots, None);
        }
        self.clip_evenly(0, (true, LEAST_CLIP), &Self::fits)
            || self.clip_evenly(0, (false, HARD_LEAST), &Self::fits)
    }

    /// Clips outputs, or all messages, of the groups from `first` on to the longest length of the ladder at which it fits;
    /// returns `false` when it does not at the least one.
    fn clip_evenly(
        &mut self,
        first: usize,
        (outputs_alone, least): (bool, u32),
        fits_now: &dyn Fn(&Self) -> bool,
    ) -> bool {
        let groups = (first..self.plan.groups.len()).filter(|group| !self.plan.is_dropped(*group));
        let slots: Vec<(usize, Vec<usize>)> = groups
            .map(|group| {
                let may = |slot: &usize| {
                    let is_output = self.plan.slots.get(*slot).is_some_and(|slot| {
                        slot.entry.role != Role::Assistant && !slot.entry.results().is_empty()
                    });
                    !self.is_kept(*slot) && (is_output || !outputs_alone)
                };
                (group, self.range(group).filter(may).collect())
            })
            .collect();
        let longest = slots
            .iter()
            .flat_map(|(_, slots)| slots)
            .filter_map(|slot| self.plan.slots.get(*slot))
            .chain(self.plan.carried.as_ref().map(|(slot, _)| slot))
            .map(|slot| slot.entry.tokens)
            .max()
            .unwrap_or(least);
        let to = |fit: &mut Self, length: u32| {
            for (group, slots) in &slots {
                if !slots.is_empty() {
                    fit.clip(*group, slots, Some(length));
                }
            }
            if let Some((slot, _)) = fit.plan.carried.as_mut().filter(|_| !outputs_alone) {
                slot.clip = Some(length);
                fit.plan.remake_carried();
            }
            fits_now(fit)
        };
        if !to(self, least) {
            return false;
        }
        let (mut fits, mut above) = (rungs_within(least), rungs_within(longest) + 1);
        let mut length = least;
        while fits < above {
            let middle = u32::midpoint(fits, above);
            if to(self, rung(middle)) {
                length = rung(middle);
                fits = middle + 1;
            } else {
                above = middle;
            }
        }
        to(self, length)
    }
}

/// The slots of a group that are restored.
struct Given<'s, 'a> {
    group: usize,
    slots: &'s [usize],
    /// The slots before they are restored.
    taken: &'s [Slot<'a>],
    what: Shortening,
}

/// How a message was shortened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shortening {
    Clipped,
    Masked,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_rises_by_a_sixteenth_and_is_found_again() {
        for number in 0..200 {
            let length = rung(number);
            assert_eq!(rungs_within(length), number + 1);
            assert!(rung(number + 1) > length && rung(number + 1) - length <= length / 16);
        }
        assert_eq!((rung(0), rungs_within(HARD_LEAST - 1)), (HARD_LEAST, 0));
    }
}
