//! A look at a line that tells which patterns may match it, before any of them is run.

use aho_corasick::AhoCorasick;

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
            b'`' | b'(' | b'[' | b'$' => OPENING,
            b'-' => HYPHEN,
            _ => 0,
        };
        byte += 1;
    }
    marks
};

/// The marks of a line.
pub(super) fn marks(line: &str) -> u16 {
    let mut found = 0;
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
        if byte != b'.' {
            before = mark;
        }
        last = byte;
    }
    found
}

/// The words of a set of patterns.
pub(super) struct Words {
    automaton: AhoCorasick,
    /// The patterns that each word speaks for, as bits.
    patterns: Vec<u64>,
    /// The patterns that need no word.
    free: u64,
    /// The marks that each pattern needs.
    marks: Vec<u16>,
}

impl Words {
    /// Takes in the needs of at most 64 patterns, in their order.
    pub(super) fn new(needs: impl Iterator<Item = Needs>) -> Self {
        let mut words: Vec<(&str, u64)> = Vec::new();
        let (mut free, mut marks) = (0, Vec::new());
        for (at, one) in needs.enumerate() {
            let bit = 1 << at;
            marks.push(one.marks);
            if one.words.is_empty() {
                free |= bit;
            }
            for word in one.words {
                match words.iter_mut().find(|known| known.0 == *word) {
                    Some(known) => known.1 |= bit,
                    None => words.push((word, bit)),
                }
            }
        }
        let (texts, patterns): (Vec<&str>, Vec<u64>) = words.into_iter().unzip();
        #[expect(clippy::expect_used, reason = "the words are constants, and tests compile them")]
        let automaton = aho_corasick::AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .kind(Some(aho_corasick::AhoCorasickKind::DFA))
            .build(texts)
            .expect("the words are valid");
        Self { automaton, patterns, free, marks }
    }

    /// The patterns that may match a line, as bits.
    pub(super) fn candidates(&self, line: &str) -> u64 {
        let marks = marks(line);
        // Without its marks no word makes a pattern match, so the words are not even looked for.
        let marked = self.marks.iter().enumerate().filter(|(_, needed)| *needed & !marks == 0);
        let marked = marked.fold(0_u64, |bits, (at, _)| bits | 1 << at);
        let mut found = self.free;
        if marked & !self.free != 0 {
            for hit in self.automaton.find_overlapping_iter(line) {
                found |= self.patterns.get(hit.pattern().as_usize()).copied().unwrap_or_default();
            }
        }
        found & marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_seen_where_they_stand() {
        assert_eq!(marks("a.b-c"), HYPHEN);
        assert_eq!(marks("v1.2"), DIGIT | POINT | V_DIGIT);
        assert_eq!(marks("1..2"), DIGIT | POINT);
        assert_eq!(marks("A-1"), UPPER | HYPHEN | HYPHEN_DIGIT | DIGIT);
        assert_eq!(marks("x.1"), DIGIT);
        assert_eq!(marks("`_#@"), OPENING | UNDERSCORE | NUMBER_SIGN | AT);
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
