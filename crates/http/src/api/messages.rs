//! Messages: append a batch, read the originals.

use std::time::Instant;

use serde::Deserializer;
use serde::de::Error as _;
use serde_json::value::RawValue;

use crate::admission::heavy::{in_steps, in_turn};
use crate::admission::quotas::{BatchSize, QuotaReservation};
use crate::api::append_reply::{AppendOptions, AppendQuery, AppendResult};
use crate::api::batch::{Batch, LARGE_BODY_BYTES, MarkedComponent, marked};
use crate::api::message::Message;
use crate::api::prelude::*;
use crate::api::usage::{micros, refetch};
use crate::limits::Limits;
use anchord_context::mask::Keep;
use anchord_messages::format::Format;
use anchord_messages::format::detect::BatchFormat;
use anchord_messages::message::Role;
use anchord_messages::tokens::Tokenizer;
use anchord_session::accounting::MAX_GROUP_BYTES;
use anchord_session::session::{AppendRefusal, FirstSettings};
use anchord_session::usage::{Kind as UsageKind, UsageDelta};
use anchord_store::gather::{Append, AppendError, NewMessage, Reply as AppendOutcome};
use anchord_store::idempotency::{ReplyKey, ReplyLookup};
use anchord_store::messages::{MessagePage, SeqRange};

/// How often the tokens of an append are counted, when the session uses another tokenizer than expected.
const TOKENIZER_ATTEMPTS: usize = 3;

/// A batch of messages to append.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AppendRequest)]
pub struct NewMessages {
    /// The conversation format of the messages. Without it they are recognised by their shapes; messages that read the
    /// same in every format, such as plain texts, get the session's format so far, and `openai-chat` in a session
    /// without one. A format that the messages contradict is 422.
    #[schema(required = false, value_type = Format)]
    pub format: Option<Format>,
    /// The model that the session talks to from now on: it becomes the session's setting `model`, from which context window,
    /// output reserve and tokenizer follow. The tokenizer of a session that has messages stays.
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
    /// The messages, oldest first, as the format writes them. Each comes back exactly as it was sent.
    #[schema(value_type = Vec<Message>, min_items = 1, max_items = 1000)]
    pub messages: Vec<Box<RawValue>>,
    /// The position that the first message must get; another one is 409 and nothing is stored.
    #[serde(default, deserialize_with = "next_seq")]
    #[schema(value_type = Option<i64>, minimum = 1)]
    pub expected_next_seq: Option<Seq>,
    /// Whether a task has just ended; some policies then compress.
    #[serde(default)]
    pub task_boundary: bool,
    /// The caller's marks of single messages of the batch.
    #[serde(default)]
    #[schema(value_type = Vec<Mark>)]
    pub marks: Vec<Object<Mark>>,
    /// The session's `user`, when this batch makes the session; one that is there keeps its own.
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\u0000]*$")]
    pub user: Option<String>,
    /// The session's `metadata`, when this batch makes the session; one that is there keeps its own.
    pub metadata: Option<Map<String, Value>>,
}

/// A position from 1 on, or null; the parser's own refusal would name the range of its type.
fn next_seq<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Seq>, D::Error> {
    let refused = || D::Error::custom("must be a whole number, 1 or more");
    let seq = Option::<Seq>::deserialize(from).map_err(|_| refused())?;
    if seq.is_some_and(|seq| seq < 1) { Err(refused()) } else { Ok(seq) }
}

/// The caller's mark of one message of the batch.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MessageMark)]
pub struct Mark {
    /// The message's place in the batch, from 0.
    pub index: u32,
    /// `always`: it is served in full, also when a summary covers it, until `DELETE …/messages/{seq}/mark` or a budget that
    /// holds nothing else. Together such messages may take a tenth of the effective window. `never`: its tool outputs are
    /// placeholders at once, and without any it is left out.
    pub keep: Option<Keep>,
    /// The component that its tokens count as.
    pub component: Option<MarkedComponent>,
}

