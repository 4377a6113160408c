//! Compressions of messages without a session, by a model. Each has a hidden session of its own, which is erased when
//! it expires.
//!
//! A compression by a model needs the queue, its fence, checkpoints, quotas and costs, which all belong to a session.
//! A second queue for messages without one would duplicate them.

use serde_json::{Map, Value};

use super::sessions::{self, PutOutcome, Session};
use crate::prelude::*;

/// How long the result of a single call can be read, in hours.
pub const KEPT_HOURS: i32 = 24;

impl Store {
    /// Creates the session of a single call, or returns the existing one when the call is repeated.
    pub async fn open_single_call(
        &self,
        tenant: TenantId,
        name: &SessionName,
        settings: Map<String, Value>,
    ) -> Result<PutOutcome> {
        self.put_kept(tenant, &name.clone().into(), settings, Some(KEPT_HOURS)).await
    }

    /// Finds the session of a single call, and until when it can be read; `None` when there is none, or it has
    /// expired.
    pub async fn find_single_call(
        &self,
        tenant: TenantId,
        name: &SessionName,
    ) -> Result<Option<(Session, DateTime<Utc>)>> {
        let mut tx = self.snapshot(tenant).await?;
        let expires_at = sqlx::query_scalar!(
            r#"select expires_at as "expires_at!" from sessions
               where tenant_id = $1 and name = $2 and expires_at > now()"#,
            tenant.0,
            name.as_str()
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(expires_at) = expires_at else { return Ok(None) };
        let session = sessions::find(&mut tx, tenant, &name.clone().into()).await?;
        tx.commit().await?;
        Ok(session.map(|session| (session, expires_at)))
    }
}
