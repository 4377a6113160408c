//! Sessions that are played back, with the names that their messages have.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use anchord_messages::message::{Message, Role};
use regex::Regex;
use serde_json::Value;

use crate::piece::{Piece, count, pattern};
use crate::replay::Transcript;

/// Paths; words with a digit; figures of four digits or more; words with a dot or an underscore.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[\w.-]+(?:/[\w.-]+)+|[A-Za-z_][\w-]*[0-9][\w-]{3,}|(?-u:\b)[0-9]{4,}(?-u:\b)|[A-Za-z]+[._][A-Za-z._]{4,}",
    )
});

/// Sentences that were written into a session to be asked for.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Wishes of the person, with the place of their message.
    pub wishes: Vec<(usize, &'static str)>,
    /// Conclusions of the agent.
    pub conclusions: Vec<Conclusion>,
}

/// The end of a task.
#[derive(Clone, Debug)]
pub struct Conclusion {
    /// The place of its message.
    pub at: usize,
    /// Its words.
    pub text: String,
    /// The part of the system that it is about.
    pub part: String,
    /// The value that was decided on.
    pub value: String,
}

/// A session.
pub struct Session {
    /// Its name.
    pub name: String,
    /// As the domain takes it.
    pub transcript: Transcript,
    /// Its messages as prompts have them.
    pub pieces: Vec<Piece>,
    /// The names in each message; none of them is a parameter of a tool.
    pub names: Vec<HashSet<String>>,
    /// Bytes of JSON that are one token, over all messages.
    pub bytes_of_token: f64,
    /// Sentences that were written into it to be asked for.
    pub told: Told,
}

impl Session {
    /// A transcript as a session.
    pub fn of(name: String, transcript: Transcript, told: Told) -> Self {
        let messages = || transcript.numbered.iter().map(|numbered| &numbered.message);
        let raw = transcript.entries.iter().map(|entry| &*entry.raw);
        let pieces: Vec<Piece> = raw.zip(messages()).map(|(raw, message)| Piece::of(raw, message)).collect();
        let mut parameters = BTreeSet::new();
        for call in messages().flat_map(Message::calls) {
            if let Ok(arguments) = serde_json::from_str(&call.arguments) {
                keys(&arguments, &mut parameters);
            }
        }
        let names = pieces.iter().map(|piece| {
            let names = NAME.find_iter(&piece.text).map(|name| name.as_str());
            names.filter(|name| !parameters.contains(*name)).map(str::to_owned).collect()
        });
        let names = names.collect();
        let tokens: f64 = transcript.entries.iter().map(|entry| f64::from(entry.tokens)).sum();
        let bytes = pieces.iter().map(|piece| piece.json.len()).sum();
        let bytes_of_token = count(bytes) / tokens.max(1.0);
        Self { name, transcript, pieces, names, bytes_of_token, told }
    }

    /// The last message before each call of the model: the next one is the agent's.
    pub fn calls(&self) -> impl Iterator<Item = usize> {
        let speaks = |piece: &Piece| piece.role == Role::Assistant;
        let pairs = self.pieces.iter().zip(self.pieces.iter().skip(1)).enumerate();
        pairs.filter(move |(_, (piece, next))| !speaks(piece) && speaks(next)).map(|(at, _)| at)
    }
}

/// The names of fields, at every depth.
fn keys(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                into.insert(key.clone());
                keys(field, into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
