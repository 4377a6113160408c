//! The history of a session since its last version, as its row stores it for the signals that need one.
//!
//! Invariant: it has the scope that the last append computed, so it is empty where no signal of the policy needs it and
//! nobody asks for them. Its size is at most about two kilobytes, whatever the messages are.
//!
//! Where a signal counts, reading the last messages instead would cost every append a statement and the parsing of bodies.
//! Where it does not, [`Recent::replayed`] makes it of the newest messages when it is asked for, or when the policy
//! changes. The hashes are short: by chance one in some millions of messages looks like a repetition. It has a column of
//! its own, because no read of a context needs it.

mod growth;
mod lengths;
mod todos;

use serde::{Deserialize, Serialize};

use super::calls::Calls;
use super::message_signals::MessageSignals;
use super::sketch::Sketches;
use crate::signal::HistoryScope;
use anchord_messages::id::Seq;
use growth::Growth;
use lengths::Lengths;
use todos::OpenTodos;

pub(super) use lengths::LAST;

/// About how many bytes it takes when written.
const WRITTEN_BYTES: usize = 2_048;

/// The newest messages from which a history is made again.
pub const REPLAYED_MESSAGES: usize = 200;
/// The most bytes of their bodies.
pub const REPLAYED_BYTES: usize = 1024 * 1024;

/// The stored state of the signals about history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recent {
    /// The scope in which it has every message.
    #[serde(skip_serializing_if = "is_nothing")]
    pub(super) scope: HistoryScope,
    /// The newest message when the last version was published; 0 before the first. Only what follows counts.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) published: Seq,
    #[serde(skip_serializing_if = "Calls::is_empty")]
    pub(super) calls: Calls,
    #[serde(skip_serializing_if = "Sketches::is_empty")]
    pub(super) said: Sketches,
    #[serde(skip_serializing_if = "Lengths::is_empty")]
    pub(super) lengths: Lengths,
    #[serde(skip_serializing_if = "Growth::is_empty")]
    pub(super) growth: Growth,
    #[serde(skip_serializing_if = "OpenTodos::is_empty")]
    pub(super) todos: OpenTodos,
    /// The last message in which the agent had lost its task; 0 if there is none.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) lost: Seq,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(seq: &Seq) -> bool {
    *seq == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_nothing(scope: &HistoryScope) -> bool {
    *scope == HistoryScope::Nothing
}

/// A message for the history of its session.
#[derive(Clone, Debug)]
pub struct PastMessage {
    /// Its position.
    pub seq: Seq,
    /// Its tokens.
    pub tokens: u32,
    /// When it arrived, in seconds since 1970.
    pub now: i64,
    /// The values for the signals.
    pub signals: MessageSignals,
}

impl Recent {
    /// Parses what a session row stores; `None` gives the empty state, and so does the form of another build: a history that is
    /// not known is made from the newest messages again.
    pub fn read(text: Option<&str>) -> Self {
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The text that a session row stores; `None` when there is nothing to store.
    pub fn write(&self) -> serde_json::Result<Option<String>> {
        if *self == Self::default() {
            return Ok(None);
        }
        let mut text = Vec::with_capacity(WRITTEN_BYTES);
        serde_json::to_writer(&mut text, self)?;
        String::from_utf8(text).map(Some).map_err(serde::ser::Error::custom)
    }

    /// The scope in which it has every message.
    pub fn scope(&self) -> HistoryScope {
        self.scope
    }

    /// The history in another scope: without what is beyond it, or ready for more.
    pub(crate) fn scoped(self, scope: HistoryScope) -> Self {
        let known = self.scope.min(scope);
        let (published, todos) = (self.published, self.todos.clone());
        match known {
            HistoryScope::All => self,
            HistoryScope::Todos => Self { scope, published, todos, ..Self::default() },
            HistoryScope::Nothing => Self { scope, published, ..Self::default() },
        }
    }

    /// The history as appends of this scope would have made it: from the newest messages of the session, ascending. Open
    /// todo items that it has already stay, because the messages that made them may be older.
    pub fn replayed(self, scope: HistoryScope, newest: impl IntoIterator<Item = PastMessage>) -> Self {
        let mut made = Self { scope, ..Self::default() };
        let (mut is_before, published) = (true, self.published);
        for PastMessage { seq, tokens, now, signals } in newest {
            if is_before && seq > published {
                made = made.after_publication(published);
                is_before = false;
            }
            made.push(seq, tokens, &signals, now);
        }
        if is_before {
            made = made.after_publication(published);
        }
        if self.scope >= HistoryScope::Todos {
            made.todos = self.todos;
        }
        made
    }

    /// Adds a message, whose values are of the history's scope. `now` is in seconds since 1970.
    pub(crate) fn push(&mut self, seq: Seq, tokens: u32, signals: &MessageSignals, now: i64) {
        if self.scope == HistoryScope::All {
            self.growth.push(tokens, now);
        }
        let mut is_news = false;
        for call in &signals.calls {
            is_news |= self.calls.push(*call);
        }
        for (id, content) in &signals.results {
            is_news |= self.calls.answer(*id, *content);
        }
        let mut is_word = false;
        if let Some(user) = signals.user {
            let answered = self.calls.answer_spoken(user.content);
            is_news |= answered.unwrap_or(user.demands);
            is_word = answered.is_none();
        }
        for todos in &signals.todos {
            self.todos.push(seq, todos);
        }
        let is_news = self.lengths.learn(is_news, &signals.facts);
        // An answer to a new text of the user is no repetition of earlier answers.
        if is_news && is_word {
            self.said = Sketches::default();
        }
        if let Some(said) = signals.assistant {
            self.said.push(said.sketch);
            self.lengths.push(said.weight);
            if said.lost {
                self.lost = seq;
            }
        }
    }

    /// The history after a version is published, when `head` was the newest message: it has still the usual length of
    /// messages and the open todo items.
    pub fn after_publication(&self, head: Seq) -> Self {
        Self {
            scope: self.scope,
            published: head,
            lengths: self.lengths.after_publication(),
            todos: self.todos.clone(),
            ..Self::default()
        }
    }

    /// The history that is made again at the next append whose signals need it.
    pub fn forgotten(published: Seq) -> Self {
        Self { published, ..Self::default() }
    }

    /// When the newest message arrived, in seconds since 1970.
    pub fn newest(&self) -> i64 {
        self.growth.newest()
    }
}
