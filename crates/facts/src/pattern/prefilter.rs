//! The prefilter: finds in one pass which of many patterns may match a line.
//!
//! Every pattern has required words (`required`), of which every match contains one; all of them are searched for at
//! once.
//! Invariant: a pattern that is not a candidate for a line does not match it.
//!
//! One automaton for all patterns needed too much memory on prose, and was rebuilt half of the time. Instead, one pass
//! for words selects the few candidates, usually none, and each of these runs alone.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, PatternID};

use super::compile::Grouped;
use super::required;

/// One automaton for the required words of several patterns.
pub(crate) struct Prefilter {
    words: AhoCorasick,
    /// For each word, the index of the pattern that requires it.
    patterns: Vec<usize>,
}

/// The byte range of a line, without its line end, and the indices of the patterns that may match it.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) candidates: BTreeSet<usize>,
}

impl Prefilter {
    /// A filter for patterns, each of which has required words (a test checks it with `Grouped::problem`).
    ///
    /// # Panics
    /// When the automaton cannot be built: the words come from constants, and tests build each filter.
    pub(crate) fn new<'p>(patterns: impl IntoIterator<Item = &'p Grouped>) -> Self {
        let words_of = |pattern: &Grouped| required::words(&pattern.pattern).unwrap_or_default();
        let required = patterns.into_iter().map(words_of).enumerate();
        let (patterns, words) =
            required.flat_map(|(at, words)| words.into_iter().map(move |word| (at, word))).unzip();
        #[expect(clippy::expect_used, reason = "the words come from constants, and tests build each filter")]
        let words = required::finder(words).expect("the words are valid");
        Self { words, patterns }
    }

    /// The indices of the patterns that may match anywhere in a text, ascending.
    pub(crate) fn candidates(&self, text: &str) -> BTreeSet<usize> {
        self.words.find_overlapping_iter(text).filter_map(|hit| self.pattern_of(hit.pattern())).collect()
    }

    /// Whether any pattern may match in a text.
    pub(crate) fn may_match(&self, text: &str) -> bool {
        self.words.is_match(text)
    }

    /// The lines that any pattern may match, in order.
    pub(crate) fn lines(&self, text: &str) -> impl Iterator<Item = Line> {
        let mut hits = self.words.find_overlapping_iter(text).peekable();
        std::iter::from_fn(move || {
            let first = hits.peek()?.start();
            let (before, behind) = text.as_bytes().split_at_checked(first)?;
            let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', behind).map_or(text.len(), |end| first + end);
            let mut candidates = BTreeSet::new();
            while let Some(hit) = hits.next_if(|hit| hit.start() < end) {
                candidates.extend(self.pattern_of(hit.pattern()));
            }
            Some(Line { start, end, candidates })
        })
    }

    fn pattern_of(&self, word: PatternID) -> Option<usize> {
        self.patterns.get(word.as_usize()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn the_lines_have_every_pattern_that_matches_in_them(text in "[abcBé\n]{0,24}") {
            let patterns = ["^ab", "bc", "é+b", "(?i)cc|ba"].map(Grouped::ascii);
            let filter = Prefilter::new(&patterns);
            let lines: Vec<Line> = filter.lines(&text).collect();
            proptest::prop_assert!(lines.windows(2).all(|two| two[0].end < two[1].start));
            let mut from = 0;
            for line in text.split('\n') {
                let found: Vec<usize> =
                    lines.iter().filter(|one| one.start == from).flat_map(|line| line.candidates.clone()).collect();
                for (at, pattern) in patterns.iter().enumerate() {
                    proptest::prop_assert!(!pattern.is_match(line) || found.contains(&at), "{at} in {line}");
                }
                from += line.len() + 1;
            }
        }
    }
}
