//! Connections of the pools, each use of which has a deadline.
//!
//! A server or a network that is gone without a word leaves a connection on which a reply never comes, and the driver
//! waits for it for ever: it offers neither a deadline nor its socket, on which keepalive could be set. Here, a wait for
//! the server ends when nothing came for the deadline, or when the service has moved to another server. The error is
//! that of a lost connection, and the connection is closed instead of returned. A return to the pool has a deadline,
//! too, because the driver waits for the server there as well.
//!
//! The deadline is above the server's own limit of a statement, so that it never ends a statement that is merely slow.

use std::time::Duration;
use std::{fmt, io};

use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{
    AssertSqlSafe, Connection as _, Describe, Either, Error, Execute, Executor, PgPool, Postgres, SqlStr,
};
use tokio::runtime::Handle;

use super::primary::{Primary, Seen};
use anchord_messages::id::TenantId;

/// How long a connection is waited for where the server is known to be away.
const A_MOMENT: Duration = Duration::from_millis(100);

/// A pool of connections to the primary server.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    inner: PgPool,
    primary: Primary,
    deadline: Duration,
}

/// A connection of a pool; in place of the driver's type of the same name, whose waits have no end.
pub struct PgConnection {
    /// `None` once it is being returned.
    inner: Option<PoolConnection<Postgres>>,
    /// The server that it leads to.
    seen: Seen,
    deadline: Duration,
    is_lost: bool,
    /// Whether a transaction may be open.
    is_open: bool,
}

impl fmt::Debug for PgConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PgConnection").field("is_lost", &self.is_lost).finish_non_exhaustive()
    }
}

impl Pool {
    /// `deadline` is how long the server may say nothing while it is waited for.
    pub(super) fn new(inner: PgPool, primary: Primary, deadline: Duration) -> Self {
        primary.steer(&inner);
        Self { inner, primary, deadline }
    }

    /// Waits for a connection, at most for the pool's timeout; for a moment only where the server is known to be away.
    pub(super) async fn acquire(&self) -> Result<PgConnection, Error> {
        // Before it is acquired: one that was opened meanwhile counts as older than it is.
        let seen = self.primary.seen();
        let acquired = self.inner.acquire();
        let inner = if self.primary.is_away() {
            // Connections that are open may work all the same, where the server only accepts no others.
            tokio::time::timeout(A_MOMENT, acquired).await.map_err(|_| Error::PoolTimedOut)??
        } else {
            acquired.await?
        };
        let inner = Some(inner);
        Ok(PgConnection { inner, seen, deadline: self.deadline, is_lost: false, is_open: false })
    }

    pub(super) fn size(&self) -> u32 {
        self.inner.size()
    }

    pub(super) fn num_idle(&self) -> usize {
        self.inner.num_idle()
    }

    pub(super) fn max_connections(&self) -> u32 {
        self.inner.options().get_max_connections()
    }

    pub(super) async fn close(&self) {
        self.inner.close().await;
    }
}

impl PgConnection {
    /// Begins a transaction with this statement.
    pub(super) async fn begin(&mut self, statement: &str) -> Result<(), Error> {
        // Before the statement is sent: a caller that stops waiting leaves a transaction that may be open.
        self.is_open = true;
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(self).await.map(|_| ())
    }

    /// Commits or rolls back, by this statement.
    pub(super) async fn end(&mut self, statement: &'static str) -> Result<(), Error> {
        sqlx::raw_sql(statement).execute(&mut *self).await?;
        self.is_open = false;
        Ok(())
    }

    /// Makes the rows of a tenant visible to the statements that follow, by a transaction that only reads; [`Self::leave`]
    /// ends it. Returns `false` in an open transaction, whose tenant it is already.
    pub(super) async fn enter(&mut self, tenant: TenantId) -> Result<bool, Error> {
        if self.is_open {
            return Ok(false);
        }
        self.begin(&format!("begin read only; set local app.tenant_id = '{}'", tenant.0)).await?;
        Ok(true)
    }

    /// Ends the transaction if [`Self::enter`] began one, also when a statement in it has failed.
    pub(super) async fn leave(&mut self, has_begun: bool) -> Result<(), Error> {
        if has_begun { self.end("commit").await } else { Ok(()) }
    }

    /// Whether it may be used again: it leads to the server that the service uses now, and a reply to all that was
    /// asked has come.
    pub(super) fn is_usable(&self) -> bool {
        !self.is_lost && self.seen.is_current()
    }

    /// The driver's connection, and what its waits need.
    fn parts(&mut self) -> Result<(&mut sqlx::PgConnection, Waits<'_>), Error> {
        let Self { inner, seen, deadline, is_lost, .. } = self;
        // Only a connection that is being dropped has none.
        let inner = inner.as_mut().ok_or(Error::PoolClosed)?;
        Ok((&mut **inner, Waits { seen, deadline: *deadline, is_lost }))
    }
}

