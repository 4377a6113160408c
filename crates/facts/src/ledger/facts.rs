//! What the ledger finds in a span, what it hands on to the next span, and what it is given of earlier ones.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use utoipa::ToSchema;

use super::constraints::Constraint;
use super::requests::{Ending, RequestFact};
use crate::thing::Thing;
use crate::todo_list::{Followed, TodoItem, TodoList};
use anchord_messages::id::Seq;

/// Everything that the ledger found in one span, each list in the order of first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// One entry per file touched, its events of this span already folded.
    pub files: Vec<FileFact>,
    /// Copies of earlier spans that this one removed, by their spelling there: nothing is left of them.
    #[serde(default)]
    pub taken_back: Vec<String>,
    /// Every command run.
    pub commands: Vec<CommandFact>,
    /// Every test run.
    pub test_runs: Vec<TestRunFact>,
    /// Errors, one per normalised message.
    pub errors: Vec<ErrorFact>,
    /// What has an identity, out of structured outputs.
    #[serde(default)]
    pub things: Vec<Thing>,
    /// How many things a bound left out.
    #[serde(default)]
    pub things_left_out: u32,
    /// Which identities people, the agent and calls named, and in which messages.
    #[serde(default)]
    pub named: Vec<(String, Vec<Seq>)>,
    /// What people ask for, in order.
    #[serde(default)]
    pub requests: Vec<RequestFact>,
    /// Whether a person spoke, which answers what the agent had asked.
    #[serde(default)]
    pub answered: bool,
    /// What the agent asks at the span's end, and in which message.
    #[serde(default)]
    pub questions: Vec<(String, Seq)>,
    /// What the user or a later system message demands, verbatim.
    pub constraints: Vec<Constraint>,
    /// The latest todo list that a tool wrote, when one did.
    pub todos: Option<TodoList>,
    /// The caller's list after this span, which then stands in `todos`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<Followed>,
    /// What the next span needs to know of this one.
    pub carry: LedgerState,
}

/// What happened to one file within a span.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFact {
    /// The path, one spelling for one file.
    pub path: String,
    /// The change, `None` when the file was only read.
    pub action: Option<FileAction>,
    /// The write may have been a creation or an overwrite; the merge decides by what it knows.
    #[serde(default)]
    pub overwrite_possible: bool,
    /// Its path before it was renamed in this span.
    pub renamed_from: Option<String>,
    /// Created and deleted in this span.
    pub transient: bool,
    /// What changed, in words or identifiers, oldest first.
    pub changes: Vec<String>,
    /// Why it was read, when the session says so.
    pub reason: Option<String>,
    /// The messages that show it, ascending.
    pub seqs: Vec<Seq>,
}

/// One command run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandFact {
    /// The command, bounded.
    pub command: String,
    /// Its exit code, when the result says so.
    pub exit_code: Option<i32>,
    /// Whether it failed, when the result says so.
    pub failed: Option<bool>,
    /// The call and its result.
    pub seqs: Vec<Seq>,
}

/// One run of a test command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRunFact {
    /// The command.
    pub command: String,
    /// How it ended.
    pub outcome: TestOutcome,
    /// Tests passed.
    pub passed: Option<u32>,
    /// Tests failed.
    pub failed: Option<u32>,
    /// Names of failing tests, bounded.
    pub failing: Vec<String>,
    /// The call and its result.
    pub seqs: Vec<Seq>,
}

/// An error met in a span.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorFact {
    /// Its kind (`TypeError`, `E0308`, `TS2322`, `git` …), when it has one.
    pub kind: Option<String>,
    /// Its first useful line.
    pub message: String,
    /// A file and line, when the output names one.
    pub location: Option<String>,
    /// The command whose output shows it; the same command passing later resolves the error.
    pub command: Option<String>,
    /// How it was resolved within the span.
    pub resolution: Option<String>,
    /// How often it was met in the span.
    pub count: u32,
    /// The messages that show it, ascending.
    pub seqs: Vec<Seq>,
}

/// The state that the reading of a span hands to that of the next one: small, bounded, opaque to all others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LedgerState {
    /// The working directory that the session revealed.
    pub cwd: Option<String>,
    /// The first directory that a call asked to run in.
    pub named_cwd: Option<String>,
    /// Where the shell stands, when it moved.
    pub shell_cwd: Option<String>,
    /// The file that an editor tool has open (SWE-agent).
    pub open_file: Option<String>,
    /// Files that are a copy of another one and nothing more, newest last, bounded.
    pub copies: Vec<String>,
    /// Todo items by task id, for tools that update one item at a time.
    pub todos: Vec<(String, TodoItem)>,
    /// Open errors and the command that showed each, so that a later pass resolves them.
    pub open_errors: Vec<(String, String)>,
    /// Commands that failed last time they ran, newest last, bounded.
    pub failing_commands: Vec<String>,
    /// The last text of the span, bounded, when it may hold a command that only the next span
    /// answers.
    pub unanswered: Option<(Seq, String)>,
    /// How the agent's last message ended; nothing while it works.
    pub ending: Option<Ending>,
}

/// The names that earlier versions of the record hold, in any order.
#[derive(Clone, Debug, Default)]
pub struct EarlierNames<'a> {
    /// Paths as earlier versions spell them.
    pub paths: Vec<&'a str>,
    /// Identities of things.
    pub things: Vec<&'a str>,
}

/// What happened to a changed file, over the whole session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum FileAction {
    /// It did not exist before the session.
    Created,
    /// It existed and was changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path now.
    Renamed,
}

impl FileAction {
    /// The action's word in JSON and renderings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How a test run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TestOutcome {
    /// Everything passed.
    Pass,
    /// At least one test failed.
    Fail,
    /// The run itself broke before its tests could tell.
    Error,
    /// The output does not say; never guessed.
    Unknown,
}
