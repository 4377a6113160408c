//! Makes one group valid: plain messages one by one, calls together with their results.

use super::calls::{self, CallGroup};
use super::convert::Converter;
use super::ids::Ids;
use super::message::without_idle_reasoning;
use super::output::Reason;
use super::slot::Slot;
use super::turns::{ServedGroup, ServedMessage};
use anchord_messages::group::{Group, GroupKind};

impl Converter<'_> {
    /// A group.
    pub(super) fn group<'a>(self, slots: &[Slot<'a>], group: &Group, ids: &Ids) -> ServedGroup<'a> {
        let slots = slots.get(group.range.clone()).unwrap_or_default();
        let mut turns = ServedGroup::default();
        match &group.kind {
            GroupKind::Plain => {
                let slots = without_idle_reasoning(slots, &mut turns);
                let stays = self.stays(slots, |_, slot| self.is_as_sent(slot));
                for (at, (slot, stays)) in slots.iter().zip(stays).enumerate() {
                    if !stays {
                        turns.omit(slot.entry.seq, Reason::Thinking);
                    } else if at + 1 < slots.len() && self.joins_next(slot) {
                        turns.add(slot.entry.tokens);
                        turns.served.push(ServedMessage::Raw(slot.entry));
                    } else {
                        self.one(slot, &mut turns);
                    }
                }
            }
            GroupKind::Calls(calls) => {
                calls::serve(self, CallGroup { slots, start: group.range.start, calls, ids }, &mut turns);
            }
        }
        turns
    }
}
