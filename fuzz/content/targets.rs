//! What is fuzzed: every parser that reads message content, from bytes of any kind.
//!
//! Each target panics when something does that must not, or when two readings of the same bytes differ.
//! Shared by the runner beside this file and by libFuzzer.

use anchord_facts::redact::redact;
use anchord_messages::format::{self, Format, detect::detect};
use anchord_messages::message::{Message, Numbered, Part, Role, ToolCall, ToolResult};
use anchord_messages::shape::Shape;
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Base, Material};
use anchord_record::parts::{Parts, StoredSummary};
use anchord_record::summary::Summary;

use chrono::DateTime;
use serde_json::json;

/// A target's name and what it does with the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const ALL: [Target; 6] = [
    ("body", body),
    ("media", media),
    ("conversation", conversation),
    ("secrets", secrets),
    ("query", query),
    ("tokens", tokens),
];

/// One message's JSON in every format.
pub fn body(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = detect(None, [text.as_ref()]);
    for format in [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses] {
        if let Ok(message) = format::parse(format, &text) {
            let _ = Shape::measure(&message, &TokenCounter::default());
            let _ = anchord_recall::analyze(&message);
            digest(vec![message]);
        }
    }
}

/// Images and files whose names, addresses and content are anything.
pub fn media(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (kind, rest) = text.split_once('\u{1}').unwrap_or(("image/png", &text));
    let (url, alt) = rest.split_once('\u{1}').unwrap_or((rest, ""));
    let source = json!({"type": "base64", "media_type": kind, "data": url});
    let messages = [
        (
            Format::OpenaiChat,
            json!([{"type": "image_url", "image_url": {"url": url, "detail": kind}}, {"type": "text", "text": alt}]),
        ),
        (
            Format::OpenaiChat,
            json!([{"type": "image_url", "image_url": {"url": format!("data:{kind};base64,{url}")}}]),
        ),
        (Format::OpenaiChat, json!([{"type": "file", "file": {"filename": alt, "file_data": url}}])),
        (
            Format::Anthropic,
            json!([{"type": "image", "source": source}, {"type": "document", "source": source, "title": alt}]),
        ),
        (
            Format::Anthropic,
            json!([{"type": "tool_result", "tool_use_id": kind, "content": [{"type": "image", "source": source}]}]),
        ),
    ];
    for (format, content) in messages {
        if let Ok(message) = format::parse(format, &json!({"role": "user", "content": content}).to_string()) {
            let _ = Shape::measure(&message, &TokenCounter::default());
            digest(vec![message]);
        }
    }
}

/// Messages of every role, with calls and results, through the whole compression, twice in a row.
pub fn conversation(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // A byte that no text has parts the messages; each one's first character says what it is.
    let messages: Vec<Message> =
        text.split('\u{1}').take(24).zip(0..).map(|(text, at)| seat(text, at)).collect();
    digest(messages);
}

/// Secrets, whose removal must hold.
pub fn secrets(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let once = redact(&text);
    assert_eq!(redact(&once), once, "what was redacted is redacted again");
}

/// A question and a message to look for it in.
pub fn query(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (asked, said) = text.split_once('\u{1}').unwrap_or((&text, &text));
    let message = Message { role: Role::User, name: None, parts: vec![Part::Text(said.to_owned())] };
    let _ = anchord_recall::analyze(&message);
    if let Some(query) = anchord_recall::Query::parse(asked) {
        let _ = query.terms();
        let _ = query.examine(&message, None);
    }
}

/// Tokens: a text's are no more than its bytes.
pub fn tokens(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let count = TokenCounter::default().count_text(&text);
    assert!(usize::try_from(count).is_ok_and(|count| count <= text.len()), "more tokens than bytes");
}

/// A message in one of the seats that a text may have.
fn seat(text: &str, at: usize) -> Message {
    let mut characters = text.chars();
    let kind = characters.next().map_or(0, u32::from) % 16;
    let rest = characters.as_str().to_owned();
    let id = format!("c{}", at / 2);
    let call = |name: &str, arguments: String| {
        let call = ToolCall { id: id.clone(), name: name.to_owned(), arguments };
        Message { role: Role::Assistant, name: None, parts: vec![Part::ToolCall(call)] }
    };
    let said = |role, text| Message { role, name: None, parts: vec![Part::Text(text)] };
    match kind {
        0 => said(Role::User, rest),
        1 => said(Role::Assistant, rest),
        2 => said(Role::System, rest),
        // A console that one reader knows by this name.
        3 => Message { name: Some("aider".to_owned()), ..said(Role::User, rest) },
        4 => call("Bash", json!({"command": rest}).to_string()),
        5 => call("Edit", json!({"file_path": "a.rs", "old_string": "x", "new_string": rest}).to_string()),
        6 => call("apply_patch", json!({"patch": rest}).to_string()),
        7 => call("str_replace_editor", rest),
        8 => call(&rest, "{}".to_owned()),
        9 => call("TodoWrite", json!({"todos": rest}).to_string()),
        10 => call("update_plan", rest),
        11 => call("NotebookEdit", json!({"notebook_path": "a.ipynb", "new_source": rest}).to_string()),
        12 => call("powershell", json!({"command": rest, "workdir": "C:\\w"}).to_string()),
        _ => {
            let result = ToolResult {
                call_id: format!("c{}", at.saturating_sub(1) / 2),
                parts: vec![Part::Text(rest)],
                is_error: [None, Some(true), Some(false)]
                    .get(usize::try_from(kind).unwrap_or(0) % 3)
                    .copied()
                    .flatten(),
            };
            Message { role: Role::Tool, name: None, parts: vec![Part::ToolResult(result)] }
        }
    }
}

/// A record, stored in parts and read back.
fn stored(summary: &Summary) -> serde_json::Result<(Summary, Parts)> {
    let written = Parts::default().write(summary, 1)?;
    let texts = written.new.into_iter().map(|(_, text)| text).collect();
    StoredSummary { document: written.head, parts: written.parts, texts }.read()
}

/// Compresses the messages, and once more on top of what came of it; the same bytes each time.
fn digest(messages: Vec<Message>) {
    let span: Vec<Numbered> = (1..).zip(messages).map(|(seq, message)| Numbered { seq, message }).collect();
    let mut material = Material::first(span, 100_000, TokenCounter::default(), DateTime::UNIX_EPOCH);
    let facts = candidate::read(&material);
    assert_eq!(facts, candidate::read(&material), "two readings differ");
    let draft = candidate::draft(&material, &facts);
    let checked = candidate::check(&material, &facts, draft);
    let stored = stored(&checked.summary);
    assert!(
        stored.as_ref().is_ok_and(|(summary, _)| *summary == checked.summary),
        "a record does not read back"
    );
    let (summary, parts) = stored.unwrap_or_default();
    material.base = Some(Base {
        version: 1,
        summary,
        parts,
        carry: facts.carry,
        served_tokens: checked.rendering.tokens + checked.digest.tokens,
    });
    material.version = 2;
    let length = i64::try_from(material.span.len()).unwrap_or(i64::MAX);
    material.span.iter_mut().for_each(|numbered| numbered.seq += length);
    material.from_seq += length;
    material.through_seq += length;
    let facts = candidate::read(&material);
    let draft = candidate::draft(&material, &facts);
    let _ = candidate::check(&material, &facts, draft);
}
