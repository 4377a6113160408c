//! Made-up messages as chat messages, as they would be sent.

use anchord_messages::format;
use anchord_messages::message::Message;

/// A message as chat messages: each result of a call is one of its own.
pub fn as_chat(message: &Message) -> Vec<String> {
    let results = message.results();
    let told: Vec<String> = results
        .map(|result| format::openai_chat::write_result(&result.call_id, None, &result.text()))
        .collect();
    if told.is_empty() { vec![format::openai_chat::write(message)] } else { told }
}
