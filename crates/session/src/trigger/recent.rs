//! What a session stores of its history since its last version, so that signals need not read messages again.
//!
//! Invariant: its size is at most about a kilobyte, whatever the messages are.
//!
//! Reading the last messages instead would cost every append a statement. The hashes are short: by chance one
//! in some millions of messages looks like a repetition. It has a column of its own, because no read of a
//! context needs it.

mod growth;
mod lengths;
mod todos;

use serde::{Deserialize, Serialize};

use super::calls::Calls;
use super::message_signals::MessageSignals;
use super::sketch::Sketches;
use anchord_messages::id::Seq;
use growth::Growth;
use lengths::Lengths;
use todos::OpenTodos;

pub(super) use lengths::LAST;

/// About how many bytes it takes when written.
const WRITTEN_BYTES: usize = 1_024;

/// The stored state of the signals about history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recent {
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

impl Recent {
    /// Parses what a session row stores; `None` gives the empty state.
    ///
    /// # Errors
    /// When it is not what [`Recent::write`] wrote.
    pub fn read(text: Option<&str>) -> serde_json::Result<Self> {
        text.map_or_else(|| Ok(Self::default()), serde_json::from_str)
    }

    /// The text that a session row stores.
    ///
    /// # Errors
    /// Never in practice; serde's interface may fail.
    pub fn write(&self) -> serde_json::Result<String> {
        let mut text = Vec::with_capacity(WRITTEN_BYTES);
        serde_json::to_writer(&mut text, self)?;
        String::from_utf8(text).map_err(serde::ser::Error::custom)
    }

    /// Adds a message. `now` is in seconds since 1970.
    pub fn push(&mut self, seq: Seq, tokens: u32, noticed: &MessageSignals, now: i64) {
        self.growth.push(tokens, now);
        let mut is_news = false;
        for call in &noticed.calls {
            is_news |= self.calls.push(*call);
        }
        for (id, content) in &noticed.results {
            is_news |= self.calls.answer(*id, *content);
        }
        let mut is_word = false;
        if let Some(user) = noticed.user {
            let answered = self.calls.answer_spoken(user.content);
            is_news |= answered.unwrap_or(user.demands);
            is_word = answered.is_none();
        }
        for todos in &noticed.todos {
            self.todos.push(seq, todos);
        }
        let is_news = self.lengths.learn(is_news, &noticed.facts);
        // An answer to a new text of the user is no repetition of earlier answers.
        if is_news && is_word {
            self.said = Sketches::default();
        }
        if let Some(said) = noticed.assistant {
            self.said.push(said.sketch);
            self.lengths.push(said.weight);
            if said.lost {
                self.lost = seq;
            }
        }
    }

    /// The state after a version is published: it keeps the usual length of messages and the open todo items.
    pub fn after_publication(&self) -> Self {
        Self { lengths: self.lengths.after_publication(), todos: self.todos.clone(), ..Self::default() }
    }

    /// The state without the open todo items.
    pub fn without_todos(self) -> Self {
        Self { todos: OpenTodos::default(), ..self }
    }

    /// When the newest message arrived, in seconds since 1970.
    pub fn newest(&self) -> i64 {
        self.growth.newest()
    }
}
