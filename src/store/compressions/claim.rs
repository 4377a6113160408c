//! Claiming: what is due goes to a worker, one commit before the work, and what a dead one held is due again. What
//! seems to have nothing to do is only looked at.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Job, Kind, Span, corrupt};
use crate::domain::id::{CompressionId, Seq, SessionId, TenantId};
use crate::store::bulkhead::Share;
use crate::store::{Store, StoreError};

/// Messages after its anchor, at most, that a session has whose compression is looked at and not claimed. Few are
/// read in vain, and it is what most strategies keep as it is.
pub(in crate::store) const IDLE_MESSAGES: i32 = 5;

/// What was due.
#[derive(Debug, Default)]
pub struct Taken {
    /// Claimed, and committed.
    pub claimed: Vec<Job>,
    /// What seems to have nothing to do.
    pub seen: Seen,
}

/// Jobs that seem to have nothing to do, as they wait: nothing about them has changed, and others may claim them.
#[derive(Debug, Default)]
pub struct Seen {
    /// The jobs.
    pub jobs: Vec<Job>,
    /// How many more there are that do not read back; whoever claims those finds out.
    pub unread: usize,
    /// When, by the database's clock.
    at: DateTime<Utc>,
}

impl Seen {
    /// When they were looked at, by the database's clock.
    #[must_use]
    pub fn at(&self) -> DateTime<Utc> {
        self.at
    }
}

impl Taken {
    /// Whether nothing was due.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.claimed.is_empty() && self.seen.jobs.is_empty() && self.seen.unread == 0
    }
}

/// A row as the database has it, claimed or only looked at.
struct Claimed {
    tenant_id: Uuid,
    id: Uuid,
    session_id: Uuid,
    kind: String,
    trigger: String,
    request: serde_json::Value,
    attempt: i32,
    crashes: i32,
    parent_version: Option<i64>,
    from_seq: Option<Seq>,
    through_seq: Option<Seq>,
    trace_context: Option<String>,
    queued_ms: i64,
    is_ours: bool,
    taken_at: DateTime<Utc>,
}

impl Claimed {
    fn read(self) -> Result<Job, StoreError> {
        let id = self.id;
        Ok(Job {
            tenant: TenantId(self.tenant_id),
            session: SessionId(self.session_id),
            id: CompressionId(id),
            kind: Kind::parse(&self.kind).ok_or_else(|| corrupt("kind", id, "unknown word"))?,
            request: serde_json::from_value(self.request).map_err(|e| corrupt("request", id, e))?,
            trigger: self.trigger,
            attempt: self.attempt,
            crashes: self.crashes,
            span: self.from_seq.zip(self.through_seq).map(|(from_seq, through_seq)| Span {
                parent_version: self.parent_version,
                from_seq,
                through_seq,
            }),
            queued_ms: self.queued_ms,
            trace: self.trace_context,
        })
    }
}

impl Store {
    /// Claims one due job and commits; `None` when nothing is due.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn claim(
        &self,
        worker: i64,
        lease_seconds: f64,
        tenant_limit: i32,
    ) -> Result<Option<Job>, StoreError> {
        Ok(self.take(worker, lease_seconds, tenant_limit, (1, 0)).await?.claimed.pop())
    }

    /// Claims at most `jobs` due jobs and commits; fewer when fewer are due, or others claim them just now. Beside
    /// them at most `looks` that seem to have nothing to do are shown, and left to [`Store::end_idle`]: no other waits
    /// for them. The commit does not wait for the disk: a claim that is lost in a crash of the server is made again.
    ///
    /// # Errors
    /// When the database fails; what it claimed then is taken over when the worker's sign of life is gone.
    pub async fn take(
        &self,
        worker: i64,
        lease_seconds: f64,
        tenant_limit: i32,
        (jobs, looks): (i32, i32),
    ) -> Result<Taken, StoreError> {
        let mut reading = self.queue.acquire(&self.pool, Share::default()).await?;
        let rows = sqlx::query_as!(
            Claimed,
            r#"with unsynced as materialized (select set_config('synchronous_commit', 'off', true))
               select tenant_id as "tenant_id!", id as "id!", session_id as "session_id!", kind as "kind!",
                      trigger as "trigger!", request as "request!", attempt as "attempt!", crashes as "crashes!",
                      parent_version, from_seq, through_seq, trace_context,
                      (extract(epoch from now() - created_at) * 1000)::bigint as "queued_ms!",
                      is_claimed as "is_ours!", now() as "taken_at!"
               from unsynced cross join lateral take_jobs($1, $2, $3, $4, $5, $6)"#,
            worker,
            lease_seconds,
            tenant_limit,
            jobs,
            looks,
            IDLE_MESSAGES,
        )
        .fetch_all(reading.connection())
        .await;
        let mut taken = Taken::default();
        for row in reading.end(rows)? {
            let (id, is_ours, taken_at) = (row.id, row.is_ours, row.taken_at);
            match row.read() {
                Ok(job) if is_ours => taken.claimed.push(job),
                Ok(job) => {
                    taken.seen.at = taken_at;
                    taken.seen.jobs.push(job);
                }
                // Its lease ends by itself; the others are not to wait for it.
                Err(error) if is_ours => {
                    tracing::error!(compression.id = %id, %error, "worker.job_not_read");
                }
                Err(_) => taken.seen.unread += 1,
            }
        }
        Ok(taken)
    }
}
