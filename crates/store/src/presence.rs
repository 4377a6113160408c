//! The presence of workers, on a connection of its own.

use sqlx::{Connection as _, PgConnection};

use super::error::is_timed_out;
use crate::prelude::*;

/// The class of the advisory locks that live workers hold; `look_after_workers` checks it.
const WORKER_CLASS: i32 = 1_633_772_132;
/// How long a worker must be silent before its jobs are taken over, in seconds. A live worker reports itself several
/// times within it (`worker::presence`), and a takeover still takes less than a second.
const PATIENCE_SECONDS: f64 = 0.6;

/// A held presence lock; the database releases it when the connection ends for any reason.
#[derive(Debug)]
pub struct PresenceLock {
    connection: PgConnection,
    worker: i64,
}

impl Store {
    /// Takes the presence lock of a worker. The lock is shared, so that an old connection of the same worker, whose
    /// loss the database has not noticed, does not block it.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn hold_presence(&self, worker: i64) -> Result<PresenceLock> {
        // A check that times out is repeated on the same connection, because the lock belongs to it.
        let options = self.primary.options().options([("statement_timeout", "300ms")]);
        let mut connection = PgConnection::connect_with(&options).await?;
        let number = i32::try_from(worker).unwrap_or(i32::MAX);
        sqlx::query_scalar!(
            r#"select pg_advisory_lock_shared($1, $2) is null as "held!""#,
            WORKER_CLASS,
            number
        )
        .fetch_one(&mut connection)
        .await?;
        Ok(PresenceLock { connection, worker })
    }
}

impl PresenceLock {
    /// Reports that the worker lives, and makes the jobs of silent workers due at once; returns their number. Returns
    /// 0 when the database is too busy to answer; the lock is still held.
    ///
    /// # Errors
    /// When the connection is lost, and the lock with it.
    pub async fn look_after_workers(&mut self) -> Result<i32> {
        let looked = sqlx::query_scalar!(
            r#"select look_after_workers($1, $2) as "freed!""#,
            self.worker,
            PATIENCE_SECONDS
        )
        .fetch_one(&mut self.connection)
        .await;
        match looked {
            Err(error) if is_timed_out(&error) => Ok(0),
            looked => Ok(looked?),
        }
    }
}
