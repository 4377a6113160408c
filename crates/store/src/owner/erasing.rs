//! Erasing sessions and tenants: from the commit on nothing of them is shown or worked on, and their names are free.
//!
//! What is erased is hidden by row-level security from the working role too, so that it takes the owner to do it. Rows are
//! deleted afterwards, in steps (`erasures`). Locks are taken in one order: the tenant, main rows, branches, tasks.

use crate::audit::{self, Actor};
use crate::bulkhead::Share;
use crate::erasures::Erasure;
use crate::keys;
use crate::prelude::*;

/// The most branches that one transaction erases, beside those of its first session: each session may have thousands, and
/// erasing it hides all of them at once.
const BRANCHES: i64 = 1_000;

impl Store {
    /// Erases a session with all of its branches and everything that they own: it is hidden and its name is free when this returns, and live
    /// work can no longer publish into it. Rows of a large session are deleted later. Returns `false` when there is no
    /// such session.
    pub async fn delete_session(&self, tenant: TenantId, name: &SessionName, actor: Actor) -> Result<bool> {
        let mut tx = self.begin_as_owner(self.owner.share(tenant).await?, tenant, "").await?;
        let id = sqlx::query_scalar!(
            "select id from sessions where tenant_id = $1 and name = $2",
            tenant.0,
            name.as_str()
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(id) = id else { return Ok(false) };
        if hide_sessions(&mut tx, tenant, &[id]).await? == 0 {
            return Ok(false);
        }
        audit::record(&mut tx, tenant, actor, "session.deleted", id).await?;
        tx.commit().await?;
        self.discount_session(tenant);
        self.erase_now(&Erasure { tenant, sessions: vec![id] }).await;
        Ok(true)
    }

    /// Erases a tenant with everything that it owns except its audit log: it is hidden, its keys are gone and its name
    /// is free when this returns, and its rows are deleted later. Returns `false` when there is no such tenant.
    pub async fn delete_tenant(&self, id: TenantId, actor: Actor) -> Result<bool> {
        // The operator does not wait for the tenant's own requests.
        let mut tx = self.begin_as_owner(Share::default(), id, "").await?;
        // With the revision no append that was decided before is written.
        let done = sqlx::query!(
            r"update tenants t
              set erased_at = now(), name = E'\x01' || t.id, suspended_at = coalesce(t.suspended_at, now()),
                  revision = t.revision + 1
              where t.id = $1 and t.erased_at is null",
            id.0
        );
        if done.execute(&mut *tx).await?.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query!("delete from api_keys where tenant_id = $1", id.0).execute(&mut *tx).await?;
        audit::record(&mut tx, id, actor, "tenant.deleted", id).await?;
        keys::tell(&mut tx, id).await?;
        tx.commit().await?;
        self.forget_keys(id);
        Ok(true)
    }

    /// Erases at most `limit` sessions without a write to any branch for as long as their tenant keeps sessions, over all
    /// tenants in turn, and as many expired ones of single calls; returns their number. An index on the last write would
    /// cost an index write in every append, so candidates are found by their ids, which begin with the time of creation; of
    /// those the branches are looked at, so that an append to a branch writes nothing to main.
    pub async fn erase_expired_sessions(&self, limit: u32) -> Result<u64> {
        let rows = sqlx::query!(
            r#"select e.tenant_id as "tenant_id!", array_agg(e.id) as "sessions!"
               from (
                 (select s.tenant_id, s.id
                 from tenants t
                 cross join lateral (
                   select x.tenant_id, x.id, row_number() over (order by x.id) as place from (
                     select y.tenant_id, y.id from sessions y
                     where y.tenant_id = t.id and y.root_id is null and y.erased_at is null
                       and y.id < (lpad(to_hex((extract(epoch from now() - make_interval(days => t.retention_days)) * 1000)::bigint), 12, '0')
                                   || '70008000000000000000')::uuid
                       and y.updated_at < now() - make_interval(days => t.retention_days)
                       and not (y.branch_count > 0
                                and exists (select from sessions b
                                            where b.root_id = y.id and b.tenant_id = t.id and b.dropped_at is null
                                              and b.updated_at >= now() - make_interval(days => t.retention_days)))
                     order by y.id limit $1
                   ) x
                 ) s
                 where t.retention_days is not null and t.erased_at is null
                 -- Tenants take turns.
                 order by s.place, s.tenant_id limit $1)
                 union all
                 -- Those of single calls.
                 (select s.tenant_id, s.id from sessions s where s.expires_at < now() order by s.expires_at limit $1)
               ) e
               group by e.tenant_id order by e.tenant_id"#,
            i64::from(limit)
        )
        .fetch_all(&mut self.owner.acquire().await?)
        .await?;
        let mut erased = 0;
        for row in rows {
            erased += self.erase_idle(TenantId(row.tenant_id), &row.sessions).await;
        }
        Ok(erased)
    }

    /// Erases those of the sessions that nobody has locked, the others later; a failure stops no other tenant's.
    async fn erase_idle(&self, tenant: TenantId, sessions: &[Uuid]) -> u64 {
        let erasing = async {
            let mut tx = self.begin_as_owner(self.owner.share(tenant).await?, tenant, "").await?;
            let free = sqlx::query_scalar!(
                "select s.id from sessions s where s.tenant_id = $1 and s.id = any($2) and s.erased_at is null
                 for update skip locked",
                tenant.0,
                sessions
            )
            .fetch_all(&mut *tx)
            .await?;
            let erased = hide_some_sessions(&mut tx, tenant, &free).await?;
            tx.commit().await?;
            Ok::<_, StoreError>(erased)
        };
        erasing.await.unwrap_or_else(|error| {
            tracing::warn!(%error, tenant = %tenant.0, "erasing.sessions_kept");
            0
        })
    }
}

/// Erases the first of some sessions, as many as a transaction may; returns how many.
pub(super) async fn hide_some_sessions(
    tx: &mut PgConnection,
    tenant: TenantId,
    sessions: &[Uuid],
) -> Result<u64> {
    let some = sqlx::query_scalar!(
        r#"select w.id as "id!" from (
             select s.id, sum(s.branch_count) over (order by s.id) - s.branch_count as branches_before from sessions s
             where s.tenant_id = $1 and s.id = any($2)
           ) w where w.branches_before < $3"#,
        tenant.0,
        sessions,
        BRANCHES
    )
    .fetch_all(&mut *tx)
    .await?;
    hide_sessions(tx, tenant, &some).await
}

