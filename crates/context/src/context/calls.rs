//! Makes a group of calls valid: the model's messages, one result for each call, and after them what a
//! provider does not accept in between.

use super::convert::{Converter, EMPTY, ID_CHARS};
use super::ids::Ids;
use super::input::Entry;
use super::message::without_idle_reasoning;
use super::output::Reason;
use super::slot::Slot;
use super::turns::{ServedGroup, ServedMessage};
use anchord_messages::format::Format;
use anchord_messages::format::openai_responses::{self, Patch};
use anchord_messages::group::{CallState, Calls};
use anchord_messages::id::Seq;
use anchord_messages::message::{Message, Part, Role, ToolResult};
use anchord_messages::shape::{AsShape, Feature, ResultShape, one_line};
use anchord_messages::tokens::{MESSAGE_TOKENS, RESULT_TOKENS};

const MISSING: &str = "[no result: this call was never answered]";
const ERROR_MARK: &str = "[error]\n";

/// A group of calls, cut out of the tail.
#[derive(Clone, Copy)]
pub(super) struct CallGroup<'s, 'a> {
    pub slots: &'s [Slot<'a>],
    /// Where the group begins in the tail.
    pub start: usize,
    pub calls: &'s Calls,
    pub ids: &'s Ids,
}

/// Serves the group.
pub(super) fn serve<'a>(converter: Converter<'_>, group: CallGroup<'_, 'a>, turns: &mut ServedGroup<'a>) {
    let (lead, rest) = group.slots.split_at(group.calls.lead.min(group.slots.len()));
    let sent = lead.iter().flat_map(|slot| slot.entry.calls().iter().map(|call| (slot.entry, call)));
    let asked = sent.enumerate().map(|(i, (entry, call))| GroupCall {
        id: group.ids.get(i).cloned().flatten(),
        sent: &call.id,
        what: &call.what,
        entry,
        as_function: entry.format != converter.format,
    });
    let mut server =
        GroupServer { converter, state: group.calls.state, asked: asked.collect(), after: Vec::new(), turns };
    server.choose_functions(rest, group);
    let lead = without_idle_reasoning(lead, server.turns);
    if lead.len() > 1 && converter.format == Format::OpenaiChat {
        server.joined_lead(lead);
    } else {
        server.lead(lead);
    }
    server.results(rest, group.start + group.calls.lead, group.calls);
    server.unanswered(group.calls);
    server.after();
}

/// A call of the group: its new id, its id as sent, its description.
struct GroupCall<'a> {
    id: Option<String>,
    sent: &'a str,
    what: &'a str,
    /// The message that contains the call.
    entry: &'a Entry,
    /// Whether the call is served as a function call, whatever its kind was.
    as_function: bool,
}

impl GroupCall<'_> {
    fn served(&self) -> &str {
        self.id.as_deref().unwrap_or(self.sent)
    }

    /// The kind of its output when that is written again.
    fn output_kind(&self) -> &'static str {
        if self.as_function {
            openai_responses::FUNCTION_OUTPUT
        } else {
            openai_responses::output_kind(&self.entry.raw)
        }
    }
}

/// What follows the results: late results, media, other content of the user.
struct FollowUp(Message, Seq);

/// A result's index in its message, and the call that it answers.
type Answer = (usize, usize);

struct GroupServer<'g, 'a, 'i> {
    converter: Converter<'i>,
    state: CallState,
    asked: Vec<GroupCall<'a>>,
    after: Vec<FollowUp>,
    turns: &'g mut ServedGroup<'a>,
}

