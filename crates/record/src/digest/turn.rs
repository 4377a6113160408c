//! A message as the digest stores it: a turn of lines.

use serde::{Deserialize, Serialize};

use anchord_messages::id::Seq;
use anchord_messages::message::Role;

/// A message as the digest stores it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Turn {
    /// Its position.
    pub seq: Seq,
    /// Who speaks.
    pub role: Role,
    /// Their name, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its lines, in order.
    pub lines: Vec<Line>,
}

/// A line that can be read alone: a sentence, a line of output, a call, a piece of data.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Line {
    /// Its kind.
    pub kind: LineKind,
    /// Its words, on one line.
    pub text: String,
    /// Whether the digest that contexts are served has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub served: bool,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// A person or the model said it.
    Said,
    /// The head of a table within what was said: served in front of the table's rows, never alone.
    Head,
    /// Code or a listing within what was said.
    Code,
    /// The model called a tool.
    Call,
    /// A tool returned it.
    Output,
}

impl Turn {
    pub(super) fn bytes(&self) -> usize {
        self.lines.iter().map(|line| line.text.len()).sum()
    }
}
