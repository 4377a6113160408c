//! SWE-agent: commands typed into its shell, and what its prompt lines show.

use super::outcome::{head, tail};
use super::paths;
use super::tools::Kind;

/// One of its editor commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Typed<'c> {
    /// What the command does.
    pub kind: Kind,
    /// The file that it names; else it works on the open one.
    pub path: Option<String>,
    /// The text that it puts in.
    pub text: Option<&'c str>,
}

/// Reads a command that is one of the editor's.
pub(super) fn typed(command: &str) -> Option<Typed<'_>> {
    let command = command.trim();
    let (first, rest) = command.split_once('\n').unwrap_or((command, ""));
    let mut words = first.split_whitespace();
    let kind = match words.next()? {
        "open" => Kind::Open,
        "create" => Kind::Create,
        "edit" | "insert" => Kind::Edit,
        "append" => Kind::Append,
        _ => return None,
    };
    let path = match kind {
        Kind::Open | Kind::Create => {
            let path = words.next()?.trim_matches(['"', '\'']);
            Some(path.to_owned()).filter(|p| paths::is_file_name(p))
        }
        _ => None,
    };
    if path.is_none() && matches!(kind, Kind::Open | Kind::Create) {
        return None;
    }
    let text = rest.rsplit_once("end_of_edit").map_or(rest, |(text, _)| text);
    Some(Typed { kind, path, text: Some(text).filter(|t| !t.trim().is_empty()) })
}

/// The file that the prompt lines show as open: `None` when there are none, `Some(None)` when no
/// file is open.
pub(super) fn open_file(output: &str) -> Option<Option<String>> {
    let end = tail(output, 1_200);
    if let Some(at) = end.rfind("(Open file: ") {
        let path =
            end.get(at + "(Open file: ".len()..)?.split(")\n").next()?.trim_end_matches([')', '\r', '\n']);
        let open = path != "n/a" && paths::is_file_name(path);
        return Some(open.then(|| path.to_owned()));
    }
    let start = head(output, 400);
    let at = start.find("[File: ")?;
    let path = start.get(at + "[File: ".len()..)?.split(" (").next()?;
    Some(Some(path.to_owned()).filter(|p| paths::is_file_name(p)))
}
