//! Transcripts of agents at work: those of a folder, or made up as those of the digest bench.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::value::RawValue;

#[path = "chat.rs"]
mod chat;
#[path = "../digest/sessions.rs"]
#[expect(dead_code, reason = "the digest bench uses the rest")]
mod sessions;
#[path = "../digest/texts.rs"]
mod texts;

/// A transcript, in the bodies that append it.
#[derive(Clone, Debug)]
pub struct Transcript {
    pub batches: Vec<Batch>,
}

/// Messages that are appended at once.
#[derive(Clone, Debug)]
pub struct Batch {
    pub messages: usize,
    pub body: String,
}

impl Transcript {
    fn of(messages: &[String], batch: usize) -> Self {
        let batches = messages.chunks(batch);
        let batches = batches.map(|messages| Batch {
            messages: messages.len(),
            body: format!(r#"{{"messages":[{}]}}"#, messages.join(",")),
        });
        Self { batches: batches.collect() }
    }
}

/// Some transcripts of about a third of a megabyte.
pub fn made(batch: usize) -> Vec<Transcript> {
    let made = sessions::made().into_iter().map(|session| {
        let messages: Vec<String> =
            session.messages.iter().flat_map(|message| chat::as_chat(&message.message)).collect();
        Transcript::of(&messages, batch)
    });
    made.collect()
}

/// Those of a folder: JSON files with chat messages as `messages`.
pub fn of(folder: &Path, batch: usize) -> anyhow::Result<Vec<Transcript>> {
    #[derive(serde::Deserialize)]
    struct File {
        messages: Vec<Box<RawValue>>,
    }
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .map(|entry| Ok(entry?.path()))
        .collect::<anyhow::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = |path: &PathBuf| -> anyhow::Result<Transcript> {
        let file: File =
            serde_json::from_slice(&fs::read(path)?).with_context(|| path.display().to_string())?;
        let messages: Vec<String> = file.messages.iter().map(|message| message.get().to_owned()).collect();
        Ok(Transcript::of(&messages, batch))
    };
    paths.iter().map(read).collect()
}
