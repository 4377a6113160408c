//! The rules of `rules/tools.toml`: names of agents' tools, and the meaning of their arguments.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use fnv::FnvBuildHasher;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::words::WORDS;
use super::{paths, shell};
use crate::rules;
use crate::wording::words_of;
use anchord_messages::inner_json;

#[cfg(test)]
pub(super) use samples::problems as rule_problems;

/// The tool name of an edit that aider's console reports as applied.
pub(super) const AIDER_EDIT: &str = "aider_applied_edit";
/// The tool name of a file that aider's console reports as added to the chat.
pub(super) const AIDER_ADDED: &str = "aider_added_to_chat";

/// The effect of a tool on files or on the todo list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// Shows a file.
    Read,
    /// Opens a file in an editor; later calls without a path work on it (SWE-agent).
    Open,
    /// Creates a file; the tool fails when it exists.
    Create,
    /// Writes a whole file, new or not.
    Write,
    /// Changes a part of a file.
    Edit,
    /// Appends text to a file.
    Append,
    /// Removes a file.
    Delete,
    /// Gives a file a new path.
    Move,
    /// An editor with a sub-command (`view`, `create`, `str_replace`, `insert`, `undo_edit`).
    Editor,
    /// Applies a patch that names its files.
    Patch,
    /// Runs code that may write files.
    Code,
    /// Submits the work; its output is the patch.
    Submit,
    /// Rewrites the todo list.
    Todos,
    /// Adds one todo item.
    AddTodo,
    /// Changes one todo item.
    ChangeTodo,
    /// Anything else.
    Other,
}

#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Tools {
    #[serde(rename = "agent")]
    agents: Vec<Agent>,
    #[serde(rename = "verb")]
    verbs: Vec<Verb>,
    commands: Commands,
    arguments: Arguments,
}

#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Agent {
    #[cfg(test)]
    name: String,
    tools: BTreeMap<Kind, Vec<String>>,
    #[cfg(test)]
    samples: Vec<samples::Sample>,
}

#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Verb {
    kind: Kind,
    words: Vec<String>,
    #[cfg(test)]
    samples: Vec<String>,
}

#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Commands {
    runs: Vec<String>,
    edits: Vec<String>,
    #[cfg(test)]
    samples: Vec<String>,
    #[cfg(test)]
    not: Vec<String>,
}

/// Argument names, by what their values mean.
#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Arguments {
    path: Vec<String>,
    paths: Vec<String>,
    from: Vec<String>,
    to: Vec<String>,
    old: Vec<String>,
    new: Vec<String>,
    content: Vec<String>,
    edits: Vec<String>,
    patch: Vec<String>,
    command: Vec<String>,
    directory: Vec<String>,
}

static TOOLS: LazyLock<Tools> = LazyLock::new(|| rules::read(rules::TOOLS));

/// The kinds of tools, by their names without separators and case.
static KINDS: LazyLock<HashMap<Vec<u8>, Kind, FnvBuildHasher>> = LazyLock::new(|| {
    let listed = TOOLS.agents.iter().flat_map(|agent| &agent.tools);
    let named = listed.flat_map(|(kind, names)| names.iter().map(|name| (name.as_str(), *kind)));
    // Lines of aider's console are converted to calls of these tools.
    let aider = [(AIDER_EDIT, Kind::Edit), (AIDER_ADDED, Kind::Read)];
    named.chain(aider).map(|(name, kind)| (letters(name), kind)).collect()
});

/// A name in lower case without separators, equal in all case styles.
fn letters(name: &str) -> Vec<u8> {
    name.bytes().filter(|b| !matches!(b, b'_' | b'-')).map(|b| b.to_ascii_lowercase()).collect()
}

/// The result of looking up a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tool {
    /// Its effect.
    pub kind: Kind,
    /// Whether a rule lists its name; else the kind was guessed from the verb in the name.
    pub known: bool,
}

/// Looks a tool up. Agents write one name in several case styles (`strReplace`, `ApplyPatch`).
pub(super) fn tool(name: &str) -> Tool {
    if let Some(kind) = KINDS.get(letters(bare_name(name)).as_slice()) {
        return Tool { kind: *kind, known: true };
    }
    let words = words_of(bare_name(name));
    let has = |wanted: &[&str]| words.iter().any(|w| wanted.contains(&w.as_str()));
    if has(&["todo", "todos"]) {
        let kind = if has(&["read", "get", "list", "show", "view"]) { Kind::Other } else { Kind::Todos };
        return Tool { kind, known: true };
    }
    let is_meant = |verb: &&Verb| words.iter().any(|word| verb.words.contains(word));
    let kind = TOOLS.verbs.iter().find(is_meant).map_or(Kind::Other, |verb| verb.kind);
    Tool { kind, known: false }
}

