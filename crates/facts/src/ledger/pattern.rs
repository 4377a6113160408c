//! How the marker patterns are compiled.
//!
//! Programs print ASCII around what they say, and an automaton with ASCII word boundaries stays fast
//! on lines that hold other characters; only marker words of other scripts need Unicode's.

mod first;
mod required;

use std::borrow::Cow;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::{Captures, Regex, RegexBuilder};

/// The most memory of one pattern's lazy automaton, per direction and thread. The ledger has some two
/// hundred patterns; with the library's two megabytes each they would outgrow everything else. With half
/// of this the ones that hold the markers of many languages are built anew on every other message.
const AUTOMATON_BYTES: usize = 1024 * 1024;

/// Compiles a pattern whose `\b`, `\w`, `\d` and `\s` mean ASCII's.
#[must_use]
pub fn ascii(pattern: &str) -> Regex {
    unicode(&narrowed(pattern))
}

/// The words in lower case, one of which stands in every text that a pattern matches whose `\b`, `\w`,
/// `\d` and `\s` mean ASCII's; `None` when it can do without any that tell.
#[must_use]
pub fn required_by_ascii(pattern: &str) -> Option<Vec<Vec<u8>>> {
    required::words(&narrowed(pattern))
}

/// The bytes that a text begins with which a pattern matches whose `\b`, `\w`, `\d` and `\s` mean ASCII's;
/// `None` when it may match behind a text's start, or an empty text.
#[must_use]
pub fn first_bytes_of_ascii(pattern: &str) -> Option<[bool; 256]> {
    first::bytes(&narrowed(pattern))
}

/// Compiles a pattern whose word boundaries hold in every script.
///
/// # Panics
/// When it does not compile: patterns are constants, and tests compile each of them.
#[must_use]
pub fn unicode(pattern: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "the patterns are constants, and tests compile each of them")]
    RegexBuilder::new(pattern).dfa_size_limit(AUTOMATON_BYTES).build().expect("the pattern is valid")
}

/// A pattern whose groups are read where it matches, which is seldom.
///
/// The library makes room for the groups before it searches for them, and looks for them more slowly than
/// for a match alone; so that comes first. It is compiled when it is first asked: of the many in a set, most
/// installations need few.
pub struct Grouped {
    pattern: String,
    compiled: OnceLock<Regex>,
}

impl Grouped {
    /// Takes a pattern whose `\b`, `\w`, `\d` and `\s` mean ASCII's.
    #[must_use]
    pub fn ascii(pattern: &str) -> Self {
        Self::new(narrowed(pattern))
    }

    /// Takes a pattern whose `\b` means ASCII's while its classes hold in every script.
    #[must_use]
    pub fn ascii_bounded(pattern: &str) -> Self {
        Self::new(pattern.replace(r"\b", r"(?-u:\b)"))
    }

    /// Takes a pattern whose boundaries and classes hold in every script.
    #[must_use]
    pub fn new(pattern: String) -> Self {
        Self { pattern, compiled: OnceLock::new() }
    }

    fn compiled(&self) -> &Regex {
        self.compiled.get_or_init(|| unicode(&self.pattern))
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

/// A pattern whose word boundaries hold in every script, and which few texts match.
///
/// Counted repetitions make an automaton grow with every text; boundaries and classes of every script
/// make it large, and a boundary beside a character outside of ASCII takes it out of play altogether.
/// So a pattern that takes more is asked first: repetitions are not counted, and outside of ASCII
/// there are no boundaries. That mostly tells that no closer look is needed. ASCII is read with
/// ASCII's boundaries and classes, which are the same there. Before all of that, a text without any of
/// the words that a match must have is read for those alone.
pub struct Rare {
    pattern: String,
    /// Finds the words, one of which every match has.
    required: OnceLock<Option<AhoCorasick>>,
    /// Whether it has boundaries that hold in every script.
    is_bounded: bool,
    /// The pattern with repetitions that are not counted, when it counts any.
    widened: Option<String>,
    /// What takes more of texts in ASCII.
    wide_narrow: OnceLock<Regex>,
    /// For texts in ASCII.
    narrow: OnceLock<Regex>,
    /// What takes more of other texts.
    loose: OnceLock<Regex>,
    exact: OnceLock<Regex>,
}

impl Rare {
    /// Takes a pattern; what of it is needed is compiled when it is.
    #[must_use]
    pub fn new(pattern: &str) -> Self {
        Self::of(pattern.to_owned(), pattern.contains(r"\b"))
    }

    /// Takes a pattern whose boundaries and classes mean ASCII's in every text.
    #[must_use]
    pub fn ascii(pattern: &str) -> Self {
        Self::of(narrowed(pattern), false)
    }

    fn of(pattern: String, is_bounded: bool) -> Self {
        let widened = Some(widened(&pattern)).filter(|wide| *wide != pattern);
        Self {
            pattern,
            required: OnceLock::new(),
            is_bounded,
            widened,
            wide_narrow: OnceLock::new(),
            narrow: OnceLock::new(),
            loose: OnceLock::new(),
            exact: OnceLock::new(),
        }
    }

    /// Whether the pattern matches somewhere.
    pub fn is_match(&self, text: &str) -> bool {
        self.reader(text).is_some_and(|regex| regex.is_match(text))
    }

    /// The text with every match replaced.
    pub fn replace_all<'t>(&self, text: &'t str, by: &str) -> Cow<'t, str> {
        self.reader(text).map_or(Cow::Borrowed(text), |regex| regex.replace_all(text, by))
    }

