//! Replies of our own in the shapes of the providers: answers, streamed or at once, and errors.

#![expect(clippy::indexing_slicing, reason = "fields of objects that are made here")]

use std::fmt::Write as _;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::request::{Asked, Endpoint, Message};
use crate::route::Provider;
use anchord_messages::tokens::TokenCounter;

/// The header of a problem's kind.
pub(crate) const PROBLEM: HeaderName = HeaderName::from_static("x-anchord-problem");

/// What an answer holds.
#[derive(Debug)]
pub(crate) enum Content {
    Text(String),
    /// An opaque item that stands for a summary.
    Item(String),
}

impl Content {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Item(text) => text,
        }
    }
}

/// An answer as the provider would send it. `read` is how many bytes were read for it.
pub(crate) fn answer(asked: &Asked, content: &Content, read: usize) -> Response {
    let input = u32::try_from(read / 4).unwrap_or(u32::MAX);
    let output = TokenCounter::default().count_text(content.text());
    let made = Made { model: asked.model.as_deref().unwrap_or_default(), content, tokens: (input, output) };
    let (whole, events) = match asked.endpoint {
        Endpoint::Messages => made.anthropic(),
        Endpoint::ChatCompletions => made.chat(),
        Endpoint::Responses => made.responses(),
    };
    let (kind, body) = if asked.is_streamed {
        let mut body = String::new();
        for event in events {
            // Chat completions have events without a name.
            if let Some(name) = event.get("type").and_then(Value::as_str) {
                let _ = writeln!(body, "event: {name}");
            }
            let _ = write!(body, "data: {event}\n\n");
        }
        if asked.endpoint == Endpoint::ChatCompletions {
            body.push_str("data: [DONE]\n\n");
        }
        ("text/event-stream; charset=utf-8", body)
    } else {
        ("application/json", whole.to_string())
    };
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// A list of items that was compacted: what people said in it, and the opaque item. `read` is how many bytes were read for it.
pub(crate) fn compacted(asked: &Asked, item: &str, (read, at): (usize, i64)) -> Response {
    let said = |raw: &Bytes| {
        let message = Message::read(raw).filter(|message| message.is_of("user"))?;
        let content: Value = serde_json::from_str(message.content?.get()).ok()?;
        let content = match content.as_str() {
            Some(text) => json!([{"type": "input_text", "text": text}]),
            None => content,
        };
        Some(json!({"type": "message", "role": "user", "content": content}))
    };
    let mut output: Vec<Value> = asked.list.iter().filter_map(said).collect();
    output.push(json!({"type": "compaction", "id": Made::id("cmp_"), "encrypted_content": item}));
    let input = u32::try_from(read / 4).unwrap_or(u32::MAX);
    let usage = usage_of_responses((input, TokenCounter::default().count_text(item)));
    let body = json!({
        "id": Made::id("resp_"), "object": "response.compaction", "created_at": at, "output": output, "usage": usage,
    });
    let mut response = Response::new(Body::from(body.to_string()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn usage_of_responses((input, output): (u32, u32)) -> Value {
    json!({
        "input_tokens": input, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": input.saturating_add(output),
    })
}

struct Made<'a> {
    model: &'a str,
    content: &'a Content,
    tokens: (u32, u32),
}

/// An answer at once, and as events.
type Both = (Value, Vec<Value>);

impl Made<'_> {
    fn id(prefix: &str) -> String {
        format!("{prefix}{}", Uuid::now_v7().simple())
    }

    fn anthropic(&self) -> Both {
        let (input, output) = self.tokens;
        let text = self.content.text();
        let mut message = json!({
            "id": Self::id("msg_"), "type": "message", "role": "assistant", "model": self.model, "content": [],
            "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1},
        });
        let events = vec![
            json!({"type": "message_start", "message": message}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": {"output_tokens": output}}),
            json!({"type": "message_stop"}),
        ];
        message["content"] = json!([{"type": "text", "text": text}]);
        message["stop_reason"] = "end_turn".into();
        message["usage"]["output_tokens"] = output.into();
        (message, events)
    }

    fn chat(&self) -> Both {
        let (input, output) = self.tokens;
        let text = self.content.text();
        let usage =
            json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output});
        let id = Self::id("chatcmpl-");
        let chunk = |delta: Value, finish: Option<&str>| {
            json!({"id": id, "object": "chat.completion.chunk", "created": 0, "model": self.model,
                   "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
        };
        let mut last = chunk(json!({}), Some("stop"));
        last["usage"] = usage.clone();
        let events = vec![chunk(json!({"role": "assistant", "content": text}), None), last];
        let whole = json!({
            "id": id, "object": "chat.completion", "created": 0, "model": self.model,
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": usage,
        });
        (whole, events)
    }

    fn responses(&self) -> Both {
        let item = match self.content {
            Content::Text(text) => json!({
                "type": "message", "id": Self::id("msg_"), "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
            }),
            Content::Item(text) => {
                json!({"type": "compaction", "id": Self::id("cmp_"), "encrypted_content": text})
            }
        };
        let mut response = json!({
            "id": Self::id("resp_"), "object": "response", "created_at": 0, "model": self.model,
            "status": "in_progress", "output": [],
        });
        let mut events = vec![
            json!({"type": "response.created", "response": response}),
            json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        ];
        if let Content::Text(text) = self.content {
            let id = &item["id"];
            events.push(json!({"type": "response.output_text.delta", "item_id": id, "output_index": 0, "content_index": 0, "delta": text}));
            events.push(json!({"type": "response.output_text.done", "item_id": id, "output_index": 0, "content_index": 0, "text": text}));
        }
        events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
        response["status"] = "completed".into();
        response["output"] = json!([item]);
        response["usage"] = usage_of_responses(self.tokens);
        events.push(json!({"type": "response.completed", "response": response}));
        (response, events)
    }
}

/// An error of the gateway's own, in the provider's shape.
pub(crate) fn refuse(provider: Provider, status: StatusCode, kind: &'static str, detail: &str) -> Response {
    let detail = format!("anchord: {detail}");
    let code = match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::NOT_FOUND => "not_found_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_server_error() => "api_error",
        _ => "invalid_request_error",
    };
    let body = match provider {
        Provider::Anthropic => json!({"type": "error", "error": {"type": code, "message": detail}}),
        Provider::Openai => json!({"error": {"message": detail, "type": code, "code": kind, "param": null}}),
    };
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(PROBLEM, HeaderValue::from_static(kind));
    response
}
