//! Writes the reply's JSON straight into one buffer: stored messages are copied once and never parsed.

use std::fmt::Write as _;

use serde::Deserialize;
use utoipa::ToSchema;

use super::output::{Context, Reason, Source};
use anchord_messages::format::anthropic::{self, CacheTtl};
use anchord_messages::format::{Format, push_string};
use anchord_messages::id::Seq;
use anchord_messages::message::Part;

/// The assembled context, as a client reads it.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextReply {
    /// The session's name.
    pub session_id: String,
    /// The branch; absent when it is main.
    #[serde(default)]
    pub branch: Option<String>,
    /// The format of `messages`.
    pub format: Format,
    /// The version of the summary that is served; null without one.
    pub summary_version: Option<i64>,
    /// `full`, or `least` where the budget holds no more of it; absent without a summary.
    #[serde(default)]
    pub summary_form: Option<String>,
    /// The last message that the summary covers; 0 without one.
    pub anchor_seq: Seq,
    /// The session's last message.
    pub head_seq: Seq,
    /// The system prompt with the pins, for `anthropic` alone: a text, or a list of blocks when marks are asked for.
    #[serde(default)]
    pub system: Option<serde_json::Value>,
    /// The messages, ready to be sent to a provider. What needed no change is as it was stored.
    #[schema(value_type = Vec<Object>)]
    pub messages: Vec<serde_json::Value>,
    /// Parallel to `messages`: the messages that each came from; null for what the service wrote.
    pub sources: Vec<Option<Vec<Seq>>>,
    /// Tokens by component.
    pub tokens: TokensReply,
    /// The budget that the context keeps to.
    pub max_input_tokens: u32,
    /// Whether it keeps to it.
    pub within_budget: bool,
    /// The ids, as served, of calls that still wait for their results.
    pub pending_tool_calls: Vec<String>,
    /// Changes with pins and settings.
    pub context_revision: i64,
    /// Tool outputs that are served as placeholders.
    pub masked: Vec<MaskedReply>,
    /// What is not served, or not in full.
    pub omitted: Vec<OmittedReply>,
    /// The part that stays the same until the next version or revision.
    pub stable_prefix: StablePrefixReply,
}

/// Tokens of a context by component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokensReply {
    /// All of them.
    pub total: u32,
    /// System prompt, pins, and the messages that are kept beside the summary.
    pub system: u32,
    /// The summary.
    pub summary: u32,
    /// The digest of the messages that it covers.
    pub digest: u32,
    /// The agent's notes.
    pub notes: u32,
    /// Everything after them.
    pub tail: u32,
}

/// A tool output that is served as a placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MaskedReply {
    /// The message.
    pub seq: Seq,
    /// The reference under which the output can be fetched.
    #[serde(rename = "ref")]
    pub reference: String,
}

/// A run of messages that is not served, or not in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OmittedReply {
    /// The first.
    pub from_seq: Seq,
    /// The last.
    pub to_seq: Seq,
    /// Why.
    pub reason: Reason,
}

/// The part of a context that stays the same until the next version or revision.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StablePrefixReply {
    /// How many messages at the start are wholly in it.
    pub messages: u32,
    /// Its tokens.
    pub tokens: u32,
    /// SHA-256 in hex over the text of `system`, each of its messages' JSON text, the text of summary, digest and notes,
    /// each with a newline after it.
    pub sha256: String,
}

/// Bytes of the reply beside its messages, and of one entry of `sources`: estimates, so that the buffer
/// rarely grows.
const FRAME_BYTES: usize = 1_024;
const SOURCE_BYTES: usize = 12;

