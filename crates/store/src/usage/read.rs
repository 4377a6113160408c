//! Reads the usage ledger: sums for a task, and for a tenant by day. A session is one, however many branches it has, and
//! uses what they use.

use chrono::NaiveDate;

use crate::prelude::*;
use anchord_session::usage::{Kind, Tally, TaskOutcomes, TaskStatus, UsageDelta, UsageFigures};

/// The figures of a row. It is a macro, because every checked query has a row type of its own.
macro_rules! figures {
    ($row:ident) => {
        UsageDelta {
            calls: $row.calls,
            failures: $row.failures,
            tokens_in: $row.tokens_in,
            tokens_out: $row.tokens_out,
            tokens_cached: $row.tokens_cached,
            tokens_whole: $row.tokens_whole,
            time_us: $row.time_us,
            cost_micros: $row.cost_micros,
            messages: $row.messages,
            bytes: $row.bytes,
        }
    };
}

/// A task: its status, and the usage of all its sessions.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Task {
    /// The task's id.
    pub task_id: String,
    /// The status.
    pub status: TaskStatus,
    /// When it ended; null while it is active.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub ended_at: Option<DateTime<Utc>>,
    /// Sessions that are part of it, or were when they used something.
    pub sessions: i64,
    /// Versions that compressions of these sessions published.
    pub compressions: i64,
    /// Usage of the sessions while they were part of it.
    #[serde(flatten)]
    pub figures: UsageFigures,
}

/// Usage of a tenant on one day.
#[derive(Clone, Debug)]
pub struct DayUsage {
    /// The day in UTC.
    pub day: NaiveDate,
    /// Figures of the day.
    pub tally: Tally,
}

/// How tasks ended, with compression and without.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
#[schema(as = TasksUsage)]
pub struct OutcomesByCompression {
    /// Tasks with a session that was ever compressed.
    pub with_compression: TaskOutcomes,
    /// Tasks without one.
    pub without_compression: TaskOutcomes,
}

/// Usage of a tenant within some days.
#[derive(Clone, Debug)]
pub struct UsageReport {
    /// Day by day, without days without usage.
    pub days: Vec<DayUsage>,
    /// The outcomes of the tasks that ended on these days.
    pub tasks: OutcomesByCompression,
}

impl Store {
    /// Sums up what a task used; `None` when no session was ever part of it.
    pub async fn find_task(&self, tenant: TenantId, task_id: &str) -> Result<Option<Task>> {
        self.flush_usage(Some(tenant)).await?;
        let mut tx = self.snapshot(tenant).await?;
        find(&mut tx, tenant, task_id).await
    }

    /// Sets the status of a task; `None` when no session was ever part of it.
    pub async fn put_task(
        &self,
        tenant: TenantId,
        task_id: &str,
        status: TaskStatus,
    ) -> Result<Option<Task>> {
        self.flush_usage(Some(tenant)).await?;
        let mut tx = self.begin(tenant).await?;
        if find(&mut tx, tenant, task_id).await?.is_none() {
            return Ok(None);
        }
        // Setting the same status again keeps the time at which the task ended.
        sqlx::query!(
            "insert into tasks as old (tenant_id, task_id, status, ended_at)
             values ($1, $2, $3, case when $3 = 'active' then null else now() end)
             on conflict (tenant_id, task_id) do update
             set status = excluded.status, updated_at = now(),
                 ended_at = case when old.status = excluded.status then old.ended_at else excluded.ended_at end",
            tenant.0,
            task_id,
            status.as_ref()
        )
        .execute(&mut *tx)
        .await?;
        let task = find(&mut tx, tenant, task_id).await?;
        tx.commit().await?;
        Ok(task)
    }

