//! Answers of Anthropic's messages.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::{CUT_OFF, Collect};

/// A message that comes in blocks.
#[derive(Debug, Default)]
pub(super) struct Message {
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    index: u64,
    fields: Map<String, Value>,
    /// The input of a call, which comes as text and stays as it was written.
    input: String,
    is_whole: bool,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    index: u64,
    content_block: Option<Map<String, Value>>,
    delta: Option<Map<String, Value>>,
}

impl Collect for Message {
    fn take(&mut self, data: &str) -> bool {
        let Ok(event) = serde_json::from_str::<Event>(data) else { return false };
        match event.kind.as_str() {
            "content_block_start" => {
                let fields = event.content_block.unwrap_or_default();
                self.blocks.push(Block { index: event.index, fields, input: String::new(), is_whole: false });
            }
            "content_block_delta" => {
                let block = self.blocks.iter_mut().rev().find(|block| block.index == event.index);
                if let (Some(block), Some(delta)) = (block, event.delta) {
                    block.add(delta);
                }
            }
            "content_block_stop" => {
                let block = self.blocks.iter_mut().rev().find(|block| block.index == event.index);
                if let Some(block) = block {
                    block.is_whole = true;
                }
            }
            "message_stop" => return true,
            _ => {}
        }
        false
    }

    fn messages(self: Box<Self>, is_whole: bool) -> Vec<String> {
        // A call or a thought of which a part is missing is refused by every provider.
        let kept = self.blocks.into_iter().filter(|block| block.is_whole || block.is("text"));
        let mut blocks: Vec<String> = kept.map(Block::into_json).collect();
        if blocks.is_empty() {
            return Vec::new();
        }
        if !is_whole {
            blocks.push(json!({"type": "text", "text": CUT_OFF}).to_string());
        }
        vec![format!("{{\"role\":\"assistant\",\"content\":[{}]}}", blocks.join(","))]
    }
}

impl Block {
    fn is(&self, kind: &str) -> bool {
        self.fields.get("type").and_then(Value::as_str) == Some(kind)
    }

    fn add(&mut self, delta: Map<String, Value>) {
        for (name, value) in delta {
            match (name.as_str(), value) {
                ("partial_json", Value::String(text)) => self.input.push_str(&text),
                ("text" | "thinking" | "signature", Value::String(text)) => {
                    match self.fields.get_mut(&name) {
                        Some(Value::String(so_far)) => so_far.push_str(&text),
                        _ => drop(self.fields.insert(name, text.into())),
                    }
                }
                ("citation", citation) => match self.fields.get_mut("citations") {
                    Some(Value::Array(citations)) => citations.push(citation),
                    _ => drop(self.fields.insert("citations".to_owned(), json!([citation]))),
                },
                _ => {}
            }
        }
    }

    fn into_json(mut self) -> String {
        if self.input.is_empty() || serde_json::from_str::<&RawValue>(&self.input).is_err() {
            return Value::Object(self.fields).to_string();
        }
        self.fields.remove("input");
        let mut text = Value::Object(self.fields).to_string();
        text.pop();
        let comma = if text.len() > 1 { "," } else { "" };
        format!("{text}{comma}\"input\":{}}}", self.input)
    }
}

/// The message of an answer that came at once.
pub(super) fn whole(body: &[u8]) -> Vec<String> {
    #[derive(Deserialize)]
    struct Reply<'a> {
        #[serde(borrow)]
        content: &'a RawValue,
    }
    let reply = serde_json::from_slice::<Reply<'_>>(body);
    let message =
        reply.map(|reply| format!("{{\"role\":\"assistant\",\"content\":{}}}", reply.content.get()));
    message.into_iter().collect()
}
