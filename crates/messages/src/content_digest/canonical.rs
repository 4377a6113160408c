//! Canonical JSON of a message. Written alike or left out is what does not belong to the content, and what clients and
//! providers move, add or leave out between requests:
//!
//! - the order of an object's keys, spaces, and escapes in texts;
//! - `cache_control` marks, fields that are null, a `content` of no text, and empty lists of [`EMPTY_LISTS`];
//! - in `openai-responses`, an item's `status` when it is `completed`, its `type` when it is `message`, and the `id` of
//!   messages, calls of the caller's functions and their outputs ([`ANONYMOUS_ITEMS`]), and [`PASSED_ON`];
//! - a content that is a text, and the list of that text as its one block;
//! - arguments of a call, which are a JSON object or its text. Within them nothing is left out: they belong to the tool.
//!
//! Numbers count as they are written.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::super::format::{Format, check_json, push_list, push_string};
use super::tree::Tree;

/// Lists that say as much when they are empty as when they are absent.
const EMPTY_LISTS: [&str; 4] = ["tool_calls", "annotations", "logprobs", "citations"];
/// The types of a block that is just a text.
const TEXTS: [&str; 3] = ["text", "input_text", "output_text"];
/// The field of a mark for the provider's cache.
const MARK: &str = "cache_control";
/// The field of what a message says: empty and absent are the same.
const CONTENT: &str = "content";
/// A field that a client adds to items that it sends back.
const PASSED_ON: &str = "internal_chat_message_metadata_passthrough";

/// The canonical JSON of a message; what cannot be read is its own.
pub fn canonical(format: Format, raw: &str) -> String {
    let Some(tree) = Tree::read(raw) else { return raw.to_owned() };
    let mut out = String::with_capacity(raw.len());
    let place = if format == Format::OpenaiResponses { Place::Item } else { Place::Inside };
    write(&mut out, tree, place);
    out
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is an item of the Responses API.
    Item,
    /// In a message, or it is one.
    Inside,
    /// In what belongs to a tool.
    Arguments,
}

fn write(out: &mut String, tree: Tree<'_>, place: Place) {
    match tree {
        Tree::Null => out.push_str("null"),
        Tree::Literal(word) => out.push_str(word),
        Tree::Text(text) => push_string(out, &text),
        Tree::List(items) => push_list(out, items, |out, item| write(out, item, within(place))),
        Tree::Object(fields) => write_object(out, fields, place),
    }
}

/// The types of items whose id says nothing: clients send them without.
const ANONYMOUS_ITEMS: [&str; 6] =
    ["", "message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"];

fn write_object(out: &mut String, mut fields: Vec<(Cow<'_, str>, Tree<'_>)>, place: Place) {
    let kind = fields.iter().find(|(key, _)| key == "type").and_then(|(_, kind)| kind.as_text());
    let kind = kind.unwrap_or_default();
    // What an item says is in its other fields; of all other items the id is what they say, or names what they go with.
    let is_said = ANONYMOUS_ITEMS.contains(&kind);
    let kind = Kind::of(kind);
    fields.retain(|(key, value)| {
        let is_usual = match (&**key, place) {
            ("id", Place::Item) => is_said,
            ("status", Place::Item) => value.as_text() == Some("completed"),
            ("type", Place::Item) => value.as_text() == Some("message"),
            _ => false,
        };
        !is_usual && is_content(key, value, place)
    });
    fields.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    out.push('{');
    for (at, (key, value)) in fields.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push_string(out, &key);
        out.push(':');
        match (&*key, place) {
            (_, Place::Arguments) => write(out, value, place),
            ("arguments", _) => write_arguments(out, value),
            ("input", _) if kind == Kind::ToolUse => write_arguments(out, value),
            ("input", _) => write(out, value, Place::Arguments),
            ("content", _) => write_content(out, value),
            ("output", _) if kind == Kind::Output => write_content(out, value),
            _ => write(out, value, Place::Inside),
        }
    }
    out.push('}');
}

/// Class of an object by its type, which decides about its fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A call whose `input` is an object.
    ToolUse,
    /// An answer to a call, in `output`.
    Output,
    Other,
}

impl Kind {
    fn of(kind: &str) -> Self {
        if kind.ends_with("tool_use") {
            Self::ToolUse
        } else if kind.ends_with("_output") {
            Self::Output
        } else {
            Self::Other
        }
    }
}

/// Whether a field belongs to the content.
fn is_content(key: &str, value: &Tree<'_>, place: Place) -> bool {
    match (place, value) {
        (Place::Arguments, _) => true,
        (_, Tree::Null) => false,
        (_, Tree::List(items)) if items.is_empty() => !EMPTY_LISTS.contains(&key),
        (_, Tree::Text(text)) if text.is_empty() => key != CONTENT,
        (Place::Item, _) => key != MARK && key != PASSED_ON,
        (Place::Inside, _) => key != MARK,
    }
}

fn within(place: Place) -> Place {
    if place == Place::Arguments { place } else { Place::Inside }
}

/// A list of one block that is just a text is that text.
fn write_content(out: &mut String, value: Tree<'_>) {
    if let Tree::List(items) = &value
        && let [Tree::Object(fields)] = items.as_slice()
        && let Some(text) = only_text(fields)
    {
        return push_string(out, text);
    }
    write(out, value, Place::Inside);
}

/// The text of a block that has nothing else.
fn only_text<'t>(fields: &'t [(Cow<'_, str>, Tree<'_>)]) -> Option<&'t str> {
    let (mut has_kind, mut said) = (false, None);
    for (key, value) in fields.iter().filter(|(key, value)| is_content(key, value, Place::Inside)) {
        match (&**key, value.as_text()?) {
            ("type", kind) if TEXTS.contains(&kind) => has_kind = true,
            ("text", text) => said = Some(text),
            _ => return None,
        }
    }
    said.filter(|_| has_kind)
}

/// The text of an object is that object, if no two objects could be meant by it.
fn write_arguments(out: &mut String, value: Tree<'_>) {
    if let Some(object) = value.as_text().and_then(object_of) {
        return write(out, object, Place::Arguments);
    }
    write(out, value, Place::Arguments);
}

fn object_of(text: &str) -> Option<Tree<'_>> {
    let is_object = text.trim_ascii_start().starts_with('{')
        && serde_json::from_str::<&RawValue>(text).is_ok()
        && check_json(text).is_ok();
    is_object.then(|| Tree::read(text)).flatten()
}
