//! Classifies a tool call before its result exists: it reads a file, changes something, or waits.
//!
//! The caller looks for repeated reads. This is coarser than the events that a compression reads. When in doubt, a call
//! counts as a change, because reading a file again after a change is justified.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::shell::{self, Op};
pub use super::todos::TodoUpdate;
use super::tools::{self, Kind};
use super::{paths, spoken, todos};

/// Arguments longer than this are not parsed.
const PARSED_BYTES: usize = 64 * 1024;
/// Scripts longer than this are not parsed and count as a change.
const SCRIPT_BYTES: usize = 4 * 1024;

/// The effect of a call, as far as it decides whether repeating the call is useful.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// It neither reads one file nor changes anything.
    #[default]
    Other,
    /// It reads a file.
    Reads,
    /// It changes something.
    Changes,
    /// It waits for something that runs, so repeating it is normal.
    Waits,
}

/// The request of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The kind of call.
    pub act: Act,
    /// The name, without its folder, of the only file that the call names; `None` when it names none or several.
    pub file: Option<String>,
    /// The change that it makes to the todo list.
    pub todos: Option<TodoUpdate>,
}

/// A tool call that the model wrote as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// The tool; `bash` for fenced commands.
    pub tool: String,
    /// The shell command, or the arguments as JSON text.
    pub arguments: String,
    /// The call, classified.
    pub asked: Asked,
}

/// Classifies a structured call by its name and its arguments (JSON text). Arguments that do not parse give the
/// default, arguments that are too long give [`Act::Changes`].
pub fn asked(name: &str, arguments: &str) -> Asked {
    if arguments.len() > PARSED_BYTES {
        return Asked { act: Act::Changes, ..Asked::default() };
    }
    let tool = tools::tool(name);
    if tool.kind == Kind::Patch {
        return Asked { act: Act::Changes, ..Asked::default() };
    }
    let Ok(arguments) = serde_json::from_str::<Map<String, Value>>(arguments) else {
        return Asked::default();
    };
    if tools::may_run_commands(name)
        && let Some(command) = tools::shell_command(name, &arguments)
    {
        return script(&command);
    }
    let todos = todos::announced(tool.kind, &arguments);
    let act = act(name, tool, &arguments);
    let file = match *tools::paths_in(&arguments, tool.known) {
        [path] => Some(file_name(path)),
        _ => None,
    };
    let act = if act == Act::Reads && file.is_none() { Act::Other } else { act };
    Asked { act, file, todos }
}

fn act(name: &str, tool: tools::Tool, arguments: &Map<String, Value>) -> Act {
    match tool.kind {
        Kind::Read | Kind::Open => Act::Reads,
        Kind::Editor => match arguments.get("command").and_then(Value::as_str) {
            Some("view" | "read") => Act::Reads,
            _ => Act::Changes,
        },
        Kind::Create
        | Kind::Write
        | Kind::Edit
        | Kind::Append
        | Kind::Delete
        | Kind::Move
        | Kind::Patch
        | Kind::Code
        | Kind::Submit => Act::Changes,
        Kind::Other if waits(name) => Act::Waits,
        // The other agent may change the same files.
        Kind::Other if delegates(name) => Act::Changes,
        Kind::Todos | Kind::AddTodo | Kind::ChangeTodo | Kind::Other => Act::Other,
    }
}

fn waits(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["wait", "sleep", "poll", "monitor", "schedule", "bashoutput", "taskoutput", "stdin", "bash_output"]
        .iter()
        .any(|word| name.contains(word))
}

/// Whether a tool has another agent do something.
pub(super) fn delegates(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["task", "agent", "delegate", "skill", "dispatch"].iter().any(|word| name.contains(word))
}

