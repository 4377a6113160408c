//! The event: what one tool use did to one file.

use anchord_messages::id::Seq;

/// The most that a span's events may weigh, in bytes, about 15,000 of them; and again the most that the files may weigh that
/// are moved and removed with their folders. That is far more than work: it is what prepared commands may take.
pub(super) const MOST_BYTES: usize = 4 * 1024 * 1024;

/// The change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Its content was shown.
    Read,
    /// It was created, and did not exist before.
    Create,
    /// It was written whole; it may have existed.
    Write,
    /// It was written as a copy of another file; it may have existed.
    Copy,
    /// It was changed in place, so it existed.
    Modify,
    /// It was created empty if it did not exist; else it is unchanged.
    Touch,
    /// It was removed.
    Delete,
    /// It, or all files below it, were removed.
    DeleteTree,
    /// It, or all files below it, have a new path.
    Move,
}

/// One event of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// The event.
    pub act: Act,
    /// The path as written.
    pub written: String,
    /// The path joined to the directory that it is relative to, when that is known.
    pub full: String,
    /// The path before a move, as written and joined.
    pub from: Option<(String, String)>,
    /// The change, in words.
    pub change: Option<String>,
    /// The message with the call.
    pub call_seq: Seq,
    /// The messages that show it.
    pub seqs: Vec<Seq>,
}

impl Event {
    /// About the memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let before = self.from.as_ref().map_or(0, |(written, full)| written.len() + full.len());
        let change = self.change.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.written.len() + self.full.len() + before + change
    }
}
