//! Exams: questions that a model writes from the messages, so that a summary is tested by something that it
//! was not made from.
//!
//! What lives here: which sessions are examined, the examiner's prompt and the strict parser of its answer,
//! which earlier questions are asked again, and whether a reader's answers are plausible.
//! Invariant: a question is asked only when its facts appear in the messages that it names and not in the
//! question itself; neither examiner nor reader knows how a summary was made, and the writer of a summary
//! never sees a question.
//! Must not know: how a model is called, where questions are stored.
//!
//! An exam decides nothing, because a weak examiner must not prevent a compression. It raises a flag, and
//! lets the model write again about what the reader did not know. Sessions are sampled, not versions: an
//! earlier question is fair only while its answer is still true, and the examiner knows that only from the
//! messages that it reads. Questions are stored as probes, so that publication, rollback and erasure treat
//! them alike.

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

/// The share of right answers below which an exam is low, unless a setting says otherwise.
pub const LOW: f64 = 0.50;
/// The most earlier questions that are asked again about one version.
pub const MOST_EARLIER: usize = 6;
/// The most questions that a session stores to be asked again; the oldest are dropped first.
pub const MOST_KEPT: usize = 24;
/// In the sampled mode one of this many sessions is examined.
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
    pub fn takes(self, session: SessionId) -> bool {
        match self {
            Self::Off => false,
            Self::Sampled => session.0.as_u128().is_multiple_of(SAMPLED_OF),
            Self::Always => true,
        }
    }
}

/// Whether the reader may not have read the questions: it gave the same answer, in words of its own, to all
/// of them.
pub fn is_parroted(results: &[ProbeResult]) -> bool {
    let mut answers = results.iter().map(|result| wording::normalized(&result.answer));
    let Some(first) = answers.next() else { return false };
    results.len() >= LEAST_ASKED as usize && first != super::probe::NOT_FOUND && answers.all(|a| a == first)
}

/// The indexes of the earlier questions that are asked again, spread evenly: of `count`, at most
/// [`MOST_EARLIER`].
pub fn asked_again(count: usize) -> Vec<usize> {
    if count <= MOST_EARLIER {
        return (0..count).collect();
    }
    // Always the newest; the others at equal distances before it.
    (1..=MOST_EARLIER).map(|n| (n * count).div_ceil(MOST_EARLIER) - 1).collect()
}
