//! The wire format of Anthropic's messages API. The request forces a call of one tool whose input schema is the
//! schema of the answer, because this format has no other place for a schema.

use reqwest::RequestBuilder;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};

use super::call::{Call, Response, Usage};
use super::error::LlmError;

pub(super) const BASE_URL: &str = "https://api.anthropic.com";
pub(super) const PATH: &str = "/v1/messages";
const VERSION: &str = "2023-06-01";
const TOOL: &str = "record";

pub(super) fn headers(request: RequestBuilder, key: Option<&str>) -> RequestBuilder {
    let request = request.header("anthropic-version", VERSION);
    // The configuration has rejected keys that are not valid header values.
    match key.and_then(|key| HeaderValue::from_str(key).ok()) {
        Some(mut key) => {
            key.set_sensitive(true);
            request.header("x-api-key", key)
        }
        None => request,
    }
}

pub(super) fn body(call: &Call) -> Value {
    json!({
        "model": call.model,
        "max_tokens": call.max_output_tokens,
        "system": [block(&call.system, true)],
        "messages": [{"role": "user", "content": data(call)}],
        "tools": [{
            "name": TOOL,
            "description": "Takes the answer.",
            "input_schema": call.schema,
        }],
        "tool_choice": {"type": "tool", "name": TOOL},
    })
}

/// The data in blocks, those marked for the server's cache at which a later call may part from this one: the last one that
/// later calls may begin with (the same question asked again), the one before it, and one at about half, which stays where it
/// is while blocks are added. With the instructions these are four marks, as many as the server takes. It looks for what
/// earlier calls marked at the ends of up to twenty blocks before a mark.
fn data(call: &Call) -> Vec<Value> {
    let parts: Vec<usize> =
        call.parts.iter().copied().filter(|end| call.user.is_char_boundary(*end)).collect();
    let half = (parts.len() / 2).checked_ilog2().map_or(0, |log| 1 << log);
    let mut blocks = Vec::with_capacity(parts.len() + 1);
    let mut from = 0;
    for (number, end) in (1..).zip(&parts) {
        let is_marked = number == half || number + 1 >= parts.len();
        blocks.extend(
            call.user.get(from..*end).filter(|text| !text.is_empty()).map(|text| block(text, is_marked)),
        );
        from = *end;
    }
    blocks.extend(call.user.get(from..).filter(|text| !text.is_empty()).map(|text| block(text, false)));
    blocks
}

fn block(text: &str, is_marked: bool) -> Value {
    let mut block = json!({"type": "text", "text": text});
    if let Some(fields) = block.as_object_mut().filter(|_| is_marked) {
        fields.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
    block
}

pub(super) fn parse(value: &Value) -> Response {
    let count = |name: &str| value.pointer(name).and_then(Value::as_u64).unwrap_or_default();
    let cached = count("/usage/cache_read_input_tokens");
    let usage = Usage {
        input_tokens: count("/usage/input_tokens") + cached + count("/usage/cache_creation_input_tokens"),
        cached_tokens: cached,
        output_tokens: count("/usage/output_tokens"),
    };
    let stopped = value.get("stop_reason").and_then(Value::as_str);
    let result = match value.get("content").and_then(Value::as_array) {
        _ if stopped == Some("refusal") => Err(LlmError::Refused),
        _ if stopped == Some("max_tokens") => Err(LlmError::Cut),
        Some(blocks) => {
            let input = blocks
                .iter()
                .find(|block| block["type"] == "tool_use")
                .map(|block| block["input"].to_string());
            let text =
                || blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str)).collect();
            Ok(input.unwrap_or_else(text))
        }
        None => Err(LlmError::Malformed),
    };
    Response { result, usage }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(parts: &[usize]) -> Call {
        Call {
            model: "m".to_owned(),
            system: "instructions".to_owned(),
            user: "aabbccddeeff".to_owned(),
            parts: parts.to_vec(),
            cache_key: Some("k".to_owned()),
            schema: json!({"type": "object"}),
            max_output_tokens: 9,
            input_tokens: 9,
        }
    }

    /// The texts of the data, those that are marked with a star.
    fn blocks(parts: &[usize]) -> Vec<String> {
        let body = body(&call(parts));
        let blocks = body["messages"][0]["content"].as_array().expect("blocks").clone();
        let told = |block: &Value| {
            let star = if block["cache_control"]["type"] == "ephemeral" { "*" } else { "" };
            format!("{}{star}", block["text"].as_str().expect("a text"))
        };
        blocks.iter().map(told).collect()
    }

    #[test]
    fn instructions_and_record_are_marked_for_the_cache_and_the_span_is_not() {
        assert_eq!(body(&call(&[]))["system"][0]["cache_control"], json!({"type": "ephemeral"}));
        assert_eq!(blocks(&[]), ["aabbccddeeff"]);
        assert_eq!(blocks(&[4]), ["aabb*", "ccddeeff"]);
        assert_eq!(blocks(&[2, 4]), ["aa*", "bb*", "ccddeeff"]);
        assert_eq!(blocks(&[2, 4, 6, 8, 10]), ["aa", "bb*", "cc", "dd*", "ee*", "ff"]);
        assert!(body(&call(&[4])).get("prompt_cache_key").is_none());
    }

    #[test]
    fn cached_tokens_are_counted_apart_and_with_the_others() {
        let usage = json!({"input_tokens": 10, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20, "output_tokens": 5});
        let told = parse(&json!({"content": [{"type": "text", "text": "a"}], "usage": usage})).usage;
        assert_eq!(told, Usage { input_tokens: 100, cached_tokens: 70, output_tokens: 5 });
    }
}
