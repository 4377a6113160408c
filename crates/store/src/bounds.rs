//! Bounds on what a tenant's callers can make grow, besides the messages that they append.
//!
//! Rows are counted when one is added, at most one more than the bound, along an index. Sessions and kept replies may be
//! too many for that: a process counts those of a tenant now and then and adds what it makes in between, so that a tenant may
//! exceed these two by what other processes make in that time. It counts a few at once and more in the background, so
//! that no request and no other tenant's append waits for a long count.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::prelude::*;
use crate::usage::QuotaUsage;
use chrono::NaiveDate;

use super::bulkhead::Share;
use super::counts::{Count, Counts};
use anchord_session::quota::Bound;

/// The most rows that are counted while a request waits.
const COUNTED_AT_ONCE: i64 = 300;

/// Counts rows up to a limit.
macro_rules! count_up_to {
    ($connection:expr, $rows:literal, $($value:expr),*) => {
        sqlx::query_scalar!(r#"select count(*) as "rows!" from (select from "# + $rows + ") found", $($value),*)
            .fetch_one($connection)
            .await?
    };
}

/// Whether the row in question is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// It is, in the open transaction.
    InTransaction,
    /// It is not.
    Later,
}

/// Usage of the bounds that hold for a tenant as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// Messages of the day, and bytes that are stored.
    pub appended: QuotaUsage,
    /// Tokens that models have taken for summaries on the day.
    pub llm_tokens: i64,
    /// Compressions that run.
    pub running_compressions: i64,
    /// Sessions.
    pub sessions: i64,
    /// Keys that are neither revoked nor expired.
    pub keys: i64,
    /// Replies that are kept for idempotency keys.
    pub kept_replies: i64,
    /// Jobs that wait for a worker.
    pub waiting_jobs: i64,
}

