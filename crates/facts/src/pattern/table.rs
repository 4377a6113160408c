//! Tables of rules: finds in one pass which of many rules may match a line.
//!
//! Every rule's pattern has required words (`required`), of which every match contains one; all of them are searched for
//! at once.
//! Invariant: a rule that is not a candidate for a line does not match it.
//!
//! One automaton for all patterns needed too much memory on prose, and was rebuilt half of the time. Instead, one pass
//! for words selects the few candidates, usually none, and each of these runs alone.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, PatternID};
use serde::Deserialize;

use super::compile::Grouped;
use super::required;

/// A rule about the lines that a pattern matches.
pub(crate) trait Rule {
    /// The pattern of the lines that it applies to; it has required words (a test checks it with `Grouped::problem`).
    fn pattern(&self) -> &Grouped;

    /// Its name in the report of a test.
    #[cfg(test)]
    fn name(&self) -> String;
}

/// Rules in their order, with one automaton for the required words of all of them.
#[derive(Deserialize)]
#[serde(from = "Vec<R>", bound = "R: Rule + Deserialize<'de>")]
pub(crate) struct Table<R> {
    rules: Vec<R>,
    words: AhoCorasick,
    /// For each word, the index of the rule that requires it.
    requiring: Vec<usize>,
}

/// The byte range of a line, without its line end, and the indices of the rules that may match it.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    candidates: BTreeSet<usize>,
}

impl<R: Rule> From<Vec<R>> for Table<R> {
    /// # Panics
    /// When the automaton cannot be built: the words come from constants, and tests build each table.
    fn from(rules: Vec<R>) -> Self {
        let words_of = |rule: &R| required::words(&rule.pattern().pattern).unwrap_or_default();
        let required = rules.iter().map(words_of).enumerate();
        let (requiring, words) =
            required.flat_map(|(at, words)| words.into_iter().map(move |word| (at, word))).unzip();
        #[expect(clippy::expect_used, reason = "the words come from constants, and tests build each table")]
        let words = required::finder(words).expect("the words are valid");
        Self { rules, words, requiring }
    }
}

impl<R> Table<R> {
    /// All rules.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &R> {
        self.rules.iter()
    }

    /// The lines of a text that any rule may match, in order.
    pub(crate) fn lines(&self, text: &str) -> impl Iterator<Item = Line> {
        let mut hits = self.words.find_overlapping_iter(text).peekable();
        std::iter::from_fn(move || {
            let first = hits.peek()?.start();
            let (before, behind) = text.as_bytes().split_at_checked(first)?;
            let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', behind).map_or(text.len(), |end| first + end);
            let mut candidates = BTreeSet::new();
            while let Some(hit) = hits.next_if(|hit| hit.start() < end) {
                candidates.extend(self.requiring(hit.pattern()));
            }
            Some(Line { start, end, candidates })
        })
    }

    /// The rules that may match a line.
    pub(crate) fn candidates(&self, line: &Line) -> impl Iterator<Item = &R> {
        line.candidates.iter().filter_map(|at| self.rules.get(*at))
    }

    /// The rules that may match anywhere in a text.
    pub(crate) fn candidates_in(&self, text: &str) -> impl Iterator<Item = &R> {
        let hits = self.words.find_overlapping_iter(text);
        let candidates: BTreeSet<usize> = hits.filter_map(|hit| self.requiring(hit.pattern())).collect();
        candidates.into_iter().filter_map(|at| self.rules.get(at))
    }

    /// Whether any rule may match anywhere in a text.
    pub(crate) fn may_match(&self, text: &str) -> bool {
        self.words.is_match(text)
    }

    fn requiring(&self, word: PatternID) -> Option<usize> {
        self.requiring.get(word.as_usize()).copied()
    }
}

#[cfg(test)]
impl<R: Rule> Table<R> {
    /// The faults in the patterns of a table and in their filter.
    pub(crate) fn problems(&self) -> Vec<String> {
        let bad = |rule: &R| Some(format!("{}: {}", rule.name(), rule.pattern().problem()?));
        let problems: Vec<String> = self.iter().filter_map(bad).collect();
        if problems.is_empty() {
            self.iter().filter_map(|rule| self.missed(rule)).collect()
        } else {
            problems
        }
    }

    /// A text that a rule matches although the filter excludes it.
    fn missed(&self, rule: &R) -> Option<String> {
        use proptest::strategy::{Strategy as _, ValueTree as _};

        const TEXTS: usize = 20;
        let mut random = proptest::test_runner::TestRunner::deterministic();
        let texts = rule.pattern().texts();
        (0..TEXTS).find_map(|_| {
            let text = texts.new_tree(&mut random).ok()?.current();
            let is_candidate = self.candidates_in(&text).any(|one| std::ptr::eq(one, rule));
            let is_missed = rule.pattern().is_match(&text) && !is_candidate;
            is_missed.then(|| format!("{}: is no candidate for {text}", rule.name()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Rule for Grouped {
        fn pattern(&self) -> &Grouped {
            self
        }

        fn name(&self) -> String {
            self.pattern.clone()
        }
    }

    proptest::proptest! {
        #[test]
        fn the_lines_have_every_rule_that_matches_in_them(text in "[abcBé\n]{0,24}") {
            let table = Table::from(Vec::from(["^ab", "bc", "é+b", "(?i)cc|ba"].map(Grouped::ascii)));
            let lines: Vec<Line> = table.lines(&text).collect();
            proptest::prop_assert!(lines.windows(2).all(|two| two[0].end < two[1].start));
            let mut from = 0;
            for line in text.split('\n') {
                let found: Vec<usize> =
                    lines.iter().filter(|one| one.start == from).flat_map(|line| line.candidates.clone()).collect();
                for (at, rule) in table.iter().enumerate() {
                    proptest::prop_assert!(!rule.is_match(line) || found.contains(&at), "{at} in {line}");
                }
                from += line.len() + 1;
            }
        }
    }
}
