//! Reads the transcripts that commands take: the log of a supported agent, from a file or standard input.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use clap::ValueEnum;

use anchord_messages::format::Format;
use anchord_messages::transcript::{self, Log, Transcript};

/// What a file may hold, by its name on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FileFormat {
    OpenaiChat,
    Anthropic,
    OpenaiResponses,
    ClaudeCode,
    Codex,
    SweAgent,
    Openhands,
}

impl FileFormat {
    /// The kind of log, and the format of its messages when they alone do not show it.
    fn parts(self) -> (Log, Option<Format>) {
        match self {
            Self::OpenaiChat => (Log::Messages, Some(Format::OpenaiChat)),
            Self::Anthropic => (Log::Messages, Some(Format::Anthropic)),
            Self::OpenaiResponses => (Log::Messages, Some(Format::OpenaiResponses)),
            Self::ClaudeCode => (Log::ClaudeCode, None),
            Self::Codex => (Log::Codex, None),
            Self::SweAgent => (Log::SweAgent, None),
            Self::Openhands => (Log::Openhands, None),
        }
    }
}

/// Reads a transcript from a file, or from standard input for `-`. Without `format`, its kind is detected.
pub(super) fn read(file: &Path, format: Option<FileFormat>) -> anyhow::Result<Transcript> {
    let text = text(file).with_context(|| format!("cannot read {}", file.display()))?;
    let (log, format) =
        format.map(FileFormat::parts).map_or((None, None), |(log, format)| (Some(log), format));
    transcript::read(&text, log, format).with_context(|| file.display().to_string())
}

fn text(file: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(file)?;
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..valid).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        anyhow::anyhow!("line {line}: not UTF-8")
    })
}
