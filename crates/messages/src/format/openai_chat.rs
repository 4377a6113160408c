//! The `openai-chat` format: messages of the chat completions API.

use super::super::message::{
    Attachment, Image, MediaSource, Message, Part, Role, Thinking, ToolCall, ToolResult,
};
use super::error::FormatError;
use super::json::{
    Fields, each, is_array, is_object, is_string, push_field, push_key, push_list, push_string, string,
};

/// Parses one message.
///
/// # Errors
/// When the role is missing or unknown, or content or tool calls have the wrong type.
pub fn parse(raw: &str) -> Result<Message, FormatError> {
    let fields = Fields::read(raw)?;
    let role = role_of(&fields, &[Role::System, Role::Developer, Role::User, Role::Assistant, Role::Tool])?;
    let name = fields.string("name")?;
    let mut parts = Vec::new();
    if role == Role::Assistant {
        let reasoning = fields.lenient("reasoning_content").or_else(|| fields.lenient("reasoning"));
        if let Some(text) = reasoning.filter(|t| !t.is_empty()) {
            parts.push(Part::Thinking(Thinking { text, signature: None, redacted: None }));
        }
    }
    let content = parts_of(&fields, "content", "a string, an array of parts or null", part)?;
    if role == Role::Tool {
        let call_id = fields.string_or_empty("tool_call_id")?;
        parts.push(Part::ToolResult(ToolResult { call_id, parts: content, is_error: None }));
        return Ok(Message { role, name, parts });
    }
    parts.extend(content);
    if role == Role::Assistant {
        if let Some(text) = fields.lenient("refusal").filter(|t| !t.is_empty()) {
            parts.push(Part::Text(text));
        }
        if let Some(audio) = fields.raw("audio") {
            parts.push(Part::Other(format!("{AUDIO_HEAD}{audio}}}")));
        }
        if let Some(calls) = fields.raw("tool_calls") {
            let calls = each(calls, call).map_err(|e| e.under("/tool_calls"))?;
            parts.extend(calls.into_iter().map(Part::ToolCall));
        }
        if let Some(legacy) = fields.object("function_call")? {
            let call = function(&legacy).map_err(|e| e.under("/function_call"))?;
            parts.push(Part::ToolCall(ToolCall { id: String::new(), ..call }));
        }
    }
    Ok(Message { role, name, parts })
}

/// The role of a message. The error for an unknown one lists those of the format, because the caller may have used
/// another provider's role.
pub(super) fn role_of(fields: &Fields<'_>, known: &[Role]) -> Result<Role, FormatError> {
    let name = fields.string("role")?.ok_or_else(|| FormatError::at("/role", "is required"))?;
    // `function` is the older name of the role, from before calls had ids.
    let role = if name == "function" { Some(Role::Tool) } else { name.parse().ok() };
    role.filter(|role| known.contains(role)).ok_or_else(|| {
        let shown: String = name.chars().take(40).collect();
        let names: Vec<&str> = known.iter().map(Role::as_ref).collect();
        let (last, before) = names.split_last().unwrap_or((&"none", &[]));
        let known = format!("{} or {last}", before.join(", "));
        FormatError::at("/role", format!("unknown role {shown:?}; this format has {known}"))
    })
}

/// The parts of a field with a text or an array of parts, or without a value; `expected` is what it may be.
pub(super) fn parts_of(
    fields: &Fields<'_>,
    key: &str,
    expected: &str,
    part: impl FnMut(&str) -> Result<Part, FormatError>,
) -> Result<Vec<Part>, FormatError> {
    let parts = match fields.raw(key) {
        None => Ok(Vec::new()),
        Some(raw) if is_string(raw) => string(raw).map(|text| vec![Part::Text(text)]),
        Some(raw) if is_array(raw) => each(raw, part),
        Some(_) => Err(FormatError::at("", format!("must be {expected}"))),
    };
    parts.map_err(|e| e.under(&format!("/{key}")))
}

