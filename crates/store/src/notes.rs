//! Notes of a session's agent: listing, making, replacing and removing them.

use super::dump::NoteDump;
use super::load::{self, Loaded, Which};
use super::sessions;
use crate::prelude::*;
use anchord_context::note::{self, MAX_NOTES, MAX_NOTES_TOKENS, NOTES_SHARE, Note};
use anchord_messages::tokens::TokenCounter;
use anchord_record::fill::share_of;
use anchord_session::session::Session;

/// The most texts of a session's notes that are kept after they were replaced or removed.
pub const MAX_PAST: i64 = 500;

/// A note as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredNote {
    /// The note.
    pub note: Note,
    /// When it was made or last replaced.
    pub created_at: DateTime<Utc>,
}

/// A change of one note.
#[derive(Clone, Copy, Debug)]
pub enum NoteEdit<'a> {
    /// A note of this text is made.
    Add(&'a str),
    /// The note with this id has this text from now on.
    Replace(i64, &'a str),
    /// The note with this id goes.
    Remove(i64),
}

/// The outcome of a change of one note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteEdited {
    /// The notes are as the change wants them.
    Done {
        /// The session.
        session: SessionId,
        /// The note that was made, replaced or removed.
        id: i64,
        /// Tokens of the notes now.
        room: NotesRoom,
    },
    /// There is no such session.
    NoSession,
    /// There is no such note.
    NoNote,
    /// There are as many notes as there may be.
    TooMany,
    /// The notes would take more tokens than they may.
    TooLarge(NotesRoom),
    /// The session has changed since it was read.
    Changed,
}

/// Size of a session's notes, and its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotesRoom {
    /// How many there are.
    pub notes: usize,
    /// Their tokens as contexts show them.
    pub tokens: u32,
    /// The most tokens that they may take.
    pub max_tokens: u32,
}

impl NotesRoom {
    fn of(loaded: &Loaded, notes: &[Note]) -> Self {
        let settings = loaded.session.effective_settings();
        let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
        let share = share_of(settings.policy().effective_window, NOTES_SHARE);
        Self {
            notes: notes.len(),
            tokens: note::tokens(notes, counter),
            max_tokens: share.min(MAX_NOTES_TOKENS),
        }
    }

    fn is_exceeded(self) -> bool {
        self.tokens > self.max_tokens
    }
}

impl Store {
    /// Lists a session's notes, ascending; `None` when there is no such session.
    pub async fn list_notes(&self, tenant: TenantId, name: &SessionRef) -> Result<Option<Vec<StoredNote>>> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(session) = sessions::find(&mut tx, tenant, name).await? else { return Ok(None) };
        Ok(Some(list(&mut tx, session.id.of(tenant)).await?))
    }
}

/// Lists a session's notes within an open transaction, ascending.
pub async fn list(tx: &mut PgConnection, key: SessionKey) -> Result<Vec<StoredNote>> {
    list_at(tx, key, Seq::MAX).await
}

/// Lists the notes as they were through a message.
async fn list_at(tx: &mut PgConnection, key: SessionKey, through: Seq) -> Result<Vec<StoredNote>> {
    let rows = sqlx::query!(
        r#"select x.id, x.seq, x.body as "body!", x.created_at
           from (
             select distinct on (y.id) y.id, y.seq, y.body, y.created_at from notes y
             where y.tenant_id = $1 and y.session_id = $2 and y.seq <= $3 order by y.id, y.seq desc
           ) x
           where x.body is not null order by x.id"#,
        key.tenant.0,
        key.id.0,
        through
    )
    .fetch_all(tx)
    .await?;
    let stored = rows.into_iter().map(|row| StoredNote {
        note: Note { id: row.id, seq: row.seq, text: row.body },
        created_at: row.created_at,
    });
    Ok(stored.collect())
}

/// Through which message the notes count that a fork has, and a context of that moment. A note is made by a call in the message
/// that follows the newest one, so that a fork at that newest one is without it; a fork of all there is has all of them.
pub(super) fn through(session: &Session, seq: Seq) -> Seq {
    if seq == session.head_seq { Seq::MAX } else { seq - 1 }
}

/// The tokens of the notes that a fork has.
pub(super) async fn tokens_at(
    tx: &mut PgConnection,
    key: SessionKey,
    parent: &Session,
    seq: Seq,
) -> Result<u32> {
    let stored = list_at(tx, key, through(parent, seq)).await?;
    let notes: Vec<Note> = stored.into_iter().map(|stored| stored.note).collect();
    let counter = TokenCounter::new(parent.effective_settings().tokenizer.unwrap_or_default());
    Ok(note::tokens(&notes, counter))
}

