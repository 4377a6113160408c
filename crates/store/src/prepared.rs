//! Prepared versions: made ahead of need by a speculative compression, published when they are needed, deleted when
//! they are stale.
//!
//! Invariant: a session has at most one. It is published only on the version, pins and settings that it was made
//! under, under the session's lock. Otherwise its compression ends as superseded or cancelled, and nothing of it is
//! visible.
//!
//! An append publishes it, not a worker, so that the caller does not wait: the reply shows the context that the new
//! version leaves. That costs one append some milliseconds, once per version. The session's running counts show
//! whether a version is prepared, so other appends do not look for one. Publishing has a transaction of its own
//! before the append's: if it fails, the append is stored as if nothing had been prepared.
//!
//! It is superseded when the version, pins or settings have changed, when the caller has added a probe, when a
//! finished task's span reaches further, or when it would leave the context within 0.10 of the compress level. Then a
//! new compression of everything does in one step what this one would only begin. A preparation that failed or was
//! cancelled is not repeated before the next version. A changed todo list does not supersede it: agents write their
//! lists every few calls, and the write-back checks the list's revision.

use serde::{Deserialize, Serialize};
use sqlx::PgConnection;

use super::compressions::{Job, Kind};
use super::figures::Figures;
use super::settle::{self, Candidate, NewEvaluation, NewVersion, Prepared};
use super::{StoreError, sessions};
use anchord_messages::id::{CompressionId, SessionId, TenantId};
use anchord_session::compression::{Report, Request, Span, Status};
use anchord_session::signal::SignalKind;
use anchord_session::trigger::Start;

/// What publishing needs, as it is stored.
#[derive(Deserialize)]
struct Kept {
    from_seq: i64,
    version: NewVersion,
    evaluation: Option<NewEvaluation>,
    report: Report,
}

/// The same, to be written.
#[derive(Serialize)]
struct KeptRef<'a> {
    from_seq: i64,
    version: &'a NewVersion,
    evaluation: Option<&'a NewEvaluation>,
    report: &'a Report,
}

/// A prepared version that was published.
#[derive(Clone, Debug)]
pub(super) struct Published {
    /// The compression that made it.
    pub(super) id: CompressionId,
    /// The metrics to record after the commit.
    pub(super) figures: Figures,
}

/// A prepared version as it is stored, as text.
pub(super) fn text(job: &Job, made: Candidate<'_>) -> Result<String, StoreError> {
    let Candidate { span, version, evaluation, report } = made;
    let kept = KeptRef { from_seq: span.from_seq, version, evaluation, report };
    serde_json::to_string(&kept)
        .map_err(|error| StoreError::corrupt("prepared_versions", "candidate", job.id, error))
}

/// Publishes the prepared version when it is valid and sufficient for the compression that is due. Otherwise ends it
/// as superseded, so that a new compression can do better. `None` when nothing was published. The caller holds the
/// session's lock.
pub(super) async fn publish(
    connection: &mut PgConnection,
    (tenant, session): (TenantId, SessionId),
    (start, coming_tokens): (&Start, u64),
) -> Result<Option<Published>, StoreError> {
    // The candidate was not checked with a probe that the caller has added since.
    let Some(row) = sqlx::query!(
        r#"select p.compression_id, p.parent_version, p.context_revision, p.through_seq, p.candidate,
                  c.trigger, c.attempt,
                  exists (select from probes x
                          where x.tenant_id = $1 and x.session_id = $2 and x.source = 'caller'
                            and x.created_at >= c.started_at) as "is_unasked!"
           from prepared_versions p
           join compressions c on c.tenant_id = $1 and c.id = p.compression_id and c.status = 'prepared'
           where p.tenant_id = $1 and p.session_id = $2"#,
        tenant.0,
        session.0,
    )
    .fetch_optional(&mut *connection)
    .await?
    else {
        return Ok(None);
    };
    let id = CompressionId(row.compression_id);
    let kept: Kept = serde_json::from_str(&row.candidate)
        .map_err(|error| StoreError::corrupt("prepared_versions", "candidate", id, error))?;
    let span =
        Span { parent_version: row.parent_version, from_seq: kept.from_seq, through_seq: row.through_seq };
    let is_short = start.kind == SignalKind::TaskBoundary && span.through_seq < start.through_seq;
    if row.is_unasked || is_short {
        supersede(connection, tenant, session).await?;
        return Ok(None);
    }
    let job = Job {
        tenant,
        session,
        id,
        kind: Kind::Compress,
        trigger: row.trigger,
        request: Request::default(),
        attempt: row.attempt,
        crashes: 0,
        span: Some(span),
        queued_ms: 0,
        trace: None,
    };
    let Kept { version, evaluation, report, .. } = kept;
    let figures = Figures::of(&report, false);
    let made = Prepared { job: &job, span, revision: row.context_revision, coming_tokens };
    let is_published = settle::publish_prepared(connection, made, (version, evaluation, report)).await?;
    if !is_published {
        supersede(connection, tenant, session).await?;
    }
    Ok(is_published.then_some(Published { id, figures }))
}

/// Ends the prepared version of a session, when there is one, as superseded.
pub(super) async fn supersede(
    connection: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
) -> Result<(), StoreError> {
    sqlx::query!(
        "with gone as (
           delete from prepared_versions where tenant_id = $1 and session_id = $2 returning compression_id
         )
         update compressions c set status = 'superseded', finished_at = now()
         from gone where c.tenant_id = $1 and c.id = gone.compression_id and c.status = 'prepared'",
        tenant.0,
        session.0,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes what a compression prepared, once its row shows how it ended.
pub(super) async fn discard(
    connection: &mut PgConnection,
    tenant: TenantId,
    id: CompressionId,
) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from prepared_versions where tenant_id = $1 and compression_id = $2",
        tenant.0,
        id.0
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Marks the live speculative compression as needed now: it is published when it is done. Returns whether there was
/// one. The caller holds the session's lock.
pub(super) async fn need_now(
    connection: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
    request: &Request,
) -> Result<bool, StoreError> {
    let text = serde_json::to_string(request)
        .map_err(|error| StoreError::corrupt("compressions", "request", session.0, error))?;
    let done = sqlx::query!(
        "update compressions set request = $3::text::json
         where tenant_id = $1 and session_id = $2 and kind = 'compress' and status in ('queued', 'running')
           and not shadow and request ->> 'ahead' = 'true'",
        tenant.0,
        session.0,
        text,
    )
    .execute(&mut *connection)
    .await?;
    sessions::touch(connection, tenant, session).await?;
    Ok(done.rows_affected() > 0)
}

/// Ends the live speculative compression, because a caller requests another one; its worker changes nothing any more.
/// The caller holds the session's lock.
pub(super) async fn give_way(
    connection: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update compressions set status = $3, finished_at = now(), lease_until = null
         where tenant_id = $1 and session_id = $2 and kind = 'compress' and status in ('queued', 'running')
           and not shadow and request ->> 'ahead' = 'true'",
        tenant.0,
        session.0,
        Status::Superseded.as_str(),
    )
    .execute(&mut *connection)
    .await?;
    sessions::touch(connection, tenant, session).await?;
    Ok(done.rows_affected() > 0)
}
