//! Compressions: attempts to make the next summary version. Workers run them; callers request them here, wait for them,
//! read them and cancel them.

use std::time::Duration;

use crate::api::prelude::*;
use crate::extract::prefer::Wait;
use anchord_messages::id::CompressionId;
use anchord_record::strategy::{self, EngineChoice, Strategy, Verifiable};
use anchord_session::compression::{Report, Request, Status};
use anchord_session::flags::{self, Asked, Flag};
use anchord_session::settings::MAX_PRESERVE_RECENT;
use anchord_store::compressions::{self, CompressionRow, Kind as JobKind};
use anchord_store::events::Following;
use anchord_store::figures;
use anchord_store::sessions::Session;
use anchord_store::settle;

/// The first and the longest pause between two reads of a compression that a caller waits for, when no event of its
/// session arrives.
const LOOK_FIRST: Duration = Duration::from_millis(15);
const LOOK_LONGEST: Duration = Duration::from_millis(300);

session_path! {
    /// The path of one compression.
    CompressionPath {
        /// The compression's id.
        #[param(inline)]
        compression_id: CompressionId,
    }
}

/// A compression to make; absent fields follow the session's settings.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(examples(json!({}), json!({"reason": "end of the task", "engine": "extractive", "preserve_recent": 3})))]
#[schema(as = CreateCompression)]
pub struct NewCompression {
    /// The caller's reason, kept with the compression.
    #[schema(max_length = 1000, pattern = r"^[^\u0000]*$")]
    reason: Option<String>,
    /// How the version is made; never `rollback`, and not `opaque` for critical sessions.
    #[serde(deserialize_with = "strategy::asked_or_none")]
    strategy: Option<Strategy>,
    /// The engine that reads the span.
    engine: Option<EngineChoice>,
    /// The model that writes the summary.
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\u0000]*$")]
    summary_model: Option<String>,
    /// Messages that stay verbatim.
    #[schema(maximum = 200)]
    preserve_recent: Option<u32>,
    /// Tokens of the newest messages that stay verbatim, as far as the fill has room; at most the effective window.
    preserve_recent_tokens: Option<u32>,
    /// Share of the effective window that record, digest and newest messages take, in place of `fill`. It is held below
    /// the compress level less 0.10, with a warning. Without it and `through_seq`, a session that is within its fill is
    /// `skipped` as `fits`.
    #[schema(exclusive_minimum = 0, maximum = 1)]
    target: Option<f64>,
    /// The last message to cover.
    #[schema(value_type = Option<i64>, minimum = 1)]
    through_seq: Option<Seq>,
}

/// One attempt to make the next summary version, or to evaluate one.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Compression {
    /// Its id.
    pub id: CompressionId,
    /// The session's id.
    pub session_id: SessionName,
    /// `compress`, or `evaluate` for an evaluation.
    pub kind: JobKind,
    /// How far it is.
    pub status: Status,
    /// How the version is made.
    pub strategy: Strategy,
    /// How far its result can be verified against the originals.
    pub verifiable: Verifiable,
    /// Its cause: `manual`, or the signal's name.
    pub trigger: String,
    /// The caller's reason.
    #[schema(required = true)]
    pub reason: Option<String>,
    /// The first message of the span; null until a worker has fixed it.
    #[schema(required = true)]
    pub from_seq: Option<Seq>,
    /// The last message of the span.
    #[schema(required = true)]
    pub through_seq: Option<Seq>,
    /// The version that it made or evaluated; null when there is none.
    #[schema(required = true)]
    pub version: Option<i64>,
    /// How many times a worker has started it.
    pub attempts: i32,
    /// The result; every figure is null or 0 until the compression has ended.
    #[serde(flatten)]
    pub report: Report,
    /// Figures outside their targets.
    pub flags: Vec<Flag>,
    /// When it was requested.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
    /// When a worker first started it.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub finished_at: Option<DateTime<Utc>>,
}

impl Compression {
    pub(crate) fn of(session: &Session, row: CompressionRow) -> Self {
        let report = row.report.unwrap_or_default();
        // Report what was used, even when the session's settings have changed since.
        let settings = session.effective_settings();
        let strategy =
            row.request.strategy.or(report.strategy_used).unwrap_or_else(|| settings.strategy_in_force());
        let asked = Asked::of(&row.trigger, &row.request, &settings);
        Self {
            id: row.id,
            session_id: session.name.clone(),
            kind: row.kind,
            status: row.status,
            strategy,
            verifiable: report.strategy_used.unwrap_or(strategy).verifiable(),
            trigger: row.trigger,
            reason: row.request.reason,
            from_seq: row.from_seq,
            through_seq: row.through_seq,
            version: row.version.or(row.request.version),
            attempts: row.attempts,
            flags: flags::of(&report, asked),
            report,
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
        }
    }
}

