//! Bounds on what a tenant's callers can make grow, besides the messages that they append.
//!
//! Rows that are few or asked for rarely are counted when one is added, at most one more than the bound, along an index.
//! Sessions and kept replies are too many for that: sums by day hold them, and a process reads the sum of a tenant now and
//! then and adds what it makes in between. So a tenant may exceed these two by what other processes make in that time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use moka::future::Cache;
use sqlx::PgConnection;

use super::{Store, StoreError};
use anchord_messages::id::{SessionId, TenantId};
use anchord_session::quota::Bound;

/// How long a sum that was read is used.
const EXPIRES_AFTER: Duration = Duration::from_secs(20);
/// The most tenants whose sums are cached.
const MAX_TENANTS: u64 = 10_000;

/// What tenants have of something, as far as this process knows.
#[derive(Clone, Debug)]
pub(super) struct Sums(Cache<TenantId, Arc<Sum>>);

#[derive(Debug)]
struct Sum {
    limit: i64,
    used: AtomicI64,
}

impl Sums {
    pub(super) fn new() -> Self {
        Self(Cache::builder().max_capacity(MAX_TENANTS).time_to_live(EXPIRES_AFTER).build())
    }

    /// Adds to a sum that is cached; one that is not will be read.
    async fn add(&self, tenant: TenantId, more: i64) {
        if let Some(sum) = self.0.get(&tenant).await {
            sum.used.fetch_add(more, Ordering::Relaxed);
        }
    }
}

impl Store {
    /// Checks that a tenant may have one more session. The statement sets the tenant itself, so it needs no
    /// transaction.
    pub(super) async fn require_session_room(
        &self,
        connection: &mut PgConnection,
        tenant: TenantId,
    ) -> Result<(), StoreError> {
        let sum = match self.sessions.0.get(&tenant).await {
            Some(sum) => sum,
            None => {
                let row = sqlx::query!(
                    r#"with bound as materialized (
                         select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
                       )
                       select t.own, used.sessions as "used!"
                       from bound
                       cross join lateral (
                         select (x.quotas ->> 'sessions')::bigint as own from tenants x where x.id = bound.tenant_id limit 1
                       ) t
                       cross join lateral (
                         select coalesce(sum(d.sessions), 0)::bigint as sessions from usage_by_day d
                         where d.tenant_id = bound.tenant_id and d.kind = 'append'
                       ) used"#,
                    tenant.0
                )
                .fetch_optional(connection)
                .await?;
                // The tenant is gone, which the caller finds by itself.
                let Some(row) = row else { return Ok(()) };
                let limit = row.own.unwrap_or(Bound::Sessions.default());
                let sum = Arc::new(Sum { limit, used: row.used.into() });
                self.sessions.0.insert(tenant, Arc::clone(&sum)).await;
                sum
            }
        };
        within(Bound::Sessions, sum.limit, sum.used.load(Ordering::Relaxed))
    }

    /// Counts a session that was made, after the commit.
    pub async fn count_session(&self, tenant: TenantId) {
        self.meter.count_made(tenant, (1, 0));
        self.sessions.add(tenant, 1).await;
    }

    /// Takes an erased session from the sum; in the database the erasure has done so.
    pub(super) async fn discount_session(&self, tenant: TenantId) {
        self.sessions.add(tenant, -1).await;
    }

    /// Checks that one more reply of a tenant may be kept for an idempotency key, as [`Self::require_session_room`].
    pub(super) async fn require_reply_room(
        &self,
        connection: &mut PgConnection,
        tenant: TenantId,
    ) -> Result<(), StoreError> {
        let sum = match self.replies.0.get(&tenant).await {
            Some(sum) => sum,
            None => {
                let row = sqlx::query!(
                    r#"with bound as materialized (
                         select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
                       )
                       select t.own, used.replies as "used!"
                       from bound
                       cross join lateral (
                         select (x.quotas ->> 'kept_replies')::bigint as own
                         from tenants x where x.id = bound.tenant_id limit 1
                       ) t
                       cross join lateral (
                         select coalesce(sum(d.replies), 0)::bigint as replies from usage_by_day d
                         where d.tenant_id = bound.tenant_id and d.kind = 'append'
                           and d.day >= (now() at time zone 'UTC')::date - 1
                       ) used"#,
                    tenant.0
                )
                .fetch_optional(connection)
                .await?;
                // The tenant is gone, or is being made.
                let Some(row) = row else { return Ok(()) };
                let limit = row.own.unwrap_or(Bound::KeptReplies.default());
                let sum = Arc::new(Sum { limit, used: row.used.into() });
                self.replies.0.insert(tenant, Arc::clone(&sum)).await;
                sum
            }
        };
        within(Bound::KeptReplies, sum.limit, sum.used.load(Ordering::Relaxed))
    }

    /// Counts replies that were kept.
    pub(super) async fn count_replies(&self, tenant: TenantId, replies: i64) {
        self.meter.count_made(tenant, (0, replies));
        self.replies.add(tenant, replies).await;
    }

    /// Forgets what is cached of a tenant, because its quotas have changed.
    pub(super) async fn forget_sums(&self, tenant: TenantId) {
        self.sessions.0.invalidate(&tenant).await;
        self.replies.0.invalidate(&tenant).await;
    }
}