fn part(raw: &str) -> Result<Part, FormatError> {
    let fields = Fields::read(raw)?;
    let other = || Part::Other(raw.to_owned());
    let part = match fields.string("type")?.as_deref() {
        Some("text" | "input_text" | "output_text") => {
            Part::Text(fields.string("text")?.ok_or_else(|| FormatError::at("/text", "is required"))?)
        }
        Some("refusal") => Part::Text(fields.string_or_empty("refusal")?),
        Some("image_url") => match fields.raw("image_url") {
            Some(raw) if is_string(raw) => Part::Image(image(&string(raw)?, None)),
            Some(raw) if is_object(raw) => {
                let inner = Fields::read(raw)?;
                let url = inner.string("url").map_err(|e| e.under("/image_url"))?;
                url.map_or_else(other, |url| Part::Image(image(&url, inner.lenient("detail"))))
            }
            _ => return Err(FormatError::at("/image_url", "must be an object with a url")),
        },
        Some("input_audio") => fields.object("input_audio")?.map_or_else(other, |audio| audio_part(&audio)),
        Some("file") => fields.object("file")?.map_or_else(other, |file| file_part(&file)),
        _ => other(),
    };
    Ok(part)
}

/// An image from its URL; a `data:` URL contains the bytes themselves.
pub(super) fn image(url: &str, detail: Option<String>) -> Image {
    let (media_type, source) = media(url);
    Image { media_type, source, detail }
}

/// The media type, when a `data:` URL contains it, and the source of a URL's bytes.
pub(super) fn media(url: &str) -> (Option<String>, MediaSource) {
    let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    match inline {
        Some((kind, data)) => {
            let kind = kind.split(';').next().unwrap_or_default();
            (Some(kind.to_owned()).filter(|k| !k.is_empty()), MediaSource::Base64(data.to_owned()))
        }
        None => (None, MediaSource::Url(url.to_owned())),
    }
}

pub(super) fn audio_part(audio: &Fields<'_>) -> Part {
    Part::File(Attachment {
        media_type: audio.lenient("format").map(|f| format!("audio/{f}")),
        name: None,
        source: MediaSource::Base64(audio.lenient("data").unwrap_or_default()),
    })
}

pub(super) fn file_part(file: &Fields<'_>) -> Part {
    let name = file.lenient("filename");
    let (media_type, source) = if let Some(data) = file.lenient("file_data") {
        match media(&data) {
            // Some callers send base64 without the `data:` prefix.
            (None, MediaSource::Url(bare)) if !bare.starts_with("http") => (None, MediaSource::Base64(bare)),
            known => known,
        }
    } else if let Some(url) = file.lenient("file_url") {
        (None, MediaSource::Url(url))
    } else {
        (None, MediaSource::FileId(file.lenient("file_id").unwrap_or_default()))
    };
    Part::File(Attachment { media_type, name, source })
}

fn call(raw: &str) -> Result<ToolCall, FormatError> {
    let fields = Fields::read(raw)?;
    let id = fields.string_or_empty("id")?;
    if let Some(custom) = fields.object("custom")? {
        let name = custom.string("name").map_err(|e| e.under("/custom"))?.unwrap_or_default();
        let arguments = custom.string("input").map_err(|e| e.under("/custom"))?.unwrap_or_default();
        return Ok(ToolCall { id, name, arguments });
    }
    let function_fields =
        fields.object("function")?.ok_or_else(|| FormatError::at("/function", "is required"))?;
    let call = function(&function_fields).map_err(|e| e.under("/function"))?;
    Ok(ToolCall { id, ..call })
}

fn function(fields: &Fields<'_>) -> Result<ToolCall, FormatError> {
    let arguments = match fields.raw("arguments") {
        None => String::new(),
        Some(raw) if is_string(raw) => string(raw)?,
        // Some servers send an object instead of its JSON text; it is served as text.
        Some(raw) => raw.to_owned(),
    };
    Ok(ToolCall { id: String::new(), name: fields.string_or_empty("name")?, arguments })
}

/// The model's audio is in a field beside the content; it is kept as an unknown block with this beginning.
const AUDIO_HEAD: &str = "{\"type\":\"audio\",\"audio\":";

fn audio_of(part: &Part) -> Option<&str> {
    let Part::Other(raw) = part else { return None };
    raw.strip_prefix(AUDIO_HEAD)?.strip_suffix('}')
}

