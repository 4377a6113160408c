//! What tools are called, agent by agent, and what their arguments mean.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use fnv::FnvBuildHasher;
use serde_json::{Map, Value};

use super::line::any_of;
use super::{paths, shell};

/// What a tool does, as far as files are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Shows a file.
    Read,
    /// Opens a file in an editor that later calls without a path work on (SWE-agent).
    Open,
    /// Makes a file that did not exist; the tool refuses when it did.
    Create,
    /// Writes a whole file, new or not.
    Write,
    /// Changes a part of a file.
    Edit,
    /// Puts text at a file's end.
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
    /// Hands in the work; its output is the patch.
    Submit,
    /// Rewrites the todo list.
    Todos,
    /// Adds one todo item.
    AddTodo,
    /// Changes one todo item.
    ChangeTodo,
    /// Nothing that concerns files.
    Other,
}

/// Tools by name, lower case, without a server's prefix. Names are what the agents send.
const TOOLS: &[(&str, Kind)] = &[
    // Claude Code; pi and others use the same words in lower case.
    ("read", Kind::Read),
    ("write", Kind::Write),
    ("edit", Kind::Edit),
    ("multiedit", Kind::Edit),
    ("notebookedit", Kind::Edit),
    ("notebookread", Kind::Read),
    ("todowrite", Kind::Todos),
    ("taskcreate", Kind::AddTodo),
    ("taskupdate", Kind::ChangeTodo),
    ("grep", Kind::Other),
    ("glob", Kind::Other),
    ("ls", Kind::Other),
    ("find", Kind::Other),
    ("webfetch", Kind::Other),
    ("websearch", Kind::Other),
    ("todoread", Kind::Other),
    // Codex
    ("apply_patch", Kind::Patch),
    ("update_plan", Kind::Todos),
    ("view_image", Kind::Other),
    // SWE-agent
    ("open", Kind::Open),
    ("create", Kind::Create),
    ("insert", Kind::Edit),
    ("append", Kind::Append),
    ("goto", Kind::Other),
    ("scroll_up", Kind::Other),
    ("scroll_down", Kind::Other),
    ("find_file", Kind::Other),
    ("search_file", Kind::Other),
    ("search_dir", Kind::Other),
    ("search", Kind::Other),
    ("submit", Kind::Submit),
    ("view", Kind::Read),
    ("str_replace", Kind::Edit),
    ("windowed_edit_replace", Kind::Edit),
    // Anthropic's editor, OpenHands, SWE-agent
    ("str_replace_editor", Kind::Editor),
    ("str_replace_based_edit_tool", Kind::Editor),
    ("text_editor", Kind::Editor),
    ("file_editor", Kind::Editor),
    ("edit_file", Kind::Edit),
    ("execute_ipython_cell", Kind::Code),
    ("task_tracker", Kind::Todos),
    ("finish", Kind::Other),
    // Gemini CLI, Qwen Code
    ("read_file", Kind::Read),
    ("read_many_files", Kind::Read),
    ("write_file", Kind::Write),
    ("replace", Kind::Edit),
    ("write_todos", Kind::Todos),
    ("save_memory", Kind::Other),
    ("search_file_content", Kind::Other),
    ("list_directory", Kind::Other),
    // Cline, Roo
    ("write_to_file", Kind::Write),
    ("replace_in_file", Kind::Edit),
    ("apply_diff", Kind::Edit),
    ("insert_content", Kind::Edit),
    ("search_and_replace", Kind::Edit),
    ("search_files", Kind::Other),
    ("list_files", Kind::Other),
    ("list_code_definition_names", Kind::Other),
    ("new_task", Kind::Other),
    ("attempt_completion", Kind::Other),
    // Cursor, Windsurf, VS Code, MCP file servers
    ("search_replace", Kind::Edit),
    ("edit_notebook", Kind::Edit),
    ("delete_file", Kind::Delete),
    ("view_file", Kind::Read),
    ("view_code_item", Kind::Read),
    ("replace_file_content", Kind::Edit),
    ("create_file", Kind::Create),
    ("insert_edit_into_file", Kind::Edit),
    ("replace_string_in_file", Kind::Edit),
    ("multi_replace_string_in_file", Kind::Edit),
    ("read_text_file", Kind::Read),
    ("read_multiple_files", Kind::Read),
    ("move_file", Kind::Move),
    ("rename_file", Kind::Move),
    ("append_to_file", Kind::Append),
    ("save_file", Kind::Write),
    ("remove_files", Kind::Delete),
    ("delete_files", Kind::Delete),
    ("multi_replace_file_content", Kind::Edit),
    ("propose_code", Kind::Edit),
    ("view_line_range", Kind::Read),
    ("view_content_chunk", Kind::Other),
    ("list_dir", Kind::Other),
    ("file_search", Kind::Other),
    ("grep_search", Kind::Other),
    ("codebase_search", Kind::Other),
    ("create_directory", Kind::Other),
    ("get_errors", Kind::Other),
    // Continue, Kiro and Amazon Q, opencode, Junie
    ("edit_existing_file", Kind::Edit),
    ("single_find_and_replace", Kind::Edit),
    ("create_new_file", Kind::Create),
    ("read_currently_open_file", Kind::Other),
    ("fs_read", Kind::Read),
    ("fs_write", Kind::Editor),
    ("fs_append", Kind::Append),
    ("patch", Kind::Patch),
    ("open_entire_file", Kind::Read),
    ("undo_edit", Kind::Edit),
    ("manage_todo_list", Kind::Todos),
    ("update_todo_list", Kind::Todos),
    // What aider's console reports
    (super::aider::EDIT, Kind::Edit),
    (super::aider::ADDED, Kind::Read),
];