/// Refuses one more when all are used.
fn within(bound: Bound, limit: i64, used: i64) -> Result<(), StoreError> {
    if used < limit { Ok(()) } else { Err(StoreError::OverQuota { bound, limit, used: used.max(0) }) }
}

/// The tenant's bound, in its open transaction.
async fn limit(tx: &mut PgConnection, tenant: TenantId, bound: Bound) -> Result<i64, StoreError> {
    let own = sqlx::query_scalar!(
        "select (quotas ->> $2)::bigint from tenants where id = $1",
        tenant.0,
        bound.name()
    )
    .fetch_optional(tx)
    .await?;
    Ok(own.flatten().unwrap_or(bound.default()))
}

/// Checks that a tenant may have the key that was just stored. Locks the tenant, so that two requests cannot both take the last place;
/// sessions can be made meanwhile.
pub(super) async fn require_key_room(tx: &mut PgConnection, tenant: TenantId) -> Result<(), StoreError> {
    sqlx::query!("select from tenants where id = $1 for no key update", tenant.0)
        .fetch_optional(&mut *tx)
        .await?;
    let limit = limit(tx, tenant, Bound::Keys).await?;
    let used = sqlx::query_scalar!(
        r#"select count(*) as "used!" from api_keys
           where tenant_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())"#,
        tenant.0
    )
    .fetch_one(tx)
    .await?;
    within(Bound::Keys, limit, used - 1)
}

/// Checks that a caller may have asked for the job that was just queued: that not too many wait, and that the session has
/// not had too many.
///
/// # Errors
/// When there are as many as there may be, or the database fails.
pub async fn require_job_room(
    tx: &mut PgConnection,
    (tenant, session): (TenantId, SessionId),
) -> Result<(), StoreError> {
    let most = limit(&mut *tx, tenant, Bound::WaitingJobs).await?;
    let waiting = sqlx::query_scalar!(
        r#"select count(*) as "waiting!" from (
             select from compressions where tenant_id = $1 and status = 'queued' limit $2
           ) found"#,
        tenant.0,
        most + 1
    )
    .fetch_one(&mut *tx)
    .await?;
    within(Bound::WaitingJobs, most, waiting - 1)?;
    let most = limit(&mut *tx, tenant, Bound::JobsPerSession).await?;
    let jobs = sqlx::query_scalar!(
        r#"select count(*) as "jobs!" from (
             select from compressions where tenant_id = $1 and session_id = $2 limit $3
           ) found"#,
        tenant.0,
        session.0,
        most + 1
    )
    .fetch_one(tx)
    .await?;
    within(Bound::JobsPerSession, most, jobs - 1)
}

/// Checks that a caller may make one more version of a session, by a rollback or a merge.
pub(super) async fn require_version_room(
    tx: &mut PgConnection,
    tenant: TenantId,
    last_version: i64,
) -> Result<(), StoreError> {
    let limit = limit(tx, tenant, Bound::VersionsPerSession).await?;
    within(Bound::VersionsPerSession, limit, last_version)
}

/// Checks that a session may become part of one more task: each has rows of its own for what is used.
pub(super) async fn require_task_room(
    tx: &mut PgConnection,
    (tenant, session): (TenantId, SessionId),
) -> Result<(), StoreError> {
    let limit = limit(&mut *tx, tenant, Bound::TasksPerSession).await?;
    let tasks = sqlx::query_scalar!(
        r#"with recursive tasks (task_id, place) as (
             (select u.task_id, 1 from usage_by_session u
              where u.tenant_id = $1 and u.session_id = $2 and u.task_id <> '' order by u.task_id limit 1)
             union all
             select n.task_id, t.place + 1 from tasks t
             cross join lateral (
               select u.task_id from usage_by_session u
               where u.tenant_id = $1 and u.session_id = $2 and u.task_id > t.task_id order by u.task_id limit 1
             ) n
             where t.place <= $3
           )
           select count(*) as "tasks!" from tasks"#,
        tenant.0,
        session.0,
        i32::try_from(limit).unwrap_or(i32::MAX)
    )
    .fetch_one(tx)
    .await?;
    within(Bound::TasksPerSession, limit, tasks)
}

/// Checks that the delivery of a webhook that was just made due may wait.
pub(super) async fn require_delivery_room(
    tx: &mut PgConnection,
    tenant: TenantId,
    webhook: uuid::Uuid,
) -> Result<(), StoreError> {
    let limit = limit(&mut *tx, tenant, Bound::WaitingDeliveries).await?;
    let waiting = sqlx::query_scalar!(
        r#"select count(*) as "waiting!" from (
             select from webhook_deliveries where tenant_id = $1 and webhook_id = $2 and status = 'pending' limit $3
           ) found"#,
        tenant.0,
        webhook,
        limit + 1
    )
    .fetch_one(tx)
    .await?;
    within(Bound::WaitingDeliveries, limit, waiting - 1)
}
