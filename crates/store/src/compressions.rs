//! The job queue: compressions, evaluations and indexings, each a row of one table.
//!
//! What lives here: enqueueing, reading, cancelling and requeueing jobs; `claim` gives due jobs to workers, `span`
//! fixes the span of a job.
//! Invariant: a claim commits before the work starts, and increments the fence (`attempt`). Every later write of the
//! worker carries that number, so a worker that lost its job changes nothing.

pub(crate) mod claim;
mod span;

pub use super::job::{Job, Kind, NewJob};
use super::{bounds, channel, lock};
use crate::prelude::*;
use anchord_runtime::trace;
use anchord_session::compression::{MANUAL, Report, Request, Status};

/// The result of enqueueing a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// The id of the live job: the new one, or an earlier one of its kind.
    pub id: CompressionId,
    /// Whether it is new.
    pub created: bool,
}

/// The number of live jobs of one kind and status, over all tenants.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueState {
    /// The kind of the jobs.
    pub kind: Kind,
    /// The status of the jobs.
    pub status: String,
    /// How many there are.
    pub jobs: i64,
    /// How long the oldest due job has been due.
    pub oldest_due_seconds: Option<f64>,
}

/// A job as callers read it.
#[derive(Clone, Debug)]
pub struct CompressionRow {
    /// Its id.
    pub id: CompressionId,
    /// Kind of the work.
    pub kind: Kind,
    /// Its status.
    pub status: Status,
    /// Trigger of the job.
    pub trigger: String,
    /// The parameters of the job.
    pub request: Request,
    /// The first message of the span.
    pub from_seq: Option<Seq>,
    /// The last message of the span.
    pub through_seq: Option<Seq>,
    /// The version that it made.
    pub version: Option<i64>,
    /// How often it was claimed.
    pub attempts: i32,
    /// Its report; `None` while it is live.
    pub report: Option<Report>,
    /// When it was enqueued.
    pub created_at: DateTime<Utc>,
    /// When a worker first claimed it.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
}

/// A row before its names and documents are parsed.
struct RawCompression {
    id: Uuid,
    kind: String,
    status: String,
    trigger: String,
    request: serde_json::Value,
    from_seq: Option<Seq>,
    through_seq: Option<Seq>,
    version: Option<i64>,
    attempt: i32,
    report: Option<serde_json::Value>,
    created_at: DateTime<Utc>,
    started_at: Option<DateTime<Utc>>,
    finished_at: Option<DateTime<Utc>>,
}

impl RawCompression {
    fn read(self) -> Result<CompressionRow> {
        let id = self.id;
        Ok(CompressionRow {
            id: CompressionId(id),
            kind: self.kind.parse::<Kind>().map_err(|_| corrupt("kind", id, "unknown word"))?,
            status: self.status.parse::<Status>().map_err(|_| corrupt("status", id, "unknown word"))?,
            request: serde_json::from_value(self.request).map_err(|e| corrupt("request", id, e))?,
            report: self
                .report
                .map(serde_json::from_value)
                .transpose()
                .map_err(|e| corrupt("report", id, e))?,
            trigger: self.trigger,
            from_seq: self.from_seq,
            through_seq: self.through_seq,
            version: self.version,
            attempts: self.attempt,
            created_at: self.created_at,
            started_at: self.started_at,
            finished_at: self.finished_at,
        })
    }
}

fn corrupt(column: &'static str, id: Uuid, reason: impl std::fmt::Display) -> StoreError {
    StoreError::corrupt("compressions", column, id, reason)
}

/// Enqueues a job in the caller's transaction. When a job of its kind is live already, returns that one. Workers are
/// notified only of new jobs, because a notification slows down the commit that carries it.
pub async fn enqueue(connection: &mut PgConnection, key: SessionKey, job: NewJob<'_>) -> Result<Enqueued> {
    let id = Uuid::now_v7();
    let request = serde_json::to_value(job.request).map_err(|e| corrupt("request", id, e))?;
    let trace = trace::current();
    // Retry, because the live job that was in the way may end between the insert and the select.
    for _ in 0..3 {
        let inserted = sqlx::query_scalar!(
            r#"with new as (
                 insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, trace_context)
                 values ($1, $2, $3, $4, 'queued', $5, $6, $8)
                 on conflict (tenant_id, session_id, kind)
                   where status in ('queued', 'running') and kind in ('compress', 'index') do nothing
                 returning id)
               select new.id as "id!" from new, pg_notify($7, '')"#,
            key.tenant.0,
            id,
            key.id.0,
            job.kind.as_ref(),
            job.trigger,
            request,
            channel::JOBS,
            trace,
        )
        .fetch_optional(&mut *connection)
        .await?;
        if let Some(id) = inserted {
            if job.kind == Kind::Compress {
                lock::touch(connection, key.tenant, key.id).await?;
            }
            return Ok(Enqueued { id: CompressionId(id), created: true });
        }
        let live = sqlx::query_scalar!(
            "select id from compressions
             where tenant_id = $1 and session_id = $2 and kind = $3 and status in ('queued', 'running')",
            key.tenant.0,
            key.id.0,
            job.kind.as_ref(),
        )
        .fetch_optional(&mut *connection)
        .await?;
        if let Some(id) = live {
            return Ok(Enqueued { id: CompressionId(id), created: false });
        }
    }
    Err(StoreError::RowCount { what: "the live compression", expected: 1, actual: 0 })
}

