//! The messages that ways without the service send, and how they make room.

use std::slice;

use anchord_messages::format::Format;
use serde_json::Value;

use crate::piece::{Part, Piece};
use crate::tally::Sent;

/// The share of the effective window at which the ways with summaries write one.
const TRIGGER: f64 = 0.7;
/// Tokens of their summaries.
pub const SUMMARY_TOKENS: f64 = 1_500.0;

/// The messages of a session that are still sent.
pub struct History<P = Piece> {
    /// The system prompt, which stays.
    pub system: Vec<P>,
    /// Everything after it.
    pub messages: Vec<P>,
}

impl<P: Part> History<P> {
    /// All of it.
    pub fn prompt(&self) -> Vec<P> {
        [&self.system[..], &self.messages].concat()
    }

    /// Leaves the oldest messages out, down to half of the window, when it is full.
    pub fn truncate(&mut self, sent: &Sent<P>) {
        let rest = |start: usize| self.messages.get(start..).unwrap_or_default();
        let size = |start: usize| sent.tokens(&self.system) + sent.tokens(rest(start));
        if size(0) <= sent.effective {
            return;
        }
        let begins = |start: usize| rest(start).first().is_some_and(|part| !part.has_results());
        let has_more = |start: usize| rest(start + 1).iter().any(|part| !part.has_results());
        let mut start = 0;
        while has_more(start) && (size(start) > sent.effective / 2.0 || !begins(start)) {
            start += 1;
        }
        self.messages.drain(..start);
    }

    /// Writes one summary in place of the older messages when the trigger is reached. So many of the newest stay, or the last
    /// group alone.
    pub fn compact(&mut self, sent: &mut Sent<P>, kept: Option<usize>, write: impl FnOnce(&[P]) -> P) {
        let messages = &self.messages;
        let from = match kept {
            Some(kept) => {
                let most = messages.len().saturating_sub(kept);
                messages.iter().take(most + 1).rposition(|part| !part.has_results())
            }
            None => messages.iter().rposition(Part::is_agents),
        };
        let whole = self.prompt();
        let is_full = sent.tokens(&whole) > TRIGGER * sent.effective;
        let Some(from) = from.filter(|from| is_full && messages.len() > 2 && *from > 1) else { return };
        let summary = write(messages.get(..from).unwrap_or_default());
        // Where it fills its room, its bytes are rounded up.
        let written = sent.tokens(slice::from_ref(&summary)).min(SUMMARY_TOKENS);
        sent.summarise(&whole, written);
        self.messages.splice(..from, [summary]);
    }
}

/// A result whose long texts keep their beginning and their end.
pub fn capped(piece: &Piece, format: Format, cap: usize) -> Piece {
    let Ok(mut message) = serde_json::from_str(&piece.json) else { return piece.clone() };
    cut(&mut message, cap);
    Piece::read(format, &message.to_string()).unwrap_or_else(|_| piece.clone())
}

fn cut(value: &mut Value, cap: usize) {
    match value {
        Value::String(text) if text.len() > cap => {
            let (head, tail) =
                (text.floor_char_boundary(cap / 2), text.ceil_char_boundary(text.len() - cap / 2));
            text.replace_range(head..tail, "\n[cut]\n");
        }
        Value::Array(items) => items.iter_mut().for_each(|item| cut(item, cap)),
        Value::Object(fields) => fields.values_mut().for_each(|field| cut(field, cap)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
