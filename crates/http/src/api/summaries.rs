//! Summary versions: the current one, the history, the difference between two, and rollback.

use axum::http::{HeaderMap, HeaderValue};
use tokio_util::sync::CancellationToken;

use crate::api::prelude::*;
use crate::extract::accept::preferred;
use anchord_messages::tokens::TokenCounter;
use anchord_record::render::{self, Rendering, Style, Subject};
use anchord_record::strategy::Verifiable;
use anchord_record::version::{Version, VersionMeta};
use anchord_record::version_diff::{self, SummaryDiff};
use anchord_store::audit;
use anchord_store::load::Tries;
use anchord_store::sessions::Session;
use anchord_store::summaries::{self, Rollback, StoredVersion, UnreadVersion, VersionEntry};

/// The media type of a state file among a summary's renderings, where `application/json` is the record.
const STATE_TYPE: &str = "application/vnd.anchord.session-state+json";
/// Bounds of `max_tokens`.
const LEAST_TOKENS: u32 = 200;
pub(crate) const MOST_TOKENS: u32 = 100_000;

session_path! {
    /// The path of one version.
    VersionPath {
        /// The version's number.
        #[param(minimum = 1)]
        version: i64,
    }
}

/// How a version is shown.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ShowQuery {
    /// A rendering instead of the document.
    #[param(inline)]
    pub style: Option<Style>,
    /// The rendering's bound; without a style it asks for the default one. Default: the session's
    /// `max_summary_tokens`, and 500 for `state`.
    #[param(minimum = 200, maximum = 100_000)]
    pub max_tokens: Option<u32>,
}

/// How large a state file may be.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StateQuery {
    /// The document's bound, which it names as `_meta.token_budget`. Default 500.
    #[param(minimum = 200, maximum = 100_000)]
    pub max_tokens: Option<u32>,
}

/// Which version to compare with.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DiffQuery {
    /// The earlier version. Default: the parent; without one, everything is added.
    #[param(minimum = 1)]
    pub from: Option<i64>,
}

/// A rollback has no parameters.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RollbackRequest)]
pub struct NewRollback {}

/// A version in the history.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SummaryVersion)]
pub struct HistoryEntry {
    /// Figures of its making.
    #[serde(flatten)]
    pub meta: VersionMeta,
    /// Whether it is the current one.
    pub current: bool,
    /// When it was made; later than `last_compressed_at` for a rollback.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
}

/// Entries that were added, changed and dropped between two versions.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SummaryDiff)]
pub struct VersionDiff {
    /// The earlier version; null when the later one has none before it.
    #[schema(required = true)]
    pub from: Option<i64>,
    /// The later version.
    pub to: i64,
    /// The difference, section by section.
    #[serde(flatten)]
    pub diff: SummaryDiff,
}

/// A session state file. It is rendered as text; this is its shape.
#[derive(ToSchema)]
pub struct SessionState {
    /// Always `context://session/v1`.
    #[serde(rename = "$schema")]
    pub schema: String,
    /// The session's id.
    pub session_id: String,
    /// When the session was created.
    pub started: DateTime<Utc>,
    /// When it was last written to.
    pub last_activity: DateTime<Utc>,
    /// For loaders of such files: where the file goes in a prompt and how many tokens it may take.
    #[serde(rename = "_meta")]
    #[schema(value_type = Object)]
    pub meta: serde_json::Value,
    /// The task in hand, and whether it is `in_progress` or `blocked`.
    #[schema(value_type = Object)]
    pub current_task: serde_json::Value,
    /// The next steps.
    pub next_steps: Vec<String>,
    /// Obstacles.
    pub blockers: Vec<String>,
    /// The summary's sections and the figures of its making.
    #[schema(value_type = Object)]
    pub compression_state: serde_json::Value,
}

/// Reads the current summary.
///
/// As JSON it is the complete record. `Accept: text/markdown` or `style` gives a rendering: Markdown
/// for `anchored`, `strict`, `protocol` and `scratch`, plain text for `opaque`, and for `state` the session state file
/// under a media type of its own.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/summary", tag = "summaries", operation_id = "summaries.get_current", params(SessionPath, ShowQuery),
    responses(
        (status = 200, description = "The current version.",
         content((Version = "application/json"), (String = "text/markdown"), (String = "text/plain"),
            (SessionState = "application/vnd.anchord.session-state+json"))),
        (status = 404, body = Problem, content_type = "application/problem+json",
         description = "No such session, or no version yet (`/problems/no-summary`).")
    )
)]
pub async fn find_summary(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<ShowQuery>,
    headers: HeaderMap,
) -> Result<Response> {
    let _memory = state.admission.assemblies.take_for_record(caller.tenant).await?;
    let (session, version) = find_current(&state, &caller, &path.session_id).await?;
    caller.compute(move |_| show(&session, version.read()?, &query, &headers)).await
}

