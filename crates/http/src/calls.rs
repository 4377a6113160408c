//! Lists the calls to models that a compression made. The texts of prompts and replies are not stored.

use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::auth::Reader;
use super::compressions::{CompressionPath, find_session};
use super::json::Reply;
use super::paging::{Page, PageQuery, Paging};
use super::params::{Path, Query};
use super::problem::{ApiError, Resource};
use super::state::AppState;
use anchord_messages::id::Seq;
use anchord_store::narratives::AttemptRow;

/// One call to a model's server, a failed one too.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ModelCall {
    /// Its id.
    #[schema(value_type = String, format = Uuid)]
    pub id: Uuid,
    /// Which claim of the compression sent it, from 1.
    pub attempt: i32,
    /// `summarise`, `repair`, `detail`, `probe`, `examine`, `read` or `judge`.
    pub purpose: String,
    /// The first message that it was about.
    pub from_seq: Seq,
    /// The last message that it was about.
    pub through_seq: Seq,
    /// The wire format.
    pub provider: String,
    /// The model.
    pub model: String,
    /// `ok`, the error's word, or `sent` when its worker died over it.
    pub outcome: String,
    /// The server's status, when it answered with an error.
    #[schema(required = true)]
    pub http_status: Option<i16>,
    /// Tokens in, as the server counts them.
    pub input_tokens: i64,
    /// Those of them that the server read from its cache.
    pub cached_tokens: i64,
    /// Tokens out.
    pub output_tokens: i64,
    /// The duration, in milliseconds.
    pub latency_ms: i64,
    /// What it cost, in millionths of the currency of the operator's prices.
    pub cost_micros: i64,
    /// When it was sent.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
}

impl From<AttemptRow> for ModelCall {
    fn from(row: AttemptRow) -> Self {
        let AttemptRow { id, attempt, purpose, from_seq, through_seq, provider, model, .. } = row;
        Self {
            id,
            attempt,
            purpose,
            from_seq,
            through_seq,
            provider,
            model,
            outcome: row.outcome,
            http_status: row.http_status,
            input_tokens: row.input_tokens,
            cached_tokens: row.cached_tokens,
            output_tokens: row.output_tokens,
            latency_ms: row.latency_ms,
            cost_micros: row.cost_micros,
            created_at: row.created_at,
        }
    }
}

/// Lists what a compression or an evaluation asked of models, in the order of the calls.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/compressions/{compression_id}/calls", tag = "compressions", operation_id = "compressions.list_model_calls",
    params(CompressionPath, PageQuery),
    responses((status = 200, body = Page<ModelCall>, description = "A page of calls."))
)]
pub async fn list_calls(
    Reader(caller): Reader,
    State(state): State<AppState>,
    Path(path): Path<CompressionPath>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<ModelCall>>, ApiError> {
    let scope = format!("calls {} {}", path.session_id, path.compression_id);
    let paging = Paging::<Uuid>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let session = find_session(&state, &caller, &path.session_id).await?;
    let found = state.store.find_compression(caller.tenant, session.id, path.compression_id).await?;
    found.ok_or(ApiError::NotFound(Resource::Compression))?;
    let rows = state
        .store
        .list_llm_attempts(caller.tenant, path.compression_id, paging.after, paging.rows())
        .await?;
    Ok(Reply(paging.page(rows, |row| row.id, ModelCall::from)))
}
