//! Recall: a search over the originals of a session, or of several.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::prelude::*;
use crate::api::usage::{about_tokens, refetch};
use anchord_facts::redact::redact;
use anchord_llm::LlmError;
use anchord_messages::message::Role;
use anchord_recall::Hit;
use anchord_recall::vectors::Question;
use anchord_session::usage::Kind as UsageKind;
use anchord_store::recall::{Recalled as Found, Search};
use anchord_store::sessions::SessionFilter;

/// Hits when the caller does not say: what an agent reads at one sitting.
const DEFAULT_HITS: u32 = 10;
/// The most hits of a reply.
const MAX_HITS: u32 = 100;

/// How a search ranks messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecallMode {
    /// By their words.
    Lexical,
    /// By their words and by what they mean; needs an embeddings server.
    Hybrid,
}

/// Why a hybrid search ranked by words alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Degraded {
    /// The embeddings server cannot be reached, refuses, or has failed too often of late.
    ServerUnavailable,
    /// The embeddings server did not answer in time.
    ServerSlow,
    /// The embeddings server answered with something that is no vector of the expected dimensions.
    ServerInvalid,
    /// No message has a vector of the configured model yet; they are made in the background.
    NoVectors,
}

/// Query of a search.
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
    /// How to rank. Default `hybrid` where an embeddings server is configured, else `lexical`.
    #[param(inline)]
    mode: Option<RecallMode>,
}

/// Query of a search, and the sessions to search.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RecallOverQuery {
    /// A question, words, an identifier or a path, in any language.
    #[param(min_length = 1, max_length = 4096, example = "which delivery address does she prefer")]
    q: String,
    /// How many hits to return, of all sessions together.
    #[param(minimum = 1, maximum = 100, default = 10)]
    limit: Option<u32>,
    /// How to rank. Default `hybrid` where an embeddings server is configured, else `lexical`.
    #[param(inline)]
    mode: Option<RecallMode>,
    /// Only sessions of this end user. At least one of `user`, `task_id` and `parent_session_id` is needed.
    user: Option<String>,
    /// Only sessions of this task.
    task_id: Option<String>,
    /// Only sessions that this one started.
    parent_session_id: Option<String>,
}

/// The result of a search.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RecallResult)]
pub struct Recalled {
    /// The messages that the question is about, best first, spread over the session; empty when there are none.
    pub items: Vec<Hit>,
    /// The branch that was searched; absent when it is `main`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, inline)]
    pub branch: Option<BranchName>,
    /// How they were ranked.
    pub mode: RecallMode,
    /// Why they were ranked by words alone although `hybrid` was asked for, or is the default; null otherwise.
    #[schema(required = true)]
    pub degraded: Option<Degraded>,
}

/// A message that the question is about, and its session.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SessionsRecallHit)]
pub struct SessionHit {
    /// The session.
    pub session_id: SessionName,
    /// The branch of it that was searched, which is the current one; absent when that is `main`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, inline)]
    pub branch: Option<BranchName>,
    /// The message's position.
    pub seq: Seq,
    /// Who speaks in it.
    pub role: Role,
    /// The stretch of the message that matches best, at most 300 characters.
    pub snippet: String,
    /// How well it matches; comparable within one reply.
    pub score: f64,
}

/// The result of a search over several sessions.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SessionsRecallResult)]
pub struct RecalledOver {
    /// The messages that the question is about, best first; empty when there are none.
    pub items: Vec<SessionHit>,
    /// How they were ranked.
    pub mode: RecallMode,
    /// Why they were ranked by words alone although `hybrid` was asked for, or is the default; null otherwise.
    #[schema(required = true)]
    pub degraded: Option<Degraded>,
    /// How many sessions were searched.
    pub sessions_searched: usize,
    /// Whether there are more sessions, or messages, than a search looks at; the newest were searched.
    pub is_partial: bool,
}

/// Searches all original messages of a branch, compressed ones included.
///
/// Full text in any script; identifiers and paths are found whole and by their parts. A message counts
/// for more among neighbours that match too, what is said for more than tool output, and of equals the
/// newer one comes first. Where the operator has configured an embeddings server, messages are also found by what they
/// mean; when it is away or slow, the reply says so (`degraded`) and ranks by words.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/recall", tag = "recall", operation_id = "recall.search",
    params(SessionPath, RecallQuery),
    responses((status = 200, body = Recalled, description = "The hits."))
)]
pub async fn recall(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<RecallQuery>,
) -> Result<Reply<Recalled>> {
    search(&state, &caller, &path.session_id, (&query.q, query.limit, query.mode)).await.map(Reply)
}

/// Searches one session, for an endpoint or for a tool of the agent's.
pub(crate) async fn search(
    state: &AppState,
    caller: &Caller,
    session: &SessionRef,
    asked: (&str, Option<u32>, Option<RecallMode>),
) -> Result<Recalled> {
    let (search, degraded) = ask(state, caller, asked).await?;
    let wants_vectors = search.vector.is_some();
    let found = caller.while_awaited(state.store.recall(caller.tenant, session, search)).await??;
    let found = found.or_missing(Kind::SessionNotFound)?;
    count(state, caller, &found);
    let (mode, degraded) = outcome(wants_vectors, found.has_vectors, degraded);
    let branch = found.sessions.into_iter().next().and_then(|session| session.branch);
    let items = found.hits.into_iter().map(|(_, hit)| hit).collect();
    Ok(Recalled { items, branch, mode, degraded })
}