/// Erases sessions with all their branches: hides them, frees their names, ends their jobs, and erases tasks with the last of
/// their sessions. The id of a branch other than main erases that one alone. Returns how many sessions there were.
pub(super) async fn hide_sessions(tx: &mut PgConnection, tenant: TenantId, sessions: &[Uuid]) -> Result<u64> {
    sqlx::query!("select from tenants where id = $1 for key share", tenant.0).execute(&mut *tx).await?;
    // From here on nobody forks them.
    let rows = sqlx::query!(
        "select s.id, s.root_id is null as \"is_main!\", s.task_id from sessions s
         where s.tenant_id = $1 and s.id = any($2) and s.erased_at is null order by s.id for update",
        tenant.0,
        sessions
    )
    .fetch_all(&mut *tx)
    .await?;
    let mut branches: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let sessions: Vec<Uuid> = rows.iter().filter(|row| row.is_main).map(|row| row.id).collect();
    let mut tasks: Vec<String> = rows.into_iter().filter_map(|row| row.task_id).collect();
    if branches.is_empty() {
        return Ok(0);
    }
    // From here on nobody appends to their branches or publishes; this waits for those who do now.
    let others = sqlx::query_scalar!(
        "select s.id from sessions s
         where s.root_id = any($2) and s.tenant_id = $1 and s.erased_at is null and s.id <> all($3)
         order by s.id for update",
        tenant.0,
        &sessions,
        &branches
    );
    branches.extend(others.fetch_all(&mut *tx).await?);
    sqlx::query!(
        r"update sessions s
          set erased_at = now(), name = case when s.root_id is null then E'\x01' || s.id else s.name end, task_id = null,
              parent_session_id = null, user_id = null, expires_at = null, revision = s.revision + 1
          where s.tenant_id = $1 and s.id = any($2)",
        tenant.0,
        &branches
    )
    .execute(&mut *tx)
    .await?;
    hide_what_they_own(&mut *tx, tenant, (&sessions, &branches)).await?;
    let used = sqlx::query_scalar!(
        "select distinct u.task_id from usage_by_session u where u.tenant_id = $1 and u.session_id = any($2)",
        tenant.0,
        &branches
    );
    tasks.extend(used.fetch_all(&mut *tx).await?);
    erase_tasks(tx, tenant, &tasks).await?;
    Ok(sessions.len() as u64)
}

/// Deletes few rows for each session, and ends what would still be found or queued.
async fn hide_what_they_own(
    tx: &mut PgConnection,
    tenant: TenantId,
    (sessions, branches): (&[Uuid], &[Uuid]),
) -> Result<()> {
    sqlx::query!(
        "delete from session_metadata where tenant_id = $1 and session_id = any($2)",
        tenant.0,
        sessions
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "delete from recall_embeddings where tenant_id = $1 and session_id = any($2)",
        tenant.0,
        branches
    )
    .execute(&mut *tx)
    .await?;
    // What a branch keeps that was erased before is deleted from the beginning.
    sqlx::query!(
        "insert into erasures (tenant_id, session_id) select $1, id from unnest($2::uuid[]) as id
         on conflict (tenant_id, session_id) do update set due_at = now(), through_seq = 0",
        tenant.0,
        branches
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "update compressions set status = 'cancelled', finished_at = now(), lease_until = null
         where tenant_id = $1 and session_id = any($2) and status in ('queued', 'running')",
        tenant.0,
        branches
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Erases those of the tasks that have no sessions any more.
async fn erase_tasks(tx: &mut PgConnection, tenant: TenantId, tasks: &[String]) -> Result<()> {
    // Waits for those who erase other sessions of the task at the same moment, and sees what they did.
    sqlx::query!(
        "select from tasks where tenant_id = $1 and task_id = any($2) order by task_id for update",
        tenant.0,
        tasks
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "delete from tasks t
         where t.tenant_id = $1 and t.task_id = any($2)
           and not exists (select from sessions s
                           where s.tenant_id = $1 and s.task_id = t.task_id and s.erased_at is null)
           and not exists (select from usage_by_session u
                           join sessions s on s.tenant_id = u.tenant_id and s.id = u.session_id and s.erased_at is null
                           where u.tenant_id = $1 and u.task_id = t.task_id and u.task_id <> '')",
        tenant.0,
        tasks
    )
    .execute(tx)
    .await?;
    Ok(())
}
