//! The things of one output, before those of several outputs are merged.

use super::identity::is_machine_id;

/// Replaces the value of a secret property.
pub(super) const REDACTED: &str = "[REDACTED:property]";
/// The most properties of a thing.
pub(super) const MOST_PROPERTIES: usize = 24;
/// The most things of one output.
pub(super) const MOST_OF_OUTPUT: usize = 256;

/// A thing in one output.
pub(super) struct Found {
    pub kind: String,
    pub id: String,
    pub properties: Vec<(String, String)>,
    pub more: usize,
}

/// The things of one output, and how many were dropped.
#[derive(Default)]
pub(super) struct ExtractedThings {
    pub found: Vec<Found>,
    pub left_out: usize,
}

impl ExtractedThings {
    pub(super) fn push(&mut self, found: Found) {
        // A number that only machines use, of nobody knows what, helps no reader.
        if found.properties.is_empty() || found.kind.is_empty() && is_machine_id(&found.id) {
            return;
        }
        if self.found.len() < MOST_OF_OUTPUT {
            self.found.push(found);
        } else {
            self.left_out += 1;
        }
    }
}
