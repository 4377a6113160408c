//! Reads the arguments that a model gave. Its usual slips are understood: numbers as text, null for what is not given,
//! words in another case. What is wrong otherwise is told to the model, in words that it can act on; nothing is guessed.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::note;
use super::tool::{Argument, Kind, Tool};
use anchord_messages::id::Seq;
use anchord_record::section::Section;

/// Hits when the model does not say.
const DEFAULT_HITS: u32 = 8;

/// A call whose arguments are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Searches the original messages.
    SearchPast {
        /// The subject of the search.
        query: String,
        /// In which sessions.
        scope: SearchScope,
        /// The most hits.
        limit: u32,
    },
    /// Reads original messages.
    ReadMessages {
        /// The first.
        from_seq: Seq,
        /// The last; to the end without one.
        to_seq: Option<Seq>,
        /// Where to begin in the first.
        place: Place,
    },
    /// Reads a tool output.
    ReadToolOutput {
        /// Its reference.
        reference: String,
        /// Where to begin.
        place: Place,
        /// The last line; to the end without one.
        to_line: Option<u32>,
    },
    /// Reads the record.
    ReadRecord {
        /// One section of it; all of it without one.
        section: Option<Section>,
        /// Where to begin.
        place: Place,
    },
    /// Changes a note.
    Note(NoteCall),
}

/// A change of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteCall {
    /// A note of this text is made.
    Add(String),
    /// The note with this id gets another text.
    Replace(i64, String),
    /// The note with this id goes.
    Remove(i64),
}

/// The sessions that a search looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchScope {
    /// The session itself.
    Session,
    /// Those of its task.
    Task,
    /// Those of its user.
    User,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// The character within the line, from 1.
    pub character: u32,
}

impl Place {
    /// The beginning of a text.
    pub const START: Self = Self { line: 1, character: 1 };

    fn of(given: &Given) -> Self {
        Self { line: given.count("from_line").unwrap_or(1), character: given.count("from_char").unwrap_or(1) }
    }
}

/// Reads the arguments of a call.
///
/// # Errors
/// When the model has to call otherwise; the text tells it how.
pub fn read(tool: Tool, arguments: &Map<String, Value>) -> Result<Call, String> {
    let given = Given::of(tool, arguments)?;
    match tool {
        Tool::SearchPast => Ok(Call::SearchPast {
            query: given.text("query").unwrap_or_default(),
            scope: match given.text("scope").as_deref() {
                Some("task") => SearchScope::Task,
                Some("user") => SearchScope::User,
                _ => SearchScope::Session,
            },
            limit: given.count("limit").unwrap_or(DEFAULT_HITS),
        }),
        Tool::ReadMessages => {
            let from_seq = Seq::from(given.count("from_seq").unwrap_or(1));
            let to_seq = given.count("to_seq").map(Seq::from);
            if to_seq.is_some_and(|to| to < from_seq) {
                return Err("to_seq must be at least from_seq.".to_owned());
            }
            Ok(Call::ReadMessages { from_seq, to_seq, place: Place::of(&given) })
        }
        Tool::ReadToolOutput => {
            let (place, to_line) = (Place::of(&given), given.count("to_line"));
            if to_line.is_some_and(|to| to < place.line) {
                return Err("to_line must be at least from_line.".to_owned());
            }
            Ok(Call::ReadToolOutput { reference: given.text("ref").unwrap_or_default(), place, to_line })
        }
        Tool::ReadRecord => {
            let section = given.text("section");
            let section = section.and_then(|name| Section::ALL.iter().copied().find(|s| s.as_str() == name));
            Ok(Call::ReadRecord { section, place: Place::of(&given) })
        }
        Tool::Note => {
            let id = given.text("id").map(|id| {
                note::read_id(&id).ok_or_else(|| format!("id \"{id}\" is no note's id; one looks like n3."))
            });
            match (id.transpose()?, given.text("text")) {
                (None, Some(text)) => Ok(Call::Note(NoteCall::Add(text))),
                (Some(id), Some(text)) => Ok(Call::Note(NoteCall::Replace(id, text))),
                (Some(id), None) => Ok(Call::Note(NoteCall::Remove(id))),
                (None, None) => {
                    Err("text is missing: what to note. Or give the id of a note to remove.".to_owned())
                }
            }
        }
    }
}

