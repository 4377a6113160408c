//! One tool use, whatever agent made it: a structured call with its result, a fenced command with
//! the observation that follows, a console line with its output.

use std::borrow::Cow;
use std::cell::OnceCell;

use serde_json::{Map, Value};

use super::outcome;
use super::shell::{self, Script};
use anchord_messages::id::Seq;

/// A tool use with what came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation<'a> {
    /// The tool's name as the agent uses it; `bash` for fenced commands.
    pub tool: Cow<'a, str>,
    /// The arguments as JSON text; may not parse; empty for fenced commands.
    pub arguments: Cow<'a, str>,
    /// The shell command, when the tool runs one.
    pub command: Option<Cow<'a, str>>,
    /// The directory that the command or relative paths start from, when the session reveals it.
    pub cwd: Option<String>,
    /// The tool's output; `None` while the call is pending or was never answered.
    pub output: Option<Cow<'a, str>>,
    /// The exit code, when the result says so.
    pub exit_code: Option<i32>,
    /// Whether the call failed as a tool (refused, not found, not applied), when the result says so.
    pub failed: Option<bool>,
    /// The message with the call.
    pub call_seq: Seq,
    /// The message with the result.
    pub result_seq: Option<Seq>,
    /// The command taken apart, when somebody asked for it.
    pub(super) parsed: OnceCell<Script>,
    /// The arguments as JSON, when somebody asked for them.
    pub(super) fields: OnceCell<Option<Map<String, Value>>>,
}

impl<'a> Invocation<'a> {
    /// The call's and the result's messages, ascending.
    #[must_use]
    pub fn seqs(&self) -> Vec<Seq> {
        let mut seqs = vec![self.call_seq];
        seqs.extend(self.result_seq.filter(|r| *r != self.call_seq));
        seqs.sort_unstable();
        seqs
    }

    /// The command taken apart. It must not change any more, and its directory must be known.
    pub(super) fn script(&self) -> Option<&Script> {
        let command = self.command.as_deref()?;
        Some(self.parsed.get_or_init(|| shell::parse(command, self.cwd.as_deref())))
    }

    /// The arguments, when they are a JSON object.
    pub(super) fn fields(&self) -> Option<&Map<String, Value>> {
        let parse = || serde_json::from_str(&self.arguments).ok();
        self.fields.get_or_init(parse).as_ref()
    }

    /// A use that nothing has answered yet.
    pub(super) fn pending(tool: Cow<'a, str>, arguments: Cow<'a, str>, call_seq: Seq) -> Self {
        Self {
            tool,
            arguments,
            command: None,
            cwd: None,
            output: None,
            exit_code: None,
            failed: None,
            call_seq,
            result_seq: None,
            parsed: OnceCell::new(),
            fields: OnceCell::new(),
        }
    }

    /// A shell command that nothing has answered yet.
    pub(super) fn shell(command: Cow<'a, str>, call_seq: Seq) -> Self {
        let mut one = Self::pending(Cow::Borrowed("bash"), Cow::Borrowed(""), call_seq);
        one.command = Some(command);
        one
    }

    /// Takes in what came back.
    pub(super) fn answer(&mut self, output: Cow<'a, str>, is_error: Option<bool>, seq: Seq) {
        let read = outcome::read(output, is_error, self.command.is_some());
        self.output = Some(read.output);
        self.exit_code = read.exit_code;
        self.failed = read.failed;
        self.result_seq = Some(seq);
    }
}