    /// Reports what a tenant used from one day to another, both included.
    pub async fn report_tenant_usage(
        &self,
        tenant: TenantId,
        (from, to): (NaiveDate, NaiveDate),
    ) -> Result<UsageReport> {
        self.flush_usage(Some(tenant)).await?;
        let mut tx = self.snapshot(tenant).await?;
        let rows = sqlx::query!(
            "select day, kind, calls, failures, tokens_in, tokens_out, tokens_cached, tokens_whole, time_us, cost_micros,
                    messages, bytes
             from usage_by_day where tenant_id = $1 and day between $2 and $3 order by day, kind",
            tenant.0,
            from,
            to
        )
        .fetch_all(&mut *tx)
        .await?;
        let mut days: Vec<DayUsage> = Vec::new();
        for row in rows {
            let kind = read_kind("usage_by_day", &row.kind)?;
            if days.last().is_none_or(|last| last.day != row.day) {
                days.push(DayUsage { day: row.day, tally: Tally::default() });
            }
            let figures = figures!(row);
            if let Some(last) = days.last_mut() {
                last.tally.add(kind, figures);
            }
        }
        Ok(UsageReport { days, tasks: outcomes(&mut tx, tenant, (from, to)).await? })
    }
}

/// Figures that are compared with a tenant's quotas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaUsage {
    /// Messages appended on the day.
    pub messages: i64,
    /// Bytes of messages that are stored.
    pub bytes: i64,
}

impl Store {
    /// The usage of a tenant on a day, including what this process has counted and not stored.
    pub async fn find_standing(&self, tenant: TenantId, day: NaiveDate) -> Result<QuotaUsage> {
        self.flush_usage(Some(tenant)).await?;
        let mut tx = self.snapshot(tenant).await?;
        let row = sqlx::query!(
            r#"select coalesce(sum(messages) filter (where day = $2), 0)::bigint as "messages!",
                      coalesce(sum(bytes), 0)::bigint as "bytes!"
               from usage_by_day where tenant_id = $1 and kind = 'append'"#,
            tenant.0,
            day
        )
        .fetch_one(&mut *tx)
        .await?;
        Ok(QuotaUsage { messages: row.messages, bytes: row.bytes })
    }

    /// Whether a tenant's quota leaves tokens for a model on this day.
    pub async fn llm_tokens_are_left(&self, tenant: TenantId, day: NaiveDate) -> Result<bool> {
        let mut tx = self.snapshot(tenant).await?;
        let left = sqlx::query_scalar!(
            r#"select coalesce((select d.tokens_in + d.tokens_out from usage_by_day d
                                where d.tenant_id = $1 and d.day = $2 and d.kind = 'model'), 0)
                      < (t.quotas ->> 'llm_tokens_per_day')::bigint
               from tenants t where t.id = $1"#,
            tenant.0,
            day
        )
        .fetch_optional(&mut *tx)
        .await?;
        // Without a bound there is always something left.
        Ok(left.flatten().unwrap_or(true))
    }
}

fn read_kind(table: &'static str, word: &str) -> Result<Kind> {
    word.parse::<Kind>().map_err(|_| StoreError::corrupt(table, "kind", word, "unknown word"))
}

async fn find(tx: &mut PgConnection, tenant: TenantId, task_id: &str) -> Result<Option<Task>> {
    // A session that was once part of the task counts as such because of what it used then, until it is erased: what
    // an erased one used is deleted in steps.
    let head = sqlx::query!(
        r#"with members as (
             select s.id from sessions s where s.tenant_id = $1 and s.task_id = $2
             union
             select coalesce(s.root_id, s.id) from usage_by_session u
             join sessions s on s.tenant_id = u.tenant_id and s.id = u.session_id
             where u.tenant_id = $1 and u.task_id = $2 and u.task_id <> ''
           ),
           work as (
             select max(u.last_at) - min(u.first_at) as time from usage_by_session u
             join sessions s on s.tenant_id = u.tenant_id and s.id = u.session_id
             where u.tenant_id = $1 and u.task_id = $2 and u.task_id <> '' and u.kind in ('context', 'append')
             group by coalesce(s.root_id, s.id), u.day
           ),
           branches as (
             select s.compression_count from sessions s join members m on m.id = s.id where s.tenant_id = $1
             union all
             select b.compression_count from members m
             join sessions b on b.root_id = m.id and b.tenant_id = $1 and b.dropped_at is null
           )
           select (select count(*) from members) as "sessions!",
                  (select coalesce(sum(b.compression_count), 0)::bigint from branches b) as "compressions!",
                  (select coalesce(extract(epoch from sum(w.time)) * 1000000, 0)::bigint from work w) as "active_us!",
                  t.status as "status?", t.ended_at as "ended_at?"
           from (select 1) as one
           left join tasks t on t.tenant_id = $1 and t.task_id = $2"#,
        tenant.0,
        task_id
    )
    .fetch_one(&mut *tx)
    .await?;
    if head.sessions == 0 {
        return Ok(None);
    }
    let rows = sqlx::query!(
        r#"select kind, sum(calls)::bigint as "calls!", sum(failures)::bigint as "failures!",
                  sum(tokens_in)::bigint as "tokens_in!", sum(tokens_out)::bigint as "tokens_out!",
                  sum(tokens_cached)::bigint as "tokens_cached!", sum(tokens_whole)::bigint as "tokens_whole!",
                  sum(time_us)::bigint as "time_us!", sum(cost_micros)::bigint as "cost_micros!",
                  sum(messages)::bigint as "messages!", sum(bytes)::bigint as "bytes!"
           from usage_by_session u
           where tenant_id = $1 and task_id = $2 and task_id <> ''
             and exists (select from sessions s where s.tenant_id = u.tenant_id and s.id = u.session_id)
           group by kind"#,
        tenant.0,
        task_id
    )
    .fetch_all(&mut *tx)
    .await?;
    let mut tally = Tally::default();
    for row in rows {
        let figures = figures!(row);
        tally.add(read_kind("usage_by_session", &row.kind)?, figures);
    }
    let status = match head.status.as_deref() {
        None => TaskStatus::Active,
        Some(word) => word
            .parse::<TaskStatus>()
            .map_err(|_| StoreError::corrupt("tasks", "status", task_id, "unknown word"))?,
    };
    Ok(Some(Task {
        task_id: task_id.to_owned(),
        status,
        ended_at: head.ended_at,
        sessions: head.sessions,
        compressions: head.compressions,
        figures: tally.report(Some(head.active_us)),
    }))
}

