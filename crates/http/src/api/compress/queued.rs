//! Compressions without a session that ask for a model. Each is queued like any compression, in a hidden session of
//! its own that is erased after a day; the result is read from that session.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::json;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::request::{CompressedMessages, read, view};
use crate::admission::heavy::go_on;
use crate::api::batch::read_message;
use crate::api::compressions::wait_for;
use crate::api::messages::{admit, batch_size, refuse};
use crate::api::prelude::*;
use crate::extract::prefer::Wait;
use anchord_context::mask::Keep;
use anchord_messages::format::Format;
use anchord_messages::format::detect::BatchFormat;
use anchord_messages::id::CompressionId;
use anchord_messages::tokens::{TokenCounter, Tokenizer};
use anchord_record::digest;
use anchord_record::render::{DEFAULT_BOUND_TOKENS, ServedSummary, Subject};
use anchord_record::strategy::{EngineChoice, Strategy};
use anchord_session::compression::{Request, Status};
use anchord_session::session::AppendRefusal;
use anchord_session::settings::MAX_CONTEXT_WINDOW;
use anchord_session::stateless::{self, CompressOptions, Conversation, ServedParts};
use anchord_store::compressions::{self, CompressionRow};
use anchord_store::gather::{Append, AppendError};
use anchord_store::messages::SeqRange;
use anchord_store::sessions::{self, PutOutcome, Session};
use anchord_store::summaries;

/// The prefix of the names of these sessions.
const NAMED: &str = "single:";
/// A window that no messages fill, so that only the caller's target limits the result.
const WINDOW: u32 = MAX_CONTEXT_WINDOW;
/// How many messages one read returns.
const PAGE: i64 = 500;

/// The path of a single call.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct CallPath {
    /// The call's id, as its first reply has it.
    #[param(inline)]
    pub compression_id: CompressionId,
}

/// A single call that has not ended yet.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PendingCompression {
    /// Its id; `GET /v1/compress/{id}` reads the result.
    pub id: CompressionId,
    /// How far it is.
    pub status: Status,
    /// Until when it can be read; then messages and result are erased.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub expires_at: DateTime<Utc>,
}

/// Part of the call that the session stores.
#[derive(Serialize, Deserialize)]
struct CallRecord {
    format: Format,
    strategy: Strategy,
    target_tokens: Option<u32>,
    messages: Seq,
    /// Newest messages of them, which are kept in full.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    keep: BTreeSet<Seq>,
}

fn session_name(id: CompressionId) -> Result<SessionName> {
    SessionName::parse(&format!("{NAMED}{id}")).map_err(ApiError::internal)
}

/// The id of a call. With an idempotency key it is always the same, so that a call that broke off is continued.
fn call_id(caller: &Caller, key: &IdempotencyKey, digest: &[u8; 32]) -> CompressionId {
    let Some(key) = key.as_str() else { return CompressionId(Uuid::now_v7()) };
    let digest: [u8; 32] = Sha256::new()
        .chain_update(caller.tenant.0.as_bytes())
        .chain_update(digest)
        .chain_update(key.as_bytes())
        .finalize()
        .into();
    let bytes = digest.first_chunk().copied().unwrap_or_default();
    CompressionId(uuid::Builder::from_random_bytes(bytes).into_uuid())
}

