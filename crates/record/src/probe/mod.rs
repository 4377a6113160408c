//! Probes: questions that must be answerable from the compressed context alone.
//!
//! What lives here: making probes from a span, asking later versions again, scoring a rendering, and
//! repairing a candidate that lost a fact.
//! Invariant: a probe comes from facts and the proposal, never from the candidate that it judges; what the
//! token bound cut is reported as cut and not as failed.
//! Must not know: engines, how a model is called, where probes are stored.

mod carry;
mod generate;
mod question;
mod quote;
mod repair;
mod report;
mod score;
mod sheet;

pub use carry::{MAX_CARRIED, carry_over};
pub use generate::{MAX_EXPECTED, MAX_PROBES, generate};
pub use question::{
    Answerer, Match, MatchFields, MatchKind, NOT_FOUND, Probe, ProbeKind, ProbeResult, Verdict,
};
pub use repair::repair;
pub use report::{ACCEPT_AT, ProbeReport, Scores, accept, exam_scores};
pub use score::{check_answer, score};
pub use sheet::{Answered, Sheet, Spent, answer_schema, mark_answers, settle_by_code, sheets};

/// How often a candidate is repaired and checked again before another measure is taken.
pub const MAX_REPAIR_ROUNDS: usize = 2;

#[cfg(test)]
mod tests;
