//! Versions that were made ahead of need: kept, published when they are needed, removed when they are stale.
//!
//! Invariant: there is at most one per session, and it is published only on the version, pins and settings
//! that it was made under, by whoever holds the session's lock; in every other case its compression ends as
//! superseded (or cancelled) and nothing of it is visible.
//!
//! An append publishes it, not a worker, so that the caller waits for nothing: the reply shows the context that the
//! new version leaves. It costs that append some milliseconds, once per version; the session's running counts say
//! whether anything is prepared, so other appends do not look. It is a transaction of its own before the append's: if
//! it fails, the append is stored as if nothing had been prepared.
//!
//! It is superseded when version, pins or settings differ, when the caller has added a probe, when a finished task's
//! span reaches further, or when it would leave the context within 0.10 of the compress level: a new compression of
//! everything then does in one step what this one would begin. A preparation that failed or was cancelled is not
//! repeated before the next version. A changed todo list does not supersede it: agents write their lists every few
//! calls, and the write-back is refused by the list's revision.

pub(super) mod publish;

use sqlx::PgConnection;

use super::{StoreError, lock};
use anchord_messages::id::{CompressionId, SessionId, TenantId};
use anchord_session::compression::{Request, Status};

/// Ends what is prepared for a session, if anything is: something else takes its place.
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

/// Removes what a compression has prepared, once its row says how it ended.
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

/// The result of a live compression that worked ahead of need is needed now: it is published when it is done.
/// `true` when there was one. The session's lock is held.
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
    lock::touch(connection, tenant, session).await?;
    Ok(done.rows_affected() > 0)
}

/// Ends a live compression that works ahead of need, because a caller wants another one. A worker that is at
/// it changes nothing any more. The session's lock is held.
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
    lock::touch(connection, tenant, session).await?;
    Ok(done.rows_affected() > 0)
}
