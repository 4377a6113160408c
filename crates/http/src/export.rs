//! Exports a session as JSON lines, and imports it.
//!
//! An export has one line for the session, one for each message in order, one for each version, and an end line,
//! without which a file is incomplete. An import stores the messages word for word, but no versions: a version holds
//! what was checked against the messages where it was made, and one from a file would be a caller's text that looks
//! like ours. The next compression makes a new version.

use std::collections::BTreeSet;
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use futures::stream;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::auth::{Caller, Reader, Writer};
use super::idempotency::{Claim, IdempotencyKey, KeptReply};
use super::json::{Lines, parse};
use super::limits::Limits;
use super::message::Message;
use super::messages::{LARGE_BODY_BYTES, load, marked, read_message, refuse};
use super::params::{Path, SessionPath};
use super::pins::read_pins;
use super::probes::{MAX_CALLERS, NewProbe};
use super::problem::{ApiError, FieldError, Resource};
use super::state::AppState;
use super::todos::{NewTodo, read_todos};
use anchord_context::mask::Keep;
use anchord_context::note::{self, MAX_NOTES, Note};
use anchord_facts::redact::redact;
use anchord_messages::format::Format;
use anchord_messages::format::detect::{BatchFormat, Detector};
use anchord_messages::id::{Seq, SessionId, SessionName, SessionRef, TenantId};
use anchord_messages::tokens::{TokenCounter, Tokenizer};
use anchord_record::probe::Probe;
use anchord_session::settings::Settings;
use anchord_store::export::{ExportHead, ExportedMessage};
use anchord_store::gather::{Append, NewMessage};
use anchord_store::import::{self, Head, Outcome};
use anchord_store::notes::NotesRoom;
use anchord_store::{Store, StoreError};

/// The most ids of dropped constraints in an import.
const MAX_REMOVED_CONSTRAINTS: usize = 1_000;
/// The media type of JSON lines.
pub(super) const JSON_LINES: &str = "application/x-ndjson";

/// A line of an export; which fields it has follows from its kind.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportLine {
    /// The kind of the line.
    pub kind: LineKind,
    /// Of the session: its id where it was exported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Of the session: its own settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Map<String, Value>>,
    /// Of the session: its own pins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pins: Option<Vec<String>>,
    /// Of the session: its agent's notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<Note>>,
    /// Of the session: its caller's todo list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub todos: Option<Vec<NewTodo>>,
    /// Of the session: ids of extracted constraints that its caller dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_constraints: Option<Vec<String>>,
    /// Of the session: its caller's probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<Vec<Value>>,
    /// Of a message: its position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
    /// Of a message: its conversation format. The messages of an import that have none are one batch, whose format is
    /// recognised as that of an append.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Of a message: its tokens where it was exported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<i32>,
    /// Of a message: the role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Of a message: its mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<Keep>,
    /// Of a message: what its tokens count as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Of a message: exactly as it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Message>)]
    pub message: Option<Box<RawValue>>,
    /// Of a version: its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// Of a version: what is known about its making.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub meta: Option<Box<RawValue>>,
    /// Of a version: its record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub document: Option<Box<RawValue>>,
    /// Of the end: how many messages the session has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<i64>,
    /// When the session, or the message, was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub created_at: Option<DateTime<Utc>>,
}

/// The kind of a line of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ExportLineKind)]
pub enum LineKind {
    /// The session: the first line.
    Session,
    /// A message.
    Message,
    /// A summary version.
    Version,
    /// The end: the last line.
    End,
}

impl ExportLine {
    fn of(kind: LineKind) -> Self {
        Self {
            kind,
            session_id: None,
            settings: None,
            pins: None,
            notes: None,
            todos: None,
            removed_constraints: None,
            probes: None,
            seq: None,
            format: None,
            tokens: None,
            role: None,
            keep: None,
            component: None,
            message: None,
            version: None,
            meta: None,
            document: None,
            messages: None,
            created_at: None,
        }
    }
}

/// What an import stored.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ImportResult)]
pub struct Imported {
    /// The session.
    pub session_id: SessionName,
    /// Messages of this call.
    pub messages: usize,
    /// Versions of this call, which are not taken: the next compression makes its own.
    pub versions_left: usize,
    /// Position that the next message will get.
    pub next_seq: Seq,
}