/// A message as it was sent, with what the service knows of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StoredMessage)]
pub struct StoredMessageView {
    /// Its position.
    pub seq: Seq,
    /// Who speaks.
    pub role: Role,
    /// Its tokens.
    pub tokens: i32,
    /// When it was stored.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
    /// The message, exactly as it was sent.
    #[schema(value_type = Message)]
    pub message: Box<RawValue>,
}

/// Appends a batch of messages; makes the session when it is new.
///
/// The batch is stored whole or not at all, in order and without gaps, and is of one format. The reply tells the positions, how
/// full the context is, the signals that ask for something, and the live compression, when there is one; `include` adds the rest.
/// With `return=context` it also has the context to send to the model next, which saves a round trip.
/// `usage.assumed` is true until the session or its tenant has a `context_window` or a known `model`; with `include=warnings`
/// the reply says why (`window-assumed`, `model-unknown`) and what to do.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/messages", tag = "messages", operation_id = "messages.append",
    params(SessionPath, AppendQuery), request_body = NewMessages,
    responses(
        (status = 201, body = AppendResult, description = "The messages are stored. A repeated request gets the reply as the first one asked for it."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "`expected_next_seq` does not hold (`next_seq` is the actual one); nothing is stored.")
    )
)]
pub async fn append_messages(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    options: AppendOptions,
    key: IdempotencyKey,
    body: JsonBytes,
) -> Result<Response> {
    let started = Instant::now();
    options.authorize(&caller)?;
    let reply_key = if key.is_present() {
        key.reply_key(caller.tenant, digest(&body, caller.tenant).await?)
    } else {
        None
    };
    let mut tokenizer = state.appends.known_tokenizer(caller.tenant, &path.session_id);
    let mut admitted = None;
    for _ in 0..TOKENIZER_ATTEMPTS {
        let prepared = prepare(&body, caller.tenant, tokenizer, &state.limits).await?;
        let expected = prepared.expected_next_seq;
        let size = batch_size(&prepared.messages);
        // The size is the same at every attempt.
        let admitted = match &mut admitted {
            Some(admitted) => admitted,
            none => none.insert(admit(&state, &caller, reply_key.as_ref(), size).await?),
        };
        let append = Append {
            tenant: caller.tenant,
            session: path.session_id.clone(),
            model: prepared.model,
            opening: prepared.opening,
            messages: prepared.messages,
            format: prepared.format,
            tokenizer: prepared.tokenizer,
            expected_next_seq: expected,
            task_boundary: prepared.task_boundary,
            now: state.clock.now().timestamp(),
            reply_key: reply_key.clone(),
            included: options.included(),
            is_imported: false,
        };
        match state.appends.append(append).await {
            Ok(reply) => {
                if reply.stored.is_some() {
                    admitted.store(size);
                }
                state.count_append(&caller, &reply, size, started);
                drop(body);
                return options.answer((&state, &caller), &path.session_id, reply, started).await;
            }
            Err(AppendError::Refused(AppendRefusal::Tokenizer(wanted))) => tokenizer = Some(wanted),
            Err(refused) => {
                if refused.may_be_stored() {
                    admitted.store(size);
                }
                return Err(refuse(refused, expected.unwrap_or_default()));
            }
        }
    }
    Err(ApiError::Unavailable(anyhow::anyhow!("the session's tokenizer keeps changing")))
}

impl AppState {
    /// Adds an append to the usage figures, unless its reply was replayed.
    pub(crate) fn count_append(
        &self,
        caller: &Caller,
        reply: &AppendOutcome,
        size: BatchSize,
        started: Instant,
    ) {
        let Some(stored) = &reply.stored else { return };
        if self.embedder.is_some() {
            self.store.mark_for_embedding(caller.tenant, stored.session);
        }
        let figures = UsageDelta {
            calls: 1,
            tokens_in: i64::try_from(stored.tokens).unwrap_or(i64::MAX),
            time_us: micros(started.elapsed()),
            messages: i64::try_from(size.messages).unwrap_or(i64::MAX),
            bytes: i64::try_from(size.bytes).unwrap_or(i64::MAX),
            ..UsageDelta::default()
        };
        self.count_use(caller, stored.session, stored.task_id.as_deref(), (UsageKind::Append, figures));
    }
}

