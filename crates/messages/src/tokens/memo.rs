//! A cache of the token counts of lines, for building one text in several sizes.

use std::cell::RefCell;

use foldhash::{HashMap, HashMapExt as _};

use super::{TokenCounter, Tokenizer};

/// The longest cached line, in bytes.
const LONGEST: usize = 1_000;
/// The shortest cached line, in bytes; shorter ones are counted faster than they are looked up.
const SHORTEST: usize = 24;
/// The approximate number of lines in a text of the default limit.
const USUAL: usize = 512;
/// The most cached lines, about 500 KB.
const MOST: usize = 4_096;

/// A counter that caches the counts of lines.
#[derive(Debug)]
pub struct Memo {
    counter: TokenCounter,
    lines: RefCell<HashMap<Box<str>, u32>>,
}

impl Memo {
    /// An empty cache.
    pub fn of(counter: TokenCounter) -> Self {
        Self { counter, lines: RefCell::new(HashMap::with_capacity(USUAL)) }
    }

    /// The tokens of a text, equal to the counter's result.
    pub fn count(&self, text: &str) -> u32 {
        match self.counter.tokenizer() {
            // An estimate is faster than looking up lines, and is rounded once for the whole text.
            Tokenizer::Estimate => self.counter.count_text(text),
            Tokenizer::O200kBase | Tokenizer::Cl100kBase => {
                lines(text).fold(0, |sum, line| sum.saturating_add(self.line(line)))
            }
        }
    }

    /// The tokens of a line. When it is cached without its line breaks, only the piece at its end is counted again,
    /// because the breaks change no other piece.
    fn line(&self, line: &str) -> u32 {
        let bare = line.trim_end_matches('\n');
        let Some(end) = last_piece(bare).filter(|_| bare.len() < line.len()) else {
            return self.known(line);
        };
        let broken = line.get(bare.len() - end.len()..).unwrap_or_default();
        let (with, without) = (self.counter.count_text(broken), self.counter.count_text(end));
        self.known(bare).saturating_add(with).saturating_sub(without)
    }

    fn known(&self, line: &str) -> u32 {
        if line.len() < SHORTEST {
            return self.counter.count_text(line);
        }
        let mut known = self.lines.borrow_mut();
        if let Some(count) = known.get(line) {
            return *count;
        }
        let count = self.counter.count_text(line);
        if line.len() <= LONGEST && known.len() < MOST {
            known.insert(line.into(), count);
        }
        count
    }
}

/// Splits a text into lines whose counts add up to that of the text: no token contains a line break followed by
/// anything but a slash, white space or another break.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let bytes = rest.as_bytes();
        let is_end =
            |at: &usize| bytes.get(at + 1).is_some_and(|next| next.is_ascii_graphic() && *next != b'/');
        let end = memchr::memchr_iter(b'\n', bytes).find(is_end).map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        rest = after;
        Some(line)
    })
}

/// The piece at the end of a text to which a line break would be added: the punctuation there, with a space before it;
/// empty if there is none after a letter or digit; `None` when it depends on other characters.
fn last_piece(text: &str) -> Option<&str> {
    let is_mark = |byte: &u8| byte.is_ascii_graphic() && !byte.is_ascii_alphanumeric();
    let marks = text.bytes().rev().take_while(is_mark).count();
    let from = text.len() - marks;
    match text.as_bytes().get(..from)?.last() {
        Some(byte) if byte.is_ascii_alphanumeric() => text.get(from..),
        Some(b' ') if marks > 0 => text.get(from - 1..),
        Some(_) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_text_counts_as_without_a_memo(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "\n", "\n\n", "\r\n", "\r", " ", "\t", "\u{a0}", "\u{3000}", "a", "Word", "'s", "'", "/", "//", ")", "- ",
                    "1234", "é", "汉", "…", ".", "`x`", "#", "\u{b}", "\u{301}",
                ]),
                0..40,
            ),
        ) {
            let text = parts.concat();
            for tokenizer in [Tokenizer::O200kBase, Tokenizer::Cl100kBase, Tokenizer::Estimate] {
                let counter = TokenCounter::new(tokenizer);
                let memo = Memo::of(counter);
                proptest::prop_assert_eq!(memo.count(&text), counter.count_text(&text));
                proptest::prop_assert_eq!(memo.count(&text), counter.count_text(&text), "asked again");
            }
        }
    }
}
