//! Why the gate refuses a candidate.

use serde::Serialize;

use super::super::section::Section;

/// Why a candidate is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Refusal {
    /// Nothing is in it.
    #[error("the summary is empty")]
    Empty,
    /// It has no intent at all.
    #[error("the session intent is empty")]
    IntentEmpty,
    /// Its intent would fit any session.
    #[error("the session intent is vague: {text}")]
    IntentVague {
        /// The intent.
        text: String,
    },
    /// It lacks a file that the ledger saw change.
    #[error("a changed file is missing: {path}")]
    FileMissing {
        /// The file's path.
        path: String,
    },
    /// A decision lost the reason that the source gives.
    #[error("a decision has no rationale although the source states one: {decision}")]
    RationaleMissing {
        /// The decision.
        decision: String,
    },
    /// A text is a placeholder.
    #[error("a placeholder stands in {section}: {text}", section = section.as_str())]
    Placeholder {
        /// The section.
        section: Section,
        /// The text.
        text: String,
    },
    /// One of its texts is the error message of a provider or an engine.
    #[error("an error text stands in {section}: {text}", section = section.as_str())]
    ErrorText {
        /// The section.
        section: Section,
        /// The text.
        text: String,
    },
    /// It is not smaller than what it replaces; tried again when the span has doubled.
    #[error("{tokens_after} tokens after is not less than {tokens_before} before")]
    NotSmaller {
        /// Tokens of the old rendering plus the span as it would be served.
        tokens_before: u32,
        /// Tokens of the new rendering.
        tokens_after: u32,
    },
}

impl Refusal {
    /// Whether the compression is skipped rather than repaired or rejected.
    pub fn is_skip(&self) -> bool {
        matches!(self, Self::NotSmaller { .. })
    }
}
