//! The event streams that a process has open: their number is limited, and they end when the process does.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::problem::ApiError;

/// The most open streams of a process.
const MAX_STREAMS: usize = 1_024;
/// What all event streams of a process share.
#[derive(Clone, Debug)]
pub struct Streams {
    /// Ends all streams, so that none delays a shutdown.
    stop: CancellationToken,
    permits: Arc<Semaphore>,
}

impl Streams {
    /// Streams that end when `stop` is cancelled.
    #[must_use]
    pub fn new(stop: CancellationToken) -> Self {
        Self { stop, permits: Arc::new(Semaphore::new(MAX_STREAMS)) }
    }

    /// Admits another stream while it holds the permit, or rejects it.
    pub(super) fn acquire(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let permit = Arc::clone(&self.permits).try_acquire_owned();
        permit.map_err(|_| ApiError::Unavailable(anyhow::anyhow!("{MAX_STREAMS} event streams are open")))
    }

    /// Is cancelled when all streams must end.
    pub(super) fn stop(&self) -> &CancellationToken {
        &self.stop
    }
}
