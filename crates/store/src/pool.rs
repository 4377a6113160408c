//! The pools of connections, and beginning a tenant's transaction on one.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, PgPool};
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

use super::actor::Actor;
use super::bell::Bell;
use super::bounds::Counts;
use super::bulkhead::{Bulkhead, Share, Tx};
use super::error::{self, StoreError};
use super::gather::queue::MOST_AT_ONCE;
use super::key_cache::KeyCache;
use super::readers::{ACQUIRE_TIMEOUT, Readers, Reading};
use super::usage::meter::Meter;
use anchord_messages::id::TenantId;

/// The connections of the pool; two cores gain nothing from more.
pub const DEFAULT_CONNECTIONS: u32 = 16;
/// Connections of requests beyond the configured number: the listener for key changes keeps one, and publishing for
/// an append takes one. With these two and the readers' half, some are always left.
const KEEPERS: u32 = 2;
/// The connections of the queue's statements. Half of them are kept: one for the pool of workers, one for others that
/// claim jobs.
const QUEUE_CONNECTIONS: u32 = 4;
/// Workers have half as many connections again, and at least this many: claiming and reading keep some, and jobs need
/// others.
const LEAST_WORKERS_CONNECTIONS: u32 = 6;
/// How long the database may take to answer a ping.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
/// The timeout of a statement of a request, and of a worker's.
const STATEMENT_TIMEOUTS: [&str; 2] = ["10s", "60s"];

/// The handle of the database; cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) pool: PgPool,
    pub(super) readers: Readers,
    /// The connections of requests and those of workers, separate so that neither waits for the other.
    pub(super) pools: [(PgPool, Readers); 2],
    /// The connections of appends.
    pub(super) appends: PgPool,
    /// The connections of the queue, separate so that claiming and ending jobs waits for no read.
    pub(super) queue: Readers,
    /// The limits of tenants on the connections of requests; `None` for the connections of workers and appends.
    pub(super) bulkhead: Option<Bulkhead>,
    /// A connection of its own for pings, so that they are answered however busy the others are.
    pub(super) probe: PgPool,
    pub(super) tracker: TaskTracker,
    pub(super) keys: KeyCache,
    pub(super) meter: Meter,
    pub(super) bell: Bell,
    pub(super) due: Arc<Notify>,
    /// How many sessions tenants have, and how many replies are kept for them.
    pub(super) sessions: Counts,
    pub(super) replies: Counts,
}

/// The state of the pool.
#[derive(Clone, Copy, Debug)]
pub struct Connections {
    /// How many connections are open.
    pub open: u32,
    /// How many of them are idle.
    pub idle: u32,
    /// The most connections that there may be.
    pub most: u32,
}

impl Store {
    /// Opens the pool. Its connections use a role that row-level security applies to.
    ///
    /// # Errors
    /// When the database cannot be reached or does not know the role.
    pub async fn connect(url: &str, connections: u32, tracker: TaskTracker) -> Result<Self, StoreError> {
        let options = PgConnectOptions::from_str(url)?.application_name("anchord").options([
            // A client that hangs inside a transaction must not hold row locks for ever.
            ("idle_in_transaction_session_timeout", "30s"),
            ("statement_timeout", STATEMENT_TIMEOUTS[0]),
            // Most statements run faster than they are planned, and use the same index whatever their parameters are:
            // planning took a sixth of the server's time for a compression. `tests/journeys/plans.rs` checks such
            // plans of every hot statement, also plans that were made while the tables were empty.
            ("plan_cache_mode", "force_generic_plan"),
        ]);
        let pool_options = PgPoolOptions::new()
            .acquire_timeout(ACQUIRE_TIMEOUT)
            // A ping per request costs a round trip; `begin` takes the next connection instead when
            // one turns out to be dead.
            .test_before_acquire(false)
            .after_connect(|connection, _| {
                Box::pin(async move {
                    sqlx::raw_sql("set role anchord_app").execute(connection).await?;
                    Ok(())
                })
            });
        let most = connections.saturating_add(KEEPERS);
        let pool = pool_options.clone().max_connections(most).connect_with(options.clone()).await?;
        let most_appends = u32::try_from(MOST_AT_ONCE).unwrap_or(u32::MAX);
        let appends = pool_options.clone().max_connections(most_appends).connect_lazy_with(options.clone());
        let readers = Readers::new(connections);
        let most = (connections / 2).max(LEAST_WORKERS_CONNECTIONS);
        let of_workers = options.clone().options([("statement_timeout", STATEMENT_TIMEOUTS[1])]);
        let probe =
            PgPoolOptions::new().max_connections(1).acquire_timeout(PROBE_TIMEOUT).connect_lazy_with(options);
        let workers = pool_options.max_connections(most).connect_lazy_with(of_workers);
        let workers = (workers, Readers::new(most.saturating_sub(QUEUE_CONNECTIONS / 2)));
        Ok(Self {
            pools: [(pool.clone(), readers.clone()), workers],
            appends,
            pool,
            readers,
            queue: Readers::new(QUEUE_CONNECTIONS),
            bulkhead: Some(Bulkhead::new(connections.saturating_add(KEEPERS))),
            probe,
            tracker,
            keys: KeyCache::new(),
            bell: Bell::new(),
            due: Arc::default(),
            sessions: Counts::new(),
            replies: Counts::new(),
            meter: Meter::new(),
        })
    }

    /// This store on the connections of workers. A connection wakes the runtime that it was opened on, so all uses
    /// must be on one runtime.
    #[must_use]
    pub fn of_workers(&self) -> Self {
        let [_, (pool, readers)] = &self.pools;
        Self { pool: pool.clone(), readers: readers.clone(), bulkhead: None, ..self.clone() }
    }

