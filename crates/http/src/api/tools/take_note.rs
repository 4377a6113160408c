//! The tool `note`: makes, replaces or removes a note, once for each `Idempotency-Key`.

use std::borrow::Cow;

use super::result::Outcome;
use crate::api::prelude::*;
use anchord_context::note::{self, MAX_NOTES, written_id};
use anchord_context::tools::NoteCall;
use anchord_facts::redact::redact;
use anchord_messages::tokens::TokenCounter;
use anchord_store::load::Tries;
use anchord_store::notes::{self, NoteEdit, NoteEdited, NotesRoom};

/// Advice to the model for more room.
const ROOM: &str = "Replace one (note with its id and a new text) or remove one (note with its id alone)";

/// Runs the call, which is one of `note`. A refusal changes nothing, so its reply is not stored.
pub(super) async fn take(
    state: &AppState,
    caller: &Caller,
    (session, key, digest): (&SessionRef, IdempotencyKey, [u8; 32]),
    (call, counter): (NoteCall, TokenCounter),
) -> Result<Response> {
    let refuse = |message: String| Ok(Reply(Outcome::error(message).answer(counter)).into_response());
    let text = match &call {
        NoteCall::Add(text) | NoteCall::Replace(_, text) => redact(text),
        NoteCall::Remove(_) => Cow::Borrowed(""),
    };
    let edit = match call {
        NoteCall::Add(_) => NoteEdit::Add(&text),
        NoteCall::Replace(id, _) => NoteEdit::Replace(id, &text),
        NoteCall::Remove(id) => NoteEdit::Remove(id),
    };
    if let NoteEdit::Add(text) | NoteEdit::Replace(_, text) = edit
        && let Some(refused) = note::refused(text)
    {
        return refuse(format!("text {refused}."));
    }
    let mut tries = Tries::default();
    loop {
        let mut tx = state.store.begin(caller.tenant).await?;
        let claimed = match key.claim(&state.store, &mut tx, caller.tenant, digest).await? {
            Claim::Replay(reply) => return Ok(reply.into_response()),
            Claim::First(claimed) => claimed,
        };
        match notes::edit(&mut tx, caller.tenant, session, edit).await? {
            NoteEdited::Done { session, id, room } => {
                let answer = Outcome::done(&done(edit, id, room)).answer(counter);
                let reply = KeptReply::json(StatusCode::OK, &answer)?;
                claimed.keep(&state.store, &mut tx, Some(session), &reply).await?;
                tx.commit().await?;
                return Ok(reply.into_response());
            }
            NoteEdited::NoSession => return Err(ApiError::NotFound(Kind::SessionNotFound)),
            NoteEdited::NoNote => {
                return refuse("there is no note with this id; the ids stand before the notes.".to_owned());
            }
            NoteEdited::TooMany => {
                return refuse(format!("there are {MAX_NOTES} notes, as many as there may be. {ROOM}."));
            }
            NoteEdited::TooLarge(NotesRoom { tokens, max_tokens, .. }) => {
                return refuse(format!("the notes would take {tokens} tokens of {max_tokens}. {ROOM}."));
            }
            NoteEdited::Changed => {
                tx.rollback().await?;
                tries.again().await?;
            }
        }
    }
}

fn done(edit: NoteEdit<'_>, id: i64, room: NotesRoom) -> String {
    let id = written_id(id);
    let what: Cow<'_, str> = match edit {
        NoteEdit::Add(_) => format!("Noted as {id}.").into(),
        NoteEdit::Replace(..) => format!("Note {id} is replaced.").into(),
        NoteEdit::Remove(_) => format!("Note {id} is removed.").into(),
    };
    format!("{what} Notes: {}, {} of {} tokens.", room.notes, room.tokens, room.max_tokens)
}