/// Whether a tool of this name shows, finds or changes files, or keeps a list of its own work.
pub fn is_about_files(name: &str) -> bool {
    let tool = tool(name);
    tool.known && !matches!(tool.kind, Kind::Other | Kind::Code | Kind::Submit)
        || words_of(bare_name(name)).iter().any(|word| WORDS.file_tools.contains(word))
}

/// The name without the prefix of a server or a namespace (`mcp__files__read_file`,
/// `container.exec`, `functions.apply_patch`).
fn bare_name(name: &str) -> &str {
    let name = name.rsplit("__").next().unwrap_or(name);
    let name = name.strip_prefix("builtin_").unwrap_or(name);
    name.rsplit(['.', ':', '/']).next().unwrap_or(name)
}

/// Whether a tool of this name may run shell commands.
pub(super) fn may_run_commands(name: &str) -> bool {
    let bare = bare_name(name).to_ascii_lowercase();
    let has = |words: &[String]| words.iter().any(|word| bare.contains(word.as_str()));
    !has(&TOOLS.commands.edits) && (has(&TOOLS.commands.runs) || bare == "sh")
}

/// The shell command in a tool's arguments.
pub(super) fn shell_command(name: &str, arguments: &Map<String, Value>) -> Option<String> {
    if bare_name(name).eq_ignore_ascii_case("write_stdin") {
        return None;
    }
    let direct = arguments.get("action").and_then(Value::as_object).unwrap_or(arguments);
    let value = TOOLS.arguments.command.iter().find_map(|key| direct.get(key))?;
    match value {
        Value::String(command) => Some(command.clone()).filter(|c| !c.trim().is_empty()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match *words.as_slice() {
                [] => None,
                // `bash -lc "…"`, `pwsh -NoProfile -Command …`: only the script is returned.
                [sh, ref rest @ ..] if is_shell(sh) => match rest.iter().position(|f| hands_over(f)) {
                    Some(at) if at + 1 < rest.len() && !rest.iter().take(at).any(|w| w.contains('.')) => {
                        Some(rest.get(at + 1..)?.join(" "))
                    }
                    _ => Some(shell::quote(words.into_iter())),
                },
                _ => Some(shell::quote(words.into_iter())),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Whether a script follows an option: `-c`, `-lc`, `-Command`, `/c`.
fn hands_over(flag: &str) -> bool {
    flag.eq_ignore_ascii_case("-command")
        || flag.eq_ignore_ascii_case("/c")
        || flag.len() <= 5 && flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with('c')
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    matches!(
        name,
        "bash" | "sh" | "zsh" | "dash" | "powershell" | "powershell.exe" | "pwsh" | "cmd" | "cmd.exe"
    )
}

/// The directory that a call asks to run in.
pub(super) fn work_dir(arguments: &Map<String, Value>) -> Option<String> {
    let direct = arguments.get("action").and_then(Value::as_object).unwrap_or(arguments);
    string_of(direct, &TOOLS.arguments.directory)
        .filter(|d| !d.trim().is_empty() && d.len() <= paths::MAX_PATH)
        .map(str::to_owned)
}

fn string_of<'v>(object: &'v Map<String, Value>, keys: &[String]) -> Option<&'v str> {
    keys.iter().find_map(|key| object.get(key)?.as_str())
}

/// The files that the arguments name.
pub(super) fn paths_in(arguments: &Map<String, Value>, known: bool) -> Vec<&str> {
    let takes = |path: &&str| if known { paths::is_file_name(path) } else { paths::looks_like_file(path) };
    if arguments.get("mode").and_then(Value::as_str) == Some("Directory") {
        return Vec::new();
    }
    if let Some(path) = string_of(arguments, &TOOLS.arguments.path) {
        return Some(path).filter(takes).into_iter().collect();
    }
    let mut found = Vec::new();
    for value in TOOLS.arguments.paths.iter().filter_map(|key| arguments.get(key)) {
        for item in value.as_array().into_iter().flatten().take(100) {
            let folder = item.get("mode").and_then(Value::as_str) == Some("Directory");
            let path = item
                .as_str()
                .or_else(|| string_of(item.as_object()?, &TOOLS.arguments.path))
                .filter(|_| !folder);
            // One call may edit several places of a file.
            found.extend(path.filter(takes).filter(|path| !found.contains(path)));
        }
        if !found.is_empty() {
            break;
        }
    }
    if found.is_empty() {
        // `<args><file>` repeated under one key.
        for item in
            TOOLS.arguments.path.iter().filter_map(|key| arguments.get(key)?.as_array()).flatten().take(100)
        {
            found.extend(item.as_str().filter(takes));
        }
    }
    found
}

/// The two paths of a move.
pub(super) fn move_in(arguments: &Map<String, Value>) -> Option<(&str, &str)> {
    let to = string_of(arguments, &TOOLS.arguments.to)?;
    let from = string_of(arguments, &TOOLS.arguments.from)
        .or_else(|| string_of(arguments, &TOOLS.arguments.path))?;
    let file = |p: &str| paths::is_file_name(p) && !paths::extension(p).is_empty();
    (file(from) && file(to)).then_some((from, to))
}

/// The texts before and after each edit of a file in the arguments; a whole content has an empty "before".
pub(super) fn edits_in<'v>(arguments: &'v Map<String, Value>, path: &str) -> Vec<(&'v str, &'v str)> {
    // An edit without a file belongs to the file that the call names.
    let of_path =
        |edit: &&Map<String, Value>| string_of(edit, &TOOLS.arguments.path).is_none_or(|named| named == path);
    for key in &TOOLS.arguments.edits {
        if let Some(list) = arguments.get(key).and_then(Value::as_array) {
            let edits = list.iter().take(100).filter_map(Value::as_object);
            return edits.filter(of_path).filter_map(one_edit).collect();
        }
    }
    one_edit(arguments).into_iter().collect()
}

fn one_edit(object: &Map<String, Value>) -> Option<(&str, &str)> {
    let old = string_of(object, &TOOLS.arguments.old);
    let new = string_of(object, &TOOLS.arguments.new);
    match (old, new) {
        (Some(old), new) => Some((old, new.unwrap_or(""))),
        (None, Some(new)) => Some(("", new)),
        (None, None) => content_in(object).map(|content| ("", content)),
    }
}

/// The whole content of a file in the arguments.
pub(super) fn content_in(arguments: &Map<String, Value>) -> Option<&str> {
    string_of(arguments, &TOOLS.arguments.content)
}

/// The patch text in an argument object, or in arguments that are the patch itself.
pub(super) fn patch_in(arguments: &str) -> Option<String> {
    match inner_json::read::<Value>(arguments) {
        Some(Value::Object(object)) => string_of(&object, &TOOLS.arguments.patch).map(str::to_owned),
        Some(Value::String(text)) => Some(text),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_)) => None,
        None => arguments.contains("*** Begin Patch").then(|| arguments.to_owned()),
    }
}

