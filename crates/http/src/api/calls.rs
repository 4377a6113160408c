//! Lists the calls to models that a compression made. The texts of prompts and replies are not stored.

use uuid::Uuid;

use crate::api::compressions::{CompressionPath, find_session};
use crate::api::prelude::*;
use anchord_store::narratives::ModelCall;

/// Lists what a compression or an evaluation asked of models, in the order of the calls.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/compressions/{compression_id}/calls", tag = "compressions", operation_id = "compressions.list_model_calls",
    params(CompressionPath, PageQuery),
    responses((status = 200, body = Page<ModelCall>, description = "A page of calls."))
)]
pub async fn list_calls(
    Reader { caller, state }: Reader,
    Path(path): Path<CompressionPath>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<ModelCall>>> {
    let scope = format!("calls {} {}", path.session_id, path.compression_id);
    let paging = Paging::<Uuid>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let session = find_session(&state, &caller, &path.session_id).await?;
    let found = state.store.find_compression(session.id.of(caller.tenant), path.compression_id).await?;
    found.or_missing(Kind::CompressionNotFound)?;
    let rows = state
        .store
        .list_llm_attempts(caller.tenant, path.compression_id, paging.after, paging.rows())
        .await?;
    Ok(Reply(paging.page(rows, |row| row.id)))
}
