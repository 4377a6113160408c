//! Parses logs of Claude Code, which have one line for each block of an assistant's message; blocks are joined by the
//! message's id.
//!
//! Side chains (conversations of other agents) and lines with the program's state are left out. The summary that the
//! program gave its model after a compaction is a user message in the log and is kept.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Found, LeftOut, TranscriptError, entries, is_null, parse, place};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    is_sidechain: Option<bool>,
    is_api_error_message: Option<bool>,
    uuid: Option<String>,
}

#[derive(Deserialize)]
struct Said<'a> {
    role: String,
    id: Option<String>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

/// A message of which more blocks may follow.
struct Turn {
    at: usize,
    role: String,
    id: Option<String>,
    /// Blocks as JSON texts; a single string is kept as it is.
    content: Content,
}

enum Content {
    Text(String),
    Blocks(Vec<String>),
}

impl Content {
    fn of(raw: Option<&RawValue>) -> Self {
        let Some(raw) = raw.filter(|raw| !is_null(raw)) else { return Self::Blocks(Vec::new()) };
        match serde_json::from_str::<Vec<&RawValue>>(raw.get()) {
            Ok(blocks) => Self::Blocks(blocks.into_iter().map(|block| block.get().to_owned()).collect()),
            Err(_) => Self::Text(raw.get().to_owned()),
        }
    }

    fn append(&mut self, more: Self) {
        let blocks = |content| match content {
            Self::Text(text) => vec![format!("{{\"type\":\"text\",\"text\":{text}}}")],
            Self::Blocks(blocks) => blocks,
        };
        let mut all = blocks(std::mem::replace(self, Self::Blocks(Vec::new())));
        all.append(&mut blocks(more));
        *self = Self::Blocks(all);
    }

    fn json(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Blocks(blocks) => format!("[{}]", blocks.join(",")),
        }
    }
}

pub(super) fn read(text: &str, left: &mut LeftOut) -> Result<Vec<Found>, TranscriptError> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut last_assistant: Option<usize> = None;
    // A resumed session may repeat its first lines.
    let mut known: HashSet<String> = HashSet::new();
    for (line, entry) in entries::<Line<'_>>(text, "a line of a Claude Code log", left)? {
        let is_said = matches!(entry.kind.as_deref(), Some("user" | "assistant"));
        let Some(message) = entry.message.filter(|_| is_said) else {
            left.add(entry.kind.as_deref().unwrap_or("lines without a type"));
            continue;
        };
        if entry.is_sidechain == Some(true) {
            left.add("side chains");
            continue;
        }
        if entry.is_api_error_message == Some(true) {
            left.add("errors of the API");
            continue;
        }
        if entry.uuid.is_some_and(|uuid| !known.insert(uuid)) {
            left.add("lines that are there twice");
            continue;
        }
        let said: Said<'_> = parse(text, message.get(), "a message")?;
        let content = Content::of(said.content);
        let is_assistant = said.role == "assistant";
        let same = last_assistant
            .filter(|_| is_assistant && said.id.is_some())
            .and_then(|at| turns.get_mut(at))
            .filter(|turn| turn.id == said.id);
        if let Some(turn) = same {
            turn.content.append(content);
            continue;
        }
        if is_assistant {
            last_assistant = Some(turns.len());
        }
        turns.push(Turn { at: place(text, line), role: said.role, id: said.id, content });
    }
    let found = |turn: Turn| {
        let role = serde_json::Value::from(turn.role);
        Found { at: turn.at, raw: format!("{{\"role\":{role},\"content\":{}}}", turn.content.json()) }
    };
    Ok(turns.into_iter().map(found).collect())
}
