//! Fixes the span that a job works on, in one statement that commits by itself.

use crate::job::Job;
use crate::prelude::*;
use crate::{channel, events};
use anchord_session::compression::Span;

impl Store {
    /// Fixes the span of a running job at its first claim; returns `false` when the lease is lost.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn fix_span(&self, job: &Job, span: Span) -> Result<bool> {
        // The session is rarely locked. Waiting for its lock must not occupy a reader's connection, so wait on
        // another one.
        let mut reading = self.reading(job.tenant).await?;
        let fixed = fix(reading.connection(), job, span, false).await;
        if let Some(is_fixed) = reading.end(fixed)? {
            return Ok(is_fixed);
        }
        let mut connection = self.pool.acquire().await?;
        Ok(fix(&mut connection, job, span, true).await?.unwrap_or_default())
    }
}

/// Returns `None` when the session is locked and `waits` is false.
async fn fix(
    connection: &mut PgConnection,
    job: &Job,
    span: Span,
    waits: bool,
) -> Result<Option<bool>, sqlx::Error> {
    let (event, payload) = events::start_of(job, (span.from_seq, span.through_seq));
    sqlx::query_scalar!(
        "select fix_span($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        job.tenant.0,
        job.session.0,
        job.id.0,
        job.attempt,
        waits,
        span.parent_version,
        span.from_seq,
        span.through_seq,
        event,
        payload.to_string(),
        Uuid::now_v7(),
        channel::EVENTS,
        channel::DELIVERIES,
    )
    .fetch_one(connection)
    .await
}
