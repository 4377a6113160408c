//! Words that speak for patterns, all looked for in one pass over a line.

use aho_corasick::automaton::Automaton as _;
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, StartKind};

/// Words in whatever case of ASCII, each with the patterns that it speaks for.
pub(super) struct Marked {
    automaton: DFA,
    /// The patterns that each word speaks for, as bits.
    patterns: Vec<u128>,
}

impl Marked {
    /// Takes in words, each with the bits of its patterns; one word may come again with others.
    pub(super) fn new<W: AsRef<[u8]> + PartialEq>(words: impl IntoIterator<Item = (W, u128)>) -> Self {
        let mut known: Vec<(W, u128)> = Vec::new();
        for (word, bits) in words {
            match known.iter_mut().find(|(other, _)| *other == word) {
                Some((_, all)) => *all |= bits,
                None => known.push((word, bits)),
            }
        }
        let (words, patterns): (Vec<W>, Vec<u128>) = known.into_iter().unzip();
        #[expect(clippy::expect_used, reason = "the words are constants, and tests compile them")]
        let automaton = DFA::builder()
            .ascii_case_insensitive(true)
            .prefilter(false)
            .start_kind(StartKind::Unanchored)
            .build(words)
            .expect("the words are valid");
        Self { automaton, patterns }
    }

    /// The patterns of all words that a text has, as bits.
    pub(super) fn found_in(&self, text: &str) -> u128 {
        let Ok(mut state) = self.automaton.start_state(Anchored::No) else { return u128::MAX };
        let mut found = 0;
        for byte in text.bytes() {
            state = self.automaton.next_state(Anchored::No, state, byte);
            if self.automaton.is_match(state) {
                for at in 0..self.automaton.match_len(state) {
                    let word = self.automaton.match_pattern(state, at).as_usize();
                    found |= self.patterns.get(word).copied().unwrap_or_default();
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn every_word_is_found_wherever_it_stands(text in "[abcB]{0,12}") {
            let words = [("ab", 1), ("b", 2), ("bca", 4), ("ab", 8), ("cc", 16)];
            let lower = text.to_lowercase();
            let expected = words.iter().filter(|(word, _)| lower.contains(word)).fold(0, |all, (_, bits)| all | bits);
            proptest::prop_assert_eq!(Marked::new(words).found_in(&text), expected);
        }
    }
}
