//! A conversation that an agent pasted as text: how far it goes.
//!
//! An agent that pastes only the older part keeps the rest, and sends it again behind the summary. So the summary must stand
//! for exactly what was pasted: the stored message whose words stand last in the text is the last of it.

use serde_json::Value;

use crate::api::{Api, Problem};
use crate::mark::Position;
use crate::request::content_texts;

/// How many of the newest messages are looked at.
const LOOKED_AT: i64 = 200;
/// The fewest and the most characters of a message that tell it from others.
const FEWEST: usize = 16;
const MOST: usize = 160;

/// Ends the conversation in an instruction.
const END: &str = "</conversation>";

/// The place of the last message that was pasted.
pub(crate) async fn through(api: &Api, session: &str, pasted: &str) -> Result<Position, Problem> {
    let newest = api.newest(session).await?;
    let from = (newest.seq - LOOKED_AT).max(0) + 1;
    let page = api.messages((session, &newest.branch), (from, LOOKED_AT)).await?;
    let pasted = pasted.rsplit_once(END).map_or(pasted, |(conversation, _)| conversation);
    let mut last: Option<(i64, (usize, bool))> = None;
    let mut before = None;
    for stored in &page.items {
        let message = serde_json::from_str(stored.message.get()).map_err(|_| Problem::unreadable())?;
        let place = place_in(&message, pasted);
        // Words that were said more than once are those that stand behind what they were said after.
        let follows = before.zip(place).is_some_and(|(before, place)| before < place);
        if let Some(place) = place
            && last.is_none_or(|(_, known)| (place, follows) > known)
        {
            last = Some((stored.seq, (place, follows)));
        }
        before = place;
    }
    // A text that has none of them is another conversation.
    let (seq, _) = last.ok_or_else(|| Problem { status: 404, kind: "other-conversation".to_owned() })?;
    Ok(Position { seq, ..newest })
}

/// Where the words of a message stand in a text, the last time.
fn place_in(message: &Value, pasted: &str) -> Option<usize> {
    let said =
        content_texts(message.get("content").map(Value::to_string).unwrap_or_default().as_bytes()).join("\n");
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    // However the agent writes them, the arguments are the same JSON.
    let arguments = calls.filter_map(|call| {
        let text = call.pointer("/function/arguments")?.as_str()?;
        Some(serde_json::from_str::<Value>(text).map_or_else(|_| text.to_owned(), |value| value.to_string()))
    });
    let places = std::iter::once(said).chain(arguments).filter_map(|words| {
        let words: String = words.trim().chars().take(MOST).collect();
        if words.chars().count() < FEWEST { None } else { pasted.rfind(words.trim_end()) }
    });
    places.max()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_found_by_its_words_or_its_arguments() {
        let pasted =
            "[User]: please write the parser\n\n[Assistant tool call]: bash({\"command\":\"ls -la src\"})";
        assert!(place_in(&json!({"role": "user", "content": "please write the parser"}), pasted).is_some());
        let call = json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "1", "function": {"name": "bash", "arguments": "{\"command\": \"ls -la src\"}"}}]});
        assert!(place_in(&call, pasted).is_some());
        assert!(place_in(&json!({"role": "tool", "content": "please write the lexer"}), pasted).is_none());
        assert!(place_in(&json!({"role": "tool", "content": "ls"}), pasted).is_none(), "too short to tell");
    }
}
