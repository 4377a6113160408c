//! A cache of the counts of long texts.
//!
//! A context that has to fit a budget clips its messages to several lengths and counts them each time. For a message of
//! megabytes that took seconds, although its text is the same each time; hashing it takes a thousandth of that.

use std::cell::RefCell;
use std::hash::BuildHasher as _;

use super::Tokenizer;

/// From this many bytes on, a text is long.
pub(super) const LONG_BYTES: usize = 16 * 1024;
/// The most counts that a thread keeps; a context that has more long texts counts some of them again.
const MOST: usize = 64;

/// A text's tokenizer, length and hash. The hash has a random seed, so that nobody can make two texts with the same.
type Key = (Tokenizer, usize, u64);

thread_local! {
    /// The newest count is the last.
    static COUNTS: RefCell<(foldhash::quality::RandomState, Vec<(Key, usize)>)> = RefCell::default();
}

/// The count of a long text: the one of before, or that of `count`.
pub(super) fn count(tokenizer: Tokenizer, text: &str, count: impl FnOnce() -> usize) -> usize {
    let key = COUNTS.with_borrow(|(state, _)| (tokenizer, text.len(), state.hash_one(text)));
    let cached = COUNTS.with_borrow(|(_, counts)| counts.iter().find(|(of, _)| *of == key).map(|(_, n)| *n));
    cached.unwrap_or_else(|| {
        let counted = count();
        COUNTS.with_borrow_mut(|(_, counts)| {
            if counts.len() >= MOST {
                counts.remove(0);
            }
            counts.push((key, counted));
        });
        counted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_counted_once_for_each_tokenizer_while_few_others_follow() {
        let text = |of: usize| format!("{of:05}").repeat(10);
        assert_eq!(count(Tokenizer::O200kBase, &text(0), || 7), 7);
        assert_eq!(count(Tokenizer::O200kBase, &text(0), || 8), 7);
        assert_eq!(count(Tokenizer::Cl100kBase, &text(0), || 8), 8);
        for other in 1..=MOST {
            count(Tokenizer::O200kBase, &text(other), || other);
        }
        assert_eq!(count(Tokenizer::O200kBase, &text(MOST), || 0), MOST);
        assert_eq!(count(Tokenizer::O200kBase, &text(0), || 9), 9, "it was forgotten");
        COUNTS.with_borrow(|(_, counts)| assert_eq!(counts.len(), MOST));
    }
}
