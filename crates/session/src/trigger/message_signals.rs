//! The values of one message that the signals about history use.

use super::calls::{Call, SPOKEN};
use super::sketch::Sketch;
use super::{lost_task, news, texts};
use crate::signal::HistoryScope;
use anchord_facts::ledger::asked::{self, TodoUpdate};
use anchord_messages::format::{self, Format};
use anchord_messages::message::{Message, Role};
use anchord_messages::script::is_spaceless;
use anchord_messages::shape::Shape;

/// The most calls of one message that are used.
const MAX_CALLS: usize = 20;
/// From this many bytes on, a text of the agent beside calls is reasoning; a shorter one announces the next
/// call.
const REASONING_BYTES: usize = 200;
/// A user's text below this weight only tells the agent to go on.
const DEMAND_WEIGHT: usize = 40;

/// The values of one message that the signals use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageSignals {
    /// The agent's text.
    pub(super) assistant: Option<AssistantText>,
    /// The user's text.
    pub(super) user: Option<UserText>,
    pub(super) calls: Vec<Call>,
    /// Hashes of the ids and contents of results.
    pub(super) results: Vec<(u16, u16)>,
    /// Hashes of the names in it.
    pub(super) facts: Vec<u32>,
    /// Changes of the todo list, items by the hashes of their ids.
    pub(super) todos: Vec<Todos>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AssistantText {
    /// Its length in characters; those of scripts without spaces count as three.
    pub weight: u32,
    pub sketch: Option<Sketch>,
    /// Whether it asks what the task is, or says that the agent does not know it any more.
    pub lost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UserText {
    pub content: u16,
    /// Whether it says more than to go on.
    pub demands: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Todos {
    pub replaces: bool,
    /// The hashes of items' ids, and whether each is still open.
    pub items: Vec<(u16, bool)>,
}

impl MessageSignals {
    /// The values of a message as it is stored, with its shape as JSON text. One that does not read has none: signals
    /// only estimate, and the message is stored already.
    pub fn read(format: &str, body: &str, shape: Option<&str>, scope: HistoryScope) -> Self {
        let Ok(format) = format.parse::<Format>() else { return Self::default() };
        let shape = shape.map(serde_json::from_str).transpose();
        match (format::parse(format, body), shape) {
            (Ok(message), Ok(shape)) => Self::of(&message, shape.as_ref(), scope),
            _ => Self::default(),
        }
    }

    /// The values of a message for signals of this scope; `shape` is that message's shape.
    pub fn of(message: &Message, shape: Option<&Shape>, scope: HistoryScope) -> Self {
        if message.role.is_system() || scope == HistoryScope::Nothing {
            return Self::default();
        }
        let is_all = scope == HistoryScope::All;
        let mut signals = Self::default();
        let mut has_results = false;
        for (result, known) in message.results().zip(shape.map_or(&[][..], |shape| &shape.results)) {
            has_results = true;
            if is_all {
                signals.results.push((id(&known.call_id), short(&[known.reference.as_bytes()])));
            }
            if let Some(added) = added_item(&result.text()) {
                signals.todos.push(Todos { replaces: false, items: vec![(id(&added), true)] });
            }
        }
        if message.role == Role::Tool || has_results || (message.role == Role::User && !is_all) {
            return signals;
        }
        let text = message.text();
        if is_all {
            signals.facts = news::facts_in(&text);
        }
        if message.role == Role::User {
            let demands = weight(&text) >= DEMAND_WEIGHT;
            signals.user = Some(UserText { content: short(&[text.as_bytes()]), demands });
        } else {
            let is_structured = signals.calls_of(message, &text, is_all);
            if is_all && !text.trim().is_empty() {
                let reasons = !is_structured || text.len() >= REASONING_BYTES;
                signals.assistant = Some(AssistantText {
                    weight: u32::try_from(weight(&text)).unwrap_or(u32::MAX),
                    sketch: if reasons { Sketch::of(&text) } else { None },
                    lost: lost_task::is_said(&text),
                });
            }
        }
        signals
    }

    /// Adds the agent's calls: their changes of the todo list, and the calls themselves where `is_all`. Returns whether
    /// there are any that the format has as calls; only without them are those read that are written as text.
    fn calls_of(&mut self, message: &Message, text: &str, is_all: bool) -> bool {
        let mut is_structured = false;
        for call in message.calls().take(MAX_CALLS) {
            is_structured = true;
            let asked = asked::asked(&call.name, &call.arguments);
            self.todos.extend(asked.todos.as_ref().map(Todos::of));
            if is_all {
                let hash = texts::hash(&[call.name.as_bytes(), call.arguments.as_bytes()], 24);
                self.calls.push(Call { hash, id: id(&call.id), ..call_of(&asked) });
            }
        }
        if is_structured {
            return true;
        }
        for spoken in asked::spoken(text).take(MAX_CALLS) {
            self.todos.extend(spoken.asked.todos.as_ref().map(Todos::of));
            if is_all {
                let hash = texts::hash(&[spoken.tool.as_bytes(), spoken.arguments.as_bytes()], 24);
                self.calls.push(Call { hash, id: SPOKEN, ..call_of(&spoken.asked) });
            }
        }
        false
    }
}

impl Todos {
    fn of(change: &TodoUpdate) -> Self {
        let items = change.items.iter().map(|(item, is_open)| (id(item), *is_open)).collect();
        Self { replaces: change.replaces, items }
    }
}

fn call_of(asked: &asked::Asked) -> Call {
    let file = asked.file.as_ref().map_or(0, |file| short(&[file.as_bytes()]));
    Call { act: asked.act, file, ..Call::default() }
}

fn short(parts: &[&[u8]]) -> u16 {
    u16::try_from(texts::hash(parts, 16)).unwrap_or(1)
}

fn id(text: &str) -> u16 {
    short(&[text.as_bytes()])
}

/// How long a text is to read, in characters. One of a script without spaces says as much as three letters.
fn weight(text: &str) -> usize {
    const COUNTED_BYTES: usize = 16 * 1024;
    if text.len() > COUNTED_BYTES || text.is_ascii() {
        return text.len();
    }
    text.chars().map(|c| if is_spaceless(c) { 3 } else { 1 }).sum()
}

/// The id that a tool gave to an item when it was added to the tool's list.
fn added_item(answer: &str) -> Option<String> {
    let rest = answer.strip_prefix("Task #")?;
    let id: String = rest.chars().take(12).take_while(char::is_ascii_digit).collect();
    let told = rest.get(id.len()..)?.trim_start();
    (!id.is_empty() && told.starts_with("created")).then_some(id)
}
