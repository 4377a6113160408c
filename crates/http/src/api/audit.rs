//! Lists the audit log: the changes that operators and keys with the scope `admin` made, and what keys pinned and rolled back.

use std::cmp::Reverse;

use crate::api::prelude::*;
use crate::cells::Cell;
use anchord_messages::id::AuditId;
use anchord_store::audit::AuditEvent;

/// Lists what was done to the tenant and by its keys, newest first.
#[utoipa::path(
    get, path = "/v1/audit", tag = "audit", operation_id = "audit.list", params(PageQuery),
    responses((status = 200, body = Page<AuditEvent>, description = "A page of entries."))
)]
pub async fn list_audit_events(
    Admin { caller, state }: Admin,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<AuditEvent>>> {
    let paging = Paging::<AuditId>::read(&caller, "audit", query.limit, query.cursor.as_deref())?;
    let rows = state.store.list_audit_events(caller.tenant, paging.after, paging.rows()).await?;
    Ok(Reply(paging.page(rows, |event| event.id)))
}

/// Lists what was done to any tenant, erased ones included, newest first.
#[utoipa::path(
    get, path = "/v1/admin/audit", tag = "audit", operation_id = "audit.list_all", params(PageQuery),
    responses((status = 200, body = Page<AuditEvent>, description = "A page of entries."))
)]
pub async fn list_all_audit_events(
    Operator { state }: Operator,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<AuditEvent>>> {
    let paging = Paging::<AuditId>::of_operator("audit", query.limit, query.cursor.as_deref())?;
    let mut rows = Vec::new();
    for Cell { state, .. } in state.all_cells()? {
        rows.extend(state.store.list_all_audit_events(paging.after, paging.rows()).await?);
    }
    // A tenant that was moved has its entries in both cells.
    rows.sort_by_key(|event| Reverse(event.id));
    rows.dedup_by_key(|event| event.id);
    Ok(Reply(paging.page(rows, |event| event.id)))
}
