//! Reads sessions that are played back from files.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anchord_economy::replay::Transcript;
use anchord_economy::sessions::{Session, Told};
use anchord_messages::tokens::TokenCounter;
use anyhow::Context as _;
use serde_json::Value;

/// Messages as a session.
pub fn session(name: String, raw: &[String], told: Told) -> anyhow::Result<Session> {
    let transcript = Transcript::read(raw, TokenCounter::default()).with_context(|| name.clone())?;
    Ok(Session::of(name, transcript, told))
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
    session(name, &raw, Told::default())
}