/// Reads a session with its current version, for an endpoint or for a tool of the agent's.
pub(crate) async fn find_current(
    state: &AppState,
    caller: &Caller,
    name: &SessionRef,
) -> Result<(Session, UnreadVersion)> {
    let mut tx = state.store.snapshot(caller.tenant).await?;
    let session = caller.find_session(&mut tx, name).await?;
    let current = session.version.ok_or(ApiError::NoSummary)?;
    let version = summaries::find_unread(&mut tx, session.id.of(caller.tenant), current).await?;
    tx.commit().await?;
    Ok((session, version.ok_or(ApiError::NoSummary)?))
}

/// Reads a session's state file: the current version as JSON, for an agent that keeps one.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/state", tag = "sessions", operation_id = "sessions.get_state", params(SessionPath, StateQuery),
    responses(
        (status = 200, body = SessionState, description = "The state."),
        (status = 404, body = Problem, content_type = "application/problem+json",
         description = "No such session, or no version yet (`/problems/no-summary`).")
    )
)]
pub async fn find_state(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<StateQuery>,
) -> Result<Response> {
    let _memory = state.admission.assemblies.take_for_record(caller.tenant).await?;
    let (session, version) = find_current(&state, &caller, &path.session_id).await?;
    let query = ShowQuery { style: Some(Style::State), max_tokens: query.max_tokens };
    let show = move |_: &CancellationToken| {
        let mut state = show(&session, version.read()?, &query, &HeaderMap::new())?;
        state.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(state)
    };
    caller.compute(show).await
}

/// Lists the versions of a session, newest first, without their documents.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/summaries", tag = "summaries", operation_id = "summaries.list", params(SessionPath, PageQuery),
    responses((status = 200, body = Page<HistoryEntry>, description = "A page of versions."))
)]
pub async fn list_summaries(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<HistoryEntry>>> {
    let scope = format!("summaries {}", path.session_id);
    let paging = Paging::<i64>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let mut tx = state.store.snapshot(caller.tenant).await?;
    let session = caller.find_session(&mut tx, &path.session_id).await?;
    let rows = summaries::list(&mut tx, session.id.of(caller.tenant), paging.after, paging.rows()).await?;
    tx.commit().await?;
    let entry = |VersionEntry { meta, created_at }| HistoryEntry {
        current: session.version == Some(meta.version),
        meta,
        created_at,
    };
    Ok(Reply(paging.page(rows, |row| row.meta.version).map(entry)))
}

/// Reads one version, as its document or as a rendering.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/summaries/{version}", tag = "summaries", operation_id = "summaries.get", params(VersionPath, ShowQuery),
    responses((status = 200, description = "The version.",
        content((Version = "application/json"), (String = "text/markdown"), (String = "text/plain"),
            (SessionState = "application/vnd.anchord.session-state+json"))))
)]
pub async fn find_summary_version(
    Reader { caller, state }: Reader,
    Path(path): Path<VersionPath>,
    Query(query): Query<ShowQuery>,
    headers: HeaderMap,
) -> Result<Response> {
    let _memory = state.admission.assemblies.take_for_record(caller.tenant).await?;
    let mut tx = state.store.snapshot(caller.tenant).await?;
    let session = caller.find_session(&mut tx, &path.session_id).await?;
    let version = summaries::find_unread(&mut tx, session.id.of(caller.tenant), path.version).await?;
    tx.commit().await?;
    let version = version.or_missing(Kind::VersionNotFound)?;
    caller.compute(move |_| show(&session, version.read()?, &query, &headers)).await
}

/// Compares a version with an earlier one, or any two.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/summaries/{version}/diff", tag = "summaries", operation_id = "summaries.diff",
    params(VersionPath, DiffQuery),
    responses((status = 200, body = VersionDiff, description = "What was added, changed and dropped."))
)]
pub async fn diff_summary_versions(
    Reader { caller, state }: Reader,
    Path(path): Path<VersionPath>,
    Query(query): Query<DiffQuery>,
) -> Result<Reply<VersionDiff>> {
    let _memory = state.admission.assemblies.take_for_record(caller.tenant).await?;
    let mut tx = state.store.snapshot(caller.tenant).await?;
    let session = caller.find_session(&mut tx, &path.session_id).await?;
    let key = session.id.of(caller.tenant);
    let to = summaries::find_unread(&mut tx, key, path.version).await?.or_missing(Kind::VersionNotFound)?;
    let from = match query.from.or(to.meta()?.parent_version) {
        Some(from) => {
            let from = summaries::find_unread(&mut tx, key, from).await?;
            Some(from.or_missing(Kind::VersionNotFound)?)
        }
        None => None,
    };
    tx.commit().await?;
    let compare = move |_: &CancellationToken| {
        let to = to.read()?.version;
        let from = from.map(UnreadVersion::read).transpose()?.map(|stored| stored.version);
        let nothing = anchord_record::summary::Summary::default();
        let before = from.as_ref().map_or(&nothing, |version| &version.summary);
        let diff = version_diff::diff(before, &to.summary);
        Ok(VersionDiff { from: from.map(|version| version.meta.version), to: to.meta.version, diff })
    };
    caller.compute(compare).await.map(Reply)
}

