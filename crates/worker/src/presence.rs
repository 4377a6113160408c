//! A worker's sign of life: an advisory lock on a connection of its own. The database lets go of it
//! the moment the process dies, so that others take over within a second, long before a lease ends.
//!
//! The connection itself may be lost while the worker goes on: its backend is ended, or something in between forgets
//! a connection that rests. So it is used several times a second, made again when it does not answer, and a worker
//! whose lock is gone is believed while it says that it lives.

use std::time::Duration;

use rand::Rng as _;
use tokio::sync::Notify;
use tracing::{info, warn};

use anchord_store::presence::Held;
use anchord_store::{Store, StoreError};

/// The pause between two looks; jittered.
const LOOK_EVERY: Duration = Duration::from_millis(120);
/// How long the connection has for an answer, and for being made again, before another one is tried.
const ANSWER_WITHIN: Duration = Duration::from_millis(400);
/// How long a server that cannot be reached is left alone.
const TRY_AGAIN: Duration = Duration::from_millis(150);

/// A worker's held lock.
pub(super) struct Presence {
    /// The number that the worker claims under.
    pub(super) worker: i64,
    store: Store,
    /// `None` while the lock is lost.
    held: Option<Held>,
}

impl Presence {
    /// Takes a number and holds its lock.
    pub(super) async fn begin(store: &Store) -> Result<Self, StoreError> {
        let worker = i64::from(rand::rng().random_range(1..i32::MAX));
        let held = Some(store.hold_presence(worker).await?);
        Ok(Self { worker, store: store.clone(), held })
    }

    /// Looks after all workers until it is dropped: this one's lock is held again when it was lost, and the jobs of
    /// those that are gone are due. `freed` hears of such jobs.
    pub(super) async fn keep(mut self, freed: &Notify) {
        loop {
            let pause = LOOK_EVERY.mul_f64(rand::rng().random_range(0.8..1.2));
            tokio::time::sleep(pause).await;
            match tokio::time::timeout(ANSWER_WITHIN, self.look()).await {
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

    async fn look(&mut self) -> Result<i32, StoreError> {
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

    /// One try; the next look is another.
    async fn hold_again(&mut self) {
        match tokio::time::timeout(ANSWER_WITHIN, self.store.hold_presence(self.worker)).await {
            Ok(Ok(held)) => {
                info!(worker = self.worker, "worker.presence_held_again");
                self.held = Some(held);
            }
            Ok(Err(error)) => {
                warn!(worker = self.worker, %error, "worker.presence_not_held");
                tokio::time::sleep(TRY_AGAIN).await;
            }
            Err(_) => {
                warn!(worker = self.worker, "worker.presence_not_held");
                tokio::time::sleep(TRY_AGAIN).await;
            }
        }
    }
}
