//! Parses rollouts of Codex: `response_item` lines contain the items of the responses API; older rollouts have one item
//! per line.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Found, LeftOut, TranscriptError, entries, lenient, place};

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

pub(super) fn read(text: &str, left: &mut LeftOut) -> Result<Vec<Found>, TranscriptError> {
    let mut found = Vec::new();
    for (line, entry) in entries::<Line<'_>>(text, "a line of a Codex rollout", left)? {
        let raw = match (entry.kind.as_deref(), entry.payload) {
            (Some("response_item"), Some(payload)) => payload.get(),
            (Some(_), None) => line,
            // Statistics, state, screen output, and the results of compactions, which repeat earlier items.
            (kind, _) => {
                left.add(kind.unwrap_or("lines without a type"));
                continue;
            }
        };
        let item: Item = lenient(serde_json::from_str::<&RawValue>(raw).ok());
        let kind = item.kind.unwrap_or_default();
        let is_said = matches!(kind.as_str(), "message" | "reasoning")
            || kind.ends_with("_call")
            || kind.ends_with("_call_output");
        if is_said {
            found.push(Found { at: place(text, line), raw: raw.to_owned() });
        } else {
            left.add(&kind);
        }
    }
    Ok(found)
}
