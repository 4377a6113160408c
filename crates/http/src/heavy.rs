//! Work of requests that keeps a processor busy: it runs on the background threads, in its tenant's turn.
//!
//! Work that nobody waits for any longer, because the client is gone or has had a timeout as its reply, does not begin;
//! work that runs is told, and ends where it can.

use tokio_util::sync::CancellationToken;

use super::auth::Caller;
use super::problem::ApiError;
use anchord_runtime::fair::{self, MOST_WAITING, NoTurn};

impl Caller {
    /// Runs work in the tenant's turn; it may look whether it is cancelled.
    pub(super) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce(&CancellationToken) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let abandoned = self.scope.abandoned().clone();
        let piece = abandoned.clone();
        let running = fair::requests().run(self.tenant.0.as_u128(), move || work(&piece));
        tokio::select! {
            done = running => done.map_err(|none| match none {
                NoTurn::Busy => ApiError::WorkInProgress { limit: MOST_WAITING },
                NoTurn::Broken(error) => ApiError::internal(error),
            })?,
            () = abandoned.cancelled() => Err(ApiError::Timeout),
        }
    }
}

/// Ends work that nobody waits for.
pub(super) fn go_on(abandoned: &CancellationToken) -> Result<(), ApiError> {
    if abandoned.is_cancelled() { Err(ApiError::Timeout) } else { Ok(()) }
}
