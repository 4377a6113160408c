//! Hand-off between agents: renders the record of a session, or of a task's sessions, for another agent's prompt.

use std::collections::BTreeSet;

use crate::api::prelude::*;
use crate::api::tasks::TaskPath;
use anchord_context::note::{self, Note};
use anchord_messages::tokens::TokenCounter;
use anchord_record::handoff::{self, DEFAULT_LEVEL, LEVELS, Origin};
use anchord_record::render::{self, Subject};
use anchord_record::strategy::Verifiable;
use anchord_store::Tx;
use anchord_store::ledger::list_dropped_entries;
use anchord_store::notes::{self, StoredNote};
use anchord_store::sessions::{Session, SessionFilter};
use anchord_store::summaries::{self, StoredVersion, UnreadVersion};

/// How many of the latest sessions of a task are read, and how many of them are rendered.
const TASK_SESSIONS: i64 = 200;
const RENDERED_SESSIONS: usize = 20;
/// Records from this size on are the last that a task's hand-off joins.
const JOINED_BYTES: usize = 4 * 1024 * 1024;
/// The bounds of `words`.
const LEAST_WORDS: u32 = 100;
const MOST_WORDS: u32 = 500;

/// How much is handed off.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LevelQuery {
    /// The most tokens: 500, 1500 or 3000. Default: 1500.
    #[param(minimum = 500, maximum = 3000, example = 1500)]
    pub level: Option<u32>,
    /// The most words, from 100 to 500, in place of a level.
    #[param(minimum = 100, maximum = 500)]
    pub words: Option<u32>,
}

/// The bound of a hand-off.
#[derive(Clone, Copy, Debug)]
enum Bound {
    Tokens(u32),
    Words(u32),
}

impl LevelQuery {
    fn read(self) -> Result<Bound> {
        match (self.level, self.words) {
            (Some(_), Some(_)) => Err(ApiError::parameter("words", "must not stand beside `level`")),
            (None, Some(words)) if (LEAST_WORDS..=MOST_WORDS).contains(&words) => Ok(Bound::Words(words)),
            (None, Some(_)) => Err(ApiError::parameter("words", "must be from 100 to 500")),
            (level, None) => {
                let level = level.unwrap_or(DEFAULT_LEVEL);
                let known = LEVELS.contains(&level).then_some(Bound::Tokens(level));
                known.ok_or_else(|| ApiError::parameter("level", "must be 500, 1500 or 3000 tokens"))
            }
        }
    }
}

/// The text for a sub-agent's prompt.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Handoff {
    /// Markdown with level-3 headings, to be put under `## Prior Session Context`.
    pub markdown: String,
    /// Its tokens, at most the level when there is one.
    pub tokens: u32,
    /// The summary version that it renders; for a task, that of the newest session.
    pub version: i64,
    /// The sessions that it includes, newest first.
    pub sessions: Vec<HandedOff>,
}

/// A session that a hand-off includes.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = HandoffSession)]
pub struct HandedOff {
    /// The session's id.
    pub session_id: SessionName,
    /// Its version.
    pub version: i64,
}

/// Reads the hand-off of a session: a text for another agent.
///
/// The text has at most `level` tokens and level-3 headings, so that it goes under
/// `## Prior Session Context` in a prompt. From 1,500 tokens on it ends with a
/// digest of what was said and the notes of the agent.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/handoff", tag = "sessions", operation_id = "sessions.get_handoff", params(SessionPath, LevelQuery),
    responses(
        (status = 200, body = Handoff, description = "The text."),
        (status = 204, description = "Nothing is known yet: the session has no version.")
    )
)]
pub async fn find_handoff(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<LevelQuery>,
) -> Result<Response> {
    let bound = query.read()?;
    let _memory = state.admission.assemblies.take_for_record(caller.tenant).await?;
    let mut tx = state.store.snapshot(caller.tenant).await?;
    let session = caller.find_session(&mut tx, &path.session_id).await?;
    let version = match session.version {
        Some(number) => find_version(&mut tx, session.id.of(caller.tenant), number).await?,
        None => None,
    };
    let notes = notes::list(&mut tx, session.id.of(caller.tenant)).await?;
    tx.commit().await?;
    let found_versions: Vec<_> = version.map(|version| (session, version)).into_iter().collect();
    caller.compute(move |_| answer(found_versions, notes, bound)).await
}

