//! The ledger's data types: the facts of a span ([`Facts`]), the state for the next span ([`LedgerState`]), and the
//! names from earlier versions ([`EarlierNames`]).

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use utoipa::ToSchema;

use super::actions::ActionFact;
use super::constraints::{Constraint, ConstraintSource};
use super::requests::{Ending, RequestFact};
use super::statements::Statement;
use crate::thing::Thing;
use crate::todo_list::{Followed, TodoItem, TodoList};
use anchord_messages::id::Seq;

/// Everything that the ledger found in one span, each list in the order of first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// One entry per file touched, with all its events in this span combined.
    pub files: Vec<FileFact>,
    /// Paths of copies that earlier spans made and this one removed, spelled as in the earlier span.
    pub taken_back: Vec<String>,
    /// Every command run.
    pub commands: Vec<CommandFact>,
    /// Calls and commands that changed something that is no file, when they succeeded.
    pub actions: Vec<ActionFact>,
    /// Every test run.
    pub test_runs: Vec<TestRunFact>,
    /// Errors, one per normalised message.
    pub errors: Vec<ErrorFact>,
    /// Things with an identity, found in structured outputs.
    pub things: Vec<Thing>,
    /// How many things were dropped because of a limit.
    pub things_left_out: u32,
    /// The identities of things that people, the agent or calls named, each with the messages that name it.
    pub named: Vec<(String, Vec<Seq>)>,
    /// Requests of people, in order.
    pub requests: Vec<RequestFact>,
    /// Whether a person wrote in this span; that answers the agent's open questions.
    pub answered: bool,
    /// The agent's questions at the span's end, each with its message.
    pub questions: Vec<(String, Seq)>,
    /// Decisions, blockers, next steps and open questions that a person or the agent states in so many words.
    pub statements: Vec<Statement>,
    /// Demands of the user or a later system message, verbatim.
    pub constraints: Vec<Constraint>,
    /// Demands of the user that bind nobody before the caller accepts them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proposed_constraints: Vec<Constraint>,
    /// The latest todo list that a tool wrote, or the caller's list when `followed` is set.
    pub todos: Option<TodoList>,
    /// The caller's todo list after this span; it replaces the tool's list in `todos`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed: Option<Followed>,
    /// The state that reading the next span starts from.
    pub carry: LedgerState,
}

impl Facts {
    /// Makes the user's demands proposals.
    pub fn propose_constraints(&mut self) {
        let is_users = |one: &mut Constraint| one.source == ConstraintSource::User;
        self.proposed_constraints.extend(self.constraints.extract_if(.., is_users));
    }
}

/// The change of one file within a span.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileFact {
    /// The path; every file has exactly one spelling.
    pub path: String,
    /// The change, `None` when the file was only read.
    pub action: Option<FileAction>,
    /// The file may have existed before the write; the merge decides, because it has the earlier record.
    pub overwrite_possible: bool,
    /// Its path before it was renamed in this span.
    pub renamed_from: Option<String>,
    /// Whether it was both created and deleted in this span.
    pub transient: bool,
    /// Its changes, in words or identifiers, oldest first.
    pub changes: Vec<String>,
    /// Why it was read, when the session gives a reason.
    pub reason: Option<String>,
    /// The messages that show it, ascending.
    pub seqs: Vec<Seq>,
}

/// One command run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandFact {
    /// The command, shortened to a limit.
    pub command: String,
    /// Its exit code, when the result contains it.
    pub exit_code: Option<i32>,
    /// Whether it failed; `None` when the result does not show it.
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

/// An error that occurred in a span.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorFact {
    /// Its kind (`TypeError`, `E0308`, `TS2322`, `git` …), when it has one.
    pub kind: Option<String>,
    /// Its first useful line.
    pub message: String,
    /// A file and line, when the output names one.
    pub location: Option<String>,
    /// The command whose output shows it; a later successful run of the same command resolves the error.
    pub command: Option<String>,
    /// How it was resolved within the span.
    pub resolution: Option<String>,
    /// How often it occurred in the span.
    pub count: u32,
    /// The messages that show it, ascending.
    pub seqs: Vec<Seq>,
}

/// The state that the ledger passes from one span to the next: small, bounded, and read by nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LedgerState {
    /// The session's working directory, when messages show it.
    pub cwd: Option<String>,
    /// The first absolute directory that a call asked to run in.
    pub named_cwd: Option<String>,
    /// The shell's current directory, when a `cd` changed it.
    pub shell_cwd: Option<String>,
    /// The file that an editor tool has open (SWE-agent).
    pub open_file: Option<String>,
    /// Files that are unchanged copies of another file, newest last, bounded.
    pub copies: Vec<String>,
    /// Todo items by task id, for tools that update one item at a time.
    pub todos: Vec<(String, TodoItem)>,
    /// Open errors, each with the command that showed it, so that a later successful run resolves it.
    pub open_errors: Vec<(String, String)>,
    /// The span's last message with its text, bounded, when it may contain a command whose output is in the next
    /// span.
    pub unanswered: Option<(Seq, String)>,
    /// How the agent's last message ended; `None` while the agent is still working.
    pub ending: Option<Ending>,
    /// The question with which it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Questions that were stated as open and that nobody has answered, bounded.
    pub open_questions: Vec<String>,
    /// The question with which the agent's last message asks for leave to do something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_leave: Option<String>,
}

/// The names in earlier versions of the record, in any order.
#[derive(Clone, Debug, Default)]
pub struct EarlierNames<'a> {
    /// Paths as earlier versions spell them.
    pub paths: Vec<&'a str>,
    /// Identities of things.
    pub things: Vec<&'a str>,
}

/// The net change of a file over the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum FileAction {
    /// It did not exist before the session.
    Created,
    /// It existed and was changed.
    Modified,
    /// It was deleted.
    Deleted,
    /// It has another path now.
    Renamed,
}

impl FileAction {
    /// The action's word in JSON and renderings.
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

impl TestOutcome {
    /// Its word in JSON and in texts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }
}
