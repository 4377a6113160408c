//! What every job uses, how a job fails, and how it runs long work.

use anchord_messages::id::TenantId;
use anchord_runtime::clock::Clock;
use anchord_runtime::{background, fair};
use anchord_store::Store;

/// The environment of every job.
#[derive(Clone, Debug)]
pub struct Env {
    /// The database.
    pub store: Store,
    /// The clock.
    pub clock: Clock,
    /// The client of the model server, when one is configured.
    pub llm: Option<anchord_llm::Client>,
}

/// Why a job did not finish.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The store failed; the job is tried again.
    #[error(transparent)]
    Store(#[from] anchord_store::StoreError),
    /// The work itself failed. The same input would probably fail again, so the job is retried only a few times.
    #[error("the work broke: {0}")]
    Broken(String),
    /// The lease is lost, so the fence rejects every further write of this attempt.
    #[error("the lease is lost")]
    Fenced,
}

tokio::task_local! {
    /// The tenant of the job that this task runs.
    static TENANT: u128;
}

/// Runs a job, whose work takes turns with that of other tenants.
pub(super) async fn of_tenant<T>(tenant: TenantId, job: impl Future<Output = T>) -> T {
    TENANT.scope(tenant.0.as_u128(), job).await
}

/// Runs work that keeps a processor busy on a background thread, in the turn of the job's tenant.
pub(super) fn in_turn<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, JobError>> {
    // Without a service there is no other tenant.
    let tenant = TENANT.try_with(|tenant| *tenant).unwrap_or_default();
    // Boxed, because it holds the work until its turn comes.
    let running = Box::pin(fair::jobs().run(tenant, work));
    async { background::throttled(running).await.map_err(|error| JobError::Broken(error.to_string())) }
}

/// Milliseconds since `since`.
pub(super) fn elapsed(since: std::time::Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
