//! What one tool use did to one file.

use anchord_messages::id::Seq;

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// It was shown.
    Read,
    /// It was made, and was not there before.
    Create,
    /// It was written whole; it may have been there.
    Write,
    /// It was written as a copy of another file; it may have been there.
    Copy,
    /// It was changed, so it was there.
    Modify,
    /// It exists now, unchanged if it was there.
    Touch,
    /// It was removed.
    Delete,
    /// It, or all below it, were removed.
    DeleteTree,
    /// It, or all below it, have a new path.
    Move,
}

/// One thing that happened to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// What happened.
    pub act: Act,
    /// The path as written.
    pub written: String,
    /// The path joined to where it started from, when that is known.
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
