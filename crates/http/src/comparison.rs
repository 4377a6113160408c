//! Compares strategies: the result of the latest run of each on a session, whether published or a shadow run.

use std::collections::BTreeMap;

use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::auth::Reader;
use super::compressions::{Compression, CompressionPath, find_session};
use super::json::Reply;
use super::params::{Path, SessionPath};
use super::problem::{ApiError, Problem, Resource};
use super::state::AppState;
use anchord_messages::id::{CompressionId, Seq, SessionName};
use anchord_record::exam::ExamScores;
use anchord_record::gate::GateOutcome;
use anchord_record::hindsight::Hindsight;
use anchord_record::strategy::{Engine, Strategy, Verifiable};
use anchord_record::version::Version;
use anchord_session::compression::{Cost, Status};
use anchord_session::flags::Flag;

/// How many of the latest compressions are searched.
const LOOKED_THROUGH: i64 = 500;

/// The latest run of each strategy on one session.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = StrategyComparison)]
pub struct Comparison {
    /// The session's id.
    pub session_id: SessionName,
    /// The version that contexts serve.
    #[schema(required = true)]
    pub current_version: Option<i64>,
    /// Whether all runs end at the same message, so that their figures can be compared directly.
    pub same_end: bool,
    /// One entry for each strategy that made a candidate, in the order of their names.
    pub strategies: Vec<StrategyRun>,
}

/// What a strategy's latest run came to.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StrategyRun {
    /// The strategy of the candidate.
    pub strategy: Strategy,
    /// How far the candidate can be verified against the originals.
    pub verifiable: Verifiable,
    /// The run.
    pub compression_id: CompressionId,
    /// How it ended.
    pub status: Status,
    /// The gate's last word.
    #[schema(required = true)]
    pub gate: Option<GateOutcome>,
    /// Stored and scored, not published.
    pub shadow: bool,
    /// The version that it published.
    #[schema(required = true)]
    pub version: Option<i64>,
    /// Whether contexts serve that version.
    pub current: bool,
    /// Who read the span.
    #[schema(required = true)]
    pub engine: Option<Engine>,
    /// The engine's model.
    #[schema(required = true)]
    pub model: Option<String>,
    /// The first message that it was made from.
    #[schema(required = true)]
    pub from_seq: Option<Seq>,
    /// The last message that it covers.
    #[schema(required = true)]
    pub through_seq: Option<Seq>,
    /// The old rendering plus the span as it would be served, in tokens.
    #[schema(required = true)]
    pub tokens_before: Option<u32>,
    /// The new rendering, in tokens.
    #[schema(required = true)]
    pub tokens_after: Option<u32>,
    /// The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub reduction: Option<f64>,
    /// Tokens of the whole context before.
    #[schema(required = true)]
    pub context_tokens_before: Option<u32>,
    /// Tokens of the whole context after; for a shadow run, what they would be.
    #[schema(required = true)]
    pub context_tokens_after: Option<u32>,
    /// The same of the whole context: 1 − `context_tokens_after` / `context_tokens_before`.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub context_reduction: Option<f64>,
    /// The share of the probes that passed, from 0 to 1.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub probe_score: Option<f64>,
    /// The same of the probes that ask for facts which code found.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub facts_score: Option<f64>,
    /// How a reader did in an exam that was written from the messages; null without one.
    #[schema(required = true)]
    pub exam: Option<ExamScores>,
    /// Whether the context of its version contained the names that later messages used; null until the next version
    /// is made.
    #[schema(required = true)]
    pub hindsight: Option<Hindsight>,
    /// The number of probes.
    pub probes_asked: u32,
    /// Probes failed.
    pub probes_failed: u32,
    /// Probes whose fact the rendering's bound cut.
    pub probes_cut: u32,
    /// Critical probes failed.
    pub critical_failed: u32,
    /// What the judge gave it overall, 0 to 5; null without a judge.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub rubric: Option<f64>,
    /// Time from the claim to the end, in milliseconds.
    pub latency_ms: u64,
    /// What the engine's LLM used.
    pub cost: Cost,
    /// Figures outside their targets.
    pub flags: Vec<Flag>,
    /// When it ended.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub finished_at: Option<DateTime<Utc>>,
}

