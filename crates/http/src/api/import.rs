//! Imports a session from JSON lines, as an export wrote them ([`crate::api::export`]): `lines` makes parts of them, `documents`
//! checks what they hold.
//!
//! A file is a caller's text, whatever it says of itself: each document is parsed into the type that reads it later, and what
//! it tells of positions and versions is checked against what is there. A version that came so says it (`imported`), because
//! nothing of it was checked against the messages here.

mod documents;
mod lines;

use std::time::Instant;

use axum::body::Bytes;
use sha2::{Digest as _, Sha256};

use self::lines::{Import, Reading};
use crate::admission::quotas::BatchSize;
use crate::api::batch::LARGE_BODY_BYTES;
use crate::api::export::{ExportLine, whole};
use crate::api::messages::{admit, refuse};
use crate::api::prelude::*;
use crate::extract::json::Lines;
use anchord_context::note::MAX_NOTES;
use anchord_session::settings::Settings;
use anchord_store::import::{self, ImportError, Refusal};
use anchord_store::notes::NotesRoom;

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
/// the limit of a body, or with more lines than a batch may have messages, is sent in pieces in their order, cut between lines,
/// each but the last with `partial=true`. Messages get the same positions and are stored word for word. All of a call is stored or nothing.
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
    if !import.is_ended && !query.partial {
        let detail = "the line of kind `end` is missing, so the file was cut off; a piece that others follow is sent \
                      with `partial=true`";
        return Err(ApiError::invalid(format!("/{}", import.lines), detail));
    }
    if let Some(settings) = import.settings() {
        state.check_settings(settings)?;
    }
    let Import { parts, sizes, .. } = import;
    let all = sizes.iter().fold(BatchSize::default(), |all, one| BatchSize {
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
    for (appended, size) in stored.replies.iter().zip(sizes) {
        state.count_append(&caller, appended, size, started);
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
    let stated = import.settings().filter(|_| fixed.is_none());
    let stated = stated.and_then(|settings| base.patched(settings.clone(), &defaults).ok());
    let own = stated.map(|stated| stated.over(&defaults).tokenizer.unwrap_or_default());
    match own.filter(|own| *own != tokenizer) {
        Some(own) => read(own).await,
        None => Ok((import, digest)),
    }
}
