//! The pools of connections, and beginning a tenant's transaction on one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::postgres::PgPoolOptions;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::actor::Actor;
use super::address::{Role, Target};
use super::bulkhead::{Bulkhead, Need, Share, Tx};
use super::connection::Pool;
use super::counts::Counts;
use super::error::{self, Result};
use super::gather::queue::MOST_AT_ONCE;
use super::key_cache::KeyCache;
use super::marks::Marks;
use super::notifier::Notifier;
use super::owner::{self, Owner};
use super::primary::Primary;
use super::readers::{ACQUIRE_TIMEOUT, Readers, Reading};
use super::secrets::SecretKeys;
use super::served::ServedNotes;
use super::usage::meter::Meter;
use anchord_messages::id::{SessionId, TenantId};

/// The connections of the pool; two cores gain nothing from more.
pub const DEFAULT_CONNECTIONS: u32 = 16;
/// Connections of requests beyond the configured number, for what is published for appends. With these two and the
/// readers' half, some are always left.
const KEEPERS: u32 = 2;
/// Workers have half as many connections again, and at least this many: reading keeps some, and jobs need others.
const LEAST_WORKERS_CONNECTIONS: u32 = 6;
/// How long the database may take to answer a ping.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
/// The timeout of a statement of a request, and of a worker's.
const STATEMENT_TIMEOUTS: [&str; 2] = ["10s", "60s"];
/// How long the server may say nothing to a request, and to a worker. Above the timeout of a statement.
const DEADLINES: [Duration; 2] = [Duration::from_secs(12), Duration::from_secs(65)];
/// How long a statement of a request waits for a lock. Longer than almost every transaction; beyond that, the caller
/// should try again rather than occupy a connection.
const LOCK_TIMEOUT: &str = "2s";
/// Begins a transaction that reads one snapshot.
const SNAPSHOT: &str = "begin isolation level repeatable read read only";

