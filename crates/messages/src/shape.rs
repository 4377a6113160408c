//! The shape of a message: what grouping and masking need of it without its body.
//!
//! What lives here: the [`Shape`], computed once when a message is appended and stored beside it, so that building a
//! context does not parse message bodies; and the line of a tool output that a placeholder shows (`key_line`).
//! Invariant: a message without a shape is plain: it has only text, and no blank part.
//! Must not know: other messages, budgets, formats' wire details.

mod key_line;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::format::anthropic::is_misplaced;
use super::format::normalize::normalized;
use super::format::{self, Format, FormatError};
use super::message::{MediaSource, Message, Part, Role, ToolCall, ToolResult};
use super::tokens::TokenCounter;

/// The longest description of a call in a placeholder, in characters.
const WHAT_CHARS: usize = 80;
/// An output may be replaced by a placeholder when it reaches either of these.
const MASKABLE_LINES: u32 = 10;
const MASKABLE_TOKENS: u32 = 100;
/// An output is large above `LARGE_TOKENS`, or above `LARGE_LINES` if it also has `MASKABLE_TOKENS`.
const LARGE_LINES: u32 = 50;
const LARGE_TOKENS: u32 = 500;

/// The structure of a message: its tool calls, its tool results and its features.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shape {
    /// The tool calls, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallShape>,
    /// The tool results, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ResultShape>,
    /// Other properties that grouping, masking or a format must handle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<Feature>,
}

/// A property that distinguishes a message from plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// All parts are tool results.
    OnlyResults,
    /// Another part comes before the first tool result.
    ResultsNotFirst,
    /// Images or files outside tool results.
    Media,
    /// Thinking with a signature, or redacted.
    SignedThinking,
    /// Thinking with its text alone: neither signed nor redacted.
    UnsignedThinking,
    /// All parts are thinking.
    OnlyThinking,
    /// There is no content to serve: only white space and thinking, or no parts at all.
    Blank,
    /// A text part is blank while the message, or the tool result that contains it, has other parts.
    BlankPart,
    /// The last part is thinking, and other parts come before it.
    ThinkingLast,
    /// A block of a type that no format defines.
    Other,
    /// A block that the message's role may not contain, such as a tool call in a user message.
    Misplaced,
    /// A tool call whose arguments are not a JSON object.
    OddArguments,
    /// It is served as [`normalized`] rewrites it, and not as it was sent.
    Normalized,
    /// A program's instructions in the place of a person's words: a skill's page, the prompt of a slash command.
    Instructions,
}

/// The parts of a tool call that pairing and placeholders need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallShape {
    /// The id that its result names.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// A short description: the command, or the tool's name and the argument that names its subject.
    pub what: String,
}

/// The parts of a tool result that pairing and placeholders need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResultShape {
    /// The id of the call that it answers.
    pub call_id: String,
    /// The content's hash: the first 64 bits of SHA-256, in hex.
    pub reference: String,
    /// The content's size in tokens.
    pub tokens: u32,
    /// The number of lines of its text.
    pub lines: u32,
    /// The tool's name, when the result itself contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The most informative line, shortened; only for outputs that may get a placeholder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The number of images and files in it.
    #[serde(skip_serializing_if = "is_zero")]
    pub media: u32,
    /// Whether it contains nothing but white space: no other text, no media.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub blank: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// A message as it is served, with its measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The message.
    pub message: Message,
    /// Its tokens.
    pub tokens: u32,
    /// Its shape; `None` when it is plain.
    pub shape: Option<Shape>,
}

impl Measured {
    /// Reads and measures a message, given as the JSON text that was sent.
    ///
    /// # Errors
    /// When it is not a message of the format.
    pub fn read(format: Format, raw: &str, counter: &TokenCounter) -> Result<Self, FormatError> {
        let rewritten = normalized(format, raw);
        let message = format::parse(format, rewritten.as_deref().unwrap_or(raw))?;
        let (tokens, mut shape) = Shape::measure(&message, counter);
        if rewritten.is_some() {
            shape.get_or_insert_default().add(Feature::Normalized);
        }
        Ok(Self { message, tokens, shape })
    }
}

impl Shape {
    /// The text that is served for a message that was sent as `raw` and has this shape.
    pub fn served(shape: Option<&Self>, format: Format, raw: String) -> String {
        let rewritten = shape.filter(|shape| shape.has(Feature::Normalized));
        rewritten.and_then(|_| normalized(format, &raw)).unwrap_or(raw)
    }

