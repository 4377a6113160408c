//! A look at a line that tells which patterns may match it, before any of them is run.

use super::super::marked::Marked;

/// What a line must have for a pattern to match: every mark, and one of the words when there are any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    /// Marks, all of which a match has.
    pub marks: u16,
    /// Words in lower case, one of which a match has; compared without case.
    pub words: &'static [&'static str],
}

/// A digit.
pub(super) const DIGIT: u16 = 1;
/// A digit behind a hyphen.
pub(super) const HYPHEN_DIGIT: u16 = 1 << 1;
/// A full stop between digits.
pub(super) const POINT: u16 = 1 << 2;
/// An underscore.
pub(super) const UNDERSCORE: u16 = 1 << 3;
/// An at sign.
pub(super) const AT: u16 = 1 << 4;
/// A number sign.
pub(super) const NUMBER_SIGN: u16 = 1 << 5;
/// What may stand in front of a quoted value: a grave accent, a bracket, a dollar sign.
pub(super) const OPENING: u16 = 1 << 6;
/// A hyphen.
pub(super) const HYPHEN: u16 = 1 << 7;
/// An upper-case letter.
pub(super) const UPPER: u16 = 1 << 8;

/// A digit behind a `v`.
pub(super) const V_DIGIT: u16 = 1 << 9;
/// Two slashes behind each other.
pub(super) const SLASHES: u16 = 1 << 10;
/// A quotation mark or a grave accent.
pub(super) const QUOTE: u16 = 1 << 11;
/// Two full stops behind each other.
pub(super) const POINTS: u16 = 1 << 12;
/// The line begins as those do in which git tells of its branch.
pub(super) const BRANCH_LINE: u16 = 1 << 13;

/// What each byte marks by itself.
#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "done by the compiler, which would refuse what is out of bounds"
)]
const MARKS: [u16; 256] = {
    let mut marks = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        marks[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' => UPPER,
            b'_' => UNDERSCORE,
            b'@' => AT,
            b'#' => NUMBER_SIGN,
            b'`' => OPENING | QUOTE,
            b'\'' | b'"' => QUOTE,
            b'(' | b'[' | b'$' => OPENING,
            b'-' => HYPHEN,
            _ => 0,
        };
        byte += 1;
    }
    marks
};

/// The marks of a line.
pub(super) fn marks(line: &str) -> u16 {
    let mut found = match line.as_bytes().first() {
        Some(b'O' | b'S' | b'b') => BRANCH_LINE,
        _ => 0,
    };
    let (mut before, mut last) = (0_u16, 0_u8);
    for byte in line.bytes() {
        let mark = MARKS.get(usize::from(byte)).copied().unwrap_or_default();
        if mark & DIGIT != 0 {
            match last {
                b'-' => found |= HYPHEN_DIGIT,
                b'v' => found |= V_DIGIT,
                b'.' if before & DIGIT != 0 => found |= POINT,
                _ => {}
            }
        }
        found |= mark;
        if byte == last {
            match byte {
                b'/' => found |= SLASHES,
                b'.' => found |= POINTS,
                _ => {}
            }
        }
        if byte != b'.' {
            before = mark;
        }
        last = byte;
    }
    found
}

/// The words of a set of patterns.
pub(super) struct Words {
    automaton: Marked,
    /// The patterns that need no word.
    free: u128,
    /// The patterns that need no other of the lower marks than those of the index, and of the upper ones.
    by_marks: [[u128; 1 << HALF]; 2],
}

/// Half of the marks, so that two small tables tell what one large one would.
const HALF: usize = 7;

/// The places in the two tables for some marks.
fn halves(marks: u16) -> [usize; 2] {
    [usize::from(marks) % (1 << HALF), usize::from(marks) >> HALF]
}

impl Words {
    /// Takes in the needs of at most 128 patterns, in their order.
    pub(super) fn new(needs: impl Iterator<Item = Needs> + Clone) -> Self {
        let bit = |at: usize| 1_u128 << at;
        let mut by_marks = [[0; 1 << HALF]; 2];
        for (at, one) in needs.clone().enumerate() {
            for (table, needed) in by_marks.iter_mut().zip(halves(one.marks)) {
                let enough = table.iter_mut().enumerate().filter(|(marks, _)| needed & !marks == 0);
                enough.for_each(|(_, patterns)| *patterns |= bit(at));
            }
        }
        let free = needs.clone().enumerate().filter(|(_, one)| one.words.is_empty());
        let free = free.fold(0, |bits, (at, _)| bits | bit(at));
        let words =
            needs.enumerate().flat_map(|(at, one)| one.words.iter().map(move |word| (*word, bit(at))));
        Self { automaton: Marked::new(words), free, by_marks }
    }

    /// The patterns that may match a line, as bits.
    pub(super) fn candidates(&self, line: &str) -> u128 {
        // Without its marks no word makes a pattern match, so the words are not even looked for.
        let tables = self.by_marks.iter().zip(halves(marks(line)));
        let marked =
            tables.fold(u128::MAX, |bits, (table, at)| bits & table.get(at).copied().unwrap_or(u128::MAX));
        let found = if marked & !self.free == 0 { 0 } else { self.automaton.found_in(line) };
        (self.free | found) & marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_seen_where_they_stand() {
        assert_eq!(marks("a.b-c"), HYPHEN);
        assert_eq!(marks("v1.2"), DIGIT | POINT | V_DIGIT);
        assert_eq!(marks("1..2"), DIGIT | POINT | POINTS);
        assert_eq!(marks("A-1"), UPPER | HYPHEN | HYPHEN_DIGIT | DIGIT);
        assert_eq!(marks("x.1"), DIGIT);
        assert_eq!(marks("`_#@"), OPENING | QUOTE | UNDERSCORE | NUMBER_SIGN | AT);
        assert_eq!(marks("a//b..c"), SLASHES | POINTS);
        assert_eq!(marks("branch"), BRANCH_LINE);
    }

    #[test]
    fn a_pattern_without_its_words_or_marks_is_no_candidate() {
        let needs = [
            Needs { marks: DIGIT, words: &["port"] },
            Needs { marks: AT, words: &[] },
            Needs { marks: DIGIT, words: &["port", "host"] },
        ];
        let words = Words::new(needs.into_iter());
        assert_eq!(words.candidates("Port 80"), 0b101);
        assert_eq!(words.candidates("the port"), 0);
        assert_eq!(words.candidates("host 1 @"), 0b110);
    }
}
