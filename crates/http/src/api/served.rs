//! Lists the contexts that a session was served, so that each can be built again and compared with what was sent.

use uuid::Uuid;

use crate::api::prelude::*;
use anchord_store::served::Served;

/// Lists the contexts that a session was served, newest first.
///
/// A context with `through_seq`, `version` (0 for none) and the same parameters is the one that was served, as far as pins, settings and
/// marks are as they were; its messages digested as `sha256` say whether it is. About the newest 2,000 of a session are kept.
/// They reach the list within about a second; a crash loses the newest ones.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/served-contexts", tag = "context", operation_id = "context.list_served",
    params(SessionPath, PageQuery),
    responses((status = 200, body = Page<Served>, description = "A page of contexts."))
)]
pub async fn list_served(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<Served>>> {
    let scope = format!("served {}", path.session_id);
    let paging = Paging::<Uuid>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let found =
        state.store.list_served(caller.tenant, &path.session_id, (paging.after, paging.rows())).await?;
    let rows = found.or_missing(Kind::SessionNotFound)?;
    Ok(Reply(paging.page(rows, |row| row.id)))
}
