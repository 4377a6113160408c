//! Codex: rollouts whose `response_item` lines hold the items of the responses API; older ones have an item
//! a line.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Found, TranscriptError, lenient, lines, parse, place};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Item {
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

pub(super) fn read(text: &str) -> Result<Vec<Found>, TranscriptError> {
    let mut found = Vec::new();
    for line in lines(text) {
        let entry: Line<'_> = parse(text, line, "a line of a Codex rollout")?;
        let raw = match (entry.kind.as_deref(), entry.payload) {
            (Some("response_item"), Some(payload)) => payload.get(),
            (Some(_), None) => line,
            // Figures, state, and what the screen showed.
            _ => continue,
        };
        let item: Item = lenient(serde_json::from_str::<&RawValue>(raw).ok());
        let is_said = item.kind.as_deref().is_some_and(|kind| {
            matches!(kind, "message" | "reasoning")
                || kind.ends_with("_call")
                || kind.ends_with("_call_output")
        });
        if is_said {
            found.push(Found { at: place(text, line), raw: raw.to_owned() });
        }
    }
    Ok(found)
}
