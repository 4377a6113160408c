//! Recall: a search over the originals of a session.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::auth::Reader;
use super::json::Reply;
use super::params::{Path, Query, SessionPath};
use super::problem::{ApiError, Resource};
use super::state::AppState;
use super::usage::{about_tokens, refetch};
use anchord_messages::message::Role;
use anchord_recall::Hit;
use anchord_session::usage::Kind;

/// Hits when the caller does not say: what an agent reads at one sitting.
const DEFAULT_HITS: u32 = 10;
/// The most hits of a reply.
const MAX_HITS: u32 = 100;

/// What to look for.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RecallQuery {
    /// A question, words, an identifier or a path, in any language and script.
    #[param(min_length = 1, max_length = 4096, example = "why does parse_config fail in src/config.rs")]
    q: String,
    /// How many hits to return.
    #[param(minimum = 1, maximum = 100, default = 10)]
    limit: Option<u32>,
}

/// The result of a search.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RecallResult)]
pub struct Recalled {
    /// The messages that the question is about, best first, spread over the session; empty when no word
    /// of the question occurs.
    pub items: Vec<Hit>,
}

/// Searches all original messages of a session, compressed ones included.
///
/// Full text in any script; identifiers and paths are found whole and by their parts. A message counts
/// for more among neighbours that match too, what is said for more than tool output, and of equals the
/// newer one comes first.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/recall", tag = "recall", operation_id = "recall.search",
    params(SessionPath, RecallQuery),
    responses((status = 200, body = Recalled, description = "The hits."))
)]
#[expect(
    clippy::missing_errors_doc,
    reason = "the doc comment is the operation's description in the OpenAPI document"
)]
pub async fn recall(
    Reader(caller): Reader,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
    Query(query): Query<RecallQuery>,
) -> Result<Reply<Recalled>, ApiError> {
    if query.q.len() > anchord_recall::Query::MAX_BYTES {
        return Err(ApiError::parameter(
            "q",
            format!("must have at most {} bytes", anchord_recall::Query::MAX_BYTES),
        ));
    }
    let limit = query.limit.unwrap_or(DEFAULT_HITS);
    if !(1..=MAX_HITS).contains(&limit) {
        return Err(ApiError::parameter("limit", format!("must be from 1 to {MAX_HITS}")));
    }
    let words = anchord_recall::Query::parse(&query.q)
        .ok_or_else(|| ApiError::parameter("q", "has no word, number or name to look for"))?;
    let found = state
        .store
        .recall(caller.tenant, &path.session_id, words, limit as usize)
        .await?
        .ok_or(ApiError::NotFound(Resource::Session))?;
    // A search finds tool outputs that a placeholder stands for as well as what a summary covers.
    let hidden = found.hits.iter().filter(|hit| found.shown.hides(hit.seq, hit.role == Role::Tool));
    let tokens: i64 = hidden.map(|hit| about_tokens(&hit.snippet)).sum();
    if tokens > 0 {
        let task_id = found.shown.task_id.as_deref();
        state.count_use(&caller, found.shown.session, task_id, (Kind::Recall, refetch(tokens)));
    }
    Ok(Reply(Recalled { items: found.hits }))
}
