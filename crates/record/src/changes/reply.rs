//! Parses a model's reply into changes.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use strum::{AsRefStr, EnumString, VariantNames};

use super::super::summary::RequestState;
use super::list::List;
use anchord_facts::ledger::FileAction;
use anchord_facts::redact::redact;
use anchord_facts::wording::one_line;
use anchord_messages::id::Seq;

/// The changes that a model makes to a summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Changes {
    /// The person's present aim; empty when it is unchanged.
    pub intent: String,
    /// The current state of the work.
    pub state: String,
    /// The messages that support intent and state.
    pub seqs: Vec<Seq>,
    /// New entries.
    pub add: Vec<Addition>,
    /// Texts that are appended to entries.
    pub append: Vec<Revision>,
    /// New texts of entries.
    pub update: Vec<Revision>,
    /// Entries that end.
    pub close: Vec<Closing>,
}

impl Changes {
    /// The texts that it adds and changes.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let added = self.add.iter().map(|added| added.text.as_str());
        added.chain(self.append.iter().chain(&self.update).map(|revised| revised.text.as_str()))
    }
}

/// A new entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addition {
    /// Its list.
    pub section: List,
    /// The thing's name or the file's path; empty for other lists.
    #[serde(default)]
    pub name: String,
    /// Its text.
    pub text: String,
    /// What became of it by now: of a request that is over, or of a file that code did not see changed.
    #[serde(default, rename = "as", deserialize_with = "known")]
    pub became: Option<Became>,
    /// Its outcome.
    #[serde(default)]
    pub note: String,
    /// The messages that support it.
    #[serde(default)]
    pub seqs: Vec<Seq>,
}

/// What became of a new entry; an empty or other word says nothing.
fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Became>, D::Error> {
    let word = Option::<String>::deserialize(deserializer)?;
    Ok(word.as_deref().and_then(|word| word.parse().ok()))
}

/// A text that replaces or extends an entry's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The entry's number.
    pub id: String,
    /// The text.
    pub text: String,
    /// The messages that support it.
    #[serde(default)]
    pub seqs: Vec<Seq>,
}

/// The end of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// The entry's number.
    pub id: String,
    /// How it ended.
    #[serde(rename = "as")]
    pub ended: Ended,
    /// The outcome, when it matters.
    #[serde(default)]
    pub note: String,
    /// The messages that say so.
    #[serde(default)]
    pub seqs: Vec<Seq>,
}

/// The state of a request or a file that is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, VariantNames)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum Became {
    /// A request that was carried out.
    Done,
    /// A request that was taken back.
    Dropped,
    /// A request of which another took the place.
    Superseded,
    /// A file that is new.
    Created,
    /// A file that is another now.
    Modified,
    /// A file that is gone.
    Deleted,
}

impl Became {
    /// The state of a request.
    pub(super) fn of_request(self) -> RequestState {
        match self {
            Self::Done => RequestState::Done,
            Self::Dropped => RequestState::Dropped,
            Self::Superseded => RequestState::Superseded,
            Self::Created | Self::Modified | Self::Deleted => RequestState::Open,
        }
    }

    /// The change of a file.
    pub(super) fn of_file(self) -> Option<FileAction> {
        match self {
            Self::Created => Some(FileAction::Created),
            Self::Modified => Some(FileAction::Modified),
            Self::Deleted => Some(FileAction::Deleted),
            Self::Done | Self::Dropped | Self::Superseded => None,
        }
    }
}

/// How an entry ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, AsRefStr, EnumString, VariantNames)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum Ended {
    /// A request or a step that was carried out.
    Done,
    /// Taken back, or of no use any more.
    Dropped,
    /// Another entry took its place.
    Superseded,
    /// A decision that was taken back.
    Overturned,
    /// A blocker that is gone.
    Resolved,
    /// A question that somebody answered.
    Answered,
    /// Taken for over, and it is not.
    Reopened,
    /// A demand that the person took back.
    Withdrawn,
}

impl Ended {
    /// The state in which it leaves a request.
    pub(super) fn of_request(self) -> RequestState {
        match self {
            Self::Reopened => RequestState::Open,
            Self::Dropped | Self::Withdrawn => RequestState::Dropped,
            Self::Superseded => RequestState::Superseded,
            Self::Done | Self::Overturned | Self::Resolved | Self::Answered => RequestState::Done,
        }
    }
}

/// Why a reply cannot be used; it never quotes the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// It is no JSON object.
    #[error("it is not one JSON object")]
    NotJson,
    /// A field is missing.
    #[error("the field {0} is missing")]
    Missing(&'static str),
    /// Nothing in it has the shape that was asked for.
    #[error("it does not have the schema's shape")]
    Shape,
    /// Nothing is in it.
    #[error("every field is empty")]
    Empty,
}

/// The most entries of one list of a reply.
const MOST_ENTRIES: usize = 64;
/// The longest entry, in characters.
const LONGEST_ENTRY: usize = 1_600;
/// The longest state and intent, in characters.
const LONGEST_STATE: usize = 2_000;

/// A parsed reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The changes.
    pub changes: Changes,
    /// What was left out of it, in words for the model.
    pub objections: Vec<String>,
}

