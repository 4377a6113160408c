//! The events of sessions: writing them, reading them, and waiting for new ones.
//!
//! Invariant: an event is written in the commit of what it reports, under the session's lock. So within a session ids
//! follow the order of commits, and a reader that has seen an id has missed none below it.

use crate::connection::PgConnection;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use super::job::{Job, Kind};
pub use super::notifier::Listening;
use super::{Store, StoreError, channel};
use anchord_facts::redact::redact;
use anchord_messages::id::{CompressionId, SessionId, TenantId};
use anchord_messages::rounded::four;
use anchord_session::compression::{Report, Status};

/// The event that another branch is current.
const SWITCHED: &str = "session.branch_switched";
/// The event that reports a new current version.
const PUBLISHED: &str = "summary.published";
/// How long events are kept, in days.
const KEPT_DAYS: i32 = 7;
/// The most events that one statement deletes.
const FORGOTTEN_AT_ONCE: i32 = 5_000;

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id; ids ascend within a session.
    pub id: i64,
    /// The kind of event, such as `compression.started`.
    pub kind: String,
    /// Its data, as JSON.
    pub payload: Value,
    /// When it was written.
    pub created_at: DateTime<Utc>,
}

impl Store {
    /// Subscribes to the notifications about a session.
    #[must_use]
    pub fn listen_to(&self, session: SessionId) -> Listening {
        self.notifier.listen_to(session)
    }

    /// Reads the events after an id, ascending; `None` when the session is gone.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_events(
        &self,
        tenant: TenantId,
        session: SessionId,
        after: i64,
        limit: i64,
    ) -> Result<Option<Vec<Event>>, StoreError> {
        let mut tx = self.snapshot(tenant).await?;
        let rows = sqlx::query!(
            r#"select e.id as "id?", e.kind as "kind?", e.payload as "payload?", e.created_at as "created_at?"
               from sessions s
               left join lateral (
                 select x.id, x.kind, x.payload, x.created_at from events x
                 where x.tenant_id = s.tenant_id and x.session_id = s.id and x.id > $3 order by x.id limit $4
               ) e on true
               where s.tenant_id = $1 and s.id = $2 order by e.id"#,
            tenant.0,
            session.0,
            after,
            limit
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        if rows.is_empty() {
            return Ok(None);
        }
        let read = |(id, kind, payload, created_at)| {
            Some(Event { id: id?, kind: kind?, payload: payload?, created_at: created_at? })
        };
        Ok(Some(
            rows.into_iter()
                .filter_map(|row| read((row.id, row.kind, row.payload, row.created_at)))
                .collect(),
        ))
    }

    /// The id of a session's newest event; 0 when there is none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn newest_event(&self, tenant: TenantId, session: SessionId) -> Result<i64, StoreError> {
        let mut tx = self.snapshot(tenant).await?;
        let newest = sqlx::query_scalar!(
            r#"select coalesce(max(id), 0) as "newest!" from events where tenant_id = $1 and session_id = $2"#,
            tenant.0,
            session.0
        )
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(newest)
    }

    /// Deletes events that are older than a week, over all tenants; returns their number.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_old_events(&self) -> Result<i64, StoreError> {
        let mut all = 0;
        loop {
            let gone = sqlx::query_scalar!(
                r#"select forget_old_events($1, $2) as "gone!""#,
                KEPT_DAYS,
                FORGOTTEN_AT_ONCE
            )
            .fetch_one(&self.pool)
            .await?;
            all += i64::from(gone);
            if gone < FORGOTTEN_AT_ONCE {
                return Ok(all);
            }
        }
    }
}

/// Writes an event and a message for every subscribed webhook, and notifies both channels on commit. One statement,
/// which without a webhook costs one index lookup. The caller holds the session's lock.
async fn record(
    connection: &mut PgConnection,
    (tenant, session): (TenantId, SessionId),
    kind: &str,
    payload: &Value,
) -> Result<(), StoreError> {
    sqlx::query!(
        "select write_events($1, $2, $3, $4, $5, $6, $7)",
        tenant.0,
        session.0,
        &[kind] as &[&str],
        &[payload.to_string()],
        &[Uuid::now_v7()],
        channel::EVENTS,
        channel::DELIVERIES
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The event when a compression has started, which is when its span is fixed: its kind and its data.
pub(super) fn start_of(job: &Job, span: (i64, i64)) -> (&'static str, Value) {
    let payload = json!({
        "compression_id": job.id.to_string(),
        "trigger": job.trigger,
        "shadow": job.request.shadow,
        "from_seq": span.0,
        "through_seq": span.1,
    });
    ("compression.started", payload)
}

/// The events when a compression has ended: its end, and the version that it published.
pub(super) fn ends_of(
    job: &Job,
    (status, version): (Status, Option<i64>),
    report: &Report,
) -> Vec<(&'static str, Value)> {
    let mut events = Vec::with_capacity(2);
    events.extend(end_of(job, (status, version), report));
    if let Some(version) = version.filter(|_| !events.is_empty() && !job.request.shadow) {
        events.push((PUBLISHED, publication(version, Some(job.id))));
    }
    events
}

/// The event when a compression has ended: its kind and its data; `None` for jobs and statuses without an event.
pub(super) fn end_of(
    job: &Job,
    (status, version): (Status, Option<i64>),
    report: &Report,
) -> Option<(&'static str, Value)> {
    if job.kind != Kind::Compress {
        return None;
    }
    let kind = match status {
        Status::Succeeded => "compression.succeeded",
        Status::Failed | Status::Rejected => "compression.failed",
        Status::Skipped | Status::Superseded | Status::Cancelled => "compression.skipped",
        Status::Queued | Status::Running | Status::Prepared => return None,
    };
    let error = report.error.as_ref();
    let payload = json!({
        "compression_id": job.id.to_string(),
        "status": status.as_str(),
        "shadow": job.request.shadow,
        "version": version,
        "tokens_before": report.tokens_before,
        "tokens_after": report.tokens_after,
        "reduction": report.compression_ratio.map(four),
        "probe_score": report.probe_score.map(four),
        "facts_score": report.facts_score.map(four),
        "exam_score": report.exam.and_then(|exam| exam.score).map(four),
        "error": error.map(|error| json!({"type": error.kind, "detail": redact(&error.detail)})),
    });
    Some((kind, payload))
}

/// Writes the event that a version is current: of a compression, a rollback or a merge.
pub(super) async fn published(
    connection: &mut PgConnection,
    session: (TenantId, SessionId),
    version: i64,
    compression: Option<CompressionId>,
) -> Result<(), StoreError> {
    record(connection, session, PUBLISHED, &publication(version, compression)).await
}

/// Writes the event that another branch is current, as one of the branch that was current before: who follows that one
/// learns where to go on.
pub(super) async fn switched(
    connection: &mut PgConnection,
    before: (TenantId, SessionId),
    from: &str,
    to: &str,
) -> Result<(), StoreError> {
    record(connection, before, SWITCHED, &json!({"from": from, "to": to})).await
}

fn publication(version: i64, compression: Option<CompressionId>) -> Value {
    json!({"version": version, "compression_id": compression.map(|id| id.to_string())})
}
