//! The context as a client reads it. Messages are copied as they were stored, and never parsed.

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;
use utoipa::openapi::{ArrayBuilder, Ref, schema::Array};

use super::output::{Context, Masked, Omitted, Source, StablePrefix, SummaryForm, Tokens};
use anchord_messages::format::Format;
use anchord_messages::format::anthropic::{self, CacheTtl};
use anchord_messages::id::{BranchName, Seq, SessionName};
use anchord_messages::message::Part;

/// An assembled context.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AssembledContext)]
pub struct ContextReply<'a> {
    /// The session.
    #[schema(value_type = SessionName)]
    session_id: &'a str,
    /// The branch; absent when it is main.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Option<BranchName>)]
    branch: Option<&'a str>,
    /// The conversation format of `messages`.
    format: Format,
    /// The summary version that it shows; null when there is none.
    #[schema(required = true)]
    summary_version: Option<i64>,
    /// How much of it the budget holds; absent without a summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary_form: Option<SummaryForm>,
    /// Through which message the summary covers the session; 0 without one.
    anchor_seq: Seq,
    /// The session's newest message.
    head_seq: Seq,
    /// The system prompt, where the format keeps it apart: a text, or with `cache_control` a list of blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = serde_json::Value, required = false)]
    system: Option<Box<RawValue>>,
    /// The messages, in the format's own shape; empty until they are written.
    #[schema(schema_with = messages)]
    messages: [(); 0],
    /// Parallel to `messages`: the messages that each came from; null for what the service wrote.
    #[schema(value_type = Vec<Option<Vec<Seq>>>)]
    sources: Vec<Option<&'a [Seq]>>,
    /// Tokens by component.
    tokens: ContextTokens,
    /// The budget: the most tokens that this context may have.
    max_input_tokens: u32,
    /// Whether the budget is kept; always true.
    within_budget: bool,
    /// Ids of calls that wait for their results, at the head.
    pending_tool_calls: &'a [String],
    /// Grows with every change of pins, notes or settings.
    context_revision: i64,
    /// Tool outputs that are served as placeholders.
    masked: &'a [Masked],
    /// Messages that are not served, or not in full.
    omitted: &'a [Omitted],
    /// The part that stays the same until the next version or revision.
    stable_prefix: &'a StablePrefix,
}

/// Tokens of a context by component.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct ContextTokens {
    /// All of them.
    total: u32,
    #[serde(flatten)]
    components: Tokens,
}

/// The schema of the messages; the API declares that of one.
fn messages() -> Array {
    ArrayBuilder::new()
        .items(Ref::from_schema_name("Message"))
        .description(Some("The messages, in the format's own shape."))
        .build()
}

/// Where the messages are written. No text before them has it, because its quotes are escaped there.
const MESSAGES: &str = "\"messages\":[]";

impl Context<'_> {
    /// Writes a reply that has the context in it.
    pub fn to_json<'s, T: Serialize>(
        &'s self,
        reply: impl FnOnce(ContextReply<'s>) -> T,
    ) -> serde_json::Result<String> {
        let json = serde_json::to_string(&reply(self.reply()?))?;
        let (before, after) =
            json.split_once(MESSAGES).ok_or_else(|| serde_json::Error::custom("no messages"))?;
        Ok(format!("{before}\"messages\":[{}]{after}", self.messages.join(",")))
    }

    /// SHA-256 over what goes to the model up to each of its texts, the last over all of it: `system` as JSON, when there is one,
    /// and the JSON of each message, each with a line feed behind it.
    ///
    /// # Errors
    /// When the system prompt does not go into JSON.
    pub fn prefixes_sha256(&self) -> serde_json::Result<Vec<[u8; 32]>> {
        let mut hash = Sha256::new();
        let system = self.written_system().transpose()?;
        let messages = self.messages.iter().map(AsRef::as_ref);
        let texts = system.as_deref().map(RawValue::get).into_iter().chain(messages);
        let digest = |text: &str| {
            hash.update(text.as_bytes());
            hash.update(b"\n");
            hash.clone().finalize().into()
        };
        Ok(texts.map(digest).collect())
    }

    /// The system prompt as JSON.
    fn written_system(&self) -> Option<serde_json::Result<Box<RawValue>>> {
        self.system.as_ref().map(|text| match self.cache.and_then(|ttl| marked_text(text, ttl)) {
            Some(block) => RawValue::from_string(format!("[{block}]")),
            None => to_raw_value(text),
        })
    }

    fn reply(&self) -> serde_json::Result<ContextReply<'_>> {
        Ok(ContextReply {
            session_id: self.session,
            branch: self.branch,
            format: self.format,
            summary_version: self.summary_version,
            summary_form: self.summary_version.map(|_| self.summary_form),
            anchor_seq: self.anchor_seq,
            head_seq: self.head_seq,
            system: self.written_system().transpose()?,
            messages: [],
            sources: self
                .sources
                .iter()
                .map(|source| (*source != Source::Service).then_some(source.seqs()))
                .collect(),
            tokens: ContextTokens { total: self.tokens.total(), components: self.tokens },
            max_input_tokens: self.max_input_tokens,
            within_budget: self.within_budget(),
            pending_tool_calls: &self.pending_tool_calls,
            context_revision: self.context_revision,
            masked: &self.masked,
            omitted: &self.omitted,
            stable_prefix: &self.stable_prefix,
        })
    }

    /// Whether the context is within its budget. [`super::assemble`] returns no other.
    pub fn within_budget(&self) -> bool {
        self.tokens.total() <= self.max_input_tokens
    }
}

/// A text as a block with a mark.
fn marked_text(text: &str, ttl: CacheTtl) -> Option<String> {
    let block = anthropic::block_of(&Part::Text(text.to_owned()))?;
    Some(anthropic::with_cache_control(&block, ttl))
}
