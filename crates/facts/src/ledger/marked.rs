//! Words that speak for patterns, all looked for in one pass over a line.
//!
//! An automaton waits for each of its steps before it takes the next one. Here every two bytes that follow
//! each other are looked up by themselves, in a table small enough to stay near the processor, and only
//! where a word begins with them is it compared.

/// How many classes there are for bytes; bytes that share one are told apart when a word is compared.
const CLASSES: usize = 64;

/// Words in whatever case of ASCII, each with the patterns that it speaks for.
pub(super) struct Marked {
    /// The class of each byte; 0 for those that no word has.
    classes: [u8; 256],
    /// For each two classes, one more than the place of the words that begin with them; 0 for none.
    begins: Vec<u16>,
    /// Words that begin with the same classes, and the patterns that each speaks for, as bits.
    words: Vec<Vec<(Box<[u8]>, u128)>>,
}

impl Marked {
    /// Takes in words, each with the bits of its patterns; one word may come again with others.
    pub(super) fn new<W: AsRef<[u8]>>(words: impl IntoIterator<Item = (W, u128)>) -> Self {
        let mut marked = Self { classes: [0; 256], begins: vec![0; CLASSES * CLASSES], words: Vec::new() };
        let words: Vec<(Box<[u8]>, u128)> =
            words.into_iter().map(|(word, bits)| (word.as_ref().to_ascii_lowercase().into(), bits)).collect();
        let mut class = 0;
        for byte in words.iter().flat_map(|(word, _)| word.iter().take(2)) {
            if marked.class(*byte) == 0 {
                class = class % (CLASSES - 1) + 1;
                for byte in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
                    if let (Some(slot), Ok(class)) =
                        (marked.classes.get_mut(usize::from(byte)), u8::try_from(class))
                    {
                        *slot = class;
                    }
                }
            }
        }
        for (word, bits) in words {
            match *word {
                [] => {}
                // Anything may stand behind a word of one byte, or nothing, which is no class.
                [only] => (0..CLASSES).for_each(|next| marked.add(marked.class(only), next, &word, bits)),
                [first, second, ..] => marked.add(marked.class(first), marked.class(second), &word, bits),
            }
        }
        marked
    }

    fn class(&self, byte: u8) -> usize {
        self.classes.get(usize::from(byte)).copied().unwrap_or_default().into()
    }

    /// Takes in a word that begins with two classes.
    fn add(&mut self, first: usize, second: usize, word: &[u8], bits: u128) {
        let Some(place) = self.begins.get_mut(first * CLASSES + second) else { return };
        if *place == 0 {
            self.words.push(Vec::new());
            *place = u16::try_from(self.words.len()).unwrap_or_default();
        }
        let Some(words) = usize::from(*place).checked_sub(1).and_then(|at| self.words.get_mut(at)) else {
            return;
        };
        match words.iter_mut().find(|(other, _)| **other == *word) {
            Some((_, all)) => *all |= bits,
            None => words.push((word.into(), bits)),
        }
    }

    /// The patterns of all words that a text has, as bits.
    pub(super) fn found_in(&self, text: &str) -> u128 {
        let bytes = text.as_bytes();
        let Some((first, behind)) = bytes.split_first() else { return 0 };
        let mut found = 0;
        let mut before = self.class(*first);
        let classes = behind.iter().map(|byte| self.class(*byte)).chain([0]);
        for (at, class) in classes.enumerate() {
            let place = self.begins.get(before * CLASSES + class).copied().unwrap_or_default();
            before = class;
            if place != 0 {
                found |= self.compared(usize::from(place) - 1, bytes.get(at..).unwrap_or_default(), found);
            }
        }
        found
    }

    /// The patterns of the words of a place that a text begins with, those that are known left out.
    fn compared(&self, place: usize, text: &[u8], known: u128) -> u128 {
        let words = self.words.get(place).into_iter().flatten();
        let begins = |word: &[u8]| text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
        words.filter(|(word, of)| of & !known != 0 && begins(word)).fold(0, |bits, (_, of)| bits | of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn every_word_is_found_wherever_it_stands(text in "[abcBéè]{0,12}") {
            let words = [("ab", 1), ("b", 2), ("bca", 4), ("ab", 8), ("cc", 16), ("é", 32), ("\u{e8}a", 64)];
            let lower = text.to_lowercase();
            let expected = words.iter().filter(|(word, _)| lower.contains(word)).fold(0, |all, (_, bits)| all | bits);
            proptest::prop_assert_eq!(Marked::new(words).found_in(&text), expected);
        }
    }
}