/// Reads the hand-off of a task: its sessions' current versions in one text for another agent.
///
/// The newest session gives the goal and state; files, decisions and errors of all are joined, each with
/// the session that it came from.
#[utoipa::path(
    get, path = "/v1/tasks/{task_id}/handoff", tag = "tasks", operation_id = "tasks.get_handoff", params(TaskPath, LevelQuery),
    responses(
        (status = 200, body = Handoff, description = "The text."),
        (status = 204, description = "A fresh task: no session of it has a version.")
    )
)]
pub async fn find_task_handoff(
    Reader { caller, state }: Reader,
    Path(path): Path<TaskPath>,
    Query(query): Query<LevelQuery>,
) -> Result<Response> {
    let bound = query.read()?;
    let _memory = state.admission.assemblies.take_for_record(caller.tenant).await?;
    let filter = SessionFilter { task_id: Some(path.task_id), ..SessionFilter::default() };
    let mut found = state.store.list_sessions(caller.tenant, &filter, None, TASK_SESSIONS).await?;
    found.sort_by_key(|session| std::cmp::Reverse((session.updated_at, session.id.0)));
    let (mut found_versions, mut bytes) = (Vec::new(), 0);
    let mut tx = state.store.snapshot(caller.tenant).await?;
    for session in found {
        if found_versions.len() >= RENDERED_SESSIONS || bytes >= JOINED_BYTES {
            break;
        }
        let Some(number) = session.version else { continue };
        if let Some(version) = find_version(&mut tx, session.id.of(caller.tenant), number).await? {
            bytes += version.version.bytes();
            found_versions.push((session, version));
        }
    }
    let notes = match found_versions.first() {
        Some((newest, _)) => notes::list(&mut tx, newest.id.of(caller.tenant)).await?,
        None => Vec::new(),
    };
    tx.commit().await?;
    caller.compute(move |_| answer(found_versions, notes, bound)).await
}

/// A version, and the entries that the caller has dropped since.
struct Found {
    version: UnreadVersion,
    dropped: BTreeSet<String>,
}

async fn find_version(tx: &mut Tx, key: SessionKey, number: i64) -> Result<Option<Found>, StoreError> {
    let Some(version) = summaries::find_unread(tx, key, number).await? else { return Ok(None) };
    let dropped = list_dropped_entries(tx, key).await?;
    Ok(Some(Found { version, dropped }))
}

impl Found {
    /// Parses the version, and takes out what was dropped.
    fn read(self) -> Result<StoredVersion, StoreError> {
        let mut stored = self.version.read()?;
        stored.version.summary.leave_dropped(&self.dropped);
        Ok(stored)
    }
}

/// The notes of a session's agent, under a heading, within a fifth of a hand-off.
fn notes_text(notes: Vec<StoredNote>, session: &Session, level: u32, counter: TokenCounter) -> String {
    let heading = format!("\n\n### Notes of session {}\n\n", session.name);
    let room = (level / 5).saturating_sub(counter.count_text(&heading));
    let notes: Vec<Note> = notes.into_iter().map(|stored| stored.note).collect();
    note::newest_within(&notes, room.into(), &counter).map(|(text, _)| heading + &text).unwrap_or_default()
}

/// Renders the sessions, the newest first, with the notes of the newest; no content when there is none.
fn answer(found: Vec<(Session, Found)>, notes: Vec<StoredNote>, bound: Bound) -> Result<Response> {
    let read = found.into_iter().map(|(session, found)| Ok((session, found.read()?)));
    let versions = read.collect::<Result<Vec<_>, StoreError>>()?;
    let Some((session, newest)) = versions.first() else { return Ok(StatusCode::NO_CONTENT.into_response()) };
    let meta = &newest.version.meta;
    let united;
    let mut line;
    let summary = if versions.len() == 1 {
        line = format!("From session {}, version {}.", session.name, meta.version);
        &newest.version.summary
    } else {
        let origins = versions.iter().map(|(session, stored)| Origin {
            name: session.name.as_str(),
            summary: &stored.version.summary,
        });
        united = handoff::together(&origins.collect::<Vec<_>>());
        line = format!(
            "From {} sessions, the latest {}, version {}.",
            versions.len(),
            session.name,
            meta.version
        );
        &united
    };
    if meta.verifiable == Verifiable::No {
        line = format!("{line} {}", render::UNVERIFIED);
    }
    let settings = session.effective_settings();
    let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
    let subject = Subject {
        summary,
        meta,
        session_id: session.name.as_str(),
        task_id: settings.task_id.as_deref(),
        started: session.created_at,
        last_activity: session.updated_at,
    };
    let markdown = match bound {
        Bound::Tokens(level) => {
            let notes = notes_text(notes, session, level, counter);
            let more = (session.name.as_str(), newest.version.summary.digest.as_slice(), notes.as_str());
            handoff::render_with_digest(&line, &subject, more, level, &counter)
        }
        Bound::Words(words) => {
            handoff::render_in_words(&line, &subject, words, |text| counter.count_text(text))
        }
    };
    let tokens = counter.count_text(&markdown);
    let sessions = versions.iter().map(|(session, stored)| HandedOff {
        session_id: session.name.clone(),
        version: stored.version.meta.version,
    });
    let sessions = sessions.collect();
    Ok(Reply(Handoff { markdown, tokens, version: meta.version, sessions }).into_response())
}
