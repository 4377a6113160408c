//! Groups of messages that must stay together, and the end of the next span.
//!
//! What lives here: groups (a model's calls with their results), the points at which a conversation may
//! be cut, and how far the next span may reach.
//! Invariant: the groups cover the messages in order, each message once; a cut between two groups
//! leaves no call without its result and no result without its call.
//! Must not know: bodies, tokens, how a span is used.

use std::collections::HashMap;
use std::ops::Range;

use strum::{AsRefStr, IntoStaticStr};

use super::id::Seq;
use super::message::Role;
use super::shape::{AsShape, Feature};

/// Messages that a provider accepts only together, as a range of indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The indices of its messages.
    pub range: Range<usize>,
    /// The kind of group.
    pub kind: GroupKind,
}

/// The kind of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// One message, or reasoning with the item after it.
    Plain,
    /// Calls and their results.
    Calls(Calls),
}

/// The calls of a group and their results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// The number of messages at the group's start that are the model's.
    pub lead: usize,
    /// The place of each call's result, in the order of the calls; `None` without a result.
    pub answers: Vec<Option<ResultAt>>,
    /// Whether results can still come.
    pub state: CallState,
}

/// The place of a result: the message's index and the result's index within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultAt {
    /// The index of the message.
    pub item: usize,
    /// The index of the result within the message.
    pub result: usize,
}

/// Whether calls still wait for results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallState {
    /// Every call has its result.
    Answered,
    /// Some results are missing and the conversation continued; a later result is no longer in the group.
    Closed,
    /// Some results are missing, but only results have followed: the others may still come.
    Pending,
}

impl Group {
    /// Whether the group waits for results.
    pub fn is_pending(&self) -> bool {
        matches!(&self.kind, GroupKind::Calls(calls) if calls.state == CallState::Pending)
    }
}

/// Splits messages into groups, in one pass.
///
/// A result answers the first unanswered call with its id in the current group; a result without an id
/// answers the first unanswered call. A result that answers no call is a group of its own, unless it is
/// between a call and its result.
pub fn groups<T: AsShape>(items: &[T]) -> Vec<Group> {
    let mut groups = Vec::with_capacity(items.len());
    let mut at = 0;
    while let Some(item) = items.get(at) {
        let lead = lead(items, at);
        let has_calls = lead.clone().filter_map(|i| items.get(i)).any(|i| !i.calls().is_empty());
        let group = if item.role() == Role::Assistant && has_calls {
            answered(items, lead)
        } else {
            Group { range: lead, kind: GroupKind::Plain }
        };
        at = group.range.end;
        groups.push(group);
    }
    groups
}

/// The model's messages at the start of a group. In the responses API these are parallel calls, which are consecutive
/// items, and reasoning with the item after it. In other formats it is one message, with thinking that was logged
/// separately.
fn lead<T: AsShape>(items: &[T], from: usize) -> Range<usize> {
    let mut to = from + 1;
    let thinks = |item: &T| item.role() == Role::Assistant && item.has(Feature::OnlyThinking);
    if items.get(from).is_some_and(|item| !item.is_item() && thinks(item)) {
        while items.get(to).is_some_and(|item| !item.is_item() && thinks(item)) {
            to += 1;
        }
        let follows = items.get(to).is_some_and(|item| !item.is_item() && item.role() == Role::Assistant);
        return from..to + usize::from(follows);
    }
    let is_the_models = |item: &T| item.is_item() && item.role() == Role::Assistant;
    let Some(first) = items.get(from).filter(|i| is_the_models(i)) else { return from..to };
    let mut calls = !first.calls().is_empty();
    let mut reasoned = first.has(Feature::OnlyThinking);
    let mut after_reasoning = reasoned;
    while let Some(next) = items.get(to).filter(|i| is_the_models(i)) {
        let reasoning = next.has(Feature::OnlyThinking);
        if !(calls || after_reasoning || (reasoned && !reasoning)) {
            break;
        }
        calls |= !next.calls().is_empty();
        reasoned |= reasoning;
        after_reasoning = reasoning;
        to += 1;
    }
    from..to
}

