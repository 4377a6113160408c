//! Which names, paths and figures a session has shown already: a small filter, not a list.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::packed;

/// 64-bit words of the filter.
const WORDS: usize = 8;
/// Above this many bits the filter is emptied: then everything is news for a while, which only keeps
/// a signal silent.
const FULL_BITS: u32 = 256;
/// The most facts of one message.
const MAX_FACTS: usize = 64;
/// Bytes that are looked at, at each end of a text.
const END_BYTES: usize = 2 * 1024;

/// The hashes of what a text names: words with a figure, paths, identifiers.
pub(super) fn facts_in(text: &str) -> Vec<u32> {
    let mut facts = Vec::new();
    let (head, tail) = packed::ends(text, END_BYTES);
    for piece in [head, tail] {
        // Byte by byte, as what a name is made of is ASCII, and every append comes through here: most words
        // are passed over by one look at each byte.
        let mut rest = piece.as_bytes();
        while let Some(start) = rest.iter().position(|byte| kind_of(*byte) != Byte::Other) {
            rest = rest.get(start..).unwrap_or_default();
            let (mut end, mut may_tell, mut before) = (0, false, Byte::Other);
            for byte in rest {
                let kind = kind_of(*byte);
                if kind == Byte::Other {
                    break;
                }
                may_tell |= kind == Byte::Telling || (kind == Byte::Upper && before == Byte::Lower);
                (before, end) = (kind, end + 1);
            }
            let (word, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            rest = after;
            let word = if may_tell { trimmed(word) } else { &[] };
            if is_fact(word) && facts.len() < MAX_FACTS {
                facts.push(packed::hash(&[word], 30));
            }
        }
    }
    facts
}

/// What a byte is to a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    /// No part of one.
    Other,
    Lower,
    Upper,
    /// A figure or a mark that words do not have.
    Telling,
    /// A mark that only joins.
    Joining,
}

fn kind_of(byte: u8) -> Byte {
    KINDS.get(usize::from(byte)).copied().unwrap_or(Byte::Other)
}

/// A table, because every byte of every append is looked up.
#[expect(clippy::indexing_slicing, reason = "the compiler makes it, and would refuse what is outside")]
static KINDS: [Byte; 256] = {
    let mut kinds = [Byte::Other; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' => Byte::Lower,
            b'A'..=b'Z' => Byte::Upper,
            b'0'..=b'9' | b'/' | b'_' | b'.' | b'@' => Byte::Telling,
            b':' | b'-' => Byte::Joining,
            _ => Byte::Other,
        };
        byte += 1;
    }
    kinds
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
    let humps = word.windows(2).any(|pair| matches!(pair, [b'a'..=b'z', b'A'..=b'Z']));
    humps || word.iter().any(|b| b.is_ascii_digit() || matches!(b, b'/' | b'_' | b'.' | b'@'))
}

/// The filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known([u64; WORDS]);

impl Known {
    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Takes facts in; tells whether any of them is new.
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

impl Serialize for Known {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(WORDS * 16);
        for word in self.0 {
            packed::push(&mut text, word, 16);
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Known {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut rest: &str = &text;
        let mut known = Self::default();
        for word in &mut known.0 {
            *word = packed::take(&mut rest, 16).unwrap_or_default();
        }
        Ok(known)
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
    fn a_look_at_each_byte_finds_what_a_look_at_each_word_does() {
        let text = "See src/pool.rs:12, (maxSize=20) -- e.g. «naïveName» 文件a.b和c ... https://x.io/?q=ab&c_d=E4; \
                    the-end. A/B: fooBar- @me v1. B-2 :: -x- aB Ba 0 00 end./";
        let part_of_name =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '.' | ':' | '-' | '@');
        let words =
            text.split(|c: char| !part_of_name(c)).map(|word| word.trim_matches(['.', ':', '-', '/']));
        let facts: Vec<u32> = words
            .filter(|word| is_fact(word.as_bytes()))
            .map(|word| packed::hash(&[word.as_bytes()], 30))
            .collect();
        assert!(facts.len() > 10);
        assert_eq!(facts_in(text), facts);
    }

    #[test]
    fn what_was_shown_is_not_new_again() {
        let mut known = Known::default();
        assert!(known.learn(&facts_in("src/pool.rs")));
        assert!(!known.learn(&facts_in("once more: src/pool.rs")));
        assert!(known.learn(&facts_in("src/pool.rs and src/main.rs")));
        let text = serde_json::to_string(&known).unwrap();
        assert_eq!(serde_json::from_str::<Known>(&text).unwrap(), known);
    }
}
