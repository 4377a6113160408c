//! The plan of a context, before it is written: the tail in groups, and what is done to each message.

use std::borrow::Cow;

use super::super::mask::{self, Keep, MaskMode};
use super::super::note;
use super::convert::Converter;
use super::ids::{self, Ids};
use super::input::{ContextInput, Counted, Entry};
use super::output::SummaryForm;
use super::slot::Slot;
use super::steps::OPENING_WITHIN;
use super::texts::{self, LEAD_IN};
use super::turns::{ServedGroup, ServedMessage};
use anchord_messages::format::Format;
use anchord_messages::group::{self, Group};
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::shape::AsShape;

/// The plan of one context, changed until it fits.
pub(super) struct Plan<'a, 'i> {
    pub input: &'i ContextInput<'a>,
    pub slots: Vec<Slot<'a>>,
    pub groups: Vec<Group>,
    pub ids: Vec<Ids>,
    pub turns: Vec<ServedGroup<'a>>,
    /// By group.
    pub dropped: Vec<bool>,
    pub system: Vec<ServedGroup<'a>>,
    /// Kept messages that the summary covers, ascending.
    pub kept: Vec<(Slot<'a>, ServedGroup<'a>)>,
    /// Those of them that are left out.
    pub released: Vec<Seq>,
    pub carried: Option<(Slot<'a>, ServedGroup<'a>)>,
    /// How many larger forms of the summary are passed over.
    pub summary_step: usize,
    /// The digest, or the part of it that is served.
    pub digest: Option<(Cow<'a, str>, u32)>,
    pub recap: Option<String>,
    pub recap_tokens: u32,
    /// The agent's notes that are served, and the tokens of their message.
    pub notes: Option<(String, u32)>,
    /// The tokens of all groups that are not dropped.
    pub group_tokens: u64,
    /// How many runs of messages are left out.
    pub gap_count: u64,
    system_tokens: u64,
}

impl<'a, 'i> Plan<'a, 'i> {
    pub(super) fn new(input: &'i ContextInput<'a>) -> Self {
        let converter = Converter::new(input);
        let mut slots: Vec<Slot<'a>> = input.tail.iter().map(Slot::new).collect();
        let groups = group::groups(input.tail);
        if input.mask.mode == MaskMode::Auto {
            let mask = &input.mask;
            let (removed, clipped) = mask::masked(input.tail, mask.clipping, mask.marks);
            for at in removed {
                if let Some(slot) = slots.get_mut(at.item) {
                    slot.masked.push(at.result);
                }
            }
            for at in clipped {
                if let Some(slot) = slots.get_mut(at.item) {
                    slot.clipped.0.push(at.result);
                    slot.clipped.1 = mask.clipping.left();
                }
            }
            if mask.marks.values().any(|k| *k == Keep::Never) {
                for slot in &mut slots {
                    slot.removed =
                        is_removable(slot.entry) && mask.marks.get(&slot.entry.seq) == Some(&Keep::Never);
                }
            }
        }
        let ids = ids::served(input.format, input.tail, &groups);
        let turns: Vec<ServedGroup<'a>> =
            groups.iter().zip(&ids).map(|(group, ids)| converter.group(&slots, group, ids)).collect();
        let group_tokens = turns.iter().map(|t| u64::from(t.tokens)).sum();
        let carried = input.carried.map(|entry| {
            let mut slot = Slot::new(entry);
            // The summary covers what a tool returned along with it.
            if input.mask.mode == MaskMode::Auto && input.mask.marks.get(&entry.seq) != Some(&Keep::Always) {
                let results = entry.results().iter().enumerate();
                slot.masked = results.filter(|(_, r)| r.is_maskable()).map(|(at, _)| at).collect();
            }
            let turns = converter.plain(&slot);
            (slot, turns)
        });
        let kept = input.kept.iter().map(|entry| {
            let slot = Slot::new(entry);
            let turns = converter.kept(&slot);
            (slot, turns)
        });
        // A recap after an open call would stand between it and its result.
        let pending = groups.last().is_some_and(Group::is_pending);
        let recap = input.recap.filter(|_| !pending).map(texts::recap_text);
        let recap_tokens = recap.as_deref().map_or(0, |text| Counted::new(text, input.counter).tokens);
        let system: Vec<ServedGroup<'a>> = input.system.iter().map(|entry| converter.system(entry)).collect();
        let system_tokens: u64 = system.iter().map(|t| u64::from(t.tokens)).sum();
        let mut plan = Self {
            input,
            dropped: vec![false; groups.len()],
            slots,
            groups,
            ids,
            turns,
            system,
            system_tokens: system_tokens + input.pins.map_or(0, |p| u64::from(p.tokens)),
            gap_count: u64::from(input.tail_omitted.is_some()),
            kept: kept.collect(),
            released: Vec::new(),
            carried,
            summary_step: 0,
            digest: whole_digest(input),
            recap,
            recap_tokens,
            notes: note::newest_within(input.notes, u64::MAX, input.counter),
            group_tokens,
        };
        plan.gap_count += (1..plan.groups.len()).map(|index| u64::from(plan.has_hole(index))).sum::<u64>();
        plan
    }

