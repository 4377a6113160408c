//! The assembled context with its accounting, and the error when the budget is too small for one.

use std::borrow::Cow;

use serde::Serialize;
use strum::{AsRefStr, EnumString, IntoStaticStr};
use utoipa::ToSchema;

use anchord_messages::format::Format;
use anchord_messages::format::anthropic::CacheTtl;
use anchord_messages::id::Seq;

/// How much of a summary a context serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SummaryForm {
    /// All of it.
    Full,
    /// A part, because the budget holds no more.
    Reduced,
    /// The least: the request, the state, the constraints and open errors.
    Least,
}

/// The assembled context; it borrows what is served as it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context<'a> {
    /// The session's name.
    pub session: &'a str,
    /// The branch; `None` for main.
    pub branch: Option<&'a str>,
    /// The format of `messages`.
    pub format: Format,
    /// The version of the summary that is served; `None` without one.
    pub summary_version: Option<i64>,
    /// How much of the summary is served.
    pub summary_form: SummaryForm,
    /// How many larger forms of it are passed over.
    pub summary_step: usize,
    /// The last message that the summary covers; 0 without one.
    pub anchor_seq: Seq,
    /// The session's last message.
    pub head_seq: Seq,
    /// The system prompt, where the format keeps it apart.
    pub system: Option<String>,
    /// The mark at the end of `system`, which is a list of blocks then.
    pub cache: Option<CacheTtl>,
    /// The messages, each as its JSON text.
    pub messages: Vec<Cow<'a, str>>,
    /// Where each message came from, parallel to `messages`.
    pub sources: Vec<Source>,
    /// Tokens by component.
    pub tokens: Tokens,
    /// The budget, in tokens.
    pub max_input_tokens: u32,
    /// The ids, as served, of calls that still wait for their results.
    pub pending_tool_calls: Vec<String>,
    /// Grows when the context changes without a new message, as with pins, notes and settings.
    pub context_revision: i64,
    /// Tool outputs that are served as placeholders.
    pub masked: Vec<Masked>,
    /// Messages that are not served, or not in full.
    pub omitted: Vec<Omitted>,
    /// The part that stays the same until the next version or revision.
    pub stable_prefix: StablePrefix,
}

/// Where a served message came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The service wrote it: summary, pins, notes, recap, or a digest that quotes no message.
    Service,
    /// One stored message.
    One(Seq),
    /// Several stored messages; or none, for a note or for the replacement of a missing result.
    Many(Vec<Seq>),
}

impl Source {
    /// The stored messages that it came from.
    pub fn seqs(&self) -> &[Seq] {
        match self {
            Self::Service => &[],
            Self::One(seq) => std::slice::from_ref(seq),
            Self::Many(seqs) => seqs,
        }
    }
}

/// Tokens of a context by component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TokensByComponent)]
pub struct Tokens {
    /// System prompt, pins and kept messages.
    pub system: u32,
    /// The summary.
    pub summary: u32,
    /// The digest: shortened quotes of the messages that the summary covers.
    pub digest: u32,
    /// The agent's notes.
    pub notes: u32,
    /// Everything after them.
    pub tail: u32,
}

impl Tokens {
    /// All of them.
    pub fn total(self) -> u32 {
        [self.summary, self.digest, self.notes, self.tail].into_iter().fold(self.system, u32::saturating_add)
    }
}

/// A tool output that is served as a placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = MaskedOutput)]
pub struct Masked {
    /// The message.
    pub seq: Seq,
    /// The output's reference.
    #[serde(rename = "ref")]
    pub reference: String,
}

/// Why something is not served, or not in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, AsRefStr, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Reason {
    /// No room: whole groups left out.
    Budget,
    /// No room: served clipped.
    Clipped,
    /// Thinking that the format cannot carry, or that had to be removed whole.
    Thinking,
    /// Media or blocks that the format cannot carry.
    Unsupported,
    /// The caller marked it.
    Marked,
    /// Served as part of `system`.
    InSystem,
    /// It answers no open call, and waits until the pending ones are answered.
    Held,
}

/// A run of messages that is not served, or not in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = OmittedRange)]
pub struct Omitted {
    /// The first.
    pub from_seq: Seq,
    /// The last.
    pub to_seq: Seq,
    /// The reason: `budget`, `clipped`, `thinking`, `unsupported`, `marked`, `in_system` or `held`.
    #[schema(value_type = String)]
    pub reason: Reason,
}

/// The part of a context that stays the same until the next version or revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StablePrefix {
    // A digest that shares its message with the summary (`anthropic`) is in the hash and the tokens, and not in this number.
    /// Messages at the start that are wholly in it.
    pub messages: usize,
    /// Its tokens.
    pub tokens: u32,
    /// SHA-256 in hex over the text of `system`, the JSON text of each message that is counted here, and the text of the digest,
    /// each with a newline after it; `cache_control` does not change it.
    pub sha256: String,
}

/// The budget is too small for any context of this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("system prompt, pins and the newest message need at least {min_tokens} tokens")]
pub struct BudgetTooSmall {
    /// The smallest budget that is large enough.
    pub min_tokens: u32,
}
