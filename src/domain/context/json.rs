//! The reply's JSON, written straight into one buffer: stored messages are copied once and never
//! parsed.

use std::fmt::Write as _;

use super::super::format::push_string;
use super::{Context, Source};

/// What the reply holds beside its messages, in bytes; a guess that saves growing the buffer.
const FRAME_BYTES: usize = 1_024;
const SOURCE_BYTES: usize = 12;

impl Context<'_> {
    /// The reply of `GET …/context`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let bodies: usize = self.messages.iter().map(|m| m.len() + SOURCE_BYTES).sum();
        let mut out =
            String::with_capacity(bodies + self.system.as_deref().map_or(0, str::len) + FRAME_BYTES);
        out.push_str("{\"session_id\":");
        push_string(&mut out, self.session);
        out.push_str(",\"format\":");
        push_string(&mut out, self.format.as_str());
        out.push_str(",\"summary_version\":");
        match self.summary_version {
            Some(version) => push_number(&mut out, version),
            None => out.push_str("null"),
        }
        out.push_str(",\"anchor_seq\":");
        push_number(&mut out, self.anchor_seq);
        out.push_str(",\"head_seq\":");
        push_number(&mut out, self.head_seq);
        if let Some(system) = &self.system {
            out.push_str(",\"system\":");
            push_string(&mut out, system);
        }
        out.push_str(",\"messages\":");
        push_list(&mut out, &self.messages, |out, message| out.push_str(message));
        out.push_str(",\"sources\":");
        push_list(&mut out, &self.sources, |out, source| match source {
            Source::Service => out.push_str("null"),
            other => push_list(out, other.seqs(), |out, seq| push_number(out, *seq)),
        });
        let tokens = self.tokens;
        let total = tokens.total();
        let _infallible = write!(
            out,
            ",\"tokens\":{{\"total\":{total},\"system\":{},\"summary\":{},\"tail\":{}}},\"max_tokens\":{},\"within_budget\":{}",
            tokens.system,
            tokens.summary,
            tokens.tail,
            self.max_tokens,
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

    /// Whether it keeps to its budget; [`super::assemble`] gives no other.
    #[must_use]
    pub fn within_budget(&self) -> bool {
        self.tokens.total() <= self.max_tokens
    }
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
