//! Messages as providers take them: an array, an object that carries them, or one a line.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Found, TranscriptError, is_null, lines, parse, place};

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow, alias = "input")]
    messages: Vec<&'a RawValue>,
    /// Where one format keeps the system prompt.
    #[serde(borrow, default)]
    system: Option<&'a RawValue>,
}

pub(super) fn read(text: &str) -> Result<Vec<Found>, TranscriptError> {
    let found = |raw: &str| Found { at: place(text, raw), raw: raw.to_owned() };
    if text.trim_start().starts_with('[') {
        let messages: Vec<&RawValue> = parse(text, text, "an array of messages")?;
        return Ok(messages.into_iter().map(|raw| found(raw.get())).collect());
    }
    let mut entries = lines(text);
    // A message a line: the first line is a whole object, and not the whole text.
    let first = entries.next().unwrap_or_default();
    if entries.next().is_some() && serde_json::from_str::<&RawValue>(first).is_ok() {
        let line = |line| parse::<&RawValue>(text, line, "a message").map(|raw| found(raw.get()));
        return lines(text).map(line).collect();
    }
    let request: Request<'_> = parse(text, text, "an object with messages")?;
    let mut messages: Vec<Found> = request.messages.iter().map(|raw| found(raw.get())).collect();
    if let Some(content) = request.system.filter(|raw| !is_null(raw)) {
        let raw = format!("{{\"role\":\"system\",\"content\":{}}}", content.get());
        messages.insert(0, Found { at: place(text, content.get()), raw });
    }
    Ok(messages)
}