impl Store {
    /// Reads a tenant's usage of its bounds on a day. Sessions and kept replies are those that this process knows of.
    pub async fn find_used(&self, tenant: TenantId, day: NaiveDate) -> Result<Used> {
        let appended = self.find_standing(tenant, day).await?;
        let mut tx = self.snapshot(tenant).await?;
        let waiting = limit(&mut tx, tenant, Bound::WaitingJobs).await?;
        let row = sqlx::query!(
            r#"select coalesce((select d.tokens_in + d.tokens_out from usage_by_day d
                                where d.tenant_id = $1 and d.day = $2 and d.kind = 'model'), 0) as "llm_tokens!",
                      (select count(*) from compressions where tenant_id = $1 and status = 'running') as "running!",
                      (select count(*) from api_keys
                       where tenant_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())) as "keys!",
                      (select count(*) from (
                         select from compressions where tenant_id = $1 and status = 'queued' limit $3
                       ) found) as "waiting!""#,
            tenant.0,
            day,
            waiting + 1
        )
        .fetch_one(&mut *tx)
        .await?;
        let sessions = self.count(&self.sessions, Bound::Sessions, &mut tx, tenant).await?;
        let kept_replies = self.count(&self.replies, Bound::KeptReplies, &mut tx, tenant).await?;
        tx.commit().await?;
        Ok(Used {
            appended,
            llm_tokens: row.llm_tokens,
            running_compressions: row.running,
            sessions,
            keys: row.keys,
            kept_replies,
            waiting_jobs: row.waiting,
        })
    }

    /// Counts what a process counts now and then, to the end, unless it has lately.
    async fn count(
        &self,
        counts: &Counts,
        bound: Bound,
        tx: &mut PgConnection,
        tenant: TenantId,
    ) -> Result<i64> {
        let count = if let Some(count) = counts.0.get(&tenant) {
            count
        } else {
            let limit = limit(&mut *tx, tenant, bound).await?;
            let used = count_rows(tx, tenant, bound, limit.saturating_add(1)).await?;
            let count = Arc::new(Count { limit, used: used.into() });
            counts.0.insert(tenant, Arc::clone(&count));
            count
        };
        Ok(count.used.load(Ordering::Relaxed).max(0))
    }

    /// Checks that a tenant may have the session that is about to be made, or was made in the transaction.
    pub(super) async fn require_session_room(
        &self,
        connection: &mut PgConnection,
        tenant: TenantId,
        made: Made,
    ) -> Result<()> {
        self.require_room((&self.sessions, Bound::Sessions), connection, tenant, made).await
    }

    /// Checks that one more reply of a tenant may be kept for an idempotency key, as [`Self::require_session_room`].
    pub(super) async fn require_reply_room(
        &self,
        connection: &mut PgConnection,
        tenant: TenantId,
    ) -> Result<()> {
        self.require_room((&self.replies, Bound::KeptReplies), connection, tenant, Made::Later).await
    }

    async fn require_room(
        &self,
        (counts, bound): (&Counts, Bound),
        connection: &mut PgConnection,
        tenant: TenantId,
        made: Made,
    ) -> Result<()> {
        let count = if let Some(count) = counts.0.get(&tenant) {
            count
        } else {
            let has_begun = connection.enter(tenant).await?;
            let counted = async {
                let limit = limit(&mut *connection, tenant, bound).await?;
                Ok::<_, StoreError>((
                    limit,
                    count_rows(&mut *connection, tenant, bound, COUNTED_AT_ONCE).await?,
                ))
            };
            let counted = counted.await;
            connection.leave(has_begun).await?;
            let (limit, used) = counted?;
            // The one in question is counted when it is there to stay.
            let others = if made == Made::InTransaction { used - 1 } else { used };
            let count = Arc::new(Count { limit, used: others.into() });
            counts.0.insert(tenant, Arc::clone(&count));
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
            let mut tx = store.begin_with(Share::default(), tenant, ["begin", ""]).await?;
            let used = count_rows(&mut tx, tenant, bound, count.limit.saturating_add(1)).await?;
            // Rows that were made meanwhile are in both.
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
    pub fn count_session(&self, tenant: TenantId) {
        self.sessions.add(tenant, 1);
    }

    /// Takes an erased session from the count.
    pub(super) fn discount_session(&self, tenant: TenantId) {
        self.sessions.add(tenant, -1);
    }

    /// Counts replies that were kept.
    pub(super) fn count_replies(&self, tenant: TenantId, replies: i64) {
        self.replies.add(tenant, replies);
    }

    /// Forgets what is cached of a tenant, because its quotas have changed.
    pub(super) fn forget_counts(&self, tenant: TenantId) {
        self.sessions.0.invalidate(&tenant);
        self.replies.0.invalidate(&tenant);
    }
}

/// Counts the sessions, or the kept replies, of a tenant, up to a number.
async fn count_rows(connection: &mut PgConnection, tenant: TenantId, bound: Bound, most: i64) -> Result<i64> {
    Ok(if bound == Bound::Sessions {
        count_up_to!(connection, "sessions where tenant_id = $1 and root_id is null limit $2", tenant.0, most)
    } else {
        count_up_to!(connection, "idempotency_keys where tenant_id = $1 limit $2", tenant.0, most)
    })
}

/// Refuses one more when all are used.
fn within(bound: Bound, limit: i64, used: i64) -> Result<()> {
    if used < limit { Ok(()) } else { Err(StoreError::OverQuota { bound, limit, used: used.max(0) }) }
}

/// The tenant's bound.
async fn limit(tx: &mut PgConnection, tenant: TenantId, bound: Bound) -> Result<i64> {
    let own = sqlx::query_scalar!(
        "select (quotas ->> $2)::bigint as own from tenants where id = $1",
        tenant.0,
        bound.name()
    )
    .fetch_optional(tx)
    .await?;
    Ok(own.flatten().unwrap_or(bound.default()))
}

/// Checks that a tenant may have the key that was just stored. Locks the tenant, so that two requests cannot both take the last place;
/// sessions can be made meanwhile.
pub(super) async fn require_key_room(tx: &mut PgConnection, tenant: TenantId) -> Result<()> {
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
pub async fn require_job_room(tx: &mut PgConnection, key: SessionKey) -> Result<()> {
    let most = limit(&mut *tx, key.tenant, Bound::WaitingJobs).await?;
    let waiting = count_up_to!(
        &mut *tx,
        "compressions where tenant_id = $1 and status = 'queued' limit $2",
        key.tenant.0,
        most + 1
    );
    within(Bound::WaitingJobs, most, waiting - 1)?;
    let most = limit(&mut *tx, key.tenant, Bound::JobsPerSession).await?;
    let jobs = count_up_to!(
        tx,
        "compressions where tenant_id = $1 and session_id = $2 limit $3",
        key.tenant.0,
        key.id.0,
        most + 1
    );
    within(Bound::JobsPerSession, most, jobs - 1)
}

/// Checks that a caller may make one more version of a session, by a rollback.
pub(super) async fn require_version_room(
    tx: &mut PgConnection,
    tenant: TenantId,
    last_version: i64,
) -> Result<()> {
    let limit = limit(tx, tenant, Bound::VersionsPerSession).await?;
    within(Bound::VersionsPerSession, limit, last_version)
}

/// Checks that a session may become part of one more task: each has rows of its own for what is used.
pub(super) async fn require_task_room(tx: &mut PgConnection, key: SessionKey) -> Result<()> {
    let limit = limit(&mut *tx, key.tenant, Bound::TasksPerSession).await?;
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
        key.tenant.0,
        key.id.0,
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
) -> Result<()> {
    let limit = limit(&mut *tx, tenant, Bound::WaitingDeliveries).await?;
    let waiting = count_up_to!(
        tx,
        "webhook_deliveries where tenant_id = $1 and webhook_id = $2 and status = 'pending' limit $3",
        tenant.0,
        webhook,
        limit + 1
    );
    within(Bound::WaitingDeliveries, limit, waiting - 1)
}
