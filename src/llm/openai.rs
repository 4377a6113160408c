//! Chat completions, as OpenAI and many other servers speak them.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::LlmError;
use super::client::{Answer, Call, Usage};
use super::dialect::Dialect;

pub(super) const BASE_URL: &str = "https://api.openai.com/v1";
pub(super) const PATH: &str = "/chat/completions";

pub(super) fn headers(request: RequestBuilder, key: Option<&str>) -> RequestBuilder {
    match key {
        // Marked as sensitive by the client, so that its own logs leave it out.
        Some(key) => request.bearer_auth(key),
        None => request,
    }
}

pub(super) fn body(call: &Call, dialect: Dialect) -> Value {
    let mut body = json!({
        "model": call.model,
        "messages": [
            {"role": "system", "content": call.system},
            {"role": "user", "content": call.user},
        ],
    });
    let bound = if dialect.newer_bound { "max_completion_tokens" } else { "max_tokens" };
    if let Some(fields) = body.as_object_mut() {
        fields.insert(bound.to_owned(), call.max_output_tokens.into());
        if !dialect.plain {
            let schema = json!({"name": "record", "strict": true, "schema": call.schema});
            fields
                .insert("response_format".to_owned(), json!({"type": "json_schema", "json_schema": schema}));
        }
    }
    body
}

pub(super) fn read(value: &Value) -> Answer {
    let count = |name: &str| value.pointer(name).and_then(Value::as_u64).unwrap_or_default();
    let usage = Usage {
        input_tokens: count("/usage/prompt_tokens"),
        cached_tokens: count("/usage/prompt_tokens_details/cached_tokens"),
        output_tokens: count("/usage/completion_tokens"),
    };
    let message = value.pointer("/choices/0/message");
    let finish = value.pointer("/choices/0/finish_reason").and_then(Value::as_str);
    let refused = message.and_then(|m| m.get("refusal")).is_some_and(|refusal| !refusal.is_null());
    let content = message.and_then(|m| m.get("content"));
    let result = match content {
        _ if refused || finish == Some("content_filter") => Err(LlmError::Refused),
        _ if finish == Some("length") => Err(LlmError::Cut),
        Some(Value::String(text)) => Ok(text.clone()),
        // Some servers answer in parts.
        Some(Value::Array(parts)) => {
            Ok(parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect())
        }
        _ => Err(LlmError::Malformed),
    };
    Answer { result, usage }
}