#[cfg(test)]
mod samples {
    use super::*;

    /// A call, with its kind and the files that its arguments name.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Sample {
        tool: String,
        arguments: Map<String, Value>,
        kind: Kind,
        files: Vec<String>,
    }

    impl Agent {
        fn problems(&self) -> Vec<String> {
            let mut problems = Vec::new();
            for sample in &self.samples {
                let read = (tool(&sample.tool).kind, paths_in(&sample.arguments, tool(&sample.tool).known));
                if read != (sample.kind, sample.files.iter().map(String::as_str).collect()) {
                    problems.push(format!("reads {read:?} in a call of {}", sample.tool));
                }
                if !self
                    .tools
                    .values()
                    .flatten()
                    .any(|name| letters(name) == letters(bare_name(&sample.tool)))
                {
                    problems.push(format!("does not name {}", sample.tool));
                }
            }
            for (kind, name) in
                self.tools.iter().flat_map(|(kind, names)| names.iter().map(move |name| (*kind, name)))
            {
                if tool(name).kind != kind {
                    problems.push(format!("{name} has another kind elsewhere"));
                }
            }
            problems.extend(self.samples.is_empty().then(|| "it has no sample".to_owned()));
            problems.into_iter().map(|problem| format!("tools.toml, {}: {problem}", self.name)).collect()
        }
    }

    /// The faults of the rules.
    pub fn problems() -> Vec<String> {
        let mut problems: Vec<String> = TOOLS.agents.iter().flat_map(Agent::problems).collect();
        for verb in &TOOLS.verbs {
            let is_read = |name: &String| tool(name) == Tool { kind: verb.kind, known: false };
            if verb.samples.is_empty() || !verb.samples.iter().all(is_read) {
                problems
                    .push(format!("tools.toml, {:?}: {:?} are not all read so", verb.words, verb.samples));
            }
        }
        let commands = &TOOLS.commands;
        let wrong = |names: &[String], runs| names.iter().any(|name| may_run_commands(name) != runs);
        if wrong(&commands.samples, true) || wrong(&commands.not, false) {
            problems.push("tools.toml, commands: a sample is read wrongly".to_owned());
        }
        problems
    }
}
