//! Parses trajectories of SWE-agent: the `history`, which is what the model saw; without one, the steps.
//!
//! Demonstrations precede the task in the history; they are left out, because they are not part of the session.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::{Found, LeftOut, TranscriptError, error_at, lenient, parse, place};

#[derive(Deserialize)]
struct Trajectory<'a> {
    #[serde(borrow, default)]
    history: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    trajectory: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    role: String,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_call_ids: Option<&'a RawValue>,
    is_demo: Option<bool>,
    message_type: Option<String>,
}

#[derive(Deserialize)]
struct Step {
    response: Option<String>,
    thought: Option<String>,
    action: Option<String>,
    observation: Option<String>,
}

pub(super) fn read(text: &str, left: &mut LeftOut) -> Result<Vec<Found>, TranscriptError> {
    let run: Trajectory<'_> = parse(text, text, "a trajectory")?;
    let mut found = Vec::new();
    for raw in &run.history {
        let entry: Entry<'_> = parse(text, raw.get(), "an entry of a history")?;
        if entry.is_demo == Some(true) || entry.message_type.as_deref() == Some("demonstration") {
            left.add("demonstrations");
            continue;
        }
        found.push(Found { at: place(text, raw.get()), raw: message(&entry) });
    }
    if !run.history.is_empty() {
        return Ok(found);
    }
    for raw in &run.trajectory {
        let at = place(text, raw.get());
        let step: Step = parse(text, raw.get(), "a step of a trajectory")?;
        let both = [step.thought, step.action].into_iter().flatten().collect::<Vec<_>>().join("\n");
        let said = step.response.filter(|response| !response.is_empty()).unwrap_or(both);
        if said.is_empty() && step.observation.is_none() {
            return Err(error_at(text, at, "a step without response, thought, action and observation"));
        }
        found.push(Found { at, raw: json!({"role": "assistant", "content": said}).to_string() });
        if let Some(observation) = step.observation {
            found.push(Found { at, raw: json!({"role": "user", "content": observation}).to_string() });
        }
    }
    Ok(found)
}

fn message(entry: &Entry<'_>) -> String {
    let mut fields = vec![];
    let calls: Vec<Map<String, Value>> = lenient(entry.tool_calls);
    let ids: Vec<String> = lenient(entry.tool_call_ids);
    let answers = entry.role == "tool" && !ids.is_empty();
    // A result without a call id becomes a user message.
    let role = if entry.role == "tool" && !answers { "user" } else { &entry.role };
    fields.push(format!("\"role\":{}", Value::from(role)));
    if let Some(id) = ids.first().filter(|_| answers) {
        fields.push(format!("\"tool_call_id\":{}", Value::from(id.as_str())));
    }
    fields.push(format!("\"content\":{}", entry.content.map_or("null", RawValue::get)));
    if let Some(calls) = entry.tool_calls.filter(|_| !calls.is_empty()) {
        fields.push(format!("\"tool_calls\":{}", calls.get()));
    }
    format!("{{{}}}", fields.join(","))
}