/// Changes one of a session's notes in an open transaction, which must not be committed unless it is done.
pub async fn edit(
    tx: &mut PgConnection,
    tenant: TenantId,
    name: &SessionRef,
    edit: NoteEdit<'_>,
) -> Result<NoteEdited> {
    let Some(loaded) = load::load(&mut *tx, tenant, Which::Named(name)).await? else {
        return Ok(NoteEdited::NoSession);
    };
    // Read after the session, whose revision every change of notes increases: a change in between is noticed below.
    let stored = list(&mut *tx, loaded.session.id.of(tenant)).await?;
    let mut notes: Vec<Note> = stored.into_iter().map(|stored| stored.note).collect();
    let seq = loaded.session.head_seq;
    let id = match edit {
        NoteEdit::Add(_) => loaded.session.accounting.last_note + 1,
        NoteEdit::Replace(id, _) | NoteEdit::Remove(id) => id,
    };
    let place = notes.iter().position(|note| note.id == id);
    match (edit, place) {
        (NoteEdit::Add(_), _) if notes.len() >= MAX_NOTES => return Ok(NoteEdited::TooMany),
        (NoteEdit::Add(text), _) => notes.push(Note { id, seq, text: text.to_owned() }),
        (NoteEdit::Replace(_, text), Some(place)) => {
            if let Some(note) = notes.get_mut(place) {
                *note = Note { id, seq, text: text.to_owned() };
            }
        }
        (NoteEdit::Remove(_), Some(place)) => drop(notes.remove(place)),
        (NoteEdit::Replace(..) | NoteEdit::Remove(_), None) => return Ok(NoteEdited::NoNote),
    }
    let room = NotesRoom::of(&loaded, &notes);
    // Removing one is allowed even when those that stay are too large.
    if room.is_exceeded() && !matches!(edit, NoteEdit::Remove(_)) {
        return Ok(NoteEdited::TooLarge(room));
    }
    let changed = notes.iter().find(|note| note.id == id).cloned();
    let session = loaded.session.id;
    if !load::hold_as_read(&mut *tx, &loaded).await? {
        return Ok(NoteEdited::Changed);
    }
    match changed {
        Some(note) => write(&mut *tx, session.of(tenant), &[note]).await?,
        None => remove(&mut *tx, session.of(tenant), id, seq).await?,
    }
    forget_oldest(&mut *tx, session.of(tenant)).await?;
    count_notes(tx, loaded, room, id).await?;
    Ok(NoteEdited::Done { session, id, room })
}

/// Gives a branch that has none the notes of an export in an open transaction, with what they were before; returns what they
/// would take when that is too much.
///
/// # Errors
/// When the database fails, or the session does not exist or changes meanwhile.
pub(super) async fn restore(
    tx: &mut PgConnection,
    tenant: TenantId,
    name: &SessionRef,
    texts: &[NoteDump],
) -> Result<Option<NotesRoom>> {
    let loaded = load::load(&mut *tx, tenant, Which::Named(name)).await?.ok_or(StoreError::Contended)?;
    let (mut ids, mut seqs, mut bodies, mut times) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for text in texts {
        ids.push(text.id);
        seqs.push(text.seq);
        bodies.push(text.text.as_deref());
        times.push(text.created_at);
    }
    let key = loaded.session.id.of(tenant);
    sqlx::query!(
        "insert into notes (tenant_id, session_id, id, seq, body, created_at)
         select $1, $2, n.id, n.seq, n.body, n.at
         from unnest($3::bigint[], $4::bigint[], $5::text[], $6::timestamptz[]) as n(id, seq, body, at)",
        tenant.0,
        key.id.0,
        &ids,
        &seqs,
        &bodies as &[Option<&str>],
        &times
    )
    .execute(&mut *tx)
    .await?;
    let notes: Vec<Note> = list(tx, key).await?.into_iter().map(|stored| stored.note).collect();
    let room = NotesRoom::of(&loaded, &notes);
    if notes.len() > MAX_NOTES || room.is_exceeded() {
        return Ok(Some(room));
    }
    if !load::hold_as_read(&mut *tx, &loaded).await? {
        return Err(StoreError::Contended);
    }
    count_notes(tx, loaded, room, ids.into_iter().max().unwrap_or_default()).await?;
    Ok(None)
}

async fn write(tx: &mut PgConnection, key: SessionKey, notes: &[Note]) -> Result<()> {
    let ids: Vec<i64> = notes.iter().map(|note| note.id).collect();
    let seqs: Vec<i64> = notes.iter().map(|note| note.seq).collect();
    let texts: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
    sqlx::query!(
        "insert into notes (tenant_id, session_id, id, seq, body)
         select $1, $2, n.id, n.seq, n.body from unnest($3::bigint[], $4::bigint[], $5::text[]) as n(id, seq, body)
         on conflict (tenant_id, session_id, id, seq) do update set seq = excluded.seq, body = excluded.body, created_at = now()",
        key.tenant.0,
        key.id.0,
        &ids,
        &seqs,
        &texts as &[&str]
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Removes a note from a message on. One that got its text since that message leaves nothing.
async fn remove(tx: &mut PgConnection, key: SessionKey, id: i64, seq: Seq) -> Result<()> {
    sqlx::query!(
        "delete from notes where tenant_id = $1 and session_id = $2 and id = $3 and seq = $4",
        key.tenant.0,
        key.id.0,
        id,
        seq
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "insert into notes (tenant_id, session_id, id, seq, body)
         select $1, $2, $3, $4, null
         where exists (select from notes where tenant_id = $1 and session_id = $2 and id = $3 and seq < $4)",
        key.tenant.0,
        key.id.0,
        id,
        seq
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes the oldest of what notes were before they were replaced or removed, beyond so many.
async fn forget_oldest(tx: &mut PgConnection, key: SessionKey) -> Result<()> {
    sqlx::query!(
        "delete from notes x
         where x.tenant_id = $1 and x.session_id = $2 and (x.id, x.seq) in (
           select o.id, o.seq
           from (
             select n.id, n.seq, n.body is null or row_number() over (partition by n.id order by n.seq desc) > 1 as is_past
             from notes n where n.tenant_id = $1 and n.session_id = $2
           ) o
           where o.is_past order by o.seq desc, o.id offset $3
         )",
        key.tenant.0,
        key.id.0,
        MAX_PAST
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Counts the notes with their session.
async fn count_notes(tx: &mut PgConnection, loaded: Loaded, room: NotesRoom, newest: i64) -> Result<()> {
    let (tenant, mut session) = (loaded.tenant, loaded.session);
    session.note(room.tokens, newest);
    sessions::update(tx, tenant, &session).await?;
    Ok(())
}
