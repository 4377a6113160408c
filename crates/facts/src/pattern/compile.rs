//! Compiles the patterns of rules, with ASCII or Unicode classes.

use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

/// The most memory of one pattern's lazy automaton in bytes, per direction and thread. The ledger has some two hundred
/// patterns, too many for the library's default of 2 MiB each. With half of this limit, patterns with words of many
/// languages would be rebuilt on every other message.
const AUTOMATON_BYTES: usize = 1024 * 1024;

/// Compiles a pattern in which `\b`, `\w`, `\d` and `\s` are ASCII.
pub fn ascii(pattern: &str) -> Regex {
    unicode(&narrowed(pattern))
}

/// Compiles a pattern in which word boundaries and classes are Unicode.
///
/// # Panics
/// When it does not compile: patterns are constants, and tests compile each of them.
pub fn unicode(pattern: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "the patterns are constants, and tests compile each of them")]
    RegexBuilder::new(pattern).dfa_size_limit(AUTOMATON_BYTES).build().expect("the pattern is valid")
}

/// A pattern with capture groups that rarely matches.
///
/// Searching with groups is slower and allocates, so a search without them comes first. The pattern is compiled at its
/// first use, because most installations need few patterns of a set.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub struct Grouped {
    pub(super) pattern: String,
    compiled: OnceLock<Regex>,
}

impl From<String> for Grouped {
    fn from(pattern: String) -> Self {
        Self::ascii(&pattern)
    }
}

impl Grouped {
    /// A pattern in which `\b`, `\w`, `\d` and `\s` are ASCII.
    pub fn ascii(pattern: &str) -> Self {
        Self::new(narrowed(pattern))
    }

    /// A pattern in which `\b` is ASCII and the classes are Unicode.
    pub fn ascii_bounded(pattern: &str) -> Self {
        Self::new(pattern.replace(r"\b", r"(?-u:\b)"))
    }

    /// A pattern in which boundaries and classes are Unicode.
    pub fn new(pattern: String) -> Self {
        Self { pattern, compiled: OnceLock::new() }
    }

    fn compiled(&self) -> &Regex {
        self.compiled.get_or_init(|| unicode(&self.pattern))
    }

    /// The pattern's text as it is compiled.
    #[cfg(test)]
    pub fn text(&self) -> &str {
        &self.pattern
    }

    /// Whether it has a group of this name.
    pub fn has_group(&self, name: &str) -> bool {
        self.compiled().capture_names().flatten().any(|group| group == name)
    }

    /// Whether the pattern matches somewhere.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled().is_match(text)
    }

    /// The groups of the first match.
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        if self.is_match(text) { self.compiled().captures(text) } else { None }
    }

    /// The groups of all matches.
    pub fn captures_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        let matches = self.is_match(text).then(|| self.compiled().captures_iter(text));
        matches.into_iter().flatten()
    }
}

/// The pattern with its classes and boundaries replaced by ASCII ones. White space includes the no-break space, which
/// programs print too.
pub fn narrowed(pattern: &str) -> String {
    static ESCAPE: LazyLock<Regex> = LazyLock::new(|| unicode(r"\\."));
    // A class may stand in brackets, too.
    let narrow = |escape: &Captures<'_>| match escape.get_match().as_str() {
        r"\b" => r"(?-u:\b)".to_owned(),
        r"\d" => "[0-9]".to_owned(),
        r"\w" => "[0-9A-Za-z_]".to_owned(),
        r"\s" => r"[\t\n\r\x20\xA0]".to_owned(),
        other => other.to_owned(),
    };
    ESCAPE.replace_all(pattern, narrow).into_owned()
}

/// Random texts that a pattern matches, apart from its boundaries and anchors, for tests.
#[cfg(test)]
fn texts_of(pattern: &str) -> proptest::strategy::BoxedStrategy<String> {
    use proptest::strategy::Strategy as _;
    use regex_syntax::hir::{Capture, Hir, HirKind, Repetition};

    fn without_looks(pattern: &Hir) -> Hir {
        match pattern.kind() {
            HirKind::Look(_) => Hir::empty(),
            HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => pattern.clone(),
            HirKind::Repetition(one) => Hir::repetition(Repetition {
                max: one.max.map(|max| max.min(one.min + 3)),
                sub: Box::new(without_looks(&one.sub)),
                ..one.clone()
            }),
            HirKind::Capture(group) => {
                Hir::capture(Capture { sub: Box::new(without_looks(&group.sub)), ..group.clone() })
            }
            HirKind::Concat(parts) => Hir::concat(parts.iter().map(without_looks).collect()),
            HirKind::Alternation(choices) => Hir::alternation(choices.iter().map(without_looks).collect()),
        }
    }

    let pattern = regex_syntax::Parser::new().parse(pattern).unwrap();
    proptest::string::string_regex_parsed(&without_looks(&pattern)).unwrap().boxed()
}

#[cfg(test)]
impl Grouped {
    /// What is wrong with a rule's pattern.
    pub fn problem(&self) -> Option<String> {
        if let Err(error) = Regex::new(&self.pattern) {
            return Some(error.to_string());
        }
        let none =
            "it has no word of two letters or more that every match has, so that all lines would be tried";
        super::required::words(&self.pattern).is_none().then(|| none.to_owned())
    }

    /// Texts that it may match.
    pub fn texts(&self) -> proptest::strategy::BoxedStrategy<String> {
        texts_of(&self.pattern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_boundaries_are_narrowed_inside_and_outside_of_brackets() {
        assert_eq!(narrowed(r"\b[\w.\-]+\d\]"), r"(?-u:\b)[[0-9A-Za-z_].\-]+[0-9]\]");
        assert!(ascii(r"\bport\b").is_match("é port é"));
    }
}
