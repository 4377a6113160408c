//! Keys: 64-bit hashes of normalized texts, by which entries of a record are compared and found.
//!
//! A record grows with its session and a span does not, so a key is computed once and stored with its entry.
//! Invariant: texts with the same normalized form have the same key.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use fnv::FnvHasher;

use super::wording::{normalized, normalized_error, push_lower};

/// The key of a text.
pub fn of_text(text: &str) -> u64 {
    of_normalized(&normalized(text))
}

/// The key of an error.
pub fn of_error(kind: Option<&str>, message: &str) -> u64 {
    let message = normalized_error(message);
    let mut key = String::with_capacity(message.len());
    push_lower(&mut key, kind.unwrap_or_default().trim());
    // Some outputs repeat the kind before the message.
    let rest = message.strip_prefix(key.as_str()).unwrap_or(&message).trim_start();
    key.push('\u{1f}');
    key.push_str(rest);
    of_normalized(&key)
}

/// The key of a text that is already normalized.
pub fn of_normalized(text: &str) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// The key of an entry, cached at its first use. It depends on the entry's text alone, so all keys compare equal, and
/// code that changes the text must replace the key.
#[derive(Clone, Default)]
pub struct Key(OnceLock<u64>);

impl Key {
    /// The cached key, computed first if it is missing.
    pub fn get(&self, compute: impl FnOnce() -> u64) -> u64 {
        *self.0.get_or_init(compute)
    }
}

impl From<u64> for Key {
    fn from(key: u64) -> Self {
        Self(OnceLock::from(key))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl PartialEq for Key {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn keys_stay_the_same_for_ever() {
        assert_eq!(of_text("Use  JWT, not sessions."), 0x0571_08f3_f20b_2661);
        assert_eq!(of_error(Some("TypeError"), "a.py:12: TypeError at 0x7f01"), 0x5e08_0d92_14cf_71df);
    }

    #[rstest]
    #[case((None, "boom"), (Some(""), " BOOM! "), true)]
    #[case((Some("E0308"), "E0308: no"), (Some(" e0308 "), "no"), true)]
    #[case((Some("error"), "no"), (None, "error: no"), false)]
    #[case((None, "a.rs:7: no"), (None, "a.rs:8: no"), false)]
    fn an_error_is_the_same_by_kind_and_message(
        #[case] (kind, message): (Option<&str>, &str),
        #[case] (other_kind, other): (Option<&str>, &str),
        #[case] is_same: bool,
    ) {
        assert_eq!(of_error(kind, message) == of_error(other_kind, other), is_same);
    }
}
