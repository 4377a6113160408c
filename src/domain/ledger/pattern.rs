//! How the marker patterns are compiled.
//!
//! Programs print ASCII around what they say, and an automaton with ASCII word boundaries stays fast
//! on lines that hold other characters; only marker words of other scripts need Unicode's.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// The most memory of one pattern's lazy automaton, per direction and thread. The ledger has some two
/// hundred patterns; with the library's two megabytes each they would outgrow everything else. With half
/// of this the ones that hold the markers of many languages are built anew on every other message.
const AUTOMATON_BYTES: usize = 1024 * 1024;

/// Compiles a pattern whose `\b`, `\w`, `\d` and `\s` mean ASCII's.
pub(crate) fn ascii(pattern: &str) -> Regex {
    unicode(&narrowed(pattern))
}

/// Compiles patterns whose `\b`, `\w`, `\d` and `\s` mean ASCII's into one set.
pub(crate) fn ascii_set<'a>(patterns: impl Iterator<Item = &'a str>) -> RegexSet {
    #[expect(clippy::expect_used, reason = "the patterns are constants, and tests compile each of them")]
    RegexSetBuilder::new(patterns.map(narrowed))
        .dfa_size_limit(AUTOMATON_BYTES)
        .build()
        .expect("the patterns are valid")
}

/// Compiles a pattern whose word boundaries hold in every script.
pub(crate) fn unicode(pattern: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "the patterns are constants, and tests compile each of them")]
    RegexBuilder::new(pattern).dfa_size_limit(AUTOMATON_BYTES).build().expect("the pattern is valid")
}

/// Compiles a pattern whose `\b` means ASCII's while its classes hold in every script.
pub(crate) fn ascii_bounded(pattern: &str) -> Regex {
    unicode(&pattern.replace(r"\b", r"(?-u:\b)"))
}

/// The pattern with its classes and boundaries spelled out in ASCII.
fn narrowed(pattern: &str) -> String {
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
                (Some('s'), true) => out.push_str(r"\t\n\r\x20\xA0"),
                (Some('s'), false) => out.push_str(r"[\t\n\r\x20\xA0]"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_boundaries_are_narrowed_inside_and_outside_of_brackets() {
        assert_eq!(narrowed(r"\b[\w.\-]+\d\]"), r"(?-u:\b)[0-9A-Za-z_.\-]+[0-9]\]");
        assert!(ascii(r"\bport\b").is_match("é port é"));
    }
}
