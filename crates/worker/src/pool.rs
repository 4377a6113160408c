//! The pool: as many permits as workers, a claim per permit, a heartbeat per job, a drain at the end.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use rand::Rng as _;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument as _, Span, error, info, info_span, warn};

use super::job::{Env, JobError};
use super::presence::Presence;
use super::{compress, evaluate, hindsight, index};
use anchord_runtime::trace;
use anchord_session::compression::Status;
use anchord_store::StoreError;
use anchord_store::compressions::{Job, Kind};

/// How the pool works.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Jobs at the same time.
    pub workers: usize,
    /// Jobs of one tenant at the same time, over all processes.
    pub per_tenant: i32,
    /// How long a claim holds without a heartbeat. A dead worker is noticed by its presence long
    /// before; the lease is for one that hangs.
    pub lease: Duration,
    /// The fallback look for jobs when no notification came; jittered.
    pub tick: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { workers: 2, per_tenant: 8, lease: Duration::from_secs(30), tick: TICK }
    }
}

/// What comes due by time alone waits this long for its claim.
const TICK: Duration = Duration::from_millis(500);
/// Jobs of one claim.
const MOST_CLAIMED: usize = 16;
/// A job whose workers died this often is given up: it may be what kills them.
const MAX_CRASHES: i32 = 5;
/// How long work whose lease is lost may still say how it ended.
const SETTLE_WITHIN: Duration = Duration::from_secs(1);
/// A job that failed this often is given up.
const MAX_FAILURES: i32 = 4;

/// The pool of workers of one process.
pub struct Pool {
    env: Env,
    options: Options,
}

impl Pool {
    /// Builds a pool; nothing runs until [`Pool::run`].
    #[must_use]
    pub fn new(env: Env, options: Options) -> Self {
        Self { env, options }
    }

    /// Works until `stop`, then lets the running jobs end.
    pub async fn run(self, stop: CancellationToken) {
        let permits = Arc::new(Semaphore::new(self.options.workers));
        let jobs = TaskTracker::new();
        let Some(presence) = self.begin(&stop).await else { return };
        let (worker, freed) = (presence.worker, Notify::new());
        info!(worker, workers = self.options.workers, "worker.started");
        let rounds = async {
            while !stop.is_cancelled() {
                // A lost connection ends the round; the next one listens on another.
                if let Err(error) = self.round((worker, &freed), &stop, &permits, &jobs).await {
                    warn!(%error, "worker.round_failed");
                    self.pause(&stop).await;
                }
            }
            jobs.close();
            jobs.wait().await;
        };
        // Until the last job has ended: whose sign of life is gone is taken for dead, and its jobs are taken over.
        tokio::select! {
            () = presence.keep(&freed) => {},
            () = rounds => {},
        }
    }

    /// Holds the sign of life, as soon as the database lets it; `None` when it is over before.
    async fn begin(&self, stop: &CancellationToken) -> Option<Presence> {
        while !stop.is_cancelled() {
            match Presence::begin(&self.env.store).await {
                Ok(presence) => return Some(presence),
                Err(error) => {
                    warn!(%error, "worker.presence_not_held");
                    self.pause(stop).await;
                }
            }
        }
        None
    }

    async fn pause(&self, stop: &CancellationToken) {
        tokio::select! {
            () = tokio::time::sleep(self.jittered_tick()) => {},
            () = stop.cancelled() => {},
        }
    }

