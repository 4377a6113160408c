//! Imports a session from JSON lines, as an export wrote them ([`crate::api::export`]).
//!
//! A file is a caller's text, whatever it says of itself: each document is parsed into the type that reads it later, and what
//! it tells of positions and versions is checked against what is there. A version that came so says it (`imported`), because
//! nothing of it was checked against the messages here.

use std::collections::BTreeSet;
use std::time::Instant;

use axum::body::Bytes;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::admission::quotas::Load;
use crate::api::batch::{LARGE_BODY_BYTES, MarkedComponent, marked, read_message};
use crate::api::evaluations::StoredScores;
use crate::api::export::{ExportLine, FORMAT_VERSION, LineKind, whole};
use crate::api::messages::{admit, load, refuse};
use crate::api::pins::read_pins;
use crate::api::prelude::*;
use crate::api::probes::NewProbe;
use crate::api::todos::read_todos;
use crate::extract::json::{Lines, parse};
use crate::limits::Limits;
use anchord_context::note::{self, MAX_NOTES};
use anchord_facts::ledger::{CommandFact, LedgerState, TestRunFact};
use anchord_facts::redact::redact;
use anchord_messages::format::Format;
use anchord_messages::format::detect::{BatchFormat, Detector};
use anchord_messages::tokens::{TokenCounter, Tokenizer};
use anchord_record::probe::{Probe, ProbeResult};
use anchord_record::version::VersionMeta;
use anchord_session::compression::{Report, Request};
use anchord_session::settings::Settings;
use anchord_store::compressions::Kind as JobKind;
use anchord_store::dump::{
    CompressionDump, EvaluationDump, FactDump, FactKind, NoteDump, ProbeDump, TodosDump, VersionDump,
};
use anchord_store::gather::{Append, NewMessage};
use anchord_store::import::{self, Begun, Brings, ImportError, Own, Part, Refusal};
use anchord_store::notes::{MAX_PAST, NotesRoom};

/// The most ids of dropped constraints in an import.
const MAX_DROPPED_ENTRIES: usize = 1_000;
/// The most facts or probes of one line.
const MAX_ROWS: usize = 1_000;
/// The most smaller forms of a version.
const MAX_SMALLER: usize = 20;
/// The most changes of a todo list: each item before it and each one after it.
const MAX_TODO_CHANGES: usize = 2 * anchord_facts::todo::MAX_TODOS;
/// The most characters of the name of what asked for a compression.
const MAX_TRIGGER_BYTES: usize = 64;