/// Exports a session as JSON lines.
///
/// The session, then every message exactly as it was sent, then every version, then a line that ends it.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/export", tag = "sessions", operation_id = "sessions.export", params(SessionPath),
    responses((status = 200, body = ExportLine, content_type = "application/x-ndjson",
               description = "One line for each part; the last has the kind `end`."))
)]
pub async fn export_session(
    Reader(caller): Reader,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
) -> Result<Response, ApiError> {
    let head = state.store.export_head(caller.tenant, &path.session_id, caller.actor()).await?;
    let head = head.ok_or(ApiError::NotFound(Resource::Session))?;
    let export = Export {
        store: state.store.clone(),
        tenant: caller.tenant,
        session: head.session.id,
        head_seq: head.session.head_seq,
        last_version: head.session.last_version,
        at: At::Head(Box::new(head)),
    };
    let pages = stream::try_unfold(export, async |export| export.next().await);
    Ok(([(header::CONTENT_TYPE, JSON_LINES)], Body::from_stream(pages)).into_response())
}

/// The position of an export.
struct Export {
    store: Store,
    tenant: TenantId,
    session: SessionId,
    head_seq: Seq,
    last_version: i64,
    at: At,
}

enum At {
    Head(Box<ExportHead>),
    Messages(Seq),
    Versions(i64),
    Over,
}

impl Export {
    /// Returns the next page, and the position after it. An error breaks the reply off, so that it lacks its end
    /// line.
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, StoreError> {
        let mut page = Vec::new();
        match self.at {
            At::Head(head) => {
                write(&mut page, &head_line(*head));
                self.at = At::Messages(0);
            }
            At::Messages(after) => {
                let range = (after, self.head_seq);
                let found = self.store.export_messages(self.tenant, self.session, range).await?;
                self.at = found.last().map_or(At::Versions(0), |last| At::Messages(last.seq));
                for message in found {
                    write(&mut page, &message_line(message));
                }
            }
            At::Versions(after) => {
                let found = self.store.export_versions(self.tenant, self.session, after).await?;
                self.at = found.last().map_or(At::Over, |last| At::Versions(last.0));
                for (version, meta, document) in found.into_iter().filter(|v| v.0 <= self.last_version) {
                    let meta = RawValue::from_string(meta).ok();
                    let document = RawValue::from_string(document).ok();
                    let line = ExportLine {
                        version: Some(version),
                        meta,
                        document,
                        ..ExportLine::of(LineKind::Version)
                    };
                    write(&mut page, &line);
                }
                if matches!(self.at, At::Over) {
                    let end = ExportLine { messages: Some(self.head_seq), ..ExportLine::of(LineKind::End) };
                    write(&mut page, &end);
                }
            }
            At::Over => return Ok(None),
        }
        Ok(Some((Bytes::from(page), self)))
    }
}

fn write(page: &mut Vec<u8>, line: &ExportLine) {
    // Serialising fails only for maps with keys that are not text.
    if serde_json::to_writer(&mut *page, line).is_ok() {
        page.push(b'\n');
    }
}

fn head_line(head: ExportHead) -> ExportLine {
    let settings = serde_json::to_value(&head.session.settings).ok();
    let probes = head.probes.iter().filter_map(|probe| serde_json::from_str(probe).ok()).collect();
    ExportLine {
        session_id: Some(head.session.name.to_string()),
        settings: settings.and_then(|settings| settings.as_object().cloned()),
        pins: Some(head.pins.into_iter().map(|pin| pin.text).collect()),
        notes: Some(head.notes),
        todos: Some(head.todos.into_iter().map(NewTodo::from).collect()),
        removed_constraints: Some(head.removed_constraints),
        probes: Some(probes),
        created_at: Some(head.session.created_at),
        ..ExportLine::of(LineKind::Session)
    }
}

fn message_line(message: ExportedMessage) -> ExportLine {
    let keep = message.keep.as_deref().and_then(|word| match word {
        "always" => Some(Keep::Always),
        "never" => Some(Keep::Never),
        _ => None,
    });
    ExportLine {
        seq: Some(message.seq),
        format: Format::from_name(&message.format),
        role: Some(message.role),
        tokens: Some(message.tokens),
        keep,
        component: message.component,
        message: RawValue::from_string(message.body).ok(),
        created_at: Some(message.created_at),
        ..ExportLine::of(LineKind::Message)
    }
}