    async fn round(
        &self,
        (worker, freed): (i64, &Notify),
        stop: &CancellationToken,
        permits: &Arc<Semaphore>,
        jobs: &TaskTracker,
    ) -> Result<(), StoreError> {
        let mut listener = self.env.store.listen_for_jobs().await?;
        loop {
            let permit = tokio::select! {
                permit = Arc::clone(permits).acquire_owned() => permit,
                () = stop.cancelled() => return Ok(()),
            };
            let Ok(permit) = permit else { return Ok(()) };
            // As many as there are permits for, in one commit; each of them holds its own.
            let mut held = vec![permit];
            while held.len() < MOST_CLAIMED
                && let Ok(another) = Arc::clone(permits).try_acquire_owned()
            {
                held.push(another);
            }
            // Whatever was told of until now is found by this look; told one by one, each would cost a look of its own.
            while let Some(heard) = listener.recv().now_or_never() {
                heard?;
            }
            let claimed = self.claim(worker, held.len()).await?;
            let is_idle = claimed.is_empty();
            for (job, permit) in claimed.into_iter().zip(held) {
                let (env, lease) = (self.env.clone(), self.options.lease);
                jobs.spawn(async move {
                    run(&env, job, lease).await;
                    drop(permit);
                });
            }
            if !is_idle {
                continue;
            }
            tokio::select! {
                heard = listener.recv() => { heard?; },
                () = freed.notified() => {},
                () = tokio::time::sleep(self.jittered_tick()) => {},
                () = stop.cancelled() => return Ok(()),
            }
        }
    }

    /// Claims what is due for so many permits.
    async fn claim(&self, worker: i64, permits: usize) -> Result<Vec<Job>, StoreError> {
        let (lease, jobs) = (self.options.lease.as_secs_f64(), i32::try_from(permits).unwrap_or(i32::MAX));
        self.env.store.claim(worker, lease, self.options.per_tenant, jobs).await
    }

    /// Runs what is due until nothing is, on the caller's task; for tests and for one-shot drains.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn drain(&self) -> Result<usize, StoreError> {
        let presence = Presence::begin(&self.env.store).await?;
        let mut done = 0;
        loop {
            let claimed = self.claim(presence.worker, 1).await?;
            if claimed.is_empty() {
                return Ok(done);
            }
            for job in claimed {
                done += run(&self.env, job, self.options.lease).await;
            }
        }
    }

    /// Processes that start together must not look together.
    fn jittered_tick(&self) -> Duration {
        self.options.tick.mul_f64(rand::rng().random_range(0.8..1.2))
    }
}

/// Runs a job to its settlement, and then what was claimed with that; gives how many they were.
async fn run(env: &Env, job: Job, lease: Duration) -> usize {
    let key = (job.tenant, job.session);
    let is_evaluation = job.kind == Kind::Evaluate;
    let mut next = Some(job);
    let mut done = 0;
    while let Some(job) = next {
        // Boxed: what a job holds between its steps is large.
        next = Box::pin(run_one(env, job, lease)).await.map(|next| *next);
        done += 1;
    }
    if !is_evaluation {
        hindsight::look_back(&env.store, key).await;
    }
    done
}

/// Runs one job to its settlement, with a heartbeat beside it; gives what was claimed with that.
async fn run_one(env: &Env, job: Job, lease: Duration) -> Option<Box<Job>> {
    let kind = job.kind.as_str();
    let span = span_of(&job);
    if job.attempt == 1 {
        record_wait(&job);
    }
    let begun = Instant::now();
    // Boxed: what a job holds between its steps is large.
    let next = Box::pin(run_fenced(env, job, lease)).instrument(span).await;
    metrics::histogram!("anchord_job_run_seconds", "kind" => kind).record(begun.elapsed().as_secs_f64());
    next
}

/// The span of a job's work, in the trace that asked for it.
fn span_of(job: &Job) -> Span {
    let span = info_span!(
        "job",
        tenant.id = %job.tenant,
        compression.id = %job.id,
        compression.kind = job.kind.as_str(),
        compression.attempt = job.attempt
    );
    if let Some(parent) = &job.trace {
        trace::continue_from(&span, parent);
    }
    span
}

/// Tells the metrics how long a job has waited for its first attempt.
fn record_wait(job: &Job) {
    let waited = Duration::from_millis(u64::try_from(job.queued_ms).unwrap_or_default());
    metrics::histogram!("anchord_job_wait_seconds", "kind" => job.kind.as_str()).record(waited.as_secs_f64());
}

