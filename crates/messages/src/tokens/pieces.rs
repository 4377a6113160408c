//! Counts tokens with a vocabulary: splits a text into pieces and adds up their counts.
//!
//! Splitting with the vocabulary's own pattern costs more than counting. Nearly all text is ASCII, for which the
//! pattern amounts to runs of five classes; only pieces that touch other characters use the pattern. Most pieces are
//! repeated words, so the counts of short pieces are cached.
//! Invariant: pieces and counts equal those of the vocabulary's own implementation; the tests compare them. The exception
//! are pieces of more than [`LONG_PIECE`] bytes, which are counted in parts: no text that a person or a program writes has
//! one, a part adds a token at most, and a run of megabytes of one punctuation mark took seconds.
//!
//! Counts of whole texts are not cached: in real sessions only 4 % of the bytes belong to a repeated text of 512
//! bytes or more, and hashing every text would cost about what that saves. Long ones are an exception (`long.rs`).

use std::cell::RefCell;
use std::collections::VecDeque;

use bpe_openai::Tokenizer;

use super::vocabulary;

/// The cache's slots, of two pieces each, per thread (128 KiB). A few thousand words make up most of a text.
const PLACES: usize = 4_096;
/// The longest cached piece, in bytes; a further byte holds its length, its vocabulary and its count.
const SHORT: usize = 15;

/// The longest piece that is counted as a whole, in bytes.
const LONG_PIECE: usize = 4 * 1024;
/// The length of the parts of longer ones.
const PART: usize = 1024;
/// How many counts of parts are compared with the next one. What makes counting slow are repetitions, whose parts are alike.
const PARTS_KEPT: usize = 4;

/// A vocabulary, and how its pattern differs from that of the other one.
#[derive(Clone, Copy)]
pub(super) struct Vocabulary {
    tokenizer: &'static Tokenizer,
    /// Whether a new word begins at a capital after a small letter, and a contraction belongs to its word; else a
    /// contraction is a piece of its own.
    cased_words: bool,
    /// Distinguishes its pieces in the cache; 0 or 1.
    tag: u8,
}

#[cfg(test)]
impl Vocabulary {
    /// The tokens of a text that is one piece, by the vocabulary's own implementation.
    pub(super) fn count_whole(self, piece: &str) -> usize {
        self.tokenizer.bpe.count(piece.as_bytes())
    }
}

/// The vocabulary of newer models.
pub(super) fn o200k() -> Vocabulary {
    Vocabulary { tokenizer: vocabulary::o200k(), cased_words: true, tag: 0 }
}

/// The vocabulary of older models.
pub(super) fn cl100k() -> Vocabulary {
    Vocabulary { tokenizer: vocabulary::cl100k(), cased_words: false, tag: 1 }
}

/// A short piece and its count in one number, so that a lookup is one comparison. The piece's bytes begin at the lowest
/// byte; the highest byte has its length (4 bits), its vocabulary (1) and its count (3). 0 is an empty slot.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Remembered(u128);

impl Remembered {
    const LENGTH_AT: u32 = 120;
    const TAG_AT: u32 = 124;
    const COUNT_AT: u32 = 125;
    const MOST: usize = 7;

    /// The first `length` bytes of `text` as a piece without a count; `None` when they are too long.
    fn piece(text: &[u8], length: usize, vocabulary: Vocabulary) -> Option<Self> {
        let length = u8::try_from(length).ok().filter(|length| usize::from(*length) <= SHORT)?;
        let bytes = if let Some(all) = text.first_chunk() {
            u128::from_le_bytes(*all) & ((1 << (8 * u32::from(length))) - 1)
        } else {
            let mut all = [0; 16];
            let piece = text.get(..usize::from(length))?;
            all.get_mut(..piece.len())?.copy_from_slice(piece);
            u128::from_le_bytes(all)
        };
        let (length, tag) = (u128::from(length), u128::from(vocabulary.tag));
        Some(Self(bytes | length << Self::LENGTH_AT | tag << Self::TAG_AT))
    }

