//! What the signals need to know of one message, taken from it before any lock is held.

use super::calls::{Call, SPOKEN};
use super::sketch::Sketch;
use super::{lost_task, news, packed};
use anchord_facts::ledger::asked::{self, TodoUpdate};
use anchord_messages::message::{Message, Role};
use anchord_messages::script::is_spaceless;
use anchord_messages::shape::Shape;

/// The most calls of one message that are taken.
const MAX_CALLS: usize = 20;
/// A text of the agent beside calls is reasoning, and not a word on what it does next, from this
/// many bytes on.
const REASONING_BYTES: usize = 200;
/// A user's words below this weight tell an agent to go on, and nothing else.
const DEMAND_WEIGHT: usize = 40;

/// What the signals need to know of one message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageSignals {
    /// The agent's words.
    pub(super) assistant: Option<AssistantText>,
    /// A user's words.
    pub(super) user: Option<UserText>,
    pub(super) calls: Vec<Call>,
    /// Ids and contents of results.
    pub(super) results: Vec<(u16, u16)>,
    /// What it names.
    pub(super) facts: Vec<u32>,
    /// Changes of the todo list, by the ids' hashes.
    pub(super) todos: Vec<Todos>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AssistantText {
    /// Characters; those of scripts without spaces count for three.
    pub weight: u32,
    pub sketch: Option<Sketch>,
    /// It asks what the task is, or says that it does not know any more.
    pub lost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UserText {
    pub content: u16,
    /// It is more than a word to go on.
    pub demands: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Todos {
    pub replaces: bool,
    /// Items by id, and whether each is still to be done.
    pub items: Vec<(u16, bool)>,
}

impl MessageSignals {
    /// Looks at a message; `shape` is the message's own.
    #[must_use]
    pub fn of(message: &Message, shape: Option<&Shape>) -> Self {
        if message.role.is_system() {
            return Self::default();
        }
        let mut noticed = Self::default();
        for (result, known) in message.results().zip(shape.map_or(&[][..], |shape| &shape.results)) {
            let content = short(&[known.reference.as_bytes()]);
            noticed.results.push((id(&known.call_id), content));
            if let Some(added) = added_item(&result.text()) {
                noticed.todos.push(Todos { replaces: false, items: vec![(id(&added), true)] });
            }
        }
        if message.role == Role::Tool || !noticed.results.is_empty() {
            return noticed;
        }
        let text = message.text();
        noticed.facts = news::facts_in(&text);
        if message.role == Role::User {
            let demands = weight(&text) >= DEMAND_WEIGHT;
            noticed.user = Some(UserText { content: short(&[text.as_bytes()]), demands });
        } else {
            noticed.agent(message, &text);
        }
        noticed
    }

    fn agent(&mut self, message: &Message, text: &str) {
        for call in message.calls().take(MAX_CALLS) {
            let asked = asked::asked(&call.name, &call.arguments);
            self.todos.extend(asked.todos.as_ref().map(Todos::of));
            let hash = packed::hash(&[call.name.as_bytes(), call.arguments.as_bytes()], 24);
            self.calls.push(Call { hash, id: id(&call.id), ..call_of(&asked) });
        }
        let is_structured = !self.calls.is_empty();
        if !is_structured {
            for spoken in asked::spoken(text).into_iter().take(MAX_CALLS) {
                self.todos.extend(spoken.asked.todos.as_ref().map(Todos::of));
                let hash = packed::hash(&[spoken.tool.as_bytes(), spoken.arguments.as_bytes()], 24);
                self.calls.push(Call { hash, id: SPOKEN, ..call_of(&spoken.asked) });
            }
        }
        if text.trim().is_empty() {
            return;
        }
        let reasons = !is_structured || text.len() >= REASONING_BYTES;
        self.assistant = Some(AssistantText {
            weight: u32::try_from(weight(text)).unwrap_or(u32::MAX),
            sketch: if reasons { Sketch::of(text) } else { None },
            lost: lost_task::is_said(text),
        });
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
    u16::try_from(packed::hash(parts, 16)).unwrap_or(1)
}

fn id(text: &str) -> u16 {
    short(&[text.as_bytes()])
}

/// How long a text is to read. A character of a script without spaces says as much as three letters.
fn weight(text: &str) -> usize {
    const COUNTED_BYTES: usize = 16 * 1024;
    if text.len() > COUNTED_BYTES || text.is_ascii() {
        return text.len();
    }
    text.chars().map(|c| if is_spaceless(c) { 3 } else { 1 }).sum()
}

/// The id that a tool gave to an item that was added to its list.
fn added_item(answer: &str) -> Option<String> {
    let rest = answer.strip_prefix("Task #")?;
    let id: String = rest.chars().take(12).take_while(char::is_ascii_digit).collect();
    let told = rest.get(id.len()..)?.trim_start();
    (!id.is_empty() && told.starts_with("created")).then_some(id)
}
