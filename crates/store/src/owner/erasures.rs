//! The rows of erased sessions, branches and tenants: one list of tables, of which each step deletes at most so many rows that
//! it takes a fraction of a second. Sessions own rows that have no foreign key, because checking it would cost an append an
//! eighth of its time; the list knows all of them, and the working role can delete in no other way.

use super::erasing::{hide_sessions, hide_some_sessions};
use crate::erasures::Erasure;
use crate::prelude::*;

/// The most sessions of a tenant that one step deletes from.
const SESSIONS: i64 = 50;
/// The most messages, and bytes of them, that one step deletes. A message may be as large as 4 MiB, and deleting it reads
/// where its pieces are.
const MESSAGES: i64 = 500;
const BYTES: i64 = 64 * 1024 * 1024;
/// The most branches that one step finds to be needed no more; the rest are left to further steps.
const UNNEEDED: usize = 20;
/// Without statistics a bitmap looks cheaper than the first rows of an index, and reads all of a session.
const NO_BITMAPS: &str = "; set local enable_bitmapscan = off";

/// Rows of an erased branch that stay because other branches stand on it; the default is none.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// Messages through here.
    seq: i64,
    /// Versions through this one.
    version: i64,
    /// The ledger of messages through here.
    anchor: i64,
    /// The recall index and the vectors.
    is_indexed: bool,
    /// The switches, which are the session's and kept with main.
    has_switches: bool,
}

impl Kept {
    const NOTHING: Self = Self { seq: -1, version: -1, anchor: -1, is_indexed: false, has_switches: false };
}

/// Deletes rows of sessions from tables, each at most so many at a time and only those of a condition, whose parameter is
/// `$4`, or all rows of a tenant; returns when a table may have more. The rows are named by their places, which a
/// subquery finds under the tenant: a plan that is made while a table is empty would read all of a tenant for them.
macro_rules! delete_from {
    ($tx:expr, $tenant:expr, $sessions:expr; $($table:literal, $rows:literal, $condition:literal, $kept:expr;)*) => {$(
        let most: i64 = $rows;
        let done = sqlx::query!(
            "delete from " + $table + " x where x.ctid = any (array(
               select one.place from unnest($2::uuid[]) as erased(id)
               cross join lateral (
                 select y.ctid as place from " + $table + " y
                 where y.tenant_id = $1 and y.session_id = erased.id and " + $condition + " limit $3
               ) one
               limit $3))",
            $tenant.0,
            $sessions,
            most,
            $kept
        )
        .execute(&mut *$tx)
        .await?;
        if done.rows_affected() >= most.unsigned_abs() {
            return Ok(true);
        }
    )*};
    ($tx:expr, $tenant:expr; $($table:literal, $rows:literal;)*) => {$(
        let most: i64 = $rows;
        let done = sqlx::query!(
            "delete from " + $table + " x where x.ctid = any (array(
               select y.ctid from " + $table + " y where y.tenant_id = $1 limit $2))",
            $tenant.0,
            most
        )
        .execute(&mut *$tx)
        .await?;
        if done.rows_affected() >= most.unsigned_abs() {
            return Ok(true);
        }
    )*};
}

/// The list: everything that sessions own and that is not small. What is small goes with the row of the session.
async fn delete_rows(
    tx: &mut PgConnection,
    tenant: TenantId,
    (sessions, kept): (&[Uuid], Kept),
) -> Result<bool> {
    delete_from!(tx, tenant, sessions;
        "webhook_deliveries", 1_000, "$4::boolean", true;
        "idempotency_keys", 1_000, "$4::boolean", true;
        "events", 2_000, "(y.kind <> 'session.branch_switched' or $4::boolean)", !kept.has_switches;
        "evaluations", 200, "$4::boolean", true;
        "compressions", 100, "$4::boolean", true;
        "pins", 1_000, "$4::boolean", true;
        "notes", 1_000, "$4::boolean", true;
        "dropped_entries", 5_000, "$4::boolean", true;
        "todo_lists", 100, "$4::boolean", true;
        "recall_embeddings", 100, "$4::boolean", !kept.is_indexed;
        "tool_outputs", 5_000, "y.seq > $4", kept.seq;
        "ledger_entries", 5_000, "y.first_seq > $4", kept.anchor;
        "probes", 1_000, "(y.version is null or y.version > $4)", kept.version;
        "record_parts", 500, "y.id >> 20 > $4", kept.version;
        "summaries", 100, "y.version > $4", kept.version;
        "recall_postings", 500, "$4::boolean", !kept.is_indexed;
        "recall_pending", 100, "$4::boolean", !kept.is_indexed;
        "recall_vectors", 500, "$4::boolean", !kept.is_indexed;
    );
    Ok(false)
}

