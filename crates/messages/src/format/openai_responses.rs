//! The `openai-responses` format: items of the responses API. Messages, calls, outputs and reasoning are separate
//! items, and every item becomes one message.
//!
//! Calls have different kinds, and an output must have the kind of its call. When an item is changed and served in this
//! format, it is therefore patched ([`patched`]) and not rewritten, which keeps its kind, its id and unknown fields.

use super::super::message::{
    Attachment, Image, MediaSource, Message, Part, Role, Thinking, ToolCall, ToolResult,
};
use super::error::FormatError;
use super::json::{Fields, each, is_array, is_string, push_field, push_key, push_list, push_string, string};
use super::openai_chat::{FILE_NAME, address, audio_part, file_part, image, parts_of, push_audio, role_of};
use super::result_text;

/// Parses one item.
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
                Some(raw) if !is_string(raw) && !is_array(raw) => {
                    vec![screenshot(raw).unwrap_or_else(|| Part::Text(raw.to_owned()))]
                }
                _ => content(&fields, "output")?,
            };
            message(Role::Tool, Part::ToolResult(ToolResult { call_id, parts, is_error: None }))
        }
        Some(kind)
            if kind.ends_with("_call")
                && (kind == "function_call" || fields.lenient("call_id").is_some()) =>
        {
            let arguments = ARGUMENTS.into_iter().find_map(|key| fields.raw(key));
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
        Some("image_generation_call") if fields.lenient("result").is_some_and(|data| !data.is_empty()) => {
            let media_type = fields.lenient("output_format").map(|kind| format!("image/{kind}"));
            let source = MediaSource::Base64(fields.string_or_empty("result")?);
            message(Role::Assistant, Part::Image(Image { media_type, source, detail: None }))
        }
        // The only unknown item that is the user's.
        Some("mcp_approval_response") => message(Role::User, Part::Other(raw.to_owned())),
        // Server tools and references have no counterpart elsewhere.
        Some(_) => message(Role::Assistant, Part::Other(raw.to_owned())),
    }
}

/// The field with the arguments, by kind of call.
const ARGUMENTS: [&str; 4] = ["arguments", "input", "action", "operation"];

/// A screenshot, which is the output of a computer call.
fn screenshot(raw: &str) -> Option<Part> {
    let fields = Fields::read(raw).ok()?;
    fields.lenient("type").filter(|kind| kind == "computer_screenshot")?;
    Some(picture(&fields, fields.lenient("image_url")))
}

fn picture(fields: &Fields<'_>, url: Option<String>) -> Part {
    let detail = fields.lenient("detail");
    Part::Image(match url {
        Some(url) => image(&url, detail),
        None => Image {
            media_type: None,
            source: MediaSource::FileId(fields.lenient("file_id").unwrap_or_default()),
            detail,
        },
    })
}

