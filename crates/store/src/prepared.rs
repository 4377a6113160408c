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

pub(super) mod publish;

use crate::connection::PgConnection;

use super::{StoreError, lock};
use anchord_messages::id::{CompressionId, SessionId, TenantId};
use anchord_session::compression::{Request, Status};

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
pub(super) async fn mark_needed(
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

/// Ends the live speculative compression, because a caller requests another one; its worker changes nothing any more.
/// The caller holds the session's lock.
pub(super) async fn cancel_speculative(
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