/// Deletes messages of sessions above a position; returns their bytes, and whether more are left.
async fn delete_messages(
    tx: &mut PgConnection,
    tenant: TenantId,
    (sessions, above): (&[Uuid], i64),
) -> Result<(i64, bool)> {
    let page = sqlx::query!(
        r#"with page as materialized (
             select m.place, m.bytes, (sum(m.bytes) over (order by m.session_id, m.seq) - m.bytes)::bigint as bytes_before
             from (
               select x.place, x.session_id, x.seq, x.bytes
               from erasures e
               cross join lateral (
                 select y.ctid as place, y.session_id, y.seq, octet_length(y.body)::bigint as bytes from messages y
                 where y.tenant_id = $1 and y.session_id = e.session_id and y.seq > greatest(e.through_seq, $3)
                 order by y.seq limit $4
               ) x
               where e.tenant_id = $1 and e.session_id = any($2)
               limit $4
             ) m
           ),
           gone as (
             delete from messages x where x.ctid = any (array(select p.place from page p where p.bytes_before < $5))
             returning x.session_id, x.seq
           ),
           noted as (
             update erasures e set through_seq = g.seq
             from (select o.session_id, max(o.seq) as seq from gone o group by o.session_id) g
             where e.tenant_id = $1 and e.session_id = g.session_id
           )
           select coalesce(sum(p.bytes) filter (where p.bytes_before < $5), 0)::bigint as "bytes!",
                  (count(*) = $4 or coalesce(bool_or(p.bytes_before >= $5), false)) as "is_more!"
           from page p"#,
        tenant.0,
        sessions,
        above,
        MESSAGES,
        BYTES
    )
    .fetch_one(tx)
    .await?;
    Ok((page.bytes, page.is_more))
}

