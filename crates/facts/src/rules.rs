//! Loads rules: vocabularies that are data, in the folder `rules` at the top of the repository.
//!
//! Invariant: every rule has samples beside it, and the tests check each of them; so a file that passes the tests is
//! valid when the program loads it.
//! Must not know: what a rule means.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::pattern::{Grouped, Line, Prefilter};

/// Chinese phrases.
pub(crate) const CHINESE: &str = include_str!("../../../rules/phrases.zh.toml");
/// English phrases.
pub(crate) const ENGLISH: &str = include_str!("../../../rules/phrases.en.toml");
/// Forms of error lines.
pub(crate) const ERRORS: &str = include_str!("../../../rules/errors.toml");
/// Texts that harnesses write into messages.
pub(crate) const HARNESS: &str = include_str!("../../../rules/harness.toml");
/// How calls of tools went.
pub(crate) const OUTCOMES: &str = include_str!("../../../rules/outcomes.toml");
/// How pasted text is recognised.
pub(crate) const PASTES: &str = include_str!("../../../rules/pastes.toml");
/// Test runners.
pub(crate) const RUNNERS: &str = include_str!("../../../rules/runners.toml");
/// Secrets.
pub(crate) const SECRETS: &str = include_str!("../../../rules/secrets.toml");
/// What is stated of the work in so many words.
pub(crate) const STATEMENTS: &str = include_str!("../../../rules/statements.toml");
/// Agents' tools.
pub(crate) const TOOLS: &str = include_str!("../../../rules/tools.toml");
/// Words by which facts are told from other text.
pub(crate) const WORDS: &str = include_str!("../../../rules/words.toml");

/// Parses a rule file.
///
/// # Panics
/// When it is not valid: the files are compiled into the program, and tests parse each of them.
pub(crate) fn read<T: DeserializeOwned>(file: &str) -> T {
    #[expect(
        clippy::expect_used,
        reason = "the files are a part of the program, and tests read each of them"
    )]
    toml::from_str(file).expect("the rules are valid")
}

/// A rule about the lines that a pattern matches.
pub(crate) trait Rule {
    /// The pattern of the lines that it applies to.
    fn pattern(&self) -> &Grouped;

    /// Its name in the report of a test.
    #[cfg(test)]
    fn name(&self) -> String;
}

/// Rules in their order, with the filter that selects the few that may match.
#[derive(Deserialize)]
#[serde(from = "Vec<R>", bound = "R: Rule + Deserialize<'de>")]
pub(crate) struct Table<R> {
    rules: Vec<R>,
    filter: Prefilter,
}

impl<R: Rule> From<Vec<R>> for Table<R> {
    fn from(rules: Vec<R>) -> Self {
        let filter = Prefilter::new(rules.iter().map(Rule::pattern));
        Self { rules, filter }
    }
}

impl<R> Table<R> {
    /// All rules.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &R> {
        self.rules.iter()
    }

    /// The lines of a text that any rule may match.
    pub(crate) fn lines(&self, text: &str) -> impl Iterator<Item = Line> {
        self.filter.lines(text)
    }

    /// The rules that may match a line.
    pub(crate) fn candidates(&self, line: &Line) -> impl Iterator<Item = &R> {
        line.candidates.iter().filter_map(|at| self.rules.get(*at))
    }

    /// The rules that may match anywhere in a text.
    pub(crate) fn candidates_in(&self, text: &str) -> impl Iterator<Item = &R> {
        self.filter.candidates(text).into_iter().filter_map(|at| self.rules.get(at))
    }

    /// Whether any rule may match anywhere in a text.
    pub(crate) fn may_match(&self, text: &str) -> bool {
        self.filter.may_match(text)
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
