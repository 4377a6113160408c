//! Transcripts of agents at work, made up as those of the digest bench.

#[path = "../tasks/chat.rs"]
mod chat;
#[path = "../digest/sessions.rs"]
#[expect(dead_code, reason = "the digest bench uses the rest")]
mod sessions;
#[path = "../digest/texts.rs"]
mod texts;

/// A transcript as chat messages.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// How many.
    pub messages: usize,
    /// The body that appends them.
    pub body: String,
}

/// The bodies that append one long transcript, so many messages at a time.
pub fn long(at_a_time: usize) -> Vec<String> {
    let session = sessions::long();
    let messages: Vec<String> =
        session.messages.iter().flat_map(|message| chat::as_chat(&message.message)).collect();
    messages.chunks(at_a_time).map(body).collect()
}

fn body(messages: &[String]) -> String {
    format!(r#"{{"messages":[{}]}}"#, messages.join(","))
}

/// Some transcripts of about a third of a megabyte.
pub fn made() -> Vec<Transcript> {
    let told = sessions::made().into_iter().map(|session| {
        let messages: Vec<String> =
            session.messages.iter().flat_map(|message| chat::as_chat(&message.message)).collect();
        Transcript { messages: messages.len(), body: body(&messages) }
    });
    told.collect()
}
