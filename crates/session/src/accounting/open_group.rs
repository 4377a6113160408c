//! Counts the bytes of the newest group of a session while messages may still join it: results of its calls,
//! or messages of the model that a provider accepts only together with its earlier ones.
//!
//! A compression reads whole groups, so its memory is bounded only if the size of a group is. The count is an
//! upper bound of what [`groups`](anchord_messages::group::groups) forms: a result that answers no call is counted too.

use serde::{Deserialize, Serialize};

use super::message_counts::MessageCounts;
use anchord_messages::message::Role;

/// The most bytes of messages in one group: the default limit of a request's body.
pub const MAX_GROUP_BYTES: u64 = 16 * 1024 * 1024;
/// The most call ids that are remembered of a group; with more, no result of it counts as an orphan.
const MAX_CALL_IDS: usize = 256;

/// The group of the newest message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenGroup {
    /// Bytes of its messages.
    pub bytes: u64,
    /// Whether it has calls, so that results may join it.
    pub calls: bool,
    /// Hashes of the ids of the calls that wait for a result, the first of them.
    pub call_ids: Vec<u32>,
    /// Which messages of the model may join it.
    pub lead: Lead,
}

/// Which messages of the model may still join a group that has no results yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lead {
    /// None.
    #[default]
    Closed,
    /// All: the last message was thinking, or each call is an item of its own and the group has some.
    Open,
    /// All but thinking: the group began with thinking and has text after it.
    Words,
}

impl OpenGroup {
    /// The group after one more message, and whether the message joined it.
    fn after(mut self, message: &MessageCounts) -> (Self, bool) {
        let is_the_models = message.role == Role::Assistant;
        let joins = if message.results > 0 {
            self.calls
        } else {
            is_the_models
                && match self.lead {
                    Lead::Closed => false,
                    Lead::Open => true,
                    Lead::Words => !message.thinks,
                }
        };
        if !joins {
            self = Self::default();
        }
        let calls = self.calls || message.calls > 0;
        let lead = match (is_the_models, message.is_item) {
            (true, _) if message.thinks => Lead::Open,
            (true, true) if calls => Lead::Open,
            (true, true) if self.lead != Lead::Closed => Lead::Words,
            _ => Lead::Closed,
        };
        // Of more calls than are remembered, no result is known to be a second one.
        if self.call_ids.len() < MAX_CALL_IDS {
            for id in &message.answered_ids {
                if let Some(at) = self.call_ids.iter().position(|waiting| waiting == id) {
                    self.call_ids.remove(at);
                }
            }
        }
        let room = MAX_CALL_IDS - self.call_ids.len();
        self.call_ids.extend(message.call_ids.iter().take(room));
        (Self { bytes: self.bytes + u64::from(message.bytes), calls, lead, ..self }, joins)
    }

    /// Whether one of the message's tool results answers no call of the group that waits for one.
    pub fn is_orphan(&self, message: &MessageCounts) -> bool {
        let is_strange = |id| !self.call_ids.contains(id);
        message.unnamed_results
            || message.results > 0 && !self.calls
            || self.call_ids.len() < MAX_CALL_IDS && message.answered_ids.iter().any(is_strange)
    }

    /// The group after one more message.
    pub fn with(self, message: &MessageCounts) -> Self {
        self.after(message).0
    }

    /// Whether no more message can join it.
    pub(super) fn is_closed(&self) -> bool {
        !self.calls && self.lead == Lead::Closed
    }

    /// The bytes of the largest group that these messages would form, 0 if none. A group of one message does
    /// not count: the size of a single message is limited elsewhere.
    pub fn largest_with<'a>(mut self, messages: impl IntoIterator<Item = &'a MessageCounts>) -> u64 {
        let mut largest = 0;
        for message in messages {
            let (group, joined) = self.after(message);
            self = group;
            if joined {
                largest = largest.max(self.bytes);
            }
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use anchord_messages::format::{Format, parse};
    use anchord_messages::group::groups;
    use anchord_messages::id::Seq;
    use anchord_messages::shape::{AsShape, Shape};
    use anchord_messages::tokens::TokenCounter;

    /// A message for grouping and for counting; each counts ten bytes.
    struct Item(Seq, Role, bool, Option<Shape>);

    impl AsShape for Item {
        fn seq(&self) -> Seq {
            self.0
        }
        fn role(&self) -> Role {
            self.1
        }
        fn is_item(&self) -> bool {
            self.2
        }
        fn shape(&self) -> Option<&Shape> {
            self.3.as_ref()
        }
    }

    impl Item {
        fn counted(&self) -> MessageCounts {
            MessageCounts {
                bytes: 10,
                is_item: self.2,
                ..MessageCounts::of(self.0, self.1, 1, self.3.as_ref(), false)
            }
        }
    }

    fn item((seq, (format, kind, id)): (usize, (Format, u8, u8))) -> Item {
        let id = format!("c{id}");
        let message = match (format, kind) {
            (Format::OpenaiResponses, 0) => {
                json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"})
            }
            (Format::OpenaiResponses, 1) => {
                json!({"type": "function_call_output", "call_id": id, "output": "x"})
            }
            (Format::OpenaiResponses, 2) => json!({"type": "reasoning", "id": "rs", "summary": []}),
            (Format::Anthropic, 0) => {
                json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}}]})
            }
            (Format::Anthropic, 1) => {
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "x"}]})
            }
            (Format::Anthropic, 2) => {
                json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "s"}]})
            }
            (_, 0) => {
                json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}]})
            }
            (_, 1) => json!({"role": "tool", "tool_call_id": id, "content": "x"}),
            (_, 2) => json!({"role": "assistant", "content": null, "reasoning_content": "t"}),
            (_, 3) => json!({"role": "assistant", "content": "a"}),
            _ => json!({"role": "user", "content": "u"}),
        };
        let message = parse(format, &message.to_string()).expect("a message");
        let (_, shape) = Shape::measure(&message, &TokenCounter::default());
        let seq = Seq::try_from(seq).expect("a position") + 1;
        Item(seq, message.role, format == Format::OpenaiResponses, shape)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_group_is_larger_than_what_is_counted(
            format in prop::sample::select(vec![Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses]),
            kinds in prop::collection::vec((0u8..6, 0u8..3), 1..24),
        ) {
            let items: Vec<Item> = kinds.iter().map(|(kind, id)| (format, *kind, *id)).enumerate().map(item).collect();
            let counted: Vec<MessageCounts> = items.iter().map(Item::counted).collect();
            let sizes = groups(&items).into_iter().map(|group| group.range.len()).filter(|size| *size > 1);
            let largest = sizes.max().unwrap_or_default() as u64 * 10;
            prop_assert!(OpenGroup::default().largest_with(&counted) >= largest);
        }
    }

    #[test]
    fn a_group_ends_with_what_is_no_result() {
        let of = |kinds: &[(u8, u8)]| -> u64 {
            let items = kinds.iter().map(|(kind, id)| (Format::OpenaiChat, *kind, *id)).enumerate().map(item);
            OpenGroup::default().largest_with(&items.map(|item| item.counted()).collect::<Vec<_>>())
        };
        assert_eq!(
            of(&[(0, 1), (1, 1), (1, 2), (5, 0), (0, 1), (1, 1)]),
            30,
            "a stranger's result counts too"
        );
        assert_eq!(of(&[(1, 1), (1, 1), (1, 1)]), 0, "without a call each stands alone");
        assert_eq!(of(&[(3, 0), (3, 0), (5, 0)]), 0);
    }
}
