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
use super::bulkhead::{Bulkhead, Share, Tx};
use super::error::{self, StoreError};
use super::gather::queue::MOST_AT_ONCE;
use super::key_cache::KeyCache;
use super::readers::{ACQUIRE_TIMEOUT, Readers, Reading};
use super::usage::meter::Meter;
use anchord_messages::id::TenantId;

/// Connections of the pool; two cores gain nothing from more.
pub const DEFAULT_CONNECTIONS: u32 = 16;
/// More for requests, because who hears of revoked keys keeps one, and publishing for an append takes one: beside these two and
/// the readers' half something is left, of however few.
const KEEPERS: u32 = 2;
/// Half of them are kept, as of the readers': one for the pool of workers, one for whoever else takes jobs.
const QUEUE_CONNECTIONS: u32 = 4;
/// Workers have half as many again, and at least these: taking jobs and reading keep some, and the jobs need others.
const LEAST_WORKERS_CONNECTIONS: u32 = 6;
/// How long the database has to answer that it is there.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a statement of a request may take, and one of the workers.
const STATEMENT_TIMEOUTS: [&str; 2] = ["10s", "60s"];

/// The way to the database; cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) pool: PgPool,
    pub(super) readers: Readers,
    /// The connections of requests and those of workers: neither waits for the other's.
    pub(super) pools: [(PgPool, Readers); 2],
    /// The connections of appends.
    pub(super) appends: PgPool,
    /// Taking jobs and ending idle ones waits for no read.
    pub(super) queue: Readers,
    /// What each tenant may hold of the connections of requests; `None` where it is not requests that use them.
    pub(super) bulkhead: Option<Bulkhead>,
    /// The one connection that tells whether the database answers, however busy the others are.
    pub(super) probe: PgPool,
    pub(super) tracker: TaskTracker,
    pub(super) keys: KeyCache,
    pub(super) meter: Meter,
    pub(super) bell: Bell,
    pub(super) due: Arc<Notify>,
}

/// Connections of the pool.
#[derive(Clone, Copy, Debug)]
pub struct Connections {
    /// Those that are open.
    pub open: u32,
    /// Those of them that nobody uses.
    pub idle: u32,
    /// How many there may be.
    pub most: u32,
}

impl Store {
    /// Opens the pool; its connections work as a role that row-level security binds.
    ///
    /// # Errors
    /// When the database cannot be reached or does not know the role.
    pub async fn connect(url: &str, connections: u32, tracker: TaskTracker) -> Result<Self, StoreError> {
        let options = PgConnectOptions::from_str(url)?.application_name("anchord").options([
            // A peer that hangs inside a transaction must not hold row locks for ever.
            ("idle_in_transaction_session_timeout", "30s"),
            ("statement_timeout", STATEMENT_TIMEOUTS[0]),
            // Most statements take less time than planning them does, and find their rows by the same index whatever
            // their parameters are: planning took a sixth of what the server did for a compression. `tests/journeys/plans.rs`
            // holds every hot statement against such plans, also against those made while the tables were empty.
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
            meter: Meter::new(),
        })
    }

    /// The same store over the workers' connections. A connection wakes the runtime that it was made on, so
    /// all of it has to be used on one.
    #[must_use]
    pub fn of_workers(&self) -> Self {
        let [_, (pool, readers)] = &self.pools;
        Self { pool: pool.clone(), readers: readers.clone(), bulkhead: None, ..self.clone() }
    }

    /// The same store for appends, which wait for no share of a tenant's; what they need beside the connections of their
    /// own is of the requests'.
    pub(super) fn of_appends(&self) -> Self {
        Self { bulkhead: None, ..self.clone() }
    }

    /// Begins a tenant's transaction: row-level security shows it the tenant's rows alone.
    ///
    /// # Errors
    /// When no connection is to be had.
    pub async fn begin(&self, tenant: TenantId) -> Result<Tx, StoreError> {
        let share = self.share(tenant).await?;
        self.begin_with(share, format!("begin; set local app.tenant_id = '{}'", tenant.0)).await
    }

    /// Begins a tenant's transaction for whoever acts: an operator waits for none of the tenant's own requests.
    pub(super) async fn begin_as(&self, actor: Actor, tenant: TenantId) -> Result<Tx, StoreError> {
        if matches!(actor, Actor::Key(_)) {
            return self.begin(tenant).await;
        }
        self.begin_with(Share::default(), format!("begin; set local app.tenant_id = '{}'", tenant.0)).await
    }

    /// Begins a tenant's read at one moment, whose statements are planned for the parameters of each call: their filters
    /// may be absent, so that no one plan suits all calls.
    pub(super) async fn begin_planning(&self, tenant: TenantId) -> Result<Tx, StoreError> {
        let set = "set local plan_cache_mode = force_custom_plan";
        let share = self.share(tenant).await?;
        let begin = "begin isolation level repeatable read read only";
        self.begin_with(share, format!("{begin}; set local app.tenant_id = '{}'; {set}", tenant.0)).await
    }

    /// Begins a tenant's read at one moment: every statement of it sees the same rows.
    ///
    /// # Errors
    /// When no connection is to be had.
    pub async fn snapshot(&self, tenant: TenantId) -> Result<Tx, StoreError> {
        let share = self.share(tenant).await?;
        let begin = "begin isolation level repeatable read read only";
        self.begin_with(share, format!("{begin}; set local app.tenant_id = '{}'", tenant.0)).await
    }

    /// Begins in a task of its own. Beginning is not safe to drop half-way in the driver: the
    /// connection would go back to the pool inside an open transaction, with a tenant set. A caller
    /// that goes away now leaves a finished transaction behind, which rolls back when it is dropped.
    pub(super) async fn begin_with(&self, share: Share, statement: String) -> Result<Tx, StoreError> {
        let pool = self.pool.clone();
        let begun = self.tracker.spawn(async move {
            let mut attempts_left = pool.options().get_max_connections();
            loop {
                match pool.begin_with(AssertSqlSafe(statement.as_str())).await {
                    // Every idle connection may be dead after the server restarted.
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

    /// A place in a tenant's share of the connections.
    pub(super) async fn share(&self, tenant: TenantId) -> Result<Share, StoreError> {
        match &self.bulkhead {
            Some(bulkhead) => bulkhead.enter(tenant).await,
            None => Ok(Share::default()),
        }
    }

    /// A connection for one read of a tenant's.
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

    /// How the connections are used: those of requests, or of workers when they are fuller.
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

    /// Where tasks live that must end before the process does.
    #[must_use]
    pub fn tracker(&self) -> &TaskTracker {
        &self.tracker
    }
}