/// Imports a session from JSON lines, as an export wrote them.
///
/// The session must be new, or have exactly the messages before the first one of the call: a file above
/// the limit of a body, or of the messages of a batch, is sent in pieces, cut between lines. Messages get the same positions and are stored
/// word for word. All of a call is stored or nothing: its settings, pins and other parts of the session as well as its
/// messages. Versions are not taken: the next compression makes its own.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/import", tag = "sessions", operation_id = "sessions.import", params(SessionPath),
    request_body(content = ExportLine, content_type = "application/x-ndjson", description = "One line for each part."),
    responses(
        (status = 201, body = Imported, description = "The messages are stored."),
        (status = 409, body = super::problem::Problem, content_type = "application/problem+json",
         description = "The session has other messages before the first one (`next_seq` is the actual one); nothing is stored.")
    )
)]
pub async fn import_session(
    Writer(caller): Writer,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
    key: IdempotencyKey,
    Lines(bytes): Lines,
) -> Result<KeptReply, ApiError> {
    let started = Instant::now();
    let session = path.session_id;
    let (import, tokenizer, digest) = parse_import(&state, &caller, &session, bytes).await?;
    if let Some(reply) = key.find_reply(&state.store, &caller, digest).await? {
        return Ok(reply);
    }
    let Import { head, messages, format, versions, end, lines } = import;
    if let Some(head) = &head {
        let engine =
            head.settings.get("engine").and_then(|engine| serde_json::from_value(engine.clone()).ok());
        state.check_engine(engine, head.settings.get("summary_model").and_then(Value::as_str))?;
    }
    let first = messages.first().map(|(seq, _)| *seq);
    let count = messages.len();
    let new: Vec<NewMessage> = messages.into_iter().map(|(_, message)| message).collect();
    let load = load(&new);
    state.quotas.admit((&state.store, state.clock.now()), (caller.tenant, &caller.quotas), load).await?;
    let append = first.map(|first| Append {
        model: None,
        tenant: caller.tenant,
        session: session.clone(),
        messages: new,
        format,
        tokenizer,
        expected_next_seq: Some(first),
        task_boundary: false,
        now: state.clock.now().timestamp(),
        reply_key: None,
        included: anchord_store::gather::Included::default(),
    });
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = match key.claim(&state.store, &mut tx, &caller, digest).await? {
        Claim::Replay(reply) => return Ok(reply),
        Claim::First(claimed) => claimed,
    };
    let outcome = import::import(&state.store, &mut tx, caller.tenant, &session, (head, append)).await?;
    let (id, appended, next_seq, is_made) = match outcome {
        Outcome::Stored { session, reply, next_seq, is_made } => (session, reply, next_seq, is_made),
        Outcome::HasMessages => {
            return Err(ApiError::Conflict(
                "the session exists and has messages; import under another id".to_owned(),
            ));
        }
        Outcome::Settings(refused) => {
            return Err(ApiError::invalid(format!("/0/settings{}", refused.pointer), refused.detail));
        }
        Outcome::Pins { tokens, max_tokens } => {
            return Err(ApiError::refused(
                "/0/pins",
                format!("the pins take {tokens} tokens of {max_tokens}"),
            ));
        }
        Outcome::Notes(NotesRoom { tokens, max_tokens, .. }) => {
            return Err(ApiError::refused(
                "/0/notes",
                format!("the notes take {tokens} tokens of {max_tokens}"),
            ));
        }
        Outcome::Messages(refused) => return Err(refuse(refused, first.unwrap_or_default())),
    };
    let last = next_seq - 1;
    if end.is_some_and(|messages| messages != last) {
        let detail = format!("the session would have {last} messages; lines before this one are missing");
        return Err(ApiError::invalid(format!("/{}/messages", lines.saturating_sub(1)), detail));
    }
    let imported = Imported { session_id: session.name, messages: count, versions_left: versions, next_seq };
    let reply = KeptReply::json(StatusCode::CREATED, &imported)?;
    claimed.keep(&state.store, &mut tx, id, &reply).await?;
    tx.commit().await?;
    if is_made {
        state.store.count_session(caller.tenant).await;
    }
    if let Some(appended) = appended {
        state.count_append(&caller, &appended, load, started);
    }
    Ok(reply)
}

