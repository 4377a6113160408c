//! The presence of workers, and the listener for new jobs; each on a connection of its own.

use sqlx::postgres::PgListener;
use sqlx::{Connection as _, PgConnection};

use super::error::is_timed_out;
use super::{Store, StoreError, channel};

/// The class of the advisory locks that live workers hold; `look_after_workers` looks for it.
const WORKER_CLASS: i32 = 1_633_772_132;
/// How long a job is in doubt before it is taken from a worker that says nothing, in seconds. A worker that lives says
/// so several times in it (`worker::presence`), and a takeover still takes less than a second.
const PATIENCE_SECONDS: f64 = 0.6;

/// A held sign of life; the database lets go of it when the connection ends, however it ends.
#[derive(Debug)]
pub struct Held {
    connection: PgConnection,
    worker: i64,
}

impl Store {
    /// Holds the sign of life of a worker. A connection of the same worker that is lost without the database knowing
    /// is in nobody's way: the lock is shared.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn hold_presence(&self, worker: i64) -> Result<Held, StoreError> {
        // A look that waits for the database is tried again on the same connection, which is the lock's.
        let options = self.pool.connect_options().as_ref().clone().options([("statement_timeout", "300ms")]);
        let mut connection = PgConnection::connect_with(&options).await?;
        let number = i32::try_from(worker).unwrap_or(i32::MAX);
        sqlx::query_scalar!(
            r#"select pg_advisory_lock_shared($1, $2) is null as "held!""#,
            WORKER_CLASS,
            number
        )
        .fetch_one(&mut connection)
        .await?;
        Ok(Held { connection, worker })
    }

    /// Listens for new jobs.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn listen_for_jobs(&self) -> Result<PgListener, StoreError> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(channel::JOBS).await?;
        Ok(listener)
    }
}

impl Held {
    /// Says that the worker lives, and makes the jobs of workers that say nothing due at once; gives how many. None when
    /// the database is too busy to tell: the lock is held all the same.
    ///
    /// # Errors
    /// When the connection is lost, and the lock with it.
    pub async fn look_after_workers(&mut self) -> Result<i32, StoreError> {
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
