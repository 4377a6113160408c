//! Which names, paths and figures a session has shown already, in a small Bloom filter.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::packed;

/// 64-bit words of the filter.
const WORDS: usize = 8;
/// The filter is emptied above this many set bits. Then everything counts as new for a while, which only
/// keeps a signal from acting.
const FULL_BITS: u32 = 256;
/// The most facts that are taken from one text.
const MAX_FACTS: usize = 64;
/// Bytes that are read at each end of a text.
const END_BYTES: usize = 2 * 1024;
/// Bytes that are tested together for one that only names have.
const CHUNK: usize = 32;

/// The hashes of the names in a text: words with a figure, paths, identifiers.
pub(super) fn facts_in(text: &str) -> Vec<u32> {
    let mut facts = Vec::new();
    let (head, tail) = packed::ends(text, END_BYTES);
    for piece in [head, tail] {
        // Every append runs this, so it works on bytes, as names are ASCII. Most words have no byte that only
        // names have and are skipped.
        let mut rest = piece.as_bytes();
        while facts.len() < MAX_FACTS {
            let Some(found) = find_name_byte(rest) else { break };
            let (before, from) = rest.split_at_checked(found).unwrap_or((rest, &[]));
            let start = before.iter().rposition(|byte| !is_in_name(*byte)).map_or(0, |other| other + 1);
            let end = found + from.iter().position(|byte| !is_in_name(*byte)).unwrap_or(from.len());
            let word = trimmed(rest.get(start..end).unwrap_or_default());
            if is_fact(word) {
                facts.push(packed::hash(&[word], 30));
            }
            rest = rest.get(end..).unwrap_or_default();
        }
    }
    facts
}

/// The place of the first byte that only names have: a figure, a mark, or a capital after a small letter.
fn find_name_byte(text: &[u8]) -> Option<usize> {
    let mut before = b' ';
    let mut place = 0;
    for chunk in text.chunks(CHUNK) {
        // A whole chunk without a branch, so that the compiler can vectorise it.
        let may_be_name = |any, byte: &u8| any | is_name_mark(*byte) | byte.is_ascii_uppercase();
        if chunk.iter().fold(false, may_be_name) {
            for (at, byte) in chunk.iter().enumerate() {
                if is_name_mark(*byte) || is_hump(before, *byte) {
                    return Some(place + at);
                }
                before = *byte;
            }
        }
        before = chunk.last().copied().unwrap_or(before);
        place += chunk.len();
    }
    None
}

/// Figures and marks, which ordinary words do not have.
const fn is_name_mark(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'/' | b'_' | b'.' | b'@')
}

const fn is_hump(before: u8, byte: u8) -> bool {
    before.is_ascii_lowercase() && byte.is_ascii_uppercase()
}

fn is_in_name(byte: u8) -> bool {
    IN_NAMES.get(usize::from(byte)).copied().unwrap_or_default()
}

/// A table, because every byte of a name is looked up.
#[expect(clippy::indexing_slicing, reason = "the compiler makes it, and would refuse what is outside")]
static IN_NAMES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] =
            is_name_mark(byte) || byte.is_ascii_alphabetic() || matches!(byte, b':' | b'-');
        byte += 1;
    }
    table
};

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
    let has_hump = word.windows(2).any(|pair| matches!(pair, [before, byte] if is_hump(*before, *byte)));
    has_hump || word.iter().any(|byte| is_name_mark(*byte))
}

/// The filter: 512 bits, two for each fact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

impl Serialize for BloomFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(WORDS * 16);
        for word in self.0 {
            packed::push(&mut text, word, 16);
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for BloomFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut rest: &str = &text;
        let mut filter = Self::default();
        for word in &mut filter.0 {
            *word = packed::take(&mut rest, 16).unwrap_or_default();
        }
        Ok(filter)
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

    /// The facts of a text that is split word by word.
    fn facts_by_word(text: &str) -> Vec<u32> {
        let part_of_name =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '.' | ':' | '-' | '@');
        let words =
            text.split(|c: char| !part_of_name(c)).map(|word| word.trim_matches(['.', ':', '-', '/']));
        let facts = words.filter(|word| is_fact(word.as_bytes()));
        facts.map(|word| packed::hash(&[word.as_bytes()], 30)).take(MAX_FACTS).collect()
    }

    #[test]
    fn a_scan_for_name_bytes_finds_what_splitting_into_words_finds() {
        let text = "See src/pool.rs:12, (maxSize=20) -- e.g. «naïveName» 文件a.b和c ... https://x.io/?q=ab&c_d=E4; \
                    the-end. A/B: fooBar- @me v1. B-2 :: -x- aB Ba 0 00 end./";
        let facts = facts_in(text);
        assert!(facts.len() > 10);
        assert_eq!(facts, facts_by_word(text));
        let many = (0..200).map(|name| format!("file_{name} and ")).collect::<Vec<_>>().concat();
        assert_eq!(facts_in(&many), facts_by_word(&many));
    }

    proptest::proptest! {
        #[test]
        fn facts_are_the_same_wherever_words_stand(
            words in proptest::collection::vec(
                proptest::sample::select(vec![
                    "word ", "camelCase", " ", "A", "b", "B", "...", "src/a.rs", ":12", "-", "é", "文件", "0", "@", "_", "/", "\n",
                    "a long run of words without any name in it ",
                ]),
                0..60,
            ),
        ) {
            let text = words.concat();
            proptest::prop_assert_eq!(facts_in(&text), facts_by_word(&text));
        }
    }

    #[test]
    fn what_was_shown_is_not_new_again() {
        let mut filter = BloomFilter::default();
        assert!(filter.learn(&facts_in("src/pool.rs")));
        assert!(!filter.learn(&facts_in("once more: src/pool.rs")));
        assert!(filter.learn(&facts_in("src/pool.rs and src/main.rs")));
        let text = serde_json::to_string(&filter).unwrap();
        assert_eq!(serde_json::from_str::<BloomFilter>(&text).unwrap(), filter);
    }
}