/// The result of an import.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ImportResult)]
pub struct Imported {
    /// The session.
    pub session_id: SessionName,
    /// Messages of this call.
    pub messages: usize,
    /// Branches of this call beside main.
    pub branches: usize,
    /// Versions of this call. Each says `imported`: nothing of it was checked against the messages here.
    pub versions: usize,
    /// Probes of this call, the caller's and those that the service made.
    pub probes: usize,
    /// Evaluations of this call.
    pub evaluations: usize,
    /// Compressions and evaluation jobs of this call, all of which have ended.
    pub compressions: usize,
    /// Position that the next message of main will get.
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
/// The first line is the session and has the `format_version` 1. The last line must be that of kind `end`, with the number of
/// messages that the file has: without it the file was cut off, and is refused. The session must be new: a file above
/// the limit of a body, or of the messages of a batch, is sent in pieces in their order, cut between lines, each but the last
/// with `partial=true`. Messages get the same positions and are stored word for word. All of a call is stored or nothing.
///
/// The session is as it was: its branches, versions, probes, evaluations and ended compressions, settings, pins, notes and todo
/// list; contexts and summaries are the same, and the next compression builds on the last version. A file is taken at its word
/// about what its versions say: each has `imported` true, and no check of it was made here. Compressions get other ids. An
/// import starts no compression.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/import", tag = "sessions", operation_id = "sessions.import", params(SessionPath, ImportQuery),
    request_body(content = ExportLine, content_type = "application/x-ndjson", description = "One line for each part."),
    responses(
        (status = 201, body = Imported, description = "All of it is stored."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "The session has other messages before the first one (`next_seq` is the actual one), or other versions, or a compression of it waits or runs; nothing is stored.")
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
    let name = whole(path.session_id)?;
    let (import, digest) = parse_import(&state, &caller, &name, bytes).await?;
    if let Some(reply) = key.find_reply(&state.store, caller.tenant, digest).await? {
        return Ok(reply);
    }
    let Import { parts, loads, is_ended, lines } = import;
    if !is_ended && !query.partial {
        let detail = "the line of kind `end` is missing, so the file was cut off; a piece that others follow is sent \
                      with `partial=true`";
        return Err(ApiError::invalid(format!("/{lines}"), detail));
    }
    if let Some(Brings::Session(_, settings, _)) = parts.first().map(|part| &part.brings) {
        let engine = settings.get("engine").and_then(|engine| serde_json::from_value(engine.clone()).ok());
        state.check_engine(engine, settings.get("summary_model").and_then(Value::as_str))?;
    }
    let all = loads.iter().fold(Load::default(), |all, one| Load {
        messages: all.messages + one.messages,
        bytes: all.bytes + one.bytes,
    });
    let mut admitted = admit(&state, &caller, None, all).await?;
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, digest).await?);
    let stored = import::import(&state.store, &mut tx, caller.tenant, &name, parts).await;
    let stored = stored.map_err(|error| match error {
        ImportError::Store(error) => error.into(),
        ImportError::Refused { line, why } => refused(line, why),
    })?;
    let imported = Imported {
        session_id: name,
        messages: all.messages,
        branches: stored.branches,
        versions: stored.versions,
        probes: stored.probes,
        evaluations: stored.evaluations,
        compressions: stored.compressions,
        next_seq: stored.next_seq,
    };
    let reply = KeptReply::json(StatusCode::CREATED, &imported)?;
    claimed.keep(&state.store, &mut tx, stored.session, &reply).await?;
    let committed = tx.commit().await;
    if committed.as_ref().err().is_none_or(StoreError::is_outcome_unknown) {
        admitted.store(all);
    }
    committed?;
    if stored.is_made {
        state.store.count_session(caller.tenant);
    }
    for (appended, load) in stored.replies.iter().zip(loads) {
        state.count_append(&caller, appended, load, started);
    }
    Ok(reply)
}

/// Why a line is refused, in the words of the API.
fn refused(line: usize, why: Refusal) -> ApiError {
    let at = |field: &str| format!("/{line}{field}");
    match why {
        Refusal::NotNew => {
            ApiError::Conflict("the session exists and has messages; import under another id".to_owned())
        }
        Refusal::Busy => ApiError::Conflict(
            "the session has another version, or a compression waits or runs; import under another id"
                .to_owned(),
        ),
        Refusal::NotImporting => ApiError::Conflict(
            "the session was not begun by an import, or its import has ended; import under another id"
                .to_owned(),
        ),
        Refusal::NoSession => ApiError::invalid(at("/kind"), "must come behind the line of the session"),
        Refusal::Settings(refused) => {
            ApiError::invalid(at(&format!("/settings{}", refused.pointer)), refused.detail)
        }
        Refusal::Pins { tokens, max_tokens } => {
            ApiError::refused(at("/pins"), format!("the pins take {tokens} tokens of {max_tokens}"))
        }
        Refusal::Notes(NotesRoom { notes, tokens, max_tokens }) => {
            let detail = format!("{notes} notes of {MAX_NOTES} take {tokens} tokens of {max_tokens}");
            ApiError::refused(at("/notes"), detail)
        }
        Refusal::Messages(refused, first) => refuse(refused, first),
        Refusal::Misfit { pointer, detail } => ApiError::invalid(at(&pointer), detail),
    }
}

