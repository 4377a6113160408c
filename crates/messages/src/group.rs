//! Which messages belong together, and how far a span may reach.
//!
//! What lives here: groups (a model's calls with their results), the points where a conversation may
//! be cut, and the end of the next span.
//! Invariant: the groups cover the messages in order, each message once; a cut between two groups
//! leaves no call without its result and no result without its call.
//! Must not know: bodies, tokens, what is done with a span.

use std::collections::HashMap;
use std::ops::Range;

use strum::IntoStaticStr;

use super::id::Seq;
use super::message::Role;
use super::shape::{AsShape, Feature};

/// Messages that a provider accepts only together; indexes into the messages that were grouped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The messages.
    pub range: Range<usize>,
    /// What they are.
    pub kind: GroupKind,
}

/// What a group is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// One message, or reasoning with the item that it leads to.
    Plain,
    /// Calls and their results.
    Calls(Calls),
}

/// The calls of a group and what became of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// How many messages at the group's start are the model's.
    pub lead: usize,
    /// Where the answer to each call stands, for the lead's calls in order.
    pub answers: Vec<Option<ResultAt>>,
    /// Whether results can still come.
    pub state: CallState,
}

/// The place of a result: the message's index and the result's index within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultAt {
    /// The message.
    pub item: usize,
    /// The result within the message.
    pub result: usize,
}

/// Whether calls still wait for results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallState {
    /// Every call has its result.
    Answered,
    /// The conversation went on without some of the results; what comes later is late.
    Closed,
    /// Nothing but results came since: the rest may still come.
    Pending,
}

impl Group {
    /// Whether the group waits for results.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        matches!(&self.kind, GroupKind::Calls(calls) if calls.state == CallState::Pending)
    }
}

/// Puts messages into groups, in one pass.
///
/// A result answers the first unanswered call with its id in the group at hand; one without an id
/// answers the first unanswered call. Results that answer nothing are groups of their own, unless
/// they stand between a call and its result.
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

/// The indexes at which the messages may be cut: every group's start but the first's.
pub fn cut_points(groups: &[Group]) -> impl Iterator<Item = usize> + '_ {
    groups.iter().skip(1).map(|g| g.range.start)
}

/// The messages of the model that begin a group. In the responses API parallel calls are items in a
/// row, and reasoning must keep the item that follows it; elsewhere it is one message, with thinking that
/// was logged apart.
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

/// The group of a lead with calls: it reaches to the last message that answers one of them.
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

/// The calls of a lead, found by id without looking at each one when they are many.
struct OpenCalls<'a> {
    ids: Vec<&'a str>,
    answers: Vec<Option<ResultAt>>,
    left: usize,
    first_open: usize,
    /// The calls of each id, last first; filled when they are many.
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

/// Why nothing can be compressed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum NoSpan {
    /// There are no more messages than stay verbatim.
    #[error("there are no more messages than the ones that stay verbatim")]
    #[strum(serialize = "too_few_messages")]
    TooFew,
    /// Nothing but the system prompt is there.
    #[error("all messages are the system prompt")]
    AllSystem,
    /// One group reaches from the start into what stays verbatim.
    #[error("one group of messages reaches into the ones that stay verbatim")]
    #[strum(serialize = "one_huge_message")]
    OneHugeGroup,
    /// What is left is a call that waits for its result, or a user who waits for an answer.
    #[error("what is left waits for an answer")]
    Unanswered,
    /// The context takes no more than a compression would leave.
    #[error("the context is within its fill already; name a target or through_seq to compress it further")]
    Fits,
    /// The asked end lies at or before the start.
    #[error("the asked end is already covered")]
    AlreadyCovered,
}

impl NoSpan {
    /// The reason's stable name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How far the next span may reach: the last seq that it covers. `items` are all messages after the
/// anchor; when the first of them is the session's first, the leading system and developer messages
/// are the system prompt and take no part. The last `preserve_recent` stay out, and so does the group
/// that they cut into; `through` asks for an earlier end. A call that waits for its result and the
/// newest user message that nobody answered stay out too.
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

/// How many messages at the start are the system prompt; none when the session's start is not there.
pub fn leading_system<T: AsShape>(items: &[T]) -> usize {
    if items.first().is_none_or(|i| i.seq() != 1) {
        return 0;
    }
    items.iter().take_while(|i| i.role().is_system()).count()
}

/// The newest user message, when nothing from the model follows it. Of several in a row (the minutes
/// of a meeting, say) only the newest waits for an answer.
pub fn unanswered_user<T: AsShape>(items: &[T]) -> Option<usize> {
    let after = items.iter().rposition(|i| i.role() == Role::Assistant).map_or(0, |i| i + 1);
    newest_user(items).filter(|i| *i >= after)
}

/// The newest message in which a user says something; tool results say nothing.
pub fn newest_user<T: AsShape>(items: &[T]) -> Option<usize> {
    items.iter().rposition(|i| i.role() == Role::User && !i.has(Feature::OnlyResults))
}

/// The last cut at or before `edge`.
fn boundary(groups: &[Group], edge: usize) -> usize {
    let at = groups.partition_point(|g| g.range.end <= edge);
    at.checked_sub(1).and_then(|i| groups.get(i)).map_or(0, |g| g.range.end)
}

#[cfg(test)]
mod tests;
