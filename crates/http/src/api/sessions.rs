//! Sessions: creating them, changing their settings, reading, listing and erasing them.

use strum::{EnumString, VariantNames};
use uuid::Uuid;

use crate::api::prelude::*;
use crate::extract::params::{BRANCH, Repeated, Words, is_writable};
use anchord_session::accounting::{BriefUsage, Usage};
use anchord_session::settings::{Policy, Settings};
use anchord_session::warning::Warning;
use anchord_store::breakers::LlmBreaker;
use anchord_store::gather::LiveCompression;
use anchord_store::metadata::MetadataField;
use anchord_store::sessions::{PutOutcome, Session, SessionFilter};

/// A session: its settings, the resolved policy and its current state.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Session)]
pub struct SessionView {
    /// The session's id.
    pub session_id: SessionName,
    /// The branch; absent when it is main.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchName>,
    /// The settings as the caller made them, for all branches.
    pub settings: Settings,
    /// The settings with every default resolved, the tenant's included.
    pub policy: Policy,
    /// Position of the newest message; 0 when there is none.
    pub head_seq: Seq,
    /// Position that the next message will get.
    pub next_seq: Seq,
    /// Through which message the current summary covers the session; 0 when there is none.
    pub anchor_seq: Seq,
    /// The current summary version; null when there is none.
    #[schema(required = true)]
    pub summary_version: Option<i64>,
    /// Versions that compressions published.
    pub compression_count: i32,
    /// Grows with every change of pins, notes or settings.
    pub context_revision: i64,
    /// How full the context is.
    pub usage: Usage,
    /// The live compression; null when there is none.
    #[schema(required = true)]
    pub compression: Option<LiveCompression>,
    /// Warnings about the window, until it is told; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Only when one session is read, and when models came to nothing for its last compressions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_breaker: Option<LlmBreaker>,
    /// When the session was created.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
    /// When it was last written to.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub updated_at: DateTime<Utc>,
}

/// A session in a list: its state; settings only on request.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SessionItem)]
pub struct SessionRow {
    /// The session's id.
    pub session_id: SessionName,
    /// The branch; absent when it is main.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchName>,
    /// The task that it belongs to; null when there is none.
    #[schema(required = true)]
    pub task_id: Option<String>,
    /// The session that started it; null when there is none.
    #[schema(required = true)]
    pub parent_session_id: Option<String>,
    /// Position of the newest message; 0 when there is none.
    pub head_seq: Seq,
    /// Position that the next message will get.
    pub next_seq: Seq,
    /// Through which message the current summary covers the session; 0 when there is none.
    pub anchor_seq: Seq,
    /// The current summary version; null when there is none.
    #[schema(required = true)]
    pub summary_version: Option<i64>,
    /// Versions that compressions published.
    pub compression_count: i32,
    /// Grows with every change of pins, notes or settings.
    pub context_revision: i64,
    /// How full the context is.
    pub usage: BriefUsage,
    /// The live compression; null when there is none.
    #[schema(required = true)]
    pub compression: Option<LiveCompression>,
    /// When the session was created.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
    /// When it was last written to.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub updated_at: DateTime<Utc>,
    /// The settings as the caller made them; only with `include=settings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Settings)]
    pub settings: Option<Settings>,
    /// The settings with every default resolved, the tenant's included; only with `include=policy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Policy)]
    pub policy: Option<Policy>,
}

/// A part of a session that lists leave out unless it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SessionPart {
    /// The settings with every default resolved.
    Policy,
    /// The settings as the caller made them.
    Settings,
}

impl SessionRow {
    fn of(session: Session, include: Option<&Words<SessionPart>>) -> Self {
        Self {
            policy: Words::have(include, &SessionPart::Policy).then(|| session.policy()),
            usage: session.usage().brief(false),
            context_revision: session.served_revision(),
            branch: session.other_branch().cloned(),
            session_id: session.name,
            task_id: session.settings.task_id.clone(),
            parent_session_id: session.settings.parent_session_id.clone(),
            head_seq: session.head_seq,
            next_seq: session.head_seq + 1,
            anchor_seq: session.anchor_seq,
            summary_version: session.version,
            compression_count: session.compression_count,
            compression: session.live.map(|live| LiveCompression { id: live.id, status: live.status }),
            created_at: session.created_at,
            updated_at: session.updated_at,
            settings: Words::have(include, &SessionPart::Settings).then_some(session.settings),
        }
    }
}

