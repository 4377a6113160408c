//! An evaluation that a caller asked for: the probes of a version, asked of it again.

use std::time::Instant;

use super::{Env, JobError};
use crate::domain::compression::{Failure, Report, Status, Timings};
use crate::domain::probe;
use crate::domain::render::{self, Subject};
use crate::domain::tokens::TokenCounter;
use crate::store::compressions::Job;
use crate::store::settle::NewEvaluation;

/// Runs a claimed evaluation to its settlement.
pub(super) async fn run(env: &Env, job: &Job) -> Result<(), JobError> {
    let started = Instant::now();
    let Some(version) = job.request.version else {
        return fail(env, job, "no-version", "the evaluation names no version").await;
    };
    let Some(found) = env.store.load_evaluation(job.tenant, job.session, version).await? else {
        return fail(env, job, "no-version", "the version is gone").await;
    };
    let work = move || {
        let counter = TokenCounter::new(found.settings.tokenizer.unwrap_or_default());
        let stored = found.version;
        let subject = Subject {
            summary: &stored.summary,
            meta: &stored.meta,
            session_id: found.name.as_str(),
            task_id: found.settings.task_id.as_deref(),
            started: stored.meta.last_compressed_at,
            last_activity: stored.meta.last_compressed_at,
        };
        // The bound that it was rendered with gives the bytes that contexts serve.
        let bound = if stored.meta.max_tokens == 0 {
            found.settings.policy().max_summary_tokens
        } else {
            stored.meta.max_tokens
        };
        let rendering = render::served(&subject, bound, |text| counter.count_text(text));
        probe::score(&found.probes, &rendering, &stored.summary)
    };
    let report = tokio::task::spawn_blocking(work).await.map_err(|e| JobError::Broken(e.to_string()))?;
    let broken = |error: serde_json::Error| JobError::Broken(error.to_string());
    let evaluation = NewEvaluation {
        scores: serde_json::to_value(report.scores()).map_err(broken)?,
        results: serde_json::to_value(&report.results).map_err(broken)?,
        new_probes: Vec::new(),
        retired: Vec::new(),
    };
    let total_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let queued_ms = u64::try_from(job.queued_ms).unwrap_or_default();
    let report = Report {
        probe_score: report.score,
        probes_asked: report.asked,
        probes_failed: report.failed,
        probes_cut: report.cut,
        critical_failed: report.critical_failed,
        timings: Timings { queued_ms, probe_ms: total_ms, total_ms, ..Timings::default() },
        ..Report::default()
    };
    env.store.settle_evaluation(job, Some(version), &report, Ok(evaluation)).await?;
    Ok(())
}

/// Ends an evaluation that cannot be done, with its reason.
pub(super) async fn fail(env: &Env, job: &Job, kind: &str, detail: &str) -> Result<(), JobError> {
    let error = Some(Failure { kind: kind.to_owned(), detail: detail.to_owned() });
    let report = Report { error, ..Report::default() };
    env.store.settle_evaluation(job, job.request.version, &report, Err(Status::Failed)).await?;
    Ok(())
}
