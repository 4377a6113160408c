//! One effect of a command on one file.

use std::rc::Rc;

/// The action on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Op {
    /// Its content was shown or used.
    Read,
    /// Its content was replaced; it may not have existed.
    Write,
    /// It has another file's content now; it may not have existed.
    Copy,
    /// A formatter rewrote it.
    Format,
    /// Text was appended to it; it may not have existed.
    Append,
    /// It was changed in place, so it existed.
    Modify,
    /// It was created empty if it did not exist; else it is unchanged.
    Touch,
    /// It was removed.
    Delete,
    /// It, or all files below it, were removed.
    DeleteTree,
    /// It, or the files below it, have a new path.
    Move,
    /// It was run as a script.
    Run,
    /// A patch was applied; the patch text names the files.
    Patch,
}

/// One effect of a command on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Effect {
    /// The action.
    pub op: Op,
    /// The path as written; empty for a patch.
    pub path: String,
    /// The path joined to the directory that the command runs in.
    pub full: String,
    /// The path before a move, as written and joined.
    pub from: Option<(String, String)>,
    /// The text that was written, or the patch.
    pub text: Option<Rc<str>>,
    /// A description of the change, when the command shows it (`sed s/a/b/`).
    pub description: Option<String>,
}