/// Parses an import, with its messages counted by the tokenizer of the session: that of the file, of the session that there
/// is, or of the tenant.
async fn parse_import(
    state: &AppState,
    caller: &Caller,
    session: &SessionName,
    bytes: Bytes,
) -> Result<(Import, [u8; 32])> {
    let of = SessionRef::main(session.clone());
    let known = state.store.find_session(caller.tenant, &of).await?;
    let so_far = known.as_ref().and_then(|known| known.accounting.format);
    let (base, defaults, fixed) = if let Some(known) = known {
        let fixed = if known.has_fixed_tokenizer() { known.effective_settings().tokenizer } else { None };
        (known.settings, known.defaults, fixed)
    } else {
        let tenant = state.store.find_tenant(caller.tenant).await?;
        (Settings::default(), tenant.map(|tenant| tenant.settings).unwrap_or_default(), None)
    };
    let now = state.clock.now();
    let limits = state.limits.clone();
    let tenant = caller.tenant;
    let read = async |tokenizer| {
        let (bytes, limits, session) = (bytes.clone(), limits.clone(), session.clone());
        let is_large = bytes.len() > LARGE_BODY_BYTES;
        let reading = move || {
            let reader = Reading { tenant, session, tokenizer, so_far, now, limits: &limits };
            let import = reader.read(&bytes)?;
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
    let stated = import.parts.first().filter(|_| fixed.is_none());
    let stated = stated.and_then(|part| match &part.brings {
        Brings::Session(_, settings, _) => base.patched(settings.clone(), &defaults).ok(),
        Brings::Branch(..)
        | Brings::Messages(..)
        | Brings::Version(..)
        | Brings::Facts(_)
        | Brings::Probes(_)
        | Brings::Evaluation(_)
        | Brings::Compression(_)
        | Brings::Counts(_)
        | Brings::End { .. } => None,
    });
    let own = stated.map(|stated| stated.over(&defaults).tokenizer.unwrap_or_default());
    match own.filter(|own| *own != tokenizer) {
        Some(own) => read(own).await,
        None => Ok((import, digest)),
    }
}

/// A parsed and checked import.
struct Import {
    parts: Vec<Part>,
    /// Size of the messages of each append.
    loads: Vec<Load>,
    is_ended: bool,
    lines: usize,
}

/// What lines are read with.
struct Reading<'a> {
    tenant: TenantId,
    session: SessionName,
    tokenizer: Tokenizer,
    so_far: Option<Format>,
    now: DateTime<Utc>,
    limits: &'a Limits,
}

impl Reading<'_> {
    fn read(&self, bytes: &[u8]) -> Result<Import> {
        let mut lines: Vec<ExportLine> = Vec::new();
        let mut messages = 0;
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            let at = lines.len();
            let line: ExportLine = parse(line).map_err(|refused| within(at, refused))?;
            if lines.last().is_some_and(|before| before.kind == LineKind::End) {
                return Err(ApiError::invalid(format!("/{at}/kind"), "nothing may follow the end"));
            }
            messages += usize::from(line.kind == LineKind::Message);
            if messages > self.limits.batch_messages {
                let limit = self.limits.batch_messages;
                let what = "the import (cut it between lines)".to_owned();
                return Err(ApiError::TooLarge { what, limit, unit: "messages" });
            }
            lines.push(line);
        }
        let is_ended = match lines.last() {
            None => return Err(ApiError::invalid("", "must hold at least one line")),
            Some(last) => last.kind == LineKind::End,
        };
        let unstated = detect_lines(&lines)?.resolve(self.so_far);
        let mut import = Import { parts: Vec::new(), loads: Vec::new(), is_ended, lines: lines.len() };
        for (at, line) in lines.into_iter().enumerate() {
            let branch = line.branch.clone().unwrap_or_else(BranchName::main);
            if line.kind == LineKind::Message {
                self.read_message((at, branch), line, unstated, &mut import.parts)?;
                continue;
            }
            let brings = read_line(at, line).map_err(|refused| within(at, refused))?;
            import.parts.push(Part { line: at, branch, brings });
        }
        for part in &import.parts {
            if let Brings::Messages(append, _) = &part.brings {
                import.loads.push(load(&append.messages));
            }
        }
        Ok(import)
    }

    /// Reads a message into the append of those before it, or a new one.
    fn read_message(
        &self,
        (at, branch): (usize, BranchName),
        line: ExportLine,
        unstated: Format,
        parts: &mut Vec<Part>,
    ) -> Result<()> {
        let missing = |field: &str| ApiError::invalid(format!("/{at}/{field}"), "is missing");
        let seq = line.seq.ok_or_else(|| missing("seq"))?;
        let before = match parts.last_mut() {
            Some(Part { branch: of, brings: Brings::Messages(append, times), .. }) if *of == branch => {
                Some((append, times))
            }
            _ => None,
        };
        let follows = before.as_ref().is_none_or(|(append, times)| {
            let count = Seq::try_from(times.len()).unwrap_or(Seq::MAX);
            append.expected_next_seq.is_some_and(|first| first.checked_add(count) == Some(seq))
        });
        if seq < 1 || !follows {
            return Err(ApiError::invalid(format!("/{at}/seq"), "must follow the message before it"));
        }
        let format = line.format.unwrap_or(unstated);
        let body = line.message.ok_or_else(|| missing("message"))?;
        if body.get().len() > self.limits.message_bytes {
            let limit = self.limits.message_bytes;
            return Err(ApiError::TooLarge {
                what: format!("the message of line {at}"),
                limit,
                unit: "bytes",
            });
        }
        let counter = TokenCounter::new(self.tokenizer);
        let mut message = read_message(&format!("/{at}/message"), body, format, counter)?;
        let component = match line.component.as_deref() {
            None => None,
            Some("retrieved_documents") => Some(MarkedComponent::RetrievedDocuments),
            Some(_) => return Err(ApiError::invalid(format!("/{at}/component"), "unknown component")),
        };
        marked(&mut message, line.keep, component);
        if let Some(stored) = line.created_at {
            check_time("/created_at", stored).map_err(|refused| within(at, refused))?;
        }
        if let Some((append, times)) = before {
            append.messages.push(message);
            append.format = BatchFormat::Stated(format);
            times.push(line.created_at);
            return Ok(());
        }
        let append = self.append(seq, format, message, &branch);
        parts.push(Part {
            line: at,
            branch,
            brings: Brings::Messages(Box::new(append), vec![line.created_at]),
        });
        Ok(())
    }

    fn append(&self, first: Seq, format: Format, message: NewMessage, branch: &BranchName) -> Append {
        Append {
            model: None,
            opening: None,
            tenant: self.tenant,
            session: SessionRef { name: self.session.clone(), branch: Some(branch.clone()) },
            messages: vec![message],
            format: BatchFormat::Stated(format),
            tokenizer: self.tokenizer,
            expected_next_seq: Some(first),
            task_boundary: false,
            now: self.now.timestamp(),
            reply_key: None,
            included: anchord_store::gather::Included::default(),
            is_imported: true,
        }
    }
}