/// Queues a compression by a model, and waits for it as long as the caller asked.
pub(super) async fn create(
    state: AppState,
    caller: Caller,
    (key, wait): (IdempotencyKey, Wait),
    body: JsonBytes,
) -> Result<Response> {
    let digest = body.digest();
    let mut tx = state.store.begin(caller.tenant).await?;
    if let Claim::Replay(reply) = key.claim(&state.store, &mut tx, caller.tenant, digest).await? {
        return Ok(reply.into_response());
    }
    // The messages are stored in transactions of their own; the key is claimed again with the job.
    drop(tx);
    let reading = state.clone();
    let plan = caller.compute(move |abandoned| plan(&reading, &body, abandoned)).await?;
    let plan = match plan {
        Planned::Queue(plan) => *plan,
        // There is nothing for a model to write.
        Planned::Done(made) => return Ok(KeptReply::json(StatusCode::OK, &made)?.into_response()),
    };
    let id = call_id(&caller, &key, &digest);
    let name = session_name(id)?;
    let tokenizer = plan.tokenizer;
    let request = plan.request.clone();
    store(&state, &caller, &name, plan).await?;

    let gone = || ApiError::NotFound(Kind::CompressionNotFound);
    let (_, expires_at) = state.store.find_single_call(caller.tenant, &name).await?.ok_or_else(gone)?;
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = match key.claim(&state.store, &mut tx, caller.tenant, digest).await? {
        Claim::Replay(reply) => return Ok(reply.into_response()),
        Claim::First(claimed) => claimed,
    };
    let session = sessions::lock(&mut tx, caller.tenant, &name.clone().into()).await?.ok_or_else(gone)?;
    let job = compressions::enqueue_manual(&mut tx, session.id.of(caller.tenant), &request).await?;
    let pending = pending(&PendingCompression { id, status: Status::Queued, expires_at }, &wait)?;
    claimed.keep(&state.store, &mut tx, Some(session.id), &pending).await?;
    tx.commit().await?;

    if wait_for(&state, &caller, session.id, (job.id, &wait)).await?.is_none() {
        return Ok(pending.into_response());
    }
    let call = find(&state, &caller, &name).await?;
    let ended = wait.on(result(&state, &caller, call, tokenizer).await?);
    claimed.keep_later(&state.store, session.id, &ended).await;
    Ok(ended.into_response())
}

/// Messages that are stored, and how they are compressed.
struct Plan {
    kept: CallRecord,
    messages: Vec<Box<RawValue>>,
    tokenizer: Tokenizer,
    settings: Map<String, Value>,
    request: Request,
}

enum Planned {
    Queue(Box<Plan>),
    Done(Box<CompressedMessages>),
}

fn plan(state: &AppState, body: &JsonBytes, abandoned: &CancellationToken) -> Result<Planned> {
    let (request, conversation) = read(state, body, abandoned)?;
    let now = state.clock.now();
    let wanted = CompressOptions {
        strategy: request.strategy,
        target_tokens: request.target_tokens,
        max_summary_tokens: DEFAULT_BOUND_TOKENS,
        now,
    };
    let small = |refused: stateless::TooSmall| ApiError::BudgetTooSmall { min_tokens: refused.min_tokens };
    let Ok(through_seq) = stateless::span_end(&conversation, wanted) else {
        let made = stateless::compress(&conversation, wanted).map_err(small)?;
        let how = (conversation.format(), request.strategy);
        return Ok(Planned::Done(Box::new(view(how, made)?)));
    };
    let bound = stateless::bound(&conversation, through_seq, request.target_tokens);
    if let Some(target) = request.target_tokens {
        // Reject a target that can never be met now, before a model is paid.
        stateless::serve(
            &conversation,
            Some(ServedParts {
                anchor: through_seq,
                rendering: "",
                smaller: &[],
                digest: &digest::ServedDigest::default(),
            }),
            Some(target),
        )
        .map_err(small)?;
    }
    let messages = Seq::try_from(request.messages.len()).unwrap_or(Seq::MAX);
    let kept = CallRecord {
        format: conversation.format(),
        strategy: request.strategy,
        target_tokens: request.target_tokens,
        messages,
        keep: request.kept(),
    };
    let settings = json!({
        "auto": false, "mask": "off", "engine": "llm", "strategy": request.strategy,
        "tokenizer": request.tokenizer, "context_window": WINDOW, "max_summary_tokens": bound,
        "metadata": {"single_call": serde_json::to_value(&kept).map_err(ApiError::internal)?},
    });
    let Value::Object(settings) = settings else {
        return Err(ApiError::internal(anyhow::anyhow!("no object")));
    };
    let job = Request {
        strategy: Some(request.strategy),
        engine: Some(EngineChoice::Llm),
        model: request.summary_model,
        through_seq: Some(through_seq),
        ..Request::default()
    };
    let (messages, tokenizer) = (request.messages, request.tokenizer);
    Ok(Planned::Queue(Box::new(Plan { kept, messages, tokenizer, settings, request: job })))
}

