//! The wire format of chat completions, which OpenAI and many other servers use.

use reqwest::RequestBuilder;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};

use super::call::{Call, Response, Usage};
use super::dialect::Dialect;
use super::error::LlmError;

pub(super) const BASE_URL: &str = "https://api.openai.com/v1";
pub(super) const PATH: &str = "/chat/completions";

pub(super) fn headers(request: RequestBuilder, key: Option<&str>, as_api_key: bool) -> RequestBuilder {
    match key {
        Some(key) if as_api_key => match HeaderValue::from_str(key) {
            Ok(mut key) => {
                key.set_sensitive(true);
                request.header("api-key", key)
            }
            // The configuration has rejected keys that are not valid header values.
            Err(_) => request,
        },
        // reqwest marks the header as sensitive, so that its logs omit it.
        Some(key) => request.bearer_auth(key),
        None => request,
    }
}

/// The address of a call.
pub(super) fn address(base: &str, model: &str) -> String {
    address_of(base, model, PATH)
}

/// The address of a path. The base may contain a placeholder for the model (`…/deployments/{model}`) and a query.
pub(super) fn address_of(base: &str, model: &str, path: &str) -> String {
    let base = base.replace("{model}", model);
    match base.split_once('?') {
        Some((base, query)) => format!("{}{path}?{query}", base.trim_end_matches('/')),
        None => format!("{base}{path}"),
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
    let bound = if dialect.max_completion_tokens { "max_completion_tokens" } else { "max_tokens" };
    if let Some(fields) = body.as_object_mut() {
        fields.insert(bound.to_owned(), call.max_output_tokens.into());
        if let Some(key) = call.cache_key.as_ref().filter(|_| !dialect.without_cache_key) {
            fields.insert("prompt_cache_key".to_owned(), key.as_str().into());
        }
        if !dialect.without_schema {
            let schema = json!({"name": "record", "strict": true, "schema": call.schema});
            fields
                .insert("response_format".to_owned(), json!({"type": "json_schema", "json_schema": schema}));
        }
    }
    body
}

pub(super) fn parse(value: &Value) -> Response {
    let count = |name: &str| value.pointer(name).and_then(Value::as_u64).unwrap_or_default();
    let usage = Usage {
        input_tokens: count("/usage/prompt_tokens"),
        cached_tokens: count("/usage/prompt_tokens_details/cached_tokens"),
        output_tokens: count("/usage/completion_tokens"),
    };
    if let Some(error) = upstream_error(value) {
        return Response { result: Err(error), usage };
    }
    let message = value.pointer("/choices/0/message");
    let finish = value.pointer("/choices/0/finish_reason").and_then(Value::as_str);
    let refused = message.and_then(|m| m.get("refusal")).is_some_and(|refusal| !refusal.is_null());
    let content = message.and_then(|m| m.get("content"));
    let result = match content {
        // Gemini appends the name of the rule.
        _ if refused || finish.is_some_and(|finish| finish.starts_with("content_filter")) => {
            Err(LlmError::Refused)
        }
        // `model_length` is Mistral's name for the end of the context window.
        _ if matches!(finish, Some("length" | "model_length")) => Err(LlmError::Cut),
        Some(Value::String(text)) => Ok(text.clone()),
        // Some servers return the content in parts.
        Some(Value::Array(parts)) => {
            Ok(parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect())
        }
        _ => Err(LlmError::Malformed),
    };
    Response { result, usage }
}

/// An error of an upstream server that a gateway reports with status 200, in place of the answer or inside it.
fn upstream_error(value: &Value) -> Option<LlmError> {
    let choice = value.pointer("/choices/0");
    let error = value.get("error").or_else(|| choice?.get("error")).filter(|error| error.is_object())?;
    let code = error.get("code");
    let status = code.and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
    let status =
        status.and_then(|status| u16::try_from(status).ok()).filter(|status| (400..600).contains(status));
    Some(status.map_or(LlmError::Malformed, |status| LlmError::Status { status, retry_after: None }))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions")]
    #[case::azure(
        "https://x.openai.azure.com/openai/v1",
        "https://x.openai.azure.com/openai/v1/chat/completions"
    )]
    #[case::azure_with_a_query(
        "https://x.openai.azure.com/openai/v1/?api-version=preview",
        "https://x.openai.azure.com/openai/v1/chat/completions?api-version=preview"
    )]
    #[case::azure_s_deployments(
        "https://x.openai.azure.com/openai/deployments/{model}?api-version=2024-10-21",
        "https://x.openai.azure.com/openai/deployments/small/chat/completions?api-version=2024-10-21"
    )]
    #[case::gemini(
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions"
    )]
    fn the_address_is_built_from_the_base(#[case] base: &str, #[case] expected: &str) {
        assert_eq!(address(base, "small"), expected);
    }

    #[test]
    fn calls_of_a_session_share_a_cache_and_cached_tokens_are_counted_apart() {
        let call = Call {
            model: "m".to_owned(),
            system: "instructions".to_owned(),
            user: "data".to_owned(),
            parts: vec![2],
            cache_key: Some("k".to_owned()),
            schema: json!({}),
            max_output_tokens: 9,
            input_tokens: 9,
        };
        let told = body(&call, Dialect::default());
        assert_eq!(
            (&told["prompt_cache_key"], &told["messages"][1]["content"]),
            (&json!("k"), &json!("data"))
        );
        let without = Dialect { without_cache_key: true, ..Dialect::default() };
        assert!(body(&call, without).get("prompt_cache_key").is_none());
        let usage = json!({"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 64}});
        let told = parse(&json!({"choices": [], "usage": usage})).usage;
        assert_eq!(told, Usage { input_tokens: 100, cached_tokens: 64, output_tokens: 5 });
    }

    /// Responses as various servers send them.
    #[rstest]
    #[case::openai(json!({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}), Ok("a"))]
    #[case::openrouter(
        json!({"id": "gen-1", "provider": "x", "choices": [{"message": {"content": "a", "reasoning": null}, "finish_reason": "stop", "native_finish_reason": "stop"}]}),
        Ok("a")
    )]
    #[case::openrouter_passes_an_error_on(
        json!({"error": {"code": 429, "message": "Provider returned error", "metadata": {}}}),
        Err("status")
    )]
    #[case::openrouter_breaks_off(
        json!({"choices": [{"finish_reason": "error", "error": {"code": 502, "message": "upstream"}, "message": {"content": "a"}}]}),
        Err("status")
    )]
    #[case::mistral_at_the_end_of_the_window(
        json!({"choices": [{"message": {"content": "a"}, "finish_reason": "model_length"}]}),
        Err("cut")
    )]
    #[case::gemini_refuses(
        json!({"choices": [{"message": {"role": "assistant"}, "finish_reason": "content_filter: SAFETY"}]}),
        Err("refused")
    )]
    #[case::azure_filters(
        json!({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter", "content_filter_results": {}}]}),
        Err("refused")
    )]
    #[case::in_parts(
        json!({"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "finish_reason": "stop"}]}),
        Ok("ab")
    )]
    #[case::nothing(json!({"choices": []}), Err("malformed"))]
    fn answers_of_many_servers_are_read(#[case] value: Value, #[case] expected: Result<&str, &str>) {
        let result = parse(&value).result;
        assert_eq!(result.as_deref().map_err(<&str>::from), expected);
    }
}