    /// The shape of a message; `None` when it is plain.
    pub fn of(message: &Message, counter: &TokenCounter) -> Option<Self> {
        Self::measure(message, counter).1
    }

    /// The message's tokens and its shape, computed together so that every part is counted once.
    pub fn measure(message: &Message, counter: &TokenCounter) -> (u32, Option<Self>) {
        let mut tokens = counter.count_frame(message);
        let mut shape = Self::default();
        let (mut served, mut blank_parts, mut thinking) = (0, 0, 0);
        for part in &message.parts {
            if !matches!(part, Part::Text(text) if is_blank(text)) && !matches!(part, Part::Thinking(_)) {
                served += 1;
            }
            match part {
                Part::ToolResult(result) => {
                    let content = counter.count_parts(&result.parts);
                    tokens =
                        tokens.saturating_add(counter.count_result_frame(result)).saturating_add(content);
                    if shape.results.is_empty() && served > 1 {
                        shape.add(Feature::ResultsNotFirst);
                    }
                    let blank = |part: &Part| matches!(part, Part::Text(text) if is_blank(text));
                    if result.parts.len() > 1 && result.parts.iter().any(blank) {
                        shape.add(Feature::BlankPart);
                    }
                    shape.results.push(ResultShape::of(result, message.name.as_deref(), content));
                    continue;
                }
                Part::ToolCall(call) => {
                    if !call.arguments.trim_start().starts_with('{') {
                        shape.add(Feature::OddArguments);
                    }
                    shape.calls.push(CallShape::of(call));
                }
                Part::Text(text) if is_blank(text) => blank_parts += 1,
                Part::Text(_) => {}
                Part::Image(_) | Part::File(_) => shape.add(Feature::Media),
                Part::Thinking(t) => {
                    thinking += 1;
                    let signed = t.signature.is_some() || t.redacted.is_some();
                    shape.add(if signed { Feature::SignedThinking } else { Feature::UnsignedThinking });
                }
                Part::Other(raw) => {
                    shape.add(Feature::Other);
                    if is_misplaced(raw) {
                        shape.add(Feature::Misplaced);
                    }
                }
            }
            tokens = tokens.saturating_add(counter.count_part(part));
        }
        if served == 0 {
            shape.add(Feature::Blank);
        }
        if blank_parts > 0 && message.parts.len() > 1 {
            shape.add(Feature::BlankPart);
        }
        if thinking > 0 && thinking == message.parts.len() {
            shape.add(Feature::OnlyThinking);
        }
        if thinking < message.parts.len() && matches!(message.parts.last(), Some(Part::Thinking(_))) {
            shape.add(Feature::ThinkingLast);
        }
        if !shape.results.is_empty() && shape.results.len() == served {
            shape.add(Feature::OnlyResults);
        }
        (tokens, Some(shape).filter(|s| *s != Self::default()))
    }

    /// Whether the message has a feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// Adds a feature.
    pub fn add(&mut self, feature: Feature) {
        if !self.has(feature) {
            self.features.push(feature);
        }
    }
}

impl CallShape {
    fn of(call: &ToolCall) -> Self {
        Self { id: call.id.clone(), name: call.name.clone(), what: what(call) }
    }
}

impl ResultShape {
    fn of(result: &ToolResult, name: Option<&str>, tokens: u32) -> Self {
        let text = result.text();
        let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let media = result.parts.iter().filter(|p| matches!(p, Part::Image(_) | Part::File(_))).count();
        let shape = Self {
            call_id: result.call_id.clone(),
            reference: reference(result),
            tokens,
            lines,
            name: name.map(str::to_owned),
            key: None,
            media: u32::try_from(media).unwrap_or(u32::MAX),
            blank: is_blank(&text) && result.parts.iter().all(|p| matches!(p, Part::Text(_))),
        };
        let key = if shape.is_maskable() { key_line::find(&text) } else { None };
        Self { key, ..shape }
    }

    /// Whether it is large enough to be masked at all.
    pub fn is_maskable(&self) -> bool {
        self.lines >= MASKABLE_LINES || self.tokens >= MASKABLE_TOKENS
    }

    /// Whether it is masked once it is old. Smaller maskable outputs are masked as repeats, on the caller's request,
    /// or to fit a budget.
    pub fn is_large(&self) -> bool {
        self.tokens > LARGE_TOKENS || (self.lines > LARGE_LINES && self.tokens >= MASKABLE_TOKENS)
    }
}

