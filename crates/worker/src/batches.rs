//! Claims pieces of work from the database and does many of them at once, beside the jobs of the pool: deliveries of
//! webhooks, and batches of vectors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use rand::Rng as _;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::warn;

use anchord_store::StoreError;

/// How often to look for pieces that became due by time alone, with jitter.
const TICK: Duration = Duration::from_secs(1);

/// What claims and does the pieces.
pub(super) trait Claimer: Clone + Send + Sync + 'static {
    /// A claimed piece.
    type Piece: Send + Sync;
    /// The most pieces that a process does at once.
    const MOST: usize;
    /// The log's word for a claim that fails.
    const NOT_CLAIMED: &'static str;

    /// Claims at most so many due pieces.
    fn claim(&self, most: i32) -> impl Future<Output = Result<Vec<Self::Piece>, StoreError>> + Send;

    /// Does a piece to its end.
    fn work(&self, piece: &Self::Piece) -> impl Future<Output = ()> + Send;
}

/// Works until `stop`, then waits for the running pieces. `due` tells that a piece may have become due.
pub(super) async fn run<C: Claimer>(claimer: C, due: Arc<Notify>, stop: CancellationToken) {
    let permits = Arc::new(Semaphore::new(C::MOST));
    let running = TaskTracker::new();
    while !stop.is_cancelled() {
        let claim_started = Instant::now();
        let pieces = claim(&claimer, permits.available_permits()).await;
        // A claim takes longer the more waits; at most half of the time is spent on claims.
        let pause = claim_started.elapsed().min(TICK);
        for piece in pieces.inspect_err(|error| warn!(%error, "{}", C::NOT_CLAIMED)).unwrap_or_default() {
            // Only this loop takes permits, so there is one for each claimed piece.
            let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else { break };
            let (claimer, due) = (claimer.clone(), Arc::clone(&due));
            running.spawn(async move {
                claimer.work(&piece).await;
                drop(permit);
                // Another one may be claimed in its place.
                due.notify_one();
            });
        }
        tokio::select! {
            () = async {
                tokio::time::sleep(pause).await;
                due.notified().await;
            } => {}
            () = tokio::time::sleep(TICK.mul_f64(rand::rng().random_range(0.8..1.2))) => {}
            () = stop.cancelled() => {}
        }
    }
    running.close();
    running.wait().await;
}

/// Works until nothing is due, on the caller's task; for tests. Returns the number of pieces.
pub(super) async fn drain<C: Claimer>(claimer: &C) -> Result<usize, StoreError> {
    let mut done = 0;
    loop {
        let pieces = claim(claimer, C::MOST).await?;
        if pieces.is_empty() {
            return Ok(done);
        }
        done += pieces.len();
        join_all(pieces.iter().map(|piece| claimer.work(piece))).await;
    }
}

async fn claim<C: Claimer>(claimer: &C, free: usize) -> Result<Vec<C::Piece>, StoreError> {
    if free == 0 {
        return Ok(Vec::new());
    }
    claimer.claim(i32::try_from(free).unwrap_or(i32::MAX)).await
}
