//! The Anthropic format: messages with content blocks.
//!
//! A request of this format has the system prompt in a field of its own; a caller appends it here as a message of role
//! `system`.

use std::borrow::Cow;

use serde::Deserialize;
use strum::IntoStaticStr;

use super::super::message::{
    Attachment, Image, MediaSource, Message, Part, Role, Thinking, ToolCall, ToolResult,
};
use super::check::check_json;
use super::error::FormatError;
use super::json::{
    Fields, is_array, is_object, is_string, push_field, push_key, push_list, push_string, string,
};
use super::openai_chat::{parts_of, role_of};

/// Parses one message.
///
/// # Errors
/// When the role is missing or unknown, or content has the wrong type.
pub fn parse(raw: &str) -> Result<Message, FormatError> {
    let fields = Fields::read(raw)?;
    let role = role_of(&fields, &[Role::System, Role::User, Role::Assistant])?;
    let parts = content(role, &fields)?;
    Ok(Message { role, name: None, parts })
}

/// Whether a block of this type has blocks of its own as its content.
pub(super) fn holds_blocks(kind: &str) -> bool {
    kind.ends_with("tool_result") || matches!(kind, "document" | "search_result")
}

fn content(role: Role, fields: &Fields<'_>) -> Result<Vec<Part>, FormatError> {
    parts_of(fields, "content", "a string or an array of blocks", |raw| block(role, raw))
}

fn block(role: Role, raw: &str) -> Result<Part, FormatError> {
    let fields = Fields::read(raw)?;
    let part = match (fields.string("type")?.as_deref(), role) {
        (Some("text"), _) => {
            Part::Text(fields.string("text")?.ok_or_else(|| FormatError::at("/text", "is required"))?)
        }
        (Some("image"), _) => match fields.object("source")? {
            Some(source) => {
                let (media_type, source) = media(&source);
                Part::Image(Image { media_type, source, detail: None })
            }
            None => return Err(FormatError::at("/source", "is required")),
        },
        (Some("document"), _) => match fields.object("source")? {
            Some(source) => {
                let (media_type, source) = media(&source);
                Part::File(Attachment { media_type, name: fields.lenient("title"), source })
            }
            None => return Err(FormatError::at("/source", "is required")),
        },
        (Some("thinking"), Role::Assistant) => Part::Thinking(Thinking {
            text: fields.string_or_empty("thinking")?,
            signature: fields.string("signature")?.filter(|s| !s.is_empty()),
            redacted: None,
        }),
        (Some("redacted_thinking"), Role::Assistant) => Part::Thinking(Thinking {
            text: String::new(),
            signature: None,
            redacted: fields.string("data")?,
        }),
        (Some("tool_use"), Role::Assistant) => Part::ToolCall(ToolCall {
            id: fields.string_or_empty("id")?,
            name: fields.string_or_empty("name")?,
            // Some servers send an object's JSON text instead of the object; it is served as an object.
            arguments: match fields.raw("input") {
                None => "{}".to_owned(),
                Some(raw) if is_string(raw) => string(raw)?,
                Some(raw) => raw.to_owned(),
            },
        }),
        (Some("tool_result"), Role::User) => Part::ToolResult(tool_result(&fields)?),
        // Server tools, citations, block types of the future, and blocks in a role that may not contain them.
        _ => Part::Other(raw.to_owned()),
    };
    Ok(part)
}

fn tool_result(fields: &Fields<'_>) -> Result<ToolResult, FormatError> {
    let parts = content(Role::System, fields)?;
    Ok(ToolResult {
        call_id: fields.string_or_empty("tool_use_id")?,
        parts,
        is_error: fields.raw("is_error").map(|raw| raw == "true"),
    })
}

fn media(source: &Fields<'_>) -> (Option<String>, MediaSource) {
    let take = |key: &str| source.lenient(key).unwrap_or_default();
    let place = match source.lenient("type").as_deref() {
        Some("base64") => MediaSource::Base64(take("data")),
        Some("url") => MediaSource::Url(take("url")),
        Some("file") => MediaSource::FileId(take("file_id")),
        Some("text") => MediaSource::Text(take("data")),
        // A `content` document contains blocks; their JSON is kept in place of a text.
        _ => MediaSource::Text(
            source
                .lenient("content")
                .unwrap_or_else(|| source.raw("content").map(str::to_owned).unwrap_or_default()),
        ),
    };
    (source.lenient("media_type"), place)
}

/// The blocks of a message as sent, each as its JSON text; a string becomes one text block.
pub fn raw_blocks(raw: &str) -> Vec<String> {
    let content = Fields::read(raw).ok().and_then(|f| f.raw("content"));
    match content {
        Some(content) if is_array(content) => {
            super::json::elements(content).unwrap_or_default().into_iter().map(str::to_owned).collect()
        }
        Some(content) => vec![format!("{{\"type\":\"text\",\"text\":{content}}}")],
        None => Vec::new(),
    }
}

/// A text block without its trailing white space; `None` when it has none to remove, or is not a text block.
pub fn trimmed_text(raw: &str) -> Option<String> {
    let fields = Fields::read(raw).ok()?;
    let text = fields.lenient("text").filter(|_| fields.lenient("type").as_deref() == Some("text"))?;
    let trimmed = text.trim_end();
    if trimmed.len() == text.len() {
        return None;
    }
    block_of(&Part::Text(trimmed.to_owned()))
}

