//! Connections that reads of one statement keep for themselves, and the queue's statements that are their own
//! transactions.
//!
//! The driver asks a connection whether it is alive when it goes back to the pool, which is a second
//! round trip after a read that is one. What is kept here goes from read to read instead.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgPool, Postgres};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::bulkhead::Share;
use super::error::{StoreError, is_lost};

/// How long a caller waits for a connection before it is told to come back.
pub(super) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// The kept connections; at most half of those that there are for it, so that everything else finds some.
#[derive(Clone, Debug)]
pub(super) struct Readers {
    turns: Arc<Semaphore>,
    kept: Arc<Mutex<Vec<PoolConnection<Postgres>>>>,
}

/// A connection for one read. Dropped, it goes back to the pool, which looks at its state.
#[derive(Debug)]
pub(super) struct Reading {
    connection: PoolConnection<Postgres>,
    /// It was kept, so that it may have died since.
    was_kept: bool,
    readers: Readers,
    _turn: OwnedSemaphorePermit,
    _share: Share,
}

impl Readers {
    pub(super) fn new(connections: u32) -> Self {
        let most = usize::try_from(connections / 2).unwrap_or_default().max(1);
        Self { turns: Arc::new(Semaphore::new(most)), kept: Arc::default() }
    }

    /// Waits for a connection, first come, first served, for who has a place in its tenant's share.
    pub(super) async fn acquire(&self, pool: &PgPool, share: Share) -> Result<Reading, StoreError> {
        let turn = tokio::time::timeout(ACQUIRE_TIMEOUT, Arc::clone(&self.turns).acquire_owned()).await;
        let turn = turn.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|_| sqlx::Error::PoolClosed)?;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let was_kept = kept.is_some();
        let connection = match kept {
            Some(connection) => connection,
            None => pool.acquire().await?,
        };
        Ok(Reading { connection, was_kept, readers: self.clone(), _turn: turn, _share: share })
    }

    /// Connections that are kept and read nothing now.
    pub(super) fn idle(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Gives everything back to the pool, which cannot close before.
    pub(super) fn close(&self) {
        self.turns.close();
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Reading {
    /// The connection to read on.
    pub(super) fn connection(&mut self) -> &mut PgConnection {
        &mut self.connection
    }

    /// Ends the read: keeps the connection for the next one when it went well; `None` when it is to be
    /// tried again.
    pub(super) fn settle<T>(self, read: Result<T, impl Into<StoreError>>) -> Result<Option<T>, StoreError> {
        match read.map_err(Into::into) {
            Ok(found) => {
                self.keep();
                Ok(Some(found))
            }
            // The server may have restarted since; a connection that is new is not tried again.
            Err(StoreError::Database(error)) if self.was_kept && is_lost(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Ends what may have changed something, and so is not tried again whatever happened to it.
    pub(super) fn end<T>(self, outcome: Result<T, sqlx::Error>) -> Result<T, StoreError> {
        let done = outcome?;
        self.keep();
        Ok(done)
    }

    /// Keeps the connection for the next read, after one that was read to its end.
    fn keep(self) {
        // The turn ends last, so that whoever gets it finds the connection.
        let Self { connection, readers, _turn, .. } = self;
        let mut kept = readers.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !readers.turns.is_closed() {
            kept.push(connection);
        }
    }
}
