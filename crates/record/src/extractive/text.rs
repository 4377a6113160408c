//! Shortens the texts of entries, and finds those without content.

use anchord_facts::wording::{self, clip_chars};

/// At most `max` characters, cut between words, paths and numbers, with `…` at a cut.
pub(super) fn clip(text: &str, max: usize) -> String {
    let head = wording::clip_words(text, max);
    if head.len() == text.len() {
        return text.to_owned();
    }
    // A single word longer than the limit is data; its beginning identifies it.
    let head = if head.is_empty() { clip_chars(text, max) } else { head };
    format!("{head}…")
}

/// Whether a text has no content and should be left out.
pub(super) fn is_placeholder(text: &str) -> bool {
    let bare = text.trim().trim_matches(|c: char| c.is_ascii_punctuation() && c != '.' || c == '…');
    let lower = bare.to_ascii_lowercase();
    bare.is_empty()
        || matches!(lower.as_str(), "..." | "etc." | "etc" | "none" | "n/a" | "todo" | "tbd" | "null")
        || lower.contains("[tbd]")
        || bare.chars().all(|c| !c.is_alphanumeric())
}
