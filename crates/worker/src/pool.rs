//! The worker pool: claims a job for each free permit, runs it with a heartbeat, and waits for running jobs at shutdown.
//!
//! One permit more than there are workers is for tenants that run no job: a tenant whose jobs are long, and as many as
//! there are workers, makes no other one wait.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use rand::Rng as _;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument as _, Span, error, info, info_span, warn};

use super::job::{Env, JobError, of_tenant};
use super::presence::Presence;
use super::{compress, evaluate, index};
use anchord_runtime::trace;
use anchord_session::compression::Status;
use anchord_store::StoreError;
use anchord_store::compressions::{Job, Kind};

/// The permits that are only for tenants that run no job.
const RESERVED: usize = 1;
/// The limit by which only tenants get a job that run none, whatever their quota is.
const NONE_RUNNING: i32 = 0;
/// The most concurrent jobs of one tenant, over all processes.
const PER_TENANT: i32 = 8;
/// How long a claim is valid without a heartbeat. A dead worker is noticed by its presence long before; the lease is for a
/// worker that hangs.
pub(super) const LEASE: Duration = Duration::from_secs(30);
/// How often to look for jobs when no notification arrives, with jitter: a job that becomes due by time alone waits no longer.
const TICK: Duration = Duration::from_millis(500);
/// The most jobs of one claim.
const MAX_CLAIMED: usize = 16;
/// A job fails for good when its workers died this often, because it may be the cause.
const MAX_CRASHES: i32 = 5;
/// The pause before a failed job is given back once more.
const GIVE_BACK_AGAIN: Duration = Duration::from_millis(500);
/// How long work may still settle after its lease is lost.
const SETTLE_WITHIN: Duration = Duration::from_secs(1);
/// A job fails for good after this many failures.
const MAX_FAILURES: i32 = 4;

/// The pool of workers of one process.
pub struct Pool {
    env: Env,
    workers: usize,
}

impl Pool {
    /// Creates a pool of at most so many concurrent jobs, and one more for a tenant that runs none; nothing runs until
    /// [`Pool::run`].
    pub fn new(env: Env, workers: usize) -> Self {
        Self { env, workers }
    }

    /// Works until `stop`, then waits for the running jobs.
    pub async fn run(self, stop: CancellationToken) {
        let permits = Arc::new(Semaphore::new(self.workers + RESERVED));
        let jobs = TaskTracker::new();
        let Some(presence) = self.begin(&stop).await else { return };
        let (worker, freed) = (presence.worker, Notify::new());
        info!(worker, workers = self.workers, "worker.started");
        let rounds = async {
            while !stop.is_cancelled() {
                // A lost connection ends the round; the next round listens on a new one.
                if let Err(error) =
                    self.claim_until_disconnected((worker, &freed), &stop, &permits, &jobs).await
                {
                    warn!(%error, "worker.round_failed");
                    self.pause(&stop).await;
                }
            }
            jobs.close();
            jobs.wait().await;
        };
        // Keep the presence until the last job has ended. Otherwise other workers would take the jobs over.
        tokio::select! {
            () = presence.keep(&freed) => {},
            () = rounds => {},
        }
    }

