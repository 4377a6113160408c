//! Messages without their bodies: what counting, grouping and masking read.

use super::accounting::MessageCounts;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::shape::{AsShape, Shape};

/// A message without its body.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Its position.
    pub seq: Seq,
    /// Who speaks.
    pub role: Role,
    /// Whether it is an item of the Responses API.
    pub is_item: bool,
    /// Its tokens.
    pub tokens: u32,
    /// Its shape, for grouping and masking; `None` for a plain message.
    pub shape: Option<Shape>,
    /// Whether the caller marked it `keep: never`: its outputs become placeholders, and one without any is left out.
    pub is_left_out: bool,
    /// Whether the caller marked it as a retrieved document.
    pub retrieved: bool,
    /// Bytes of its body.
    pub bytes: u64,
}

impl AsShape for Outline {
    fn seq(&self) -> Seq {
        self.seq
    }
    fn role(&self) -> Role {
        self.role
    }
    fn is_item(&self) -> bool {
        self.is_item
    }
    fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }
}

impl Outline {
    /// The values that a session's counts are made from.
    pub fn counted(&self) -> MessageCounts {
        let bytes = u32::try_from(self.bytes).unwrap_or(u32::MAX);
        let counted =
            MessageCounts::of(self.seq, self.role, self.tokens, self.shape.as_ref(), self.retrieved);
        MessageCounts { bytes, is_item: self.is_item, ..counted }
    }
}
