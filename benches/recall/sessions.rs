//! Sessions with questions whose evidence is known, read from a folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A session and what is asked of it.
#[derive(Debug)]
pub struct Session {
    /// The name of its file.
    pub name: String,
    /// The conversation format; the service recognises it otherwise.
    pub format: Option<String>,
    /// The messages as JSON.
    pub messages: Vec<String>,
    /// The questions that have evidence.
    pub questions: Vec<Question>,
}

/// A question with its evidence.
#[derive(Debug)]
pub struct Question {
    pub text: String,
    evidence: Vec<(usize, usize)>,
}

impl Question {
    /// Whether the message at a position, from 1, is evidence.
    pub fn is_answered_by(&self, seq: usize) -> bool {
        self.evidence.iter().any(|(from, to)| (*from..=*to).contains(&(seq.saturating_sub(1))))
    }
}

#[derive(Deserialize)]
struct File {
    format: Option<String>,
    messages: Vec<Box<RawValue>>,
    #[serde(default)]
    gold: Gold,
}

/// Of all that is known of a session, the questions.
#[derive(Default, Deserialize)]
struct Gold {
    #[serde(default)]
    qa: Vec<Asked>,
    #[serde(default)]
    probes: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    question: String,
    #[serde(default)]
    evidence_msgs: Vec<Evidence>,
}

/// A message by its place, from 0, or the first and the last of several.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Evidence {
    One(usize),
    Several(usize, usize),
}

impl From<Asked> for Question {
    fn from(asked: Asked) -> Self {
        let evidence = asked.evidence_msgs.into_iter().map(|evidence| match evidence {
            Evidence::One(at) => (at, at),
            Evidence::Several(from, to) => (from, to),
        });
        Self { text: asked.question, evidence: evidence.collect() }
    }
}

/// Reads the sessions of a folder that have questions with evidence, in the order of names.
pub fn read(folder: &Path) -> anyhow::Result<Vec<Session>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|kind| kind == "json"));
    files.sort();
    let mut sessions = Vec::new();
    for path in files {
        let file: File =
            serde_json::from_slice(&fs::read(&path)?).with_context(|| path.display().to_string())?;
        let asked = file.gold.qa.into_iter().chain(file.gold.probes);
        let questions: Vec<Question> =
            asked.filter(|asked| !asked.evidence_msgs.is_empty()).map(Question::from).collect();
        if questions.is_empty() {
            continue;
        }
        sessions.push(Session {
            name: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
            format: file.format,
            messages: file.messages.iter().map(|message| message.get().to_owned()).collect(),
            questions,
        });
    }
    anyhow::ensure!(!sessions.is_empty(), "no session in {} has questions with evidence", folder.display());
    Ok(sessions)
}
