//! What gives way when the budget binds, in order: tool outputs become placeholders, oversized
//! messages are clipped, the oldest groups go, all that first outside the preserved messages and then
//! within them; then the summary's least form, the recap, and at the very end the newest messages are
//! clipped hard.
//!
//! Masking and dropping go on to the next multiple of [`STRIDE`] messages, so that a session that
//! stays at its budget does not change its prefix at every read.

use std::collections::BTreeSet;

use super::super::group::newest_user;
use super::super::id::Seq;
use super::super::mask::{self, Keep, MaskMode, PROTECTED_MESSAGES};
use super::super::shape::AsShape;
use super::BudgetTooSmall;
use super::emit;
use super::plan::{Plan, SummaryForm};

const STRIDE: Seq = 16;
/// A message above this share of the budget is oversized.
const OVERSIZED_SHARE: u32 = 4;
/// Nothing is clipped below this, but for the last resort.
const CLIP_LEAST: u32 = 256;
/// The last resort clips messages down to this.
const HARD_LEAST: u32 = 48;

/// Takes away until the context fits.
pub(super) fn fit(plan: &mut Plan<'_, '_>) -> Result<(), BudgetTooSmall> {
    // By far the most contexts fit as they are, and need no note to be counted.
    if plan.gap_count == 0 && plan.tokens() <= u64::from(plan.input.budget) {
        return Ok(());
    }
    let mut fit = Fit::new(plan);
    if fit.fits() {
        return Ok(());
    }
    let preserved = fit.plan.slots.len().saturating_sub(PROTECTED_MESSAGES);
    for until in [preserved, usize::MAX] {
        let last_resort = until == usize::MAX;
        let masked = fit.mask(until, last_resort) || fit.clip(until);
        // What is protected is better told in a line than left out with its group.
        if masked || fit.mask(until, true) || fit.drop(until, last_resort) {
            return Ok(());
        }
    }
    if fit.plan.summary == SummaryForm::Full {
        fit.plan.summary = SummaryForm::Least;
    }
    if fit.fits() {
        return Ok(());
    }
    fit.plan.recap = None;
    fit.plan.recap_tokens = 0;
    if fit.fits() || fit.squeeze() {
        return Ok(());
    }
    fit.plan.summary = SummaryForm::Gone;
    if fit.squeeze() {
        return Ok(());
    }
    // The newest message alone.
    fit.plan.carried = fit.plan.carried.take().filter(|_| fit.plan.slots.is_empty());
    fit.keep_newest();
    if fit.squeeze() {
        return Ok(());
    }
    Err(BudgetTooSmall { min_tokens: u32::try_from(fit.total()).unwrap_or(u32::MAX) })
}

struct Fit<'p, 'a, 'i> {
    plan: &'p mut Plan<'a, 'i>,
    /// An upper bound for one note about left-out messages.
    note_tokens: u64,
    /// The group with the newest user message.
    newest_user: Option<usize>,
    /// Messages whose outputs give way after the others.
    open_errors: BTreeSet<Seq>,
}

impl<'p, 'a, 'i> Fit<'p, 'a, 'i> {
    fn new(plan: &'p mut Plan<'a, 'i>) -> Self {
        let user = newest_user(plan.input.tail);
        let newest_user = user.map(|u| plan.groups.partition_point(|g| g.range.end <= u));
        let note_tokens = emit::note_bound(plan);
        let open_errors = mask::open_errors(plan.input.tail, Seq::MAX);
        Self { plan, note_tokens, newest_user, open_errors }
    }

    fn total(&self) -> u64 {
        self.plan.tokens() + self.plan.gap_count * self.note_tokens
    }

    fn fits(&self) -> bool {
        self.total() <= u64::from(self.plan.input.budget)
    }

    fn end_seq(&self, group: usize) -> Seq {
        let end = self.plan.groups.get(group).map_or(0, |g| g.range.end);
        self.plan.input.tail.get(end.saturating_sub(1)).map_or(0, |e| e.seq)
    }

