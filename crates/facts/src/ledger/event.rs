//! The event: what one tool use did to one file.

use anchord_messages::id::Seq;

/// What happened to a file.
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
    /// What happened.
    pub act: Act,
    /// The path as written.
    pub written: String,
    /// The path joined to the directory that it is relative to, when that is known.
    pub full: String,
    /// The path before a move, as written and joined.
    pub from: Option<(String, String)>,
    /// What changed, in words.
    pub change: Option<String>,
    /// The message with the call.
    pub call_seq: Seq,
    /// The messages that show it.
    pub seqs: Vec<Seq>,
}
