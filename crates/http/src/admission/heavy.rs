//! Work of requests that keeps a processor busy: it runs on the background threads, in its tenant's turn.
//!
//! Work that nobody waits for any longer, because the client is gone or has had a timeout as its reply, does not begin;
//! work that runs is cancelled, and ends where it can.

use std::time::Instant;

use tokio_util::sync::CancellationToken;

use crate::extract::auth::Caller;
use crate::problem::{ApiError, Result};
use anchord_messages::id::TenantId;
use anchord_runtime::fair::{self, MOST_WAITING, NoTurn};

impl Caller {
    /// Runs work in the tenant's turn; it may look whether it is cancelled.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce(&CancellationToken) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let piece = self.scope.abandoned().clone();
        self.while_awaited(in_turn(self.tenant, move || work(&piece))).await??
    }

    /// Waits for work, and drops it when nobody waits for its result any longer.
    pub(crate) async fn while_awaited<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        tokio::select! {
            // In a box, because callers' futures would hold it twice.
            done = Box::pin(work) => Ok(done),
            () = self.scope.abandoned().cancelled() => Err(ApiError::Timeout),
        }
    }
}

/// Runs work in a tenant's turn, also when nobody waits.
///
/// # Errors
/// When the tenant has too much work in progress.
pub async fn in_turn<T: Send + 'static>(
    tenant: TenantId,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    fair::requests().run(tenant.0.as_u128(), work).await.map_err(no_turn)
}

/// Runs divided work: large work in its tenant's turn, whose steps should end at the time that they are given; small work
/// here.
pub(crate) async fn in_steps<T: Send + 'static>(
    tenant: TenantId,
    is_large: bool,
    mut step: impl FnMut(Instant) -> Result<Option<T>> + Send + 'static,
) -> Result<T> {
    let mut step = move || step(Instant::now() + fair::STEP).transpose();
    if is_large {
        return fair::requests().run_in_steps(tenant.0.as_u128(), step).await.map_err(no_turn)?;
    }
    loop {
        if let Some(done) = step() {
            return done;
        }
    }
}

/// The problem of work that got no turn.
pub(crate) fn no_turn(none: NoTurn) -> ApiError {
    match none {
        NoTurn::Busy => ApiError::WorkInProgress { limit: MOST_WAITING },
        NoTurn::Broken(error) => ApiError::internal(error),
    }
}

/// Ends work that nobody waits for.
pub(crate) fn go_on(abandoned: &CancellationToken) -> Result<()> {
    if abandoned.is_cancelled() { Err(ApiError::Timeout) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn work_that_nobody_waits_for_does_not_begin_and_work_that_runs_is_told() {
        let (first, second) = (Caller::of_test(71), Caller::of_test(71));
        let begun = Arc::new(AtomicUsize::new(0));
        let ((signal, runs), (told, ended)) = (tokio::sync::oneshot::channel(), mpsc::channel());
        // A tenant may have several turns on a large machine; each piece that runs takes one.
        let turns = std::thread::available_parallelism().map_or(1, |count| (count.get() / 2).max(1));
        let (go, gate) = mpsc::channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(gate));
        let others: Vec<Caller> = (1..turns).map(|_| Caller::of_test(71)).collect();
        let mut held: Vec<_> = others
            .iter()
            .map(|other| {
                let gate = Arc::clone(&gate);
                Box::pin(other.compute(move |_| {
                    let _ = gate.lock().map(|gate| gate.recv());
                    Ok(())
                }))
            })
            .collect();
        for held in &mut held {
            assert!(futures::FutureExt::now_or_never(held.as_mut()).is_none());
        }
        let mut running = Box::pin(first.compute(move |abandoned| {
            signal.send(()).unwrap();
            while !abandoned.is_cancelled() {
                std::thread::yield_now();
            }
            told.send(()).unwrap();
            go_on(abandoned)
        }));
        assert!(futures::FutureExt::now_or_never(running.as_mut()).is_none());
        runs.await.unwrap();
        let counted = Arc::clone(&begun);
        let mut waiting = Box::pin(second.compute(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }));
        assert!(futures::FutureExt::now_or_never(waiting.as_mut()).is_none());
        second.scope.abandoned().cancel();
        assert!(matches!(waiting.await, Err(ApiError::Timeout)));
        first.scope.abandoned().cancel();
        assert!(matches!(running.await, Err(ApiError::Timeout)));
        ended.recv_timeout(std::time::Duration::from_secs(5)).expect("it ends by itself");
        drop(go);
        assert!(Caller::of_test(71).compute(|_| Ok(())).await.is_ok());
        assert_eq!(begun.load(Ordering::SeqCst), 0);
    }
}
