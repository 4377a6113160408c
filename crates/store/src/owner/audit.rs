//! The audit log of all tenants, for operators.

use crate::audit::AuditEvent;
use crate::prelude::*;
use anchord_messages::id::AuditId;

impl Store {
    /// Lists the entries of all tenants, newest first; with `before`, only entries older than that one.
    pub async fn list_all_audit_events(
        &self,
        before: Option<AuditId>,
        limit: i64,
    ) -> Result<Vec<AuditEvent>> {
        let events = sqlx::query_as!(
            AuditEvent,
            r#"select tenant_id as "tenant_id: TenantId", id as "id: AuditId", actor, action, subject, created_at
               from audit_events where $1::uuid is null or id < $1 order by id desc limit $2"#,
            before.map(|id| id.0),
            limit
        )
        .fetch_all(&mut self.owner.acquire().await?)
        .await?;
        Ok(events)
    }
}