impl Store {
    /// Rows to delete, one entry for each tenant: at most so many of its erased sessions that are due, and none when it is
    /// erased itself or they are not due.
    pub async fn next_erasures(&self) -> Result<Vec<Erasure>> {
        let rows = sqlx::query!(
            r#"with recursive waiting (tenant_id) as (
                 (select e.tenant_id from erasures e order by e.tenant_id limit 1)
                 union all
                 select (select e.tenant_id from erasures e where e.tenant_id > w.tenant_id order by e.tenant_id limit 1)
                 from waiting w where w.tenant_id is not null
               ),
               owners as (
                 select w.tenant_id from waiting w where w.tenant_id is not null
                 union
                 select t.id from tenants t where t.erased_at is not null
               )
               select o.tenant_id as "tenant_id!", array(
                 select e.session_id from erasures e
                 where e.tenant_id = o.tenant_id and e.due_at <= now() order by e.session_id limit $1
               ) as "sessions!"
               from owners o"#,
            SESSIONS
        )
        .fetch_all(&mut self.owner.acquire().await?)
        .await?;
        let read = |(tenant, sessions)| Erasure { tenant: TenantId(tenant), sessions };
        Ok(rows.into_iter().map(|row| read((row.tenant_id, row.sessions))).collect())
    }

    /// Deletes rows of what is erased, as far as one step goes; returns whether more may be left.
    pub(crate) async fn erase_step(&self, tenant: TenantId, sessions: &[Uuid]) -> Result<bool> {
        let mut is_more = self.erase_some_of_sessions(tenant, sessions).await?;
        for session in sessions {
            // A branch that others stand on loses what they do not need.
            is_more |= self.erase_some_of_branch(tenant, *session).await?;
        }
        Ok(is_more)
    }

    /// Tries to delete the rows of an erased session again later, because a step has failed.
    pub(crate) async fn put_off(&self, tenant: TenantId, session: Uuid) -> Result<()> {
        sqlx::query!(
            "update erasures set due_at = now() + interval '10 minutes' where tenant_id = $1 and session_id = $2",
            tenant.0,
            session
        )
        .execute(&mut self.owner.acquire().await?)
        .await?;
        Ok(())
    }

    /// Sessions that another process deletes from are skipped. Without sessions, what an erased tenant owns beside them.
    async fn erase_some_of_sessions(&self, tenant: TenantId, sessions: &[Uuid]) -> Result<bool> {
        let mut tx = self.begin_as_owner(self.owner.share(tenant).await?, tenant, NO_BITMAPS).await?;
        let sessions = sqlx::query_scalar!(
            "select s.id from sessions s
             where s.tenant_id = $1 and s.id = any($2) and s.erased_at is not null order by s.id for update skip locked",
            tenant.0,
            sessions
        )
        .fetch_all(&mut *tx)
        .await?;
        let is_more = if sessions.is_empty() {
            delete_some_of_tenant(&mut tx, tenant).await?
        } else {
            delete_some_of_sessions(&mut tx, tenant, &sessions).await?
        };
        tx.commit().await?;
        Ok(is_more)
    }

    /// What a dropped branch keeps, other branches stand on: messages through the last shared one, versions through the last
    /// inherited one, and the index as long as it serves another.
    async fn erase_some_of_branch(&self, tenant: TenantId, branch: Uuid) -> Result<bool> {
        let mut tx = self.begin_as_owner(self.owner.share(tenant).await?, tenant, NO_BITMAPS).await?;
        let is_more = delete_some_of_branch(&mut tx, tenant, branch).await?;
        tx.commit().await?;
        Ok(is_more)
    }
}

async fn delete_some_of_sessions(tx: &mut PgConnection, tenant: TenantId, sessions: &[Uuid]) -> Result<bool> {
    let (_, is_more) = delete_messages(&mut *tx, tenant, (sessions, -1)).await?;
    if is_more || delete_rows(&mut *tx, tenant, (sessions, Kept::NOTHING)).await? {
        return Ok(true);
    }
    // Last, because it gives the room back.
    let used = sqlx::query!(
        r#"with used as (
             delete from usage_by_session u
             where u.ctid = any (array(
               select one.place from unnest($2::uuid[]) as erased(id)
               cross join lateral (
                 select y.ctid as place from usage_by_session y where y.tenant_id = $1 and y.session_id = erased.id limit $3
               ) one
               limit $3))
             returning u.bytes
           )
           select coalesce(sum(u.bytes), 0)::bigint as "bytes!", count(*) as "rows!" from used u"#,
        tenant.0,
        sessions,
        MESSAGES
    )
    .fetch_one(&mut *tx)
    .await?;
    give_back(&mut *tx, tenant, used.bytes).await?;
    if used.rows == MESSAGES {
        return Ok(true);
    }
    // The rest is small and has foreign keys.
    sqlx::query!("delete from sessions where tenant_id = $1 and id = any($2)", tenant.0, sessions)
        .execute(tx)
        .await?;
    Ok(false)
}

