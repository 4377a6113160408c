//! The names in a line: ids, paths, figures, identifiers, people.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

/// The most bytes of a name.
const LONGEST: usize = 80;

/// A hash of a name.
pub(super) type Name = u64;

/// The names in a line, in order, each with whether it is a long one.
pub(super) fn names(text: &str) -> impl Iterator<Item = (Name, bool)> {
    let mut ends_sentence = true;
    text.split(is_between).filter_map(move |piece| {
        let word = piece.trim_matches(|c| matches!(c, '.' | ':' | '!' | '?' | '*' | '#' | '…'));
        let opens = std::mem::replace(&mut ends_sentence, piece.ends_with(['.', '!', '?', ':']));
        let is_short = word.len() < 3;
        is_name(word, opens).then(|| (FixedState::default().hash_one(word), !is_short))
    })
}

fn is_between(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\''
                | '`'
                | '('
                | ')'
                | '{'
                | '}'
                | '['
                | ']'
                | ','
                | ';'
                | '<'
                | '>'
                | '='
                | '|'
                | '，'
                | '。'
                | '、'
        )
}

fn is_name(word: &str, opens: bool) -> bool {
    if word.is_empty() || word.len() > LONGEST {
        return false;
    }
    let mut before: Option<char> = None;
    let mut chars = word.chars().peekable();
    let (mut letters, mut capitals) = (0u32, 0u32);
    while let Some(c) = chars.next() {
        if c.is_numeric() {
            return true;
        }
        let is_inner = before.is_some_and(char::is_alphanumeric)
            && chars.peek().is_some_and(|next| next.is_alphanumeric() || *next == '_');
        if is_inner && matches!(c, '/' | '.' | '_' | '-' | ':' | '@') {
            return true;
        }
        if c.is_uppercase() && before.is_some_and(char::is_lowercase) {
            return true;
        }
        letters += u32::from(c.is_alphabetic());
        capitals += u32::from(c.is_uppercase());
        before = Some(c);
    }
    // An abbreviation, or a person's name within a sentence.
    let is_capitalised = word.chars().next().is_some_and(char::is_uppercase);
    (capitals > 1 && capitals == letters) || (is_capitalised && !opens && letters > 2)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("the file src/auth.rs has 3 lines", 2)]
    #[case("call getHeadHash on HTTP, then snake_case", 3)]
    #[case("She asked Mateo about it. Then nothing", 1)]
    #[case("nothing to be named here", 0)]
    #[case("预订编号 EHGLP3 已取消", 1)]
    #[case("", 0)]
    fn names_are_found(#[case] text: &str, #[case] count: usize) {
        assert_eq!(names(text).count(), count, "{text}");
    }
}
