//! English stop words: articles, pronouns, prepositions, auxiliaries. Negations are not among them.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

static ENGLISH: LazyLock<HashSet<&str, RandomState>> =
    LazyLock::new(|| include_str!("../../../rules/stop_words.en.txt").split_whitespace().collect());

/// Whether a word in lower case is a stop word.
pub fn is_stop_word(word: &str) -> bool {
    ENGLISH.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_word_is_one_as_a_whole_and_a_negation_is_none() {
        assert!(is_stop_word("the") && is_stop_word("your"));
        assert!(!is_stop_word("them all") && !is_stop_word("not") && !is_stop_word(""));
    }
}
