//! Required words of a pattern, derived from the pattern itself: every match contains one of them.
//!
//! Invariant: a text that the pattern matches contains one of its words, in any ASCII case, and no word contains white
//! space. So a fast search for words excludes most texts.
//!
//! Word lists written by hand beside the patterns had drifted and missed words. The cost of deriving them: every
//! pattern is parsed twice at its first use, and must have a word of two letters.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, BuildError};
use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Hir, HirKind};

/// A pattern with more words counts as one without.
const MAX_WORDS: usize = 500;
/// The length in bytes to which words are read: a longer one is not more selective.
const LONG: usize = 6;
/// The most spellings of words in either case that are made on the way.
const MAX_SPELLINGS: usize = 1 << 12;

/// Words, one of which every match contains; the last letter outside of ASCII may be cut.
pub(super) type Words = Vec<Vec<u8>>;

/// A searcher for words in any ASCII case.
pub(super) fn finder(words: Words) -> Result<AhoCorasick, BuildError> {
    AhoCorasickBuilder::new().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(words)
}

/// The required words of a pattern, in lower case; `None` when it has no selective ones.
pub(super) fn words(pattern: &str) -> Option<Words> {
    let pattern = regex_syntax::Parser::new().parse(pattern).ok()?;
    best_in(&pattern).filter(|words| words.len() <= MAX_WORDS && worth(words) > (1, 0))
}

/// How selective words are: by the length of the shortest, then by how few they are.
fn worth(words: &Words) -> (usize, isize) {
    (words.iter().map(Vec::len).min().unwrap_or_default(), -words.len().cast_signed())
}

/// The most selective words of a pattern: those that it begins with, or that one of its parts does.
fn best_in(pattern: &Hir) -> Option<Words> {
    let within = match pattern.kind() {
        HirKind::Capture(group) => best_in(&group.sub),
        HirKind::Repetition(one) => Some(one).filter(|one| one.min > 0).and_then(|one| best_in(&one.sub)),
        HirKind::Concat(parts) => {
            let rest = parts.get(1..).unwrap_or_default();
            [parts.first().and_then(best_in), best_in(&Hir::concat(rest.to_vec()))]
                .into_iter()
                .flatten()
                .max_by_key(worth)
        }
        HirKind::Alternation(choices) => {
            let each: Option<Vec<Words>> = choices.iter().map(best_in).collect();
            each.map(|each| each.concat())
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => None,
    };
    within.into_iter().chain(first_of(pattern)).max_by_key(worth)
}

/// The words that a pattern begins with, if it has few.
fn first_of(pattern: &Hir) -> Option<Words> {
    let mut extractor = Extractor::new();
    extractor.limit_class(LONG).limit_literal_len(LONG).limit_total(MAX_SPELLINGS);
    let spellings = extractor.extract(pattern);
    // White space ends a word, so that a text contains the word however it is broken into lines.
    let longest = |spelling: &[u8]| {
        let words = spelling.split(u8::is_ascii_whitespace);
        words.max_by_key(|word| word.len()).unwrap_or_default().to_ascii_lowercase()
    };
    let mut words: Words =
        spellings.literals()?.iter().map(|spelling| longest(spelling.as_bytes())).collect();
    words.sort_unstable();
    words.dedup();
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(pattern: &str) -> Option<Vec<String>> {
        let texts = words(pattern)?.into_iter().map(|word| String::from_utf8_lossy(&word).into_owned());
        Some(texts.filter(|word| !word.contains(['\u{17f}', '\u{212a}'])).collect())
    }

    #[test]
    fn the_words_of_a_pattern_are_its_longest_that_no_match_is_without() {
        let some = |words: &[&str]| Some(words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
        assert_eq!(told(r"(?i)\bfor\s+the\b"), some(&["for"]));
        assert_eq!(told(r"\bdo(?:n['’]t)?\s+never\b"), some(&["never"]));
        assert_eq!(told(r"(?i)\b(?:never|only) do"), some(&["never", "only"]));
        assert_eq!(told(r"(?:ab|c)d+"), some(&["abd", "cd"]));
        assert_eq!(told(r"(?:a|c)\d+"), None);
        assert_eq!(told(r"\w+|never"), None);
        assert_eq!(told(r"决定|定了"), some(&["决定", "定了"]));
        assert_eq!(told(r"(?i)x{2,3}ok"), some(&["xx"]));
        assert_eq!(told(r"(?i)to\s+do: never\b"), some(&["never"]));
        let kelvin = "o\u{212a}".as_bytes().to_vec();
        assert!(words(r"(?i)ok").is_some_and(|words| words.contains(&kelvin)));
        assert!(words(r"(?i)да").is_some_and(|words| words.len() > 1));
    }

    proptest! {
        #[test]
        fn a_text_that_a_pattern_matches_has_one_of_its_words(
            (pattern, text) in prop::sample::select(vec![
                r"(?i)\b(?:do\s+not|never|make (?:sure|ok))\b",
                r"(?i)(?:ни|нет|за)когда|必ず|ab{0,3}cd?e",
                r"(?:a|be){2,3}(?:c|[de])+f?|x[yY]z",
                r"(?i)sk[a-c]+ſk",
            ])
            .prop_flat_map(|pattern| (Just(pattern), proptest::string::string_regex(&pattern.replace(r"\b", "")).unwrap()))
        ) {
            if regex::Regex::new(pattern).unwrap().is_match(&text)
                && let Some(Ok(finder)) = words(pattern).map(finder)
            {
                prop_assert!(finder.is_match(&text), "{pattern}: {text}");
            }
        }
    }
}