/// Creates the session, and stores the messages that an earlier try has not stored.
async fn store(state: &AppState, caller: &Caller, name: &SessionName, plan: Plan) -> Result<()> {
    let head = match state.store.open_single_call(caller.tenant, name, plan.settings).await? {
        PutOutcome::Refused(refused) => return Err(ApiError::refused(&refused.pointer, refused.detail)),
        PutOutcome::NoBranch => return Err(ApiError::NotFound(Kind::CompressionNotFound)),
        PutOutcome::Created(session) | PutOutcome::Updated(session) => session.head_seq,
    };
    let counter = TokenCounter::new(plan.tokenizer);
    let mut at = head;
    let mut waiting = plan.messages.into_iter().skip(usize::try_from(head).unwrap_or_default()).peekable();
    while waiting.peek().is_some() {
        let started = Instant::now();
        let mut messages = Vec::new();
        for raw in waiting.by_ref().take(state.limits.batch_messages) {
            let mut message = read_message("/messages", raw, plan.kept.format, counter)?;
            let seq = at + Seq::try_from(messages.len()).unwrap_or(Seq::MAX - at - 1) + 1;
            message.keep = plan.kept.keep.contains(&seq).then_some(Keep::Always);
            messages.push(message);
        }
        let size = batch_size(&messages);
        let mut admitted = admit(state, caller, None, size).await?;
        let count = Seq::try_from(messages.len()).unwrap_or(Seq::MAX);
        let append = Append {
            model: None,
            opening: None,
            tenant: caller.tenant,
            session: name.clone().into(),
            messages,
            format: BatchFormat::Stated(plan.kept.format),
            tokenizer: plan.tokenizer,
            expected_next_seq: Some(at + 1),
            task_boundary: false,
            now: state.clock.now().timestamp(),
            reply_key: None,
            included: anchord_store::gather::Included::default(),
            is_imported: false,
        };
        match state.appends.append(append).await {
            Ok(reply) => {
                admitted.store(size);
                state.count_append(caller, &reply, size, started);
            }
            // A concurrent request with the same key stores the same messages.
            Err(AppendError::Refused(AppendRefusal::Precondition { next_seq })) if next_seq > at => {}
            Err(refused) => {
                if refused.may_be_stored() {
                    admitted.store(size);
                }
                return Err(refuse(refused, at + 1));
            }
        }
        at += count;
    }
    Ok(())
}

/// The state of a single call.
struct Call {
    session: Session,
    row: CompressionRow,
    kept: CallRecord,
    expires_at: DateTime<Utc>,
}

async fn find(state: &AppState, caller: &Caller, name: &SessionName) -> Result<Call> {
    let (session, expires_at) =
        state.store.find_single_call(caller.tenant, name).await?.or_missing(Kind::CompressionNotFound)?;
    let row = state.store.list_compressions(session.id.of(caller.tenant), None, 1).await?.pop();
    let row = row.or_missing(Kind::CompressionNotFound)?;
    let kept = session.settings.metadata.as_ref().and_then(|metadata| metadata.get("single_call"));
    let kept = serde_json::from_value(kept.cloned().unwrap_or_default()).map_err(ApiError::internal)?;
    Ok(Call { session, row, kept, expires_at })
}

fn pending(view: &PendingCompression, wait: &Wait) -> Result<KeptReply> {
    let location = format!("/v1/compress/{}", view.id);
    let reply = KeptReply::json(StatusCode::ACCEPTED, view)?.with(&header::LOCATION, location);
    Ok(wait.on(reply))
}