/// What a shadow run made: the record as it would have been published, and its text.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = CompressionCandidate)]
pub struct Candidate {
    /// The run.
    pub compression_id: CompressionId,
    /// The text that contexts would serve.
    pub rendering: String,
    /// That text's tokens, as a message.
    pub rendering_tokens: u32,
    /// The record; `version` is the number that it would have had.
    #[serde(flatten)]
    pub version: Version,
}

/// Shows strategies side by side for one session.
///
/// Of each strategy the latest run that made a candidate, published, refused or in the shadow. To compare
/// strategies on the same messages, run them with `shadow: true`: a shadow run that finds nothing new repeats
/// what the current version covers, from the version before it.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/compressions/compare", tag = "compressions", operation_id = "compressions.compare", params(SessionPath),
    responses((status = 200, body = Comparison, description = "The strategies side by side."))
)]
pub async fn compare_strategies(
    Reader(caller): Reader,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
) -> Result<Reply<Comparison>, ApiError> {
    let session = find_session(&state, &caller, &path.session_id).await?;
    let rows = state.store.list_compressions(caller.tenant, session.id, None, LOOKED_THROUGH).await?;
    let mut latest: BTreeMap<&'static str, StrategyRun> = BTreeMap::new();
    for row in rows {
        let run = Compression::of(&session, row);
        let Some(strategy) = run.report.strategy_used.filter(|_| run.report.tokens_after.is_some()) else {
            continue;
        };
        latest.entry(strategy.as_str()).or_insert_with(|| StrategyRun::of(strategy, run, session.version));
    }
    let strategies: Vec<StrategyRun> = latest.into_values().collect();
    let same_end = strategies.windows(2).all(|pair| match pair {
        [one, other] => one.through_seq == other.through_seq,
        _ => true,
    });
    Ok(Reply(Comparison { session_id: session.name, current_version: session.version, same_end, strategies }))
}

/// Reads what a shadow run made.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/compressions/{compression_id}/candidate", tag = "compressions", operation_id = "compressions.get_candidate",
    params(CompressionPath),
    responses(
        (status = 200, body = Candidate, description = "The candidate."),
        (status = 404, body = Problem, content_type = "application/problem+json",
         description = "No such compression, or none that made a candidate in the shadow (`/problems/compression-not-found`).")
    )
)]
pub async fn find_candidate(
    Reader(caller): Reader,
    State(state): State<AppState>,
    Path(path): Path<CompressionPath>,
) -> Result<Reply<Candidate>, ApiError> {
    let session = find_session(&state, &caller, &path.session_id).await?;
    let found = state.store.find_shadow_candidate(caller.tenant, session.id, path.compression_id).await?;
    let found = found.ok_or(ApiError::NotFound(Resource::Compression))?;
    Ok(Reply(Candidate {
        compression_id: path.compression_id,
        rendering: found.rendering,
        rendering_tokens: found.rendering_tokens,
        version: found.version,
    }))
}

impl StrategyRun {
    fn of(strategy: Strategy, run: Compression, current: Option<i64>) -> Self {
        let report = run.report;
        let context_reduction = match (report.context_tokens_before, report.context_tokens_after) {
            (Some(before), Some(after)) if before > 0 => Some(1.0 - f64::from(after) / f64::from(before)),
            _ => None,
        };
        Self {
            strategy,
            verifiable: strategy.verifiable(),
            compression_id: run.id,
            status: run.status,
            gate: report.gate.last().map(|record| record.outcome),
            shadow: run.shadow,
            version: run.version,
            current: run.version.is_some() && run.version == current,
            engine: report.engine,
            model: report.model,
            from_seq: run.from_seq,
            through_seq: run.through_seq,
            tokens_before: report.tokens_before,
            tokens_after: report.tokens_after,
            reduction: report.compression_ratio,
            context_tokens_before: report.context_tokens_before,
            context_tokens_after: report.context_tokens_after,
            context_reduction,
            probe_score: report.probe_score,
            facts_score: report.facts_score,
            exam: report.exam,
            hindsight: run.hindsight,
            probes_asked: report.probes_asked,
            probes_failed: report.probes_failed,
            probes_cut: report.probes_cut,
            critical_failed: report.critical_failed,
            rubric: report.rubric,
            latency_ms: report.timings.total_ms,
            cost: report.cost,
            flags: run.flags,
            finished_at: run.finished_at,
        }
    }
}