/// How the tasks ended that ended on these days, and what the completed ones took.
async fn outcomes(
    tx: &mut PgConnection,
    tenant: TenantId,
    (from, to): (NaiveDate, NaiveDate),
) -> Result<OutcomesByCompression> {
    let rows = sqlx::query!(
        r#"with ended as materialized (
             select t.task_id, t.status from tasks t
             where t.tenant_id = $1 and t.ended_at >= $2::date::timestamp at time zone 'UTC'
               and t.ended_at < ($3::date + 1)::timestamp at time zone 'UTC'
           ),
           used as (
             select u.task_id,
                    coalesce(sum(u.tokens_out) filter (where u.kind in ('context', 'model')), 0)
                      + coalesce(sum(u.tokens_in) filter (where u.kind = 'model'), 0) as tokens,
                    coalesce(sum(u.calls) filter (where u.kind = 'context'), 0) as requests
             from usage_by_session u join ended e on e.task_id = u.task_id
             join sessions s on s.tenant_id = u.tenant_id and s.id = u.session_id
             where u.tenant_id = $1 and u.task_id <> '' group by u.task_id
           ),
           compressed as (
             select e.task_id from ended e join sessions s on s.tenant_id = $1 and s.task_id = e.task_id
             where s.compression_count > 0
                or exists (select from sessions b
                           where b.root_id = s.id and b.tenant_id = $1 and b.dropped_at is null
                             and b.compression_count > 0)
             union
             select e.task_id from ended e
             join usage_by_session u on u.tenant_id = $1 and u.task_id = e.task_id and u.task_id <> ''
             join sessions s on s.tenant_id = $1 and s.id = u.session_id
             where s.compression_count > 0
           )
           select c.task_id is not null as "compressed!", count(*) as "ended!",
                  count(*) filter (where e.status = 'completed') as "completed!",
                  coalesce(sum(u.tokens) filter (where e.status = 'completed'), 0)::bigint as "tokens!",
                  coalesce(sum(u.requests) filter (where e.status = 'completed'), 0)::bigint as "requests!"
           from ended e left join used u on u.task_id = e.task_id left join compressed c on c.task_id = e.task_id
           group by 1"#,
        tenant.0,
        from,
        to
    )
    .fetch_all(&mut *tx)
    .await?;
    let mut outcomes = OutcomesByCompression::default();
    for row in rows {
        let found = TaskOutcomes::of(row.ended, row.completed, row.tokens, row.requests);
        if row.compressed {
            outcomes.with_compression = found;
        } else {
            outcomes.without_compression = found;
        }
    }
    Ok(outcomes)
}
