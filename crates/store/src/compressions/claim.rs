//! Claims due jobs for a worker, in a commit before the work; the jobs of a dead worker are due again.

use super::corrupt;
use crate::job::{Job, Kind};
use crate::prelude::*;
use anchord_session::compression::Span;

/// A row before its columns are parsed.
pub(crate) struct Claimed {
    pub(crate) tenant_id: Uuid,
    pub(crate) id: Uuid,
    pub(crate) session_id: Uuid,
    pub(crate) kind: String,
    pub(crate) trigger: String,
    pub(crate) request: serde_json::Value,
    pub(crate) attempt: i32,
    pub(crate) crashes: i32,
    pub(crate) parent_version: Option<i64>,
    pub(crate) from_seq: Option<Seq>,
    pub(crate) through_seq: Option<Seq>,
    pub(crate) trace_context: Option<String>,
    pub(crate) queued_ms: i64,
}

impl Claimed {
    fn read(self) -> Result<Job> {
        let id = self.id;
        Ok(Job {
            tenant: TenantId(self.tenant_id),
            session: SessionId(self.session_id),
            id: CompressionId(id),
            kind: self.kind.parse::<Kind>().map_err(|_| corrupt("kind", id, "unknown word"))?,
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
    /// Claims at most `jobs` due jobs and commits; returns fewer when fewer are due, or others claim at the same
    /// time. The commit does not wait for the disk: a claim that is lost in a crash of the server is made again.
    ///
    /// One claim takes a job for every free permit, because a synced commit for each job would limit how many short
    /// jobs a process can start, and would delay the commits of appends. After a crash of the server, a lost claim
    /// leaves a running job queued. Its worker is stopped by the next heartbeat, or another worker claims the same
    /// attempt number; an attempt is published once. The cost: that crash is not counted as one of the job's.
    ///
    /// # Errors
    /// When the database fails. Jobs that were claimed nevertheless are taken over when this worker's presence ends.
    pub async fn claim(
        &self,
        worker: i64,
        lease_seconds: f64,
        tenant_limit: i32,
        jobs: i32,
    ) -> Result<Vec<Job>> {
        loop {
            let rows = self.claim_rows(worker, lease_seconds, tenant_limit, jobs).await?;
            let is_empty = rows.is_empty();
            let mut claimed = Vec::new();
            for row in rows {
                let id = row.id;
                match row.read() {
                    Ok(job) => claimed.push(job),
                    // Skip it: its lease ends by itself, and it must not block the other jobs.
                    Err(error) => tracing::error!(compression.id = %id, %error, "worker.job_not_read"),
                }
            }
            // Claim again, so that jobs that do not parse do not block those behind them.
            if is_empty || !claimed.is_empty() {
                return Ok(claimed);
            }
        }
    }

    async fn claim_rows(
        &self,
        worker: i64,
        lease_seconds: f64,
        tenant_limit: i32,
        jobs: i32,
    ) -> Result<Vec<Claimed>> {
        let (who, jobs) = ((worker, lease_seconds), i64::from(jobs));
        let mut claimed = Vec::new();
        // With a limit of 0 only tenants get one that run none.
        if tenant_limit > 0 {
            claimed = self.claim_expired(who, (tenant_limit, jobs)).await?;
        }
        let left = jobs.saturating_sub(i64::try_from(claimed.len()).unwrap_or(jobs));
        if left > 0 {
            match self.claim_queued(who, (tenant_limit, left)).await {
                Ok(queued) => claimed.extend(queued),
                // What was taken over is committed: lost here, it would wait for another end of its lease.
                Err(error) if claimed.is_empty() => return Err(error),
                Err(error) => tracing::warn!(%error, "compressions.claimed_in_part"),
            }
        }
        Ok(claimed)
    }
}
