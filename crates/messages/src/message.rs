//! The message: the one type into which every conversation format is parsed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{AsRefStr, EnumString, IntoStaticStr};

use super::id::Seq;
use super::inner_json;

/// The role of a message's author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[derive(AsRefStr, IntoStaticStr, EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// The operator's instructions.
    System,
    /// The operator's instructions, under the name that newer models use.
    Developer,
    /// The person, or the harness that speaks for them.
    User,
    /// The model.
    Assistant,
    /// A tool's answer to a call.
    Tool,
}

impl Role {
    /// Whether the role carries the operator's instructions.
    pub fn is_system(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }
}

/// One entry of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The speaker's name, where the format carries one.
    pub name: Option<String>,
    /// What is said, in order.
    pub parts: Vec<Part>,
}

/// One piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Plain text.
    Text(String),
    /// A picture.
    Image(Image),
    /// A file or document that is not an image (PDF, audio …).
    File(Attachment),
    /// The model's visible or signed reasoning.
    Thinking(Thinking),
    /// A request to run a tool.
    ToolCall(ToolCall),
    /// A tool's answer.
    ToolResult(ToolResult),
    /// A block of a type that no format defines, as JSON text.
    Other(String),
}

/// A picture, never fetched and never counted as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its media type (`image/png`), when the message says so.
    pub media_type: Option<String>,
    /// Where its bytes are.
    pub source: MediaSource,
    /// The provider's detail level (`low`, `high`, `auto`), when given.
    pub detail: Option<String>,
}

/// A file that is not an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its media type, when the message says so.
    pub media_type: Option<String>,
    /// Its file name, when the message says so.
    pub name: Option<String>,
    /// Where its bytes are.
    pub source: MediaSource,
}

/// Where the bytes of an image or a file are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaSource {
    /// At an address; never fetched.
    Url(String),
    /// In the message, as base64 without the `data:` prefix.
    Base64(String),
    /// With the provider, under an id.
    FileId(String),
    /// In the message, as plain text.
    Text(String),
}

/// The model's reasoning; kept with its signature or removed whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thinking {
    /// The visible text; empty when the provider redacted it.
    pub text: String,
    /// The provider's signature over it.
    pub signature: Option<String>,
    /// The encrypted form, when the provider redacted the text.
    pub redacted: Option<String>,
}

/// A request to run a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The id that its result names; may repeat within a session, may be empty.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text, exactly as sent; may not parse.
    pub arguments: String,
}

/// A tool's answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the call that it answers.
    pub call_id: String,
    /// Result of the tool.
    pub parts: Vec<Part>,
    /// Whether the harness marked it as failed; `None` when the format cannot say.
    pub is_error: Option<bool>,
}

impl Message {
    /// All texts of the message, one by one: text parts, arguments of calls, results; without thinking.
    pub fn each_text(&self, take: &mut impl FnMut(&str)) {
        each_text(&self.parts, 0, take);
    }

    /// The tool calls of the message, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| if let Part::ToolCall(call) = part { Some(call) } else { None })
    }

    /// The tool results of the message, in order.
    pub fn results(&self) -> impl Iterator<Item = &ToolResult> {
        self.parts
            .iter()
            .filter_map(|part| if let Part::ToolResult(result) = part { Some(result) } else { None })
    }

    /// The message with its texts as documents: nobody says them, whatever its role is. So are the messages read that a
    /// caller marked as retrieved.
    #[must_use]
    pub fn as_documents(mut self) -> Self {
        for part in &mut self.parts {
            if let Part::Text(text) = part {
                let source = MediaSource::Text(std::mem::take(text));
                *part = Part::File(Attachment { media_type: None, name: None, source });
            }
        }
        self
    }

    /// The text parts joined by newlines: no thinking, no tool calls, no tool results.
    pub fn text(&self) -> String {
        self.words().into_owned()
    }

    /// Like [`Self::text`], but borrowed when there is only one text part.
    pub fn words(&self) -> Cow<'_, str> {
        text_of(&self.parts)
    }
}

impl Attachment {
    /// Its text, when the message has it as plain text.
    pub fn text(&self) -> Option<&str> {
        if let MediaSource::Text(text) = &self.source { Some(text) } else { None }
    }
}

impl ToolCall {
    /// The values of the arguments, without parameter names; arguments that are not JSON, or too many values, as they are.
    pub fn each_text(&self, take: &mut impl FnMut(&str)) {
        match inner_json::read(&self.arguments) {
            Some(value) => leaves(&value, take),
            None => take(&self.arguments),
        }
    }
}

/// The deepest level of results within results that is read.
const DEEPEST: u32 = 8;

fn each_text(parts: &[Part], depth: u32, take: &mut impl FnMut(&str)) {
    for part in parts {
        match part {
            Part::Text(text) => take(text),
            Part::ToolCall(call) => call.each_text(take),
            Part::ToolResult(result) if depth < DEEPEST => each_text(&result.parts, depth + 1, take),
            Part::File(file) => {
                if let Some(text) = file.text() {
                    take(text);
                }
            }
            Part::Image(_) | Part::Thinking(_) | Part::ToolResult(_) | Part::Other(_) => {}
        }
    }
}

fn leaves(value: &Value, take: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => take(text),
        Value::Number(number) => take(&number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, take)),
        Value::Object(fields) => fields.values().for_each(|field| leaves(field, take)),
        Value::Null | Value::Bool(_) => {}
    }
}

impl ToolResult {
    /// The text parts joined by newlines.
    pub fn text(&self) -> String {
        text_of(&self.parts).into_owned()
    }
}

/// The text parts joined by newlines, borrowed when there is only one.
pub fn text_of(parts: &[Part]) -> Cow<'_, str> {
    joined(parts.iter().filter_map(|part| if let Part::Text(text) = part { Some(text) } else { None }))
}

/// Texts joined by newlines, from the first that is not empty.
pub(super) fn joined<'t>(mut texts: impl Iterator<Item = &'t String>) -> Cow<'t, str> {
    let Some(first) = texts.find(|text| !text.is_empty()) else { return Cow::Borrowed("") };
    texts.fold(Cow::Borrowed(first), |all, text| all + "\n" + text.as_str())
}

/// A message with its position in the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// Its position.
    pub seq: Seq,
    /// The message.
    pub message: Message,
}