async fn delete_some_of_branch(tx: &mut PgConnection, tenant: TenantId, branch: Uuid) -> Result<bool> {
    let main = sqlx::query_scalar!(
        r#"select coalesce(s.root_id, s.id) as "main!" from sessions s
           where s.tenant_id = $1 and s.id = $2 and s.dropped_at is not null and s.erased_at is null
           for update skip locked"#,
        tenant.0,
        branch
    )
    .fetch_optional(&mut *tx)
    .await?;
    let Some(main) = main else { return Ok(false) };
    if !is_stood_on(&mut *tx, tenant, (main, branch)).await? {
        // Since the last branch went that stood on it. When main is busy, the next round finds it again.
        let free = sqlx::query!(
            "select from sessions where tenant_id = $1 and id = $2 for update skip locked",
            tenant.0,
            main
        );
        if free.fetch_optional(&mut *tx).await?.is_none() {
            return Ok(false);
        }
        hide_unneeded(tx, tenant, (main, branch)).await?;
        return Ok(true);
    }
    let needed = sqlx::query!(
        r#"select
             coalesce((select max(d.base_seq) from sessions d
                       where d.base_id = $3 and d.tenant_id = $1 and d.erased_at is null), 0) as "seq!",
             coalesce((select max(d.base_version) from sessions d
                       where d.root_id = $2 and d.tenant_id = $1 and d.version_base_id = $3
                         and d.erased_at is null), 0) as "version!",
             coalesce((select max(d.base_anchor_seq) from sessions d
                       where d.root_id = $2 and d.tenant_id = $1 and d.version_base_id = $3
                         and d.erased_at is null), 0) as "anchor!",
             exists (select from sessions d where d.root_id = $2 and d.tenant_id = $1 and d.index_base_id = $3
                       and d.erased_at is null) as "is_indexed!",
             exists (select from erasures e where e.tenant_id = $1 and e.session_id = $3) as "is_due!""#,
        tenant.0,
        main,
        branch
    )
    .fetch_one(&mut *tx)
    .await?;
    if !needed.is_indexed {
        // Before the postings go, so that no fork takes them for its own.
        sqlx::query!(
            "update sessions set indexed_seq = base_indexed_seq
             where tenant_id = $1 and id = $2 and indexed_seq > base_indexed_seq",
            tenant.0,
            branch
        )
        .execute(&mut *tx)
        .await?;
    }
    if !needed.is_due {
        return Ok(false);
    }
    let kept = Kept {
        seq: needed.seq,
        version: needed.version,
        anchor: needed.anchor,
        is_indexed: needed.is_indexed,
        has_switches: true,
    };
    let (bytes, is_more) = delete_messages(&mut *tx, tenant, (&[branch], kept.seq)).await?;
    give_back_of(&mut *tx, (tenant, branch), bytes).await?;
    if is_more || delete_rows(&mut *tx, tenant, (&[branch], kept)).await? {
        return Ok(true);
    }
    sqlx::query!("delete from erasures where tenant_id = $1 and session_id = $2", tenant.0, branch)
        .execute(tx)
        .await?;
    Ok(false)
}

/// Whether other branches share messages or versions of a branch, or it is main, which stays for them.
async fn is_stood_on(tx: &mut PgConnection, tenant: TenantId, (main, branch): (Uuid, Uuid)) -> Result<bool> {
    let found = sqlx::query_scalar!(
        r#"select ($2::uuid = $3
                   or exists (select from sessions d where d.base_id = $3 and d.tenant_id = $1 and d.erased_at is null)
                   or exists (select from sessions d where d.root_id = $2 and d.tenant_id = $1 and d.version_base_id = $3
                                and d.erased_at is null)) as "is_stood_on!""#,
        tenant.0,
        main,
        branch
    );
    Ok(found.fetch_one(tx).await?)
}