/// The arguments that were given, each of its kind.
struct Given(BTreeMap<&'static str, Value>);

impl Given {
    fn of(tool: Tool, arguments: &Map<String, Value>) -> Result<Self, String> {
        let known = tool.arguments();
        if let Some(name) = arguments.keys().find(|name| known.iter().all(|known| known.name != **name)) {
            let names: Vec<&str> = known.iter().map(|argument| argument.name).collect();
            return Err(format!(
                "{} takes no argument \"{}\"; it takes {}.",
                tool.name(),
                shown(name),
                names.join(", ")
            ));
        }
        let mut given = BTreeMap::new();
        for argument in known {
            match arguments.get(argument.name).filter(|value| !is_absent(value)) {
                Some(value) => {
                    given.insert(argument.name, checked(argument, value)?);
                }
                None if argument.is_required => return Err(format!("{} is missing.", argument.name)),
                None => {}
            }
        }
        Ok(Self(given))
    }

    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(str::to_owned)
    }

    fn count(&self, name: &str) -> Option<u32> {
        self.0.get(name)?.as_u64().and_then(|count| u32::try_from(count).ok())
    }
}

/// Whether a value stands for none: models write null or an empty text for what they do not want to give.
fn is_absent(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// The value of an argument, of its kind and within its bounds.
fn checked(argument: &Argument, value: &Value) -> Result<Value, String> {
    let name = argument.name;
    match argument.kind {
        Kind::Text(most) => {
            let text = match value {
                Value::String(text) => text.clone(),
                // A reference may consist of digits.
                Value::Number(number) => number.to_string(),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                    return Err(format!("{name} must be a text."));
                }
            };
            if text.contains('\0') {
                return Err(format!("{name} must not contain NUL."));
            }
            if text.chars().count() > most {
                return Err(format!(
                    "{name} has {} characters; at most {most} are taken.",
                    text.chars().count()
                ));
            }
            Ok(text.into())
        }
        Kind::Count(most) => {
            let count = count_of(value).filter(|count| (1..=u64::from(most)).contains(count));
            count.map(Value::from).ok_or_else(|| format!("{name} must be a whole number from 1 to {most}."))
        }
        Kind::Word(words) => {
            let words = words();
            let written =
                value.as_str().map(|word| word.trim().to_ascii_lowercase().replace([' ', '-'], "_"));
            let word = words.iter().find(|word| written.as_deref() == Some(**word));
            word.map(|word| Value::from(*word))
                .ok_or_else(|| format!("{name} must be one of {}.", words.join(", ")))
        }
    }
}

/// A whole number, also as a text or as `12.0`.
fn count_of(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| whole(&number.to_string())),
        Value::String(text) => whole(text.trim().trim_start_matches('#')),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn whole(text: &str) -> Option<u64> {
    let digits = match text.split_once('.') {
        Some((digits, rest)) if !rest.is_empty() && rest.bytes().all(|b| b == b'0') => digits,
        Some(_) => return None,
        None => text,
    };
    digits.parse().ok()
}

