//! What a session keeps of its history since its last version, so that signals need not read it again.
//!
//! Invariant: it is bounded to about a kilobyte, whatever the messages are.
//!
//! Reading the last messages instead would cost every append a statement. The hashes are short: one repetition in
//! some millions is an accident. It has a column of its own, because no read of a context needs it.

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

/// What it takes when it is written, about.
const WRITTEN_BYTES: usize = 1_024;

/// The running state of the signals about history.
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
    /// The message in which the agent had last lost its task; 0 when it has not.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) lost: Seq,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(seq: &Seq) -> bool {
    *seq == 0
}

impl Recent {
    /// Reads what a session row keeps; nothing kept is nothing known.
    ///
    /// # Errors
    /// When it is not what [`Recent::write`] wrote.
    pub fn read(text: Option<&str>) -> serde_json::Result<Self> {
        text.map_or_else(|| Ok(Self::default()), serde_json::from_str)
    }

    /// Writes what a session row keeps.
    ///
    /// # Errors
    /// Never; serialising says that it may.
    pub fn write(&self) -> serde_json::Result<String> {
        let mut text = Vec::with_capacity(WRITTEN_BYTES);
        serde_json::to_writer(&mut text, self)?;
        String::from_utf8(text).map_err(serde::ser::Error::custom)
    }

    /// Takes a message in. `now` is in seconds since 1970.
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
        // What is said to a user's new words is no repetition of what was said before.
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

    /// What is left of it when a version is published: how long messages are in this session, and what
    /// is still to be done.
    #[must_use]
    pub fn after_publication(&self) -> Self {
        Self { lengths: self.lengths.after_publication(), todos: self.todos.clone(), ..Self::default() }
    }

    /// When the newest message came, in seconds since 1970.
    #[must_use]
    pub fn newest(&self) -> i64 {
        self.growth.newest()
    }
}
