//! Cuts a text into pages of so many tokens, each of which says where the next one begins.

use super::arguments::Place;
use anchord_messages::tokens::TokenCounter;

/// No page has more bytes for each of its tokens; blanks alone have more.
const MOST_BYTES_A_TOKEN: usize = 16;
/// How often a page is shortened before it is cut to as many bytes as tokens, which always fit.
const TRIES: u32 = 6;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page<'t> {
    /// The part, as it stands in the text.
    pub text: &'t str,
    /// Its last line.
    pub last_line: u32,
    /// Where the next page begins; `None` at the end.
    pub next: Option<Place>,
}

/// The page of at most `room` tokens that begins at a place, and ends before `text` does or with it; `None` when the
/// text has no such place. It ends at a line's end unless its first line is longer than the page.
pub fn page(text: &str, from: Place, room: u32, counter: TokenCounter) -> Option<Page<'_>> {
    let start = offset(text, from)?;
    let rest = text.get(start..)?;
    let whole = within(rest, room, counter);
    let taken = if whole.len() == rest.len() {
        whole
    } else {
        // A page ends with a line; a line that is longer than a page ends within it.
        whole.rfind('\n').and_then(|end| whole.get(..=end)).unwrap_or(whole)
    };
    let breaks = u32::try_from(taken.matches('\n').count()).unwrap_or(u32::MAX);
    let ends_line = taken.ends_with('\n');
    let last_line = from.line.saturating_add(breaks).saturating_sub(u32::from(ends_line));
    let next = (taken.len() < rest.len()).then(|| {
        let characters = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let character = match taken.rfind('\n') {
            Some(end) => 1 + characters(taken.get(end + 1..).unwrap_or_default()),
            None => from.character.saturating_add(characters(taken)),
        };
        Place { line: from.line.saturating_add(breaks), character }
    });
    Some(Page { text: taken, last_line, next })
}

/// Where a place is in a text, in bytes. An empty text has a first place, too.
fn offset(text: &str, place: Place) -> Option<usize> {
    let mut start = 0;
    for _ in 1..place.line {
        start += text.get(start..)?.find('\n')? + 1;
    }
    let line = text.get(start..)?;
    if place == Place::START {
        return Some(0);
    }
    let mut characters = line.char_indices();
    let within = characters.nth(usize::try_from(place.character).ok()?.checked_sub(1)?)?.0;
    // A character of a later line is none of this one.
    if line.get(..within)?.contains('\n') { None } else { Some(start + within) }
}

/// The longest beginning of a text within so many tokens that a few tries find; at least a character.
fn within(text: &str, room: u32, counter: TokenCounter) -> &str {
    let cut = |bytes: usize| {
        let kept = text.get(..text.floor_char_boundary(bytes)).unwrap_or_default();
        let first = text.chars().next().map_or(0, char::len_utf8);
        if kept.is_empty() { text.get(..first).unwrap_or_default() } else { kept }
    };
    let room_bytes = usize::try_from(room).unwrap_or(usize::MAX);
    let mut bytes = text.len().min(room_bytes.saturating_mul(MOST_BYTES_A_TOKEN));
    for _ in 0..TRIES {
        let kept = cut(bytes);
        let tokens = counter.count_text(kept);
        if tokens <= room {
            return kept;
        }
        let scaled = kept.len() as u128 * u128::from(room) / u128::from(tokens.max(1));
        // Somewhat less, because the part that stays may be denser.
        bytes = usize::try_from(scaled * 31 / 32).unwrap_or(room_bytes);
    }
    cut(bytes.min(room_bytes / 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pages of a text, put together, with the number of them.
    fn read_on(text: &str, room: u32) -> (String, usize) {
        let counter = TokenCounter::default();
        let (mut all, mut pages, mut from) = (String::new(), 0, Some(Place::START));
        while let Some(place) = from {
            let page = page(text, place, room, counter).expect("a place of the text");
            assert!(!page.text.is_empty() || text.is_empty(), "a page goes on");
            assert!(counter.count_text(page.text) <= room);
            all.push_str(page.text);
            pages += 1;
            from = page.next;
        }
        (all, pages)
    }

    #[test]
    fn the_pages_of_a_text_are_the_text() {
        let lines: Vec<String> =
            (0..3_000).map(|n| format!("{n} a line of some words: ça va, 日本語 🦀\r\n")).collect();
        let lines = lines.concat();
        let long_line = "one two three, ".repeat(3_000);
        let mixed = format!("short\n\n\n{long_line}\nshort again\n{}", " ".repeat(50_000));
        for text in [lines.as_str(), &long_line, &mixed, "", "one", "one\n", "\n\n"] {
            let (read, pages) = read_on(text, 200);
            assert_eq!(read, text);
            assert!(pages < 400, "{pages}");
        }
    }

    #[test]
    fn a_page_ends_with_a_line_and_says_which() {
        let lines: Vec<String> = (1..=100).map(|n| format!("line {n}\n")).collect();
        let text = lines.concat();
        let counter = TokenCounter::default();
        let first = page(&text, Place::START, 60, counter).unwrap();
        assert!(first.text.ends_with('\n') && first.text.lines().count() == first.last_line as usize);
        assert_eq!(first.next, Some(Place { line: first.last_line + 1, character: 1 }));
        let last = page(&text, Place { line: 100, character: 1 }, 60, counter).unwrap();
        assert_eq!((last.text, last.last_line, last.next), ("line 100\n", 100, None));
    }

    #[test]
    fn a_place_beyond_the_end_is_none() {
        let counter = TokenCounter::default();
        for (line, character) in [(3, 1), (1, 9), (2, 4)] {
            assert_eq!(page("one\ntwo", Place { line, character }, 60, counter), None, "{line} {character}");
        }
        assert_eq!(page("one\ntwo", Place { line: 2, character: 2 }, 60, counter).unwrap().text, "wo");
    }
}
