//! What every job uses, how a job fails, and how it runs long work.

use super::record_cache::RecordCache;
use anchord_messages::tokens::TokenCounter;
use anchord_runtime::background;
use anchord_runtime::clock::Clock;
use anchord_store::Store;

/// What every job uses.
#[derive(Clone, Debug)]
pub struct Env {
    /// The database.
    pub store: Store,
    /// The token counter.
    pub tokens: TokenCounter,
    /// The clock.
    pub clock: Clock,
    /// The client of the model server, when one is configured.
    pub llm: Option<anchord_llm::Client>,
    /// The records of the versions that this process published last.
    pub record_cache: RecordCache,
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

/// Runs work that keeps a processor busy on a background thread.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JobError> {
    background::throttled(background::spawn(work)).await.map_err(|error| JobError::Broken(error.to_string()))
}

/// Milliseconds since `since`.
pub(super) fn elapsed(since: std::time::Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
