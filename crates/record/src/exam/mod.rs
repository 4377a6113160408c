//! Exams: questions that a model writes from the messages, so that a summary is tested by something that it was not
//! made from.
//!
//! What lives here: which sessions are examined, the examiner's question and the strict reading of its answer, which
//! earlier questions are asked again, and what a reader's answers come to.
//! Invariant: a question is asked only when its facts stand in the messages that it names and not in itself; neither
//! examiner nor reader knows how a summary was made, and the writer of a summary never sees a question.
//! Must not know: how a model is reached, where questions are stored.
//!
//! An exam binds nothing, because a weak examiner must not keep a session from being compressed; it raises a flag,
//! and lets the model tell once more what was not known. Sessions are sampled and not versions: an earlier question
//! is fair only while nothing made its answer untrue, which the examiner knows only of what it reads. Questions are
//! stored as probes, so that publication, rollback and erasure treat them alike.

mod prompt;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::exam_scores::LEAST_ASKED;
use super::probe::ProbeResult;
use anchord_facts::wording;
use anchord_messages::id::SessionId;

pub use super::exam_scores::ExamScores;
pub use prompt::{ExamPrompt, ExamQuestions, MOST_NEW, RefusedQuestion, schema};

/// Below this share of right answers an exam is low, where no setting says another.
pub const LOW: f64 = 0.50;
/// The most earlier questions that are asked again.
pub const MOST_EARLIER: usize = 6;
/// The most questions that a session keeps to be asked again; the oldest go first.
pub const MOST_KEPT: usize = 24;
/// Of how many sessions one is examined where they are sampled.
const SAMPLED_OF: u128 = 4;

/// Which sessions a model examines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExamMode {
    /// None.
    Off,
    /// One in four, by its id: each of its compressions, so that drift shows.
    #[default]
    Sampled,
    /// Every one.
    Always,
}

impl ExamMode {
    /// Whether a session is examined.
    #[must_use]
    pub fn takes(self, session: SessionId) -> bool {
        match self {
            Self::Off => false,
            Self::Sampled => session.0.as_u128().is_multiple_of(SAMPLED_OF),
            Self::Always => true,
        }
    }
}

/// Whether answers come from a reader that may not have read: the same one to every question, in words of its own.
#[must_use]
pub fn is_parroted(results: &[ProbeResult]) -> bool {
    let mut answers = results.iter().map(|result| wording::normalized(&result.answer));
    let Some(first) = answers.next() else { return false };
    results.len() >= LEAST_ASKED as usize && first != super::probe::NOT_FOUND && answers.all(|a| a == first)
}

/// The places of the earlier questions that are asked again, spread over all of them: of `count`, at most
/// [`MOST_EARLIER`].
#[must_use]
pub fn asked_again(count: usize) -> Vec<usize> {
    if count <= MOST_EARLIER {
        return (0..count).collect();
    }
    // The newest always; the others at equal distances before it.
    (1..=MOST_EARLIER).map(|n| (n * count).div_ceil(MOST_EARLIER) - 1).collect()
}