    /// The index of its slot.
    fn place(self) -> usize {
        let half = |bits: u128| u64::try_from(bits & u128::from(u64::MAX)).unwrap_or_default();
        // Multiplication mixes bits upwards, so the index is taken from the top.
        let mixed = (half(self.0 >> 64) ^ half(self.0).rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        usize::try_from(mixed >> 32).unwrap_or_default() % PLACES
    }

    /// The count of this cache entry, when it is for `piece`.
    fn count_of(self, piece: Self) -> Option<usize> {
        let count = usize::try_from(self.0 >> Self::COUNT_AT).unwrap_or_default();
        (self.0 & ((1 << Self::COUNT_AT) - 1) == piece.0).then_some(count)
    }

    /// The piece with its count; `None` when the count does not fit.
    fn with(self, count: usize) -> Option<Self> {
        let count = u128::try_from(count).ok().filter(|_| count <= Self::MOST)?;
        Some(Self(self.0 | count << Self::COUNT_AT))
    }
}

thread_local! {
    static PIECES: RefCell<Box<[[Remembered; 2]]>> = RefCell::new(vec![Default::default(); PLACES].into());
}

/// The tokens of a text.
pub(super) fn count(vocabulary: Vocabulary, text: &str) -> usize {
    PIECES.with_borrow_mut(|remembered| {
        let mut sum = 0;
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(length) = ascii_piece(rest.as_bytes(), vocabulary.cased_words) {
                sum += count_piece(vocabulary, rest.as_bytes(), length, remembered);
                rest = rest.get(length.max(1)..).unwrap_or_default();
                continue;
            }
            // Other characters come in runs, so the pattern is used until a piece begins with ASCII.
            let mut left = rest;
            for piece in vocabulary.tokenizer.split(rest) {
                sum += count_piece(vocabulary, left.as_bytes(), piece.len(), remembered);
                left = left.get(piece.len()..).unwrap_or_default();
                if left.as_bytes().first().is_none_or(u8::is_ascii) {
                    break;
                }
            }
            rest = if left.len() < rest.len() { left } else { "" };
        }
        sum
    })
}

/// The tokens of the piece of this length at the start of a text.
fn count_piece(
    vocabulary: Vocabulary,
    text: &[u8],
    length: usize,
    remembered: &mut [[Remembered; 2]],
) -> usize {
    // Every single byte is a token.
    if length <= 1 {
        return length;
    }
    if length > LONG_PIECE {
        return count_parts(vocabulary, text.get(..length).unwrap_or(text));
    }
    let count = || vocabulary.tokenizer.bpe.count(text.get(..length).unwrap_or(text));
    let Some(piece) = Remembered::piece(text, length, vocabulary) else { return count() };
    let Some([first, second]) = remembered.get_mut(piece.place()) else { return count() };
    if let Some(known) = first.count_of(piece).or_else(|| second.count_of(piece)) {
        return known;
    }
    let count = count();
    if let Some(counted) = piece.with(count) {
        // The older of the two entries is evicted.
        *second = std::mem::replace(first, counted);
    }
    count
}

/// The tokens of a very long piece.
fn count_parts(vocabulary: Vocabulary, piece: &[u8]) -> usize {
    let mut kept: VecDeque<(&[u8], usize)> = VecDeque::with_capacity(PARTS_KEPT);
    let mut sum = 0;
    for part in piece.chunks(PART) {
        let known = kept.iter().find(|(of, _)| *of == part).map(|(_, count)| *count);
        sum += known.unwrap_or_else(|| {
            let count = vocabulary.tokenizer.bpe.count(part);
            if kept.len() == PARTS_KEPT {
                kept.pop_front();
            }
            kept.push_back((part, count));
            count
        });
    }
    sum
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Newline,
    Space,
    Mark,
    Foreign,
}

/// The length in bytes of the piece at the start of a text; `None` when it depends on characters outside of ASCII.
fn ascii_piece(text: &[u8], cased_words: bool) -> Option<usize> {
    let &first = text.first()?;
    match class(first) {
        Class::Foreign => None,
        Class::Upper | Class::Lower => word(text, 0, cased_words),
        Class::Digit => {
            // No further than a piece reaches: a run of a million digits would be read again for each of its pieces.
            let end = run(text.get(..3).unwrap_or(text), 0, |class| class == Class::Digit);
            (end == 3 || !is_foreign(text, end)).then_some(end)
        }
        Class::Newline => blank(text),
        Class::Space | Class::Mark => match text.get(1).map(|&next| class(next)) {
            Some(Class::Foreign) => None,
            Some(Class::Upper | Class::Lower) => {
                let contraction = if cased_words || first != b'\'' { 0 } else { contraction(text, 0)? };
                if contraction > 0 { Some(contraction) } else { word(text, 1, cased_words) }
            }
            Some(Class::Mark) if first == b' ' => marks(text, 1, cased_words),
            _ if class(first) == Class::Mark => marks(text, 0, cased_words),
            _ => blank(text),
        },
    }
}

