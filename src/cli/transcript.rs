//! Reads the transcripts that commands take: the log of a supported agent, from a file or standard input.

use std::io::{IsTerminal as _, Read as _};
use std::ops::Range;
use std::path::Path;

use anyhow::Context as _;

use super::failure::Usage;
use super::prelude::*;
use anchord_messages::format::Format;
use anchord_messages::transcript::{self, Log, Logged, Transcript};

/// The most bytes of messages in one call; half of the largest body that a service accepts by default.
pub(super) const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Contents of a file, by its name on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FileFormat {
    /// Messages of OpenAI's chat completions
    OpenaiChat,
    /// Messages of Anthropic
    Anthropic,
    /// Items of OpenAI's responses
    OpenaiResponses,
    /// A log of Claude Code
    ClaudeCode,
    /// A log of Codex
    Codex,
    /// A trajectory of SWE-agent
    SweAgent,
    /// Events of OpenHands
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
pub(super) fn read(file: &Path, format: Option<FileFormat>) -> Result<Transcript> {
    parse(file, &text(file)?, format)
}

/// Parses the text of a file as a transcript.
pub(super) fn parse(file: &Path, text: &str, format: Option<FileFormat>) -> Result<Transcript> {
    let (log, format) =
        format.map(FileFormat::parts).map_or((None, None), |(log, format)| (Some(log), format));
    transcript::read(text, log, format).with_context(|| file.display().to_string())
}

/// Reads a text from a file, or from standard input for `-`.
pub(super) fn text(file: &Path) -> Result<String> {
    let name = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let bytes = bytes(file).map_err(|error| Usage(format!("cannot read {name}: {error}")))?;
    utf8(bytes).with_context(|| format!("cannot read {name}"))
}

/// The next batch: at least one message, at most `most`, and at most [`BATCH_BYTES`].
pub(super) fn batch(messages: &[Logged], from: usize, most: usize) -> Range<usize> {
    let mut bytes = 0;
    let fitting = messages.iter().skip(from).take(most).take_while(|message| {
        bytes += message.raw.len();
        bytes <= BATCH_BYTES
    });
    from..from + fitting.count().max(1)
}

/// The bytes of a file, or of standard input for `-`.
pub(super) fn bytes(file: &Path) -> std::io::Result<Vec<u8>> {
    if file != Path::new("-") {
        return std::fs::read(file);
    }
    if std::io::stdin().is_terminal() {
        output::note("reading standard input; end it with Ctrl-D");
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn utf8(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..valid).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        anyhow::anyhow!("line {line}: not UTF-8")
    })
}
