//! The beginnings of the contexts that were served last, in memory: how much of the next one a provider's cache can have.
//!
//! Invariant: nothing of a text is kept but its hash and its length, and nothing is stored. A context that another process
//! served, or that has left the memory, is not known, and the next context counts as new.

use std::sync::Arc;

use anchord_context::context::Context;
use anchord_messages::id::{Seq, SessionId, TenantId};
use anchord_runtime::cache::{Cache, Expiry};

/// The most messages of all contexts that are kept, in all some 24 MB.
const MAX_MESSAGES: u64 = 1_000_000;

/// A context as it was served: its messages by hash and bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServedMessages {
    head: Seq,
    tokens: u32,
    messages: Vec<ServedMessage>,
    /// Of all of them.
    sha256: [u8; 32],
}

#[derive(Clone, Copy, Debug)]
struct ServedMessage {
    /// Of the context up to it.
    hash: u64,
    bytes: u64,
    /// The newest stored message that it came from; 0 without one.
    seq: Seq,
}

/// The parts of a context in tokens, in the same ratio to bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PrefixTokens {
    /// The messages that the context before began with, too.
    pub(crate) cached: u32,
    /// The messages behind them that came since.
    pub(crate) new: u32,
}

impl ServedMessages {
    pub(crate) fn of(context: &Context<'_>) -> serde_json::Result<Self> {
        let digests = context.prefixes_sha256()?;
        let newest = |seqs: &[Seq]| seqs.iter().max().copied().unwrap_or_default();
        let messages = context.messages.iter().zip(&context.sources);
        let messages = messages.map(|(text, source)| (text.len(), newest(source.seqs())));
        let system = context.system.iter().map(|text| (text.len(), 0));
        let texts = system.chain(messages).zip(&digests);
        let messages = texts.map(|((bytes, seq), digest)| {
            let hash = digest.first_chunk().copied().unwrap_or_default();
            ServedMessage { hash: u64::from_le_bytes(hash), bytes: bytes as u64, seq }
        });
        Ok(Self {
            head: context.head_seq,
            tokens: context.tokens.total(),
            messages: messages.collect(),
            sha256: digests.last().copied().unwrap_or_default(),
        })
    }

    pub(crate) fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    /// How much of it the context before began with, and how much came since.
    fn since(&self, before: &Self) -> PrefixTokens {
        let pairs = self.messages.iter().zip(&before.messages);
        let same = pairs.take_while(|(now, before)| now.hash == before.hash).count();
        let (cached, behind) = self.messages.split_at_checked(same).unwrap_or_default();
        let bytes = |messages: &mut dyn Iterator<Item = &ServedMessage>| -> u64 {
            messages.map(|message| message.bytes).sum()
        };
        let whole = bytes(&mut self.messages.iter()).max(1);
        let tokens = |bytes: u64| u32::try_from(bytes * u64::from(self.tokens) / whole).unwrap_or(u32::MAX);
        let new = bytes(&mut behind.iter().filter(|message| message.seq > before.head));
        PrefixTokens { cached: tokens(bytes(&mut cached.iter())), new: tokens(new) }
    }
}

/// The contexts that were served last, by session.
#[derive(Clone, Debug)]
pub struct ServedPrefixes(Cache<(TenantId, SessionId), Arc<ServedMessages>>);

impl Default for ServedPrefixes {
    fn default() -> Self {
        Self(Cache::new(MAX_MESSAGES, Expiry::Never))
    }
}

impl ServedPrefixes {
    /// Takes a context as the one that was served last, and compares it with the one before.
    pub(crate) fn serve(&self, session: (TenantId, SessionId), context: ServedMessages) -> PrefixTokens {
        let all_new = PrefixTokens { cached: 0, new: context.tokens };
        let found = self.0.get(&session).map_or(all_new, |before| context.since(&before));
        let weight = u32::try_from(context.messages.len()).unwrap_or(u32::MAX).saturating_add(8);
        self.0.insert_weighing(session, Arc::new(context), weight);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(head: Seq, messages: &[(u64, Seq)]) -> ServedMessages {
        let message = |(hash, seq): &(u64, Seq)| ServedMessage { hash: *hash, bytes: 100, seq: *seq };
        let tokens = u32::try_from(messages.len()).unwrap() * 10;
        let messages = messages.iter().map(message).collect();
        ServedMessages { head, tokens, messages, sha256: [0; 32] }
    }

    #[test]
    fn what_is_no_prefix_and_did_not_come_since_is_neither() {
        let before = served(3, &[(1, 0), (2, 2), (3, 3)]);
        let goes_on = served(5, &[(1, 0), (2, 2), (3, 3), (4, 4), (5, 5)]);
        assert_eq!(goes_on.since(&before), PrefixTokens { cached: 30, new: 20 });
        let breaks = served(5, &[(1, 0), (9, 0), (3, 3), (4, 4), (5, 5)]);
        assert_eq!(breaks.since(&before), PrefixTokens { cached: 10, new: 20 }, "two are written again");
    }

    #[test]
    fn the_first_context_is_new_and_sessions_are_apart() {
        let (prefixes, tenant) = (ServedPrefixes::default(), TenantId(uuid::Uuid::nil()));
        let [one, other] = [1, 2].map(|id| (tenant, SessionId(uuid::Uuid::from_u128(id))));
        let context = served(2, &[(1, 1), (2, 2)]);
        let new = PrefixTokens { cached: 0, new: 20 };
        assert_eq!(prefixes.serve(one, context.clone()), new);
        assert_eq!(prefixes.serve(other, context.clone()), new);
        assert_eq!(prefixes.serve(one, context), PrefixTokens { cached: 20, new: 0 });
    }
}