fn parse_message(fields: &Fields<'_>) -> Result<Message, FormatError> {
    let role = role_of(fields, &[Role::System, Role::Developer, Role::User, Role::Assistant])?;
    let parts = content(fields, "content")?;
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

fn content(fields: &Fields<'_>, key: &str) -> Result<Vec<Part>, FormatError> {
    parts_of(fields, key, "a string or an array of parts", part)
}

fn part(raw: &str) -> Result<Part, FormatError> {
    let fields = Fields::read(raw)?;
    let part = match fields.string("type")?.as_deref() {
        Some("input_text" | "output_text" | "text" | "summary_text") => {
            Part::Text(fields.string("text")?.ok_or_else(|| FormatError::at("/text", "is required"))?)
        }
        Some("refusal") => Part::Text(fields.string_or_empty("refusal")?),
        Some("input_image" | "computer_screenshot") => picture(&fields, fields.string("image_url")?),
        Some("input_file") => file_part(&fields),
        Some("input_audio") => audio_part(&fields.object("input_audio")?.unwrap_or_default()),
        // A part of a shell call's output.
        None if fields.raw("stdout").is_some() || fields.raw("stderr").is_some() => {
            let said = ["stdout", "stderr"].into_iter().filter_map(|key| fields.lenient(key));
            Part::Text(said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"))
        }
        _ => Part::Other(raw.to_owned()),
    };
    Ok(part)
}

/// New values for fields of an item.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patch<'t> {
    /// The id of the call.
    pub call_id: Option<&'t str>,
    /// The arguments, as text.
    pub arguments: Option<&'t str>,
    /// The output.
    pub output: Option<&'t [Part]>,
}

/// The item as sent, with the values of the patch; `None` when it is not an object.
pub fn patched(raw: &str, patch: Patch<'_>) -> Option<String> {
    let fields = Fields::read(raw).ok()?;
    let asked = ARGUMENTS.into_iter().find(|key| fields.raw(key).is_some());
    let mut out = String::with_capacity(raw.len().min(4_096));
    out.push('{');
    let (mut named, mut answered) = (false, false);
    for (key, value) in fields.entries() {
        push_key(&mut out, key);
        match (key, patch) {
            ("call_id", Patch { call_id: Some(id), .. }) => {
                push_string(&mut out, id);
                named = true;
            }
            ("output", Patch { output: Some(parts), .. }) => {
                push_output(&mut out, parts);
                answered = true;
            }
            (key, Patch { arguments: Some(text), .. }) if asked == Some(key) => push_string(&mut out, text),
            _ => out.push_str(value),
        }
    }
    if let Some(id) = patch.call_id.filter(|_| !named) {
        push_field(&mut out, "call_id", id);
    }
    if let Some(parts) = patch.output.filter(|_| !answered) {
        push_key(&mut out, "output");
        push_output(&mut out, parts);
    }
    out.push('}');
    Some(out)
}

/// Whether the kinds of a call and an output, as sent, match.
pub fn is_pair(call: &str, output: &str) -> bool {
    let Some((call, output)) = kind(call).zip(kind(output)) else { return false };
    let own = output.strip_suffix("_output") == Some(&call);
    // The older shell tool accepts a function's output too.
    own || (call == "local_shell_call" && output == FUNCTION_OUTPUT)
}

/// Whether a call, judged by its tool name, cannot be served with a function's output: it has no name, or it is of a
/// kind that accepts only its own kind of output. Such calls have the kind as their name.
pub fn is_special(tool: &str) -> bool {
    const KINDS: [&str; 6] = [
        "computer_call", "shell_call", "local_shell_call", "apply_patch_call", "function_call",
        "custom_tool_call",
    ];
    tool.is_empty() || KINDS.contains(&tool)
}

/// Whether a call of this name is that of a function, or of a tool without a name.
pub fn is_nameless(tool: &str) -> bool {
    matches!(tool, "" | "function_call" | "custom_tool_call")
}

/// The kind of output for a call's item, when there is no sent output to patch.
pub fn output_kind(call: &str) -> &'static str {
    if kind(call).is_some_and(|kind| kind == "custom_tool_call") { CUSTOM_OUTPUT } else { FUNCTION_OUTPUT }
}

fn kind(raw: &str) -> Option<String> {
    Fields::read(raw).ok()?.lenient("type")
}

/// The kind of a function's output.
pub const FUNCTION_OUTPUT: &str = "function_call_output";
const CUSTOM_OUTPUT: &str = "custom_tool_call_output";

/// Writes a message as items: its text first, then one item for each call. Tool results are written
/// by [`write_result`], thinking is left out.
pub fn write(message: &Message) -> Vec<String> {
    let mut items = Vec::new();
    let is_content = |p: &&Part| !matches!(p, Part::Thinking(_) | Part::ToolCall(_) | Part::ToolResult(_));
    let content: Vec<&Part> = message.parts.iter().filter(is_content).collect();
    if !content.is_empty() {
        let mut out = String::from("{");
        push_field(&mut out, "type", "message");
        push_field(&mut out, "role", message.role.as_ref());
        push_key(&mut out, "content");
        push_list(&mut out, content, |out, part| push_part(out, message.role, part));
        out.push('}');
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

/// Writes one tool result as an output of a kind: as a string if it is only text, else as parts.
pub fn write_result(kind: &str, call_id: &str, parts: &[Part]) -> String {
    let mut out = String::from("{");
    push_field(&mut out, "type", kind);
    push_field(&mut out, "call_id", call_id);
    push_key(&mut out, "output");
    push_output(&mut out, parts);
    out.push('}');
    out
}

fn push_output(out: &mut String, parts: &[Part]) {
    if !parts.iter().any(|part| matches!(part, Part::Image(_) | Part::File(_))) {
        return push_string(out, &result_text(parts));
    }
    push_list(out, parts, |out, part| {
        let text = if let Part::Other(raw) = part { Some(Part::Text(raw.clone())) } else { None };
        push_part(out, Role::User, text.as_ref().unwrap_or(part));
    });
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
        Part::File(Attachment { media_type: Some(kind), source: MediaSource::Base64(data), .. })
            if kind.starts_with("audio/") =>
        {
            push_audio(out, kind, data);
        }
        Part::File(file) => {
            out.push('{');
            push_field(out, "type", "input_file");
            let inline = matches!(file.source, MediaSource::Base64(_) | MediaSource::Text(_));
            if let Some(name) = file.name.as_deref().or(inline.then_some(FILE_NAME)) {
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
