//! One tool use, whatever agent made it: a structured call with its result, a fenced command with
//! the observation that follows, a console line with its output.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use serde_json::Value;

use super::directories::Directories;
use super::shell::{self, Script};
use super::{Carry, directories, outcome, spoken, tools};
use anchord_messages::id::Seq;
use anchord_messages::message::{Message, Numbered, Part, Role, ToolResult};

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

/// Reads the tool uses of a span, in the order of their calls.
#[must_use]
pub fn read<'a>(span: &'a [Numbered], carry: &Carry) -> Vec<Invocation<'a>> {
    read_and_follow(span, carry).0
}

/// Reads the tool uses of a span and how its directories stand at its end.
pub(super) fn read_and_follow<'a>(span: &'a [Numbered], carry: &Carry) -> (Vec<Invocation<'a>>, Directories) {
    let mut reader = Reader { found: Vec::new(), waiting: HashMap::new(), batch: Vec::new() };
    if let Some((seq, text)) = &carry.unanswered {
        reader.found.extend(spoken::before(text, *seq, span));
    }
    for (at, numbered) in span.iter().enumerate() {
        reader.results(&numbered.message, numbered.seq);
        match numbered.message.role {
            Role::Assistant => reader.assistant(span, at),
            Role::User => reader.found.extend(spoken::user(span, at)),
            Role::System | Role::Developer | Role::Tool => {}
        }
    }
    let mut found = reader.found;
    let directories = directories::follow(span, carry, &mut found);
    (found, directories)
}

struct Reader<'a> {
    found: Vec<Invocation<'a>>,
    /// Unanswered calls by id, oldest first. A new batch takes over an id that it repeats: results
    /// belong to the nearest call before them.
    waiting: HashMap<&'a str, Vec<usize>>,
    /// The calls of the latest assistant message that had any.
    batch: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn assistant(&mut self, span: &'a [Numbered], at: usize) {
        let Some(Numbered { seq, message }) = span.get(at) else { return };
        if message.calls().next().is_none() {
            self.found.extend(spoken::assistant(span, at));
            return;
        }
        self.batch.clear();
        for call in message.calls() {
            self.waiting.remove(call.id.as_str());
        }
        for call in message.calls() {
            let mut one =
                Invocation::pending(Cow::Borrowed(&call.name), Cow::Borrowed(&call.arguments), *seq);
            if tools::may_run_commands(&call.name)
                && let Ok(arguments) = serde_json::from_str::<Value>(&call.arguments)
            {
                one.command = tools::shell_command(&call.name, &arguments).map(Cow::Owned);
                one.cwd = tools::work_dir(&arguments);
            }
            let index = self.found.len();
            self.found.push(one);
            self.batch.push(index);
            self.waiting.entry(call.id.as_str()).or_default().push(index);
        }
    }

    fn results(&mut self, message: &'a Message, seq: Seq) {
        for result in message.results() {
            let Some(index) = self.called(&result.call_id) else { continue };
            if let Some(one) = self.found.get_mut(index) {
                one.answer(result_text(result), result.is_error, seq);
            }
        }
    }

    /// The call that a result answers: by its id, else the only one left in the latest batch, else
    /// (results without ids) the first one left.
    fn called(&mut self, id: &str) -> Option<usize> {
        if let Some(indexes) = self.waiting.get_mut(id)
            && !indexes.is_empty()
        {
            return Some(indexes.remove(0));
        }
        let left = |i: &&usize| self.found.get(**i).is_some_and(|c| c.output.is_none());
        let mut open = self.batch.iter().filter(left);
        let first = open.next().copied();
        if id.is_empty() || open.next().is_none() { first } else { None }
    }
}

fn result_text(result: &ToolResult) -> Cow<'_, str> {
    text_of(&result.parts)
}

/// The text parts joined by newlines, borrowed when there is only one.
pub(super) fn text_of(parts: &[Part]) -> Cow<'_, str> {
    let mut texts = parts.iter().filter_map(|p| match p {
        Part::Text(text) => Some(text.as_str()),
        Part::Image(_)
        | Part::File(_)
        | Part::Thinking(_)
        | Part::ToolCall(_)
        | Part::ToolResult(_)
        | Part::Other(_) => None,
    });
    let Some(first) = texts.next() else { return Cow::Borrowed("") };
    let Some(second) = texts.next() else { return Cow::Borrowed(first) };
    let mut all = String::from(first);
    for more in std::iter::once(second).chain(texts) {
        all.push('\n');
        all.push_str(more);
    }
    Cow::Owned(all)
}