fn class(byte: u8) -> Class {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(Class::Foreign)
}

/// The class of each byte. It is a table because it is read for every byte.
#[expect(clippy::indexing_slicing, reason = "evaluated at build time, where a wrong index is an error")]
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Foreign; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' => Class::Lower,
            b'0'..=b'9' => Class::Digit,
            b'\r' | b'\n' => Class::Newline,
            b' ' | b'\t' | 0x0B | 0x0C => Class::Space,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
};

/// The end of a run that begins at `from`.
fn run(text: &[u8], from: usize, is_in: impl Fn(Class) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().position(|&byte| !is_in(class(byte))).unwrap_or(rest.len())
}

/// The end of a run of small letters that begins at `from`. Most of a text is such runs, so eight bytes are tested at
/// once: a branch per byte would be mispredicted at the end of most words, which costs more.
fn small_letters(text: &[u8], from: usize) -> usize {
    const EACH: u64 = u64::MAX / 0xff;
    const TOPS: u64 = EACH * 0x80;
    /// The number whose addition sets the high bit of each byte that is at least `byte`.
    const fn reach(byte: u8) -> u64 {
        EACH * (0x80 - byte as u64)
    }
    let mut rest = text.get(from..).unwrap_or_default();
    let mut end = from;
    while let Some((eight, after)) = rest.split_first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        let low = eight & !TOPS;
        let small = (low + reach(b'a')) & !(low + reach(b'z' + 1)) & !eight & TOPS;
        if small != TOPS {
            return end + (small ^ TOPS).trailing_zeros() as usize / 8;
        }
        (end, rest) = (end + 8, after);
    }
    end + rest.iter().position(|byte| !byte.is_ascii_lowercase()).unwrap_or(rest.len())
}

fn is_foreign(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|byte| !byte.is_ascii())
}

fn word(text: &[u8], from: usize, cased_words: bool) -> Option<usize> {
    let end = if cased_words {
        let capitals = run(text, from, |class| class == Class::Upper);
        small_letters(text, capitals)
    } else {
        run(text, from, |class| matches!(class, Class::Upper | Class::Lower))
    };
    // A letter or accent outside of ASCII may belong to the word.
    if is_foreign(text, end) {
        return None;
    }
    Some(if cased_words { end + contraction(text, end)? } else { end })
}

/// The length of the contraction at an offset, such as `'ll`; 0 when there is none.
fn contraction(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..).unwrap_or_default();
    let [b'\'', rest @ ..] = rest else { return Some(0) };
    // The pattern ignores case, for which the long s equals an s.
    if rest.first().is_some_and(|byte| !byte.is_ascii()) {
        return None;
    }
    let pair = rest.get(..2).map(<[u8]>::to_ascii_lowercase);
    Some(match (rest.first().map(u8::to_ascii_lowercase), pair.as_deref()) {
        (Some(b's' | b't' | b'm' | b'd'), _) => 2,
        (_, Some(b"re" | b"ve" | b"ll")) => 3,
        _ => 0,
    })
}

/// The end of a run of punctuation and of the line breaks after it (and slashes between those).
fn marks(text: &[u8], from: usize, cased_words: bool) -> Option<usize> {
    let marks = run(text, from, |class| class == Class::Mark);
    let rest = text.get(marks..).unwrap_or_default();
    let is_tail = |byte: u8| matches!(byte, b'\r' | b'\n') || (cased_words && byte == b'/');
    let end = marks + rest.iter().position(|&byte| !is_tail(byte)).unwrap_or(rest.len());
    // Punctuation outside of ASCII continues the run, but not after line breaks.
    (end > marks || !is_foreign(text, end)).then_some(end)
}

/// The end of a piece of white space: after its last line break; else at the end of the text; else before its last
/// character, which belongs to the next word.
fn blank(text: &[u8]) -> Option<usize> {
    let end = run(text, 0, |class| matches!(class, Class::Space | Class::Newline));
    if is_foreign(text, end) {
        return None;
    }
    let blanks = text.get(..end)?;
    if let Some(last) = blanks.iter().rposition(|&byte| class(byte) == Class::Newline) {
        return Some(last + 1);
    }
    Some(if end == text.len() || end == 1 { end } else { end - 1 })
}
