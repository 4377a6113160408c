//! The request and the reply of a compression without a session.

use std::collections::BTreeSet;

use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use crate::admission::heavy::go_on;
use crate::api::batch::refused_under;
use crate::api::message::Message;
use crate::api::prelude::*;
use anchord_context::context::Omitted;
use anchord_messages::format::Format;
use anchord_messages::format::detect::Detector;
use anchord_messages::tokens::{TokenCounter, Tokenizer};
use anchord_record::strategy::{self, EngineChoice, Strategy};
use anchord_record::version::Version;
use anchord_session::session::MAX_KEPT;
use anchord_session::settings::MAX_CONTEXT_WINDOW;
use anchord_session::stateless::{Compressed, Conversation};

/// Messages to compress.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompressRequest {
    /// The messages, as their format writes them.
    #[schema(value_type = Vec<Message>, min_items = 1)]
    pub messages: Vec<Box<RawValue>>,
    /// The conversation format of the messages, and of what comes back. Without it they are recognised by their shapes,
    /// and `openai-chat` when these show none.
    #[schema(required = false, value_type = Format)]
    pub format: Option<Format>,
    /// The most tokens of what comes back, the system prompt included; no bound without it.
    #[schema(minimum = 1, maximum = 10_000_000)]
    pub target_tokens: Option<u32>,
    /// Messages that come back in full although the summary covers them, by their places from 0. With `target_tokens` they may
    /// take a tenth of it.
    #[serde(default)]
    #[schema(max_items = 200)]
    pub keep: Vec<u32>,
    /// How the summary is made. Default `anchored`; `rollback` is refused.
    #[serde(default, deserialize_with = "strategy::asked")]
    pub strategy: Strategy,
    /// `auto` and `extractive` are code alone, within the request; `llm` is queued and has a model word the
    /// summary, with code in its place when it fails.
    #[serde(default)]
    pub engine: EngineChoice,
    /// The model that writes the summary, with `engine` `llm`. Without effect for other engines.
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\u0000]*$")]
    pub summary_model: Option<String>,
    /// How to count. Default `o200k_base`.
    #[serde(default)]
    pub tokenizer: Tokenizer,
}

impl CompressRequest {
    /// The positions of the messages to keep.
    pub(super) fn kept(&self) -> BTreeSet<Seq> {
        self.keep.iter().map(|place| Seq::from(*place) + 1).collect()
    }
}

/// Compressed messages.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompressedMessages {
    /// The conversation format of `messages`.
    pub format: Format,
    /// The system prompt, where the format keeps it apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub system: Option<String>,
    /// The messages to send to the model: system prompt, summary and the newest ones.
    #[schema(value_type = Vec<Message>)]
    pub messages: Vec<Box<RawValue>>,
    /// The summary's record, with positions that count `messages` of the request from 1; null when there
    /// was nothing to compress, or no summary was smaller or held (`warnings` say why).
    #[schema(required = true)]
    pub summary: Option<Version>,
    /// The summary's text, as `messages` show it.
    #[schema(required = true)]
    pub rendering: Option<String>,
    /// Tokens of the messages that came in.
    pub tokens_before: u32,
    /// Tokens of what comes back.
    pub tokens_after: u32,
    /// The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one.
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    #[schema(required = true)]
    pub reduction: Option<f64>,
    /// The share of the probes that passed, from 0 to 1; null without probes.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub probe_score: Option<f64>,
    /// The same of the probes that ask for facts which code found.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub facts_score: Option<f64>,
    /// Probes that were judged.
    pub probes_asked: u32,
    /// Probes that failed.
    pub probes_failed: u32,
    /// Critical probes that failed.
    pub critical_failed: u32,
    /// The strategy that made the summary, which may be a fallback.
    pub strategy: Strategy,
    /// Calls that wait for their results, by their ids in `messages`.
    pub pending_tool_calls: Vec<String>,
    /// Messages that are neither shown in full nor covered by the summary.
    pub omitted: Vec<Omitted>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// Parses the request, and its messages into a conversation.
