//! Sessions that are played back: read from files, or made, with what the bench asks about them.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{fs, io};

use anchord_messages::message::{Message, Role};
use anchord_messages::tokens::TokenCounter;
use anyhow::Context as _;
use regex::Regex;
use serde_json::Value;

use crate::made::Told;
use crate::piece::{Piece, count, pattern};
use crate::replay::Transcript;

/// Paths; words with a digit; figures of four digits or more; words with a dot or an underscore.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[\w.-]+(?:/[\w.-]+)+|[A-Za-z_][\w-]*[0-9][\w-]{3,}|(?-u:\b)[0-9]{4,}(?-u:\b)|[A-Za-z]+[._][A-Za-z._]{4,}",
    )
});

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
    /// Reads messages.
    pub fn read(name: String, raw: &[String], told: Told) -> anyhow::Result<Self> {
        let transcript = Transcript::read(raw, TokenCounter::default()).with_context(|| name.clone())?;
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
        Ok(Self { name, transcript, pieces, names, bytes_of_token, told })
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

/// The sessions of a file, or of every `.json` and `.json.gz` of a folder in the order of names.
pub fn sessions_in(path: &Path) -> anyhow::Result<Vec<Session>> {
    let mut files: Vec<PathBuf> = if path.is_dir() {
        let entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        entries.into_iter().map(|entry| entry.path()).filter(|path| is_session(path)).collect()
    } else {
        vec![path.to_owned()]
    };
    files.sort();
    anyhow::ensure!(!files.is_empty(), "there are no sessions in {}", path.display());
    files.iter().map(|file| read_file(file).with_context(|| file.display().to_string())).collect()
}

fn is_session(path: &Path) -> bool {
    let is = |path: &Path, kind: &str| path.extension() == Some(OsStr::new(kind));
    is(path, "json") || is(path, "gz") && is(&path.with_extension(""), "json")
}

fn read_file(file: &Path) -> anyhow::Result<Session> {
    let mut text = String::new();
    if file.extension() == Some(OsStr::new("gz")) {
        flate2::read::GzDecoder::new(fs::File::open(file)?).read_to_string(&mut text)?;
    } else {
        text = fs::read_to_string(file)?;
    }
    let document: Value = serde_json::from_str(&text)?;
    let messages = if document.is_array() {
        &document
    } else {
        let messages = document.get("messages").or_else(|| document.get("input"));
        messages.context("it has no messages")?
    };
    let messages = messages.as_array().map_or(&[][..], Vec::as_slice);
    let raw: Vec<String> = messages.iter().map(Value::to_string).collect();
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.split(".json").next().unwrap_or_default().to_owned();
    Session::read(name, &raw, Told::default())
}
