//! Brings the forms of a word together: light stemming, by language where the text tells it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;

/// A language whose words are stemmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    English,
    French,
    German,
    Spanish,
}

/// The languages that share the Latin script here; a query, too short to tell, is stemmed in each.
pub(super) const LATIN: [Language; 4] =
    [Language::English, Language::French, Language::German, Language::Spanish];

/// Words that are frequent in one language and are no words of the others.
const MARKERS: [(Language, &[&str]); 4] = [
    (
        Language::English,
        &["the", "and", "of", "is", "to", "that", "it", "for", "with", "this", "you", "not", "be", "are"],
    ),
    (
        Language::French,
        &[
            "le", "la", "les", "des", "et", "est", "une", "du", "pour", "dans", "que", "qui", "pas", "je",
            "nous", "vous",
        ],
    ),
    (
        Language::German,
        &[
            "der", "die", "das", "und", "ist", "nicht", "ein", "eine", "zu", "den", "mit", "ich", "wir",
            "auf", "für", "von",
        ],
    ),
    (
        Language::Spanish,
        &[
            "el", "los", "las", "y", "es", "una", "del", "por", "para", "que", "en", "con", "no", "se", "lo",
            "como",
        ],
    ),
];

/// The same words, each with the languages that it marks.
static MARKED: LazyLock<HashMap<&str, [bool; MARKERS.len()], RandomState>> = LazyLock::new(|| {
    let mut marked: HashMap<_, [bool; MARKERS.len()], _> = HashMap::default();
    for (language, (_, words)) in MARKERS.iter().enumerate() {
        for word in *words {
            if let Some(mark) = marked.entry(*word).or_default().get_mut(language) {
                *mark = true;
            }
        }
    }
    marked
});

/// The longest of them, in bytes.
const LONGEST_MARKER: usize = 5;

/// How much of a text is read to tell its language, in bytes.
const SAMPLE: usize = 4_096;

/// Tells the language of a text by its function words; English when they do not tell.
pub(super) fn language(text: &str) -> Language {
    let end = text.floor_char_boundary(SAMPLE);
    let mut counts = [0_u32; MARKERS.len()];
    let mut count = |word: &str| {
        for (count, mark) in counts.iter_mut().zip(MARKED.get(word).into_iter().flatten()) {
            *count += u32::from(*mark);
        }
    };
    let sample = text.get(..end).unwrap_or_default();
    if sample.is_ascii() {
        let lower = sample.to_ascii_lowercase();
        let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(|word| word.len() <= LONGEST_MARKER).for_each(count);
    } else {
        let words = sample.split(|c: char| !c.is_alphanumeric());
        // A capital may take more bytes than its small letter.
        words.filter(|word| word.len() <= LONGEST_MARKER + 3).for_each(|word| count(&word.to_lowercase()));
    }
    let [english, ..] = counts;
    let mut best = (english.max(1), Language::English);
    for (count, (language, _)) in counts.into_iter().zip(MARKERS) {
        if count > best.0 {
            best = (count, language);
        }
    }
    best.1
}

/// Whether a word is one of digits or too short to have endings.
pub(super) fn is_own_stem(word: &str) -> bool {
    word.len() < 3 || word.bytes().any(|b| b.is_ascii_digit())
}

/// Stems words of one text.
pub(super) struct Stems {
    latin: Stemmer,
    russian: Stemmer,
}

impl Stems {
    /// Makes the stemmers for a language; Cyrillic words are stemmed as Russian in any.
    pub fn new(language: Language) -> Self {
        let algorithm = match language {
            Language::English => Algorithm::English,
            Language::French => Algorithm::French,
            Language::German => Algorithm::German,
            Language::Spanish => Algorithm::Spanish,
        };
        Self { latin: Stemmer::create(algorithm), russian: Stemmer::create(Algorithm::Russian) }
    }

    /// The stem of a lower-cased word; digits, single letters and other scripts stay as they are.
    pub fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        if is_own_stem(word) {
            return Cow::Borrowed(word);
        }
        if word.is_ascii() {
            return self.latin.stem(word);
        }
        if word.chars().all(|c| matches!(c, 'а'..='я' | 'ё')) {
            let word = word.replace('ё', "е");
            return Cow::Owned(self.russian.stem(&word).into_owned());
        }
        if word.chars().all(|c| u32::from(c) < 0x250) {
            // Accents are part of the endings that a stemmer knows, and are often left out by those who ask.
            return Cow::Owned(without_accents(&self.latin.stem(word)));
        }
        Cow::Borrowed(word)
    }
}

fn without_accents(word: &str) -> String {
    word.nfkd().filter(|c| !matches!(u32::from(*c), 0x0300..=0x036F)).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("The tests of the parser are not in this folder", Language::English)]
    #[case("Je voudrais que les tests passent dans le dossier", Language::French)]
    #[case("Ich möchte, dass die Tests mit der neuen Version laufen", Language::German)]
    #[case("Quiero que los cambios se guarden en el archivo", Language::Spanish)]
    #[case("fn main() {}", Language::English)]
    #[case("", Language::English)]
    fn function_words_tell_the_language(#[case] text: &str, #[case] expected: Language) {
        assert_eq!(language(text), expected);
    }

    #[rstest]
    #[case(Language::English, "painting", "painted")]
    #[case(Language::French, "continuation", "continuer")]
    #[case(Language::German, "häuser", "hauser")]
    #[case(Language::Spanish, "archivos", "archivo")]
    #[case(Language::English, "переговоры", "переговоров")]
    #[case(Language::English, "ёлка", "елка")]
    fn forms_of_a_word_have_one_stem(#[case] language: Language, #[case] one: &str, #[case] other: &str) {
        let stems = Stems::new(language);
        assert_eq!(stems.stem(one), stems.stem(other));
    }

    #[test]
    fn no_marker_is_longer_than_what_is_looked_up() {
        assert_eq!(
            MARKERS.iter().flat_map(|(_, words)| *words).map(|word| word.len()).max(),
            Some(LONGEST_MARKER)
        );
    }

    #[test]
    fn names_with_digits_and_short_words_stay() {
        let stems = Stems::new(Language::English);
        for word in ["v2s", "is", "x", "10s", "हिन्दी"] {
            assert_eq!(stems.stem(word), word);
        }
    }
}
