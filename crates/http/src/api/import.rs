//! Imports a session from JSON lines, as an export wrote them ([`crate::api::export`]).
//!
//! The messages are stored word for word, but no versions: a version holds what was checked against the messages where it
//! was made, and one from a file would be a caller's text that looks like ours. The next compression makes a new version.

use std::collections::BTreeSet;
use std::time::Instant;

use axum::body::Bytes;
use sha2::{Digest as _, Sha256};

use crate::api::batch::{LARGE_BODY_BYTES, MarkedComponent, marked, read_message};
use crate::api::export::{ExportLine, LineKind};
use crate::api::messages::{admit, load, refuse};
use crate::api::pins::read_pins;
use crate::api::prelude::*;
use crate::api::probes::{MAX_CALLERS, NewProbe};
use crate::api::todos::read_todos;
use crate::extract::json::{Lines, parse};
use crate::limits::Limits;
use anchord_context::note::{self, MAX_NOTES, Note};
use anchord_facts::redact::redact;
use anchord_messages::format::Format;
use anchord_messages::format::detect::{BatchFormat, Detector};
use anchord_messages::tokens::{TokenCounter, Tokenizer};
use anchord_record::probe::Probe;
use anchord_session::settings::Settings;
use anchord_store::gather::{Append, NewMessage};
use anchord_store::import::{self, Head, Outcome};
use anchord_store::notes::NotesRoom;

/// The most ids of dropped constraints in an import.
const MAX_DROPPED_ENTRIES: usize = 1_000;
/// The result of an import.
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

/// How to import.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct ImportQuery {
    /// Whether other pieces of the file follow. Only then may its end line be missing.
    #[param(required = false, default = false)]
    pub partial: bool,
}

/// Imports a session from JSON lines, as an export wrote them.
///
/// The last line must be that of kind `end`, with the number of messages that the session has then: without it the file was cut
/// off, and is refused. The session must be new, or have exactly the messages before the first one of the call: a file above
/// the limit of a body, or of the messages of a batch, is sent in pieces, cut between lines, each but the last with
/// `partial=true`. Messages get the same positions and are stored word for word. All of a call is stored or nothing: its settings, pins and other parts of the session as well as its
/// messages. Versions are not taken: the next compression makes its own.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/import", tag = "sessions", operation_id = "sessions.import", params(SessionPath, ImportQuery),
    request_body(content = ExportLine, content_type = "application/x-ndjson", description = "One line for each part."),
    responses(
        (status = 201, body = Imported, description = "The messages are stored."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "The session has other messages before the first one (`next_seq` is the actual one); nothing is stored.")
    )
)]
pub async fn import_session(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    Query(query): Query<ImportQuery>,
    key: IdempotencyKey,
    Lines(bytes): Lines,
) -> Result<KeptReply> {
    let started = Instant::now();
    let session = path.session_id;
    let (import, tokenizer, digest) = parse_import(&state, &caller, &session, bytes).await?;
    if let Some(reply) = key.find_reply(&state.store, caller.tenant, digest).await? {
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
    let mut admitted = admit(&state, &caller, None, load).await?;
    let append = first.map(|first| Append {
        model: None,
        opening: None,
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
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, digest).await?);
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
            let detail = format!("the pins take {tokens} tokens of {max_tokens}");
            return Err(ApiError::refused("/0/pins", detail));
        }
        Outcome::Notes(NotesRoom { tokens, max_tokens, .. }) => {
            let detail = format!("the notes take {tokens} tokens of {max_tokens}");
            return Err(ApiError::refused("/0/notes", detail));
        }
        Outcome::Messages(refused) => return Err(refuse(refused, first.unwrap_or_default())),
    };
    let last = next_seq - 1;
    match end {
        Some(messages) if messages != last => {
            let detail = format!("the session would have {last} messages; lines before this one are missing");
            return Err(ApiError::invalid(format!("/{}/messages", lines.saturating_sub(1)), detail));
        }
        None if !query.partial => {
            let detail = "the line of kind `end` is missing, so the file was cut off; a piece that others follow is sent \
                          with `partial=true`";
            return Err(ApiError::invalid(format!("/{lines}"), detail));
        }
        Some(_) | None => {}
    }
    let imported = Imported { session_id: session.name, messages: count, versions_left: versions, next_seq };
    let reply = KeptReply::json(StatusCode::CREATED, &imported)?;
    claimed.keep(&state.store, &mut tx, id, &reply).await?;
    let committed = tx.commit().await;
    if committed.as_ref().err().is_none_or(StoreError::is_outcome_unknown) {
        admitted.store(load);
    }
    committed?;
    if is_made {
        state.store.count_session(caller.tenant);
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
) -> Result<(Import, Tokenizer, [u8; 32])> {
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
    /// Format of the last message.
    format: BatchFormat,
    versions: usize,
    end: Option<Seq>,
    lines: usize,
}

fn read_lines(
    bytes: &[u8],
    (tokenizer, so_far): (Tokenizer, Option<Format>),
    limits: &Limits,
) -> Result<Import> {
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
                let detail = "the session is the first line, and one";
                return Err(ApiError::invalid(format!("/{at}/kind"), detail));
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

/// Detects the format of the messages that state none; the others are checked against theirs.
fn detect_lines(lines: &[(usize, ExportLine)]) -> Result<BatchFormat> {
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
) -> Result<(Seq, NewMessage)> {
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
        Some("retrieved_documents") => Some(MarkedComponent::RetrievedDocuments),
        Some(_) => return Err(ApiError::invalid(format!("/{at}/component"), "unknown component")),
    };
    marked(&mut message, line.keep, component);
    Ok((seq, message))
}

fn read_head(line: ExportLine) -> Result<Head> {
    let pins = read_pins(line.pins.unwrap_or_default()).map_err(|refused| within(0, refused))?;
    let notes = read_notes(line.notes.unwrap_or_default())?;
    let todos = read_todos(line.todos.unwrap_or_default()).map_err(|refused| within(0, refused))?;
    let dropped_entries = line.dropped_entries.unwrap_or_default();
    if dropped_entries.len() > MAX_DROPPED_ENTRIES {
        let detail = format!("must hold at most {MAX_DROPPED_ENTRIES}");
        return Err(ApiError::invalid("/0/dropped_entries", detail));
    }
    if dropped_entries.iter().any(|id| id.contains('\0') || id.len() > 200) {
        return Err(ApiError::invalid("/0/dropped_entries", "must hold ids of constraints and requests"));
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
    Ok(Head { settings: line.settings.unwrap_or_default(), pins, notes, todos, dropped_entries, probes })
}

/// Checks the notes of an export. Stored notes had no secrets; a file may.
fn read_notes(mut notes: Vec<Note>) -> Result<Vec<Note>> {
    if notes.len() > MAX_NOTES {
        return Err(ApiError::invalid("/0/notes", format!("must hold at most {MAX_NOTES} notes")));
    }
    let mut ids = BTreeSet::new();
    for (place, note) in notes.iter_mut().enumerate() {
        if note.id < 1 || !ids.insert(note.id) {
            let detail = "must be at least 1, and of one note";
            return Err(ApiError::invalid(format!("/0/notes/{place}/id"), detail));
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