    /// Masks outputs of groups that begin before `until`, oldest first.
    fn mask(&mut self, until: usize, marked_too: bool) -> bool {
        if self.plan.input.mask.mode == MaskMode::Off {
            return false;
        }
        let mut stop_at: Option<Seq> = None;
        for index in 0..self.plan.groups.len() {
            let Some(range) = self.plan.groups.get(index).map(|g| g.range.clone()) else { break };
            let Some(first) = self.plan.input.tail.get(range.start).map(|e| e.seq) else { break };
            if stop_at.is_some_and(|seq| first > seq) {
                break;
            }
            let mut changed = false;
            for item in range.start..range.end.min(until) {
                changed |= self.mask_slot(item, marked_too);
            }
            if changed {
                self.plan.remake(index);
            }
            if stop_at.is_none() && changed && self.fits() {
                stop_at = Some((self.end_seq(index) + STRIDE - 1) / STRIDE * STRIDE);
            }
        }
        self.fits()
    }

    fn mask_slot(&mut self, item: usize, marked_too: bool) -> bool {
        let Some(slot) = self.plan.slots.get_mut(item) else { return false };
        let kept = self.plan.input.mask.marks.get(&slot.entry.seq) == Some(&Keep::Always)
            || self.open_errors.contains(&slot.entry.seq);
        if kept && !marked_too {
            return false;
        }
        let results = slot.entry.results().iter().enumerate();
        let maskable: Vec<usize> = results.filter(|(_, r)| r.is_maskable()).map(|(i, _)| i).collect();
        let changed = maskable.len() > slot.masked.len();
        if changed {
            slot.masked = maskable;
        }
        changed
    }

    /// Clips oversized messages of groups that end before `until`, oldest first.
    fn clip(&mut self, until: usize) -> bool {
        let cap = (self.plan.input.budget / OVERSIZED_SHARE).max(CLIP_LEAST);
        for index in 0..self.plan.groups.len() {
            let Some(group) = self.plan.groups.get(index) else { break };
            let last = group.is_pending() || self.newest_user == Some(index);
            if group.range.end > until || self.plan.is_dropped(index) || last {
                continue;
            }
            let range = group.range.clone();
            if self.clip_group(index, range, cap) && self.fits() {
                return true;
            }
        }
        self.fits()
    }

    fn clip_group(&mut self, index: usize, range: std::ops::Range<usize>, cap: u32) -> bool {
        let mut changed = false;
        for slot in self.plan.slots.get_mut(range).unwrap_or_default() {
            // What is masked is smaller than stored; clipping leaves it alone when it fits the cap.
            if slot.entry.tokens > cap && slot.clip != Some(cap) {
                slot.clip = Some(cap);
                changed = true;
            }
        }
        if changed {
            self.plan.remake(index);
        }
        changed
    }

    /// Leaves out whole groups that end before `until`, oldest first; never the newest user message's
    /// and the last one.
    fn drop(&mut self, until: usize, to_the_end: bool) -> bool {
        let mut stop_at: Option<Seq> = None;
        let count = self.plan.groups.len();
        for index in 0..count {
            let keeps = index + 1 == count || self.newest_user == Some(index);
            let late = self.plan.groups.get(index).is_none_or(|g| g.range.end > until);
            if late {
                break;
            }
            if keeps || self.plan.is_dropped(index) {
                continue;
            }
            if stop_at.is_some_and(|seq| to_the_end || self.end_seq(index) > seq) {
                break;
            }
            self.plan.drop_group(index);
            if stop_at.is_none() && self.fits() {
                stop_at = Some((self.end_seq(index) + STRIDE - 1) / STRIDE * STRIDE);
            }
        }
        self.fits()
    }

    /// Leaves out everything but the last group.
    fn keep_newest(&mut self) {
        for index in 0..self.plan.groups.len().saturating_sub(1) {
            self.plan.drop_group(index);
        }
    }

    /// Clips what is left, harder and harder.
    fn squeeze(&mut self) -> bool {
        let mut cap = (self.plan.input.budget / 2).max(HARD_LEAST);
        loop {
            if let Some((slot, _)) = &mut self.plan.carried {
                slot.clip = Some(cap);
                self.plan.remake_carried();
            }
            for index in 0..self.plan.groups.len() {
                if self.plan.is_dropped(index) {
                    continue;
                }
                if let Some(range) = self.plan.groups.get(index).map(|g| g.range.clone()) {
                    self.clip_group(index, range, cap);
                }
            }
            if self.fits() {
                return true;
            }
            if cap == HARD_LEAST {
                return false;
            }
            cap = (cap / 2).max(HARD_LEAST);
        }
    }
}