/// Detects the format of the messages that state none; the others are checked against theirs.
fn detect_lines(lines: &[ExportLine]) -> Result<BatchFormat> {
    let mut unstated = Detector::new(None);
    for (at, line) in lines.iter().enumerate() {
        let Some(message) = &line.message else { continue };
        if !message.get().starts_with('{') {
            return Err(ApiError::invalid(format!("/{at}/message"), "must be an object"));
        }
        let looked = match line.format {
            None => unstated.look(at, message.get()),
            stated => Detector::new(stated).look(at, message.get()),
        };
        looked
            .map_err(|refused| ApiError::invalid(format!("{}/message", refused.pointer), refused.detail))?;
    }
    Ok(unstated.finish())
}

/// Reads a line that is no message; its errors lack its position.
fn read_line(at: usize, mut line: ExportLine) -> Result<Brings> {
    let missing = |field: &str| ApiError::invalid(format!("/{field}"), "is missing");
    match line.kind {
        LineKind::Session if at > 0 || line.branch.is_some() => {
            Err(ApiError::invalid("/kind", "the session is the first line, and one"))
        }
        LineKind::Session if line.format_version != Some(FORMAT_VERSION) => {
            let detail = format!(
                "must be {FORMAT_VERSION}: this is no export of a version of anchord that this one reads"
            );
            Err(ApiError::invalid("/format_version", detail))
        }
        LineKind::Session => {
            let settings = line.settings.take().unwrap_or_default();
            let created_at = line.created_at;
            created_at.map_or(Ok(()), |at| check_time("/created_at", at))?;
            Ok(Brings::Session(Box::new(read_own(line)?), settings, created_at))
        }
        LineKind::Branch => {
            let from = line.from.take().ok_or_else(|| missing("from"))?;
            let created_at = line.created_at.ok_or_else(|| missing("created_at"))?;
            check_time("/created_at", created_at)?;
            let begun = Begun { from, with: line.begun_with.take(), created_at };
            Ok(Brings::Branch(Box::new(read_own(line)?), Box::new(begun)))
        }
        LineKind::Version => {
            let version = line.version.ok_or_else(|| missing("version"))?;
            let (meta, version) = read_version(version).map_err(|refused| under("/version", refused))?;
            Ok(Brings::Version(Box::new(meta), Box::new(version)))
        }
        LineKind::Facts => read_facts(line.facts.ok_or_else(|| missing("facts"))?),
        LineKind::Probes => read_probes(line.probes.ok_or_else(|| missing("probes"))?),
        LineKind::Evaluation => {
            let evaluation = line.evaluation.ok_or_else(|| missing("evaluation"))?;
            read_evaluation(evaluation).map_err(|refused| under("/evaluation", refused))
        }
        LineKind::Compression => {
            let compression = line.compression.ok_or_else(|| missing("compression"))?;
            read_compression(compression).map_err(|refused| under("/compression", refused))
        }
        LineKind::Counts => Ok(Brings::Counts(Box::new(line.counts.ok_or_else(|| missing("counts"))?))),
        LineKind::End => Ok(Brings::End {
            messages: line.messages.unwrap_or_default(),
            current: line.current.unwrap_or_else(BranchName::main),
            erased: line.erased.unwrap_or_default(),
        }),
        LineKind::Message => Err(missing("message")),
    }
}

