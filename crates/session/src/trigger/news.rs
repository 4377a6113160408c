//! Which names, paths and figures a session has shown already, in a small Bloom filter.

use serde::{Deserialize, Serialize};

use super::texts;

/// 64-bit words of the filter.
const WORDS: usize = 8;
/// The filter is emptied above this many set bits. Then everything counts as new for a while, which only
/// keeps a signal from acting.
const FULL_BITS: u32 = 256;
/// The most facts that are taken from one text.
const MAX_FACTS: usize = 64;
/// Bytes that are read at each end of a text.
const END_BYTES: usize = 2 * 1024;

/// The hashes of the names in a text: words with a figure, paths, identifiers.
pub(super) fn facts_in(text: &str) -> Vec<u32> {
    let (head, tail) = texts::ends(text, END_BYTES);
    let words = [head, tail].into_iter().flat_map(|piece| piece.as_bytes().split(|byte| !is_in_name(*byte)));
    let facts = words.map(trimmed).filter(|word| is_fact(word));
    facts.map(|word| texts::hash(&[word], 30)).take(MAX_FACTS).collect()
}

/// Figures and marks, which ordinary words do not have.
const fn is_name_mark(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'/' | b'_' | b'.' | b'@')
}

fn is_in_name(byte: u8) -> bool {
    is_name_mark(byte) || byte.is_ascii_alphabetic() || matches!(byte, b':' | b'-')
}

/// A word without the marks that end a sentence or a path.
fn trimmed(mut word: &[u8]) -> &[u8] {
    while let [b'.' | b':' | b'-' | b'/', rest @ ..] = word {
        word = rest;
    }
    while let [rest @ .., b'.' | b':' | b'-' | b'/'] = word {
        word = rest;
    }
    word
}

fn is_fact(word: &[u8]) -> bool {
    if word.len() < 2 || word.len() > 200 {
        return false;
    }
    let is_hump = |pair: &[u8]| matches!(pair, [b'a'..=b'z', b'A'..=b'Z']);
    let has_hump = word.windows(2).any(is_hump);
    has_hump || word.iter().any(|byte| is_name_mark(*byte))
}

/// The filter: 512 bits, two for each fact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct BloomFilter([u64; WORDS]);

impl BloomFilter {
    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Adds facts; returns whether any of them is new.
    pub(super) fn learn(&mut self, facts: &[u32]) -> bool {
        if self.0.iter().map(|word| word.count_ones()).sum::<u32>() > FULL_BITS {
            *self = Self::default();
        }
        let mut is_new = false;
        for fact in facts {
            for place in [fact & 0x1ff, fact >> 9 & 0x1ff] {
                let bit = 1u64 << (place % 64);
                if let Some(word) = self.0.get_mut(place as usize / 64) {
                    is_new |= *word & bit == 0;
                    *word |= bit;
                }
            }
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_and_figures_are_facts_and_words_are_not() {
        assert_eq!(facts_in("We should think about it again, carefully.").len(), 0);
        assert_eq!(facts_in("In src/pool.rs the maxSize is 20.").len(), 3);
        assert_eq!(facts_in("端口是8080，文件是config.yaml。").len(), 2);
    }

    #[test]
    fn many_names_are_bounded() {
        let many = (0..200).map(|name| format!("file_{name} and ")).collect::<Vec<_>>().concat();
        assert_eq!(facts_in(&many).len(), MAX_FACTS);
    }

    #[test]
    fn what_was_shown_is_not_new_again() {
        let mut filter = BloomFilter::default();
        assert!(filter.learn(&facts_in("src/pool.rs")));
        assert!(!filter.learn(&facts_in("once more: src/pool.rs")));
        assert!(filter.learn(&facts_in("src/pool.rs and src/main.rs")));
    }
}
