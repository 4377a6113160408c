//! What the tests of contexts share: entries of messages, a context of them, and the reply, checked.

use serde_json::Value;

use super::super::mask::{Clipping, Marks, MaskMode};
use super::super::tools::ToolMode;
use super::*;
use anchord_messages::format::Format;
use anchord_messages::id::Seq;
use anchord_messages::shape::{Measured, Shape};
use anchord_messages::tokens::{TokenCounter, Tokenizer};

pub(super) const COUNTER: TokenCounter = TokenCounter::new(Tokenizer::Estimate);
pub(super) const FORMATS: [Format; 3] = [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses];

pub(super) fn entry(format: Format, seq: Seq, message: &Value) -> Entry {
    let raw = message.to_string();
    let Measured { message: parsed, tokens, shape } = Measured::read(format, &raw, &COUNTER).unwrap();
    let raw = Shape::served(shape.as_ref(), format, raw);
    Entry { seq, format, role: parsed.role, tokens, shape, raw: raw.into() }
}

pub(super) fn entries(format: Format, messages: &[Value]) -> Vec<Entry> {
    (1..).zip(messages).map(|(seq, message)| entry(format, seq, message)).collect()
}

/// A context of these entries alone, their leading system messages taken for the system prompt.
pub(super) fn input<'a>(format: Format, entries: &'a [Entry], marks: &'a Marks) -> ContextInput<'a> {
    let leading = entries.iter().take_while(|entry| entry.role.is_system()).count();
    let (system, tail) = entries.split_at(leading);
    ContextInput {
        session: "some-session",
        branch: None,
        format,
        budget: 100_000,
        head_seq: Seq::try_from(entries.len()).unwrap(),
        context_revision: 1,
        system,
        pins: None,
        summary: None,
        kept: &[],
        carried: None,
        tail,
        tail_omitted: None,
        mask: MaskInput { mode: MaskMode::Auto, clipping: Clipping::default(), marks },
        recap: None,
        cache: None,
        notes: &[],
        tools: ToolMode::None,
        counter: &COUNTER,
    }
}

/// A context as its reply, without a problem.
pub(super) fn reply(context: &Context<'_>) -> Value {
    let json = context.to_json(|reply| reply).unwrap();
    let reply: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(validity::problems(&reply), Vec::<String>::new(), "{reply:#}");
    reply
}

pub(super) fn serve(input: &ContextInput<'_>) -> Value {
    reply(&assemble(input).unwrap())
}
