//! A stored message with what is done to it before it is served.

use super::input::Entry;

/// A stored message, and what is done to it.
#[derive(Clone, Debug)]
pub(super) struct Slot<'a> {
    pub entry: &'a Entry,
    /// Results that are served as placeholders, ascending.
    pub masked: Vec<usize>,
    /// Its placeholders say no more than that something is left out.
    pub terse: bool,
    /// The tokens that it is clipped to.
    pub clip: Option<u32>,
    /// The caller wants it out: a line stands for it.
    pub removed: bool,
}

impl<'a> Slot<'a> {
    pub(super) fn new(entry: &'a Entry) -> Self {
        Self { entry, masked: Vec::new(), terse: false, clip: None, removed: false }
    }

    pub(super) fn is_untouched(&self) -> bool {
        self.masked.is_empty() && self.clip.is_none() && !self.removed
    }
}
