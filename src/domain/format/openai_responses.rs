//! Items of the responses API: messages, calls, their outputs and reasoning are items of their own,
//! and every item is one message here.

use super::super::message::{
    Attachment, Image, MediaSource, Message, Part, Role, Thinking, ToolCall, ToolResult,
};
use super::FormatError;
use super::json::{Fields, each, is_array, is_string, push_field, push_key, string};
use super::openai_chat::{address, file_part, image, unknown_role};

/// The JSON text of each tool result's content.
pub(super) fn raw_results(raw: &str) -> Vec<Option<&str>> {
    let Ok(fields) = Fields::read(raw) else { return Vec::new() };
    match fields.lenient("type") {
        Some(kind) if kind.ends_with("_call_output") => vec![fields.raw("output")],
        _ => Vec::new(),
    }
}

/// Reads one item.
///
/// # Errors
/// When it is a message without a known role, or content or output have the wrong type.
pub fn parse(raw: &str) -> Result<Message, FormatError> {
    let fields = Fields::read(raw)?;
    let kind = fields.string("type")?;
    let message = |role, part| Ok(Message { role, name: None, parts: vec![part] });
    match kind.as_deref() {
        None | Some("message") => parse_message(&fields),
        Some("reasoning") => message(Role::Assistant, Part::Thinking(reasoning(&fields))),
        Some(kind) if kind.ends_with("_call_output") => {
            let call_id = fields.string_or_empty("call_id")?;
            let parts = match fields.raw("output") {
                None => Vec::new(),
                Some(raw) if is_string(raw) || is_array(raw) => {
                    content(raw).map_err(|e| e.under("/output"))?
                }
                Some(raw) => vec![Part::Text(raw.to_owned())],
            };
            message(Role::Tool, Part::ToolResult(ToolResult { call_id, parts, is_error: None }))
        }
        Some(kind)
            if kind.ends_with("_call")
                && (kind == "function_call" || fields.lenient("call_id").is_some()) =>
        {
            let arguments = ["arguments", "input", "action"].into_iter().find_map(|key| fields.raw(key));
            let arguments = match arguments {
                None => String::new(),
                Some(raw) if is_string(raw) => string(raw)?,
                Some(raw) => raw.to_owned(),
            };
            let name = fields.string("name")?.unwrap_or_else(|| kind.to_owned());
            message(
                Role::Assistant,
                Part::ToolCall(ToolCall { id: fields.string_or_empty("call_id")?, name, arguments }),
            )
        }
        // Server tools and references have no counterpart elsewhere.
        Some(_) => message(Role::Assistant, Part::Other(raw.to_owned())),
    }
}

fn parse_message(fields: &Fields<'_>) -> Result<Message, FormatError> {
    let role = match fields.string("role")?.as_deref() {
        Some("system") => Role::System,
        Some("developer") => Role::Developer,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some(other) => return Err(unknown_role(other)),
        None => return Err(FormatError::at("/role", "is required")),
    };
    let parts = match fields.raw("content") {
        None => Vec::new(),
        Some(raw) => content(raw).map_err(|e| e.under("/content"))?,
    };
    Ok(Message { role, name: None, parts })
}

fn reasoning(fields: &Fields<'_>) -> Thinking {
    let mut text = String::new();
    for key in ["summary", "content"] {
        let Some(raw) = fields.raw(key).filter(|raw| is_array(raw)) else { continue };
        let parts = each(raw, |raw| Ok(Fields::read(raw)?.lenient("text").unwrap_or_default()));
        for part in parts.unwrap_or_default() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&part);
        }
    }
    Thinking { text, signature: None, redacted: fields.lenient("encrypted_content") }
}

fn content(raw: &str) -> Result<Vec<Part>, FormatError> {
    if is_string(raw) {
        return Ok(vec![Part::Text(string(raw)?)]);
    }
    if !is_array(raw) {
        return Err(FormatError::at("", "must be a string or an array of parts"));
    }
    each(raw, part)
}

