//! A context that is built again: whether it is what was sent, and what it has in common with the one before.

use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

/// A context as the API serves it, with the texts of its messages as they are.
#[derive(Debug, Deserialize)]
pub(crate) struct Sent {
    pub(crate) system: Option<Box<RawValue>>,
    pub(crate) messages: Vec<Box<RawValue>>,
    #[serde(default)]
    pub(crate) sources: Vec<Option<Vec<i64>>>,
}

impl Sent {
    /// The digest of what goes to the model, as the API gives it for a context that was served.
    pub(crate) fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for text in self.texts() {
            hash.update(text.as_bytes());
            hash.update(b"\n");
        }
        anchord_messages::shape::hex(&hash.finalize(), 32)
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.system.iter().chain(&self.messages).map(|text| text.get())
    }

    /// The bytes of all texts.
    pub(crate) fn bytes(&self) -> usize {
        self.texts().map(str::len).sum()
    }
}

/// What a context has in common with the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Common {
    /// Messages at the start that are the same.
    pub(crate) messages: usize,
    /// The bytes of the system prompt and these messages.
    pub(crate) bytes: usize,
}

/// What stays of `before` at the start of `after`: as much as a provider's cache can keep.
pub(crate) fn prefix(before: &Sent, after: &Sent) -> Common {
    let system = |sent: &Sent| sent.system.as_ref().map(|text| text.get().to_owned());
    if system(before) != system(after) {
        return Common::default();
    }
    let same = before.messages.iter().zip(&after.messages).take_while(|(a, b)| a.get() == b.get());
    let (mut messages, mut bytes) = (0, after.system.as_ref().map_or(0, |text| text.get().len()));
    for (text, _) in same {
        messages += 1;
        bytes += text.get().len();
    }
    Common { messages, bytes }
}

/// Messages of `before` that `after` does not have, by their places in `before`.
pub(crate) fn gone(before: &Sent, after: &Sent) -> Vec<usize> {
    let there: std::collections::HashSet<&str> = after.messages.iter().map(|text| text.get()).collect();
    let missing = before.messages.iter().enumerate().filter(|(_, text)| !there.contains(text.get()));
    missing.map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(json: &str) -> Sent {
        serde_json::from_str(json).expect("a context")
    }

    #[test]
    fn the_common_start_ends_at_the_first_message_that_differs() {
        let before = sent(r#"{"system":"s","messages":[{"a":1},{"b":2},{"c":3}]}"#);
        let after = sent(r#"{"system":"s","messages":[{"a":1},{"x":2},{"c":3},{"d":4}]}"#);
        assert_eq!(prefix(&before, &after), Common { messages: 1, bytes: 10 });
        assert_eq!(gone(&before, &after), [1]);
        let other = sent(r#"{"system":"t","messages":[{"a":1}]}"#);
        assert_eq!(prefix(&before, &other), Common::default());
    }

    #[test]
    fn a_digest_is_of_the_texts_as_they_are() {
        let one = sent(r#"{"messages":[{"a":1}]}"#);
        let spaced = sent(r#"{"messages":[{"a": 1}]}"#);
        assert_ne!(one.sha256(), spaced.sha256());
        assert_eq!(one.sha256().len(), 64);
    }
}