/// The group of a lead with calls; it ends with the last message that answers one of them.
fn answered<T: AsShape>(items: &[T], lead: Range<usize>) -> Group {
    let mut open = OpenCalls::new(items.get(lead.clone()).unwrap_or_default());
    let mut end = lead.end;
    let mut at = lead.end;
    let mut closed = false;
    while open.left > 0 && !closed {
        let Some(item) = items.get(at) else { break };
        if item.results().is_empty() {
            closed = true;
            break;
        }
        for (result, shape) in item.results().iter().enumerate() {
            if open.answer(&shape.call_id, ResultAt { item: at, result }) {
                end = at + 1;
            }
        }
        closed = !item.has(Feature::OnlyResults);
        at += 1;
    }
    let state = match (open.left, closed) {
        (0, _) => CallState::Answered,
        (_, true) => CallState::Closed,
        (_, false) => CallState::Pending,
    };
    if state == CallState::Pending {
        end = items.len();
    }
    let calls = Calls { lead: lead.len(), answers: open.answers, state };
    Group { range: lead.start..end, kind: GroupKind::Calls(calls) }
}

/// The unanswered calls of a lead, with an index by id when they are many.
struct OpenCalls<'a> {
    ids: Vec<&'a str>,
    answers: Vec<Option<ResultAt>>,
    left: usize,
    first_open: usize,
    /// The calls by id, last first; empty when they are few.
    by_id: HashMap<&'a str, Vec<usize>>,
}

impl<'a> OpenCalls<'a> {
    const FEW: usize = 16;

    fn new<T: AsShape>(lead: &'a [T]) -> Self {
        let ids: Vec<&str> = lead.iter().flat_map(AsShape::calls).map(|c| c.id.as_str()).collect();
        let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
        if ids.len() > Self::FEW {
            for (i, id) in ids.iter().enumerate().rev() {
                by_id.entry(id).or_default().push(i);
            }
        }
        Self { answers: vec![None; ids.len()], left: ids.len(), first_open: 0, ids, by_id }
    }

    fn answer(&mut self, id: &str, at: ResultAt) -> bool {
        let found = if id.is_empty() { self.first() } else { self.named(id).or_else(|| self.named("")) };
        let Some(slot) = found.and_then(|i| self.answers.get_mut(i)) else { return false };
        *slot = Some(at);
        self.left -= 1;
        true
    }

    fn is_open(&self, call: usize) -> bool {
        matches!(self.answers.get(call), Some(None))
    }

    fn first(&mut self) -> Option<usize> {
        while matches!(self.answers.get(self.first_open), Some(Some(_))) {
            self.first_open += 1;
        }
        Some(self.first_open).filter(|i| *i < self.answers.len())
    }

    fn named(&mut self, id: &str) -> Option<usize> {
        if self.ids.len() <= Self::FEW {
            return (0..self.ids.len()).find(|i| self.ids.get(*i) == Some(&id) && self.is_open(*i));
        }
        while let Some(i) = self.by_id.get_mut(id).and_then(Vec::pop) {
            if self.is_open(i) {
                return Some(i);
            }
        }
        None
    }
}

