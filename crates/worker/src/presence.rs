//! The presence of a worker: an advisory lock on a dedicated connection. The database releases it as soon as the process
//! dies, so that other workers take its jobs over within a second, long before a lease ends.
//!
//! The connection may also be lost while the worker lives: its backend is terminated, or a proxy drops an idle
//! connection. So it is used several times a second and replaced when it does not answer. A worker without its lock
//! counts as alive while it reports itself on a new connection.

use std::time::Duration;

use rand::Rng as _;
use tokio::sync::Notify;
use tracing::{info, warn};

use anchord_store::presence::PresenceLock;
use anchord_store::{Store, StoreError};

/// The pause between two checks, with jitter.
const CHECK_EVERY: Duration = Duration::from_millis(120);
/// How long the connection may take to answer or to connect before another one is tried.
const ANSWER_WITHIN: Duration = Duration::from_millis(400);
/// The pause before the next try to connect.
const RETRY_AFTER: Duration = Duration::from_millis(150);

/// The presence lock of a worker.
pub(super) struct Presence {
    /// The number under which the worker claims jobs.
    pub(super) worker: i64,
    store: Store,
    /// `None` while the lock is lost.
    held: Option<PresenceLock>,
}

impl Presence {
    /// Chooses a number and takes its lock.
    pub(super) async fn begin(store: &Store) -> Result<Self, StoreError> {
        let worker = i64::from(rand::rng().random_range(1..i32::MAX));
        let held = Some(store.hold_presence(worker).await?);
        Ok(Self { worker, store: store.clone(), held })
    }

    /// Runs until it is dropped: takes the lock again when it is lost, and makes the jobs of dead workers due. `freed` is
    /// notified of such jobs.
    pub(super) async fn keep(mut self, freed: &Notify) {
        loop {
            let pause = CHECK_EVERY.mul_f64(rand::rng().random_range(0.8..1.2));
            tokio::time::sleep(pause).await;
            match tokio::time::timeout(ANSWER_WITHIN, self.check()).await {
                Ok(Ok(0)) => {}
                Ok(Ok(_)) => freed.notify_one(),
                Ok(Err(error)) => self.lose(&error),
                Err(_) => self.lose(&"no answer in time"),
            }
            if self.held.is_none() {
                self.hold_again().await;
            }
        }
    }

    /// Checks all workers; returns the number of jobs that became due.
    async fn check(&mut self) -> Result<i64, StoreError> {
        match &mut self.held {
            Some(held) => held.look_after_workers().await,
            None => Ok(0),
        }
    }

    fn lose(&mut self, why: &dyn std::fmt::Display) {
        metrics::counter!("anchord_worker_presence_lost_total").increment(1);
        warn!(worker = self.worker, error = %why, "worker.presence_lost");
        self.held = None;
    }

    /// Tries once to take the lock again; the next check tries again.
    async fn hold_again(&mut self) {
        match tokio::time::timeout(ANSWER_WITHIN, self.store.hold_presence(self.worker)).await {
            Ok(Ok(held)) => {
                info!(worker = self.worker, "worker.presence_held_again");
                self.held = Some(held);
            }
            Ok(Err(error)) => {
                warn!(worker = self.worker, %error, "worker.presence_not_held");
                tokio::time::sleep(RETRY_AFTER).await;
            }
            Err(_) => {
                warn!(worker = self.worker, "worker.presence_not_held");
                tokio::time::sleep(RETRY_AFTER).await;
            }
        }
    }
}