/// The reference of a tool output: the first 64 bits of the SHA-256 of its content, in hex. Media and unknown blocks
/// are hashed after the text, so that outputs that differ only in a picture have different references.
pub fn reference(result: &ToolResult) -> String {
    let mut hash = Sha256::new();
    hash.update(result.text().as_bytes());
    for part in &result.parts {
        let source = match part {
            Part::Image(image) => &image.source,
            Part::File(file) => &file.source,
            Part::Other(raw) => {
                hash.update([0]);
                hash.update(raw.as_bytes());
                continue;
            }
            Part::Text(_) | Part::Thinking(_) | Part::ToolCall(_) | Part::ToolResult(_) => continue,
        };
        let (MediaSource::Url(data)
        | MediaSource::Base64(data)
        | MediaSource::FileId(data)
        | MediaSource::Text(data)) = source;
        hash.update([0]);
        hash.update(data.as_bytes());
    }
    hex(&hash.finalize(), 8)
}

/// The first `bytes` bytes of a digest, in hex.
pub fn hex(digest: &[u8], bytes: usize) -> String {
    let digit = |n: u8| char::from_digit(u32::from(n), 16).unwrap_or('0');
    digest.iter().take(bytes).flat_map(|b| [digit(b >> 4), digit(b & 0xf)]).collect()
}

/// Whether a text is empty or contains only white space.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Whether the key line of an output reports an error.
pub fn shows_error(key: &str) -> bool {
    key_line::shows_error(key)
}

/// The description of a call, in one line of at most [`WHAT_CHARS`] characters.
fn what(call: &ToolCall) -> String {
    const COMMANDS: [&str; 4] = ["command", "cmd", "script", "code"];
    const SUBJECTS: [&str; 9] =
        ["file_path", "path", "filename", "pattern", "query", "url", "search_term", "description", "name"];
    // Larger arguments contain a file's content; they are not parsed, and the tool's name alone is shown.
    let arguments: serde_json::Map<String, serde_json::Value> = if call.arguments.len() > 64 * 1024 {
        serde_json::Map::new()
    } else {
        serde_json::from_str(&call.arguments).unwrap_or_default()
    };
    let text = |key: &&str| {
        let value = arguments.get(*key)?;
        let said = match value.as_array() {
            None => value.as_str()?.to_owned(),
            Some(words) => {
                let words: Vec<&str> = words.iter().filter_map(serde_json::Value::as_str).collect();
                match words.as_slice() {
                    // Shell calls may come as argument lists: in `bash -lc script` the last word is the script.
                    [_, flag, script] if flag.starts_with('-') => (*script).to_owned(),
                    words => words.join(" "),
                }
            }
        };
        Some(said).filter(|said| !is_blank(said))
    };
    let said = COMMANDS.iter().find_map(text).unwrap_or_else(|| {
        let subject = SUBJECTS.iter().find_map(text);
        subject.map_or_else(|| call.name.clone(), |subject| format!("{} {subject}", call.name))
    });
    one_line(&said, WHAT_CHARS)
}

/// A text as one line of at most `chars` characters and an ellipsis where it was cut. Double quotes, square brackets
/// and control characters are replaced, so that the text cannot end the placeholder around it.
pub fn one_line(text: &str, chars: usize) -> String {
    let mut line = String::new();
    let mut space = false;
    let mut count = 0;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            space = count > 0;
            continue;
        }
        if count + usize::from(space) >= chars {
            line.push('…');
            break;
        }
        if space {
            line.push(' ');
            count += 1;
            space = false;
        }
        line.push(match c {
            '"' => '\'',
            '[' => '(',
            ']' => ')',
            other => other,
        });
        count += 1;
    }
    line
}

/// A message with its position and shape, as grouping and masking read it.
pub trait AsShape {
    /// Its position.
    fn seq(&self) -> super::id::Seq;
    /// Who speaks.
    fn role(&self) -> Role;
    /// Whether it is an item of the responses API, where parallel calls are consecutive items.
    fn is_item(&self) -> bool;
    /// Its shape; `None` for a plain message.
    fn shape(&self) -> Option<&Shape>;
    /// Whether it has a feature.
    fn has(&self, feature: Feature) -> bool {
        self.shape().is_some_and(|s| s.has(feature))
    }
    /// Its tool calls; empty when it has none.
    fn calls(&self) -> &[CallShape] {
        self.shape().map_or(&[], |s| &s.calls)
    }
    /// Its tool results; empty when it has none.
    fn results(&self) -> &[ResultShape] {
        self.shape().map_or(&[], |s| &s.results)
    }
}

#[cfg(test)]
mod tests;
