//! A message as the digest keeps it: a turn of lines.

use serde::{Deserialize, Serialize};

use anchord_messages::id::Seq;
use anchord_messages::message::Role;

/// A message, as the digest knows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Turn {
    /// Its position.
    pub seq: Seq,
    /// Who speaks.
    pub role: Role,
    /// What was said, called or given back, in its order.
    pub lines: Vec<Line>,
}

/// A sentence, a line of output, a call, a piece of data that can be read alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Line {
    /// What it is.
    pub kind: LineKind,
    /// Its words, on one line.
    pub text: String,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// Somebody said it.
    Said,
    /// The model called a tool.
    Call,
    /// A tool gave it back.
    Output,
}

impl Turn {
    pub(super) fn bytes(&self) -> usize {
        self.lines.iter().map(|line| line.text.len()).sum()
    }
}
