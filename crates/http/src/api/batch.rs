//! The messages of a request, read one after the other into what the store appends.

use serde_json::value::RawValue;

use crate::api::prelude::*;
use crate::limits::Limits;
use anchord_context::mask::Keep;
use anchord_facts::ledger::prose::measured;
use anchord_messages::format::detect::{BatchFormat, Detector};
use anchord_messages::format::{Format, FormatError};
use anchord_messages::shape::{Measured, ResultShape};
use anchord_messages::tokens::{TokenCounter, Tokenizer};
use anchord_session::accounting::MessageCounts;
use anchord_session::models;
use anchord_store::gather::{NewMessage, ToolOutput};

/// Bodies above this size are read on a background thread in their tenant's turn, so that they delay no other request.
pub(crate) const LARGE_BODY_BYTES: usize = 64 * 1024;
/// The most calls, or results of calls, of one message. A provider takes all of them or none, so that a context with more
/// than fit into its budget could not be served ever again.
const MAX_CALLS: usize = 1_000;
/// Fewer tokens than any placeholder has; reading a context relies on no masked message having fewer.
const LEAST_PLACEHOLDER_TOKENS: u32 = 16;
/// A component that the caller declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageMarkComponent)]
pub enum MarkedComponent {
    /// Documents that were retrieved for the conversation.
    RetrievedDocuments,
}

/// Messages of a request of which some are read.
pub(crate) struct Batch {
    format: BatchFormat,
    counter: TokenCounter,
    /// The place in the request of the next message.
    next: usize,
    unread: std::vec::IntoIter<Box<RawValue>>,
    messages: Vec<NewMessage>,
}

impl Batch {
    /// Looks at the sizes and formats of messages, of which the first has this place in the request. They are counted with
    /// this tokenizer, without it with the model's.
    pub(crate) fn begin(
        (first, messages): (usize, Vec<Box<RawValue>>),
        (stated, model, tokenizer): (Option<Format>, Option<&str>, Option<Tokenizer>),
        limits: &Limits,
    ) -> Result<Self> {
        let mut detector = Detector::new(stated);
        for (index, raw) in (first..).zip(&messages) {
            if raw.get().len() > limits.message_bytes {
                let limit = limits.message_bytes;
                return Err(ApiError::TooLarge { what: format!("message {index}"), limit, unit: "bytes" });
            }
            detector.look(index, raw.get()).map_err(|refused| refused_under("/messages", refused))?;
        }
        // The model's own, unless the session is known to use another one.
        let tokenizer = tokenizer.or_else(|| Some(models::limits_of(model?, &[])?.tokenizer));
        Ok(Self {
            format: detector.finish(),
            counter: TokenCounter::new(tokenizer.unwrap_or_default()),
            next: first,
            messages: Vec::with_capacity(messages.len()),
            unread: messages.into_iter(),
        })
    }

    /// The format that the messages show.
    pub(crate) fn format(&self) -> BatchFormat {
        self.format
    }

    /// Reads the next message; returns `false` when there is none.
    pub(crate) fn read_next(&mut self) -> Result<bool> {
        let Some(raw) = self.unread.next() else { return Ok(false) };
        // Messages that show no format read the same in that of the session, which the append learns.
        let format = self.format.resolve(None);
        let message = read_message(&format!("/messages/{}", self.next), raw, format, self.counter)?;
        self.next += 1;
        self.messages.push(message);
        Ok(true)
    }

    /// The messages that are read, their format, and the tokenizer that counted them.
    pub(crate) fn finish(self) -> (Vec<NewMessage>, BatchFormat, Tokenizer) {
        (self.messages, self.format, self.counter.tokenizer())
    }
}

/// Adds the caller's marks to a message.
pub(crate) fn marked(message: &mut NewMessage, keep: Option<Keep>, component: Option<MarkedComponent>) {
    message.keep = keep.or(message.keep);
    if let Some(MarkedComponent::RetrievedDocuments) = component {
        message.component = Some("retrieved_documents");
        message.counted.retrieved = true;
    }
}

/// The problem for a message or batch at this place of the body.
pub(crate) fn refused_under(place: &str, refused: FormatError) -> ApiError {
    let refused = refused.under(place);
    ApiError::invalid(refused.pointer, refused.detail)
}

/// Parses, checks and counts a message; `place` is its position in the body.
pub(crate) fn read_message(
    place: &str,
    body: Box<RawValue>,
    format: Format,
    counter: TokenCounter,
) -> Result<NewMessage> {
    let read = measured(format, body.get(), &counter);
    let Measured { message, tokens, shape } = read.map_err(|refused| refused_under(place, refused))?;
    let results = shape.as_ref().map_or(&[][..], |shape| &shape.results);
    let calls = shape.as_ref().map_or(0, |shape| shape.calls.len());
    for (found, what) in [(calls, "calls"), (results.len(), "results of calls")] {
        if found > MAX_CALLS {
            let detail = format!("has {found} {what}; at most {MAX_CALLS} are taken");
            return Err(ApiError::invalid(place, detail));
        }
    }
    let counts = MessageCounts {
        bytes: u32::try_from(body.get().len()).unwrap_or(u32::MAX),
        is_item: format == Format::OpenaiResponses,
        ..MessageCounts::of(0, message.role, tokens, shape.as_ref(), false)
    };
    let saved = results
        .iter()
        .filter(|result| result.is_maskable())
        .fold(0u32, |sum, result| sum.saturating_add(result.tokens.saturating_sub(LEAST_PLACEHOLDER_TOKENS)));
    let least_tokens = (saved > 0).then(|| tokens.saturating_sub(saved));
    let tool_outputs = tool_outputs(results);
    let shape = shape.map(|shape| serde_json::to_string(&shape)).transpose().map_err(ApiError::internal)?;
    Ok(NewMessage {
        format: format.into(),
        counted: counts,
        least_tokens,
        shape,
        keep: None,
        component: None,
        tool_outputs,
        body,
    })
}

/// The outputs that a placeholder may replace.
fn tool_outputs(results: &[ResultShape]) -> Vec<ToolOutput> {
    let maskable = (0..).zip(results).filter(|(_, result)| result.is_maskable());
    maskable.map(|(ordinal, result)| ToolOutput { ordinal, reference: result.reference.clone() }).collect()
}