/// The reason why nothing can be compressed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error, AsRefStr, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum NoSpan {
    /// There are no messages beyond those that stay verbatim.
    #[error("there are no more messages than the ones that stay verbatim")]
    #[strum(serialize = "too_few_messages")]
    TooFew,
    /// All messages are the system prompt.
    #[error("all messages are the system prompt")]
    AllSystem,
    /// The first group reaches into the messages that stay verbatim.
    #[error("one group of messages reaches into the ones that stay verbatim")]
    #[strum(serialize = "one_huge_message")]
    OneHugeGroup,
    /// The remaining messages wait: a call for its result, or a user for an answer.
    #[error("what is left waits for an answer")]
    Unanswered,
    /// The context is no larger than a compression would leave it.
    #[error("the context is already small enough; name a target or through_seq to compress it further")]
    Fits,
    /// Clipping large outputs brings the context far enough below the trigger.
    #[error("large outputs are clipped instead, which leaves the context small enough")]
    Clips,
    /// Too little would be freed: less than a fifth of the tokens between trigger and fill.
    #[error("too little would be freed; it is tried again when there is more to cover")]
    TooLittle,
    /// The requested end is at or before the start.
    #[error("the asked end is already covered")]
    AlreadyCovered,
}

/// The last seq that the next span may cover. `items` are all messages after the anchor.
///
/// Excluded are: the system prompt (leading system and developer messages, when `items` begins with the session's first
/// message); the last `preserve_recent` messages, and the group that they cut into; a call that waits for its result;
/// and the newest user message without an answer. `through` requests an earlier end.
///
/// # Errors
/// When no message may be covered, with the reason.
pub fn span_end<T: AsShape>(
    items: &[T],
    preserve_recent: usize,
    through: Option<Seq>,
) -> Result<Seq, NoSpan> {
    let start = leading_system(items);
    if start == items.len() {
        return Err(if items.is_empty() { NoSpan::TooFew } else { NoSpan::AllSystem });
    }
    let recent = items.len().saturating_sub(preserve_recent);
    if recent <= start {
        return Err(NoSpan::TooFew);
    }
    let groups = groups(items);
    let pending = groups.last().filter(|g| g.is_pending()).map_or(items.len(), |g| g.range.start);
    let waiting = unanswered_user(items).unwrap_or(items.len()).min(pending);
    let asked = through.map_or(items.len(), |t| items.partition_point(|i| i.seq() <= t));
    if asked <= start {
        return Err(NoSpan::AlreadyCovered);
    }
    let edge = recent.min(waiting).min(asked);
    let end = boundary(&groups, edge);
    match end.checked_sub(1).and_then(|last| items.get(last)) {
        Some(last) if end > start => Ok(last.seq()),
        _ if waiting <= start => Err(NoSpan::Unanswered),
        _ => Err(NoSpan::OneHugeGroup),
    }
}

/// The number of leading messages that are the system prompt; 0 when `items` does not begin with the session's first
/// message.
pub fn leading_system<T: AsShape>(items: &[T]) -> usize {
    if items.first().is_none_or(|i| i.seq() != 1) {
        return 0;
    }
    items.iter().take_while(|i| i.role().is_system()).count()
}

/// The index of the newest user message, when no message of the model follows it. Of several consecutive ones (such as
/// the minutes of a meeting) only the newest waits for an answer.
pub fn unanswered_user<T: AsShape>(items: &[T]) -> Option<usize> {
    let after = items.iter().rposition(|i| i.role() == Role::Assistant).map_or(0, |i| i + 1);
    newest_of_user(items, &[Feature::OnlyResults]).filter(|i| *i >= after)
}

/// The index of the newest user message that is neither tool results alone nor a program's instructions.
pub fn newest_user<T: AsShape>(items: &[T]) -> Option<usize> {
    newest_of_user(items, &[Feature::OnlyResults, Feature::Instructions])
}

fn newest_of_user<T: AsShape>(items: &[T], without: &[Feature]) -> Option<usize> {
    let speaks = |item: &T| without.iter().all(|feature| !item.has(*feature));
    items.iter().rposition(|item| item.role() == Role::User && speaks(item))
}

/// The last cut point at or before `edge`.
fn boundary(groups: &[Group], edge: usize) -> usize {
    let at = groups.partition_point(|g| g.range.end <= edge);
    at.checked_sub(1).and_then(|i| groups.get(i)).map_or(0, |g| g.range.end)
}

#[cfg(test)]
mod tests;
