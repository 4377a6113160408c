//! Makes one message valid for the format that is served, with its placeholders and its clipping.
//!
//! A stored message that needs no change is passed on as its text. Any other is parsed, changed and written
//! again; its tokens are the stored ones plus what is added, less what is removed.

use super::super::mask;
use super::super::tools::output_named;
use super::clip;
use super::convert::{Converter, ID_CHARS};
use super::input::Entry;
use super::output::{Masked, Reason};
use super::slot::Slot;
use super::turns::{ServedGroup, ServedMessage};
use anchord_messages::format::{self, Format};
use anchord_messages::message::{Message, Part, Role, ToolResult};
use anchord_messages::shape::{AsShape, Feature, is_blank, one_line};
use anchord_messages::tokens::MESSAGE_TOKENS;

const SYSTEM_MARK: &str = "[system message]\n";

impl Converter<'_> {
    /// Serves a message without calls, or results without their calls.
    pub(super) fn plain<'a>(self, slot: &Slot<'a>) -> ServedGroup<'a> {
        let mut turns = ServedGroup::default();
        self.one(slot, &mut turns);
        turns
    }

    /// Serves a message that the summary covers and that the caller marked to be kept, as text of the past: whoever spoke,
    /// and without the calls that belonged to it.
    pub(super) fn kept<'a>(self, slot: &Slot<'a>) -> ServedGroup<'a> {
        let entry = slot.entry;
        let same = entry.format == self.format;
        let mut turns = ServedGroup::default();
        let message = self.body(slot, &|_| None, &mut turns);
        let line = kept_line(entry);
        turns.add(self.counter.count_text(&line).saturating_add(1));
        let mut parts = vec![Part::Text(line)];
        let own = message.parts.into_iter();
        for part in
            own.flat_map(|part| if let Part::ToolResult(result) = part { result.parts } else { vec![part] })
        {
            match part {
                Part::Thinking(_) => {
                    turns.take(self.counter.count_part(&part));
                    turns.omit(entry.seq, Reason::Thinking);
                }
                Part::ToolCall(call) => {
                    let text = format!("[call of {}: {}]", one_line(&call.name, ID_CHARS), call.arguments);
                    turns.take(self.counter.count_part(&Part::ToolCall(call)));
                    turns.add(self.counter.count_text(&text));
                    parts.push(Part::Text(text));
                }
                Part::Other(raw) => parts.push(Part::Text(raw)),
                Part::Text(text) if is_blank(&text) => {}
                Part::Text(_) | Part::Image(_) | Part::File(_) | Part::ToolResult(_) => {
                    parts.push(self.converted(part, same, entry.seq, &mut turns));
                }
            }
        }
        turns
            .served
            .push(ServedMessage::Made(Message { role: Role::User, name: None, parts }, vec![entry.seq]));
        turns
    }

    /// Serves a message of the system prompt.
    pub(super) fn system(self, entry: &Entry) -> ServedGroup<'_> {
        let mut turns = ServedGroup { tokens: entry.tokens, ..ServedGroup::default() };
        let plain = entry.shape.is_none() && entry.format == self.format;
        if plain && self.format != Format::Anthropic {
            turns.served.push(ServedMessage::Raw(entry));
            return turns;
        }
        let mut message = read(entry);
        self.fix(&mut message, entry, &mut turns);
        turns.served.push(ServedMessage::Made(message, vec![entry.seq]));
        turns
    }

    /// Whether a message without calls is served as it was stored.
    pub(super) fn is_as_sent(self, slot: &Slot<'_>) -> bool {
        slot.is_untouched() && self.takes_whole(slot.entry) && slot.entry.results().is_empty()
    }

    /// Which messages may be served. The Responses API refuses a reasoning item that is not followed by the
    /// unchanged item that it led to; any other message may be served.
    pub(super) fn stays<'a>(
        self,
        slots: &[Slot<'a>],
        is_as_sent: impl Fn(usize, &Slot<'a>) -> bool,
    ) -> Vec<bool> {
        let mut stays = vec![true; slots.len()];
        if self.format != Format::OpenaiResponses {
            return stays;
        }
        let mut follows = false;
        for (at, slot) in slots.iter().enumerate().rev() {
            if slot.entry.is_item() && slot.entry.has(Feature::OnlyThinking) {
                if let Some(stays) = stays.get_mut(at) {
                    *stays = follows;
                }
            } else {
                follows = is_as_sent(at, slot);
            }
        }
        stays
    }

    /// Whether a message is thinking alone, which becomes one turn with the next message.
    pub(super) fn joins_next(self, slot: &Slot<'_>) -> bool {
        let entry = slot.entry;
        self.format == Format::Anthropic
            && entry.format == self.format
            && entry.has(Feature::OnlyThinking)
            && !entry.has(Feature::UnsignedThinking)
            && !entry.has(Feature::BlankPart)
            && slot.is_untouched()
    }

    pub(super) fn one<'a>(self, slot: &Slot<'a>, turns: &mut ServedGroup<'a>) {
        let entry = slot.entry;
        if self.is_as_sent(slot) {
            turns.add(entry.tokens);
            turns.served.push(ServedMessage::Raw(entry));
            return;
        }
        if slot.removed
            && let Some(line) = self.removal(entry)
        {
            turns.add(self.counter.count_text(&line).saturating_add(MESSAGE_TOKENS));
            turns.omit(entry.seq, Reason::Marked);
            turns.served.push(ServedMessage::Made(text_message(entry.role, line), vec![entry.seq]));
            return;
        }
        let mut message = self.body(slot, &|_| None, turns);
        self.operator_as_user(&mut message, entry, turns);
        if !entry.results().is_empty() {
            self.results_as_text(&mut message, turns);
        }
        self.fix(&mut message, entry, turns);
        let follows = self.media_of_model(&mut message, entry, turns);
        if self.is_bare_item(&message, entry) {
            turns.served.push(ServedMessage::Raw(entry));
        } else if !message.parts.is_empty() {
            // Reasoning that the format cannot carry leaves nothing behind.
            turns.served.push(ServedMessage::Made(message, vec![entry.seq]));
        }
        if let Some(follows) = follows {
            turns.served.push(ServedMessage::Made(follows, vec![entry.seq]));
        }
    }

    /// Whether a message is one item of the Responses API of a type other than a message. Such an item is
    /// served as it was stored, because only the item itself has its type.
    pub(super) fn is_bare_item(self, message: &Message, entry: &Entry) -> bool {
        self.format == Format::OpenaiResponses
            && entry.format == self.format
            && match message.parts.as_slice() {
                [Part::Other(raw)] => **raw == *entry.raw,
                [Part::Image(_)] => message.role == Role::Assistant,
                _ => false,
            }
    }

    /// Whether a message is valid in the format as it was stored, calls and results aside.
    pub(super) fn takes_whole(self, entry: &Entry) -> bool {
        if entry.format != self.format {
            return false;
        }
        let Some(shape) = entry.shape() else {
            return self.format != Format::Anthropic || !entry.role.is_system();
        };
        if shape.has(Feature::BlankPart) || shape.has(Feature::Misplaced) {
            return false;
        }
        if self.format == Format::Anthropic && shape.has(Feature::ThinkingLast) {
            return false;
        }
        match self.format {
            Format::OpenaiChat => !shape.has(Feature::Blank),
            Format::OpenaiResponses => shape.has(Feature::OnlyThinking) || !shape.has(Feature::Blank),
            Format::Anthropic => {
                let refused = [
                    Feature::Blank,
                    Feature::UnsignedThinking,
                    Feature::ResultsNotFirst,
                    Feature::OddArguments,
                ];
                !entry.role.is_system() && !refused.into_iter().any(|f| shape.has(f))
            }
        }
    }

    /// The line in place of a message that the caller marked as removed; `None` when it would not be smaller.
    fn removal(self, entry: &Entry) -> Option<String> {
        let line = format!("[message {} left out as marked: {} tokens]", entry.seq, entry.tokens);
        (self.counter.count_text(&line) + MESSAGE_TOKENS < entry.tokens).then_some(line)
    }

    /// A message with its placeholders and its clipping; adds its tokens to `turns`. `what` describes the
    /// call behind a result, by the result's index.
    pub(super) fn body<'a>(
        self,
        slot: &Slot<'a>,
        what: &dyn Fn(usize) -> Option<&'a str>,
        turns: &mut ServedGroup<'a>,
    ) -> Message {
        let entry = slot.entry;
        let results = entry.results();
        let mut tokens = entry.tokens;
        let mut placeholders: Vec<(usize, String)> = Vec::new();
        for index in &slot.masked {
            let Some(result) = results.get(*index) else { continue };
            let text = if slot.terse {
                // Where a group has so many outputs that ordinary placeholders would fill the budget.
                format!("[left out: {}]", output_named(self.tools, &result.reference))
            } else {
                mask::placeholder(result, what(*index), self.tools)
            };
            let count = self.counter.count_text(&text);
            // A placeholder is used only where it is smaller.
            if count < result.tokens {
                tokens = tokens.saturating_sub(result.tokens).saturating_add(count);
                turns.masked.push(Masked { seq: entry.seq, reference: result.reference.clone() });
                placeholders.push((*index, text));
            }
        }
        let (clipped, left) = (&slot.clipped.0, slot.clipped.1);
        let mut message = masked_whole(entry, &mut placeholders).unwrap_or_else(|| {
            let mut message = read(entry);
            let mut placeholders = placeholders.into_iter().peekable();
            let mut index = 0;
            for part in &mut message.parts {
                let Part::ToolResult(result) = part else { continue };
                if let Some((_, text)) = placeholders.next_if(|(i, _)| *i == index) {
                    result.parts = vec![Part::Text(text)];
                } else if let Some(shape) = results.get(index).filter(|_| clipped.contains(&index)) {
                    clip::output(result, left, (shape, self.tools), *self.counter);
                    let kept = result.parts.iter().map(|part| self.counter.count_part(part));
                    tokens = tokens.saturating_sub(shape.tokens).saturating_add(kept.sum::<u32>());
                    turns.omit(entry.seq, Reason::Clipped);
                }
                index += 1;
            }
            message
        });
        if let Some(cap) = slot.clip.filter(|cap| *cap < tokens) {
            clip::message(&mut message, (tokens, cap), (entry.seq, self.tools), results, *self.counter);
            tokens = self.counter.count_message(&message);
            turns.omit(entry.seq, Reason::Clipped);
        }
        turns.add(tokens);
        message
    }

    /// Turns an operator's message within the conversation into marked user text, for the format that has no
    /// such role.
    fn operator_as_user(self, message: &mut Message, entry: &Entry, turns: &mut ServedGroup<'_>) {
        if self.format == Format::Anthropic && entry.role.is_system() {
            message.role = Role::User;
            message.parts.insert(0, Part::Text(SYSTEM_MARK.trim_end().to_owned()));
            turns.add(self.counter.count_text(SYSTEM_MARK));
        }
    }

    /// Turns every result of a message into user text, because no format takes a result without its call.
    fn results_as_text(self, message: &mut Message, turns: &mut ServedGroup<'_>) {
        message.role = Role::User;
        let name = message.name.take();
        let mut parts = Vec::with_capacity(message.parts.len() + 1);
        for part in message.parts.drain(..) {
            if let Part::ToolResult(result) = part {
                self.result_as_text(&result, name.as_deref(), &mut parts, turns);
            } else {
                parts.push(part);
            }
        }
        message.parts = parts;
    }

    /// Writes a result as quoted text under a line that says that it is a tool's. A tool's words must not read as the
    /// person's, and no text can close a fence that is longer than all of its own.
    pub(super) fn result_as_text(
        self,
        result: &ToolResult,
        name: Option<&str>,
        parts: &mut Vec<Part>,
        turns: &mut ServedGroup<'_>,
    ) {
        let mut line = "[output of a tool, not words of the user; its call is not open: ".to_owned();
        line.push_str(if result.is_error == Some(true) { "error" } else { "result" });
        for said in [Some(result.call_id.as_str()), name].into_iter().flatten().filter(|s| !is_blank(s)) {
            line.push(' ');
            line.push_str(&one_line(said, ID_CHARS));
        }
        line.push(']');
        turns.add(self.counter.count_text(&line).saturating_add(1));
        let text = result.text();
        if !is_blank(&text) {
            let fence = fence_around(&text);
            turns.add(self.counter.count_text(&fence).saturating_add(1).saturating_mul(2));
            line = format!("{line}\n{fence}\n{text}\n{fence}");
        }
        parts.push(Part::Text(line));
        parts.extend(result.parts.iter().filter(|p| !matches!(p, Part::Text(_))).cloned());
    }
}

