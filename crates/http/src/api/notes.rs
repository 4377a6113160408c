//! Notes that a session's agent made by its tool: the caller reads them, and removes what should not stay.

use crate::api::prelude::*;
use anchord_context::note::{read_id, written_id};
use anchord_store::load::Tries;
use anchord_store::notes::{self, NoteEdit, NoteEdited, StoredNote};

session_path! {
    /// The path of a note.
    NotePath {
        /// The note's id.
        #[param(example = "n3")]
        note_id: String,
    }
}

/// A note of the agent's.
#[derive(Clone, Debug, Serialize, ToSchema)]
// The record has a `Note`, too: what the agent said in messages.
#[schema(as = AgentNote)]
pub struct NoteView {
    /// Its id, which is never used again in its session.
    #[schema(examples("n3"))]
    pub id: String,
    /// The newest message when it was made or last replaced; 0 before the first.
    pub seq: Seq,
    /// Its text, without secrets.
    pub text: String,
    /// When it was made or last replaced.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
}

/// A session's notes, in the order in which contexts show them.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AgentNotes)]
pub struct Notes {
    /// The notes.
    pub notes: Vec<NoteView>,
}

impl From<StoredNote> for NoteView {
    fn from(StoredNote { note, created_at }: StoredNote) -> Self {
        Self { id: written_id(note.id), seq: note.seq, text: note.text, created_at }
    }
}

/// Lists the notes that a session's agent made.
///
/// Contexts show them as data of the agent's: they bind nobody.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/notes", tag = "notes", operation_id = "notes.list", params(SessionPath),
    responses((status = 200, body = Notes, description = "The notes."))
)]
pub async fn list_notes(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
) -> Result<Reply<Notes>> {
    let found =
        state.store.list_notes(caller.tenant, &path.session_id).await?.or_missing(Kind::SessionNotFound)?;
    Ok(Reply(Notes { notes: found.into_iter().map(Into::into).collect() }))
}

/// Removes a note of a session's agent.
///
/// Contexts stop showing it at once, under a new `context_revision`.
#[utoipa::path(
    delete, path = "/v1/sessions/{session_id}/notes/{note_id}", tag = "notes", operation_id = "notes.remove",
    params(NotePath),
    responses((status = 204, description = "The note is removed."))
)]
pub async fn remove_note(Writer { caller, state }: Writer, Path(path): Path<NotePath>) -> Result<StatusCode> {
    let edit = read_id(&path.note_id).map(NoteEdit::Remove);
    let mut tries = Tries::default();
    loop {
        // A text that is no id names no note.
        let edit = edit.unwrap_or(NoteEdit::Remove(0));
        let mut tx = state.store.begin(caller.tenant).await?;
        match notes::edit(&mut tx, caller.tenant, &path.session_id, edit).await? {
            NoteEdited::Done { .. } => {
                tx.commit().await?;
                return Ok(StatusCode::NO_CONTENT);
            }
            NoteEdited::NoSession => return Err(ApiError::NotFound(Kind::SessionNotFound)),
            NoteEdited::NoNote | NoteEdited::TooMany | NoteEdited::TooLarge(_) => {
                return Err(ApiError::NotFound(Kind::NoteNotFound));
            }
            NoteEdited::Changed => {
                tx.rollback().await?;
                tries.again().await?;
            }
        }
    }
}