/// Reads what a branch has of its own beside messages and versions.
fn read_own(line: ExportLine) -> Result<Own> {
    let dropped_entries = line.dropped_entries.unwrap_or_default();
    if dropped_entries.len() > MAX_DROPPED_ENTRIES {
        let detail = format!("must hold at most {MAX_DROPPED_ENTRIES}");
        return Err(ApiError::invalid("/dropped_entries", detail));
    }
    if dropped_entries.iter().any(|id| id.contains('\0') || id.len() > 200) {
        return Err(ApiError::invalid("/dropped_entries", "must hold ids of constraints"));
    }
    Ok(Own {
        pins: read_pins(line.pins.unwrap_or_default())?,
        notes: read_notes(line.notes.unwrap_or_default())?,
        todos: line.todos.map(read_todo_list).transpose()?,
        dropped_entries,
    })
}

/// Checks the notes of an export. What was stored had no secrets; a file may.
fn read_notes(mut notes: Vec<NoteDump>) -> Result<Vec<NoteDump>> {
    let most = MAX_NOTES + usize::try_from(MAX_PAST).unwrap_or_default();
    if notes.len() > most {
        return Err(ApiError::invalid("/notes", format!("must hold at most {most} texts")));
    }
    let mut places = BTreeSet::new();
    for (at, note) in notes.iter_mut().enumerate() {
        check_number(&format!("/notes/{at}/id"), note.id, 1)?;
        check_number(&format!("/notes/{at}/seq"), note.seq, 0)?;
        check_time(&format!("/notes/{at}/created_at"), note.created_at)?;
        if !places.insert((note.id, note.seq)) {
            return Err(ApiError::invalid(
                format!("/notes/{at}"),
                "must have one text for each `id` and `seq`",
            ));
        }
        if let Some(text) = &mut note.text {
            *text = redact(text).into_owned();
            if let Some(detail) = note::refused(text) {
                return Err(ApiError::invalid(format!("/notes/{at}/text"), detail));
            }
        }
    }
    Ok(notes)
}

fn read_todo_list(todos: TodosDump) -> Result<TodosDump> {
    let items = todos.items.iter().cloned().map(Into::into).collect();
    read_todos(items).map_err(|refused| {
        let ApiError::Invalid(mut errors) = refused else { return refused };
        for error in &mut errors {
            error.pointer = error.pointer.replacen("/todos", "/todos/items", 1);
        }
        ApiError::Invalid(errors)
    })?;
    if todos.changes.len() > MAX_TODO_CHANGES {
        return Err(ApiError::invalid("/todos/changes", format!("must hold at most {MAX_TODO_CHANGES}")));
    }
    if let Some(version) = todos.version {
        check_number("/todos/version", version, 1)?;
    }
    check_number("/todos/revision", todos.revision, 1)?;
    check_time("/todos/updated_at", todos.updated_at)?;
    Ok(todos)
}

fn read_version(version: VersionDump) -> Result<(VersionMeta, VersionDump)> {
    let mut meta: VersionMeta = read_raw("/meta", &version.meta)?;
    meta.imported = true;
    read_raw::<LedgerState>("/carry", &version.carry)?;
    if !version.document.get().starts_with('{') {
        return Err(ApiError::invalid("/document", "must be an object"));
    }
    let VersionDump { rendering, smaller, digest, recap, .. } = &version;
    if smaller.len() > MAX_SMALLER {
        return Err(ApiError::invalid("/smaller", format!("must hold at most {MAX_SMALLER}")));
    }
    let smaller = smaller.iter().enumerate().map(|(at, text)| (format!("/smaller/{at}"), text));
    let texts = [("/rendering".to_owned(), rendering)].into_iter().chain(smaller);
    for (place, text) in texts.chain(digest.iter().map(|digest| ("/digest".to_owned(), digest))) {
        check_text(&format!("{place}/text"), &text.text)?;
        if text.tokens < 0 {
            return Err(ApiError::invalid(format!("{place}/tokens"), "must be at least 0"));
        }
    }
    check_text("/recap", recap)?;
    check_time("/created_at", version.created_at)?;
    Ok((meta, version))
}

