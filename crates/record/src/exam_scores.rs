//! The figures of an exam.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The fewest questions for which an exam has a score.
pub(super) const LEAST_ASKED: u32 = 3;

/// The result of an exam: a model answered questions with nothing but a version's context.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExamScores {
    /// The number of questions.
    pub asked: u32,
    /// Questions whose answer had every fact.
    pub passed: u32,
    /// The share of `asked` that passed; null with fewer than three questions.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub score: Option<f64>,
    /// Whether the score is below the session's threshold.
    pub low: bool,
}

impl ExamScores {
    /// The same figures, judged by a threshold.
    pub fn against(self, threshold: f64) -> Self {
        Self { low: self.score.is_some_and(|score| score < threshold), ..self }
    }
}