/// Size of messages, as a tenant's quotas count it.
pub(crate) fn batch_size(messages: &[NewMessage]) -> BatchSize {
    BatchSize {
        messages: messages.len(),
        bytes: messages.iter().map(|message| message.body.get().len()).sum(),
    }
}

/// Takes the room of a batch from the quotas; one that was stored before is answered again, whatever they say.
pub(crate) async fn admit(
    state: &AppState,
    caller: &Caller,
    key: Option<&ReplyKey>,
    size: BatchSize,
) -> Result<QuotaReservation> {
    let now = state.clock.now();
    let refused = match state.quotas.admit((&state.store, now), (caller.tenant, &caller.quotas), size).await {
        Ok(admitted) => return Ok(admitted),
        Err(refused) => refused,
    };
    let Some(key) = key else { return Err(refused) };
    let mut tx = state.store.begin(caller.tenant).await?;
    match state.store.claim_reply(&mut tx, key).await? {
        ReplyLookup::Reply(_) | ReplyLookup::OtherBody => Ok(QuotaReservation::default()),
        ReplyLookup::First | ReplyLookup::InFlight => Err(refused),
    }
}

pub(crate) fn refuse(refused: AppendError, expected: Seq) -> ApiError {
    match refused {
        AppendError::Refused(AppendRefusal::Precondition { next_seq }) => {
            ApiError::SequenceMismatch { expected, actual: next_seq }
        }
        AppendError::KeyReused => ApiError::IdempotencyMismatch,
        AppendError::NoBranch => ApiError::NotFound(Kind::SessionNotFound),
        AppendError::Refused(AppendRefusal::GroupTooLarge) => ApiError::TooLarge {
            what: "a call with its results, those stored before included,".to_owned(),
            limit: usize::try_from(MAX_GROUP_BYTES).unwrap_or(usize::MAX),
            unit: "bytes",
        },
        AppendError::Refused(AppendRefusal::KeptTooMuch(much)) => {
            ApiError::refused("/marks", much.to_string())
        }
        AppendError::Refused(AppendRefusal::Model(refused)) => {
            ApiError::invalid(refused.pointer, refused.detail)
        }
        AppendError::Busy | AppendError::Refused(AppendRefusal::Tokenizer(_)) => {
            ApiError::Unavailable(refused.into())
        }
        AppendError::Store(ref error) if let StoreError::OverQuota { bound, limit, used } = **error => {
            ApiError::over(bound, limit, used)
        }
        AppendError::Store(ref error) if error.is_locked() => ApiError::Locked(refused.into()),
        AppendError::Store(ref error) if error.is_unavailable() => ApiError::Unavailable(refused.into()),
        // An append that broke off may have been committed just before.
        AppendError::Store(ref error) if error.is_outcome_unknown() => {
            ApiError::OutcomeUnknown(refused.into())
        }
        AppendError::Broken => ApiError::OutcomeUnknown(refused.into()),
        AppendError::Store(_) => ApiError::internal(refused),
    }
}

/// A batch that is parsed, checked and counted.
struct Prepared {
    model: Option<String>,
    tokenizer: Tokenizer,
    messages: Vec<NewMessage>,
    format: BatchFormat,
    expected_next_seq: Option<Seq>,
    task_boundary: bool,
    /// Settings of the session, when the batch makes it.
    opening: Option<FirstSettings>,
}

async fn prepare(
    body: &JsonBytes,
    tenant: TenantId,
    tokenizer: Option<Tokenizer>,
    limits: &Limits,
) -> Result<Prepared> {
    let (body, limits, mut begun) = (body.clone(), limits.clone(), None);
    in_steps(tenant, body.0.len() > LARGE_BODY_BYTES, move |until| {
        let Some((mut batch, request)) = begun.take() else {
            begun = Some(begin(&body, tokenizer, &limits)?);
            return Ok(None);
        };
        while batch.read_next()? {
            if Instant::now() > until {
                begun = Some((batch, request));
                return Ok(None);
            }
        }
        prepared(batch, request).map(Some)
    })
    .await
}