/// Writes a message without tool results as one JSON object. Signed thinking is left out.
pub fn write(message: &Message) -> String {
    let mut out = String::from("{");
    push_field(&mut out, "role", message.role.as_ref());
    if let Some(name) = &message.name {
        push_field(&mut out, "name", name);
    }
    let spoken = message.parts.iter().find_map(audio_of);
    let is_content = |p: &&Part| {
        !matches!(p, Part::Thinking(_) | Part::ToolCall(_) | Part::ToolResult(_)) && audio_of(p).is_none()
    };
    let content: Vec<&Part> = message.parts.iter().filter(is_content).collect();
    push_key(&mut out, "content");
    if content.is_empty() {
        out.push_str("null");
    } else {
        push_content(&mut out, &content);
    }
    if let Some(spoken) = spoken {
        push_key(&mut out, "audio");
        out.push_str(spoken);
    }
    for part in &message.parts {
        if let Part::Thinking(thinking) = part
            && thinking.signature.is_none()
            && thinking.redacted.is_none()
        {
            push_field(&mut out, "reasoning_content", &thinking.text);
            break;
        }
    }
    if message.calls().next().is_some() {
        push_key(&mut out, "tool_calls");
        push_list(&mut out, message.calls(), |out, call| {
            out.push('{');
            push_field(out, "id", &call.id);
            push_field(out, "type", "function");
            push_key(out, "function");
            out.push('{');
            push_field(out, "name", &call.name);
            push_field(out, "arguments", &call.arguments);
            out.push_str("}}");
        });
    }
    out.push('}');
    out
}

/// Writes one tool result as a tool message, with its text only, because the format allows nothing else.
pub fn write_result(call_id: &str, name: Option<&str>, text: &str) -> String {
    let mut out = String::from("{");
    push_field(&mut out, "role", "tool");
    push_field(&mut out, "tool_call_id", call_id);
    if let Some(name) = name {
        push_field(&mut out, "name", name);
    }
    push_field(&mut out, "content", text);
    out.push('}');
    out
}

fn push_content(out: &mut String, parts: &[&Part]) {
    if let [Part::Text(text)] = parts {
        return push_string(out, text);
    }
    push_list(out, parts, |out, part| push_part(out, part));
}

fn push_part(out: &mut String, part: &Part) {
    match part {
        Part::Text(text) => {
            out.push('{');
            push_field(out, "type", "text");
            push_field(out, "text", text);
            out.push('}');
        }
        Part::Image(image) => {
            out.push('{');
            push_field(out, "type", "image_url");
            push_key(out, "image_url");
            out.push('{');
            push_field(
                out,
                "url",
                &address(image.media_type.as_deref().unwrap_or("image/png"), &image.source),
            );
            if let Some(detail) = &image.detail {
                push_field(out, "detail", detail);
            }
            out.push_str("}}");
        }
        Part::File(file) => push_file(out, file),
        Part::Other(raw) => out.push_str(raw),
        Part::Thinking(_) | Part::ToolCall(_) | Part::ToolResult(_) => {}
    }
}

fn push_file(out: &mut String, file: &Attachment) {
    let media_type = file.media_type.as_deref().unwrap_or("application/pdf");
    if let (true, MediaSource::Base64(data)) = (media_type.starts_with("audio/"), &file.source) {
        return push_audio(out, media_type, data);
    }
    out.push('{');
    push_field(out, "type", "file");
    push_key(out, "file");
    out.push('{');
    if let MediaSource::FileId(id) = &file.source {
        if let Some(name) = &file.name {
            push_field(out, "filename", name);
        }
        push_field(out, "file_id", id);
    } else {
        push_field(out, "filename", file.name.as_deref().unwrap_or(FILE_NAME));
        push_field(out, "file_data", &address(media_type, &file.source));
    }
    out.push_str("}}");
}

/// The name for a file without one, because providers reject a file without a name.
pub(super) const FILE_NAME: &str = "document.pdf";

/// Writes audio as a content part.
pub(super) fn push_audio(out: &mut String, media_type: &str, data: &str) {
    out.push('{');
    push_field(out, "type", "input_audio");
    push_key(out, "input_audio");
    out.push('{');
    push_field(out, "data", data);
    push_field(out, "format", media_type.strip_prefix("audio/").unwrap_or(media_type));
    out.push_str("}}");
}

/// The URL of a source, or a `data:` URL with its bytes. A file id or a text is returned as it is; contexts in this format have
/// none.
pub(super) fn address(media_type: &str, source: &MediaSource) -> String {
    match source {
        MediaSource::Url(url) | MediaSource::FileId(url) => url.clone(),
        MediaSource::Base64(data) => format!("data:{media_type};base64,{data}"),
        MediaSource::Text(text) => text.clone(),
    }
}
