//! Bounds on what a tenant's callers can make grow, besides the messages that they append.
//!
//! Rows are counted when one is added, at most one more than the bound, along an index. Sessions and kept replies may be
//! too many for that: a process counts those of a tenant now and then and adds what it makes in between, so that a tenant may
//! exceed these two by what other processes make in that time. It counts a few at once and more in the background, so
//! that no request and no other tenant's append waits for a long count.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::connection::PgConnection;

use super::bulkhead::Share;
use super::counts::{Count, Counts};
use super::{Store, StoreError};
use anchord_messages::id::{SessionId, TenantId};
use anchord_session::quota::Bound;

/// The most rows that are counted while a request waits.
const COUNTED_AT_ONCE: i64 = 300;

/// Whether the row in question is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// It is, in the open transaction.
    InTransaction,
    /// It is not.
    Later,
}

impl Store {
    /// Checks that a tenant may have the session that is about to be made, or was made in the transaction. The statement
    /// sets the tenant itself, so it needs no transaction.
    pub(super) async fn require_session_room(
        &self,
        connection: &mut PgConnection,
        tenant: TenantId,
        made: Made,
    ) -> Result<(), StoreError> {
        self.require_room((&self.sessions, Bound::Sessions), connection, tenant, made).await
    }

    /// Checks that one more reply of a tenant may be kept for an idempotency key, as [`Self::require_session_room`].
    pub(super) async fn require_reply_room(
        &self,
        connection: &mut PgConnection,
        tenant: TenantId,
    ) -> Result<(), StoreError> {
        self.require_room((&self.replies, Bound::KeptReplies), connection, tenant, Made::Later).await
    }

    async fn require_room(
        &self,
        (counts, bound): (&Counts, Bound),
        connection: &mut PgConnection,
        tenant: TenantId,
        made: Made,
    ) -> Result<(), StoreError> {
        let count = if let Some(count) = counts.0.get(&tenant).await {
            count
        } else {
            let limit = limit(&mut *connection, tenant, bound).await?;
            let used = count_rows(connection, tenant, bound, COUNTED_AT_ONCE).await?;
            // The one in question is counted when it is there to stay.
            let others = if made == Made::InTransaction { used - 1 } else { used };
            let count = Arc::new(Count { limit, used: others.into() });
            counts.0.insert(tenant, Arc::clone(&count)).await;
            if used == COUNTED_AT_ONCE {
                self.count_all(tenant, bound, Arc::clone(&count));
            }
            count
        };
        within(bound, count.limit, count.used.load(Ordering::Relaxed))
    }

    /// Counts all rows in the background.
    fn count_all(&self, tenant: TenantId, bound: Bound, count: Arc<Count>) {
        let store = self.clone();
        let counting = async move {
            let begin = format!("begin; set local app.tenant_id = '{}'", tenant.0);
            let mut tx = store.begin_with(Share::default(), begin).await?;
            let used = count_rows(&mut tx, tenant, bound, count.limit.saturating_add(1)).await?;
            // What was made meanwhile is in both.
            count.used.fetch_add(used - COUNTED_AT_ONCE, Ordering::Relaxed);
            Ok::<_, StoreError>(())
        };
        self.tracker.spawn(async move {
            if let Err(error) = counting.await {
                tracing::warn!(%error, tenant = %tenant.0, bound = bound.name(), "quotas.not_counted");
            }
        });
    }

    /// Counts a session that was made, after the commit.
    pub async fn count_session(&self, tenant: TenantId) {
        self.sessions.add(tenant, 1).await;
    }

    /// Takes an erased session from the count.
    pub(super) async fn discount_session(&self, tenant: TenantId) {
        self.sessions.add(tenant, -1).await;
    }

    /// Counts replies that were kept.
    pub(super) async fn count_replies(&self, tenant: TenantId, replies: i64) {
        self.replies.add(tenant, replies).await;
    }

    /// Forgets what is cached of a tenant, because its quotas have changed.
    pub(super) async fn forget_counts(&self, tenant: TenantId) {
        self.sessions.0.invalidate(&tenant).await;
        self.replies.0.invalidate(&tenant).await;
    }
}

/// Counts the sessions, or the kept replies, of a tenant, up to a number.
async fn count_rows(
    connection: &mut PgConnection,
    tenant: TenantId,
    bound: Bound,
    most: i64,
) -> Result<i64, StoreError> {
    Ok(if bound == Bound::Sessions {
        sqlx::query_scalar!(
            r#"with bound as materialized (
                 select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
               )
               select found.rows as "rows!"
               from bound
               cross join lateral (
                 select count(*) as rows from (
                   select from sessions s where s.tenant_id = bound.tenant_id and s.root_id is null limit $2
                 ) page
               ) found"#,
            tenant.0,
            most
        )
        .fetch_one(connection)
        .await?
    } else {
        sqlx::query_scalar!(
            r#"with bound as materialized (
                 select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
               )
               select found.rows as "rows!"
               from bound
               cross join lateral (
                 select count(*) as rows from (
                   select from idempotency_keys i where i.tenant_id = bound.tenant_id limit $2
                 ) page
               ) found"#,
            tenant.0,
            most
        )
        .fetch_one(connection)
        .await?
    })
}

/// Refuses one more when all are used.
fn within(bound: Bound, limit: i64, used: i64) -> Result<(), StoreError> {
    if used < limit { Ok(()) } else { Err(StoreError::OverQuota { bound, limit, used: used.max(0) }) }
}

/// The tenant's bound. The statement sets the tenant itself.
async fn limit(tx: &mut PgConnection, tenant: TenantId, bound: Bound) -> Result<i64, StoreError> {
    let own = sqlx::query_scalar!(
        r#"with bound as materialized (
             select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
           )
           select t.own
           from bound
           cross join lateral (
             select (x.quotas ->> $2)::bigint as own from tenants x where x.id = bound.tenant_id limit 1
           ) t"#,
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

/// Checks that a caller may make one more version of a session, by a rollback.
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
