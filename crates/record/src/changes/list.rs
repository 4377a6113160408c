//! The numbered lists of a summary, and their numbers: `D3` is the third decision.

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, VariantArray};

/// A numbered list of a summary.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, AsRefStr, VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum List {
    /// What people asked for.
    Requests,
    /// Choices.
    Decisions,
    /// What has an identity.
    Things,
    /// Changed files.
    Files,
    /// What was learnt.
    Findings,
    /// What nobody answered.
    Questions,
    /// What blocks progress.
    Blockers,
    /// What comes next.
    Next,
}

impl List {
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
        }
    }
}

/// The number of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number {
    /// The list.
    pub list: List,
    /// The index in it, from 0.
    pub at: usize,
}

impl Number {
    /// Parses a number as prompts write it: `D3`.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim().trim_matches(['[', ']', '#']);
        let letter = text.chars().next()?.to_ascii_uppercase();
        let list = *List::VARIANTS.iter().find(|list| list.letter() == letter)?;
        let at = text.get(1..)?.parse::<usize>().ok()?.checked_sub(1)?;
        Some(Self { list, at })
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.list.letter(), self.at + 1)
    }
}
