//! The strict reading of a reply.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::id::Seq;
use super::super::redact::redact;
use super::super::wording::{clip_words, one_line};

/// What a model told of a span, or of a piece of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Narrative {
    /// What the person wants; empty when not told.
    pub session_intent: String,
    /// Whether the person replaced an earlier aim.
    #[serde(default)]
    pub intent_changes_scope: bool,
    /// The messages that the intent came from.
    #[serde(default)]
    pub intent_seqs: Vec<Seq>,
    /// Choices made, oldest first.
    pub decisions: Vec<ToldDecision>,
    /// Where the work stands.
    pub current_state: State,
    /// What stands in the way.
    pub blockers: Vec<Told>,
    /// Whether earlier blockers are gone.
    #[serde(default)]
    pub blockers_resolved: bool,
    /// What comes next.
    pub next_steps: Vec<Told>,
    /// What later work needs besides.
    #[serde(default)]
    pub technical_context: Vec<ToldFact>,
    /// What was dropped of it, and why.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// A text and where it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The text.
    pub text: String,
    /// The messages that it came from.
    #[serde(default)]
    pub seqs: Vec<Seq>,
}

/// A choice, as a model tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldDecision {
    /// What was decided.
    pub decision: String,
    /// Why.
    #[serde(default)]
    pub rationale: String,
    /// What was not chosen.
    #[serde(default)]
    pub alternatives: Vec<String>,
    /// The messages that it came from.
    #[serde(default)]
    pub seqs: Vec<Seq>,
}

/// Where the work stands, as a model tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The phase of the work.
    #[serde(default)]
    pub phase: String,
    /// The task in hand.
    #[serde(default)]
    pub task: String,
    /// The state in words.
    pub text: String,
    /// The messages that it came from.
    #[serde(default)]
    pub seqs: Vec<Seq>,
}

/// A name and a value, as a model tells them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldFact {
    /// What it is.
    pub key: String,
    /// Its value.
    pub value: String,
    /// The messages that it came from.
    #[serde(default)]
    pub seqs: Vec<Seq>,
}

/// Why a reply cannot be used; never with the reply's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// It is no JSON object.
    #[error("it is not one JSON object")]
    NotJson,
    /// A section is missing.
    #[error("the field {0} is missing")]
    Missing(&'static str),
    /// A section has another shape.
    #[error("it does not have the schema's shape")]
    Shape,
    /// Nothing is in it.
    #[error("every section is empty")]
    Empty,
}

/// Sections without which a reply is not taken.
const NEEDED: [&str; 5] = ["session_intent", "decisions", "current_state", "blockers", "next_steps"];
/// Sections that may be left out.
const OPTIONAL: [&str; 4] = ["intent_changes_scope", "intent_seqs", "blockers_resolved", "technical_context"];
/// The most entries of a section.
const MAX_ENTRIES: usize = 24;
/// The longest text, in characters; the state may be twice as long.
const MAX_CHARS: usize = 600;

/// Reads a reply: one JSON object, alone, in a fence, or after the thinking of a model that thinks aloud.
/// What it tells beyond the narrative is dropped with a warning.
///
/// # Errors
/// When the reply is not usable.
pub fn read(text: &str) -> Result<Narrative, ReplyError> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(bare_json(text)) else {
        return Err(ReplyError::NotJson);
    };
    if let Some(missing) = NEEDED.into_iter().find(|name| fields.get(*name).is_none_or(Value::is_null)) {
        return Err(ReplyError::Missing(missing));
    }
    let before = fields.len();
    fields.retain(|name, value| {
        (NEEDED.contains(&name.as_str()) || OPTIONAL.contains(&name.as_str())) && !value.is_null()
    });
    let dropped = before - fields.len();
    let mut narrative: Narrative =
        serde_json::from_value(Value::Object(fields)).map_err(|_| ReplyError::Shape)?;
    tidy(&mut narrative);
    if is_empty(&narrative) {
        return Err(ReplyError::Empty);
    }
    if dropped > 0 {
        // Not by name: the name is the model's text too.
        narrative.warnings.push(format!("the model filled {dropped} sections that are not its own; dropped"));
    }
    Ok(narrative)
}

/// The JSON of a reply: without a fence, and without the thinking of a model that thinks aloud.
pub(in crate::domain) fn bare_json(text: &str) -> &str {
    let mut text = text.trim();
    if let Some((_, after)) = text.strip_prefix("<think>").and_then(|rest| rest.split_once("</think>")) {
        text = after.trim();
    }
    let fenced = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"));
    fenced.and_then(|rest| rest.trim_end().strip_suffix("```")).unwrap_or(text).trim()
}

/// Bounds every text and list, and takes secrets, line breaks and control signs out.
fn tidy(narrative: &mut Narrative) {
    clean(&mut narrative.session_intent, MAX_CHARS);
    narrative.decisions.truncate(MAX_ENTRIES);
    for told in &mut narrative.decisions {
        clean(&mut told.decision, MAX_CHARS / 2);
        clean(&mut told.rationale, MAX_CHARS);
        told.alternatives.truncate(6);
        told.alternatives.iter_mut().for_each(|text| clean(text, MAX_CHARS / 3));
        told.alternatives.retain(|text| !text.is_empty());
    }
    narrative.decisions.retain(|told| !told.decision.is_empty());
    let state = &mut narrative.current_state;
    clean(&mut state.text, 2 * MAX_CHARS);
    clean(&mut state.task, MAX_CHARS / 2);
    clean(&mut state.phase, 40);
    for list in [&mut narrative.blockers, &mut narrative.next_steps] {
        list.truncate(MAX_ENTRIES / 2);
        for told in list.iter_mut() {
            clean(&mut told.text, MAX_CHARS / 2);
        }
        list.retain(|told| !told.text.is_empty());
    }
    narrative.technical_context.truncate(MAX_ENTRIES);
    for fact in &mut narrative.technical_context {
        clean(&mut fact.key, 60);
        clean(&mut fact.value, MAX_CHARS / 2);
    }
    narrative.technical_context.retain(|fact| !fact.key.is_empty() && !fact.value.is_empty());
}

fn clean(text: &mut String, max: usize) {
    let line = one_line(text);
    let line = redact(&line);
    clip_words(&line, max).clone_into(text);
    let lower = text.to_ascii_lowercase();
    if matches!(
        lower.trim_end_matches('.'),
        "none" | "n/a" | "null" | "unknown" | "tbd" | "todo" | "-" | "..." | "string"
    ) {
        text.clear();
    }
}

fn is_empty(narrative: &Narrative) -> bool {
    narrative.session_intent.is_empty()
        && narrative.decisions.is_empty()
        && narrative.current_state.text.is_empty()
        && narrative.blockers.is_empty()
        && narrative.next_steps.is_empty()
        && narrative.technical_context.is_empty()
}