/// Parses a reply: one JSON object, alone, in a code fence, or after thinking that the model printed. An
/// entry of the wrong shape is left out and reported.
///
/// # Errors
/// When the reply is not usable.
pub fn read(text: &str) -> Result<Read, ReplyError> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(bare_json(text)) else {
        return Err(ReplyError::NotJson);
    };
    let mut read = Read::default();
    let mut words = |name: &'static str| match fields.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ReplyError::Shape),
    };
    let state = words("state")?.ok_or(ReplyError::Missing("state"))?;
    read.changes.state = clean(&state, LONGEST_STATE, "state", &mut read.objections);
    let intent = words("intent")?.unwrap_or_default();
    read.changes.intent = clean(&intent, LONGEST_STATE, "intent", &mut read.objections);
    read.changes.seqs = fields.remove("seqs").map(|seqs| numbers(&seqs)).unwrap_or_default();
    let Read { changes, objections } = &mut read;
    changes.add = entries(&mut fields, "add", objections)?;
    changes.append = entries(&mut fields, "append", objections)?;
    changes.update = entries(&mut fields, "update", objections)?;
    changes.close = entries(&mut fields, "close", objections)?;
    for added in &mut changes.add {
        added.name = clean(&added.name, 200, "a name", objections);
        added.text = clean(&added.text, LONGEST_ENTRY, "an entry of \"add\"", objections);
        added.note = clean(&added.note, LONGEST_ENTRY, "a note", objections);
    }
    for revised in changes.append.iter_mut().chain(&mut changes.update) {
        let what = format!("the text of {}", clip(&revised.id));
        revised.text = clean(&revised.text, LONGEST_ENTRY, &what, objections);
    }
    for closed in &mut changes.close {
        closed.note = clean(&closed.note, LONGEST_ENTRY, "a note", objections);
    }
    changes.add.retain(|added| !added.text.is_empty());
    changes.append.retain(|revised| !revised.text.is_empty());
    changes.update.retain(|revised| !revised.text.is_empty());
    if !fields.is_empty() {
        // The name is not quoted, because it is the model's text too.
        objections.push(format!("{} fields that are none of the seven", fields.len()));
    }
    let tells = !(changes.state.is_empty()
        && changes.intent.is_empty()
        && changes.add.is_empty()
        && changes.append.is_empty()
        && changes.update.is_empty()
        && changes.close.is_empty());
    if tells { Ok(read) } else { Err(ReplyError::Empty) }
}

/// The entries of a list, parsed one by one, so that one of the wrong shape does not lose the others.
fn entries<T: for<'de> Deserialize<'de>>(
    fields: &mut Map<String, Value>,
    name: &str,
    objections: &mut Vec<String>,
) -> Result<Vec<T>, ReplyError> {
    let list = match fields.remove(name) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(ReplyError::Shape),
    };
    let all = list.len();
    let mut found = Vec::new();
    for (at, mut entry) in list.into_iter().enumerate().take(MOST_ENTRIES) {
        if let Some(seqs) = entry.get_mut("seqs") {
            *seqs = numbers(seqs).into();
        }
        match serde_json::from_value(entry) {
            Ok(entry) => found.push(entry),
            Err(_) => objections.push(format!("\"{name}\", entry {}: not of the schema's shape", at + 1)),
        }
    }
    if all > MOST_ENTRIES {
        objections.push(format!("\"{name}\": {} entries beyond {MOST_ENTRIES}", all - MOST_ENTRIES));
    }
    Ok(found)
}

/// The whole numbers of a list, also those that are strings.
fn numbers(value: &Value) -> Vec<Seq> {
    let number = |value: &Value| {
        value.as_i64().or_else(|| value.as_str()?.trim_start_matches('#').trim().parse().ok())
    };
    let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    all.iter().filter_map(number).take(64).collect()
}

/// The JSON of a reply, without a code fence and without thinking that the model printed.
pub fn bare_json(text: &str) -> &str {
    let mut text = text.trim();
    if let Some((_, after)) = text.strip_prefix("<think>").and_then(|rest| rest.split_once("</think>")) {
        text = after.trim();
    }
    let fenced = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"));
    fenced.and_then(|rest| rest.trim_end().strip_suffix("```")).unwrap_or(text).trim()
}

/// A text on one line, without secrets. One that is too long is cut after a whole sentence, and this is
/// reported.
fn clean(text: &str, longest: usize, what: &str, objections: &mut Vec<String>) -> String {
    let line = one_line(text);
    let line = redact(&line);
    let lower = line.to_ascii_lowercase();
    if matches!(
        lower.trim_end_matches('.'),
        "none" | "n/a" | "null" | "unknown" | "tbd" | "todo" | "-" | "..." | "string" | "…"
    ) {
        return String::new();
    }
    if line.chars().count() <= longest {
        return line.into_owned();
    }
    let mut kept = String::new();
    let mut room = longest;
    for sentence in super::words::clauses(&line) {
        let Some(rest) = room.checked_sub(sentence.chars().count()) else { break };
        kept.push_str(sentence);
        room = rest;
    }
    objections.push(format!("{what}: longer than {longest} characters; the end was left out"));
    kept.trim().to_owned()
}

fn clip(text: &str) -> &str {
    anchord_facts::wording::clip_chars(text, 12)
}
