//! Counts the tokens of messages without storing them.

use axum::extract::State;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use crate::admission::heavy::go_on;
use crate::api::batch::refused_under;
use crate::api::message::Message;
use crate::api::prelude::*;
use anchord_messages::format::Format;
use anchord_messages::format::detect::detect;
use anchord_messages::shape::Measured;
use anchord_messages::tokens::{TokenCounter, Tokenizer};

/// Messages or a text to count.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TokenCountRequest)]
pub struct TokensRequest {
    /// The messages to count, as their format writes them.
    #[schema(value_type = Option<Vec<Message>>, max_items = 1000)]
    pub messages: Option<Vec<Box<RawValue>>>,
    /// The text to count.
    pub text: Option<String>,
    /// How to count. Default `o200k_base`.
    #[serde(default)]
    pub tokenizer: Tokenizer,
    /// The conversation format of the messages. Without it they are recognised by their shapes, and `openai-chat` when
    /// these show none.
    #[schema(required = false, value_type = Format)]
    pub format: Option<Format>,
}

/// Token counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TokenCount)]
pub struct Tokens {
    /// All tokens.
    pub tokens: u64,
    /// The conversation format that the messages were counted in; absent for a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Format)]
    pub format: Option<Format>,
    /// The tokens of each message, in order; absent for a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_message: Option<Vec<u32>>,
}

/// Counts the tokens of messages or of a text, as sessions count them.
#[utoipa::path(
    post, path = "/v1/tokens", tag = "stateless", operation_id = "stateless.count_tokens",
    request_body = TokensRequest,
    responses((status = 200, body = Tokens, description = "The counts."))
)]
pub async fn count_tokens(
    Writer { caller, .. }: Writer,
    _: IdempotencyKey,
    State(state): State<AppState>,
    body: JsonBytes,
) -> Result<Reply<Tokens>> {
    let limit = state.limits.batch_messages;
    caller.compute(move |abandoned| count(&body, limit, abandoned)).await.map(Reply)
}

fn count(body: &JsonBytes, limit: usize, abandoned: &CancellationToken) -> Result<Tokens> {
    let request: TokensRequest = body.parse_strictly()?;
    let counter = TokenCounter::new(request.tokenizer);
    match (request.messages, request.text) {
        (Some(messages), None) => {
            if messages.len() > limit {
                return Err(ApiError::TooLarge { what: "the batch".to_owned(), limit, unit: "messages" });
            }
            let format = detect(request.format, messages.iter().map(|raw| raw.get()))
                .map_err(|refused| refused_under("/messages", refused))?
                .resolve(None);
            let mut counts = Vec::with_capacity(messages.len());
            for (index, raw) in messages.iter().enumerate() {
                go_on(abandoned)?;
                let read = Measured::read(format, raw.get(), &counter)
                    .map_err(|refused| refused_under(&format!("/messages/{index}"), refused))?;
                counts.push(read.tokens);
            }
            let tokens = counts.iter().map(|count| u64::from(*count)).sum();
            Ok(Tokens { tokens, format: Some(format), per_message: Some(counts) })
        }
        (None, Some(text)) => {
            Ok(Tokens { tokens: u64::from(counter.count_text(&text)), format: None, per_message: None })
        }
        _ => Err(ApiError::invalid("", "send either messages or text")),
    }
}