/// Returns the connection to its pool, or closes it when it is lost.
impl Drop for PgConnection {
    fn drop(&mut self) {
        let Some(mut inner) = self.inner.take() else { return };
        let Ok(runtime) = Handle::try_current() else {
            // Without a runtime nothing can be awaited. The server rolls back what is open.
            drop(inner.detach());
            return;
        };
        if self.is_lost || !self.seen.is_current() {
            inner.close_on_drop();
            return;
        }
        let (deadline, is_open) = (self.deadline, self.is_open);
        runtime.spawn(async move {
            // When the deadline passes, the future is dropped and with it the connection, and the pool may open another.
            let returned = tokio::time::timeout(deadline, async {
                if is_open && sqlx::raw_sql("ROLLBACK").execute(&mut *inner).await.is_err() {
                    inner.close_on_drop();
                    return;
                }
                // It keeps the space of its largest statement otherwise: 16 MB for each connection that an append of 16 MB
                // has had once.
                inner.shrink_buffers();
                inner.return_to_pool().await;
            });
            if returned.await.is_err() {
                tracing::warn!("database.connection_not_returned: the server does not answer");
            }
        });
    }
}

/// Deadline and cancellation of one call to the server.
struct Waits<'a> {
    seen: &'a Seen,
    deadline: Duration,
    is_lost: &'a mut bool,
}

impl Waits<'_> {
    /// Waits for the server.
    async fn wait<T>(&mut self, answer: impl Future<Output = T>) -> Result<T, Error> {
        let why = tokio::select! {
            // First, because most answers are there by then, and the others need a timer.
            biased;
            answer = answer => return Ok(answer),
            () = tokio::time::sleep(self.deadline) => {
                self.seen.suspect();
                "the database has said nothing for longer than a statement may take"
            }
            () = self.seen.passed() => "the service has moved to another database server",
        };
        *self.is_lost = true;
        Err(Error::Io(io::Error::new(io::ErrorKind::TimedOut, why)))
    }

    fn note<T>(&mut self, answer: Result<T, Error>) -> Result<T, Error> {
        *self.is_lost |= answer.as_ref().is_err_and(super::error::is_lost);
        answer
    }
}

type Step = Either<PgQueryResult, PgRow>;

/// The answers on a connection, each within the deadline.
fn guarded<'e>(
    rows: BoxStream<'e, Result<Step, Error>>,
    waits: Waits<'e>,
) -> BoxStream<'e, Result<Step, Error>> {
    stream::unfold(Some((rows, waits)), async |state| {
        let (mut rows, mut waits) = state?;
        match waits.wait(rows.next()).await {
            Ok(step) => {
                let step = waits.note(step?);
                Some((step, Some((rows, waits))))
            }
            Err(error) => Some((Err(error), None)),
        }
    })
    .boxed()
}

impl<'c> Executor<'c> for &'c mut PgConnection {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Step, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        match self.parts() {
            Ok((inner, waits)) => guarded(inner.fetch_many(query), waits),
            Err(error) => stream::once(async { Err(error) }).boxed(),
        }
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        Box::pin(async move {
            let (inner, mut waits) = self.parts()?;
            let found = waits.wait(inner.fetch_optional(query)).await?;
            waits.note(found)
        })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, Error>>
    where
        'c: 'e,
    {
        Box::pin(async move {
            let (inner, mut waits) = self.parts()?;
            let prepared = waits.wait(inner.prepare_with(sql, parameters)).await?;
            waits.note(prepared)
        })
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, Error>>
    where
        'c: 'e,
    {
        Box::pin(async move {
            let (inner, mut waits) = self.parts()?;
            let described = waits.wait(inner.describe(sql)).await?;
            waits.note(described)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;

    #[tokio::test]
    async fn a_server_that_is_known_to_be_away_is_waited_for_a_moment_only() {
        // Nobody listens there.
        let address = Address::parse("postgres://nobody@127.0.0.1:1/none").unwrap();
        let primary = Primary::find(address).await.unwrap();
        let for_ever = primary.pool_options(None, &[]).acquire_timeout(Duration::from_hours(1));
        let pool =
            Pool::new(for_ever.connect_lazy_with(primary.options()), primary.clone(), Duration::from_secs(1));
        primary.missed_for_long();
        let acquired = tokio::time::timeout(Duration::from_secs(20), pool.acquire()).await;
        assert!(matches!(acquired, Ok(Err(Error::PoolTimedOut))), "{acquired:?}");
    }
}