/// The result of a call that has ended, in the caller's format.
async fn result(state: &AppState, caller: &Caller, call: Call, tokenizer: Tokenizer) -> Result<KeptReply> {
    let mut bodies = Vec::new();
    let mut from = 1;
    let session = call.session.reference();
    while from <= call.kept.messages {
        let range = SeqRange { from, to: call.kept.messages };
        let found = state.store.list_messages(caller.tenant, &session, range, PAGE).await?;
        let page = found.or_missing(Kind::CompressionNotFound)?;
        let Some(last) = page.items.last() else { break };
        from = last.seq + 1;
        bodies.extend(page.items.into_iter().map(|item| item.body));
    }
    let made = call.row.version.filter(|_| call.row.status == Status::Succeeded);
    let version = match made {
        Some(number) => {
            let mut tx = state.store.begin(caller.tenant).await?;
            summaries::find(&mut tx, call.session.id.of(caller.tenant), number)
                .await?
                .map(|stored| stored.version)
        }
        None => None,
    };
    let work = move |abandoned: &CancellationToken| {
        let counter = TokenCounter::new(tokenizer);
        let mut conversation = Conversation::new(call.kept.format, counter);
        for body in bodies {
            go_on(abandoned)?;
            conversation.push(body).map_err(ApiError::internal)?;
        }
        let many = |_| ApiError::internal(anyhow::anyhow!("more is kept than when the call was taken"));
        conversation.keep(call.kept.keep, call.kept.target_tokens).map_err(many)?;
        let texts = version.as_ref().map(|version| {
            let subject = Subject {
                summary: &version.summary,
                meta: &version.meta,
                session_id: call.session.name.as_str(),
                task_id: None,
                started: call.session.created_at,
                last_activity: call.session.updated_at,
            };
            let count = |text: &str| counter.count_text(text);
            let served = ServedSummary::of(&subject, &count);
            let full = served.within(version.meta.max_tokens);
            let anchor = version.meta.through_seq;
            let room = stateless::room(&conversation, anchor, call.kept.target_tokens);
            let room = room.saturating_sub(full.tokens);
            let digest = digest::serve(&version.summary.digest, &full.text, room, &counter);
            (anchor, served.smaller(full.tokens), full, digest)
        });
        let shown = texts.as_ref().map(|(anchor, smaller, full, digest)| ServedParts {
            anchor: *anchor,
            rendering: &full.text,
            smaller,
            digest,
        });
        let served = stateless::serve(&conversation, shown, call.kept.target_tokens);
        let mut made =
            served.map_err(|refused| ApiError::BudgetTooSmall { min_tokens: refused.min_tokens })?;
        let report = call.row.report.unwrap_or_default();
        made.probes = report.scores();
        made.warnings.extend(report.warnings);
        if let Some(error) = report.error {
            made.warnings.push(format!("{}: {}", call.row.status.as_ref(), error.detail));
        } else if call.row.status != Status::Succeeded {
            made.warnings.push(format!("{}: no summary was made", call.row.status.as_ref()));
        }
        made.summary = version.map(|version| (version.meta, version.summary));
        let used = report.strategy_used.unwrap_or(call.kept.strategy);
        KeptReply::json(StatusCode::OK, &view((call.kept.format, used), made)?)
    };
    caller.compute(work).await
}

/// Reads the result of a stateless compression by a model.
///
/// It can be read for a day; then the messages and the result are erased.
#[utoipa::path(
    get, path = "/v1/compress/{compression_id}", tag = "stateless", operation_id = "stateless.get_compressed", params(CallPath),
    responses(
        (status = 200, body = CompressedMessages, description = "The compression has ended: what to send instead. Without a summary, `warnings` gives the reason."),
        (status = 202, body = PendingCompression, description = "It waits or runs.",
         headers(("Location" = String, description = "Where it is.")))
    )
)]
pub async fn find_compressed(
    Reader { caller, state }: Reader,
    Path(path): Path<CallPath>,
) -> Result<Response> {
    let call = find(&state, &caller, &session_name(path.compression_id)?).await?;
    if call.row.status.is_live() {
        let (status, expires_at) = (call.row.status, call.expires_at);
        let view = PendingCompression { id: path.compression_id, status, expires_at };
        return Ok(pending(&view, &Wait::default())?.into_response());
    }
    let tokenizer = call.session.effective_settings().tokenizer.unwrap_or_default();
    Ok(result(&state, &caller, call, tokenizer).await?.into_response())
}

/// Erases a compression that a model was asked for: its messages, its result, and its work when it has not ended.
#[utoipa::path(
    delete, path = "/v1/compress/{compression_id}", tag = "stateless", operation_id = "stateless.delete_compressed", params(CallPath),
    responses((status = 204, description = "Nothing of it is left."))
)]
pub async fn erase_compressed(
    Writer { caller, state }: Writer,
    Path(path): Path<CallPath>,
) -> Result<StatusCode> {
    let name = session_name(path.compression_id)?;
    let found = state.store.find_single_call(caller.tenant, &name).await?;
    let gone = found.is_some() && state.store.delete_session(caller.tenant, &name, caller.actor()).await?;
    if gone { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::NotFound(Kind::CompressionNotFound)) }
}
