//! The presence of workers, on a connection of its own: it works as the owner, because it looks at the jobs of all tenants.

use sqlx::{Connection as _, PgConnection};

use crate::error::is_timed_out;
use crate::prelude::*;

/// The class of the advisory locks that live workers hold.
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
    pub async fn hold_presence(&self, worker: i64) -> Result<PresenceLock> {
        // A check that times out is repeated on the same connection, because the lock belongs to it. It has two statements, and who
        // waits for it gives up after 400 ms.
        let options = self.primary.options().options([("statement_timeout", "150ms")]);
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
    pub async fn look_after_workers(&mut self) -> Result<i64> {
        let looked = self.look().await;
        match looked {
            Err(error) if is_timed_out(&error) => Ok(0),
            looked => Ok(looked?),
        }
    }

    /// Clears what others doubt of the worker's own jobs, doubts the jobs of workers that hold no presence lock, and makes
    /// those due that were doubted for long. Skips locked rows.
    async fn look(&mut self) -> Result<i64, sqlx::Error> {
        sqlx::query!(
            "update compressions c set doubted_at = null
             from (select o.tenant_id, o.id from compressions o
                   where o.status = 'running' and o.worker = $1 and o.doubted_at is not null
                   for update skip locked) own
             where c.tenant_id = own.tenant_id and c.id = own.id",
            self.worker
        )
        .execute(&mut self.connection)
        .await?;
        let freed = sqlx::query_scalar!(
            r#"with missing as materialized (
                 select o.tenant_id, o.id, o.doubted_at < now() - make_interval(secs => $2) as is_dead
                 from compressions o
                 where o.status = 'running' and o.lease_until > now() and o.worker is distinct from $1
                   and (o.doubted_at is null or o.doubted_at < now() - make_interval(secs => $2))
                   and not exists (
                     select from pg_locks l
                     where l.locktype = 'advisory' and l.classid = $3::int::oid and l.objid = o.worker::oid
                       and l.objsubid = 2 and l.granted
                       and l.database = (select oid from pg_database where datname = current_database()))
                 for update of o skip locked
               ),
               changed as (
                 update compressions c
                 set doubted_at = case when m.is_dead then null else now() end,
                     lease_until = case when m.is_dead then '-infinity' else c.lease_until end
                 from missing m where c.tenant_id = m.tenant_id and c.id = m.id
                 returning m.is_dead
               )
               select count(*) filter (where is_dead) as "freed!" from changed"#,
            self.worker,
            PATIENCE_SECONDS,
            WORKER_CLASS
        );
        freed.fetch_one(&mut self.connection).await
    }
}
