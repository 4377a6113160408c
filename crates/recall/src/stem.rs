//! The stemmer: maps forms of a word to one stem by removing English endings, and accents, which people often leave out
//! in questions.
//!
//! Words of other scripts are not stemmed.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;

/// Whether a word has only digits or is too short to have endings.
pub(super) fn is_own_stem(word: &str) -> bool {
    word.len() < 3 || word.bytes().any(|b| b.is_ascii_digit())
}

/// Stems words.
pub(super) struct Stems(Stemmer);

impl Default for Stems {
    fn default() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }
}

impl Stems {
    /// The stem of a lower-cased word; digits, single letters and other scripts are returned unchanged.
    pub fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        if is_own_stem(word) {
            Cow::Borrowed(word)
        } else if word.is_ascii() {
            self.0.stem(word)
        } else if word.chars().all(|c| u32::from(c) < 0x250) {
            let plain: String = word.nfkd().filter(|c| !matches!(u32::from(*c), 0x0300..=0x036F)).collect();
            Cow::Owned(self.0.stem(&plain).into_owned())
        } else {
            Cow::Borrowed(word)
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("painting", "painted")]
    #[case("naïve", "naive")]
    #[case("häuser", "hauser")]
    fn forms_of_a_word_have_one_stem(#[case] one: &str, #[case] other: &str) {
        let stems = Stems::default();
        assert_eq!(stems.stem(one), stems.stem(other));
    }

    #[test]
    fn names_with_digits_short_words_and_other_scripts_stay() {
        let stems = Stems::default();
        for word in ["v2s", "is", "x", "10s", "हिन्दी", "переговоров"] {
            assert_eq!(stems.stem(word), word);
        }
    }
}
