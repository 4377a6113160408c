//! A conversation that an agent pasted as text: how far it goes.
//!
//! An agent that pastes only the older part keeps the rest, and sends it again behind the summary. So the summary must stand
//! for exactly what was pasted: the newest stored message whose words are in the text is the last of it.

use serde::Deserialize;
use serde_json::Value;

use crate::api::{Api, Call, Problem};
use crate::keep::Position;
use crate::request::content_texts;

/// How many of the newest messages are looked at.
const LOOKED_AT: i64 = 200;
/// The fewest and the most characters of a message that tell it from others.
const FEWEST: usize = 16;
const MOST: usize = 160;

#[derive(Deserialize)]
struct Session {
    #[serde(default)]
    branch: Option<String>,
    head_seq: i64,
}

#[derive(Deserialize)]
struct Page {
    items: Vec<Stored>,
}

#[derive(Deserialize)]
struct Stored {
    seq: i64,
    message: Value,
}

/// The place of the last message that was pasted; the newest one when none is found in the text.
pub(crate) async fn through(api: &Api, session: &str, pasted: &str) -> Result<Position, Problem> {
    let Session { branch, head_seq } = api.read(Call::get(session.to_owned())).await?;
    let branch = branch.unwrap_or_else(|| "main".to_owned());
    let from = (head_seq - LOOKED_AT).max(0) + 1;
    let path = format!("{session}/messages?branch={branch}&from_seq={from}&limit={LOOKED_AT}");
    let page: Page = api.read(Call::get(path)).await?;
    let last = page.items.iter().rev().find(|stored| is_in(&stored.message, pasted));
    Ok(Position { branch, seq: last.map_or(head_seq, |stored| stored.seq) })
}

/// Whether the words of a message are in a text.
fn is_in(message: &Value, pasted: &str) -> bool {
    let said = content_texts(message["content"].to_string().as_bytes()).join("\n");
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    // However the agent writes them, the arguments are the same JSON.
    let arguments = calls.filter_map(|call| {
        let text = call["function"]["arguments"].as_str()?;
        Some(serde_json::from_str::<Value>(text).map_or_else(|_| text.to_owned(), |value| value.to_string()))
    });
    std::iter::once(said).chain(arguments).any(|words| {
        let words: String = words.trim().chars().take(MOST).collect();
        words.chars().count() >= FEWEST && pasted.contains(words.trim_end())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_found_by_its_words_or_its_arguments() {
        let pasted =
            "[User]: please write the parser\n\n[Assistant tool call]: bash({\"command\":\"ls -la src\"})";
        assert!(is_in(&json!({"role": "user", "content": "please write the parser"}), pasted));
        let call = json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "1", "function": {"name": "bash", "arguments": "{\"command\": \"ls -la src\"}"}}]});
        assert!(is_in(&call, pasted));
        assert!(!is_in(&json!({"role": "tool", "content": "please write the lexer"}), pasted));
        assert!(!is_in(&json!({"role": "tool", "content": "ls"}), pasted), "too short to tell");
    }
}