/// Classifies a shell script by what its commands do to files.
fn script(script: &str) -> Asked {
    if script.len() > SCRIPT_BYTES {
        return Asked { act: Act::Changes, ..Asked::default() };
    }
    let (mut read, mut changed) = (Vec::new(), Vec::new());
    for effect in shell::effects(&shell::parse(script, None), None).list {
        if effect.op == Op::Read {
            read.push(effect.path);
        } else if effect.op != Op::Run {
            changed.push(effect.path);
        }
    }
    let (act, files) = if !changed.is_empty() {
        (Act::Changes, changed)
    } else if script.contains("sleep ") {
        (Act::Waits, Vec::new())
    } else if read.is_empty() {
        (Act::Other, read)
    } else {
        (Act::Reads, read)
    };
    let file = match files.as_slice() {
        [path] => Some(file_name(path)).filter(|name| !name.is_empty()),
        _ => None,
    };
    Asked { act, file, todos: None }
}

/// The last part of a path, which the absolute and the relative path of a file share.
fn file_name(path: &str) -> String {
    let clean = paths::clean(path);
    clean.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// The tool calls in a text, classified: fenced shell commands and tagged calls.
pub fn spoken(text: &str) -> impl Iterator<Item = Spoken> {
    spoken::asked(text).into_iter().map(|one| {
        if let Some(command) = one.command {
            let asked = script(&command);
            return Spoken { tool: "bash".to_owned(), arguments: command.into_owned(), asked };
        }
        let asked = asked(&one.tool, &one.arguments);
        Spoken { tool: one.tool.into_owned(), arguments: one.arguments.into_owned(), asked }
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("Read", r#"{"file_path": "/src/a.rs", "offset": 10}"#, Act::Reads, Some("a.rs"))]
    #[case(
        "edit_file",
        r#"{"path": "src/a.rs", "old_str": "a", "new_str": "b"}"#,
        Act::Changes,
        Some("a.rs")
    )]
    #[case("str_replace_editor", r#"{"command": "view", "path": "a.py"}"#, Act::Reads, Some("a.py"))]
    #[case("Bash", r#"{"command": "cat src/a.rs"}"#, Act::Reads, Some("a.rs"))]
    #[case("Bash", r#"{"command": "sed -i s/a/b/ src/a.rs"}"#, Act::Changes, Some("a.rs"))]
    #[case("Bash", r#"{"command": "sleep 30; tail log.txt"}"#, Act::Waits, None)]
    #[case("Bash", r#"{"command": "cargo test"}"#, Act::Other, None)]
    #[case("apply_patch", "*** Begin Patch", Act::Changes, None)]
    #[case("update_booking", r#"{"id": "X1"}"#, Act::Changes, None)]
    #[case("get_booking", r#"{"id": "X1"}"#, Act::Other, None)]
    #[case("Grep", "not json", Act::Other, None)]
    fn a_call_is_told_to_look_or_to_change(
        #[case] name: &str,
        #[case] arguments: &str,
        #[case] act: Act,
        #[case] file: Option<&str>,
    ) {
        let asked = asked(name, arguments);
        assert_eq!((asked.act, asked.file.as_deref()), (act, file));
    }

    #[test]
    fn a_todo_list_is_read_from_the_call() {
        let arguments =
            r#"{"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]}"#;
        let change = asked("TodoWrite", arguments).todos.unwrap();
        assert!(change.replaces);
        assert_eq!(change.items, [("1".to_owned(), false), ("2".to_owned(), true)]);
        let change = asked("TaskUpdate", r#"{"taskId": 7, "status": "completed"}"#).todos.unwrap();
        assert_eq!((change.replaces, change.items), (false, vec![("7".to_owned(), false)]));
    }

    #[test]
    fn a_fenced_command_is_a_use_and_other_code_is_none() {
        let uses: Vec<Spoken> = spoken("Let me look.\n```bash\ncat a.py\n```\n").collect();
        assert_eq!(uses.len(), 1);
        assert_eq!(uses[0].asked.act, Act::Reads);
        assert!(spoken("An example:\n```python\nprint(1)\n```\n").next().is_none());
        assert!(spoken("An example:\n```\nfoo\n```\n").next().is_none());
    }
}
