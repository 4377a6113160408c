//! Bytes that a pattern's matches begin with, read out of the pattern itself.
//!
//! Invariant: a text that a pattern with such bytes matches begins with one of them. So a line's first byte
//! tells most patterns for summary lines from those that may match it.

use std::ops::RangeInclusive;

use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// The bytes that a text begins with that the pattern matches; `None` when it may match behind a text's
/// start, or an empty text.
pub(super) fn bytes(pattern: &str) -> Option<[bool; 256]> {
    let pattern = regex_syntax::Parser::new().parse(pattern).ok()?;
    if !pattern.properties().look_set_prefix().contains(Look::Start) {
        return None;
    }
    let mut first = First([false; 256]);
    let takes_a_byte = first.read(&pattern);
    takes_a_byte.then_some(first.0)
}

struct First([bool; 256]);

impl First {
    /// Adds what a part of a pattern begins with; tells whether it takes at least a byte.
    fn read(&mut self, part: &Hir) -> bool {
        match part.kind() {
            HirKind::Empty | HirKind::Look(_) => false,
            HirKind::Literal(literal) => match literal.0.first() {
                Some(byte) => {
                    self.add(*byte..=*byte);
                    true
                }
                None => false,
            },
            HirKind::Class(class) => {
                self.class(class);
                true
            }
            HirKind::Repetition(one) => self.read(&one.sub) && one.min > 0,
            HirKind::Capture(group) => self.read(&group.sub),
            HirKind::Concat(parts) => parts.iter().any(|part| self.read(part)),
            HirKind::Alternation(choices) => {
                choices.iter().map(|choice| self.read(choice)).fold(true, |all, one| all & one)
            }
        }
    }

    fn class(&mut self, class: &Class) {
        match class {
            Class::Unicode(class) => {
                for range in class.ranges() {
                    // Any byte beyond ASCII may lead a character beyond it.
                    if !range.end().is_ascii() {
                        self.add(0x80..=0xff);
                    }
                    let ascii = |c: char| u8::try_from(c).unwrap_or(0x7f).min(0x7f);
                    if range.start().is_ascii() {
                        self.add(ascii(range.start())..=ascii(range.end()));
                    }
                }
            }
            Class::Bytes(class) => {
                class.ranges().iter().for_each(|range| self.add(range.start()..=range.end()));
            }
        }
    }

    fn add(&mut self, bytes: RangeInclusive<u8>) {
        for byte in bytes {
            if let Some(slot) = self.0.get_mut(usize::from(byte)) {
                *slot = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pattern: &str) -> Option<String> {
        let found = bytes(pattern)?;
        Some((0..0x80_u8).filter(|byte| found[usize::from(*byte)]).map(char::from).collect())
    }

    #[test]
    fn the_first_bytes_are_told_where_a_match_must_stand_at_the_start() {
        assert_eq!(told("^ab").as_deref(), Some("a"));
        assert_eq!(told(r"^ *(?:ok|[x-z])?-").as_deref(), Some(" -oxyz"));
        assert_eq!(told("^(?:a|b*c)d|^e").as_deref(), Some("abce"));
        assert_eq!(told("a|^b"), None);
        assert_eq!(told("^a?"), None);
        assert_eq!(told("^$"), None);
        assert_eq!(bytes("^[é-ü]").map(|found| (found[0x7f], found[0xc3])), Some((false, true)));
    }
}
