//! The numbered lists of a summary, and their numbers: `D3` is the decision with the id 3.

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, VariantArray};

/// A numbered list of a summary.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, AsRefStr, VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum List {
    /// Requests of people.
    Requests,
    /// Choices.
    Decisions,
    /// What has an identity.
    Things,
    /// Changed files.
    Files,
    /// Lessons of the work.
    Findings,
    /// What nobody answered.
    Questions,
    /// Obstacles to progress.
    Blockers,
    /// The next steps.
    Next,
    /// What went wrong.
    Errors,
    /// Runs of tests.
    Tests,
    /// What people demand.
    Constraints,
}

impl List {
    /// Whether only code adds entries to it, from the messages.
    pub fn is_codes(self) -> bool {
        matches!(self, Self::Errors | Self::Tests | Self::Constraints)
    }

    /// Whether every part of a session changes it.
    pub fn passes(self) -> bool {
        matches!(self, Self::Questions | Self::Blockers | Self::Next | Self::Errors | Self::Tests)
    }

    /// The letter of its numbers.
    pub fn letter(self) -> char {
        match self {
            Self::Requests => 'R',
            Self::Decisions => 'D',
            Self::Things => 'T',
            Self::Files => 'F',
            Self::Findings => 'L',
            Self::Questions => 'Q',
            Self::Blockers => 'B',
            Self::Next => 'N',
            Self::Errors => 'E',
            Self::Tests => 'X',
            Self::Constraints => 'C',
        }
    }
}

/// The number of an entry: its list's letter and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number {
    /// The list.
    pub list: List,
    /// The id, which no other entry of the list has or had.
    pub id: u32,
}

impl Number {
    /// Parses a number as prompts write it: `D3`; the name of a test may follow that of a run: `X7 reads_utf8`.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim().trim_matches(['[', ']', '#']);
        let letter = text.chars().next()?.to_ascii_uppercase();
        let list = *List::VARIANTS.iter().find(|list| list.letter() == letter)?;
        let id = text.get(1..)?;
        let id = if list == List::Tests { id.split_whitespace().next()? } else { id };
        Some(Self { list, id: id.parse().ok()? })
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.list.letter(), self.id)
    }
}