    /// Takes the presence lock as soon as the database answers; `None` when `stop` comes first.
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
            () = tokio::time::sleep(jittered_tick()) => {},
            () = stop.cancelled() => {},
        }
    }

    async fn claim_until_disconnected(
        &self,
        (worker, freed): (i64, &Notify),
        stop: &CancellationToken,
        permits: &Arc<Semaphore>,
        jobs: &TaskTracker,
    ) -> Result<(), StoreError> {
        let mut listener = self.env.store.listen_for_jobs().await?;
        // A job has ended. It matters while jobs are due that may not have the last permit.
        let ended = Arc::new(Notify::new());
        loop {
            let permit = tokio::select! {
                permit = Arc::clone(permits).acquire_owned() => permit,
                () = stop.cancelled() => return Ok(()),
            };
            let Ok(permit) = permit else { return Ok(()) };
            // Claim a job for each free permit in one commit.
            let mut taken = vec![permit];
            while taken.len() < MAX_CLAIMED
                && let Ok(another) = Arc::clone(permits).try_acquire_owned()
            {
                taken.push(another);
            }
            // The last permit is for others than those that have the rest.
            let is_last = taken.len() == RESERVED && permits.available_permits() == 0;
            if !is_last && permits.available_permits() == 0 {
                taken.truncate(taken.len() - RESERVED);
            }
            // This claim finds all jobs that were announced so far, so discard their notifications.
            while let Some(notification) = listener.next().now_or_never() {
                notification?;
            }
            let per_tenant = if is_last { NONE_RUNNING } else { PER_TENANT };
            let claimed = self.claim(worker, taken.len(), per_tenant).await?;
            let is_idle = claimed.is_empty();
            for (job, permit) in claimed.into_iter().zip(taken) {
                let (env, ended) = (self.env.clone(), Arc::clone(&ended));
                jobs.spawn(async move {
                    run(&env, job).await;
                    drop(permit);
                    ended.notify_one();
                });
            }
            if !is_idle {
                continue;
            }
            tokio::select! {
                notification = listener.next() => { notification?; },
                () = freed.notified() => {},
                () = ended.notified(), if is_last => {},
                () = tokio::time::sleep(jittered_tick()) => {},
                () = stop.cancelled() => return Ok(()),
            }
        }
    }

    /// Claims at most as many due jobs as there are permits, of tenants that run fewer than `per_tenant`.
    async fn claim(&self, worker: i64, permits: usize, per_tenant: i32) -> Result<Vec<Job>, StoreError> {
        let jobs = i32::try_from(permits).unwrap_or(i32::MAX);
        self.env.store.claim(worker, LEASE.as_secs_f64(), per_tenant, jobs).await
    }

    /// Runs jobs until none is due, on the caller's task; for tests.
    pub async fn drain(&self) -> Result<usize, StoreError> {
        let presence = Presence::begin(&self.env.store).await?;
        let mut done = 0;
        loop {
            let claimed = self.claim(presence.worker, 1, PER_TENANT).await?;
            if claimed.is_empty() {
                return Ok(done);
            }
            for job in claimed {
                done += run(&self.env, job).await;
            }
        }
    }
}

/// The tick with jitter, so that processes that started together do not query together.
fn jittered_tick() -> Duration {
    TICK.mul_f64(rand::rng().random_range(0.8..1.2))
}

/// Runs a job to its settlement, and then each job that the settlement before it claimed in its commit; returns their
/// number.
async fn run(env: &Env, job: Job) -> usize {
    let mut next = Some(job);
    let mut done = 0;
    while let Some(job) = next {
        // Boxed, because the future of a job is large.
        next = Box::pin(run_one(env, job)).await.map(|next| *next);
        done += 1;
    }
    done
}

/// Runs one job to its settlement, with a heartbeat; returns the job that was claimed with it.
async fn run_one(env: &Env, job: Job) -> Option<Box<Job>> {
    let kind: &str = job.kind.into();
    let span = span_of(&job);
    if job.attempt == 1 {
        record_wait(&job);
    }
    let begun = Instant::now();
    // Boxed, because the future of a job is large.
    let next = Box::pin(run_fenced(env, job)).instrument(span).await;
    metrics::histogram!("anchord_job_run_seconds", "kind" => kind).record(begun.elapsed().as_secs_f64());
    next
}

/// The tracing span of a job, within the trace of the request that enqueued it.
fn span_of(job: &Job) -> Span {
    let span = info_span!(
        "job",
        tenant.id = %job.tenant,
        compression.id = %job.id,
        compression.kind = job.kind.as_ref(),
        compression.attempt = job.attempt
    );
    if let Some(parent) = &job.trace {
        trace::continue_from(&span, parent);
    }
    span
}