pub(super) fn read(
    state: &AppState,
    body: &JsonBytes,
    abandoned: &CancellationToken,
) -> Result<(CompressRequest, Conversation)> {
    let request: CompressRequest = body.parse_strictly()?;
    check(state, &request)?;
    let mut detector = Detector::new(request.format);
    let limit = state.limits.message_bytes;
    for (index, raw) in request.messages.iter().enumerate() {
        go_on(abandoned)?;
        if raw.get().len() > limit {
            return Err(ApiError::TooLarge { what: format!("message {index}"), limit, unit: "bytes" });
        }
        detector.look(index, raw.get()).map_err(|refused| refused_under("/messages", refused))?;
    }
    let format = detector.finish().resolve(None);
    let mut conversation = Conversation::new(format, TokenCounter::new(request.tokenizer));
    for (index, raw) in request.messages.iter().enumerate() {
        go_on(abandoned)?;
        conversation
            .push(raw.get().to_owned())
            .map_err(|refused| refused_under(&format!("/messages/{index}"), refused))?;
    }
    conversation.keep(request.kept(), request.target_tokens).map_err(|(tokens, most)| {
        let detail = format!("the kept messages take {tokens} tokens; a tenth of target_tokens is {most}");
        ApiError::refused("/keep", detail)
    })?;
    go_on(abandoned)?;
    Ok((request, conversation))
}

fn check(state: &AppState, request: &CompressRequest) -> Result<()> {
    if request.messages.is_empty() {
        return Err(ApiError::invalid("/messages", "must have at least one message"));
    }
    let last = request.messages.len() - 1;
    if let Some(place) = request.keep.iter().position(|place| *place as usize > last) {
        return Err(ApiError::invalid(format!("/keep/{place}"), format!("must be from 0 to {last}")));
    }
    if request.keep.len() > MAX_KEPT {
        return Err(ApiError::invalid("/keep", format!("must hold at most {MAX_KEPT} places")));
    }
    if request.target_tokens.is_some_and(|most| !(1..=MAX_CONTEXT_WINDOW).contains(&most)) {
        let detail = format!("must be from 1 to {MAX_CONTEXT_WINDOW}");
        return Err(ApiError::invalid("/target_tokens", detail));
    }
    let model = request.summary_model.as_deref();
    if model.is_some_and(|model| model.is_empty() || model.chars().count() > 200 || model.contains('\0')) {
        return Err(ApiError::invalid("/summary_model", "must have 1 to 200 characters and no NUL"));
    }
    if request.engine == EngineChoice::Llm {
        state.check_engine(Some(EngineChoice::Llm), model)?;
    }
    Ok(())
}

/// The reply for a compressed conversation.
///
/// # Errors
/// When a message is not JSON.
pub fn view((format, strategy): (Format, Strategy), made: Compressed) -> Result<CompressedMessages> {
    let messages = made.messages.into_iter().map(RawValue::from_string).collect::<Result<_, _>>();
    let omitted = made.omitted.into_iter().filter_map(|(from_seq, to_seq, reason)| {
        Some(Omitted { from_seq, to_seq, reason: reason.parse().ok()? })
    });
    let reduction =
        (made.tokens_before > 0).then(|| 1.0 - f64::from(made.tokens_after) / f64::from(made.tokens_before));
    Ok(CompressedMessages {
        format,
        system: made.system,
        messages: messages.map_err(ApiError::internal)?,
        rendering: made.rendering,
        tokens_before: made.tokens_before,
        tokens_after: made.tokens_after,
        reduction,
        probe_score: made.probes.score,
        facts_score: made.probes.facts_score,
        probes_asked: made.probes.asked,
        probes_failed: made.probes.failed,
        critical_failed: made.probes.critical_failed,
        strategy: made.summary.as_ref().map_or(strategy, |(meta, _)| meta.strategy),
        summary: made.summary.map(|(meta, summary)| Version::new(meta, summary)),
        pending_tool_calls: made.pending_tool_calls,
        omitted: omitted.collect(),
        warnings: made.warnings,
    })
}