/// SHA-256 of a body.
async fn digest(body: &JsonBytes, tenant: TenantId) -> Result<[u8; 32]> {
    if body.0.len() <= LARGE_BODY_BYTES {
        return Ok(body.digest());
    }
    let body = body.clone();
    in_turn(tenant, move || body.digest()).await
}

/// Adds to the refusal of an unknown field that belongs to a provider's request where its value goes in this API.
fn with_hint(refused: ApiError) -> ApiError {
    let ApiError::Invalid(mut errors) = refused else { return refused };
    for error in errors.iter_mut().filter(|error| error.detail.starts_with("unknown field")) {
        let hint = match error.pointer.as_str() {
            "/system" | "/instructions" => {
                "send the system prompt as the first message, with the role `system`; one that you keep counts as \
                 the session's `system_tokens`"
            }
            "/input" => "send the items as `messages`; the format `openai-responses` is recognised by them",
            "/max_tokens" | "/max_output_tokens" | "/max_completion_tokens" => {
                "the room for the answer is the session's `reserved_output_tokens`, which follows from `model`"
            }
            "/tools" | "/tool_choice" => {
                "tool definitions are not stored; their tokens count as the session's `system_tokens`"
            }
            "/temperature" | "/top_p" | "/stream" | "/stop" => {
                "anchord stores messages and calls no model with them; keep this in your own request"
            }
            _ => continue,
        };
        error.detail = format!("is no field of an append: {hint}");
    }
    ApiError::Invalid(errors)
}

/// Parses a body into its messages, which are not read yet, and the rest of it.
fn begin(body: &JsonBytes, tokenizer: Option<Tokenizer>, limits: &Limits) -> Result<(Batch, NewMessages)> {
    let mut request: NewMessages = body.parse_strictly().map_err(with_hint)?;
    let messages = std::mem::take(&mut request.messages);
    if messages.is_empty() {
        return Err(ApiError::invalid("/messages", "must hold at least one message"));
    }
    if messages.len() > limits.batch_messages {
        let limit = limits.batch_messages;
        return Err(ApiError::TooLarge { what: "the batch".to_owned(), limit, unit: "messages" });
    }
    let hints = (request.format, request.model.as_deref(), tokenizer);
    Ok((Batch::begin((0, messages), hints, limits)?, request))
}

/// Puts together what was read.
fn prepared(batch: Batch, request: NewMessages) -> Result<Prepared> {
    let (mut messages, format, tokenizer) = batch.finish();
    for (place, Object(mark)) in request.marks.iter().enumerate() {
        let last = messages.len() - 1;
        let message = messages.get_mut(mark.index as usize).ok_or_else(|| {
            ApiError::invalid(format!("/marks/{place}/index"), format!("must be from 0 to {last}"))
        })?;
        marked(message, mark.keep, mark.component);
    }
    Ok(Prepared {
        model: request.model,
        tokenizer,
        messages,
        format,
        expected_next_seq: request.expected_next_seq,
        task_boundary: request.task_boundary,
        opening: opening(request.user, request.metadata)?,
    })
}

/// User and metadata of a session that is made. They are checked also when the session is there, and keeps its own: a mistake
/// should not show on some days only.
pub(crate) fn opening(
    user: Option<String>,
    metadata: Option<Map<String, Value>>,
) -> Result<Option<FirstSettings>> {
    FirstSettings::new(user, metadata).map_err(|refused| ApiError::invalid(refused.pointer, refused.detail))
}

session_path! {
    /// The path of one of a session's messages.
    MessagePath {
        /// The message's position.
        #[param(minimum = 1)]
        seq: Seq,
    }
}