/// Enqueues a compression that a caller requests, in the caller's transaction, which holds the session's lock.
pub async fn enqueue_manual(
    connection: &mut PgConnection,
    key: SessionKey,
    request: &Request,
) -> Result<Enqueued> {
    let job = NewJob { kind: Kind::Compress, trigger: MANUAL, request };
    let enqueued = enqueue(connection, key, job).await?;
    if enqueued.created {
        bounds::require_job_room(connection, key).await?;
    }
    Ok(enqueued)
}

/// Cancels the live compression of a session in the caller's transaction, which holds the session's lock; returns
/// whether there was one.
pub async fn cancel_live(connection: &mut PgConnection, key: SessionKey) -> Result<bool> {
    let done = sqlx::query!(
        "update compressions set status = 'cancelled', finished_at = now(), lease_until = null
         where tenant_id = $1 and session_id = $2 and kind = 'compress' and status in ('queued', 'running')",
        key.tenant.0,
        key.id.0,
    )
    .execute(&mut *connection)
    .await?;
    lock::touch(connection, key.tenant, key.id).await?;
    Ok(done.rows_affected() > 0)
}

/// Finds a compression or evaluation of a session in an open transaction.
pub async fn find(
    connection: &mut PgConnection,
    key: SessionKey,
    id: CompressionId,
) -> Result<Option<CompressionRow>> {
    let raw = sqlx::query_as!(
        RawCompression,
        "select id, kind, status, trigger, request, from_seq, through_seq, version, attempt, report,
                created_at, started_at, finished_at
         from compressions where tenant_id = $1 and id = $2 and session_id = $3 and kind <> 'index'",
        key.tenant.0,
        id.0,
        key.id.0,
    )
    .fetch_optional(connection)
    .await?;
    raw.map(RawCompression::read).transpose()
}

impl Store {
    /// Finds a compression or evaluation of a session.
    pub async fn find_compression(
        &self,
        key: SessionKey,
        id: CompressionId,
    ) -> Result<Option<CompressionRow>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let row = find(&mut tx, key, id).await?;
        tx.commit().await?;
        Ok(row)
    }

    /// Lists a session's compressions, newest first; `before` is the last id of the previous page.
    pub async fn list_compressions(
        &self,
        key: SessionKey,
        before: Option<CompressionId>,
        limit: i64,
    ) -> Result<Vec<CompressionRow>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let raw = sqlx::query_as!(
            RawCompression,
            "select id, kind, status, trigger, request, from_seq, through_seq, version, attempt, report,
                    created_at, started_at, finished_at
             from compressions
             where tenant_id = $1 and session_id = $2 and kind = 'compress' and ($3::uuid is null or id < $3)
             order by id desc limit $4",
            key.tenant.0,
            key.id.0,
            before.map(|id| id.0),
            limit,
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        raw.into_iter().map(RawCompression::read).collect()
    }

    /// Cancels a live compression; returns `false` when it has ended already or does not exist.
    pub async fn cancel_compression(&self, key: SessionKey, id: CompressionId) -> Result<bool> {
        let mut tx = self.begin(key.tenant).await?;
        // Lock order: sessions before jobs.
        lock::hold(&mut tx, key.tenant, key.id).await?;
        let done = sqlx::query!(
            "update compressions set status = 'cancelled', finished_at = now(), lease_until = null
             where tenant_id = $1 and id = $2 and session_id = $3 and kind <> 'index' and status in ('queued', 'running')",
            key.tenant.0,
            id.0,
            key.id.0,
        )
        .execute(&mut *tx)
        .await?;
        lock::touch(&mut tx, key.tenant, key.id).await?;
        tx.commit().await?;
        Ok(done.rows_affected() > 0)
    }

    /// Extends the lease of a running job; returns `false` when the lease is lost.
    pub async fn heartbeat(&self, job: &Job, lease_seconds: f64) -> Result<bool> {
        let mut tx = self.begin(job.tenant).await?;
        let done = sqlx::query!(
            "update compressions set lease_until = now() + make_interval(secs => $4)
             where tenant_id = $1 and id = $2 and attempt = $3 and status = 'running'",
            job.tenant.0,
            job.id.0,
            job.attempt,
            lease_seconds,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(done.rows_affected() == 1)
    }

    /// Returns a running job to the queue, due in `delay_seconds`; returns `false` when the lease is lost.
    pub async fn requeue(&self, job: &Job, delay_seconds: f64) -> Result<bool> {
        let mut tx = self.begin(job.tenant).await?;
        let done = sqlx::query!(
            "update compressions set status = 'queued', lease_until = null, due_at = now() + make_interval(secs => $4)
             where tenant_id = $1 and id = $2 and attempt = $3 and status = 'running'",
            job.tenant.0,
            job.id.0,
            job.attempt,
            delay_seconds,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(done.rows_affected() == 1)
    }
}
