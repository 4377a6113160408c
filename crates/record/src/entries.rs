//! The entries of a summary's sections. Each names the messages that it came from.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use utoipa::ToSchema;

use anchord_facts::key::{self, Key};
use anchord_facts::ledger::{ErrorFact, FileAction, FileFact, TestOutcome};
use anchord_facts::wording::normalized_error_anywhere;
use anchord_messages::id::Seq;

/// The state of a request.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
#[schema(as = UserRequestState)]
pub enum RequestState {
    /// Nothing says that it is over.
    #[default]
    Open,
    /// The agent ended its turn, and the person went on to something else.
    Done,
    /// The person took it back, or the caller closed it.
    Dropped,
    /// Another request took its place.
    Superseded,
}

impl RequestState {
    /// The state's word in JSON and renderings.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A person's request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[schema(as = UserRequest)]
pub struct RequestEntry {
    /// The request, quoted and shortened.
    pub text: String,
    /// Its state.
    pub state: RequestState,
    /// The request that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The outcome, as a model summarised it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Whether it answers a question of the agent, so that what was asked before it is not over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answers: bool,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
    /// The session that it is from, in the joined record of a task; neither stored nor served.
    #[serde(skip)]
    pub session_id: Option<String>,
    /// The cached result of `key()`; stored beside the entry and never served.
    #[serde(skip)]
    pub key: Key,
}

impl RequestEntry {
    /// The key by which the same request is found again.
    pub fn key(&self) -> u64 {
        self.key.get(|| key::of_text(&self.text))
    }

    /// The id by which a caller closes it. It has the newest message that stated it, so that one that is stated again later is
    /// another, and open.
    pub fn id(&self) -> String {
        format!("req_{}_{:016x}", self.seqs.last().copied().unwrap_or_default(), self.key())
    }
}

/// A question, a finding or a note.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[schema(as = Note)]
pub struct Remark {
    /// The text.
    pub text: String,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
    /// The session that it is from, in the joined record of a task; neither stored nor served.
    #[serde(skip)]
    pub session_id: Option<String>,
}

/// Whether the latest test run after the change passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileStatus {
    /// The latest run after the change passed.
    Pass,
    /// The latest run after the change failed.
    Fail,
    /// Nothing tells.
    #[default]
    Unknown,
}

/// A file that the session changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct ModifiedFile {
    /// The path, one spelling for one file.
    pub path: String,
    /// Its change.
    pub action: FileAction,
    /// Its path before it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    /// Its changes, in words or identifiers, oldest first.
    pub changes: Vec<String>,
    /// The change and its reason, as a model summarised them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Whether the latest test run after the change passed.
    pub status: FileStatus,
    /// Written in full by a tool whose output does not show whether the file existed before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overwrite_possible: bool,
    /// Created and deleted within the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub transient: bool,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
    /// The session that it is from, in the joined record of a task; neither stored nor served.
    #[serde(skip)]
    pub session_id: Option<String>,
}

impl ModifiedFile {
    /// The entry of a file with this history.
    pub(crate) fn of(history: FileFact, action: FileAction) -> Self {
        let FileFact {
            path,
            action: _,
            overwrite_possible,
            renamed_from,
            transient,
            changes,
            reason: _,
            seqs,
        } = history;
        Self {
            path,
            action,
            renamed_from,
            changes,
            purpose: None,
            status: FileStatus::Unknown,
            overwrite_possible,
            transient,
            seqs,
            session_id: None,
        }
    }

    /// Takes the history out of the entry.
    pub(crate) fn take_history(&mut self) -> FileFact {
        FileFact {
            path: std::mem::take(&mut self.path),
            action: Some(self.action),
            overwrite_possible: self.overwrite_possible,
            renamed_from: self.renamed_from.take(),
            transient: self.transient,
            changes: std::mem::take(&mut self.changes),
            reason: None,
            seqs: std::mem::take(&mut self.seqs),
        }
    }
}

/// A file that was read and not changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct ReadFile {
    /// The path, one spelling for one file.
    pub path: String,
    /// Why it was read, when the session says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
    /// The session that it is from, in the joined record of a task; neither stored nor served.
    #[serde(skip)]
    pub session_id: Option<String>,
}

