//! Jobs that have nothing to do: they end together, unclaimed, in the statement that finds it proved.
//!
//! Invariant: a look decides nothing by itself. What does not end here waits as before, for whoever claims it.

use std::time::Instant;

use tracing::warn;

use super::compress::skipped;
use super::desk::{Asked, span_end};
use super::pool::{span_of, tell_wait};
use super::{Env, elapsed};
use crate::domain::compression::{Report, Status};
use crate::store::StoreError;
use crate::store::compressions::{Job, Kind, Seen};
use crate::store::figures::Figures;
use crate::store::settle::idle::{IdleEnd, Resting};

/// What became of jobs that were looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    /// How many have ended.
    pub(super) jobs: usize,
    /// Whether none is left.
    pub(super) is_all: bool,
}

/// Ends those of the jobs that have nothing to do.
pub(super) async fn end(env: &Env, seen: Seen) -> Ended {
    let all = seen.jobs.len() + seen.unread;
    let jobs = try_end(env, seen).await.unwrap_or_else(|error| {
        // They wait, and are claimed; what fails then fails as any job does.
        warn!(%error, "worker.idle_jobs_not_ended");
        0
    });
    Ended { jobs, is_all: jobs == all }
}

async fn try_end(env: &Env, seen: Seen) -> Result<usize, StoreError> {
    let begun = Instant::now();
    let seen_at = seen.at();
    let (compressions, others): (Vec<Job>, Vec<Job>) =
        seen.jobs.into_iter().partition(|job| job.kind == Kind::Compress);
    let mut ends = Vec::with_capacity(compressions.len() + others.len());
    let resting = env.store.look_at(&compressions).await?;
    for (job, resting) in compressions.into_iter().zip(resting) {
        if let Some(resting) = resting {
            ends.extend(nothing_to_cover(resting, job, begun)?);
        }
    }
    // Whether a session is indexed was part of the look, and an append that comes since asks for its own job.
    for job in others.into_iter().filter(|job| job.kind == Kind::Index) {
        ends.push(IdleEnd::indexed(job)?);
    }
    let ended = env.store.end_idle(seen_at, &ends).await?;
    for end in ends.iter().filter(|end| ended.contains(&end.job.id)) {
        tell(&end.job, begun);
    }
    Ok(ended.len())
}

/// How a compression ends when its session has nothing to cover; `None` when it has, or more follows from the end.
fn nothing_to_cover(resting: Resting, job: Job, begun: Instant) -> Result<Option<IdleEnd>, StoreError> {
    let request = &job.request;
    let settings = resting.settings();
    let strategy = request.strategy.unwrap_or_else(|| settings.strategy_in_force());
    if request.ahead || request.shadow || job.span.is_some() || settings.refuses(strategy) {
        return Ok(None);
    }
    let asked = Asked { job: &job, strategy, through: None };
    match span_end(settings, resting.counts(), resting.outlines(), asked) {
        Ok(_) => Ok(None),
        Err(reason) => {
            let report = skipped(&job, begun, reason);
            resting.skip(job, report)
        }
    }
}

/// Tells traces and metrics what they are told of any job.
fn tell(job: &Job, begun: Instant) {
    let kind = job.kind.as_str();
    span_of(job).in_scope(|| tracing::debug!(ms = elapsed(begun), "worker.idle_job_ended"));
    tell_wait(job);
    if job.kind == Kind::Compress {
        Figures::of(&Report::default(), false).record(Status::Skipped);
    }
    metrics::counter!("anchord_jobs_total", "kind" => kind, "ended" => "settled").increment(1);
    metrics::histogram!("anchord_job_run_seconds", "kind" => kind).record(begun.elapsed().as_secs_f64());
}
