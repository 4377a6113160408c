//! The workers serve tenants fairly: however much one has waiting, another waits for a job or two.

use anchord_messages::id::TenantId;
use anchord_session::quota::Quotas;
use anchord_store::Store;
use anchord_store::audit::Actor;
use anchord_store::compressions::Job;
use anchord_store::tenants::{TenantChange, TenantStatus};
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
        let tenant = support::tenant(&self.store, name).await;
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
        self.claim_several(1).await.pop()
    }

    async fn claim_several(&self, jobs: i32) -> Vec<Job> {
        self.store.claim(1, LEASE_SECONDS, PER_TENANT, jobs).await.unwrap()
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
async fn the_last_permit_is_only_for_tenants_that_run_nothing() {
    let workers = workers().await;
    let busy = workers.tenant("busy", 10, 3_600).await;
    let quotas = Quotas { concurrent_compressions: Some(20), ..Quotas::default() };
    let change = TenantChange { quotas: Some(quotas), ..TenantChange::default() };
    workers.store.change_tenant(busy, &change, Actor::Cli).await.unwrap();
    let last =
        async || workers.store.claim(1, LEASE_SECONDS, 0, 1).await.unwrap().pop().map(|job| job.tenant);
    assert_eq!(last().await, Some(busy), "it runs nothing yet");
    assert_eq!(last().await, None);
    let single = workers.tenant("single", 2, 0).await;
    assert_eq!(last().await, Some(single));
    assert_eq!(last().await, None);
    assert_eq!(workers.claim().await.map(|job| job.tenant), Some(busy), "other permits are as before");
}

#[tokio::test]
async fn a_takeover_waits_for_the_end_of_a_suspension() {
    let workers = workers().await;
    let lost = workers.tenant("lost", 2, 0).await;
    assert_eq!(workers.store.claim(1, -1.0, PER_TENANT, 2).await.unwrap().len(), 2);
    let to = |status| TenantChange { status: Some(status), ..TenantChange::default() };
    workers.store.change_tenant(lost, &to(TenantStatus::Suspended), Actor::Cli).await.unwrap();
    assert_eq!(workers.claim_all().await, []);
    workers.store.change_tenant(lost, &to(TenantStatus::Active), Actor::Cli).await.unwrap();
    assert_eq!(workers.claim_all().await, [lost, lost]);
}

#[tokio::test]
async fn takeovers_stay_within_the_bound_of_their_tenant() {
    let workers = workers().await;
    let bound = workers.tenant("bound", 6, 0).await;
    assert_eq!(workers.store.claim(1, -1.0, PER_TENANT, 6).await.unwrap().len(), 6);
    let quotas = Quotas { concurrent_compressions: Some(2), ..Quotas::default() };
    let change = TenantChange { quotas: Some(quotas), ..TenantChange::default() };
    workers.store.change_tenant(bound, &change, Actor::Cli).await.unwrap();
    assert_eq!(workers.claim_several(4).await.len(), 2);
    assert_eq!(workers.claim_all().await, []);
}

#[tokio::test]
async fn jobs_that_are_claimed_together_are_those_that_would_be_claimed_one_by_one() {
    let workers = workers().await;
    let mut tenants = Vec::new();
    for (i, sessions) in (0u32..).zip([50, 4, 200]) {
        tenants.push(workers.tenant(&format!("t{i}"), sessions, 100 - 10 * i).await);
    }
    let bound = workers.tenant("bound", 40, 200).await;
    let quotas = Quotas { concurrent_compressions: Some(2), ..Quotas::default() };
    let change = TenantChange { quotas: Some(quotas), ..TenantChange::default() };
    workers.store.change_tenant(bound, &change, Actor::Cli).await.unwrap();
    let lost = workers.store.claim(1, -1.0, PER_TENANT, 1).await.unwrap().pop().unwrap();
    assert_eq!(lost.tenant, bound, "what waits longest is first");
    let claimed = workers.claim_several(14).await;
    let again = claimed.iter().find(|job| job.id == lost.id).expect("a job whose lease ran out comes first");
    assert_eq!((again.attempt, again.crashes), (2, 1));
    let of = |tenant| claimed.iter().filter(|job| job.tenant == tenant).count();
    assert_eq!(tenants.iter().map(|tenant| of(*tenant)).collect::<Vec<_>>(), [4, 4, 4]);
    assert_eq!(of(bound), 2);
    let rest = workers.claim_several(100).await;
    let of = |tenant| rest.iter().filter(|job| job.tenant == tenant).count();
    assert_eq!(
        (of(bound), tenants.iter().map(|tenant| of(*tenant)).collect::<Vec<_>>()),
        (0, vec![4, 0, 4]),
        "no tenant runs more than eight"
    );
    assert!(workers.claim_several(100).await.is_empty());
}

#[tokio::test]
async fn workers_that_claim_at_once_never_claim_one_job_twice() {
    let workers = workers().await;
    for n in 0..10 {
        workers.tenant(&format!("t{n}"), 8, 10).await;
    }
    let mut claimed = Vec::new();
    loop {
        let claims = (0..4).map(|_| workers.claim_several(5));
        let round: Vec<Job> = futures::future::join_all(claims).await.into_iter().flatten().collect();
        if round.is_empty() {
            break;
        }
        claimed.extend(round.iter().map(|job| job.id));
    }
    assert_eq!(claimed.len(), 80, "nobody sleeps while something is due");
    claimed.sort_unstable();
    claimed.dedup();
    assert_eq!(claimed.len(), 80);
}

#[tokio::test]
async fn whoever_finds_the_next_jobs_taken_takes_others() {
    let workers = workers().await;
    let tenant = workers.tenant("t", 6, 10).await;
    let mut other = workers.store.begin(tenant).await.unwrap();
    let hold = "select from compressions where status = 'queued' order by due_at, id limit 3 for update";
    sqlx::raw_sql(hold).execute(&mut *other).await.unwrap();
    let mut taken = 0;
    while taken < 3 {
        let jobs = workers.claim_several(3).await.len();
        assert!(jobs > 0, "three more are due");
        taken += jobs;
    }
    assert!(workers.claim_several(3).await.is_empty());
    other.rollback().await.unwrap();
    assert_eq!(workers.claim_several(6).await.len(), 3);
}