/// Verbs in the names of tools that no table knows; the first that occurs as a word decides.
const VERBS: &[(&str, Kind)] = &[
    ("delete", Kind::Delete),
    ("remove", Kind::Delete),
    ("rename", Kind::Move),
    ("move", Kind::Move),
    ("append", Kind::Append),
    ("edit", Kind::Edit),
    ("update", Kind::Edit),
    ("replace", Kind::Edit),
    ("patch", Kind::Edit),
    ("insert", Kind::Edit),
    ("modify", Kind::Edit),
    ("write", Kind::Write),
    ("save", Kind::Write),
    ("create", Kind::Write),
    ("read", Kind::Read),
    ("view", Kind::Read),
    ("open", Kind::Read),
    ("get", Kind::Read),
    ("show", Kind::Read),
    ("cat", Kind::Read),
    ("list", Kind::Other),
];

/// The kinds of the tools by the letters of their names.
static KNOWN: LazyLock<HashMap<Vec<u8>, Kind, FnvBuildHasher>> = LazyLock::new(|| {
    let mut known = HashMap::default();
    for (name, kind) in TOOLS {
        known.entry(letters(name)).or_insert(*kind);
    }
    known
});

/// A name without what case styles put between its words.
fn letters(name: &str) -> Vec<u8> {
    name.bytes().filter(|b| !matches!(b, b'_' | b'-')).map(|b| b.to_ascii_lowercase()).collect()
}

/// A tool as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tool {
    /// What it does.
    pub kind: Kind,
    /// Whether a table names it; else its name's verb was taken.
    pub known: bool,
}

/// Looks a tool up. Agents write one name in several case styles (`strReplace`, `ApplyPatch`).
pub(super) fn tool(name: &str) -> Tool {
    if let Some(kind) = KNOWN.get(letters(bare_name(name)).as_slice()) {
        return Tool { kind: *kind, known: true };
    }
    let words = words_of(bare_name(name));
    let has = |wanted: &[&str]| words.iter().any(|w| wanted.contains(&w.as_str()));
    if has(&["todo", "todos"]) {
        let kind = if has(&["read", "get", "list", "show", "view"]) { Kind::Other } else { Kind::Todos };
        return Tool { kind, known: true };
    }
    let kind =
        VERBS.iter().find(|(verb, _)| words.iter().any(|w| w == verb)).map_or(Kind::Other, |(_, k)| *k);
    Tool { kind, known: false }
}

