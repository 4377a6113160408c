//! Transcripts: read from a folder, or made here.

use std::path::Path;

use anchord_messages::format::{self, detect::detect};
use anchord_messages::message::{Message, Numbered, Part, Role, ToolCall, ToolResult};
use anyhow::Context as _;
use serde_json::json;
use serde_json::value::RawValue;

use super::texts::Writer;

/// A conversation and the bytes of its messages.
#[derive(Clone, Debug)]
pub struct Session {
    /// The messages.
    pub messages: Vec<Numbered>,
    /// The messages as JSON.
    pub raw: Vec<String>,
    /// Their bytes.
    pub sizes: Vec<usize>,
}

impl Session {
    /// Reads messages.
    pub fn of_raw(raw: Vec<String>) -> anyhow::Result<Self> {
        let format = detect(None, raw.iter().map(String::as_str))?.resolve(None);
        let messages = (1..)
            .zip(&raw)
            .map(|(seq, raw)| Ok(Numbered { seq, message: format::parse(format, raw)? }))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let sizes = raw.iter().map(String::len).collect();
        Ok(Self { messages, raw, sizes })
    }

    fn of_messages(messages: Vec<Message>) -> Self {
        let raw: Vec<String> = messages.iter().map(written).collect();
        let sizes = raw.iter().map(String::len).collect();
        let messages = (1..).zip(messages).map(|(seq, message)| Numbered { seq, message }).collect();
        Self { messages, raw, sizes }
    }

    /// Bytes of all messages.
    pub fn bytes(&self) -> usize {
        self.sizes.iter().sum()
    }
}

/// A message as JSON, near enough to what a provider is sent.
fn written(message: &Message) -> String {
    let parts: Vec<_> = message
        .parts
        .iter()
        .map(|part| match part {
            Part::ToolCall(call) => json!({"id": call.id, "name": call.name, "arguments": call.arguments}),
            Part::ToolResult(result) => json!({"id": result.call_id, "content": result.text()}),
            Part::Text(text) => json!(text),
            Part::Image(_) | Part::File(_) | Part::Thinking(_) | Part::Other(_) => json!(null),
        })
        .collect();
    json!({"role": message.role.as_ref(), "content": parts}).to_string()
}

/// Reads every transcript of a folder, in the order of names.
pub fn read(folder: &Path) -> anyhow::Result<Vec<Session>> {
    Ok(read_named(folder)?.into_iter().map(|(_, session)| session).collect())
}

/// The same with their names.
pub fn read_named(folder: &Path) -> anyhow::Result<Vec<(String, Session)>> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
        .collect();
    files.sort();
    let mut sessions = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        let Some(raw) = messages_in(&text) else { continue };
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        sessions.push((name, Session::of_raw(raw).with_context(|| file.display().to_string())?));
    }
    anyhow::ensure!(!sessions.is_empty(), "there are no transcripts in {}", folder.display());
    Ok(sessions)
}

/// The messages of an array, or of an object that carries them.
fn messages_in(text: &str) -> Option<Vec<String>> {
    #[derive(serde::Deserialize)]
    struct Request {
        #[serde(alias = "input")]
        messages: Vec<Box<RawValue>>,
    }
    let messages = serde_json::from_str::<Vec<Box<RawValue>>>(text)
        .or_else(|_| serde_json::from_str::<Request>(text).map(|request| request.messages))
        .ok()?;
    Some(messages.iter().map(|raw| raw.get().to_owned()).collect())
}

/// Sessions of a few kinds, made up.
pub fn made() -> Vec<Session> {
    [3, 4, 5].into_iter().map(|seed| Session::of_messages(work(seed, 150))).collect()
}

/// A session long enough for more than forty compressions.
pub fn long() -> Session {
    Session::of_messages(work(7, 1_100))
}

pub fn text(role: Role, text: String) -> Message {
    Message { role, name: None, parts: vec![Part::Text(text)] }
}

pub fn call(id: String, name: &str, arguments: String) -> Message {
    let call = ToolCall { id, name: name.to_owned(), arguments };
    Message { role: Role::Assistant, name: None, parts: vec![Part::ToolCall(call)] }
}

pub fn result(id: String, output: String) -> Message {
    let result = ToolResult { call_id: id, parts: vec![Part::Text(output)], is_error: None };
    Message { role: Role::Tool, name: None, parts: vec![Part::ToolResult(result)] }
}

/// An agent at work: rounds of talk, reads, edits, commands and tests, ever new files among them.
fn work(seed: u64, rounds: usize) -> Vec<Message> {
    let mut random = Writer::new(seed);
    let mut messages = vec![text(Role::System, "You help with code.".to_owned())];
    for round in 0..rounds {
        let path = format!("src/part{}/file{}.rs", random.below(9), random.below(40 + round / 4));
        if round % 12 == 0 {
            messages.push(text(Role::User, format!("{} Please never change {path}.", random.prose(600))));
        }
        let id = |step: &str| format!("{step}{round}");
        let code = random.code(3_000);
        let (tool, arguments, output) = match round % 4 {
            0 => ("Read", json!({"file_path": path}), code),
            1 => {
                let edit = json!({"file_path": path, "old_string": random.code(300), "new_string": random.code(400)});
                ("Edit", edit, "The file has been updated.".to_owned())
            }
            2 => (
                "Bash",
                json!({"command": format!("cd /work && cargo test part{round} 2>&1 | tail -50")}),
                random.log(2_500),
            ),
            _ => ("Bash", json!({"command": format!("rg -n 'fn {round}' src | head")}), random.paths(2_000)),
        };
        if round % 3 == 0 {
            messages.push(text(Role::Assistant, random.prose(400)));
        }
        messages.push(call(id("c"), tool, arguments.to_string()));
        messages.push(result(id("c"), output));
        if round % 12 == 11 {
            messages.push(text(
                Role::Assistant,
                format!("I decided to use table {round} because it is smaller. {}", random.prose(500)),
            ));
        }
    }
    messages
}
