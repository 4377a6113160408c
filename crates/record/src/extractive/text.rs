//! Texts of entries: their length, and which of them say nothing.

use anchord_facts::wording::{self, clip_chars};

/// At most `max` characters, never half a word, path or number, with `…` for what was cut.
pub(super) fn clip(text: &str, max: usize) -> String {
    let head = wording::clip_words(text, max);
    if head.len() == text.len() {
        return text.to_owned();
    }
    // One word longer than all of the room is data; its start tells which.
    let head = if head.is_empty() { clip_chars(text, max) } else { head };
    format!("{head}…")
}

/// Whether a text says nothing: to be left out rather than served.
pub(super) fn is_placeholder(text: &str) -> bool {
    let bare = text.trim().trim_matches(|c: char| c.is_ascii_punctuation() && c != '.' || c == '…');
    let lower = bare.to_ascii_lowercase();
    bare.is_empty()
        || matches!(lower.as_str(), "..." | "etc." | "etc" | "none" | "n/a" | "todo" | "tbd" | "null")
        || lower.contains("[tbd]")
        || bare.chars().all(|c| !c.is_alphanumeric())
}
