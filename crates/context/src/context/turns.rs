//! A group of messages as it is served, with its tokens and the list of what it omits.

use super::input::Entry;
use super::output::{Masked, Reason};
use anchord_messages::id::Seq;
use anchord_messages::message::Message;

/// One message to serve.
#[derive(Clone, Debug)]
pub(super) enum ServedMessage<'a> {
    /// As stored.
    Raw(&'a Entry),
    /// Written again, from these messages.
    Made(Message, Vec<Seq>),
    /// An item of the Responses API: a patched one, or a made-up output for a call without one.
    Item(String, Option<Seq>),
}

/// A group as it is served.
#[derive(Clone, Debug, Default)]
pub(super) struct ServedGroup<'a> {
    pub served: Vec<ServedMessage<'a>>,
    pub tokens: u32,
    pub masked: Vec<Masked>,
    pub omitted: Vec<(Seq, Reason)>,
    /// Calls that wait for their results, by their served ids.
    pub pending: Vec<String>,
}

impl<'a> ServedGroup<'a> {
    pub(super) fn add(&mut self, tokens: u32) {
        self.tokens = self.tokens.saturating_add(tokens);
    }

    pub(super) fn take(&mut self, tokens: u32) {
        self.tokens = self.tokens.saturating_sub(tokens);
    }

    pub(super) fn omit(&mut self, seq: Seq, reason: Reason) {
        // Entries of the same message stand at the end; searching all of them would be quadratic.
        if !self.omitted.iter().rev().take(8).any(|o| *o == (seq, reason)) {
            self.omitted.push((seq, reason));
        }
    }

    pub(super) fn append(&mut self, mut more: ServedGroup<'a>) {
        self.served.append(&mut more.served);
        self.add(more.tokens);
        self.masked.append(&mut more.masked);
        for (seq, reason) in more.omitted {
            self.omit(seq, reason);
        }
        self.pending.append(&mut more.pending);
    }
}
