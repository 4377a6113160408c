//! Parses messages in a provider's format: an array, an object that contains them, or one per line.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Found, LeftOut, TranscriptError, entries, is_null, lines, parse, place};

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow, alias = "input")]
    messages: &'a RawValue,
    /// The fields in which two formats have the system prompt.
    #[serde(borrow, default, alias = "instructions")]
    system: Option<&'a RawValue>,
}

pub(super) fn read(text: &str, left: &mut LeftOut) -> Result<Vec<Found>, TranscriptError> {
    let found = |raw: &str| Found { at: place(text, raw), raw: raw.to_owned() };
    if text.trim_start().starts_with('[') {
        let messages: Vec<&RawValue> = parse(text, text, "an array of messages")?;
        return Ok(messages.into_iter().map(|raw| found(raw.get())).collect());
    }
    let mut first = lines(text);
    // One message per line: the first line is a complete object, but not the whole text.
    let line = first.next().unwrap_or_default();
    if first.next().is_some() && serde_json::from_str::<&RawValue>(line).is_ok() {
        let all = entries::<&RawValue>(text, "a message", left)?;
        return Ok(all.into_iter().map(|(_, raw)| found(raw.get())).collect());
    }
    let request: Request<'_> = parse(text, text, "an object with messages")?;
    let listed = request.messages.get();
    // One format allows a single user text in place of a list.
    let mut messages: Vec<Found> = if listed.starts_with('"') {
        let raw = format!("{{\"role\":\"user\",\"content\":{listed}}}");
        vec![Found { at: place(text, listed), raw }]
    } else {
        let all: Vec<&RawValue> = parse(text, listed, "an array of messages")?;
        all.into_iter().map(|raw| found(raw.get())).collect()
    };
    if let Some(content) = request.system.filter(|raw| !is_null(raw)) {
        let raw = format!("{{\"role\":\"system\",\"content\":{}}}", content.get());
        messages.insert(0, Found { at: place(text, content.get()), raw });
    }
    Ok(messages)
}
