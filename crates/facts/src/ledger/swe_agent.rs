//! SWE-agent: parses the editor commands in its shell, and the prompt lines that show the open file.

use super::event::Act;
use super::line::{head, tail};
use super::paths;

/// The open file, by the prompt lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OpenFile {
    /// There are no prompt lines.
    NotShown,
    /// No file is open.
    Closed,
    /// This file is open.
    File(String),
}

impl OpenFile {
    /// The open file's path.
    pub(super) fn path(self) -> Option<String> {
        match self {
            Self::File(path) => Some(path),
            Self::NotShown | Self::Closed => None,
        }
    }
}

/// A parsed editor command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Typed<'c> {
    /// The effect of the command.
    pub act: Act,
    /// The file that it names; `None` for the open file.
    pub path: Option<String>,
    /// The text that it inserts.
    pub text: Option<&'c str>,
}

/// Parses an editor command; `None` for other commands.
pub(super) fn typed(command: &str) -> Option<Typed<'_>> {
    let command = command.trim();
    let (first, rest) = command.split_once('\n').unwrap_or((command, ""));
    let mut words = first.split_whitespace();
    let act = match words.next()? {
        "open" => Act::Read,
        "create" => Act::Create,
        "edit" | "insert" | "append" => Act::Modify,
        _ => return None,
    };
    let path = if act == Act::Modify {
        None
    } else {
        let path = words.next()?.trim_matches(['"', '\'']);
        Some(paths::is_file_name(path).then(|| path.to_owned())?)
    };
    let text = rest.rsplit_once("end_of_edit").map_or(rest, |(text, _)| text);
    Some(Typed { act, path, text: Some(text).filter(|t| !t.trim().is_empty()) })
}

/// Parses the prompt lines (`(Open file: …)` at the end, `[File: … (90 lines total)]` at the start).
pub(super) fn open_file(output: &str) -> OpenFile {
    const PROMPT: &str = "(Open file: ";
    const HEADER: &str = "[File: ";
    let named = |path: &str| {
        if path != "n/a" && paths::is_file_name(path) {
            OpenFile::File(path.to_owned())
        } else {
            OpenFile::Closed
        }
    };
    let end = tail(output, 1_200);
    let prompted = |at: &usize| end.get(*at..).is_some_and(|rest| rest.starts_with(PROMPT));
    if let Some(at) = memchr::memrchr_iter(b'(', end.as_bytes()).find(prompted) {
        let line = end.get(at + PROMPT.len()..).and_then(|rest| rest.lines().next()).unwrap_or("");
        return named(line.trim_end().trim_end_matches(')'));
    }
    let start = head(output, 400);
    let headed = |at: usize| start.get(at..)?.strip_prefix(HEADER);
    match memchr::memchr_iter(b'[', start.as_bytes())
        .find_map(headed)
        .and_then(|rest| rest.split(" (").next())
    {
        Some(path) => named(path),
        None => OpenFile::NotShown,
    }
}