/// The name without what a server or a namespace puts before it (`mcp__files__read_file`,
/// `container.exec`, `functions.apply_patch`).
fn bare_name(name: &str) -> &str {
    let name = name.rsplit("__").next().unwrap_or(name);
    let name = name.strip_prefix("builtin_").unwrap_or(name);
    name.rsplit(['.', ':', '/']).next().unwrap_or(name)
}

/// The words of a name in any case style.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars().take(120) {
        if !c.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        if c.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

/// Whether a tool of this name may run shell commands.
pub(super) fn may_run_commands(name: &str) -> bool {
    static EDITS: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(["editor", "ipython", "edit_tool"]));
    static RUNS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        any_of([
            "bash",
            "shell",
            "terminal",
            "exec",
            "command",
            "cmd",
            "launch",
            "powershell",
            "process",
            "zsh",
            "run",
        ])
    });
    let bare = bare_name(name);
    !EDITS.is_match(bare) && (RUNS.is_match(bare) || bare.eq_ignore_ascii_case("sh"))
}

/// The shell command in a tool's arguments.
pub(super) fn shell_command(name: &str, arguments: &Value) -> Option<String> {
    const KEYS: &[&str] =
        &["command", "cmd", "commands", "CommandLine", "script", "shell_command", "bash_command"];
    let object = arguments.as_object()?;
    if bare_name(name).eq_ignore_ascii_case("write_stdin") {
        return None;
    }
    let direct = object.get("action").and_then(Value::as_object).unwrap_or(object);
    let value = KEYS.iter().find_map(|k| direct.get(*k))?;
    match value {
        Value::String(command) => Some(command.clone()).filter(|c| !c.trim().is_empty()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match *words.as_slice() {
                [] => None,
                // `bash -lc "…"`, `pwsh -NoProfile -Command …`: what counts is the script.
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

/// Whether an option says that the script follows: `-c`, `-lc`, `-Command`, `/c`.
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
pub(super) fn work_dir(arguments: &Value) -> Option<String> {
    const KEYS: &[&str] = &[
        "workdir",
        "working_directory",
        "workingDirectory",
        "cwd",
        "Cwd",
        "directory",
        "dir_path",
        "work_dir",
    ];
    let object = arguments.as_object()?;
    let direct = object.get("action").and_then(Value::as_object).unwrap_or(object);
    KEYS.iter().find_map(|k| direct.get(*k)?.as_str()).filter(|d| !d.trim().is_empty()).map(str::to_owned)
}

/// Keys under which tools name a file.
const PATH_KEYS: &[&str] = &[
    "file_path",
    "path",
    "filename",
    "file",
    "filePath",
    "file_name",
    "notebook_path",
    "absolute_path",
    "absolutePath",
    "target_file",
    "TargetFile",
    "AbsolutePath",
    "relative_path",
    "relativePath",
    "relative_workspace_path",
    "filepath",
    "target_notebook",
    "file_to_edit",
    "File",
    "abs_path",
    "dest_path",
];
const MANY_KEYS: &[&str] = &[
    "paths",
    "files",
    "file_paths",
    "filePaths",
    "filenames",
    "include",
    "operations",
    "reads",
    "replacements",
    "edits",
];
const FROM_KEYS: &[&str] =
    &["source", "old_path", "from", "src", "oldPath", "source_path", "from_path", "sourcePath"];
const TO_KEYS: &[&str] = &[
    "destination",
    "new_path",
    "to",
    "dst",
    "newPath",
    "destination_path",
    "to_path",
    "target",
    "dest",
    "new_name",
];
const OLD_KEYS: &[&str] = &[
    "old_string",
    "oldText",
    "old_str",
    "old_text",
    "oldString",
    "search",
    "TargetContent",
    "old_content",
    "original",
    "str_old",
];
const NEW_KEYS: &[&str] = &[
    "new_string",
    "newText",
    "new_str",
    "new_text",
    "newString",
    "replace",
    "ReplacementContent",
    "new_content",
    "replacement",
    "new_source",
    "insert_text",
    "insert_content",
    "replacement_text",
];
const CONTENT_KEYS: &[&str] = &[
    "content",
    "contents",
    "file_text",
    "text",
    "code",
    "file_content",
    "fileContent",
    "code_edit",
    "CodeContent",
    "body",
    "data",
    "diff",
    "changes",
    "new_contents",
    "new_file_contents",
];

fn string_of<'v>(object: &'v Map<String, Value>, keys: &[&str]) -> Option<&'v str> {
    keys.iter().find_map(|k| object.get(*k)?.as_str())
}

/// The files that the arguments name.
pub(super) fn paths_in(arguments: &Map<String, Value>, known: bool) -> Vec<&str> {
    let takes = |path: &&str| if known { paths::is_file_name(path) } else { paths::looks_like_file(path) };
    if arguments.get("mode").and_then(Value::as_str) == Some("Directory") {
        return Vec::new();
    }
    if let Some(path) = string_of(arguments, PATH_KEYS) {
        return Some(path).filter(takes).into_iter().collect();
    }
    let mut found = Vec::new();
    for value in MANY_KEYS.iter().filter_map(|k| arguments.get(*k)) {
        for item in value.as_array().into_iter().flatten().take(100) {
            let folder = item.get("mode").and_then(Value::as_str) == Some("Directory");
            let path = item.as_str().or_else(|| string_of(item.as_object()?, PATH_KEYS)).filter(|_| !folder);
            // One call may change several places of a file.
            found.extend(path.filter(takes).filter(|path| !found.contains(path)));
        }
        if !found.is_empty() {
            break;
        }
    }
    if found.is_empty() {
        // `<args><file>` repeated under one key.
        for item in PATH_KEYS.iter().filter_map(|k| arguments.get(*k)?.as_array()).flatten().take(100) {
            found.extend(item.as_str().filter(takes));
        }
    }
    found
}

/// The two paths of a move.
pub(super) fn move_in(arguments: &Map<String, Value>) -> Option<(&str, &str)> {
    let to = string_of(arguments, TO_KEYS)?;
    let from = string_of(arguments, FROM_KEYS).or_else(|| string_of(arguments, PATH_KEYS))?;
    let file = |p: &str| paths::is_file_name(p) && !paths::extension(p).is_empty();
    (file(from) && file(to)).then_some((from, to))
}

/// The texts before and after each edit of a file in the arguments; a whole content has an empty "before".
pub(super) fn edits_in<'v>(arguments: &'v Map<String, Value>, path: &str) -> Vec<(&'v str, &'v str)> {
    // An edit that names no file is of the one that the call names.
    let of_path = |edit: &&Map<String, Value>| string_of(edit, PATH_KEYS).is_none_or(|named| named == path);
    for key in ["edits", "replacements", "ReplacementChunks", "changes", "chunks"] {
        if let Some(list) = arguments.get(key).and_then(Value::as_array) {
            let edits = list.iter().take(100).filter_map(Value::as_object);
            return edits.filter(of_path).filter_map(one_edit).collect();
        }
    }
    one_edit(arguments).into_iter().collect()
}

fn one_edit(object: &Map<String, Value>) -> Option<(&str, &str)> {
    let old = string_of(object, OLD_KEYS);
    let new = string_of(object, NEW_KEYS);
    match (old, new) {
        (Some(old), new) => Some((old, new.unwrap_or(""))),
        (None, Some(new)) => Some(("", new)),
        (None, None) => content_in(object).map(|content| ("", content)),
    }
}

/// The whole text that the arguments carry.
pub(super) fn content_in(arguments: &Map<String, Value>) -> Option<&str> {
    string_of(arguments, CONTENT_KEYS)
}

/// The patch text in an argument object, or in arguments that are the patch itself.
pub(super) fn patch_in(arguments: &str) -> Option<String> {
    match serde_json::from_str::<Value>(arguments) {
        Ok(Value::Object(object)) => {
            string_of(&object, &["input", "patch", "diff", "content", "patch_text", "patchText"])
                .map(str::to_owned)
        }
        Ok(Value::String(text)) => Some(text),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_)) => None,
        Err(_) => arguments.contains("*** Begin Patch").then(|| arguments.to_owned()),
    }
}
