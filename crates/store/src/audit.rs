//! The audit log: the changes that operators, and keys with the scope `admin`, made, and what keys pinned and rolled back.
//!
//! Invariant: an entry commits in the transaction of the change that it records, names things by their ids alone, and
//! is never changed: the service's database role may only insert.

use std::fmt;

pub use super::actor::Actor;
use crate::prelude::*;
use anchord_messages::id::AuditId;

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AuditEvent {
    /// Its id.
    pub id: AuditId,
    /// The tenant that it is about.
    pub tenant_id: TenantId,
    /// Who made the change: `operator`, `cli` or the id of an API key.
    pub actor: String,
    /// The action.
    #[schema(examples("key.revoked"))]
    pub action: String,
    /// The id of what it was done to.
    pub subject: String,
    /// When the change was made.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
}

/// Adds an entry; `tx` is the transaction of the change that it records.
pub async fn record(
    tx: &mut PgConnection,
    tenant: TenantId,
    actor: Actor,
    action: &str,
    subject: impl fmt::Display,
) -> Result<()> {
    sqlx::query!(
        "insert into audit_events (tenant_id, id, actor, action, subject) values ($1, $2, $3, $4, $5)",
        tenant.0,
        Uuid::now_v7(),
        actor.to_string(),
        action,
        subject.to_string()
    )
    .execute(tx)
    .await?;
    Ok(())
}

impl Store {
    /// Lists a tenant's entries, newest first; with `before`, only entries older than that one.
    pub async fn list_audit_events(
        &self,
        tenant: TenantId,
        before: Option<AuditId>,
        limit: i64,
    ) -> Result<Vec<AuditEvent>> {
        let mut tx = self.snapshot(tenant).await?;
        let events = sqlx::query_as!(
            AuditEvent,
            r#"select id as "id: AuditId", tenant_id as "tenant_id: TenantId", actor, action, subject, created_at
               from audit_events
               where tenant_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3"#,
            tenant.0,
            before.map(|id| id.0),
            limit
        )
        .fetch_all(&mut *tx)
        .await?;
        Ok(events)
    }
}