    /// This store for appends, which the limits of tenants do not apply to. Besides connections of their own they use
    /// those of requests.
    pub(super) fn of_appends(&self) -> Self {
        Self { bulkhead: None, ..self.clone() }
    }

    /// Begins a transaction of a tenant: row-level security shows only the tenant's rows.
    ///
    /// # Errors
    /// When no connection is available.
    pub async fn begin(&self, tenant: TenantId) -> Result<Tx, StoreError> {
        let share = self.share(tenant).await?;
        self.begin_with(share, format!("begin; set local app.tenant_id = '{}'", tenant.0)).await
    }

    /// Begins a tenant's transaction for an actor; an operator does not wait for the tenant's own requests.
    ///
    /// # Errors
    /// When no connection is available.
    pub async fn begin_as(&self, actor: Actor, tenant: TenantId) -> Result<Tx, StoreError> {
        if matches!(actor, Actor::Key(_)) {
            return self.begin(tenant).await;
        }
        self.begin_with(Share::default(), format!("begin; set local app.tenant_id = '{}'", tenant.0)).await
    }

    /// Begins a read-only snapshot of a tenant whose statements are planned for the parameters of each call: their
    /// filters are optional, so no single plan suits all calls.
    pub(super) async fn begin_planning(&self, tenant: TenantId) -> Result<Tx, StoreError> {
        let set = "set local plan_cache_mode = force_custom_plan";
        let share = self.share(tenant).await?;
        let begin = "begin isolation level repeatable read read only";
        self.begin_with(share, format!("{begin}; set local app.tenant_id = '{}'; {set}", tenant.0)).await
    }

    /// Begins a read-only snapshot of a tenant: all of its statements see the same rows.
    ///
    /// # Errors
    /// When no connection is available.
    pub async fn snapshot(&self, tenant: TenantId) -> Result<Tx, StoreError> {
        let share = self.share(tenant).await?;
        let begin = "begin isolation level repeatable read read only";
        self.begin_with(share, format!("{begin}; set local app.tenant_id = '{}'", tenant.0)).await
    }

    /// Begins a snapshot of a tenant that may also write.
    pub(super) async fn writable_snapshot(&self, tenant: TenantId) -> Result<Tx, StoreError> {
        let share = self.share(tenant).await?;
        let begin = "begin isolation level repeatable read";
        self.begin_with(share, format!("{begin}; set local app.tenant_id = '{}'", tenant.0)).await
    }

    /// Begins in a task of its own, because the driver cannot safely drop a half-done begin: the connection would
    /// return to the pool inside an open transaction with a tenant set. A caller that disconnects now leaves a
    /// complete transaction, which is rolled back when it is dropped.
    pub(super) async fn begin_with(&self, share: Share, statement: String) -> Result<Tx, StoreError> {
        let pool = self.pool.clone();
        let begun = self.tracker.spawn(async move {
            let mut attempts_left = pool.options().get_max_connections();
            loop {
                match pool.begin_with(AssertSqlSafe(statement.as_str())).await {
                    // After a restart of the server, every idle connection may be dead.
                    Err(error) if error::is_lost(&error) && attempts_left > 0 => attempts_left -= 1,
                    other => return other,
                }
            }
        });
        match begun.await {
            Ok(begun) => Ok(Tx::new(begun?, share)),
            Err(_) => Err(sqlx::Error::WorkerCrashed.into()),
        }
    }

    /// Waits for a place among the tenant's connections.
    pub(super) async fn share(&self, tenant: TenantId) -> Result<Share, StoreError> {
        match &self.bulkhead {
            Some(bulkhead) => bulkhead.enter(tenant).await,
            None => Ok(Share::default()),
        }
    }

    /// Waits for a connection for one read of a tenant.
    pub(super) async fn reading(&self, tenant: TenantId) -> Result<Reading, StoreError> {
        let share = self.share(tenant).await?;
        self.readers.acquire(&self.pool, share).await
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let answer = sqlx::query_scalar!(r#"select 1 as "one!""#).fetch_one(&self.probe);
        tokio::time::timeout(PROBE_TIMEOUT, answer).await.map_err(|_| sqlx::Error::PoolTimedOut)??;
        Ok(())
    }

    /// The state of the pool of requests, or of the workers' pool when that is fuller.
    #[must_use]
    pub fn connections(&self) -> Connections {
        let [requests, workers] = &self.pools;
        let of = |(pool, readers): &(PgPool, Readers), kept: usize| {
            let open = pool.size();
            let idle = pool.num_idle().saturating_add(readers.idle()).saturating_add(kept);
            let idle = u32::try_from(idle).unwrap_or(u32::MAX).min(open);
            Connections { open, idle, most: pool.options().get_max_connections() }
        };
        let (requests, workers) = (of(requests, 0), of(workers, self.queue.idle()));
        let share = |of: Connections| f64::from(of.open - of.idle) / f64::from(of.most.max(1));
        if share(requests) >= share(workers) { requests } else { workers }
    }

    /// Closes the pools, after the work that uses them has ended.
    pub async fn close(&self) {
        self.queue.close();
        for (_, readers) in &self.pools {
            readers.close();
        }
        let [(requests, _), (workers, _)] = &self.pools;
        futures::join!(requests.close(), workers.close(), self.appends.close(), self.probe.close());
    }

    /// The tracker of the tasks that must end before the process does.
    #[must_use]
    pub fn tracker(&self) -> &TaskTracker {
        &self.tracker
    }
}
