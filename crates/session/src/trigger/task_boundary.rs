//! A task has ended: the caller says so, or everything on the todo list is done.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::notice::Todos;
use super::{Situation, packed};
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};
use anchord_messages::id::Seq;

/// The most open items that are followed; a longer list never counts as done.
const MAX_OPEN: usize = 50;

/// What is still to be done on the agent's todo list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct OpenTodos {
    /// Open items, by the hashes of their ids.
    #[serde(rename = "o")]
    open: Ids,
    /// The message with which the last open item was done; 0 when none was.
    #[serde(rename = "d")]
    done: Seq,
    /// There are more open items than are followed.
    #[serde(rename = "x", skip_serializing_if = "std::ops::Not::not")]
    overflows: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Ids(Vec<u16>);

impl OpenTodos {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes in a change of the list.
    pub(super) fn push(&mut self, seq: Seq, change: &Todos) {
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
        // A list that is only emptied says nothing of what became of its items.
        let some_done = change.items.iter().any(|(_, is_open)| !is_open);
        if had_open && some_done && self.open.0.is_empty() && !self.overflows {
            self.done = seq;
        }
    }
}

/// The caller says that a task has ended, or this append did the last open item of the todo list.
pub(super) fn signal(_: &Policy, situation: &Situation<'_>) -> Signal {
    let (action, detail) = if situation.boundary.is_some() {
        (Action::Compress, "a task ended")
    } else if list_done(situation).is_some() {
        (Action::Compress, "everything on the todo list is done")
    } else {
        (Action::None, "no task ended")
    };
    Signal::new(SignalKind::TaskBoundary, action, detail)
}

/// The last message that the finished task's span may cover: the caller's boundary, or the end of the group
/// that did the last open item. What follows belongs to the next task.
///
/// The newest messages stay as they are even so: the end of a task is what the next one asks about. A boundary that finds a
/// compression at work, or nothing to cover, is not kept for later.
pub(super) fn end(situation: &Situation<'_>) -> Option<Seq> {
    let done = || Some(situation.counts.group_end(list_done(situation)?, situation.head));
    situation.boundary.or_else(done)
}

/// The message of this append that did the last open item.
fn list_done(situation: &Situation<'_>) -> Option<Seq> {
    let todos = &situation.recent.todos;
    (todos.done >= situation.first && todos.open.0.is_empty() && todos.done > 0).then_some(todos.done)
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
