//! The prefilter: finds in one pass which of many patterns may match a line.
//!
//! Every pattern has required words (`required`), of which every match contains one; all of them are searched for at
//! once.
//! Invariant: a pattern that is not a candidate for a line does not match it.
//!
//! One automaton for all patterns needed too much memory on prose, and was rebuilt half of the time. Instead, one pass
//! for words selects the few candidates, usually none, and each of these runs alone.

use aho_corasick::AhoCorasick;

use super::compile::Grouped;
use super::required;

/// The most patterns that one filter takes.
const MAX_PATTERNS: usize = 256;

/// The set of candidates, as a bit set of the patterns' indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Candidates([u64; MAX_PATTERNS / 64]);

impl Candidates {
    fn insert(&mut self, at: usize) {
        if let Some(bits) = self.0.get_mut(at / 64) {
            *bits |= 1 << (at % 64);
        }
    }

    fn add(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(bits, more)| *bits |= more);
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(block, mut bits)| {
            std::iter::from_fn(move || {
                let next = (bits != 0).then_some(block * 64 + bits.trailing_zeros() as usize);
                bits &= bits.wrapping_sub(1);
                next
            })
        })
    }
}

/// One automaton for the required words of several patterns.
pub(crate) struct Prefilter {
    words: AhoCorasick,
    /// For each word, the patterns that require it.
    patterns: Vec<Candidates>,
}

/// The byte range of a line, without its line end, and the patterns that may match it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    candidates: Candidates,
}

impl Line {
    /// The indices of the candidates, ascending.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = usize> {
        self.candidates.iter()
    }
}

impl Prefilter {
    /// The most patterns that one filter takes.
    #[cfg(test)]
    pub(crate) const MAX_PATTERNS: usize = MAX_PATTERNS;

    /// A filter for patterns, each of which has required words (a test checks it with `Grouped::problem`).
    ///
    /// # Panics
    /// When the automaton cannot be built: the words come from constants, and tests build each filter.
    pub(crate) fn new<'p>(patterns: impl IntoIterator<Item = &'p Grouped>) -> Self {
        let (mut words, mut of) = (Vec::new(), Vec::new());
        for (at, pattern) in patterns.into_iter().enumerate() {
            let mut only = Candidates::default();
            only.insert(at);
            for word in required::words(&pattern.pattern).unwrap_or_default() {
                words.push(word);
                of.push(only);
            }
        }
        #[expect(clippy::expect_used, reason = "the words come from constants, and tests build each filter")]
        let words = required::finder(words).expect("the words are valid");
        Self { words, patterns: of }
    }

    /// The indices of the patterns that may match anywhere in a text, ascending.
    pub(crate) fn candidates(&self, text: &str) -> impl Iterator<Item = usize> + use<> {
        let mut found = Candidates::default();
        for hit in self.words.find_overlapping_iter(text) {
            found.add(self.patterns_of(hit.pattern().as_usize()));
        }
        found.iter()
    }

    /// Whether any pattern may match in a text.
    pub(crate) fn may_match(&self, text: &str) -> bool {
        self.words.is_match(text)
    }

    /// The lines that any pattern may match, in order.
    pub(crate) fn lines(&self, text: &str) -> impl Iterator<Item = Line> {
        let mut hits = self.words.find_overlapping_iter(text).peekable();
        std::iter::from_fn(move || {
            let first = hits.next()?;
            let (before, behind) = text.as_bytes().split_at_checked(first.start())?;
            let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', behind).map_or(text.len(), |end| first.start() + end);
            let mut candidates = self.patterns_of(first.pattern().as_usize());
            while let Some(hit) = hits.next_if(|hit| hit.start() < end) {
                candidates.add(self.patterns_of(hit.pattern().as_usize()));
            }
            Some(Line { start, end, candidates })
        })
    }

    fn patterns_of(&self, word: usize) -> Candidates {
        self.patterns.get(word).copied().unwrap_or_default()
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
                    lines.iter().filter(|one| one.start == from).flat_map(Line::candidates).collect();
                for (at, pattern) in patterns.iter().enumerate() {
                    proptest::prop_assert!(!pattern.is_match(line) || found.contains(&at), "{at} in {line}");
                }
                from += line.len() + 1;
            }
        }
    }

    #[test]
    fn each_of_many_patterns_is_the_only_candidate_for_its_word() {
        let patterns: Vec<Grouped> =
            (100..100 + MAX_PATTERNS).map(|n| Grouped::ascii(&format!("x{n}y"))).collect();
        let filter = Prefilter::new(&patterns);
        for at in 0..MAX_PATTERNS {
            assert_eq!(filter.candidates(&format!("X{}Y", at + 100)).collect::<Vec<_>>(), [at]);
        }
    }
}
