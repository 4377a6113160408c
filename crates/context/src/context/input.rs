//! The input of a context: stored messages, pins, the summary, the mask, and the budget.

use std::sync::Arc;

use super::super::mask::{Clipping, Marks, MaskMode};
use super::super::note::Note;
use super::super::tools::ToolMode;
use anchord_messages::format::Format;
use anchord_messages::format::anthropic::CacheTtl;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::shape::{AsShape, Shape};
use anchord_messages::tokens::{MESSAGE_TOKENS, TokenCounter};
use anchord_record::render::summary_message_text;

/// A stored message with what assembling needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its position.
    pub seq: Seq,
    /// The format that it was sent in.
    pub format: Format,
    /// Who speaks.
    pub role: Role,
    /// Its tokens, by the session's tokenizer.
    pub tokens: u32,
    /// Its shape; `None` for a plain message.
    pub shape: Option<Shape>,
    /// Its JSON text, as sent; shared, so that several contexts need no copies.
    pub raw: Arc<str>,
}

impl AsShape for Entry {
    fn seq(&self) -> Seq {
        self.seq
    }
    fn role(&self) -> Role {
        self.role
    }
    fn is_item(&self) -> bool {
        self.format == Format::OpenaiResponses
    }
    fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }
}

/// A text that the service wrote, with its tokens. The caller caches it, so that no read counts it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted<'a> {
    /// The text as it is served.
    pub text: &'a str,
    /// Its tokens, with the frame of its message.
    pub tokens: u32,
}

impl<'a> Counted<'a> {
    /// Counts a text that is served as a message of its own.
    pub fn new(text: &'a str, counter: &TokenCounter) -> Self {
        Self { text, tokens: counter.count_text(text).saturating_add(MESSAGE_TOKENS) }
    }
}

/// A rendering as the text of a summary's message, and the tokens of that message.
pub fn summary_message(rendering: &str, counter: TokenCounter) -> (String, u32) {
    let text = summary_message_text(rendering);
    let tokens = Counted::new(&text, &counter).tokens;
    (text, tokens)
}

/// The current summary with what assembling needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryInput<'a> {
    /// Its version.
    pub version: i64,
    /// The last message that it covers.
    pub anchor_seq: Seq,
    /// Its message, made by [`summary_message_text`].
    pub message: Counted<'a>,
    /// The same in smaller forms for a budget without room for it, the largest first; the last is the least form.
    pub smaller: &'a [Counted<'a>],
    /// The digest's message, when there is one.
    pub digest: Option<Counted<'a>>,
}

/// Which tool outputs are masked.
#[derive(Clone, Copy, Debug)]
pub struct MaskInput<'a> {
    /// Whether any are.
    pub mode: MaskMode,
    /// Which outputs are clipped, as the session's counts say.
    pub clipping: Clipping,
    /// The caller's marks.
    pub marks: &'a Marks,
}

/// The input of one context.
#[derive(Clone, Copy, Debug)]
pub struct ContextInput<'a> {
    /// The session's name, for references; empty when there is no session to refer to.
    pub session: &'a str,
    /// The branch; `None` for main, which no reply names.
    pub branch: Option<&'a str>,
    /// The format to serve.
    pub format: Format,
    /// The budget, in tokens.
    pub budget: u32,
    /// The session's last message.
    pub head_seq: Seq,
    /// Grows when the context changes without a new message, as with pins, notes and settings.
    pub context_revision: i64,
    /// The leading system and developer messages.
    pub system: &'a [Entry],
    /// The pins' text, made by [`pins_text`]; `None` without pins.
    pub pins: Option<Counted<'a>>,
    /// The current summary.
    pub summary: Option<SummaryInput<'a>>,
    /// Messages that the summary covers and that the caller marked to be kept, ascending.
    pub kept: &'a [Entry],
    /// The current turn's user message, when the summary covers it.
    pub carried: Option<&'a Entry>,
    /// The messages after the anchor (and after the system prompt), or the newest of them, and before those the requests that
    /// they serve.
    pub tail: &'a [Entry],
    /// Messages between the anchor and the first of the tail that were not loaded.
    pub tail_omitted: Option<(Seq, Seq)>,
    /// Masking.
    pub mask: MaskInput<'a>,
    /// The recap's text, when it is asked for.
    pub recap: Option<&'a str>,
    /// Marks for the provider's cache at the ends of system prompt and stable prefix; only `anthropic` has such marks.
    pub cache: Option<CacheTtl>,
    /// The agent's notes, ascending.
    pub notes: &'a [Note],
    /// Whether the model that gets the context has the service's tools.
    pub tools: ToolMode,
    /// The session's counter.
    pub counter: &'a TokenCounter,
}