/// Searches the original messages of an end user's sessions, of a task's, or of those that a session started.
///
/// The newest 50 sessions are searched as one, each in its current branch, so that scores are comparable; each hit names
/// its session. Otherwise as
/// the search of one session.
#[utoipa::path(
    get, path = "/v1/recall", tag = "recall", operation_id = "recall.search_sessions",
    params(RecallOverQuery),
    responses((status = 200, body = RecalledOver, description = "The hits."))
)]
pub async fn recall_over_sessions(
    Reader { caller, state }: Reader,
    Query(query): Query<RecallOverQuery>,
) -> Result<Reply<RecalledOver>> {
    if query.user.is_none() && query.task_id.is_none() && query.parent_session_id.is_none() {
        let detail = "send at least one of user, task_id, parent_session_id";
        return Err(ApiError::parameter("user", detail));
    }
    let filter = SessionFilter {
        user: query.user,
        task_id: query.task_id,
        parent_session_id: query.parent_session_id,
        ..SessionFilter::default()
    };
    search_over(&state, &caller, &filter, (&query.q, query.limit, query.mode)).await.map(Reply)
}

/// Searches several sessions, for an endpoint or for a tool of the agent's.
pub(crate) async fn search_over(
    state: &AppState,
    caller: &Caller,
    filter: &SessionFilter,
    asked: (&str, Option<u32>, Option<RecallMode>),
) -> Result<RecalledOver> {
    let (search, degraded) = ask(state, caller, asked).await?;
    let wants_vectors = search.vector.is_some();
    let found = caller.while_awaited(state.store.recall_over(caller.tenant, filter, search)).await??;
    count(state, caller, &found);
    let (mode, degraded) = outcome(wants_vectors, found.has_vectors, degraded);
    let items = found.hits.into_iter().filter_map(|(at, hit)| {
        let session = found.sessions.get(at)?;
        let (session_id, branch) = (session.name.clone(), session.branch.clone());
        let Hit { seq, role, snippet, score } = hit;
        Some(SessionHit { session_id, branch, seq, role, snippet, score })
    });
    Ok(RecalledOver {
        items: items.collect(),
        mode,
        degraded,
        sessions_searched: found.sessions.len(),
        is_partial: found.is_partial,
    })
}

/// Parses a question, and gets its vector when the search is to be hybrid; or the reason why a hybrid search has none.
async fn ask(
    state: &AppState,
    caller: &Caller,
    (q, limit, mode): (&str, Option<u32>, Option<RecallMode>),
) -> Result<(Search, Option<Degraded>)> {
    let most = anchord_recall::Query::MAX_CHARS;
    if q.chars().count() > most {
        return Err(ApiError::parameter("q", format!("must have at most {most} characters")));
    }
    let limit = limit.unwrap_or(DEFAULT_HITS);
    if !(1..=MAX_HITS).contains(&limit) {
        return Err(ApiError::parameter("limit", format!("must be from 1 to {MAX_HITS}")));
    }
    if mode == Some(RecallMode::Hybrid) && state.embedder.is_none() {
        let detail = "must be lexical: no embeddings server is configured (ANCHORD_EMBEDDINGS_URL)";
        return Err(ApiError::parameter("mode", detail));
    }
    let query = anchord_recall::Query::parse(q)
        .ok_or_else(|| ApiError::parameter("q", "has no word, number or name to look for"))?;
    let (mut vector, mut degraded) = (None, None);
    if mode != Some(RecallMode::Lexical)
        && let Some(embedder) = &state.embedder
    {
        // The query goes to a model, without secrets.
        let text: Cow<'_, str> = redact(q);
        let asked = embedder.question(caller.tenant, &text).await;
        metrics::counter!("anchord_recall_questions_total", "outcome" => asked.as_ref().map_or_else(<&str>::from, |_| "ok"))
            .increment(1);
        match asked.map(|vector| Question::new(&vector)) {
            Ok(Some(question)) => vector = Some((embedder.model().to_owned(), Arc::new(question))),
            Ok(None) => degraded = Some(Degraded::ServerInvalid),
            Err(error) => degraded = Some(reason(&error)),
        }
    }
    Ok((Search { query, vector, limit: limit as usize }, degraded))
}

fn reason(error: &LlmError) -> Degraded {
    match error {
        LlmError::Timeout | LlmError::Busy => Degraded::ServerSlow,
        LlmError::Malformed | LlmError::Cut => Degraded::ServerInvalid,
        LlmError::Status { .. }
        | LlmError::TooLong
        | LlmError::NoModel
        | LlmError::Connection
        | LlmError::Refused
        | LlmError::Open => Degraded::ServerUnavailable,
    }
}

/// How a search ranked, and why by words alone.
fn outcome(
    wants_vectors: bool,
    has_vectors: bool,
    degraded: Option<Degraded>,
) -> (RecallMode, Option<Degraded>) {
    match (wants_vectors, has_vectors) {
        (true, true) => (RecallMode::Hybrid, None),
        (true, false) => (RecallMode::Lexical, Some(Degraded::NoVectors)),
        (false, _) => (RecallMode::Lexical, degraded),
    }
}

/// Adds the hits of a search that contexts do not show to the usage figures.
fn count(state: &AppState, caller: &Caller, found: &Found) {
    let mut tokens: BTreeMap<usize, i64> = BTreeMap::new();
    for (at, hit) in &found.hits {
        // A search finds tool outputs that a placeholder stands for as well as what a summary covers.
        let Some(session) = found.sessions.get(*at) else { continue };
        if session.shown.hides(hit.seq, hit.role == Role::Tool) {
            *tokens.entry(*at).or_default() += about_tokens(&hit.snippet);
        }
    }
    for (at, tokens) in tokens.into_iter().filter(|(_, tokens)| *tokens > 0) {
        let Some(session) = found.sessions.get(at) else { continue };
        let task_id = session.shown.task_id.as_deref();
        state.count_use(caller, session.shown.session, task_id, (UsageKind::Recall, refetch(tokens)));
    }
}