/// Erases a dropped branch that no other stands on, and then those that only it stood on, some at once. The caller holds the
/// lock of main's row.
async fn hide_unneeded(tx: &mut PgConnection, tenant: TenantId, (main, branch): (Uuid, Uuid)) -> Result<()> {
    let mut left = std::collections::VecDeque::from([branch]);
    for _ in 0..UNNEEDED {
        let Some(branch) = left.pop_front() else { break };
        let found = sqlx::query!(
            "select base_id, version_base_id from sessions
             where tenant_id = $1 and id = $2 and dropped_at is not null and erased_at is null",
            tenant.0,
            branch
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(of) = found else { continue };
        if is_stood_on(&mut *tx, tenant, (main, branch)).await? {
            // How much stays is found by each step, because it may become less before the last one.
            look_again(&mut *tx, tenant, &[branch]).await?;
            continue;
        }
        hide_sessions(&mut *tx, tenant, &[branch]).await?;
        sqlx::query!(
            "update sessions set branch_count = branch_count - 1 where tenant_id = $1 and id = $2",
            tenant.0,
            main
        )
        .execute(&mut *tx)
        .await?;
        left.extend([of.base_id, of.version_base_id].into_iter().flatten());
    }
    look_again(tx, tenant, left.make_contiguous()).await
}

/// Has what dropped branches keep looked at from the beginning.
async fn look_again(tx: &mut PgConnection, tenant: TenantId, branches: &[Uuid]) -> Result<()> {
    sqlx::query!(
        "insert into erasures (tenant_id, session_id)
         select distinct $1::uuid, s.id from sessions s
         where s.tenant_id = $1 and s.id = any($2) and s.dropped_at is not null and s.erased_at is null
         on conflict (tenant_id, session_id) do update set through_seq = 0, due_at = now()",
        tenant.0,
        branches
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes what an erased tenant owns beside sessions, whose rows come first.
async fn delete_some_of_tenant(tx: &mut PgConnection, tenant: TenantId) -> Result<bool> {
    let erased = sqlx::query!(
        "select from tenants where id = $1 and erased_at is not null for update skip locked",
        tenant.0
    );
    if erased.fetch_optional(&mut *tx).await?.is_none() {
        return Ok(false);
    }
    let some = sqlx::query_scalar!(
        "select s.id from sessions s where s.tenant_id = $1 and s.root_id is null and s.erased_at is null
         order by s.id limit 100",
        tenant.0
    )
    .fetch_all(&mut *tx)
    .await?;
    if hide_some_sessions(&mut *tx, tenant, &some).await? > 0 {
        return Ok(true);
    }
    let left = sqlx::query_scalar!(
        r#"select exists (select from sessions s where s.tenant_id = $1) as "left!""#,
        tenant.0
    );
    if left.fetch_one(&mut *tx).await? {
        return Ok(false);
    }
    delete_from!(tx, tenant; "webhook_deliveries", 1_000; "idempotency_keys", 1_000; "tasks", 5_000; "usage_by_day", 5_000;);
    // The rest is small and has foreign keys.
    sqlx::query!("delete from tenants where id = $1", tenant.0).execute(tx).await?;
    Ok(false)
}

/// Takes bytes of deleted messages from what a branch and its tenant store.
async fn give_back_of(tx: &mut PgConnection, (tenant, branch): (TenantId, Uuid), bytes: i64) -> Result<()> {
    if bytes != 0 {
        sqlx::query!(
            "insert into usage_by_session as u (tenant_id, session_id, day, kind, bytes, first_at, last_at)
             values ($1, $2, (now() at time zone 'UTC')::date, 'append', -$3::bigint, now(), now())
             on conflict (tenant_id, session_id, task_id, day, kind) do update set bytes = u.bytes + excluded.bytes",
            tenant.0,
            branch,
            bytes
        )
        .execute(&mut *tx)
        .await?;
    }
    give_back(tx, tenant, bytes).await
}

/// Takes bytes of deleted messages from what a tenant stores.
async fn give_back(tx: &mut PgConnection, tenant: TenantId, bytes: i64) -> Result<()> {
    if bytes != 0 {
        sqlx::query!(
            "insert into usage_by_day as d (tenant_id, day, kind, bytes)
             values ($1, (now() at time zone 'UTC')::date, 'append', -$2::bigint)
             on conflict (tenant_id, day, kind) do update set bytes = d.bytes + excluded.bytes",
            tenant.0,
            bytes
        )
        .execute(tx)
        .await?;
    }
    Ok(())
}