fn read_facts(facts: Vec<FactDump>) -> Result<Brings> {
    check_rows("/facts", facts.len())?;
    for (at, fact) in facts.iter().enumerate() {
        let place = format!("/facts/{at}/value");
        match fact.kind {
            FactKind::Command => drop(read_raw::<CommandFact>(&place, &fact.value)?),
            FactKind::TestRun => drop(read_raw::<TestRunFact>(&place, &fact.value)?),
        }
    }
    Ok(Brings::Facts(facts))
}

fn read_probes(mut probes: Vec<ProbeDump>) -> Result<Brings> {
    check_rows("/probes", probes.len())?;
    for (at, dump) in probes.iter_mut().enumerate() {
        let place = format!("/probes/{at}/probe");
        let mut probe: Probe = read_raw(&place, &dump.probe)?;
        if dump.version.is_none() {
            probe = NewProbe::from(probe).checked().map_err(|refused| under(&place, refused))?;
        }
        dump.probe = serde_json::value::to_raw_value(&probe).map_err(ApiError::internal)?;
        check_time(&format!("/probes/{at}/created_at"), dump.created_at)?;
    }
    Ok(Brings::Probes(probes))
}

fn read_evaluation(evaluation: EvaluationDump) -> Result<Brings> {
    read_raw::<StoredScores>("/scores", &evaluation.scores)?;
    let results = serde_json::from_str::<Vec<ProbeResult>>(evaluation.results.get());
    results.map_err(|refused| ApiError::invalid("/results", refused.to_string()))?;
    check_time("/created_at", evaluation.created_at)?;
    Ok(Brings::Evaluation(Box::new(evaluation)))
}

fn read_compression(compression: CompressionDump) -> Result<Brings> {
    if compression.kind == JobKind::Index {
        return Err(ApiError::invalid("/kind", "must be `compress` or `evaluate`"));
    }
    if compression.status.is_live() {
        return Err(ApiError::invalid("/status", "must have ended"));
    }
    let trigger = compression.trigger.as_bytes();
    if trigger.len() > MAX_TRIGGER_BYTES || trigger.iter().any(|byte| !byte.is_ascii_graphic()) {
        return Err(ApiError::invalid("/trigger", "must be the name of a signal"));
    }
    read_raw::<Request>("/request", &compression.request)?;
    if let Some(report) = &compression.report {
        read_raw::<Report>("/report", report)?;
    }
    check_number("/attempts", compression.attempts.into(), 0)?;
    check_time("/created_at", compression.created_at)?;
    for (place, time) in [("/started_at", compression.started_at), ("/finished_at", compression.finished_at)]
    {
        time.map_or(Ok(()), |time| check_time(place, time))?;
    }
    Ok(Brings::Compression(Box::new(compression)))
}

/// Parses a document as it is read later.
fn read_raw<'a, T: Deserialize<'a>>(place: &str, raw: &'a RawValue) -> Result<T> {
    parse(raw.get().as_bytes()).map_err(|refused| under(place, refused))
}

fn check_text(place: &str, text: &str) -> Result<()> {
    if text.contains('\0') { Err(ApiError::invalid(place, "must not contain NUL")) } else { Ok(()) }
}

/// Checks a number that grows by one: there is always a next one.
fn check_number(place: &str, number: i64, least: i64) -> Result<()> {
    let most = 1 << 53;
    if (least..=most).contains(&number) {
        return Ok(());
    }
    Err(ApiError::invalid(place, format!("must be from {least} to {most}")))
}

fn check_rows(place: &str, rows: usize) -> Result<()> {
    if rows <= MAX_ROWS {
        return Ok(());
    }
    Err(ApiError::invalid(place, format!("must hold at most {MAX_ROWS}")))
}

/// Checks that a time is one that the database has.
fn check_time(place: &str, at: DateTime<Utc>) -> Result<()> {
    if (0..253_402_300_800).contains(&at.timestamp()) {
        return Ok(());
    }
    Err(ApiError::invalid(place, "must be a time from 1970 to 9999"))
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
