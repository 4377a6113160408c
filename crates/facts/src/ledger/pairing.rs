//! Pairs the calls of a span with their results, in the order of the calls.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use super::directories::{self, Directories};
use super::invocation::Invocation;
use super::reading::Reading;
use super::{LedgerState, purpose, spoken, tools};
use anchord_messages::id::Seq;
use anchord_messages::message::{Message, Role, text_of};

/// The tool uses of a span with their results, and the directories at the span's end.
pub(super) fn read<'a>(span: &'a [Reading<'_>], carry: &LedgerState) -> (Vec<Invocation<'a>>, Directories) {
    let mut reader = Reader { found: Vec::new(), waiting: HashMap::new(), batch: VecDeque::new() };
    if let Some((seq, text)) = &carry.unanswered {
        reader.found.extend(spoken::before(text, *seq, span));
    }
    for (at, reading) in span.iter().enumerate() {
        reader.results(reading.message, reading.seq);
        match reading.message.role {
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
    /// Calls without a result, by id, oldest first. When a later message reuses an id, the earlier calls are dropped,
    /// because a result belongs to the nearest call before it.
    waiting: HashMap<&'a str, VecDeque<usize>>,
    /// The calls of the latest assistant message with calls; the first and the last are unanswered when it is asked.
    batch: VecDeque<usize>,
}

impl<'a> Reader<'a> {
    fn assistant(&mut self, span: &'a [Reading<'_>], at: usize) {
        let Some(Reading { seq, message, .. }) = span.get(at) else { return };
        if message.calls().next().is_none() {
            self.found.extend(spoken::assistant(span, at));
            return;
        }
        let purpose = span.get(at).and_then(purpose::stated);
        self.batch.clear();
        for call in message.calls() {
            self.waiting.remove(call.id.as_str());
        }
        for call in message.calls() {
            let mut one =
                Invocation::pending(Cow::Borrowed(&call.name), Cow::Borrowed(&call.arguments), *seq);
            one.purpose.clone_from(&purpose);
            if tools::may_run_commands(&call.name)
                && let Some(arguments) = one.fields()
            {
                let command = tools::shell_command(&call.name, &arguments).map(Cow::Owned);
                (one.cwd, one.command) = (tools::work_dir(&arguments), command);
            }
            let index = self.found.len();
            self.found.push(one);
            self.batch.push_back(index);
            self.waiting.entry(call.id.as_str()).or_default().push_back(index);
        }
    }

    fn results(&mut self, message: &'a Message, seq: Seq) {
        for result in message.results() {
            let Some(index) = self.called(&result.call_id) else { continue };
            if let Some(one) = self.found.get_mut(index) {
                one.answer(text_of(&result.parts), result.is_error, seq);
            }
        }
    }

    /// The call that a result belongs to: by its id; else the only unanswered call of the latest batch; for a result
    /// without an id, the first unanswered one.
    fn called(&mut self, id: &str) -> Option<usize> {
        if let Some(index) = self.waiting.get_mut(id).and_then(VecDeque::pop_front) {
            return Some(index);
        }
        let answered = |at: Option<&usize>| {
            at.and_then(|at| self.found.get(*at)).is_some_and(|call| call.output.is_some())
        };
        while answered(self.batch.front()) {
            self.batch.pop_front();
        }
        while answered(self.batch.back()) {
            self.batch.pop_back();
        }
        let first = self.batch.front().copied();
        if id.is_empty() || self.batch.len() == 1 { first } else { None }
    }
}