/// A name that the model made up, short enough to be repeated to it.
fn shown(name: &str) -> String {
    anchord_messages::shape::one_line(name, 40)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(tool: Tool, arguments: &Value) -> Result<Call, String> {
        read(tool, arguments.as_object().unwrap())
    }

    #[test]
    fn the_usual_slips_of_models_are_understood() {
        let plain = call(Tool::ReadMessages, &json!({"from_seq": 12, "to_seq": 14})).unwrap();
        for slip in [
            json!({"from_seq": "12", "to_seq": "14"}),
            json!({"from_seq": "#12", "to_seq": 14.0, "from_line": null}),
            json!({"from_seq": " 12 ", "to_seq": 14, "from_line": "", "from_char": ""}),
        ] {
            assert_eq!(call(Tool::ReadMessages, &slip).as_ref(), Ok(&plain), "{slip}");
        }
        let search = call(Tool::SearchPast, &json!({"query": 404, "scope": "Task"})).unwrap();
        assert_eq!(search, Call::SearchPast { query: "404".to_owned(), scope: SearchScope::Task, limit: 8 });
        let record = call(Tool::ReadRecord, &json!({"section": "Files Modified"})).unwrap();
        assert_eq!(record, Call::ReadRecord { section: Some(Section::FilesModified), place: Place::START });
        let output = call(Tool::ReadToolOutput, &json!({"ref": 1_234_567_890_123_456_u64})).unwrap();
        assert!(matches!(output, Call::ReadToolOutput { reference, .. } if reference == "1234567890123456"));
    }

    #[test]
    fn a_note_is_made_replaced_or_removed() {
        let note = |arguments: &Value| match call(Tool::Note, arguments) {
            Ok(Call::Note(note)) => note,
            other => panic!("{arguments}: {other:?}"),
        };
        assert_eq!(note(&json!({"text": "a"})), NoteCall::Add("a".to_owned()));
        assert_eq!(note(&json!({"text": "a", "id": null})), NoteCall::Add("a".to_owned()));
        assert_eq!(note(&json!({"text": "a", "id": "n3"})), NoteCall::Replace(3, "a".to_owned()));
        for id in [json!("n3"), json!("3"), json!(3)] {
            assert_eq!(note(&json!({"text": "", "id": id})), NoteCall::Remove(3), "{id}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_name_and_what_is_allowed() {
        for (tool, arguments, told) in [
            (Tool::SearchPast, json!({}), "query is missing."),
            (Tool::SearchPast, json!({"query": "  "}), "query is missing."),
            (
                Tool::SearchPast,
                json!({"query": "a", "limit": 21}),
                "limit must be a whole number from 1 to 20.",
            ),
            (
                Tool::SearchPast,
                json!({"query": "a", "scope": "all"}),
                "scope must be one of session, task, user.",
            ),
            (
                Tool::SearchPast,
                json!({"query": "a", "k": 1}),
                "takes no argument \"k\"; it takes query, scope, limit.",
            ),
            (Tool::SearchPast, json!({"query": ["a"]}), "query must be a text."),
            (Tool::SearchPast, json!({"query": "a\0"}), "query must not contain NUL."),
            (Tool::SearchPast, json!({"query": "x".repeat(4_097)}), "at most 4096 are taken."),
            (Tool::ReadMessages, json!({"from_seq": 0}), "from_seq must be a whole number from 1"),
            (Tool::ReadMessages, json!({"from_seq": -1}), "from_seq must be a whole number from 1"),
            (Tool::ReadMessages, json!({"from_seq": 1.5}), "from_seq must be a whole number from 1"),
            (Tool::ReadMessages, json!({"from_seq": "twelve"}), "from_seq must be a whole number from 1"),
            (Tool::ReadMessages, json!({"from_seq": 2, "to_seq": 1}), "to_seq must be at least from_seq."),
            (
                Tool::ReadToolOutput,
                json!({"ref": "a", "from_line": 9, "to_line": 3}),
                "to_line must be at least",
            ),
            (
                Tool::ReadRecord,
                json!({"section": "files"}),
                "section must be one of session_intent, requests,",
            ),
            (Tool::Note, json!({}), "text is missing"),
            (
                Tool::Note,
                json!({"id": "third", "text": "a"}),
                "id \"third\" is no note's id; one looks like n3.",
            ),
        ] {
            let refused = call(tool, &arguments).unwrap_err();
            assert!(refused.contains(told), "{arguments}: {refused}");
        }
    }
}