impl From<Session> for SessionView {
    fn from(session: Session) -> Self {
        let policy = session.policy();
        let usage = session.usage();
        let warnings = session.warnings().into_iter().map(Warning::in_full).collect();
        Self {
            warnings,
            context_revision: session.served_revision(),
            branch: session.other_branch().cloned(),
            session_id: session.name,
            settings: session.settings,
            policy,
            head_seq: session.head_seq,
            next_seq: session.head_seq + 1,
            anchor_seq: session.anchor_seq,
            summary_version: session.version,
            compression_count: session.compression_count,
            usage,
            compression: session.live.map(|live| LiveCompression { id: live.id, status: live.status }),
            llm_breaker: None,
            created_at: session.created_at,
            updated_at: session.updated_at,
        }
    }
}

/// Creates a session or replaces its settings.
///
/// An absent or null field has its default; `PATCH` changes single fields. A change starts a new `context_revision`. Context
/// window, output reserve and tokenizer: what the session sets, else what follows from its `model`, else what the tenant
/// sets, else what follows from the tenant's `model`, else the defaults of the installation. The tokenizer is fixed by the
/// first message or the first fork, because every stored count depends on it: without the field it stays as it is; the window
/// follows a later `model`.
///
/// Settings are those of the session on all of its branches; `branch` says whose figures the reply has.
#[utoipa::path(
    put, path = "/v1/sessions/{session_id}", tag = "sessions", operation_id = "sessions.put",
    params(SessionPath), request_body = Settings,
    responses(
        (status = 200, body = SessionView, description = "The session existed; its settings are replaced."),
        (status = 201, body = SessionView, description = "The session is created.")
    )
)]
pub async fn put_session(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    body: Json<Map<String, Value>>,
) -> Result<(StatusCode, Reply<SessionView>)> {
    state.check_settings(&body.value)?;
    match state.store.put_session(caller.tenant, &path.session_id, body.value).await? {
        PutOutcome::Created(session) => Ok((StatusCode::CREATED, Reply((*session).into()))),
        PutOutcome::Updated(session) => Ok((StatusCode::OK, Reply((*session).into()))),
        PutOutcome::Refused(refused) => Err(ApiError::invalid(refused.pointer, refused.detail)),
        PutOutcome::NoBranch => Err(ApiError::NotFound(Kind::SessionNotFound)),
    }
}

/// Changes a session's settings.
///
/// An absent field keeps its value and null resets it (JSON Merge Patch); `metadata` is replaced as a whole. A change
/// starts a new `context_revision`. Settings are those of the session on all of its branches; `branch` says whose figures the
/// reply has.
#[utoipa::path(
    patch, path = "/v1/sessions/{session_id}", tag = "sessions", operation_id = "sessions.update",
    params(SessionPath), request_body = Settings,
    responses((status = 200, body = SessionView, description = "The session with its settings as they are now."))
)]
pub async fn patch_session(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    body: Json<Map<String, Value>>,
) -> Result<Reply<SessionView>> {
    state.check_settings(&body.value)?;
    let patched = state.store.patch_session(caller.tenant, &path.session_id, body.value).await?;
    match patched.or_missing(Kind::SessionNotFound)? {
        PutOutcome::Created(session) | PutOutcome::Updated(session) => Ok(Reply((*session).into())),
        PutOutcome::Refused(refused) => Err(ApiError::invalid(refused.pointer, refused.detail)),
        PutOutcome::NoBranch => Err(ApiError::NotFound(Kind::SessionNotFound)),
    }
}

/// Reads a session.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}", tag = "sessions", operation_id = "sessions.get",
    params(SessionPath),
    responses((status = 200, body = SessionView, description = "The session."))
)]
pub async fn find_session(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
) -> Result<Reply<SessionView>> {
    let session =
        state.store.find_session(caller.tenant, &path.session_id).await?.or_missing(Kind::SessionNotFound)?;
    let llm_breaker = state.store.find_llm_breaker(caller.tenant, session.id).await?;
    Ok(Reply(SessionView { llm_breaker, ..session.into() }))
}

