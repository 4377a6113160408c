//! What the gate did with each candidate of one compression, for the compression's report.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::probe::{Answerer, Scores};
use crate::strategy::{Engine, Strategy};

/// The gate's decision on one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GateRecord {
    /// How the candidate was made.
    pub strategy: Strategy,
    /// The engine that wrote its narrative.
    pub engine: Engine,
    /// Its state.
    pub outcome: GateOutcome,
    /// Tokens of its rendering.
    pub rendering_tokens: u32,
    /// The results of its probes.
    #[serde(flatten)]
    pub scores: Scores,
    /// The reader that answered its probes.
    pub answered_by: Answerer,
    /// Why it was not accepted, a few at most.
    pub reasons: Vec<String>,
    /// What was tried next; absent when it was the last word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<RetryMeasure>,
}

/// What is tried when a candidate fails, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RetryMeasure {
    /// The missing facts are put back word for word, and it is asked again.
    Facts,
    /// The model tells the piece that lost most once more, in detail: for failed probes, and for a low exam.
    Detail,
    /// The model tells that piece in smaller ones.
    SmallerPieces,
    /// Code words it, and leaves more messages as they are.
    Code,
    /// Another strategy, on the same span.
    Strategy,
}

/// The gate's decision on a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateOutcome {
    /// It holds.
    Accept,
    /// It was not published as it was, and tried once more; `next` says how.
    Repair,
    /// It was refused for good, and code or another strategy took over.
    FallBack,
    /// It was refused for good.
    Reject,
    /// It is not smaller than what it replaces; the old version stays.
    Skip,
}
