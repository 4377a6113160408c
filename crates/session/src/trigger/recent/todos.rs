//! The open items of the todo list.

use serde::{Deserialize, Serialize};

use super::super::message_signals::Todos;
use anchord_messages::id::Seq;

/// The most open items that are stored; a longer list never counts as done.
const MAX_OPEN: usize = 50;

/// The open items of the agent's todo list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::trigger) struct OpenTodos {
    /// Open items, by the hashes of their ids.
    #[serde(rename = "o")]
    open: Vec<u16>,
    /// The message in which the last open item was done; 0 before that.
    #[serde(rename = "d")]
    done: Seq,
    /// Whether there are more open items than are stored.
    #[serde(rename = "x", skip_serializing_if = "std::ops::Not::not")]
    overflows: bool,
}

impl OpenTodos {
    pub(in crate::trigger) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds a change of the list.
    pub(in crate::trigger) fn push(&mut self, seq: Seq, change: &Todos) {
        let had_open = !self.open.is_empty() && !self.overflows;
        if change.replaces {
            self.open.clear();
            self.overflows = false;
        }
        for (id, is_open) in &change.items {
            self.open.retain(|open| open != id);
            if *is_open && self.open.len() < MAX_OPEN {
                self.open.push(*id);
            } else if *is_open {
                self.overflows = true;
            }
        }
        // A list that is merely emptied does not say whether its items were done.
        let some_done = change.items.iter().any(|(_, is_open)| !is_open);
        if had_open && some_done && self.open.is_empty() && !self.overflows {
            self.done = seq;
        }
    }

    /// The message in which the last open item was done, while none is open; `None` before the first.
    pub(in crate::trigger) fn done_at(&self) -> Option<Seq> {
        (self.open.is_empty() && self.done > 0).then_some(self.done)
    }
}
