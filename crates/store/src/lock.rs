//! Locks a session's row for the length of a transaction.

use crate::prelude::*;

/// Locks a session's row without reading it.
pub(super) async fn hold(tx: &mut PgConnection, tenant: TenantId, id: SessionId) -> Result<()> {
    sqlx::query!("select from sessions where tenant_id = $1 and id = $2 for update", tenant.0, id.0)
        .fetch_optional(tx)
        .await?;
    Ok(())
}

/// Locks a session's row if it is free; returns `false` when it is locked, or the session is gone.
pub(super) async fn try_acquire(tx: &mut PgConnection, tenant: TenantId, id: SessionId) -> Result<bool> {
    let held = sqlx::query_scalar!(
        r#"select true as "held!" from sessions where tenant_id = $1 and id = $2 for update skip locked"#,
        tenant.0,
        id.0
    )
    .fetch_optional(tx)
    .await?;
    Ok(held.is_some())
}

/// Increments the revision of a locked session when something has changed that is not in its row, so that pending
/// decisions on it are made again.
pub(super) async fn touch(tx: &mut PgConnection, tenant: TenantId, id: SessionId) -> Result<()> {
    sqlx::query!(
        "update sessions set revision = revision + 1 where tenant_id = $1 and id = $2",
        tenant.0,
        id.0
    )
    .execute(tx)
    .await?;
    Ok(())
}
