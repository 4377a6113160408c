//! Fixes the span that a job works on.

use crate::job::Job;
use crate::prelude::*;
use crate::{events, lock};
use anchord_session::compression::Span;

impl Store {
    /// Fixes the span of a running job, and writes the event of its start once; returns `false` when the lease is lost.
    pub async fn fix_span(&self, job: &Job, span: Span) -> Result<bool> {
        let mut tx = self.begin(job.tenant).await?;
        // Sessions are locked before queue rows; events are written under the session's lock.
        lock::hold(&mut tx, job.tenant, job.session).await?;
        let is_first = sqlx::query_scalar!(
            r#"update compressions c set parent_version = $4, from_seq = $5, through_seq = $6
               from compressions before
               where c.tenant_id = $1 and c.id = $2 and c.attempt = $3 and c.status = 'running'
                 and before.tenant_id = $1 and before.id = $2
               returning before.from_seq is null as "is_first!""#,
            job.tenant.0,
            job.id.0,
            job.attempt,
            span.parent_version,
            span.from_seq,
            span.through_seq
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(is_first) = is_first else { return Ok(false) };
        if is_first {
            let (kind, payload) = events::start_of(job, (span.from_seq, span.through_seq));
            events::write(&mut tx, job.session.of(job.tenant), &[(kind, &payload.to_string())]).await?;
        }
        tx.commit().await?;
        Ok(true)
    }
}
