//! Compresses messages without a session: by code within the request, or by a model through the queue (`queued`);
//! `request` has the types of the API.

pub mod queued;
pub mod request;

use tokio_util::sync::CancellationToken;

use crate::api::prelude::*;
use crate::extract::prefer::Wait;
use anchord_record::render::DEFAULT_BOUND_TOKENS;
use anchord_record::strategy::EngineChoice;
use anchord_session::stateless::{CompressOptions, compress};
use request::{CompressRequest, CompressedMessages, read, view};

/// Compresses messages.
///
/// Code reads them as it reads a session, within the request, and stores nothing. With `engine` `llm` the call is
/// queued like any compression: `Prefer: wait` waits for it, and `GET /v1/compress/{compression_id}` reads it for
/// a day. The reply is valid in the format of the messages and at most as large as `target_tokens`.
#[utoipa::path(
    post, path = "/v1/compress", tag = "stateless", operation_id = "stateless.compress", params(Wait),
    request_body = CompressRequest,
    responses(
        (status = 200, body = CompressedMessages, description = "What to send instead.",
         headers(("Preference-Applied" = String, description = "The wait that was honoured."))),
        (status = 202, body = queued::PendingCompression, description = "With `engine` `llm`: it waits or runs; read it at `Location`.",
         headers(("Location" = String, description = "Where it is."),
                 ("Preference-Applied" = String, description = "The wait that was honoured."))),
        (status = 422, body = Problem, content_type = "application/problem+json",
         description = "Understood, and cannot be taken; or system prompt and newest message do not fit `target_tokens` (`/problems/budget-too-small`, with `min_tokens`).")
    )
)]
pub async fn compress_messages(
    Writer { caller, state }: Writer,
    (key, wait): (IdempotencyKey, Wait),
    body: JsonBytes,
) -> Result<Response> {
    let (reading, text) = (state.clone(), JsonBytes(body.0.clone()));
    match caller.compute(move |abandoned| compress_by_code(&reading, &text, abandoned)).await? {
        Some(compressed) => Ok(Reply(compressed).into_response()),
        None => queued::create(state, caller, (key, wait), body).await,
    }
}

/// Compresses by code; `None` when the request asks for a model.
fn compress_by_code(
    state: &AppState,
    body: &JsonBytes,
    abandoned: &CancellationToken,
) -> Result<Option<CompressedMessages>> {
    let (request, conversation) = read(state, body, abandoned)?;
    if request.engine == EngineChoice::Llm {
        return Ok(None);
    }
    let wanted = CompressOptions {
        strategy: request.strategy,
        target_tokens: request.target_tokens,
        max_summary_tokens: DEFAULT_BOUND_TOKENS,
        now: state.clock.now(),
    };
    let compressed = compress(&conversation, wanted)
        .map_err(|refused| ApiError::BudgetTooSmall { min_tokens: refused.min_tokens })?;
    view((conversation.format(), request.strategy), compressed).map(Some)
}
