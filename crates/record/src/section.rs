//! The sections of a summary by name.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use utoipa::ToSchema;

/// One section of the summary, under its JSON field's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[schema(as = SummarySection)]
pub enum Section {
    /// The aim of the session.
    SessionIntent,
    /// Requests of people.
    Requests,
    /// Files that the session changed.
    FilesModified,
    /// Files that the session read and did not change.
    FilesRead,
    /// Choices that were made.
    DecisionsMade,
    /// The current state of the work.
    CurrentState,
    /// Errors met.
    Errors,
    /// The latest run of each test command.
    TestResults,
    /// Obstacles to progress.
    Blockers,
    /// Unanswered questions.
    OpenQuestions,
    /// Lessons of the work.
    Findings,
    /// The next steps.
    NextSteps,
    /// Things with an identity, and their properties.
    Things,
    /// The agent's own notes.
    Notes,
    /// The requirement, verbatim.
    Constraints,
}

impl Section {
    /// Every section, in the order of the document.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Whether a version always says something of it, if only that it is empty. Requests belong to the intent, and notes
    /// are the agent's.
    pub const fn is_forced(self) -> bool {
        !matches!(self, Self::Requests | Self::Notes)
    }

    /// The JSON field's name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
