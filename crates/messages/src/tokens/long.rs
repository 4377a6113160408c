//! Long texts: cut where that changes no token, and counted side by side.

use std::num::NonZeroUsize;
use std::thread;

/// From this length on, in bytes, a text takes so long (some milliseconds) that threads pay.
const LONG: usize = 256 * 1024;
/// The most threads for one text.
const MOST_THREADS: usize = 4;

/// Counts a text by what counts its pieces, with at most so many threads, or one for each processor.
pub(super) fn count(
    text: &str,
    most_threads: Option<NonZeroUsize>,
    count: impl Fn(&str) -> usize + Sync,
) -> usize {
    if text.len() < LONG {
        return count(text);
    }
    let threads = most_threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let pieces = cut(text, threads.min(MOST_THREADS));
    let Some((first, others)) = pieces.split_first() else { return 0 };
    let count = &count;
    thread::scope(|scope| {
        let threads: Vec<_> = others
            .iter()
            .map(|piece| (*piece, thread::Builder::new().spawn_scoped(scope, move || count(piece))))
            .collect();
        let mut sum = count(first);
        for (piece, thread) in threads {
            sum += match thread.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(counted)) => counted,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                // No thread to be had.
                Err(_) => count(piece),
            };
        }
        sum
    })
}

/// Cuts a text into at most so many pieces of about the same length: after a line break that an ASCII letter
/// or digit follows, for no token of a vocabulary holds both.
fn cut(text: &str, most: usize) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::with_capacity(most);
    let mut from = 0;
    for piece in 1..most {
        let wanted = (bytes.len() / most * piece).max(from);
        let is_end = |at: &usize| bytes.get(wanted + at + 1).is_some_and(u8::is_ascii_alphanumeric);
        let rest = bytes.get(wanted..).unwrap_or_default();
        let Some(end) = memchr::memchr_iter(b'\n', rest).find(is_end).map(|at| wanted + at + 1) else {
            break;
        };
        pieces.extend(text.get(from..end));
        from = end;
    }
    pieces.extend(text.get(from..));
    pieces
}

#[cfg(test)]
mod tests {
    use super::super::{TokenCounter, Tokenizer, pieces};
    use super::*;

    proptest::proptest! {
        #[test]
        fn what_is_cut_is_all_there_and_counts_as_before(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "\n", "\n\n", "\r\n", "\r", " ", "\t", "\u{a0}", "a", "Word", "'s", "'", "/", ")", "1234", "é", "汉", "…",
                    ".", "\u{301}",
                ]),
                0..60,
            ),
            most in 1_usize..6,
        ) {
            let text = parts.concat();
            let cut = cut(&text, most);
            proptest::prop_assert!(cut.len() <= most);
            proptest::prop_assert_eq!(cut.concat(), &*text);
            for vocabulary in [pieces::o200k(), pieces::cl100k()] {
                let sum: usize = cut.iter().map(|piece| pieces::count(vocabulary, piece)).sum();
                proptest::prop_assert_eq!(sum, pieces::count(vocabulary, &text));
            }
        }
    }

    #[test]
    fn a_long_text_is_counted_by_several_threads_and_one_without_lines_by_one() {
        let lines = "fn main() { println!(\"{}\", 4 + 3); }\n".repeat(LONG / 30);
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        for (most, expected) in
            [(None, processors.min(MOST_THREADS)), (NonZeroUsize::new(3), 3), (NonZeroUsize::new(1), 1)]
        {
            let seen = std::sync::Mutex::new(std::collections::HashSet::new());
            let note = |piece: &str| {
                seen.lock().unwrap().insert(thread::current().id());
                piece.len()
            };
            assert_eq!(count(&lines, most, note), lines.len());
            assert_eq!(seen.lock().unwrap().len(), expected);
        }
        let counter = TokenCounter::new(Tokenizer::O200kBase);
        assert_eq!(counter.count_text(&lines) as usize, pieces::count(pieces::o200k(), &lines));

        assert_eq!(cut(&"x".repeat(LONG), 4).len(), 1);
    }
}
