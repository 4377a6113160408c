//! The worker pool: permit → claim → run → settle.
//!
//! What lives here: the pool with its lease, presence and drain, and one file per kind of job; beside it the
//! courier, who delivers to webhooks.
//! Invariant: no transaction is open while a job works, and everything that a job writes carries
//! the fence of its claim, so that a late worker changes nothing.
//! Must not know: HTTP. The two meet in `store::compressions`, where one enqueues and the other claims.

pub mod alone;
mod compress;
pub mod courier;
mod desk;
mod engine;
mod evaluate;
mod exam;
mod examine;
mod exchange;
mod hindsight;
pub mod index;
mod make;
mod narrate;
mod notebook;
pub mod outbound;
mod pool;
mod presence;
mod records;
mod reread;
mod shadow;
pub mod upkeep;

pub use pool::{Options, Pool};
pub use records::Records;

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
    pub records: Records,
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
    Lost,
}

/// Runs what keeps a processor busy on a thread of its own.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, JobError> {
    background::throttled(background::spawn(work)).await.map_err(|error| JobError::Broken(error.to_string()))
}

fn elapsed(since: std::time::Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
