//! Signs of life of workers, and the ear for new jobs; each on a connection of its own.

use sqlx::postgres::PgListener;
use sqlx::{Connection as _, PgConnection};

use super::compressions::CHANNEL;
use super::{Store, StoreError};

/// The class of the advisory locks that live workers hold; `release_dead_workers` looks for it.
const WORKER_CLASS: i32 = 1_633_772_132;

/// A held sign of life; the database lets go of it when the connection ends, however it ends.
#[derive(Debug)]
pub struct Held {
    _connection: PgConnection,
}

impl Store {
    /// Holds the sign of life of a worker.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn hold_presence(&self, worker: i64) -> Result<Held, StoreError> {
        let mut connection = PgConnection::connect_with(&self.pool.connect_options()).await?;
        let number = i32::try_from(worker).unwrap_or(i32::MAX);
        sqlx::query_scalar!(r#"select pg_advisory_lock($1, $2) is null as "held!""#, WORKER_CLASS, number)
            .fetch_one(&mut connection)
            .await?;
        Ok(Held { _connection: connection })
    }

    /// Listens for new jobs.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn listen_for_jobs(&self) -> Result<PgListener, StoreError> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(listener)
    }
}
