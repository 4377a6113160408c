//! The group at the head of a session while it may still grow: results of its calls, or further calls in a row.
//!
//! What a compression reads is bounded in whole groups, so that a group is too.

use serde::{Deserialize, Serialize};

use super::Counted;
use crate::domain::message::Role;

/// Bytes of messages that one group may hold: what a body may bring at once, by default.
pub const MAX_GROUP_BYTES: u64 = 16 * 1024 * 1024;

/// The group that the newest message belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenGroup {
    /// Bytes of its messages.
    pub bytes: u64,
    /// Its calls that wait for their results.
    pub calls: u32,
    /// Further calls in a row belong to it.
    #[serde(default)]
    pub leads: bool,
}

impl OpenGroup {
    /// The group after one more message.
    #[must_use]
    pub fn with(self, message: &Counted) -> Self {
        let bytes = u64::from(message.bytes);
        // In the responses API parallel calls are items in a row.
        let leads = message.is_item && message.role == Role::Assistant;
        if message.results > 0 && self.calls > 0 {
            let calls = self.calls.saturating_sub(message.results);
            Self { bytes: self.bytes + bytes, calls, leads: false }
        } else if leads && self.leads {
            Self { bytes: self.bytes + bytes, calls: self.calls.saturating_add(message.calls), leads }
        } else {
            Self { bytes, calls: message.calls, leads }
        }
    }

    /// Whether no message can join it any more.
    pub(super) fn is_closed(&self) -> bool {
        self.calls == 0 && !self.leads
    }

    /// The bytes of the largest group that the messages would make.
    #[must_use]
    pub fn largest_with<'a>(mut self, messages: impl IntoIterator<Item = &'a Counted>) -> u64 {
        let mut largest = 0;
        for message in messages {
            self = self.with(message);
            largest = largest.max(self.bytes);
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(role: Role, calls: u32, results: u32, is_item: bool) -> Counted {
        Counted { bytes: 10, is_item, calls, results, ..Counted::of(1, role, 1, None, false) }
    }

    #[test]
    fn a_group_holds_its_calls_and_their_results() {
        let chat = [
            of(Role::User, 0, 0, false),
            of(Role::Assistant, 2, 0, false),
            of(Role::Tool, 0, 1, false),
            of(Role::Tool, 0, 1, false),
            of(Role::Assistant, 1, 0, false),
            of(Role::Tool, 0, 1, false),
            of(Role::Tool, 0, 1, false),
        ];
        let sizes: Vec<u64> = chat
            .iter()
            .scan(OpenGroup::default(), |group, message| {
                *group = group.with(message);
                Some(group.bytes)
            })
            .collect();
        assert_eq!(sizes, [10, 10, 20, 30, 10, 20, 10], "a result that answers nothing stands alone");
        assert_eq!(OpenGroup::default().largest_with(&chat), 30);
    }

    #[test]
    fn calls_that_are_items_in_a_row_are_one_group_with_their_results() {
        let items = [
            of(Role::Assistant, 1, 0, true),
            of(Role::Assistant, 1, 0, true),
            of(Role::Tool, 0, 1, true),
            of(Role::Tool, 0, 1, true),
            of(Role::User, 0, 0, true),
        ];
        assert_eq!(OpenGroup::default().largest_with(&items), 40);
        assert!(items.iter().fold(OpenGroup::default(), OpenGroup::with).is_closed());
    }
}
