//! The workers serve tenants fairly: however much one has waiting, another waits for a job or two.

use anchord::domain::id::TenantId;
use anchord::domain::quota::Quotas;
use anchord::store::Store;
use anchord::store::audit::Actor;
use anchord::store::compressions::Job;
use anchord::store::tenants::TenantChange;
use sqlx::AssertSqlSafe;
use tokio_util::task::TaskTracker;

use crate::support::{self, TestDatabase};

const LEASE_SECONDS: f64 = 60.0;
const PER_TENANT: i32 = 8;

struct Workers {
    store: Store,
    _database: TestDatabase,
}

async fn workers() -> Workers {
    let database = support::database().await;
    let store = Store::connect(&database.url, 4, TaskTracker::new()).await.unwrap();
    Workers { store, _database: database }
}

impl Workers {
    /// A tenant with this many sessions, each with a job that is due.
    async fn tenant(&self, name: &str, sessions: u32, waiting_seconds: u32) -> TenantId {
        let tenant = self.store.insert_tenant(name, Actor::Cli).await.unwrap().unwrap().id;
        let mut tx = self.store.begin(tenant).await.unwrap();
        let rows = format!(
            "insert into sessions (tenant_id, id, name)
             select '{0}', gen_random_uuid(), 's' || n from generate_series(1, {sessions}) n;
             insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, due_at)
             select tenant_id, gen_random_uuid(), id, 'compress', 'queued', 'utilization', '{{}}',
                    now() - interval '{waiting_seconds} seconds'
             from sessions where tenant_id = '{0}'",
            tenant.0
        );
        sqlx::raw_sql(AssertSqlSafe(rows)).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
        tenant
    }

    async fn claim(&self) -> Option<Job> {
        self.store.claim(1, LEASE_SECONDS, PER_TENANT).await.unwrap()
    }

    async fn claim_all(&self) -> Vec<TenantId> {
        let mut claimed = Vec::new();
        while let Some(job) = self.claim().await {
            claimed.push(job.tenant);
        }
        claimed
    }
}

#[tokio::test]
async fn ten_thousand_waiting_sessions_of_one_tenant_delay_anothers_single_one_by_one_job() {
    let workers = workers().await;
    let busy = workers.tenant("busy", 10_000, 3_600).await;
    let single = workers.tenant("single", 1, 0).await;
    assert_eq!(workers.claim().await.map(|job| job.tenant), Some(busy), "what waits longest is first");
    assert_eq!(workers.claim().await.map(|job| job.tenant), Some(single));
    assert_eq!(workers.claim().await.map(|job| job.tenant), Some(busy));
}

#[tokio::test]
async fn tenants_that_all_wait_run_the_same_number_of_jobs() {
    let workers = workers().await;
    let mut tenants = Vec::new();
    for (i, sessions) in (0u32..).zip([50, 4, 200]) {
        tenants.push(workers.tenant(&format!("t{i}"), sessions, 100 - 10 * i).await);
    }
    let mut claimed = Vec::new();
    for _ in 0..12 {
        claimed.push(workers.claim().await.unwrap().tenant);
    }
    for tenant in tenants {
        assert_eq!(claimed.iter().filter(|claimed| **claimed == tenant).count(), 4);
    }
}

#[tokio::test]
async fn a_tenant_runs_no_more_than_the_pool_or_its_own_bound_allows() {
    let workers = workers().await;
    let free = workers.tenant("free", 40, 10).await;
    let bound = workers.tenant("bound", 40, 10).await;
    let quotas = Quotas { concurrent_compressions: Some(3), ..Quotas::default() };
    let change = TenantChange { quotas: Some(quotas), ..TenantChange::default() };
    workers.store.change_tenant(bound, &change, Actor::Cli).await.unwrap();
    let claimed = workers.claim_all().await;
    let of = |tenant| claimed.iter().filter(|claimed| **claimed == tenant).count();
    assert_eq!((of(free), of(bound)), (8, 3));
}

#[tokio::test]
async fn a_job_whose_lease_ran_out_comes_before_everything_that_waits() {
    let workers = workers().await;
    let lost = workers.tenant("lost", 1, 0).await;
    let first = workers.store.claim(1, -1.0, PER_TENANT).await.unwrap().unwrap();
    assert_eq!(first.tenant, lost);
    workers.tenant("busy", 20, 3_600).await;
    let again = workers.claim().await.unwrap();
    assert_eq!((again.id, again.attempt), (first.id, 2));
}