    /// Builds a group's turns again after its slots changed.
    pub(super) fn remake(&mut self, index: usize) {
        let (Some(group), Some(ids)) = (self.groups.get(index), self.ids.get(index)) else { return };
        let made = Converter::new(self.input).group(&self.slots, group, ids);
        let kept = self.dropped.get(index) == Some(&false);
        if let Some(turns) = self.turns.get_mut(index) {
            if kept {
                self.group_tokens = self.group_tokens - u64::from(turns.tokens) + u64::from(made.tokens);
            }
            *turns = made;
        }
    }

    pub(super) fn remake_carried(&mut self) {
        if let Some((slot, turns)) = &mut self.carried {
            *turns = Converter::new(self.input).plain(slot);
        }
    }

    /// Clips a kept message.
    pub(super) fn clip_kept(&mut self, at: usize, length: u32) {
        if let Some((slot, turns)) = self.kept.get_mut(at) {
            slot.clip = Some(length);
            *turns = Converter::new(self.input).kept(slot);
        }
    }

    /// Leaves out the oldest kept message; returns `false` when there is none.
    pub(super) fn release_oldest(&mut self) -> bool {
        if self.kept.is_empty() {
            return false;
        }
        let (slot, _) = self.kept.remove(0);
        self.released.push(slot.entry.seq);
        true
    }

    pub(super) fn drop_group(&mut self, index: usize) {
        let before =
            self.has_hole(index) || index.checked_sub(1).is_some_and(|before| self.is_dropped(before));
        let after = self.has_hole(index + 1) || self.is_dropped(index + 1);
        if let (Some(dropped @ false), Some(turns)) = (self.dropped.get_mut(index), self.turns.get(index)) {
            *dropped = true;
            self.group_tokens -= u64::from(turns.tokens);
            match (before, after) {
                (false, false) => self.gap_count += 1,
                (true, true) => self.gap_count -= 1,
                (true, false) | (false, true) => {}
            }
        }
    }

    pub(super) fn is_dropped(&self, index: usize) -> bool {
        self.dropped.get(index) == Some(&true)
    }

    /// The summary's message as it is served.
    pub(super) fn summary_message(&self) -> Option<Counted<'a>> {
        let summary = self.input.summary?;
        let smaller = self.summary_step.checked_sub(1).and_then(|step| summary.smaller.get(step));
        Some(smaller.copied().unwrap_or(summary.message))
    }

    /// How much of the summary is served.
    pub(super) fn summary_form(&self) -> SummaryForm {
        let smaller = self.input.summary.map_or(0, |summary| summary.smaller.len());
        match self.summary_step {
            0 => SummaryForm::Full,
            step if step < smaller => SummaryForm::Reduced,
            _ => SummaryForm::Least,
        }
    }

    /// All tokens, except those of the lines in place of left-out messages.
    pub(super) fn tokens(&self) -> u64 {
        let summary = self.summary_message().map_or(0, |m| u64::from(m.tokens));
        let kept = self.kept_tokens();
        let carried = self.carried.as_ref().map_or(0, |(_, turns)| u64::from(turns.tokens));
        let recap = u64::from(self.recap_tokens);
        let summary = summary + self.digest_tokens() + self.notes_tokens();
        self.system_tokens + summary + kept + carried + self.group_tokens + recap + self.lead_in_tokens()
    }

    /// An upper bound for the tokens of any line in place of left-out messages of this session.
    pub(super) fn gap_line_bound(&self) -> u64 {
        let head = self.input.head_seq;
        // Of the two forms of a run, that with two positions is the longer one.
        let line = texts::gap_line(head.saturating_sub(1), head, self.input.tools);
        u64::from(Counted::new(&line, self.input.counter).tokens) + 4
    }