async fn run_fenced(env: &Env, job: Job, lease: Duration) -> Option<Box<Job>> {
    let lost = heartbeat(env, &job, lease);
    let outcome = run_until_lease_lost(work(env, &job, lease), lost).await.unwrap_or(Err(JobError::Fenced));
    if matches!(outcome, Err(JobError::Fenced)) {
        metrics::counter!("anchord_job_leases_lost_total").increment(1);
        warn!(compression.id = %job.id, compression.attempt = job.attempt, "worker.lease_lost");
        return None;
    }
    metrics::counter!("anchord_jobs_total", "kind" => job.kind.as_str(), "ended" => if outcome.is_ok() { "settled" } else { "broken" })
        .increment(1);
    match outcome {
        Ok(next) => next,
        Err(error) => {
            error!(compression.id = %job.id, compression.attempt = job.attempt, %error, "worker.job_failed");
            if let Err(error) = requeue_or_fail(env, &job, &error).await {
                // The lease ends by itself and another worker takes over.
                error!(compression.id = %job.id, %error, "worker.give_back_failed");
            }
            None
        }
    }
}

/// Works until the lease is lost; `None` when it was. The lease of a job is also gone when its own work has just ended
/// it and the database's answer is on its way, with what was claimed in the same commit.
async fn run_until_lease_lost<T>(work: impl Future<Output = T>, lost: impl Future<Output = ()>) -> Option<T> {
    let mut work = pin!(work);
    tokio::select! {
        outcome = &mut work => Some(outcome),
        () = lost => tokio::time::timeout(SETTLE_WITHIN, work).await.ok(),
    }
}

async fn work(env: &Env, job: &Job, lease: Duration) -> Result<Option<Box<Job>>, JobError> {
    if job.crashes >= MAX_CRASHES {
        fail(env, job, "crashed", "workers died over this job, again and again").await?;
        return Ok(None);
    }
    match job.kind {
        // Boxed: what it holds over its waits is far more than the others do.
        Kind::Compress => Box::pin(compress::run(env, job, lease)).await,
        Kind::Evaluate => evaluate::run(env, job).await.map(|()| None),
        Kind::Index => {
            let indexed = index::index(&env.store, (job.tenant, job.session), Some(job)).await?;
            if !indexed.is_some_and(|indexed| indexed.is_ended) {
                let more = indexed.is_some_and(|indexed| indexed.more);
                env.store.settle_index(job, Status::Succeeded, more).await?;
            }
            Ok(None)
        }
    }
}

/// Extends the lease until it is lost.
async fn heartbeat(env: &Env, job: &Job, lease: Duration) {
    loop {
        tokio::time::sleep(lease / 3).await;
        match env.store.heartbeat(job, lease.as_secs_f64()).await {
            Ok(true) => {}
            Ok(false) => return,
            // The database may be back before the lease ends; the fence guards what comes of it.
            Err(error) => warn!(compression.id = %job.id, %error, "worker.heartbeat_failed"),
        }
    }
}

/// Queues a broken job again with a growing delay, or fails it for good.
async fn requeue_or_fail(env: &Env, job: &Job, error: &JobError) -> Result<(), JobError> {
    let failures = job.attempt - job.crashes;
    if failures >= MAX_FAILURES {
        let detail = match error {
            JobError::Store(_) => "the database failed at every attempt",
            JobError::Broken(_) | JobError::Fenced => "the work broke at every attempt",
        };
        return fail(env, job, "attempts-used", detail).await;
    }
    let delay = f64::from(1 << failures.clamp(0, 6)) * rand::rng().random_range(0.5..1.0);
    env.store.requeue(job, delay).await?;
    Ok(())
}

/// Fails a job for good, with its reason.
async fn fail(env: &Env, job: &Job, kind: &str, detail: &str) -> Result<(), JobError> {
    match job.kind {
        Kind::Compress => compress::fail(env, job, kind, detail).await,
        Kind::Evaluate => evaluate::fail(env, job, kind, detail).await,
        Kind::Index => {
            env.store.settle_index(job, Status::Failed, false).await?;
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn work_that_ends_its_job_tells_so_although_the_lease_went_with_it() {
        let work = async {
            tokio::task::yield_now().await;
            7
        };
        assert_eq!(run_until_lease_lost(work, ready(())).await, Some(7));
    }

    #[tokio::test]
    async fn work_whose_lease_is_lost_is_left() {
        assert_eq!(run_until_lease_lost(pending::<u8>(), ready(())).await, None);
    }
}
