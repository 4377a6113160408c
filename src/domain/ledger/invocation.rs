//! One tool use, whatever agent made it: a structured call with its result, a fenced command with
//! the observation that follows, a console line with its output.

use std::borrow::Cow;

use super::super::id::Seq;

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
}

impl Invocation<'_> {
    /// The call's and the result's messages, ascending.
    #[must_use]
    pub fn seqs(&self) -> Vec<Seq> {
        let mut seqs = vec![self.call_seq];
        seqs.extend(self.result_seq.filter(|r| *r != self.call_seq));
        seqs
    }
}
