//! What every job uses, how a job fails, and how it runs long work.

use super::record_cache::RecordCache;
use anchord_messages::tokens::TokenCounter;
use anchord_runtime::background;
use anchord_runtime::clock::Clock;
use anchord_store::Store;

/// What every job has at hand.
#[derive(Clone, Debug)]
pub struct Env {
    /// The way to the database.
    pub store: Store,
    /// Counts tokens.
    pub tokens: TokenCounter,
    /// Tells the time.
    pub clock: Clock,
    /// The way to the model, when one is configured.
    pub llm: Option<anchord_llm::Client>,
    /// The records that were published last.
    pub record_cache: RecordCache,
}

/// Why a job did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The store failed; the job is tried again.
    #[error(transparent)]
    Store(#[from] anchord_store::StoreError),
    /// The work itself broke; the same input would break it again, so tries are few.
    #[error("the work broke: {0}")]
    Broken(String),
    /// The lease is lost: everything that would follow is another worker's.
    #[error("the lease is lost")]
    Fenced,
}

/// Runs what keeps a processor busy on a thread of its own.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JobError> {
    background::throttled(background::spawn(work)).await.map_err(|error| JobError::Broken(error.to_string()))
}

pub(super) fn elapsed(since: std::time::Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