/// A row of backticks that is longer than every row in a text.
fn fence_around(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat((longest + 1).max(3))
}

/// Parses a stored message. It was parsed when it was stored, so an error means a row that was changed by
/// hand; then its raw text is served.
pub(super) fn read(entry: &Entry) -> Message {
    format::parse(entry.format, &entry.raw)
        .unwrap_or_else(|_| text_message(entry.role, entry.raw.to_string()))
}

/// The line above a kept message: it is of the past, and whose it is.
fn kept_line(entry: &Entry) -> String {
    let whose = match entry.role {
        Role::Assistant => "of the assistant",
        Role::User if !entry.has(Feature::OnlyResults) => "of the user",
        Role::User | Role::Tool => "a tool's output",
        Role::System | Role::Developer => "of the operator",
    };
    format!(
        "[Kept word for word from the earlier conversation, not a new request: message {}, {whose}]",
        entry.seq
    )
}

fn text_message(role: Role, text: String) -> Message {
    let role = if role == Role::Tool { Role::User } else { role };
    Message { role, name: None, parts: vec![Part::Text(text)] }
}

/// A message whose results are all masked, made from its shape without parsing its body. The Anthropic error
/// flag is only in the body, so Anthropic messages are parsed.
fn masked_whole(entry: &Entry, placeholders: &mut Vec<(usize, String)>) -> Option<Message> {
    let results = entry.results();
    let whole = !results.is_empty() && placeholders.len() == results.len();
    if !whole || entry.format == Format::Anthropic || !entry.has(Feature::OnlyResults) {
        return None;
    }
    let parts = results.iter().zip(placeholders.drain(..)).map(|(result, (_, text))| {
        Part::ToolResult(ToolResult {
            call_id: result.call_id.clone(),
            parts: vec![Part::Text(text)],
            is_error: None,
        })
    });
    let name = results.first().and_then(|r| r.name.clone());
    Some(Message { role: Role::Tool, name, parts: parts.collect() })
}

/// The model's messages without reasoning items at their end. The Responses API refuses such an item without
/// the one that it led to, which an aborted turn never sent.
pub(super) fn without_idle_reasoning<'s, 'a>(
    slots: &'s [Slot<'a>],
    turns: &mut ServedGroup<'_>,
) -> &'s [Slot<'a>] {
    let idle = |slot: &Slot<'_>| slot.entry.is_item() && slot.entry.has(Feature::OnlyThinking);
    let end = slots.iter().rposition(|slot| !idle(slot)).map_or(0, |i| i + 1);
    let (kept, left) = slots.split_at(end);
    for slot in left {
        turns.omit(slot.entry.seq, Reason::Thinking);
    }
    kept
}
