//! Answers of the Responses API.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::{CUT_OFF, Collect};

/// Items, each of which comes whole at its end, and the text of one that has not ended.
#[derive(Debug, Default)]
pub(super) struct Items {
    done: Vec<String>,
    text: String,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    item: Option<&'a RawValue>,
    delta: Option<&'a RawValue>,
}

impl Collect for Items {
    fn take(&mut self, data: &str) -> bool {
        let Ok(event) = serde_json::from_str::<Event<'_>>(data) else { return false };
        match event.kind.as_str() {
            "response.output_item.done" => {
                self.done.extend(event.item.map(|item| item.get().to_owned()));
                self.text.clear();
            }
            "response.output_text.delta" => {
                let text = event.delta.and_then(|delta| serde_json::from_str::<String>(delta.get()).ok());
                self.text.push_str(&text.unwrap_or_default());
            }
            "response.completed" | "response.incomplete" => return true,
            _ => {}
        }
        false
    }

    fn messages(mut self: Box<Self>, is_whole: bool) -> Vec<String> {
        let has_any = !self.text.is_empty() || !self.done.is_empty();
        if !is_whole && has_any {
            let text = format!("{}\n{CUT_OFF}", self.text);
            let content = json!([{"type": "output_text", "text": text.trim_start()}]);
            self.done.push(json!({"type": "message", "role": "assistant", "content": content}).to_string());
        }
        self.done
    }
}

/// The items of an answer that came at once.
pub(super) fn whole(body: &[u8]) -> Vec<String> {
    #[derive(Deserialize)]
    struct Reply<'a> {
        #[serde(borrow)]
        output: Vec<&'a RawValue>,
    }
    let reply = serde_json::from_slice::<Reply<'_>>(body);
    reply.map(|reply| reply.output.iter().map(|item| item.get().to_owned()).collect()).unwrap_or_default()
}