/// The handle of the database; cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) pool: Pool,
    pub(super) readers: Readers,
    /// The server that the pools lead to.
    pub(super) primary: Primary,
    /// The connections of requests and those of workers, separate so that neither waits for the other.
    pub(super) pools: [(Pool, Readers); 2],
    /// The connections that cross tenants, for the statements in `owner` alone.
    pub(super) owner: Owner,
    owners: [Owner; 2],
    /// The connections on which appends read, and those on which they are committed.
    pub(super) appends: Pool,
    pub(super) committers: Owner,
    /// The limits of tenants on the connections of requests; `None` for the connections of workers and appends.
    pub(super) bulkhead: Option<Bulkhead>,
    /// A connection of its own for pings, so that they are answered however busy the others are.
    pub(super) probe: Pool,
    pub(super) tracker: TaskTracker,
    pub(super) keys: KeyCache,
    pub(super) meter: Meter,
    /// The contexts that were served and are not noted yet.
    pub(super) served: ServedNotes,
    pub(super) notifier: Notifier<SessionId>,
    pub(super) due: Arc<Notify>,
    pub(super) secret_keys: SecretKeys,
    /// How many sessions tenants have, and how many replies are kept for them.
    pub(super) sessions: Counts,
    pub(super) replies: Counts,
    /// The sessions that are to be queued for vectors.
    pub(super) unembedded: Marks,
    /// Whether there are other cells, to which tenants may be moved.
    is_one_of_many: Arc<AtomicBool>,
    /// Is notified when the list of cells may have changed.
    pub(super) cells_changed: Arc<Notify>,
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
    pub async fn connect(
        database: impl Into<Target<'_>>,
        connections: u32,
        tracker: TaskTracker,
    ) -> Result<Self> {
        let target = database.into();
        let role = Role::parse(target.role)?;
        let address = target.address()?.map(|options| {
            options.application_name("anchord").options([
                // A client that hangs inside a transaction must not hold row locks for ever.
                ("idle_in_transaction_session_timeout", "30s"),
                // Most statements run faster than they are planned, and use the same index whatever their parameters
                // are: planning took a sixth of the server's time for a compression. `tests/journeys/plans.rs` checks
                // such plans of every hot statement, also plans that were made while the tables were empty.
                ("plan_cache_mode", "force_generic_plan"),
                // So that the server notices a client that is gone without a word, and frees its locks. On this side
                // there are deadlines (`connection`).
                ("tcp_keepalives_idle", "15"),
                ("tcp_keepalives_interval", "5"),
                ("tcp_keepalives_count", "3"),
                ("tcp_user_timeout", "30s"),
            ])
        });
        let primary = Primary::find(address).await?;
        let [of_request, of_worker] = STATEMENT_TIMEOUTS.map(|timeout| ("statement_timeout", timeout));
        let [request_deadline, worker_deadline] = DEADLINES;
        let options = |settings: &[(&str, &str)], most: u32, wait: Duration| -> PgPoolOptions {
            let options =
                primary.pool_options(Some(&role), settings).max_connections(most).acquire_timeout(wait);
            // A ping per request costs a round trip; `begin` takes the next connection instead when one turns out to
            // be dead.
            options.test_before_acquire(false)
        };
        let of_request = [of_request, ("lock_timeout", LOCK_TIMEOUT)];
        let open = |options: PgPoolOptions, deadline: Duration| {
            Pool::new(options.connect_lazy_with(primary.options()), primary.clone(), deadline)
        };
        let most = connections.saturating_add(KEEPERS);
        let pool = open(options(&of_request, most, ACQUIRE_TIMEOUT), request_deadline);
        // The first connection shows whether there is a database that can be used.
        drop(pool.acquire().await?);
        let most_appends = u32::try_from(MOST_AT_ONCE).unwrap_or(u32::MAX);
        let appends = open(options(&of_request, most_appends, ACQUIRE_TIMEOUT), request_deadline);
        let readers = Readers::new(connections);
        let probe = open(options(&of_request, 1, PROBE_TIMEOUT), PROBE_TIMEOUT);
        let most = (connections / 2).max(LEAST_WORKERS_CONNECTIONS);
        let workers = open(options(&[of_worker], most, ACQUIRE_TIMEOUT), worker_deadline);
        let workers = (workers, Readers::new(most));
        let owner_options = |settings: &[(&str, &str)], most: u32| {
            let options = primary.pool_options(None, &[settings, &owner::SETTINGS].concat());
            options.max_connections(most).acquire_timeout(ACQUIRE_TIMEOUT)
        };
        // What the first statement on them does is not done again when the connection was lost, so that they are asked before.
        let committers = open(owner_options(&of_request, most_appends), request_deadline);
        let owner = |settings: &[(&str, &str)], most: u32, deadline: Duration| {
            open(owner_options(settings, most).test_before_acquire(false), deadline)
        };
        let [for_requests, for_workers] = owner::CONNECTIONS;
        let owners = [
            Owner::new(owner(&of_request, for_requests, request_deadline), Some(Bulkhead::new(for_requests))),
            Owner::new(owner(&[of_worker], for_workers, worker_deadline), None),
        ];
        Ok(Self {
            pools: [(pool.clone(), readers.clone()), workers],
            owner: owners[0].clone(),
            owners,
            appends,
            committers: Owner::new(committers, None),
            pool,
            readers,
            primary,
            bulkhead: Some(Bulkhead::new(connections.saturating_add(KEEPERS))),
            probe,
            tracker,
            keys: KeyCache::new(),
            notifier: Notifier::new(),
            due: Arc::default(),
            secret_keys: SecretKeys::default(),
            sessions: Counts::new(),
            replies: Counts::new(),
            unembedded: Marks::default(),
            meter: Meter::new(),
            served: ServedNotes::default(),
            is_one_of_many: Arc::default(),
            cells_changed: Arc::default(),
        })
    }

    /// This store with keys that encrypt secrets.
    pub fn with_secret_keys(self, secret_keys: SecretKeys) -> Self {
        Self { secret_keys, ..self }
    }

    /// This store on the connections of workers. A connection wakes the runtime that it was opened on, so all uses
    /// must be on one runtime.
    pub fn of_workers(&self) -> Self {
        let ([_, (pool, readers)], [_, owner]) = (&self.pools, &self.owners);
        Self {
            pool: pool.clone(),
            readers: readers.clone(),
            owner: owner.clone(),
            bulkhead: None,
            ..self.clone()
        }
    }

    /// This store for appends, which the limits of tenants do not apply to. Besides connections of their own they use
    /// those of requests.
    pub(super) fn of_appends(&self) -> Self {
        Self { bulkhead: None, ..self.clone() }
    }

    /// Begins a transaction of a tenant, to change something: row-level security shows only the tenant's rows. A read
    /// uses [`Store::snapshot`].
    pub async fn begin(&self, tenant: TenantId) -> Result<Tx> {
        let share = self.share(tenant, Need::Change).await?;
        self.begin_with(share, tenant, ["begin", ""]).await
    }

    /// Begins a tenant's transaction for an actor; an operator does not wait for the tenant's own requests.
    pub async fn begin_as(&self, actor: Actor, tenant: TenantId) -> Result<Tx> {
        if matches!(actor, Actor::Key(_)) {
            return self.begin(tenant).await;
        }
        self.begin_with(Share::default(), tenant, ["begin", ""]).await
    }

    /// Begins a read-only snapshot of a tenant whose statements are planned for the parameters of each call: their
    /// filters are optional, so no single plan suits all calls.
    pub(super) async fn begin_planning(&self, tenant: TenantId) -> Result<Tx> {
        let share = self.share(tenant, Need::Read).await?;
        let planned = [SNAPSHOT, "; set local plan_cache_mode = force_custom_plan"];
        Ok(self.begin_with(share, tenant, planned).await?.snapshot())
    }

    /// Begins a read-only snapshot of a tenant: all of its statements see the same rows.
    pub async fn snapshot(&self, tenant: TenantId) -> Result<Tx> {
        self.snapshot_for(tenant, Need::Read).await
    }

    /// Begins a read-only snapshot of a tenant for a need.
    pub(super) async fn snapshot_for(&self, tenant: TenantId, need: Need) -> Result<Tx> {
        let share = self.share(tenant, need).await?;
        Ok(self.begin_with(share, tenant, [SNAPSHOT, ""]).await?.snapshot())
    }

    /// Begins a tenant's transaction whose commit does not wait for the disk: a crash of the server may undo it.
    pub(super) async fn begin_unsynced(&self, tenant: TenantId) -> Result<Tx> {
        let share = self.share(tenant, Need::Read).await?;
        self.begin_with(share, tenant, ["begin", "; set local synchronous_commit = off"]).await
    }

    /// Begins a snapshot of a tenant that may also write.
    pub(super) async fn writable_snapshot(&self, tenant: TenantId) -> Result<Tx> {
        let share = self.share(tenant, Need::Read).await?;
        self.begin_with(share, tenant, ["begin isolation level repeatable read", ""]).await
    }

    /// Begins in a task of its own, because the driver cannot safely drop a half-done begin. A caller that disconnects
    /// now leaves a complete transaction, which is rolled back when it is dropped.
    pub(super) async fn begin_with(&self, share: Share, tenant: TenantId, how: [&str; 2]) -> Result<Tx> {
        let [mode, settings] = how;
        if !self.is_one_of_many.load(Ordering::Relaxed) {
            return self.begin_on(&self.pool, share, tenant, how).await;
        }
        let entered = format!("{settings}; select enter_tenant('{}', {})", tenant.0, mode != SNAPSHOT);
        self.begin_on(&self.pool, share, tenant, [mode, &entered]).await
    }

    /// Has each transaction from now on look whether its tenant is still in this cell, because there are others.
    pub fn join_cells(&self) {
        self.is_one_of_many.store(true, Ordering::Relaxed);
    }

    /// Begins on a connection of a pool, as [`Store::begin_with`] does.
    pub(super) async fn begin_on(
        &self,
        pool: &Pool,
        share: Share,
        tenant: TenantId,
        [mode, settings]: [&str; 2],
    ) -> Result<Tx> {
        let statement = format!("{mode}; set local app.tenant_id = '{}'{settings}", tenant.0);
        let pool = pool.clone();
        let begun = self.tracker.spawn(async move {
            let mut attempts_left = pool.max_connections();
            loop {
                let mut connection = pool.acquire().await?;
                match connection.begin(&statement).await {
                    Ok(()) => return Ok(connection),
                    // After a restart of the server, every idle connection may be dead.
                    Err(error) if error::is_lost(&error) && attempts_left > 0 => attempts_left -= 1,
                    Err(error) => return Err(error),
                }
            }
        });
        match begun.await {
            Ok(begun) => Ok(Tx::new(begun?, share)),
            Err(_) => Err(sqlx::Error::WorkerCrashed.into()),
        }
    }

    /// Waits for a place of the tenant; workers have no limits by tenant.
    pub(super) async fn share(&self, tenant: TenantId, need: Need) -> Result<Share> {
        Bulkhead::share(self.bulkhead.as_ref(), tenant, need).await
    }

    /// Waits for a connection for one read of a tenant.
    pub(super) async fn reading(&self, tenant: TenantId) -> Result<Reading> {
        let share = self.share(tenant, Need::Read).await?;
        self.readers.acquire(&self.pool, share).await
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<()> {
        let answer = async {
            let mut connection = self.probe.acquire().await?;
            sqlx::query_scalar!(r#"select 1 as "one!""#).fetch_one(&mut connection).await
        };
        tokio::time::timeout(PROBE_TIMEOUT, answer).await.map_err(|_| sqlx::Error::PoolTimedOut)??;
        Ok(())
    }

    /// The state of the pool of requests, or of the workers' pool when that is fuller.
    pub fn connections(&self) -> Connections {
        let [requests, workers] = &self.pools;
        let of = |(pool, readers): &(Pool, Readers)| {
            let open = pool.size();
            let idle = pool.num_idle().saturating_add(readers.idle());
            let idle = u32::try_from(idle).unwrap_or(u32::MAX).min(open);
            Connections { open, idle, most: pool.max_connections() }
        };
        let (requests, workers) = (of(requests), of(workers));
        let share = |of: Connections| f64::from(of.open - of.idle) / f64::from(of.most.max(1));
        if share(requests) >= share(workers) { requests } else { workers }
    }

    /// Watches the server of the database until `stop`, and moves to the one that accepts writes when the address names
    /// several.
    pub async fn watch_primary(&self, stop: &CancellationToken) {
        let _ = stop.run_until_cancelled(self.primary.watch()).await;
    }

    /// Closes the pools, after the work that uses them has ended.
    pub async fn close(&self) {
        for (_, readers) in &self.pools {
            readers.close();
        }
        let [(requests, _), (workers, _)] = &self.pools;
        let [of_requests, of_workers] = &self.owners;
        futures::join!(requests.close(), workers.close(), self.appends.close(), self.probe.close());
        futures::join!(of_requests.close(), of_workers.close(), self.committers.close());
    }

    /// The tracker of the tasks that must end before the process does.
    pub fn tracker(&self) -> &TaskTracker {
        &self.tracker
    }
}
