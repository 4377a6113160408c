//! Answers of chat completions.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::{CUT_OFF, Collect};

/// The end of a stream.
const DONE: &str = "[DONE]";

/// A message that comes in pieces; of several choices the first.
#[derive(Debug, Default)]
pub(super) struct Message {
    content: String,
    reasoning: String,
    refusal: String,
    calls: Vec<Call>,
    is_finished: bool,
}

#[derive(Debug, Default)]
struct Call {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u64,
    #[serde(default)]
    delta: Delta,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<String>,
    reasoning_content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: u64,
    id: Option<String>,
    function: Option<FunctionDelta>,
}

#[derive(Deserialize)]
struct FunctionDelta {
    name: Option<String>,
    arguments: Option<String>,
}

impl Collect for Message {
    fn take(&mut self, data: &str) -> bool {
        if data.trim() == DONE {
            return true;
        }
        let Ok(chunk) = serde_json::from_str::<Chunk>(data) else { return false };
        for choice in chunk.choices.into_iter().filter(|choice| choice.index == 0) {
            self.content.push_str(&choice.delta.content.unwrap_or_default());
            self.reasoning.push_str(&choice.delta.reasoning_content.unwrap_or_default());
            self.refusal.push_str(&choice.delta.refusal.unwrap_or_default());
            for call in choice.delta.tool_calls.unwrap_or_default() {
                self.add(call);
            }
            self.is_finished |= choice.finish_reason.is_some();
        }
        // Some servers end without a last word.
        self.is_finished
    }

    fn messages(self: Box<Self>, is_whole: bool) -> Vec<String> {
        let mut content = self.content;
        // Arguments that are not whole are no call.
        let calls: Vec<Value> =
            if is_whole { self.calls.iter().map(Call::to_json).collect() } else { Vec::new() };
        if content.is_empty() && calls.is_empty() && self.refusal.is_empty() {
            return Vec::new();
        }
        if !is_whole {
            content.push_str(if content.is_empty() { "" } else { "\n" });
            content.push_str(CUT_OFF);
        }
        let content = Some(content).filter(|content| !content.is_empty());
        let mut message = Map::from_iter([
            ("role".to_owned(), "assistant".into()),
            ("content".to_owned(), content.map_or(Value::Null, Value::from)),
        ]);
        let more = [("reasoning_content", self.reasoning), ("refusal", self.refusal)];
        let more = more.into_iter().filter(|(_, text)| !text.is_empty());
        message.extend(more.map(|(name, text)| (name.to_owned(), text.into())));
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), calls.into());
        }
        vec![Value::Object(message).to_string()]
    }
}

impl Message {
    fn add(&mut self, delta: CallDelta) {
        let place = self.calls.iter().position(|call| call.index == delta.index).unwrap_or_else(|| {
            self.calls.push(Call { index: delta.index, ..Call::default() });
            self.calls.len() - 1
        });
        let Some(call) = self.calls.get_mut(place) else { return };
        if let Some(id) = delta.id.filter(|id| !id.is_empty()) {
            call.id = id;
        }
        if let Some(function) = delta.function {
            call.name.push_str(&function.name.unwrap_or_default());
            call.arguments.push_str(&function.arguments.unwrap_or_default());
        }
    }
}

impl Call {
    fn to_json(&self) -> Value {
        json!({"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}})
    }
}

/// The message of an answer that came at once.
pub(super) fn whole(body: &[u8]) -> Vec<String> {
    #[derive(Deserialize)]
    struct Reply<'a> {
        #[serde(borrow)]
        choices: Vec<Chosen<'a>>,
    }
    #[derive(Deserialize)]
    struct Chosen<'a> {
        #[serde(borrow)]
        message: &'a RawValue,
    }
    let reply = serde_json::from_slice::<Reply<'_>>(body).ok();
    reply
        .and_then(|reply| reply.choices.first().map(|chosen| chosen.message.get().to_owned()))
        .into_iter()
        .collect()
}
