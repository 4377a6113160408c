//! A stored message with the changes that are made before it is served.

use super::input::Entry;

/// A stored message, and the changes that are made to it.
#[derive(Clone, Debug)]
pub(super) struct Slot<'a> {
    pub entry: &'a Entry,
    /// The indexes of results that are served as placeholders, ascending.
    pub masked: Vec<usize>,
    /// The indexes of results that are served clipped, ascending, and to how many tokens each.
    pub clipped: (Vec<usize>, u32),
    /// Whether its placeholders say only that something is left out.
    pub terse: bool,
    /// The most tokens that it is clipped to.
    pub clip: Option<u32>,
    /// Whether the caller marked it as removed, so that a line is served in its place.
    pub removed: bool,
}

impl<'a> Slot<'a> {
    pub(super) fn new(entry: &'a Entry) -> Self {
        Self { entry, masked: Vec::new(), clipped: (Vec::new(), 0), terse: false, clip: None, removed: false }
    }

    pub(super) fn is_untouched(&self) -> bool {
        self.masked.is_empty() && self.clipped.0.is_empty() && self.clip.is_none() && !self.removed
    }
}