/// Compresses a session now.
///
/// With a compression live, the same parameters wait for that one and answer with its id; others are
/// refused as `/problems/compression-live` with its `compression_id`. A manual compression ends the
/// suspension that a rollback brought.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/compressions", tag = "compressions", operation_id = "compressions.create",
    params(SessionPath, Wait), request_body = Option<NewCompression>,
    responses(
        (status = 200, body = Compression, description = "It has ended: within the time that `Prefer: wait` allows, or at once, as `skipped`, because there is nothing to cover.",
         headers(("Preference-Applied" = String, description = "The wait that was honoured."))),
        (status = 202, body = Compression, description = "It waits or runs; read it at `Location`.",
         headers(("Location" = String, description = "Where the compression is."),
                 ("Preference-Applied" = String, description = "The wait that was honoured.")))
    )
)]
pub async fn create_compression(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    (key, wait): (IdempotencyKey, Wait),
    body: OptionalJson<NewCompression>,
) -> Result<KeptReply> {
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, body.digest).await?);
    let session = caller.lock_session(&mut tx, &path.session_id).await?;
    let request = body.value.checked(&state, &session)?;
    let enqueued = compressions::enqueue_manual(&mut tx, session.id.of(caller.tenant), &request).await?;
    let key_of = session.id.of(caller.tenant);
    let is_answered =
        enqueued.created && settle::skip_if_idle(&mut tx, key_of, enqueued.id, &request).await?;
    let row = compressions::find(&mut tx, key_of, enqueued.id)
        .await?
        .ok_or_else(|| ApiError::internal(anyhow::anyhow!("an enqueued compression is not there")))?;
    if !enqueued.created && !is_same(&row.request, &request) {
        return Err(ApiError::CompressionLive(enqueued.id));
    }
    let report = row.report.clone().filter(|_| is_answered);
    let started = reply(&session, row, (&path.session_id, &wait))?;
    claimed.keep(&state.store, &mut tx, Some(session.id), &started).await?;
    tx.commit().await?;
    if let Some(report) = report {
        figures::record(&report, Status::Skipped);
        return Ok(started);
    }

    let Some(row) = wait_for(&state, &caller, session.id, (enqueued.id, &wait)).await? else {
        return Ok(started);
    };
    let ended = reply(&session, row, (&path.session_id, &wait))?;
    claimed.keep_later(&state.store, session.id, &ended).await;
    Ok(ended)
}

/// Lists a session's compressions, newest first.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/compressions", tag = "compressions", operation_id = "compressions.list", params(SessionPath, PageQuery),
    responses((status = 200, body = Page<Compression>, description = "A page of compressions."))
)]
pub async fn list_compressions(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<Compression>>> {
    let scope = format!("compressions {}", path.session_id);
    let paging = Paging::<CompressionId>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let session = find_session(&state, &caller, &path.session_id).await?;
    let rows =
        state.store.list_compressions(session.id.of(caller.tenant), paging.after, paging.rows()).await?;
    Ok(Reply(paging.page(rows, |row| row.id).map(|row| Compression::of(&session, row))))
}

/// Reads one compression.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/compressions/{compression_id}", tag = "compressions", operation_id = "compressions.get",
    params(CompressionPath),
    responses((status = 200, body = Compression, description = "The compression."))
)]
pub async fn find_compression(
    Reader { caller, state }: Reader,
    Path(path): Path<CompressionPath>,
) -> Result<Reply<Compression>> {
    let session = find_session(&state, &caller, &path.session_id).await?;
    let found = state.store.find_compression(session.id.of(caller.tenant), path.compression_id).await?;
    let row = found.or_missing(Kind::CompressionNotFound)?;
    Ok(Reply(Compression::of(&session, row)))
}

/// Cancels a compression that has not ended; what it has done so far is discarded.
#[utoipa::path(
    delete, path = "/v1/sessions/{session_id}/compressions/{compression_id}", tag = "compressions", operation_id = "compressions.cancel",
    params(CompressionPath),
    responses(
        (status = 200, body = Compression, description = "The cancelled compression."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "It had ended already (`/problems/conflict`).")
    )
)]
pub async fn cancel_compression(
    Writer { caller, state }: Writer,
    Path(path): Path<CompressionPath>,
) -> Result<Reply<Compression>> {
    let session = find_session(&state, &caller, &path.session_id).await?;
    let cancelled = state.store.cancel_compression(session.id.of(caller.tenant), path.compression_id).await?;
    let found = state.store.find_compression(session.id.of(caller.tenant), path.compression_id).await?;
    let row = found.or_missing(Kind::CompressionNotFound)?;
    // A second DELETE of the same one finds what it asked for.
    if !cancelled && row.status != Status::Cancelled {
        let status = row.status.as_ref();
        return Err(ApiError::Conflict(format!("{} has ended already: {status}", path.compression_id)));
    }
    Ok(Reply(Compression::of(&session, row)))
}

