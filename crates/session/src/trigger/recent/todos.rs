//! The open items of the todo list.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::message_signals::Todos;
use super::super::packed;
use anchord_messages::id::Seq;

/// The most open items that are stored; a longer list never counts as done.
const MAX_OPEN: usize = 50;

/// The open items of the agent's todo list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::trigger) struct OpenTodos {
    /// Open items, by the hashes of their ids.
    #[serde(rename = "o")]
    open: Ids,
    /// The message in which the last open item was done; 0 before that.
    #[serde(rename = "d")]
    done: Seq,
    /// Whether there are more open items than are stored.
    #[serde(rename = "x", skip_serializing_if = "std::ops::Not::not")]
    overflows: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Ids(Vec<u16>);

impl OpenTodos {
    pub(in crate::trigger) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds a change of the list.
    pub(in crate::trigger) fn push(&mut self, seq: Seq, change: &Todos) {
        let had_open = !self.open.0.is_empty() && !self.overflows;
        if change.replaces {
            self.open.0.clear();
            self.overflows = false;
        }
        for (id, is_open) in &change.items {
            self.open.0.retain(|open| open != id);
            if *is_open && self.open.0.len() < MAX_OPEN {
                self.open.0.push(*id);
            } else if *is_open {
                self.overflows = true;
            }
        }
        // A list that is merely emptied does not say whether its items were done.
        let some_done = change.items.iter().any(|(_, is_open)| !is_open);
        if had_open && some_done && self.open.0.is_empty() && !self.overflows {
            self.done = seq;
        }
    }

    /// The message in which the last open item was done, while none is open; `None` before the first.
    pub(in crate::trigger) fn done_at(&self) -> Option<Seq> {
        (self.open.0.is_empty() && self.done > 0).then_some(self.done)
    }
}

impl Serialize for Ids {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(self.0.len() * 4);
        for id in &self.0 {
            packed::push(&mut text, u64::from(*id), 4);
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Ids {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut rest: &str = &text;
        let mut ids = Vec::new();
        while let Some(id) = packed::take(&mut rest, 4)
            && ids.len() < MAX_OPEN
        {
            ids.extend(u16::try_from(id));
        }
        Ok(Self(ids))
    }
}