/// Parses an import, with its messages counted by the tokenizer of the session: that of the file, of the session that there
/// is, or of the tenant.
async fn parse_import(
    state: &AppState,
    caller: &Caller,
    session: &SessionRef,
    bytes: Bytes,
) -> Result<(Import, Tokenizer, [u8; 32]), ApiError> {
    let known = state.store.find_session(caller.tenant, session).await?;
    let so_far = known.as_ref().and_then(|known| known.accounting.format);
    let (base, defaults, fixed) = if let Some(known) = known {
        let fixed = if known.has_fixed_tokenizer() { known.effective_settings().tokenizer } else { None };
        (known.settings, known.defaults, fixed)
    } else {
        let tenant = state.store.find_tenant(caller.tenant).await?;
        (Settings::default(), tenant.map(|tenant| tenant.settings).unwrap_or_default(), None)
    };
    let limits = state.limits.clone();
    let read = async |tokenizer| {
        let (bytes, limits) = (bytes.clone(), limits.clone());
        let is_large = bytes.len() > LARGE_BODY_BYTES;
        let reading = move || {
            let import = read_lines(&bytes, (tokenizer, so_far), &limits)?;
            Ok::<_, ApiError>((import, Sha256::digest(&bytes).into()))
        };
        if !is_large {
            return reading();
        }
        caller.compute(move |_| reading()).await
    };
    let tokenizer = fixed.or_else(|| base.over(&defaults).tokenizer).unwrap_or_default();
    let (import, digest): (Import, [u8; 32]) = read(tokenizer).await?;
    // Wrong settings are rejected later.
    let told = import.head.as_ref().filter(|_| fixed.is_none());
    let told = told.and_then(|head| base.patched(head.settings.clone(), &defaults).ok());
    let own = told.map(|told| told.over(&defaults).tokenizer.unwrap_or_default());
    match own.filter(|own| *own != tokenizer) {
        Some(own) => Ok((read(own).await?.0, own, digest)),
        None => Ok((import, tokenizer, digest)),
    }
}

/// A parsed and checked import.
struct Import {
    head: Option<Head>,
    messages: Vec<(Seq, NewMessage)>,
    /// That of the last message.
    format: BatchFormat,
    versions: usize,
    end: Option<Seq>,
    lines: usize,
}

fn read_lines(
    bytes: &[u8],
    (tokenizer, so_far): (Tokenizer, Option<Format>),
    limits: &Limits,
) -> Result<Import, ApiError> {
    let counter = TokenCounter::new(tokenizer);
    let mut import = Import {
        head: None,
        messages: Vec::new(),
        format: BatchFormat::Stated(so_far.unwrap_or_default()),
        versions: 0,
        end: None,
        lines: 0,
    };
    let mut unread: Vec<(usize, ExportLine)> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let at = import.lines;
        import.lines += 1;
        let line: ExportLine = parse(line).map_err(|refused| within(at, refused))?;
        if import.end.is_some() {
            return Err(ApiError::invalid(format!("/{at}/kind"), "nothing may follow the end"));
        }
        for (field, raw) in [("message", &line.message), ("meta", &line.meta), ("document", &line.document)] {
            if raw.as_ref().is_some_and(|raw| !raw.get().starts_with('{')) {
                return Err(ApiError::invalid(format!("/{at}/{field}"), "must be an object"));
            }
        }
        match line.kind {
            LineKind::Session if at == 0 => import.head = Some(read_head(line)?),
            LineKind::Session => {
                return Err(ApiError::invalid(
                    format!("/{at}/kind"),
                    "the session is the first line, and one",
                ));
            }
            LineKind::Message => {
                if unread.len() >= limits.batch_messages {
                    let limit = limits.batch_messages;
                    let what = "the import (cut it between lines)".to_owned();
                    return Err(ApiError::TooLarge { what, limit, unit: "messages" });
                }
                unread.push((at, line));
            }
            LineKind::Version => import.versions += 1,
            LineKind::End => import.end = Some(line.messages.unwrap_or_default()),
        }
    }
    if import.lines == 0 {
        return Err(ApiError::invalid("", "must hold at least one line"));
    }
    let unstated = detect_lines(&unread)?.resolve(so_far);
    for (at, line) in unread {
        let format = line.format.unwrap_or(unstated);
        let message = read_line(at, (line, format), &import.messages, (counter, limits))?;
        import.messages.push(message);
        import.format = BatchFormat::Stated(format);
    }
    Ok(import)
}

/// What the messages without a format show of theirs; those with one are checked against it.
fn detect_lines(lines: &[(usize, ExportLine)]) -> Result<BatchFormat, ApiError> {
    let mut unstated = Detector::new(None);
    for (at, line) in lines {
        let Some(message) = &line.message else { continue };
        let looked = match line.format {
            None => unstated.look(*at, message.get()),
            stated => Detector::new(stated).look(*at, message.get()),
        };
        looked
            .map_err(|refused| ApiError::invalid(format!("{}/message", refused.pointer), refused.detail))?;
    }
    Ok(unstated.finish())
}