    /// Whether a text has the words that a match must have.
    pub fn may_match(&self, text: &str) -> bool {
        let required = self.required.get_or_init(|| required::finder(&self.pattern));
        required.as_ref().is_none_or(|words| words.is_match(text))
    }

    /// What reads a text; `None` when nothing in it can match.
    fn reader(&self, text: &str) -> Option<&Regex> {
        if self.may_match(text) { self.closer_reader(text) } else { None }
    }

    /// What reads a text that has the words; `None` when nothing in it can match.
    fn closer_reader(&self, text: &str) -> Option<&Regex> {
        let wide = self.widened.as_deref();
        if self.is_bounded && text.is_ascii() {
            let in_ascii = |pattern: &str| unicode(&spelled(pattern, r"\t\n\x0B\x0C\r\x20"));
            if let Some(wide) = wide
                && !self.wide_narrow.get_or_init(|| in_ascii(wide)).is_match(text)
            {
                return None;
            }
            return Some(self.narrow.get_or_init(|| in_ascii(&self.pattern)));
        }
        if self.is_bounded || wide.is_some() {
            let wide = wide.unwrap_or(&self.pattern);
            // An empty group in the boundary's place: a sign behind it keeps something to count.
            let unbounded = || if self.is_bounded { wide.replace(r"\b", "(?:)") } else { wide.to_owned() };
            if !self.loose.get_or_init(|| unicode(&unbounded())).is_match(text) {
                return None;
            }
        }
        Some(self.exact.get_or_init(|| unicode(&self.pattern)))
    }
}

/// The pattern with every repetition that counts far replaced by one that does not count: it matches
/// whatever the pattern does, and its automaton stays small.
fn widened(pattern: &str) -> String {
    const FAR: usize = 10;
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let counts = after.split_once('}').and_then(|(counts, behind)| {
            let (least, most) = counts.split_once(',')?;
            least.parse::<usize>().ok()?;
            Some((most.parse::<usize>().ok()?, behind))
        });
        match counts {
            Some((most, behind)) if most >= FAR => {
                out.push('*');
                rest = behind;
            }
            Some(_) | None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The pattern with its classes and boundaries spelled out in ASCII; programs also print Latin's other space.
#[must_use]
pub fn narrowed(pattern: &str) -> String {
    spelled(pattern, r"\t\n\r\x20\xA0")
}

/// The pattern with its classes and boundaries spelled out in ASCII, white space as given.
fn spelled(pattern: &str, space: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 64);
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match (chars.next(), in_class) {
                (Some('b'), false) => out.push_str(r"(?-u:\b)"),
                (Some('d'), true) => out.push_str("0-9"),
                (Some('d'), false) => out.push_str("[0-9]"),
                (Some('w'), true) => out.push_str("0-9A-Za-z_"),
                (Some('w'), false) => out.push_str("[0-9A-Za-z_]"),
                (Some('s'), true) => out.push_str(space),
                (Some('s'), false) => out.extend(["[", space, "]"]),
                (Some(other), _) => out.extend(['\\', other]),
                (None, _) => out.push('\\'),
            },
            '[' if !in_class => {
                in_class = true;
                out.push(c);
            }
            ']' if in_class => {
                in_class = false;
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// Texts that a pattern matches when what stands around them lets it, for tests.
#[cfg(test)]
pub(crate) fn texts_of(pattern: &str) -> proptest::strategy::BoxedStrategy<String> {
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
impl Rare {
    /// Texts that it may match.
    pub fn texts(&self) -> proptest::strategy::BoxedStrategy<String> {
        texts_of(&self.pattern)
    }

    /// Whether it matches, found without a look for its words.
    pub fn is_match_without_look(&self, text: &str) -> bool {
        self.closer_reader(text).is_some_and(|regex| regex.is_match(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_boundaries_are_narrowed_inside_and_outside_of_brackets() {
        assert_eq!(narrowed(r"\b[\w.\-]+\d\]"), r"(?-u:\b)[0-9A-Za-z_.\-]+[0-9]\]");
        assert!(ascii(r"\bport\b").is_match("é port é"));
    }

    #[test]
    fn a_rare_pattern_counts_its_repetitions() {
        assert_eq!(widened(r"a{2}.{1,40}?\{b[^.]{0,9}c{3,}"), r"a{2}.*?\{b[^.]{0,9}c{3,}");
        let rare = Rare::new(r"\bfrom\b.{1,12}\bto\b");
        for (text, expected) in [
            ("from here to there", true),
            ("from a place far away to there", false),
            ("from hére to there", true),
            ("from a pläce far away to there", false),
        ] {
            assert_eq!(rare.is_match(text), expected, "{text}");
        }
        let ascii = Rare::ascii(r"\bfrom\b.{1,12}\bto\b");
        assert!(ascii.is_match("from é to") && !ascii.is_match("from é, which is far, to"));
    }

    #[test]
    fn a_rare_pattern_keeps_its_boundaries_in_every_script() {
        let rare = Rare::new(r"(?i)\b(?:решено|über|an\s\w+)\b");
        for (text, expected) in [
            ("Это решено.", true),
            ("нерешено", false),
            ("Über alles", true),
            ("darüber – no", false),
            ("plain", false),
            ("an\u{b}end", true),
            ("an énd", true),
            ("né: an é", true),
            ("éan end", false),
        ] {
            assert_eq!(rare.is_match(text), expected, "{text}");
        }
    }
}
