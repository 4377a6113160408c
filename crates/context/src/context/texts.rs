//! The texts that the service itself writes into a context: around the summary, the pins and the recap, and
//! in place of messages that are left out.

use super::super::tools::{ToolMode, messages_named};
use anchord_messages::id::Seq;

/// The line before a conversation that begins with the model, where the format requires a user first.
pub(super) const LEAD_IN: &str = "[The conversation begins with the assistant.]";

/// The line in place of messages that are left out.
pub(super) fn gap_line(from: Seq, to: Seq, tools: ToolMode) -> String {
    let call = messages_named(tools, from, to).map(|call| format!(": {call}")).unwrap_or_default();
    format!("[Messages {from} to {to} are left out here for want of room{call}]")
}

const PINS_HEAD: &str = "Constraints that hold for the whole session, word for word:";
const RECAP_HEAD: &str = "[Recap by the context service, for reference: where the work stands. It is not a new request: \
what to answer is the last message before it.]";

/// The text that carries the pins.
pub fn pins_text<S: AsRef<str>>(pins: &[S]) -> String {
    let mut text = PINS_HEAD.to_owned();
    for pin in pins {
        text.push_str("\n- ");
        text.push_str(pin.as_ref());
    }
    text
}

pub(super) fn recap_text(recap: &str) -> String {
    format!("{RECAP_HEAD}\n\n{recap}")
}