/// Records how long a job waited for its first attempt.
fn record_wait(job: &Job) {
    let waited = Duration::from_millis(u64::try_from(job.queued_ms).unwrap_or_default());
    metrics::histogram!("anchord_job_wait_seconds", "kind" => <&str>::from(job.kind))
        .record(waited.as_secs_f64());
}

async fn run_fenced(env: &Env, job: Job) -> Option<Box<Job>> {
    let lost = heartbeat(env, &job);
    let work = of_tenant(job.tenant, work(env, &job));
    let outcome = Box::pin(run_until_lease_lost(work, lost)).await.unwrap_or(Err(JobError::Fenced));
    if matches!(outcome, Err(JobError::Fenced)) {
        metrics::counter!("anchord_job_leases_lost_total").increment(1);
        warn!(compression.id = %job.id, compression.attempt = job.attempt, "worker.lease_lost");
        return None;
    }
    metrics::counter!("anchord_jobs_total", "kind" => <&str>::from(job.kind), "ended" => if outcome.is_ok() { "settled" } else { "broken" })
        .increment(1);
    match outcome {
        Ok(next) => next,
        Err(error) => {
            error!(compression.id = %job.id, compression.attempt = job.attempt, %error, "worker.job_failed");
            give_back(env, &job, &error).await;
            None
        }
    }
}

/// Runs the work; `None` when the lease is lost and the work does not end shortly after. It gets that time because a lease
/// also counts as lost when the work has just settled the job and the database's answer is still on its way.
async fn run_until_lease_lost<T>(work: impl Future<Output = T>, lost: impl Future<Output = ()>) -> Option<T> {
    let mut work = pin!(work);
    tokio::select! {
        outcome = &mut work => Some(outcome),
        () = lost => tokio::time::timeout(SETTLE_WITHIN, work).await.ok(),
    }
}

async fn work(env: &Env, job: &Job) -> Result<Option<Box<Job>>, JobError> {
    if job.crashes >= MAX_CRASHES {
        fail(env, job, "crashed", "workers died over this job, again and again").await?;
        return Ok(None);
    }
    match job.kind {
        // Boxed, because this future is far larger than the others.
        Kind::Compress => Box::pin(compress::run(env, job)).await,
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

/// Extends the lease until it is lost; then returns.
async fn heartbeat(env: &Env, job: &Job) {
    loop {
        tokio::time::sleep(LEASE / 3).await;
        match env.store.heartbeat(job, LEASE.as_secs_f64()).await {
            Ok(true) => {}
            Ok(false) => return,
            // The database may answer again before the lease ends; the fence rejects late writes.
            Err(error) => warn!(compression.id = %job.id, %error, "worker.heartbeat_failed"),
        }
    }
}

/// Gives a failed job back, again and again while the database does not answer. When the lease ends, another worker takes the job
/// over.
async fn give_back(env: &Env, job: &Job, why: &JobError) {
    let given = async {
        while let Err(error) = requeue_or_fail(env, job, why).await {
            // It was given back, and somebody has it already.
            if matches!(error, JobError::Fenced) {
                return;
            }
            warn!(compression.id = %job.id, %error, "worker.give_back_failed");
            tokio::time::sleep(GIVE_BACK_AGAIN).await;
        }
    };
    if tokio::time::timeout(LEASE, given).await.is_err() {
        error!(compression.id = %job.id, "worker.job_left_to_its_lease");
    }
}

/// Queues a failed job again with a growing delay, or fails it for good.
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

/// Fails a job for good and records the reason.
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
    async fn work_that_settles_its_job_returns_although_the_lease_ended_with_it() {
        let work = async {
            tokio::task::yield_now().await;
            7
        };
        assert_eq!(run_until_lease_lost(work, ready(())).await, Some(7));
    }

    #[tokio::test]
    async fn work_whose_lease_is_lost_is_dropped() {
        assert_eq!(run_until_lease_lost(pending::<u8>(), ready(())).await, None);
    }
}