/// Whether a [`Part::Other`] block is of a known type in a role that may not contain it; providers reject such a
/// message.
pub fn is_misplaced(raw: &str) -> bool {
    let kind = Fields::read(raw).ok().and_then(|f| f.lenient("type"));
    matches!(kind.as_deref(), Some("tool_use" | "tool_result" | "thinking" | "redacted_thinking"))
}

/// Writes a part as a block; `None` for thinking without a signature, which the format cannot express.
pub fn block_of(part: &Part) -> Option<String> {
    let mut out = String::from("{");
    match part {
        Part::Text(text) => {
            push_field(&mut out, "type", "text");
            push_field(&mut out, "text", text);
        }
        Part::Image(image) => {
            push_field(&mut out, "type", "image");
            push_source(&mut out, image.media_type.as_deref().unwrap_or("image/png"), &image.source);
        }
        Part::File(file) => {
            push_field(&mut out, "type", "document");
            let text = matches!(file.source, MediaSource::Text(_));
            let media_type = if text { "text/plain" } else { "application/pdf" };
            push_source(&mut out, file.media_type.as_deref().unwrap_or(media_type), &file.source);
            if let Some(name) = &file.name {
                push_field(&mut out, "title", name);
            }
        }
        Part::Thinking(Thinking { redacted: Some(data), .. }) => {
            push_field(&mut out, "type", "redacted_thinking");
            push_field(&mut out, "data", data);
        }
        Part::Thinking(Thinking { text, signature: Some(signature), .. }) => {
            push_field(&mut out, "type", "thinking");
            push_field(&mut out, "thinking", text);
            push_field(&mut out, "signature", signature);
        }
        Part::Thinking(_) => return None,
        Part::ToolCall(call) => {
            push_field(&mut out, "type", "tool_use");
            push_field(&mut out, "id", &call.id);
            push_field(&mut out, "name", &call.name);
            push_key(&mut out, "input");
            out.push_str(&input_object(&call.arguments));
        }
        Part::ToolResult(result) => {
            push_field(&mut out, "type", "tool_result");
            push_field(&mut out, "tool_use_id", &result.call_id);
            push_key(&mut out, "content");
            push_result_content(&mut out, &result.parts);
            if result.is_error == Some(true) {
                push_key(&mut out, "is_error");
                out.push_str("true");
            }
        }
        Part::Other(raw) => return Some(raw.clone()),
    }
    out.push('}');
    Some(out)
}

fn push_result_content(out: &mut String, parts: &[Part]) {
    if let [Part::Text(text)] = parts {
        return push_string(out, text);
    }
    push_list(out, parts.iter().filter_map(block_of), |out, block| out.push_str(&block));
}

fn push_source(out: &mut String, media_type: &str, source: &MediaSource) {
    push_key(out, "source");
    out.push('{');
    let (kind, key, value) = match source {
        MediaSource::Url(url) => ("url", "url", url),
        MediaSource::FileId(id) => ("file", "file_id", id),
        MediaSource::Base64(data) => ("base64", "data", data),
        MediaSource::Text(text) => ("text", "data", text),
    };
    push_field(out, "type", kind);
    if matches!(source, MediaSource::Base64(_) | MediaSource::Text(_)) {
        // Callers send `image/jpg`; the provider rejects it.
        push_field(out, "media_type", if media_type == "image/jpg" { "image/jpeg" } else { media_type });
    }
    push_field(out, key, value);
    out.push('}');
}

/// A call's arguments as the text of an object, because the provider accepts nothing else as `input`. What is no object is
/// its field `arguments`.
pub(super) fn input_object(arguments: &str) -> Cow<'_, str> {
    let trimmed = arguments.trim();
    let takes = is_object(trimmed)
        && serde_json::from_str::<&serde_json::value::RawValue>(trimmed).is_ok()
        && check_json(trimmed).is_ok();
    if takes {
        return Cow::Borrowed(trimmed);
    }
    if trimmed.is_empty() || trimmed == "null" {
        return Cow::Borrowed("{}");
    }
    let mut out = String::from("{");
    push_field(&mut out, "arguments", arguments);
    out.push('}');
    Cow::Owned(out)
}

/// How long the provider keeps what a mark ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, utoipa::ToSchema, IntoStaticStr)]
pub enum CacheTtl {
    /// Five minutes, renewed by every use.
    #[serde(rename = "5m")]
    #[strum(serialize = "5m")]
    FiveMinutes,
    /// An hour, at a higher price for writing.
    #[serde(rename = "1h")]
    #[strum(serialize = "1h")]
    Hour,
}

impl CacheTtl {
    /// Its name in the API, which is the provider's.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A block, given as its JSON text, with a mark: the provider caches the prompt up to its end.
pub fn with_cache_control(block: &str, ttl: CacheTtl) -> String {
    let mut out = block.trim_end().strip_suffix('}').unwrap_or(block).to_owned();
    push_key(&mut out, "cache_control");
    out.push_str("{\"type\":\"ephemeral\"");
    // Five minutes is what the provider assumes.
    if ttl == CacheTtl::Hour {
        push_field(&mut out, "ttl", ttl.as_str());
    }
    out.push_str("}}");
    out
}