    /// The tokens of the lead-in, if the format needs one.
    pub(super) fn lead_in_tokens(&self) -> u64 {
        if !self.needs_lead_in() {
            return 0;
        }
        u64::from(Counted::new(LEAD_IN, self.input.counter).tokens)
    }

    /// Whether the format requires a user first and the model speaks first.
    pub(super) fn needs_lead_in(&self) -> bool {
        let user_first = self.input.format != Format::Anthropic
            || self.summary_message().is_some()
            || self.carried.is_some()
            || self.notes.is_some()
            || self.input.tail_omitted.is_some()
            || self.dropped.first() == Some(&true);
        if user_first {
            return false;
        }
        let first = self.turns.iter().flat_map(|t| &t.served).next();
        match first {
            Some(ServedMessage::Raw(entry)) => entry.role == Role::Assistant,
            Some(ServedMessage::Made(message, _)) => message.role == Role::Assistant,
            Some(ServedMessage::Item(..)) | None => false,
        }
    }

    pub(super) fn digest_tokens(&self) -> u64 {
        self.digest.as_ref().map_or(0, |digest| u64::from(digest.1))
    }

    pub(super) fn notes_tokens(&self) -> u64 {
        self.notes.as_ref().map_or(0, |notes| u64::from(notes.1))
    }

    pub(super) fn kept_tokens(&self) -> u64 {
        self.kept.iter().map(|(_, turns)| u64::from(turns.tokens)).sum()
    }

    /// System prompt and pins.
    pub(super) fn system_tokens(&self) -> u64 {
        self.system_tokens
    }

    /// The group of the message that opened the session, when it was read and no summary covers it.
    pub(super) fn first_request(&self) -> Option<usize> {
        let (tail, groups) = (self.input.tail, &self.groups);
        let first = groups.iter().take_while(|group| group.range.start < OPENING_WITHIN.min(tail.len()));
        let is_read = self.input.summary.is_none() && self.input.tail_omitted.is_none();
        (0..first.count()).find(|group| is_read && self.asks(*group))
    }

    /// Whether a person's message stands in a group.
    pub(super) fn asks(&self, group: usize) -> bool {
        self.groups
            .get(group)
            .and_then(|group| self.input.tail.get(group.range.clone()))
            .is_some_and(|items| group::newest_user(items).is_some())
    }

    /// The positions of a group's first and last message.
    pub(super) fn seqs(&self, index: usize) -> Option<(Seq, Seq)> {
        let items = self.input.tail.get(self.groups.get(index)?.range.clone())?;
        Some((items.first()?.seq, items.last()?.seq))
    }

    /// The messages before a group that were not read.
    fn hole(&self, index: usize) -> Option<(Seq, Seq)> {
        let Some(before) = index.checked_sub(1) else { return self.input.tail_omitted };
        let ((_, last), (first, _)) = (self.seqs(before)?, self.seqs(index)?);
        (last + 1 < first).then_some((last + 1, first - 1))
    }

    fn has_hole(&self, index: usize) -> bool {
        self.hole(index).is_some()
    }

    /// The runs of messages that are left out because they have no room, in order, each with the group that follows it.
    pub(super) fn gaps(&self) -> Vec<(usize, Seq, Seq)> {
        let mut gaps = Vec::new();
        let mut run = self.input.tail_omitted;
        for index in 0..self.groups.len() {
            let dropped = self.seqs(index).filter(|_| self.is_dropped(index));
            for (from, to) in self.hole(index).into_iter().chain(dropped) {
                run = Some((run.map_or(from, |(from, _)| from), to));
            }
            if let Some((from, to)) = run.take_if(|_| !self.is_dropped(index)) {
                gaps.push((index, from, to));
            }
        }
        gaps.extend(run.map(|(from, to)| (self.groups.len(), from, to)));
        gaps
    }
}

/// The digest as the version has it.
pub(super) fn whole_digest<'a>(input: &ContextInput<'a>) -> Option<(Cow<'a, str>, u32)> {
    let digest = input.summary?.digest?;
    Some((Cow::Borrowed(digest.text), digest.tokens))
}

/// Whether one line may replace a whole message: it has no calls or results and is not the operator's.
fn is_removable(entry: &Entry) -> bool {
    let bound = entry.calls().is_empty() && entry.results().is_empty();
    bound
        && matches!(entry.role, Role::User | Role::Assistant)
        && !entry.has(anchord_messages::shape::Feature::OnlyThinking)
}
