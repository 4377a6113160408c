//! Lists the audit log: the changes that operators and keys with the scope `admin` made.

use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::auth::{Admin, Operator};
use super::json::Reply;
use super::paging::{Page, PageQuery, Paging};
use super::params::Query;
use super::problem::ApiError;
use super::state::AppState;
use anchord_messages::id::{AuditId, TenantId};
use anchord_store::audit::AuditEvent;

/// An entry of the audit log.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AuditEvent)]
pub struct AuditEventView {
    /// Its id.
    pub id: AuditId,
    /// The tenant that it is about.
    pub tenant_id: TenantId,
    /// Who made the change: `operator`, `cli` or the id of an API key.
    pub actor: String,
    /// What was done.
    #[schema(examples("key.revoked"))]
    pub action: String,
    /// The id of what it was done to.
    pub subject: String,
    /// When the change was made.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
}

impl From<AuditEvent> for AuditEventView {
    fn from(event: AuditEvent) -> Self {
        let AuditEvent { tenant, id, actor, action, subject, created_at } = event;
        Self { id, tenant_id: tenant, actor, action, subject, created_at }
    }
}

/// Lists what was done to the tenant and by its keys, newest first.
#[utoipa::path(
    get, path = "/v1/audit", tag = "audit", operation_id = "audit.list", params(PageQuery),
    responses((status = 200, body = Page<AuditEventView>, description = "A page of entries."))
)]
pub async fn list_audit_events(
    Admin(caller): Admin,
    State(state): State<AppState>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<AuditEventView>>, ApiError> {
    let paging = Paging::<AuditId>::read(&caller, "audit", query.limit, query.cursor.as_deref())?;
    let rows = state.store.list_audit_events(caller.tenant, paging.after, paging.rows()).await?;
    Ok(Reply(paging.page(rows, |event| event.id, Into::into)))
}

/// Lists what was done to any tenant, erased ones included, newest first.
#[utoipa::path(
    get, path = "/v1/admin/audit", tag = "audit", operation_id = "audit.list_all", params(PageQuery),
    responses((status = 200, body = Page<AuditEventView>, description = "A page of entries."))
)]
pub async fn list_all_audit_events(
    _: Operator,
    State(state): State<AppState>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<AuditEventView>>, ApiError> {
    let paging = Paging::<AuditId>::of_operator("audit", query.limit, query.cursor.as_deref())?;
    let rows = state.store.list_all_audit_events(paging.after, paging.rows()).await?;
    Ok(Reply(paging.page(rows, |event| event.id, Into::into)))
}
