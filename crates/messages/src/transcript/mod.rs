//! Parses agents' log files into messages of one of the formats.
//!
//! What lives here: the detection of a log's kind (`detect`), and a parser for each kind: arrays and lines of messages,
//! Claude Code, Codex, SWE-agent, `OpenHands`.
//! Invariant: all texts, tool calls and results of an agent and its user are kept, in the order of the log. Other
//! entries (state, statistics, side chains of other agents) are left out and counted by kind. An error has the
//! number of the line that cannot be parsed.
//! Must not know: files, sessions.

mod claude_code;
mod codex;
mod detect;
mod messages;
mod openhands;
mod swe_agent;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use strum::{AsRefStr, IntoStaticStr};

use super::format::detect::Detector;
use super::format::{self, Format};
use super::message::Message;

/// The kind of a log, by the program that writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsRefStr, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Log {
    /// Messages of a provider: an array, an object with `messages`, or one message per line.
    Messages,
    /// Claude Code: one line for each part of a turn.
    ClaudeCode,
    /// Codex: one line for each item of a rollout.
    Codex,
    /// SWE-agent: a trajectory.
    SweAgent,
    /// `OpenHands`: events.
    Openhands,
}

/// A log's messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// The kind of the log.
    pub log: Log,
    /// The format of every message.
    pub format: Format,
    /// The messages, in order.
    pub messages: Vec<Logged>,
    /// The number of entries that are no messages, by kind.
    pub left_out: BTreeMap<String, usize>,
}

impl Transcript {
    /// The entries that were left out, in one line for a person; `None` when there were none.
    pub fn told_left_out(&self) -> Option<String> {
        let told: Vec<String> =
            self.left_out.iter().map(|(what, count)| format!("{what} ({count})")).collect();
        (!told.is_empty()).then(|| told.join(", "))
    }
}

/// A message of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    /// Its line in the log, counted from 1.
    pub line: usize,
    /// Its JSON text in the transcript's format.
    pub raw: String,
    /// The parsed message.
    pub message: Message,
}

/// Why a log cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {detail}")]
pub struct TranscriptError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub detail: String,
}

/// Parses a log. Its kind and the format of its messages are detected unless the caller states them.
///
/// # Errors
/// When an entry is not JSON, does not fit the kind of log or is an invalid message, or when there are no messages.
pub fn read(text: &str, log: Option<Log>, format: Option<Format>) -> Result<Transcript, TranscriptError> {
    let text = text.trim_start_matches('\u{feff}');
    let log = log.unwrap_or_else(|| detect::detect(text));
    let mut left = LeftOut::default();
    let (known, found) = match log {
        Log::Messages => (format, messages::read(text, &mut left)?),
        Log::ClaudeCode => (Some(Format::Anthropic), claude_code::read(text, &mut left)?),
        Log::Codex => (Some(Format::OpenaiResponses), codex::read(text, &mut left)?),
        Log::SweAgent => (Some(Format::OpenaiChat), swe_agent::read(text, &mut left)?),
        Log::Openhands => (Some(Format::OpenaiChat), openhands::read(text, &mut left)?),
    };
    if found.is_empty() {
        return Err(TranscriptError { line: 1, detail: "there are no messages in it".to_owned() });
    }
    let mut lines = Lines { text, at: 0, line: 1 };
    let mut detector = Detector::new(known);
    for (index, found) in found.iter().enumerate() {
        detector.look(index, &found.raw).map_err(|error| TranscriptError {
            line: lines.line_of(found.at),
            detail: format!("message {index} {}", error.detail),
        })?;
    }
    let format = detector.finish().resolve(None);
    let mut messages = Vec::with_capacity(found.len());
    for Found { at, raw } in found {
        let line = lines.line_of(at);
        let message = format::parse(format, &raw).map_err(|error| TranscriptError {
            line,
            detail: format!("not a message in the format {}: {error}", format.as_ref()),
        })?;
        messages.push(Logged { line, raw, message });
    }
    Ok(Transcript { log, format, messages, left_out: left.0 })
}

/// Counts entries that are no messages, by kind.
#[derive(Debug, Default)]
struct LeftOut(BTreeMap<String, usize>);

impl LeftOut {
    /// The most kinds that are counted separately, because a log may contain any number of them.
    const KINDS: usize = 20;
    const NAME_CHARS: usize = 40;

    fn add(&mut self, what: &str) {
        let named: String = what.chars().filter(|c| !c.is_control()).take(Self::NAME_CHARS).collect();
        let is_new = !self.0.contains_key(&named);
        let name = if is_new && self.0.len() >= Self::KINDS { "others".to_owned() } else { named };
        *self.0.entry(name).or_default() += 1;
    }
}

/// A message, and its byte offset in the text.
#[derive(Debug)]
struct Found {
    at: usize,
    raw: String,
}

/// Finds the line numbers of ascending offsets.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn line_of(&mut self, at: usize) -> usize {
        if at < self.at {
            (self.at, self.line) = (0, 1);
        }
        let passed = self.text.as_bytes().get(self.at..at).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count();
        self.at = at;
        self.line
    }
}

/// The byte offset of a slice within its text.
fn place(text: &str, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(text.as_ptr().addr()).min(text.len())
}

fn error_at(text: &str, at: usize, detail: impl Into<String>) -> TranscriptError {
    TranscriptError { line: Lines { text, at: 0, line: 1 }.line_of(at), detail: detail.into() }
}

/// The lines of a text that are not blank, each with its offset.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').map(str::trim).filter(|line| !line.is_empty())
}

/// The lines of a text parsed as JSON, each with its text. An incomplete last line is left out: the program was stopped
/// while it wrote the log.
fn entries<'a, T: serde::Deserialize<'a>>(
    text: &'a str,
    what: &str,
    left: &mut LeftOut,
) -> Result<Vec<(&'a str, T)>, TranscriptError> {
    let mut read = Vec::new();
    let mut all = lines(text).peekable();
    while let Some(line) = all.next() {
        match parse(text, line, what) {
            Ok(entry) => read.push((line, entry)),
            Err(_) if all.peek().is_none() && !read.is_empty() && is_cut(line) => {
                left.add("a last line that breaks off");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

fn is_cut(line: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(line).is_err_and(|error| error.is_eof())
}

/// Parses a part of a text as JSON; the error has its line.
fn parse<'a, T: serde::Deserialize<'a>>(
    text: &'a str,
    part: &'a str,
    what: &str,
) -> Result<T, TranscriptError> {
    serde_json::from_str(part).map_err(|error| {
        let begins = Lines { text, at: 0, line: 1 }.line_of(place(text, part));
        let message = error.to_string();
        let detail = message.rsplit_once(" at line ").map_or(message.as_str(), |(detail, _)| detail);
        let line = begins + error.line().saturating_sub(1);
        TranscriptError { line, detail: format!("not {what}: {detail}") }
    })
}

/// Converts a JSON value; the type's default when it does not fit.
fn lenient<T: DeserializeOwned + Default>(raw: Option<&RawValue>) -> T {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

#[cfg(test)]
mod tests;