fn read_line(
    at: usize,
    (line, format): (ExportLine, Format),
    before: &[(Seq, NewMessage)],
    (counter, limits): (TokenCounter, &Limits),
) -> Result<(Seq, NewMessage), ApiError> {
    let missing = |field: &str| ApiError::invalid(format!("/{at}/{field}"), "is missing");
    let seq = line.seq.ok_or_else(|| missing("seq"))?;
    if seq < 1 || before.last().is_some_and(|(last, _)| *last + 1 != seq) {
        return Err(ApiError::invalid(format!("/{at}/seq"), "must follow the message before it"));
    }
    let body = line.message.ok_or_else(|| missing("message"))?;
    if body.get().len() > limits.message_bytes {
        let limit = limits.message_bytes;
        return Err(ApiError::TooLarge { what: format!("the message of line {at}"), limit, unit: "bytes" });
    }
    let mut message = read_message(&format!("/{at}/message"), body, format, counter)?;
    let component = match line.component.as_deref() {
        None => None,
        Some("retrieved_documents") => Some(super::messages::MarkedComponent::RetrievedDocuments),
        Some(_) => return Err(ApiError::invalid(format!("/{at}/component"), "unknown component")),
    };
    marked(&mut message, line.keep, component);
    Ok((seq, message))
}

fn read_head(line: ExportLine) -> Result<Head, ApiError> {
    let pins = read_pins(line.pins.unwrap_or_default()).map_err(|refused| within(0, refused))?;
    let notes = read_notes(line.notes.unwrap_or_default())?;
    let todos = read_todos(line.todos.unwrap_or_default()).map_err(|refused| within(0, refused))?;
    let removed_constraints = line.removed_constraints.unwrap_or_default();
    if removed_constraints.len() > MAX_REMOVED_CONSTRAINTS {
        let detail = format!("must hold at most {MAX_REMOVED_CONSTRAINTS}");
        return Err(ApiError::invalid("/0/removed_constraints", detail));
    }
    if removed_constraints.iter().any(|id| id.contains('\0') || id.len() > 200) {
        return Err(ApiError::invalid("/0/removed_constraints", "must hold ids of constraints"));
    }
    let asked = line.probes.unwrap_or_default();
    if asked.len() > usize::try_from(MAX_CALLERS).unwrap_or(usize::MAX) {
        return Err(ApiError::invalid("/0/probes", format!("must hold at most {MAX_CALLERS}")));
    }
    let mut probes = Vec::new();
    for (place, probe) in asked.into_iter().enumerate() {
        let refuse = |refused| under(&format!("/0/probes/{place}"), refused);
        let probe: Probe = parse(probe.to_string().as_bytes()).map_err(refuse)?;
        let probe = NewProbe::from(probe).checked().map_err(refuse)?;
        probes.push(serde_json::to_string(&probe).map_err(ApiError::internal)?);
    }
    Ok(Head { settings: line.settings.unwrap_or_default(), pins, notes, todos, removed_constraints, probes })
}

/// Checks the notes of an export. What was stored had no secrets; a file may.
fn read_notes(mut notes: Vec<Note>) -> Result<Vec<Note>, ApiError> {
    if notes.len() > MAX_NOTES {
        return Err(ApiError::invalid("/0/notes", format!("must hold at most {MAX_NOTES} notes")));
    }
    let mut ids = BTreeSet::new();
    for (place, note) in notes.iter_mut().enumerate() {
        if note.id < 1 || !ids.insert(note.id) {
            return Err(ApiError::invalid(
                format!("/0/notes/{place}/id"),
                "must be at least 1, and of one note",
            ));
        }
        if note.seq < 0 {
            return Err(ApiError::invalid(format!("/0/notes/{place}/seq"), "must be at least 0"));
        }
        note.text = redact(&note.text).into_owned();
        if let Some(detail) = note::refused(&note.text) {
            return Err(ApiError::invalid(format!("/0/notes/{place}/text"), detail));
        }
    }
    Ok(notes)
}

/// Adds the position of the line to the pointer of its error.
fn within(at: usize, refused: ApiError) -> ApiError {
    under(&format!("/{at}"), refused)
}

fn under(place: &str, refused: ApiError) -> ApiError {
    let deeper = |error: FieldError| FieldError { pointer: format!("{place}{}", error.pointer), ..error };
    if let ApiError::Invalid(errors) = refused {
        ApiError::Invalid(errors.into_iter().map(deeper).collect())
    } else if let ApiError::MalformedJson(detail) = refused {
        ApiError::MalformedJson(format!("line {place}: {detail}"))
    } else {
        refused
    }
}