/// Ends the mark `keep: always` of a message.
///
/// Contexts then treat it as any other: what a summary covers is no longer served beside it. A message without such a mark
/// stays as it is. Each branch has marks of its own.
#[utoipa::path(
    delete, path = "/v1/sessions/{session_id}/messages/{seq}/mark", tag = "messages", operation_id = "messages.release",
    params(MessagePath), responses((status = 204, description = "The message is not kept, or no longer."))
)]
pub async fn release_message(
    Writer { caller, state }: Writer,
    Path(path): Path<MessagePath>,
) -> Result<StatusCode> {
    let is_there = state.store.release_message(caller.tenant, &path.session_id, path.seq).await?;
    is_there.then_some(StatusCode::NO_CONTENT).or_missing(Kind::SessionNotFound)
}

/// Which messages to read.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MessagesQuery {
    /// The first position; default the session's first.
    #[param(value_type = Option<i64>, minimum = 1)]
    pub from_seq: Option<Seq>,
    /// The last position; default the session's last.
    #[param(value_type = Option<i64>, minimum = 1)]
    pub to_seq: Option<Seq>,
    /// Items of the page; fewer come when the messages are large.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[param(max_length = 1024)]
    pub cursor: Option<String>,
}

/// Reads messages of a range, for an endpoint or for a tool of the agent's.
pub(crate) async fn find_messages(
    state: &AppState,
    caller: &Caller,
    session: &SessionRef,
    range: SeqRange,
    limit: i64,
) -> Result<MessagePage> {
    state.store.list_messages(caller.tenant, session, range, limit).await?.or_missing(Kind::SessionNotFound)
}

/// Adds the messages of a page up to a position to the usage figures, as far as contexts do not show them.
pub(crate) fn count_read(state: &AppState, caller: &Caller, page: &MessagePage, through: Seq) {
    let read = page.items.iter().filter(|item| item.seq <= through);
    let hidden = read.filter(|item| page.shown.hides(item.seq, item.maskable));
    let tokens: i64 = hidden.map(|item| i64::from(item.tokens)).sum();
    if tokens > 0 {
        let task_id = page.shown.task_id.as_deref();
        state.count_use(caller, page.shown.session, task_id, (UsageKind::Messages, refetch(tokens)));
    }
}

/// Lists the original messages in order.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/messages", tag = "messages", operation_id = "messages.list",
    params(SessionPath, MessagesQuery),
    responses((status = 200, body = Page<StoredMessageView>, description = "A page of messages."))
)]
pub async fn list_messages(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<MessagesQuery>,
) -> Result<Reply<Page<StoredMessageView>>> {
    for (name, seq) in [("from_seq", query.from_seq), ("to_seq", query.to_seq)] {
        if seq.is_some_and(|seq| seq < 1) {
            return Err(ApiError::parameter(name, "must be at least 1"));
        }
    }
    let session = &path.session_id;
    let scope = format!("messages {session} {:?} {:?}", query.from_seq, query.to_seq);
    let paging = Paging::<Seq>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let first = query.from_seq.unwrap_or(1);
    let range = SeqRange {
        from: paging.after.map_or(first, |after| after.saturating_add(1).max(first)),
        to: query.to_seq.unwrap_or(Seq::MAX),
    };
    let limit = paging.rows() - 1;
    let found = find_messages(&state, &caller, session, range, limit).await?;
    // A client that reads a whole session page by page exports it; only an agent that lacks some messages is counted.
    if query.to_seq.is_some() || first > 1 {
        count_read(&state, &caller, &found, Seq::MAX);
    }
    let mut items = Vec::with_capacity(found.items.len());
    for stored in found.items {
        let corrupt = |column, reason: String| {
            StoreError::corrupt("messages", column, format!("{session} {}", stored.seq), reason)
        };
        items.push(StoredMessageView {
            seq: stored.seq,
            role: stored.role.parse::<Role>().map_err(|_| corrupt("role", "unknown word".to_owned()))?,
            tokens: stored.tokens,
            created_at: stored.created_at,
            message: RawValue::from_string(stored.body).map_err(|e| corrupt("body", e.to_string()))?,
        });
    }
    let more = items.last().is_some_and(|last| last.seq < range.to.min(found.head_seq));
    Ok(Reply(paging.page_of(items, more, |item| item.seq)))
}
