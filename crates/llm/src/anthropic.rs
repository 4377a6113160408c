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
        "system": call.system,
        "messages": [{"role": "user", "content": call.user}],
        "tools": [{
            "name": TOOL,
            "description": "Takes the answer.",
            "input_schema": call.schema,
        }],
        "tool_choice": {"type": "tool", "name": TOOL},
    })
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