impl NewCompression {
    /// Checks what the session and the installation allow.
    fn checked(self, state: &AppState, session: &Session) -> Result<Request> {
        let settings = session.effective_settings();
        if self.strategy.is_some_and(|strategy| settings.refuses(strategy)) {
            let detail = "opaque cannot be verified and is refused for critical sessions";
            return Err(ApiError::refused("/strategy", detail));
        }
        if self.preserve_recent.is_some_and(|messages| messages > MAX_PRESERVE_RECENT) {
            let detail = format!("must be at most {MAX_PRESERVE_RECENT}");
            return Err(ApiError::invalid("/preserve_recent", detail));
        }
        let window = session.policy().effective_window;
        if self.preserve_recent_tokens.is_some_and(|tokens| tokens > window) {
            let detail = format!("must be at most the effective window, {window} tokens");
            return Err(ApiError::invalid("/preserve_recent_tokens", detail));
        }
        if self.target.is_some_and(|target| !(target > 0.0 && target <= 1.0)) {
            return Err(ApiError::invalid("/target", "must be above 0 and at most 1"));
        }
        if self.through_seq.is_some_and(|seq| !(1..=session.head_seq).contains(&seq)) {
            let detail = format!("must be a message of the session, from 1 to {}", session.head_seq);
            return Err(ApiError::invalid("/through_seq", detail));
        }
        let texts = [("/reason", &self.reason, 0..=1000), ("/summary_model", &self.summary_model, 1..=200)];
        for (pointer, text, bounds) in texts {
            let fits =
                text.as_deref().is_none_or(|t| bounds.contains(&t.chars().count()) && !t.contains('\0'));
            if !fits {
                let (least, most) = bounds.into_inner();
                let detail = format!("must have {least} to {most} characters and no NUL");
                return Err(ApiError::invalid(pointer, detail));
            }
        }
        state.check_engine(self.engine, self.summary_model.as_deref())?;
        Ok(Request {
            reason: self.reason,
            strategy: self.strategy,
            engine: self.engine,
            model: self.summary_model,
            preserve_recent: self.preserve_recent,
            preserve_recent_tokens: self.preserve_recent_tokens,
            target: self.target,
            through_seq: self.through_seq,
            version: None,
        })
    }
}

/// Whether two requests ask for the same work; the reason is only a note.
fn is_same(one: &Request, other: &Request) -> bool {
    Request { reason: None, ..one.clone() } == Request { reason: None, ..other.clone() }
}

/// The reply: 200 when the job has ended, else 202 with its location.
pub(crate) fn reply(
    session: &Session,
    row: CompressionRow,
    (asked, wait): (&SessionRef, &Wait),
) -> Result<KeptReply> {
    let location = params::path_of(session, asked, &format!("/compressions/{}", row.id));
    let status = if row.status.is_live() { StatusCode::ACCEPTED } else { StatusCode::OK };
    let reply = KeptReply::json(status, &Compression::of(session, row))?.with(&header::LOCATION, location);
    Ok(wait.on(reply))
}

/// Waits until a job has ended; `None` when the caller does not wait, or the time is over. A caller whose key is good no
/// longer waits no longer.
///
/// The job is read after each event of its session, which the listener of the process reports, and now and then
/// besides. A read is one row by primary key, and no connection is held while waiting.
pub(crate) async fn wait_for(
    state: &AppState,
    caller: &Caller,
    session: SessionId,
    (id, wait): (CompressionId, &Wait),
) -> Result<Option<CompressionRow>> {
    let Some(longest) = wait.longest() else { return Ok(None) };
    let deadline = tokio::time::Instant::now() + longest;
    let mut pause = LOOK_FIRST;
    // Listen before the first read, so that no event is missed in between.
    let mut events = state.store.listen_to(Following::Branch(session));
    let mut changes = state.store.watch_tenant(caller.tenant);
    loop {
        let row = state.store.find_compression(session.of(caller.tenant), id).await?;
        // The job was erased with its session.
        let row = row.or_missing(Kind::CompressionNotFound)?;
        if !row.status.is_live() {
            return Ok(Some(row));
        }
        let now = tokio::time::Instant::now();
        if now >= deadline || state.tracker.is_closed() {
            return Ok(None);
        }
        // Not every end of a job has an event, and a notification may be lost.
        tokio::select! {
            () = events.rung() => {}
            () = changes.rung() => {
                if caller.still_good(state).await?.is_none() {
                    return Err(ApiError::Unauthorized("this API key was revoked while the request waited"));
                }
            }
            () = tokio::time::sleep(pause.min(deadline - now)) => pause = (pause * 3 / 2).min(LOOK_LONGEST),
        }
    }
}

pub(crate) async fn find_session(state: &AppState, caller: &Caller, name: &SessionRef) -> Result<Session> {
    state.store.find_session(caller.tenant, name).await?.or_missing(Kind::SessionNotFound)
}