/// Makes a version current again, as a new version with its document and anchor.
///
/// A live compression is cancelled, `compression_count` stays as it is, and automatic compression
/// pauses below the critical level until the next manual one or the next change of settings.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/summaries/{version}/rollback", tag = "summaries", operation_id = "summaries.rollback",
    params(VersionPath), request_body = Option<NewRollback>,
    responses((status = 201, body = Version, description = "The new version.",
        headers(("Location" = String, description = "Where the new version is."))))
)]
pub async fn roll_back_summary(
    Writer { caller, state }: Writer,
    Path(path): Path<VersionPath>,
    key: IdempotencyKey,
    body: OptionalJson<NewRollback>,
) -> Result<KeptReply> {
    if let Some(reply) = key.find_reply(&state.store, caller.tenant, body.digest).await? {
        return Ok(reply);
    }
    let mut tries = Tries::default();
    loop {
        let decided = state.store.decide_rollback(caller.tenant, &path.session_id, path.version).await?;
        let mut tx = state.store.begin(caller.tenant).await?;
        let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, body.digest).await?);
        let decided = match decided {
            Rollback::NoSession => return Err(ApiError::NotFound(Kind::SessionNotFound)),
            Rollback::NoVersion => return Err(ApiError::NotFound(Kind::VersionNotFound)),
            Rollback::Unverifiable => {
                let detail = "names a version that cannot be verified, which critical sessions refuse";
                return Err(ApiError::refused("/version", detail));
            }
            Rollback::Ready(decided) => decided,
        };
        if state.store.roll_back(&mut tx, &decided).await? {
            let version = &decided.version;
            let session = decided.session();
            audit::record(&mut tx, caller.tenant, caller.actor(), "summary.rolled_back", session.id.0)
                .await?;
            let rest = format!("/summaries/{}", version.meta.version);
            let location = params::path_of(session, &path.session_id, &rest);
            let reply = KeptReply::json(StatusCode::CREATED, version)?.with(&header::LOCATION, location);
            return claimed.commit(&state.store, tx, Some(session.id), reply).await;
        }
        tx.rollback().await?;
        tries.again().await?;
    }
}

/// Shows a version as its document, or as the rendering that was asked for.
fn show(
    session: &Session,
    stored: StoredVersion,
    query: &ShowQuery,
    headers: &HeaderMap,
) -> Result<Response> {
    let settings = session.effective_settings();
    let usual = settings.policy().max_summary_tokens;
    let usual = if query.style == Some(Style::State) { render::STATE_TOKENS } else { usual };
    let bound = query.max_tokens.unwrap_or(usual);
    if !(LEAST_TOKENS..=MOST_TOKENS).contains(&bound) {
        let detail = format!("must be from {LEAST_TOKENS} to {MOST_TOKENS} tokens");
        return Err(ApiError::parameter("max_tokens", detail));
    }
    let asked =
        query.style.or((query.max_tokens.is_some() || wants_markdown(headers)).then_some(Style::Anchored));
    let vary = (header::VARY, HeaderValue::from_static("Accept"));
    let Some(style) = asked else { return Ok(([vary], Reply(stored.version)).into_response()) };
    let (mark, rendering) = rendered(session, &stored, style, bound);
    if style == Style::State && rendering.text.is_empty() {
        return Err(if query.max_tokens.is_some() {
            let detail = "is too small for this session's state; ask for more, or for another style";
            ApiError::parameter("max_tokens", detail)
        } else {
            let detail = format!("needs more than {bound} tokens here; ask for more with max_tokens");
            ApiError::parameter("style", detail)
        });
    }
    let kind = HeaderValue::from_static(match style {
        Style::Anchored | Style::Strict | Style::Protocol | Style::Scratch => "text/markdown; charset=utf-8",
        Style::State => STATE_TYPE,
        Style::Opaque => "text/plain; charset=utf-8",
    });
    Ok(([vary, (header::CONTENT_TYPE, kind)], mark + &rendering.text).into_response())
}

/// A version in a style, and what stands before it when nobody has verified it.
pub(crate) fn rendered(
    session: &Session,
    stored: &StoredVersion,
    style: Style,
    bound: u32,
) -> (String, Rendering) {
    let settings = session.effective_settings();
    let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
    let subject = Subject {
        summary: &stored.version.summary,
        meta: &stored.version.meta,
        session_id: session.name.as_str(),
        task_id: settings.task_id.as_deref(),
        started: session.created_at,
        last_activity: session.updated_at,
    };
    let unverified = stored.version.meta.verifiable == Verifiable::No && style != Style::State;
    let mark = if unverified { format!("{}\n\n", render::UNVERIFIED) } else { String::new() };
    let room = bound.saturating_sub(counter.count_text(&mark));
    let rendering = render::render(style, &subject, room, |text| counter.count_text(text));
    (mark, rendering)
}

/// Whether Markdown stands before JSON in what the caller accepts.
fn wants_markdown(headers: &HeaderMap) -> bool {
    preferred(headers, &["application/json", "text/markdown"]) == "text/markdown"
}
