//! The content digest of a message: the same for two messages that say the same, and for no others.
//!
//! What lives here: the canonical JSON of a message (`canonical`, over the values of `tree`), its digest, and the length of
//! the beginning that a list and a branch share; messages that were sent again with less (`trimmed`).
//! Invariant: what the canonical JSON leaves out or writes alike is what the list in `canonical` names, and nothing else.
//! Must not know: sessions, branches, where digests are kept.

mod canonical;
mod tree;
mod trimmed;

use sha2::{Digest as _, Sha256};

use super::format::Format;

pub use canonical::canonical;
pub use trimmed::trimmed;

/// The most bytes that [`Digests`] of a message take.
pub const DIGESTS_BYTES: usize = size_of::<Digests>();

/// SHA-256 of a message's JSON text, byte for byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextDigest([u8; 32]);

/// SHA-256 of a message's canonical JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentDigest(pub [u8; 32]);

/// The digests of a stored message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digests {
    /// The format that it is stored in, by whose rules its content is digested.
    pub format: Format,
    /// Of its text: equal texts need not be parsed.
    pub text: TextDigest,
    /// Of its content.
    pub content: ContentDigest,
}

impl TextDigest {
    /// The digest of a message's JSON text.
    pub fn of(raw: &[u8]) -> Self {
        Self(Sha256::digest(raw).into())
    }
}

impl ContentDigest {
    /// The digest of a message's content; `raw` is its JSON text.
    pub fn of(format: Format, raw: &str) -> Self {
        Self(Sha256::digest(canonical(format, raw).as_bytes()).into())
    }
}

impl Digests {
    /// The digests of a message.
    pub fn of(format: Format, raw: &str) -> Self {
        Self { format, text: TextDigest::of(raw.as_bytes()), content: ContentDigest::of(format, raw) }
    }

    /// Whether a message of a list is this stored message. It is parsed only when its text is another.
    pub fn match_message(&self, text: TextDigest, raw: &str) -> bool {
        self.text == text || self.content == ContentDigest::of(self.format, raw)
    }
}

/// How many messages a list and a branch have in common at their beginning, of which the first `from` are known to be.
/// Ends early, with `None`, when `is_over` says so after a message; `from` then tells how far it came.
pub fn common<'a>(
    list: impl IntoIterator<Item = (TextDigest, &'a str)>,
    branch: &[Digests],
    from: &mut usize,
    mut is_over: impl FnMut() -> bool,
) -> Option<usize> {
    for ((text, raw), known) in list.into_iter().skip(*from).zip(branch.get(*from..).unwrap_or_default()) {
        if !known.match_message(text, raw) {
            break;
        }
        *from += 1;
        if is_over() {
            return None;
        }
    }
    Some(*from)
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