fn part(raw: &str) -> Result<Part, FormatError> {
    let fields = Fields::read(raw)?;
    let part = match fields.string("type")?.as_deref() {
        Some("input_text" | "output_text" | "text" | "summary_text") => {
            Part::Text(fields.string("text")?.ok_or_else(|| FormatError::at("/text", "is required"))?)
        }
        Some("refusal") => Part::Text(fields.string_or_empty("refusal")?),
        Some("input_image") => {
            let detail = fields.lenient("detail");
            match fields.string("image_url")? {
                Some(url) => Part::Image(image(&url, detail)),
                None => Part::Image(Image {
                    media_type: None,
                    source: MediaSource::FileId(fields.string_or_empty("file_id")?),
                    detail,
                }),
            }
        }
        Some("input_file") => file_part(&fields),
        Some("input_audio") => {
            let audio = fields.object("input_audio")?;
            let take = |key: &str| audio.as_ref().and_then(|a| a.lenient(key));
            Part::File(Attachment {
                media_type: take("format").map(|f| format!("audio/{f}")),
                name: None,
                source: MediaSource::Base64(take("data").unwrap_or_default()),
            })
        }
        _ => Part::Other(raw.to_owned()),
    };
    Ok(part)
}

/// Writes a message as items: its text first, then one item for each call. Tool results are written
/// by [`write_result`], thinking is left out.
#[must_use]
pub fn write(message: &Message) -> Vec<String> {
    let mut items = Vec::new();
    let is_content = |p: &&Part| !matches!(p, Part::Thinking(_) | Part::ToolCall(_) | Part::ToolResult(_));
    let content: Vec<&Part> = message.parts.iter().filter(is_content).collect();
    if !content.is_empty() {
        let mut out = String::from("{");
        push_field(&mut out, "type", "message");
        push_field(&mut out, "role", message.role.as_str());
        push_key(&mut out, "content");
        out.push('[');
        for part in content {
            if !out.ends_with('[') {
                out.push(',');
            }
            push_part(&mut out, message.role, part);
        }
        out.push_str("]}");
        items.push(out);
    }
    for call in message.calls() {
        let mut out = String::from("{");
        push_field(&mut out, "type", "function_call");
        push_field(&mut out, "call_id", &call.id);
        push_field(&mut out, "name", &call.name);
        push_field(&mut out, "arguments", &call.arguments);
        out.push('}');
        items.push(out);
    }
    items
}

/// Writes one tool result: its text.
#[must_use]
pub fn write_result(call_id: &str, text: &str) -> String {
    let mut out = String::from("{");
    push_field(&mut out, "type", "function_call_output");
    push_field(&mut out, "call_id", call_id);
    push_field(&mut out, "output", text);
    out.push('}');
    out
}

fn push_part(out: &mut String, role: Role, part: &Part) {
    match part {
        Part::Text(text) => {
            out.push('{');
            push_field(out, "type", if role == Role::Assistant { "output_text" } else { "input_text" });
            push_field(out, "text", text);
            out.push('}');
        }
        Part::Image(image) => {
            out.push('{');
            push_field(out, "type", "input_image");
            match &image.source {
                MediaSource::FileId(id) => push_field(out, "file_id", id),
                source @ (MediaSource::Url(_) | MediaSource::Base64(_) | MediaSource::Text(_)) => {
                    push_field(
                        out,
                        "image_url",
                        &address(image.media_type.as_deref().unwrap_or("image/png"), source),
                    );
                }
            }
            push_field(out, "detail", image.detail.as_deref().unwrap_or("auto"));
            out.push('}');
        }
        Part::File(file) => {
            out.push('{');
            push_field(out, "type", "input_file");
            if let Some(name) = &file.name {
                push_field(out, "filename", name);
            }
            match &file.source {
                MediaSource::FileId(id) => push_field(out, "file_id", id),
                MediaSource::Url(url) => push_field(out, "file_url", url),
                source @ (MediaSource::Base64(_) | MediaSource::Text(_)) => {
                    let kind = file.media_type.as_deref().unwrap_or("application/pdf");
                    push_field(out, "file_data", &address(kind, source));
                }
            }
            out.push('}');
        }
        Part::Other(raw) => out.push_str(raw),
        Part::Thinking(_) | Part::ToolCall(_) | Part::ToolResult(_) => {}
    }
}
