//! Connections that are kept for short reads, and for claims, which commit by themselves.
//!
//! When a connection returns to the pool, the driver checks whether it is alive, which is one more round trip. A kept connection goes from read to read instead, unless it has carried a large text: the pool gives back
//! the space of that.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::bulkhead::Share;
use super::connection::Pool;
use super::error::is_lost;
use crate::prelude::*;

/// How long a caller waits for a connection before it is rejected.
pub(super) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// From this many bytes on, a text is large.
const LARGE_BYTES: usize = 256 * 1024;

/// The kept connections; at most half of the available ones, so that other work always finds some.
#[derive(Clone, Debug)]
pub(crate) struct Readers {
    turns: Arc<Semaphore>,
    kept: Arc<Mutex<Vec<PgConnection>>>,
}

/// A connection for one read. When it is dropped, it returns to the pool, which checks it.
#[derive(Debug)]
pub(crate) struct Reading {
    connection: PgConnection,
    /// Whether it was kept, and so may have been lost since.
    was_kept: bool,
    is_large: bool,
    readers: Readers,
    _turn: OwnedSemaphorePermit,
    _share: Share,
}

impl Readers {
    pub(super) fn new(connections: u32) -> Self {
        let most = usize::try_from(connections / 2).unwrap_or_default().max(1);
        Self { turns: Arc::new(Semaphore::new(most)), kept: Arc::default() }
    }

    /// Waits for a connection, first come, first served; `share` is the caller's place among its tenant's
    /// connections.
    pub(super) async fn acquire(&self, pool: &Pool, share: Share) -> Result<Reading> {
        let turn = tokio::time::timeout(ACQUIRE_TIMEOUT, Arc::clone(&self.turns).acquire_owned()).await;
        let turn = turn.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|_| sqlx::Error::PoolClosed)?;
        let kept = self.take();
        let was_kept = kept.is_some();
        let connection = match kept {
            Some(connection) => connection,
            None => pool.acquire().await?,
        };
        Ok(Reading {
            connection,
            was_kept,
            is_large: false,
            readers: self.clone(),
            _turn: turn,
            _share: share,
        })
    }

    /// Takes a kept connection that may be used again; drops the others that it finds.
    fn take(&self) -> Option<PgConnection> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(connection) = kept.pop() {
            if connection.is_usable() {
                return Some(connection);
            }
        }
        None
    }

    /// How many kept connections are idle.
    pub(super) fn idle(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns all connections to the pool, which cannot close before.
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

    /// Notes the sizes of what was read or written, each a text that the driver holds as a whole.
    pub(super) fn carried(&mut self, sizes: impl IntoIterator<Item = usize>) {
        self.is_large |= sizes.into_iter().any(|bytes| bytes >= LARGE_BYTES);
    }

    /// Ends the read, and keeps the connection when the read succeeded. `None` when the read must be tried again,
    /// because the kept connection was lost.
    pub(super) fn finish<T>(self, read: Result<T, impl Into<StoreError>>) -> Result<Option<T>> {
        match read.map_err(Into::into) {
            Ok(found) => {
                self.keep();
                Ok(Some(found))
            }
            // The server may have restarted since. A read on a new connection is not tried again.
            Err(StoreError::Database(error)) if self.was_kept && is_lost(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Ends a statement that may have changed something, which is never tried again.
    pub(super) fn end<T>(self, outcome: Result<T, sqlx::Error>) -> Result<T> {
        let done = outcome?;
        self.keep();
        Ok(done)
    }

    /// Keeps the connection for the next read. The result must have been read to its end.
    fn keep(self) {
        // Release the turn last, so that the next in line finds the connection.
        let Self { connection, readers, _turn, is_large, .. } = self;
        let mut kept = readers.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_large && !readers.turns.is_closed() && connection.is_usable() {
            kept.push(connection);
        }
    }
}
