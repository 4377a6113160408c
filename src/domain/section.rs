//! The sections of the summary by name, for whoever speaks about one of them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One section of the summary, under its JSON field's name.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema, sqlx::Type,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Section {
    /// What the session is for.
    SessionIntent,
    /// Earlier intents.
    IntentHistory,
    /// Files that the session changed.
    FilesModified,
    /// Files that the session read and did not change.
    FilesRead,
    /// Choices that were made.
    DecisionsMade,
    /// Where the work stands.
    CurrentState,
    /// Errors met.
    Errors,
    /// The latest run of each test command.
    TestResults,
    /// What stands in the way.
    Blockers,
    /// What comes next.
    NextSteps,
    /// Versions, endpoints, identifiers, figures.
    TechnicalContext,
    /// What must hold, word for word.
    Constraints,
}

impl Section {
    /// Every section, in the order of the document.
    pub const ALL: [Self; 12] = [
        Self::SessionIntent,
        Self::IntentHistory,
        Self::FilesModified,
        Self::FilesRead,
        Self::DecisionsMade,
        Self::CurrentState,
        Self::Errors,
        Self::TestResults,
        Self::Blockers,
        Self::NextSteps,
        Self::TechnicalContext,
        Self::Constraints,
    ];

    /// The JSON field's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SessionIntent => "session_intent",
            Self::IntentHistory => "intent_history",
            Self::FilesModified => "files_modified",
            Self::FilesRead => "files_read",
            Self::DecisionsMade => "decisions_made",
            Self::CurrentState => "current_state",
            Self::Errors => "errors",
            Self::TestResults => "test_results",
            Self::Blockers => "blockers",
            Self::NextSteps => "next_steps",
            Self::TechnicalContext => "technical_context",
            Self::Constraints => "constraints",
        }
    }
}
