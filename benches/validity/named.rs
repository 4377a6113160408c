//! Sessions with their names: a folder's, or made-up ones as they would be sent.

use std::path::Path;

use anchord_messages::format::openai_chat;
use anchord_messages::message::Message;

use crate::sessions::{self, Session};

/// The sessions of a folder, or made-up ones.
pub fn named(folder: Option<&Path>) -> anyhow::Result<Vec<(String, Session)>> {
    match folder {
        Some(folder) => sessions::read_named(folder),
        None => (1..).zip(sessions::made()).map(|(number, session)| written(number, &session)).collect(),
    }
}

fn written(number: u32, session: &Session) -> anyhow::Result<(String, Session)> {
    let raw = session.messages.iter().map(|message| as_chat(&message.message)).collect();
    Ok((format!("made-{number}"), Session::of_raw(raw)?))
}

fn as_chat(message: &Message) -> String {
    match message.results().next() {
        Some(result) => openai_chat::write_result(&result.call_id, None, &result.text()),
        None => openai_chat::write(message),
    }
}
