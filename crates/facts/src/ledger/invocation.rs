//! The tool use (invocation) in one form for all agents: a structured call with its result, a fenced command with the
//! observation after it, a console line with its output.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::outcome;
use super::shell::{self, Pipeline, Script};
use anchord_messages::id::Seq;
use anchord_messages::inner_json;

/// A tool use with its result.
///
/// Command and arguments are read at each use and not kept: a hundred bytes of memory may come out of each of their bytes,
/// which is little for one tool use and too much for all of a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation<'a> {
    /// The tool's name as the agent uses it; `bash` for fenced commands.
    pub tool: Cow<'a, str>,
    /// The arguments as JSON text; may not parse; empty for fenced commands.
    pub arguments: Cow<'a, str>,
    /// The shell command, when the tool runs one.
    pub command: Option<Cow<'a, str>>,
    /// What the agent says that it is for.
    pub purpose: Option<String>,
    /// The directory of the command and of relative paths, when the session shows it.
    pub cwd: Option<String>,
    /// The tool's output; `None` while the call is pending or was never answered.
    pub output: Option<Cow<'a, str>>,
    /// The exit code, when the result contains it.
    pub exit_code: Option<i32>,
    /// Whether the call itself failed (refused, not found, not applied); `None` when the result does not show it.
    pub failed: Option<bool>,
    /// The message with the call.
    pub call_seq: Seq,
    /// The message with the result.
    pub result_seq: Option<Seq>,
}

impl<'a> Invocation<'a> {
    /// The call's and the result's messages, ascending.
    pub fn seqs(&self) -> Vec<Seq> {
        let mut seqs = vec![self.call_seq];
        seqs.extend(self.result_seq.filter(|r| *r != self.call_seq));
        seqs.sort_unstable();
        seqs
    }

    /// The command, parsed.
    pub(super) fn script(&self) -> Option<Script> {
        Some(shell::parse(self.command.as_deref()?, self.cwd.as_deref()))
    }

    /// The pipelines of the command.
    pub(super) fn pipelines(&self) -> Option<Vec<Pipeline>> {
        self.script().map(|script| shell::pipelines(&script))
    }

    /// The arguments, when they are a JSON object.
    pub(super) fn fields(&self) -> Option<Map<String, Value>> {
        inner_json::read(&self.arguments)
    }

    /// A tool use without a result.
    pub(super) fn pending(tool: Cow<'a, str>, arguments: Cow<'a, str>, call_seq: Seq) -> Self {
        Self {
            tool,
            arguments,
            command: None,
            purpose: None,
            cwd: None,
            output: None,
            exit_code: None,
            failed: None,
            call_seq,
            result_seq: None,
        }
    }

    /// A shell command without a result.
    pub(super) fn shell(command: Cow<'a, str>, call_seq: Seq) -> Self {
        let mut one = Self::pending(Cow::Borrowed("bash"), Cow::Borrowed(""), call_seq);
        one.command = Some(command);
        one
    }

    /// Sets the result, and the exit code and failure that it shows.
    pub(super) fn answer(&mut self, output: Cow<'a, str>, is_error: Option<bool>, seq: Seq) {
        let read = outcome::read(output, is_error, self.command.is_some());
        self.output = Some(read.output);
        self.exit_code = read.exit_code;
        self.failed = read.failed;
        self.result_seq = Some(seq);
    }
}