/// Which sessions to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SessionsQuery {
    /// Only sessions of this task.
    pub task_id: Option<String>,
    /// Only sessions that this one started.
    pub parent_session_id: Option<String>,
    /// Only sessions of this end user.
    pub user: Option<String>,
    /// Only sessions whose id has this in it.
    #[param(min_length = 1, max_length = 256)]
    pub named: Option<String>,
    /// Only sessions whose metadata has this field with this value, as `name:value`; with several, all of them. Texts,
    /// numbers and booleans at the top of the metadata can be asked for.
    #[param(value_type = Option<Vec<String>>, style = Form, explode, max_items = 4, example = json!(["team:support"]))]
    pub metadata: Option<Repeated>,
    /// Only sessions of which a branch was written to at or after this time (RFC 3339), or from this date on (UTC).
    #[serde(default, deserialize_with = "crate::extract::params::time")]
    pub updated_since: Option<DateTime<Utc>>,
    /// More parts of each row: `policy` (every threshold in force), `settings` (those that were set).
    #[param(value_type = Option<Vec<SessionPart>>, inline)]
    pub include: Option<Words<SessionPart>>,
    /// Items of the page.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[param(max_length = 1024)]
    pub cursor: Option<String>,
}

/// Lists sessions, newest first.
///
/// A session is one row, with the figures of its current branch.
#[utoipa::path(
    get, path = "/v1/sessions", tag = "sessions", operation_id = "sessions.list",
    params(SessionsQuery),
    responses((status = 200, body = Page<SessionRow>, description = "A page of sessions."))
)]
pub async fn list_sessions(
    Reader { caller, state }: Reader,
    Query(query): Query<SessionsQuery>,
) -> Result<Reply<Page<SessionRow>>> {
    let SessionsQuery { task_id, parent_session_id, user, updated_since, .. } = &query;
    if updated_since.is_some_and(|since| !is_writable(since)) {
        return Err(ApiError::parameter("updated_since", "must be of the years 0000 to 9999"));
    }
    let metadata = fields(query.metadata.clone().unwrap_or_default())?;
    let named = &query.named;
    if named.as_ref().is_some_and(|named| !(1..=256).contains(&named.chars().count()) || named.contains('\0'))
    {
        return Err(ApiError::parameter("named", "must have 1 to 256 characters and no NUL"));
    }
    let scope = format!(
        "sessions {task_id:?} {parent_session_id:?} {user:?} {named:?} {metadata:?} {updated_since:?}"
    );
    let paging = Paging::<Uuid>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let filter = SessionFilter {
        task_id: query.task_id,
        parent_session_id: query.parent_session_id,
        user: query.user,
        metadata,
        updated_since: query.updated_since,
        named: query.named,
    };
    let rows =
        state.store.list_sessions(caller.tenant, &filter, paging.after.map(SessionId), paging.rows()).await?;
    let include = query.include.as_ref();
    Ok(Reply(paging.page(rows, |session| session.root.0).map(|session| SessionRow::of(session, include))))
}

/// The most fields of metadata that one list filters by.
const MOST_FIELDS: usize = 4;

/// Parses `name:value`. A name that holds a colon cannot be asked for.
fn fields(Repeated(texts): Repeated) -> Result<Vec<MetadataField>> {
    if texts.len() > MOST_FIELDS {
        return Err(ApiError::parameter("metadata", format!("must come at most {MOST_FIELDS} times")));
    }
    let field = |text: &String| {
        let (name, value) = text.split_once(':').filter(|(name, _)| !name.is_empty())?;
        Some(MetadataField { name: name.to_owned(), value: value.to_owned() })
    };
    let fields: Option<Vec<_>> = texts.iter().map(field).collect();
    fields.ok_or_else(|| ApiError::parameter("metadata", "must be a name and a value, such as team:support"))
}

/// Erases a session and everything that belongs to it.
///
/// Its messages, versions, pins and stored replies go with it, and live work is cancelled. Nothing of it is shown from
/// then on, and a new session may take the name at once; the rows of a large one are deleted in the background, and its
/// bytes count until they are.
#[utoipa::path(
    delete, path = "/v1/sessions/{session_id}", tag = "sessions", operation_id = "sessions.delete",
    params(SessionPath),
    responses((status = 204, description = "The session is erased."))
)]
pub async fn delete_session(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
) -> Result<StatusCode> {
    let SessionRef { name, branch } = path.session_id;
    if branch.is_some() {
        // Who names a branch does not mean all of them.
        let detail = "a session is erased with all its branches; DELETE …/branches/{branch} erases one";
        return Err(ApiError::parameter(BRANCH, detail));
    }
    let is_gone = state.store.delete_session(caller.tenant, &name, caller.actor()).await?;
    is_gone.then_some(StatusCode::NO_CONTENT).or_missing(Kind::SessionNotFound)
}
