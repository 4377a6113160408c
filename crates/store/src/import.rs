//! Imports a session in one transaction: settings, pins, notes, todo list, dropped entries, probes and messages are stored
//! together or not at all.

use serde_json::{Map, Value};

use super::bounds::Made;
use super::gather::{self, Append, AppendError, Reply};
use super::notes::{self, NotesRoom};
use super::pins::{self, PinEdit, PinEdited};
use super::sessions::{self, PutOutcome};
use super::{lock, probes, todos};
use crate::prelude::*;
use anchord_context::note::Note;
use anchord_context::pin::Pin;
use anchord_facts::todo::Todo;
use anchord_session::settings::SettingsError;

/// Parts of an export beside messages.
#[derive(Clone, Debug)]
pub struct Head {
    /// The session's own settings.
    pub settings: Map<String, Value>,
    /// Its own pins.
    pub pins: Vec<Pin>,
    /// Its agent's notes.
    pub notes: Vec<Note>,
    /// Its caller's todo list.
    pub todos: Vec<Todo>,
    /// Ids of extracted constraints that its caller removed.
    pub dropped_entries: Vec<String>,
    /// Its caller's probes, as JSON texts.
    pub probes: Vec<String>,
}

/// The outcome of an import. Only what was stored may be committed.
#[derive(Debug)]
pub enum Outcome {
    /// All of it is stored.
    Stored {
        /// The session; `None` when there was nothing to store.
        session: Option<SessionId>,
        /// The reply to the append; `None` when there were no messages.
        reply: Option<Reply>,
        /// The position that the next message will get.
        next_seq: Seq,
        /// Whether the session was made; then it is counted after the commit ([`Store::count_session`]).
        is_made: bool,
    },
    /// The session has messages, so that it cannot get another head.
    HasMessages,
    /// The settings are rejected.
    Settings(SettingsError),
    /// The pins take too many tokens.
    Pins {
        /// The tokens that they would take.
        tokens: u32,
        /// The most tokens that they may take.
        max_tokens: u32,
    },
    /// The notes take too many tokens.
    Notes(NotesRoom),
    /// The messages are rejected.
    Messages(AppendError),
}

/// Stores an import in an open transaction.
///
/// # Errors
/// When the database fails, the session or its tenant changes meanwhile, or the tenant may have no more sessions.
pub async fn import(
    store: &Store,
    tx: &mut Tx,
    tenant: TenantId,
    name: &SessionRef,
    (head, append): (Option<Head>, Option<Append>),
) -> Result<Outcome> {
    let was_there = sessions::find(tx, tenant, name).await?.is_some();
    if let Some(head) = head
        && let Some(refused) = restore(tx, tenant, name, head).await?
    {
        return Ok(refused);
    }
    // A piece of a large import, after the first one.
    let known = sessions::lock(tx, tenant, name).await?;
    let reply = match append {
        None => None,
        Some(append) => match gather::append_within(tx, append).await? {
            Ok(reply) => Some(reply),
            Err(refused) => return Ok(Outcome::Messages(refused)),
        },
    };
    let session = match (&reply, known) {
        (None, known) => known,
        (Some(_), _) => sessions::find(tx, tenant, name).await?,
    };
    let is_made = session.is_some() && !was_there;
    if is_made {
        store.require_session_room(tx, tenant, Made::InTransaction).await?;
    }
    let next_seq = session.as_ref().map_or(1, |session| session.head_seq + 1);
    Ok(Outcome::Stored { session: session.map(|session| session.id), reply, next_seq, is_made })
}

/// Creates the session with everything that an export has beside messages; returns why not.
async fn restore(tx: &mut Tx, tenant: TenantId, name: &SessionRef, head: Head) -> Result<Option<Outcome>> {
    let put = sessions::put(tx, tenant, name, &head.settings).await?.ok_or(StoreError::Contended)?;
    let session = match put {
        PutOutcome::Refused(refused) => return Ok(Some(Outcome::Settings(refused))),
        PutOutcome::NoBranch => return Ok(Some(Outcome::Messages(AppendError::NoBranch))),
        PutOutcome::Created(session) | PutOutcome::Updated(session) => session,
    };
    if session.head_seq > 0 {
        return Ok(Some(Outcome::HasMessages));
    }
    match pins::edit(tx, tenant, name, PinEdit::Replace(&head.pins)).await? {
        PinEdited::Done(_) => {}
        PinEdited::TooLarge { tokens, max_tokens } => {
            return Ok(Some(Outcome::Pins { tokens, max_tokens }));
        }
        PinEdited::NoOwner | PinEdited::NoPin | PinEdited::TooMany | PinEdited::Changed => {
            return Err(StoreError::Contended);
        }
    }
    if !head.notes.is_empty()
        && let Some(room) = notes::restore(tx, tenant, name, &head.notes).await?
    {
        return Ok(Some(Outcome::Notes(room)));
    }
    if !head.todos.is_empty() {
        todos::replace(tx, tenant, name, head.todos).await?;
    }
    sqlx::query!(
        "insert into dropped_entries (tenant_id, session_id, entry_id)
         select $1, $2, c.id from unnest($3::text[]) as c(id) on conflict do nothing",
        tenant.0,
        session.id.0,
        &head.dropped_entries
    )
    .execute(&mut **tx)
    .await?;
    lock::touch(tx, tenant, session.id).await?;
    // The session may have been made before, without messages and with the same probes.
    let known = probes::list_callers(tx, session.id.of(tenant)).await?;
    for probe in head.probes {
        if !known.contains(&probe) {
            probes::insert_callers(tx, session.id.of(tenant), probe).await?;
        }
    }
    Ok(None)
}
