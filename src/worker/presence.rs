//! A worker's sign of life: an advisory lock on a connection of its own. The database lets go of it
//! the moment the process dies, so that others take over within a second, long before a lease ends.

use rand::Rng as _;
use sqlx::postgres::PgListener;

use crate::store::{Store, StoreError};

/// The held lock and the ear for new jobs.
pub(super) struct Presence {
    /// The number that the worker claims under.
    pub(super) worker: i64,
    /// Hears of new jobs; listens before the first look.
    pub(super) listener: PgListener,
    _lock: crate::store::presence::Held,
}

impl Presence {
    /// Takes a number, holds its lock and begins to listen.
    pub(super) async fn begin(store: &Store) -> Result<Self, StoreError> {
        let worker = i64::from(rand::rng().random_range(1..i32::MAX));
        let lock = store.hold_presence(worker).await?;
        let listener = store.listen_for_jobs().await?;
        Ok(Self { worker, listener, _lock: lock })
    }
}