/// A choice that was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Decision {
    /// The decision.
    pub decision: String,
    /// Why; empty when the source states no reason.
    pub rationale: String,
    /// The alternatives that were not chosen.
    pub alternatives: Vec<String>,
    /// The decision that reversed this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
    /// The session that it is from, in the joined record of a task; neither stored nor served.
    #[serde(skip)]
    pub session_id: Option<String>,
    /// The cached result of `key()`; stored beside the entry and never served.
    #[serde(skip)]
    pub key: Key,
}

impl Decision {
    /// The key by which the same decision is found again.
    pub fn key(&self) -> u64 {
        self.key.get(|| key::of_text(&self.decision))
    }
}

/// The current state of the work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CurrentState {
    /// The phase of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The task in hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The state as a sentence.
    pub text: String,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
    /// The newest calls and commands that changed something that is no file, each as its name and arguments; oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<Remark>,
    /// News in the messages after the covered ones, when the version was made: what was done, the last test run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub since: Vec<Remark>,
}

impl CurrentState {
    /// What was done, as far as readers and models are shown it: the newest, oldest first.
    pub(crate) fn shown_done(&self) -> &[Remark] {
        const MOST: usize = 12;
        self.done.get(self.done.len().saturating_sub(MOST)..).unwrap_or_default()
    }
}

/// Whether an error is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ErrorStatus {
    /// Met and not dealt with.
    Open,
    /// Being looked into.
    Investigating,
    /// Gone.
    Resolved,
}

/// An error that occurred in the session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct ErrorEntry {
    /// Its kind (`TypeError`, `E0308`, `TS2322`, `git` …), when it has one.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its first useful line.
    pub message: String,
    /// Whether it is resolved.
    pub status: ErrorStatus,
    /// How it was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// Where it occurred: a file and line, or the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// How many times it occurred.
    pub count: u32,
    /// The first version that shows it as resolved; it is rendered in that version and the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_in_version: Option<i64>,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
    /// The session that it is from, in the joined record of a task; neither stored nor served.
    #[serde(skip)]
    pub session_id: Option<String>,
    /// The cached result of `key()`; stored beside the entry and never served.
    #[serde(skip)]
    pub key: Key,
    /// The cached result of `key_anywhere()`; neither stored nor served.
    #[serde(skip)]
    pub key_anywhere: Key,
}

impl ErrorEntry {
    /// The entry of an error of the ledger.
    pub(crate) fn of(fact: &ErrorFact) -> Self {
        Self {
            kind: fact.kind.clone(),
            message: fact.message.clone(),
            status: if fact.resolution.is_some() { ErrorStatus::Resolved } else { ErrorStatus::Open },
            resolution: fact.resolution.clone(),
            location: fact.location.clone().or_else(|| fact.command.clone()),
            count: fact.count.max(1),
            resolved_in_version: None,
            seqs: fact.seqs.clone(),
            session_id: None,
            key: Key::default(),
            key_anywhere: Key::default(),
        }
    }

    /// The key by which the same error is found again at the same place.
    pub fn key(&self) -> u64 {
        self.key.get(|| key::of_error(self.kind.as_deref(), &self.message))
    }

    /// The key by which the same error is found again at any place, because the code may have moved.
    pub fn key_anywhere(&self) -> u64 {
        self.key_anywhere.get(|| key::of_normalized(&normalized_error_anywhere(&self.message)))
    }
}

/// One run of a test command.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct TestResult {
    /// The command.
    pub command: String,
    /// How it ended.
    pub outcome: TestOutcome,
    /// Tests passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<u32>,
    /// Tests failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<u32>,
    /// Names of failing tests.
    pub failing: Vec<String>,
    /// The later run that covers this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
    /// The session that it is from, in the joined record of a task; neither stored nor served.
    #[serde(skip)]
    pub session_id: Option<String>,
}

/// Something that blocks progress.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Blocker {
    /// What it is.
    pub text: String,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
    /// The session that it is from, in the joined record of a task; neither stored nor served.
    #[serde(skip)]
    pub session_id: Option<String>,
}

/// A text followed by the session that it came from.
pub fn with_session(text: &str, session: &str) -> String {
    format!("{text} (session {session})")
}