impl<'a> GroupServer<'_, 'a, '_> {
    /// Chooses the calls that are served as function calls: those whose output is of another kind than the
    /// call, or of a kind that accepts only its own outputs and is not served as it was stored.
    fn choose_functions(&mut self, rest: &[Slot<'a>], group: CallGroup<'_, 'a>) {
        if self.converter.format != Format::OpenaiResponses {
            return;
        }
        let start = group.start + group.calls.lead;
        let lead = group.slots.iter().take(group.calls.lead);
        let calls: Vec<(&Entry, &str)> = lead
            .flat_map(|slot| slot.entry.calls().iter().map(|call| (slot.entry, call.name.as_str())))
            .collect();
        for (call, (entry, name)) in calls.into_iter().enumerate() {
            let Some(asked) = self.asked.get(call).filter(|asked| !asked.as_function) else { continue };
            let special = openai_responses::is_special(name);
            let renamed = special && asked.id.is_some();
            let answer = group.calls.answers.get(call).copied().flatten();
            let answered = answer.and_then(|at| Some((at, rest.get(at.item.checked_sub(start)?)?)));
            let suits = match answered {
                None => !special || self.state == CallState::Pending,
                Some((_, slot)) if slot.entry.format != Format::OpenaiResponses => !special,
                Some((at, slot)) => {
                    openai_responses::is_pair(&entry.raw, &slot.entry.raw)
                        && (!special || self.passes(slot, &[(at.result, call)]))
                }
            };
            if (!suits || renamed || openai_responses::is_nameless(name))
                && let Some(asked) = self.asked.get_mut(call)
            {
                asked.as_function = true;
            }
        }
    }

    /// The model's messages, each by itself; where roles alternate, the writer joins them.
    fn lead(&mut self, lead: &[Slot<'a>]) {
        let mut firsts = Vec::with_capacity(lead.len());
        let mut first_call = 0;
        for slot in lead {
            firsts.push(first_call);
            first_call += slot.entry.calls().len();
        }
        let stays = self.converter.stays(lead, |at, slot| {
            let first = firsts.get(at).copied().unwrap_or_default();
            self.is_as_sent(slot, first) || self.is_patched(slot, first)
        });
        for (at, ((slot, first), stays)) in lead.iter().zip(firsts).zip(stays).enumerate() {
            let joins = at + 1 < lead.len() && self.converter.joins_next(slot);
            if !stays {
                self.turns.omit(slot.entry.seq, Reason::Thinking);
            } else if joins || self.is_as_sent(slot, first) {
                self.turns.add(slot.entry.tokens);
                self.turns.served.push(ServedMessage::Raw(slot.entry));
            } else if self.is_patched(slot, first) {
                self.patched(slot, first);
            } else {
                let message = self.lead_message(slot, first);
                if self.converter.is_bare_item(&message, slot.entry) {
                    self.turns.served.push(ServedMessage::Raw(slot.entry));
                } else if !message.parts.is_empty() {
                    self.turns.served.push(ServedMessage::Made(message, vec![slot.entry.seq]));
                }
            }
        }
    }

    /// Whether a message of the model's is served as it was stored.
    fn is_as_sent(&self, slot: &Slot<'a>, first_call: usize) -> bool {
        let calls = slot.entry.calls();
        let mine = self.asked.get(first_call..first_call + calls.len()).unwrap_or_default();
        mine.iter().all(|a| a.id.is_none() && !a.as_function)
            && calls.iter().all(|c| !c.name.is_empty())
            && slot.is_untouched()
            && self.converter.takes_whole(slot.entry)
    }

    /// Whether a call's item is served as it was stored, except for what must change.
    fn is_patched(&self, slot: &Slot<'a>, first_call: usize) -> bool {
        let [call] = slot.entry.calls() else { return false };
        self.converter.format == Format::OpenaiResponses
            && !call.name.is_empty()
            && self.asked.get(first_call).is_some_and(|a| !a.as_function)
    }

    fn patched(&mut self, slot: &Slot<'a>, first_call: usize) {
        let message = self.lead_message(slot, first_call);
        let call = message.calls().next();
        let patch = Patch {
            call_id: call.map(|call| call.id.as_str()),
            arguments: call.filter(|_| slot.clip.is_some()).map(|call| call.arguments.as_str()),
            output: None,
        };
        let served = openai_responses::patched(&slot.entry.raw, patch).map_or_else(
            || ServedMessage::Raw(slot.entry),
            |item| ServedMessage::Item(item, Some(slot.entry.seq)),
        );
        self.turns.served.push(served);
    }

    /// The model's messages as one: where parallel calls belong to one message, several items become one.
    fn joined_lead(&mut self, lead: &[Slot<'a>]) {
        let mut joined = Message { role: Role::Assistant, name: None, parts: Vec::new() };
        let mut seqs = Vec::with_capacity(lead.len());
        let mut first_call = 0;
        for (at, slot) in lead.iter().enumerate() {
            let mut message = self.lead_message(slot, first_call);
            // A message of thinking that leads to the next one is not empty.
            if at + 1 < lead.len() && slot.entry.has(Feature::OnlyThinking) {
                message.parts.retain(|part| !matches!(part, Part::Text(text) if text == EMPTY));
            }
            joined.parts.append(&mut message.parts);
            seqs.push(slot.entry.seq);
            first_call += slot.entry.calls().len();
        }
        self.turns.served.push(ServedMessage::Made(joined, seqs));
    }

    /// A model's message written again, with the served ids of its calls.
    fn lead_message(&mut self, slot: &Slot<'a>, first_call: usize) -> Message {
        let counter = self.converter.counter;
        let mut message = self.converter.body(slot, &|_| None, self.turns);
        self.converter.fix(&mut message, slot.entry, self.turns);
        let mut index = first_call;
        for part in &mut message.parts {
            let Part::ToolCall(call) = part else { continue };
            if let Some(id) = self.asked.get(index).and_then(|a| a.id.as_ref()) {
                self.turns.add(counter.count_text(id).saturating_sub(counter.count_text(&call.id)));
                call.id.clone_from(id);
            }
            if call.name.is_empty() {
                "unknown".clone_into(&mut call.name);
                self.turns.add(1);
            }
            index += 1;
        }
        if let Some(follows) = self.converter.media_of_model(&mut message, slot.entry, self.turns) {
            self.after.push(FollowUp(follows, slot.entry.seq));
        }
        if self.converter.format == Format::OpenaiResponses {
            // One message becomes several items, each with a frame of its own.
            let (calls, said): (Vec<_>, Vec<_>) = message
                .parts
                .iter()
                .filter(|part| !matches!(part, Part::Thinking(_)))
                .partition(|part| matches!(part, Part::ToolCall(_)));
            self.add_frames(calls.len() + usize::from(!said.is_empty()));
        }
        message
    }

    /// Adds the tokens of the frames when one message becomes several.
    fn add_frames(&mut self, messages: usize) {
        let more = u32::try_from(messages.saturating_sub(1)).unwrap_or(u32::MAX);
        self.turns.add(more.saturating_mul(MESSAGE_TOKENS));
    }

    /// The messages with results; the first stands at index `start` of the tail.
    fn results(&mut self, rest: &[Slot<'a>], start: usize, calls: &Calls) {
        let mut answers: Vec<(usize, Answer)> = Vec::with_capacity(calls.answers.len());
        for (call, answer) in calls.answers.iter().enumerate() {
            if let Some(at) = answer {
                answers.push((at.item.saturating_sub(start), (at.result, call)));
            }
        }
        answers.sort_unstable();
        let mut answers = answers.into_iter().peekable();
        let mut mine: Vec<Answer> = Vec::new();
        for (index, slot) in rest.iter().enumerate() {
            // There, all results of a turn are in one message: a part of them is not a valid message yet.
            if self.state == CallState::Pending && self.converter.format == Format::Anthropic {
                self.turns.omit(slot.entry.seq, Reason::Held);
                continue;
            }
            mine.clear();
            while let Some((_, answer)) = answers.next_if(|(item, _)| *item == index) {
                mine.push(answer);
            }
            if self.passes(slot, &mine) {
                self.turns.add(slot.entry.tokens);
                self.turns.served.push(ServedMessage::Raw(slot.entry));
            } else {
                self.result_message(slot, &mine);
            }
        }
    }

    fn call_of(&self, result: usize, mine: &[Answer]) -> Option<&GroupCall<'a>> {
        let at = mine.binary_search_by_key(&result, |(r, _)| *r).ok()?;
        self.asked.get(mine.get(at)?.1)
    }

    /// Whether a message of results is served as it was stored.
    fn passes(&self, slot: &Slot<'a>, mine: &[Answer]) -> bool {
        let results = slot.entry.results();
        let as_sent = |(i, r): (usize, &ResultShape)| {
            self.call_of(i, mine)
                .is_some_and(|asked| asked.id.is_none() && asked.sent == r.call_id && !asked.as_function)
        };
        slot.is_untouched()
            && mine.len() == results.len()
            && self.takes_results(slot.entry)
            && results.iter().enumerate().all(as_sent)
    }

    /// Whether a message of results is valid in the format as it was stored, provided that each answers its
    /// call.
    fn takes_results(&self, entry: &Entry) -> bool {
        let results = entry.results();
        let fits = match self.converter.format {
            Format::OpenaiChat => results.len() == 1 && results.iter().all(|r| r.media == 0),
            // The user's text beside the results would come before the missing ones.
            Format::Anthropic => entry.has(Feature::OnlyResults) || self.state != CallState::Closed,
            Format::OpenaiResponses => true,
        };
        fits && results.iter().all(|r| !r.blank) && self.converter.takes_whole(entry)
    }

    /// One message with results, written again: those that answer calls. The rest follows the group.
    fn result_message(&mut self, slot: &Slot<'a>, mine: &[Answer]) {
        let (converter, entry) = (self.converter, slot.entry);
        let what = |result: usize| self.call_of(result, mine).map(|a| a.what).filter(|w| !w.is_empty());
        let mut made = ServedGroup::default();
        let mut message = converter.body(slot, &what, &mut made);
        converter.fix(&mut message, entry, &mut made);
        let (mut results, mut follows) = (Vec::new(), Vec::new());
        let mut index = 0;
        for part in message.parts {
            let Part::ToolResult(mut result) = part else {
                follows.push(part);
                continue;
            };
            match self.call_of(index, mine) {
                Some(asked) => {
                    let id = asked.served();
                    if id != result.call_id {
                        let more = converter.counter.count_text(id);
                        made.add(more.saturating_sub(converter.counter.count_text(&result.call_id)));
                        id.clone_into(&mut result.call_id);
                    }
                    if converter.format != Format::Anthropic {
                        mark_error(converter, &mut result, &mut made);
                    }
                    match converter.format {
                        Format::OpenaiChat => text_only(converter, &mut result, &mut follows, &mut made),
                        Format::OpenaiResponses => {
                            made.served
                                .push(ServedMessage::Item(output(&result, asked, entry), Some(entry.seq)));
                        }
                        Format::Anthropic => {}
                    }
                    if converter.format != Format::OpenaiResponses {
                        results.push(Part::ToolResult(result));
                    }
                }
                None => converter.result_as_text(&result, message.name.as_deref(), &mut follows, &mut made),
            }
            index += 1;
        }
        if converter.format != Format::Anthropic {
            self.add_frames(mine.len());
        }
        if !results.is_empty() {
            let message = Message { role: Role::Tool, name: message.name, parts: results };
            made.served.push(ServedMessage::Made(message, vec![entry.seq]));
        }
        if !follows.is_empty() {
            made.add(MESSAGE_TOKENS);
            let message = Message { role: Role::User, name: None, parts: follows };
            self.after.push(FollowUp(message, entry.seq));
        }
        self.turns.append(made);
    }

    /// Handles calls without a result: reported as pending while it may come, answered by a made-up result
    /// when it cannot.
    fn unanswered(&mut self, calls: &Calls) {
        let open = calls.answers.iter().zip(&self.asked).filter(|(answer, _)| answer.is_none());
        for (_, asked) in open {
            let id = asked.served();
            if self.state == CallState::Pending {
                self.turns.pending.push(id.to_owned());
                continue;
            }
            let counter = self.converter.counter;
            let text = counter.count_text(id).saturating_add(counter.count_text(MISSING));
            self.turns.add(text.saturating_add(RESULT_TOKENS + MESSAGE_TOKENS));
            let parts = vec![Part::Text(MISSING.to_owned())];
            if self.converter.format == Format::OpenaiResponses {
                let item = openai_responses::write_result(asked.output_kind(), id, &parts);
                self.turns.served.push(ServedMessage::Item(item, None));
                continue;
            }
            let result = ToolResult { call_id: id.to_owned(), parts, is_error: None };
            let parts = vec![Part::ToolResult(result)];
            self.turns
                .served
                .push(ServedMessage::Made(Message { role: Role::Tool, name: None, parts }, Vec::new()));
        }
    }

    fn after(&mut self) {
        for FollowUp(message, seq) in std::mem::take(&mut self.after) {
            if self.state == CallState::Pending {
                // Nothing may stand between an open call and its result.
                self.turns.take(self.converter.counter.count_message(&message));
                self.turns.omit(seq, Reason::Held);
            } else {
                self.turns.served.push(ServedMessage::Made(message, vec![seq]));
            }
        }
    }
}

/// The item of an output: as it was stored, with the id and content replaced; or written again, of the kind
/// that its call requires.
fn output(result: &ToolResult, asked: &GroupCall<'_>, entry: &Entry) -> String {
    let patch = Patch { call_id: Some(&result.call_id), arguments: None, output: Some(&result.parts) };
    Some(&entry.raw)
        .filter(|_| !asked.as_function && entry.format == Format::OpenaiResponses)
        .and_then(|raw| openai_responses::patched(raw, patch))
        .unwrap_or_else(|| {
            openai_responses::write_result(asked.output_kind(), &result.call_id, &result.parts)
        })
}

/// Says in words that a result is an error, where the format has no field for it.
fn mark_error(converter: Converter<'_>, result: &mut ToolResult, turns: &mut ServedGroup<'_>) {
    if result.is_error == Some(true) {
        result.parts.insert(0, Part::Text(ERROR_MARK.trim_end().to_owned()));
        turns.add(converter.counter.count_text(ERROR_MARK));
    }
}

/// Keeps only the text of a result; media follow as a user message.
fn text_only(
    converter: Converter<'_>,
    result: &mut ToolResult,
    follows: &mut Vec<Part>,
    turns: &mut ServedGroup<'_>,
) {
    let (text, media): (Vec<Part>, Vec<Part>) =
        result.parts.drain(..).partition(|p| matches!(p, Part::Text(_) | Part::Other(_)));
    result.parts = text;
    if media.is_empty() {
        return;
    }
    let line = format!("[media from the result of tool call {}]", one_line(&result.call_id, ID_CHARS));
    turns.add(converter.counter.count_text(&line));
    if result.parts.is_empty() {
        let instead = "[media, shown after the results]".to_owned();
        turns.add(converter.counter.count_text(&instead));
        result.parts.push(Part::Text(instead));
    }
    follows.push(Part::Text(line));
    follows.extend(media);
}
