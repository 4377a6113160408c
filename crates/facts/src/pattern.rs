//! The patterns of rules: compiled, and found fast in a line (`table`).
//!
//! Programs print ASCII around their messages, and an automaton with ASCII word boundaries stays fast on lines with
//! other characters. Only patterns with words of other scripts need Unicode's boundaries.

mod compile;
mod required;
mod table;

pub use compile::{Grouped, ascii, narrowed, unicode};
pub(crate) use table::{Line, Rule, Table};

use aho_corasick::AhoCorasick;

/// A searcher for words of which every match of a pattern has one; `None` where it has none.
pub(crate) fn required_words(pattern: &str) -> Option<AhoCorasick> {
    required::words(pattern).and_then(|words| required::finder(words).ok())
}
