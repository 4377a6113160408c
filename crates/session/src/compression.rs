//! One compression: its request, its status and its report.

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, EnumString, IntoStaticStr};
use utoipa::ToSchema;

use anchord_messages::group::NoSpan;
use anchord_messages::id::Seq;
use anchord_record::changes::Account;
use anchord_record::exam::ExamScores;
use anchord_record::gate::GateRecord;
use anchord_record::probe::Scores;
use anchord_record::strategy::{Engine, EngineChoice, Strategy};

/// The trigger's name when a caller asks for the compression.
pub const MANUAL: &str = "manual";

/// The messages that a compression covers, fixed at its first claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The version that it builds on.
    pub parent_version: Option<i64>,
    /// Its first message.
    pub from_seq: Seq,
    /// Its last message.
    pub through_seq: Seq,
}

/// How far a compression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(EnumString, AsRefStr, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[schema(as = CompressionStatus)]
pub enum Status {
    /// Waits for a worker.
    Queued,
    /// A worker is at it.
    Running,
    /// A version was published.
    Succeeded,
    /// No usable result after all attempts.
    Failed,
    /// The gate refused the candidate; the old version stays.
    Rejected,
    /// Nothing compressible, or the result would not be smaller.
    Skipped,
    /// Another version was published meanwhile.
    Superseded,
    /// Cancelled by a caller or by a deletion.
    Cancelled,
}

impl Status {
    /// Whether the compression waits or runs.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

/// The request of a compression; absent fields follow the session's settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The caller's reason, kept with the compression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How the version is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// The engine that reads the span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineChoice>,
    /// The engine's model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Messages that stay verbatim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_recent: Option<u32>,
    /// Tokens of the newest messages that stay verbatim, as far as the fill has room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_recent_tokens: Option<u32>,
    /// Share of the effective window that record, digest and newest messages take, in place of `fill`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// The last message to cover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through_seq: Option<Seq>,
    /// The version to evaluate, for evaluations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}

/// The result of a compression.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = CompressionReport)]
pub struct Report {
    /// The strategy of the last candidate: another one than was asked for when the gate fell back.
    pub strategy_used: Option<Strategy>,
    /// Who read the span.
    pub engine: Option<Engine>,
    /// The model that read it.
    pub model: Option<String>,
    /// Record and digest of the version before plus the span, as contexts would serve them, in tokens.
    pub tokens_before: Option<u32>,
    /// Record and digest of the new version, as contexts serve them, in tokens.
    pub tokens_after: Option<u32>,
    /// The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one.
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    #[schema(required = true)]
    pub reduction: Option<f64>,
    /// Tokens of a default context before: `usage.context_tokens` of the session then.
    pub context_tokens_before: Option<u32>,
    /// The same after.
    pub context_tokens_after: Option<u32>,
    /// Whether the context is at or below the target.
    pub target_met: Option<bool>,
    /// The share of the probes that passed, from 0 to 1.
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub probe_score: Option<f64>,
    /// The same of the probes that ask for facts which code found.
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub facts_score: Option<f64>,
    /// How a reader did in an exam that was written from the messages; null without one.
    pub exam: Option<ExamScores>,
    /// The number of probes.
    pub probes_asked: u32,
    /// Probes failed.
    pub probes_failed: u32,
    /// Probes whose fact the rendering's bound cut.
    pub probes_cut: u32,
    /// Critical probes failed.
    pub critical_failed: u32,
    /// The caller's own probes that failed.
    pub callers_failed: u32,
    /// The judge's overall score, 0 to 5; absent without a judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub rubric: Option<f64>,
    /// How much of the model's answer was published, and what was not; absent when no model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Account>,
    /// Warnings for the reader.
    pub warnings: Vec<String>,
    /// The gate's decisions, candidate by candidate.
    pub gate: Vec<GateRecord>,
    /// Why nothing was published.
    pub error: Option<Failure>,
    /// The use of the engine's LLM, failed attempts included.
    pub cost: Cost,
    /// The durations of the steps.
    pub timings: Timings,
}

impl Report {
    /// The results of its probes.
    pub fn scores(&self) -> Scores {
        Scores {
            score: self.probe_score,
            facts_score: self.facts_score,
            exam: self.exam,
            asked: self.probes_asked,
            failed: self.probes_failed,
            cut: self.probes_cut,
            critical_failed: self.critical_failed,
        }
    }
}

/// Why nothing was published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = CompressionError)]
pub struct Failure {
    /// A stable word.
    #[serde(rename = "type")]
    pub kind: String,
    /// The reason in a sentence.
    pub detail: String,
}

impl From<NoSpan> for Failure {
    fn from(reason: NoSpan) -> Self {
        Self { kind: reason.as_ref().to_owned(), detail: reason.to_string() }
    }
}

/// Tokens and calls that the engine's LLM used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = ModelCost)]
pub struct Cost {
    /// Tokens in, cached ones included.
    pub input_tokens: u64,
    /// The part of the tokens in that the server read from its cache.
    pub cached_tokens: u64,
    /// Tokens out.
    pub output_tokens: u64,
    /// Calls, failed ones included.
    pub calls: u32,
    /// Calls that failed.
    pub failed_calls: u32,
    /// The total duration of the calls, in milliseconds.
    pub latency_ms: u64,
    /// Their cost, in millionths of the currency of the operator's prices; 0 without prices.
    pub micros: u64,
}

/// The durations of the steps, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = CompressionTimings)]
pub struct Timings {
    /// From the request to the claim.
    pub queued_ms: u64,
    /// Reading the ledger.
    pub ledger_ms: u64,
    /// The engine's proposal and the merge.
    pub engine_ms: u64,
    /// Probes, rendering and repair.
    pub probe_ms: u64,
    /// From the claim to the end.
    pub total_ms: u64,
}