impl Context<'_> {
    /// The form in which the summary is served; `None` without one.
    fn summary_form(&self) -> Option<&'static str> {
        self.summary_version.map(|_| if self.is_summary_least { "least" } else { "full" })
    }

    /// The body of the reply to `GET …/context`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let bodies: usize = self.messages.iter().map(|m| m.len() + SOURCE_BYTES).sum();
        let mut out =
            String::with_capacity(bodies + self.system.as_deref().map_or(0, str::len) + FRAME_BYTES);
        out.push_str("{\"session_id\":");
        push_string(&mut out, self.session);
        if let Some(branch) = self.branch {
            out.push_str(",\"branch\":");
            push_string(&mut out, branch);
        }
        out.push_str(",\"format\":");
        push_string(&mut out, self.format.as_str());
        out.push_str(",\"summary_version\":");
        match self.summary_version {
            Some(version) => push_number(&mut out, version),
            None => out.push_str("null"),
        }
        if let Some(form) = self.summary_form() {
            let _infallible = write!(out, ",\"summary_form\":\"{form}\"");
        }
        out.push_str(",\"anchor_seq\":");
        push_number(&mut out, self.anchor_seq);
        out.push_str(",\"head_seq\":");
        push_number(&mut out, self.head_seq);
        if let Some(system) = &self.system {
            out.push_str(",\"system\":");
            match self.cache.and_then(|ttl| marked_text(system, ttl)) {
                Some(block) => {
                    let _infallible = write!(out, "[{block}]");
                }
                None => push_string(&mut out, system),
            }
        }
        out.push_str(",\"messages\":");
        push_list(&mut out, &self.messages, |out, message| out.push_str(message));
        out.push_str(",\"sources\":");
        push_list(&mut out, &self.sources, |out, source| match source {
            Source::Service => out.push_str("null"),
            Source::One(_) | Source::Many(_) => {
                push_list(out, source.seqs(), |out, seq| push_number(out, *seq));
            }
        });
        let tokens = self.tokens;
        let total = tokens.total();
        let _infallible = write!(
            out,
            ",\"tokens\":{{\"total\":{total},\"system\":{},\"summary\":{},\"digest\":{},\"notes\":{},\"tail\":{}}},\"max_input_tokens\":{},\"within_budget\":{}",
            tokens.system,
            tokens.summary,
            tokens.digest,
            tokens.notes,
            tokens.tail,
            self.max_input_tokens,
            self.within_budget()
        );
        out.push_str(",\"pending_tool_calls\":");
        push_list(&mut out, &self.pending_tool_calls, |out, id| push_string(out, id));
        out.push_str(",\"context_revision\":");
        push_number(&mut out, self.context_revision);
        out.push_str(",\"masked\":");
        push_list(&mut out, &self.masked, |out, masked| {
            let _infallible = write!(out, "{{\"seq\":{},\"ref\":\"{}\"}}", masked.seq, masked.reference);
        });
        out.push_str(",\"omitted\":");
        push_list(&mut out, &self.omitted, |out, o| {
            let (from, to, reason) = (o.from_seq, o.to_seq, o.reason.as_str());
            let _infallible = write!(out, "{{\"from_seq\":{from},\"to_seq\":{to},\"reason\":\"{reason}\"}}");
        });
        let prefix = &self.stable_prefix;
        let _infallible = write!(
            out,
            ",\"stable_prefix\":{{\"messages\":{},\"tokens\":{},\"sha256\":\"{}\"}}}}",
            prefix.messages, prefix.tokens, prefix.sha256
        );
        out
    }

    /// Whether the context is within its budget. [`super::assemble`] returns no other.
    #[must_use]
    pub fn within_budget(&self) -> bool {
        self.tokens.total() <= self.max_input_tokens
    }
}

/// A text as a block with a mark.
fn marked_text(text: &str, ttl: CacheTtl) -> Option<String> {
    let block = anthropic::block_of(&Part::Text(text.to_owned()))?;
    Some(anthropic::with_cache_control(&block, ttl))
}

fn push_number(out: &mut String, number: i64) {
    let _infallible = write!(out, "{number}");
}

fn push_list<T>(out: &mut String, items: &[T], mut push: impl FnMut(&mut String, &T)) {
    out.push('[');
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        push(out, item);
    }
    out.push(']');
}
