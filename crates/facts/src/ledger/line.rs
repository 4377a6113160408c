//! Text helpers for programs' output: splitting into lines, cleaning, and cutting to a limit.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

/// The longest part of a line that is read, in bytes; longer lines are data, not messages.
pub const MAX_LINE: usize = 2_000;

/// The lines of a text, as `str::lines` returns them, but with a vectorized search for line ends.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(end) = memchr::memchr(b'\n', rest.as_bytes()) else {
            return Some(std::mem::take(&mut rest));
        };
        let (line, behind) = rest.split_at_checked(end)?;
        rest = behind.get(1..).unwrap_or_default();
        Some(line.strip_suffix('\r').unwrap_or(line))
    })
}

/// The lines of a text that contain one of the words; no word may contain a line end.
pub fn lines_with<'t>(words: &AhoCorasick, text: &'t str) -> impl Iterator<Item = &'t str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let hit = words.find(rest)?;
        let bytes = rest.as_bytes();
        let start = memchr::memrchr(b'\n', bytes.get(..hit.start())?).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', bytes.get(hit.end()..)?).map(|end| hit.end() + end);
        let line = rest.get(start..end.unwrap_or(rest.len()))?;
        rest = end.and_then(|end| rest.get(end + 1..)).unwrap_or_default();
        Some(if end.is_some() { line.strip_suffix('\r').unwrap_or(line) } else { line })
    })
}

/// A searcher for words, without regard to ASCII case.
///
/// # Panics
/// When the automaton cannot be built: the words are constants, and tests build each one.
pub fn any_of<W: AsRef<[u8]>>(words: impl IntoIterator<Item = W>) -> AhoCorasick {
    #[expect(clippy::expect_used, reason = "the words are constants, and tests compile them")]
    AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .match_kind(MatchKind::LeftmostFirst)
        .build(words)
        .expect("the words are valid")
}

/// Removes terminal escape sequences.
pub fn plain(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    Cow::Owned(anstream::adapter::strip_str(line).to_string())
}

/// A text with every run of white space as one space, and none at the ends.
pub fn squash(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4096));
    squash_into(&mut out, text, char::is_whitespace);
    out
}

/// Appends a text with every run of such characters, white space among them, as one space, and none at the ends.
pub(crate) fn squash_into(out: &mut String, text: &str, is_space: impl Fn(char) -> bool) {
    if is_squashed(text.as_bytes()) {
        out.push_str(text);
        return;
    }
    let before = out.len();
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if out.len() > before {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Whether a line is a rule between the rows of a table.
pub(crate) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.contains("--") && line.chars().all(|c| matches!(c, '-' | '|' | '+' | ':' | ' '))
}

/// Whether a text is ASCII with single spaces between words, as most are, so that [`squash_into`] would not change it.
fn is_squashed(text: &[u8]) -> bool {
    /// The bytes that are compared at once.
    const TOGETHER: usize = 64;
    let mut before = b' ';
    let single = text.chunks(TOGETHER).all(|bytes| {
        let other = bytes.iter().fold(0, |any, byte| any | u8::from(!(b' '..0x7f).contains(byte)));
        let pairs = bytes.iter().zip(bytes.iter().skip(1));
        let double = pairs.fold(0, |any, (a, b)| any | (u8::from(*a == b' ') & u8::from(*b == b' ')));
        let begins = before == b' ' && bytes.first() == Some(&b' ');
        before = bytes.last().copied().unwrap_or(before);
        other | double == 0 && !begins
    });
    single && before != b' '
}

/// At most `max` characters, with `…` in place of what was cut; cut at a space when one is near.
pub fn clip(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let Some((end, _)) = text.char_indices().nth(max) else { return text.to_owned() };
    let head = text.get(..end).unwrap_or(text);
    let cut = head.rfind(char::is_whitespace).filter(|at| end - at <= 24).unwrap_or(end);
    let mut out = head.get(..cut).unwrap_or(head).trim_end().to_owned();
    out.push('…');
    out
}

/// At most `max` characters: the larger part from the start, the rest from the end.
pub fn clip_middle(text: &str, max: usize) -> String {
    let total = text.chars().count();
    if total <= max {
        return text.to_owned();
    }
    let tail = max / 3;
    let start = text.char_indices().nth(total - tail).map_or(text.len(), |(at, _)| at);
    let end = text.get(start..).unwrap_or_default();
    // The tail begins with a whole word, so that no path or number is broken.
    let end =
        end.find(char::is_whitespace).filter(|at| *at < 24).map_or(end, |at| end.get(at..).unwrap_or(end));
    format!("{} {}", clip(text, max - tail), end.trim_start())
}

/// The first `max` bytes, cut at a character boundary.
pub(super) fn head(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max)).unwrap_or("")
}

/// The last `max` bytes, cut at a character boundary.
pub(super) fn tail(text: &str, max: usize) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(max))..).unwrap_or("")
}

/// At most `max` bytes, with `…` in place of what was cut; never cut inside a path, an identifier or a number.
pub(super) fn clip_bytes(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let cut = head(text, max.saturating_sub('…'.len_utf8()));
    let joined = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '\\' | ':' | '@' | '+');
    let inside = text.get(cut.len()..).and_then(|rest| rest.chars().next()).is_some_and(joined);
    let kept = if inside { cut.trim_end_matches(joined) } else { cut };
    format!("{}…", kept.trim_end_matches([',', ';', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_never_cuts_a_character_and_prefers_a_space() {
        assert_eq!(clip("ééééé", 3), "ééé…");
        assert_eq!(clip("read src/main.rs now", 12), "read…");
        assert_eq!(clip("short", 10), "short");
        assert!(clip_middle(&"word ".repeat(1000), 100).chars().count() <= 102);
    }

    proptest::proptest! {
        #[test]
        fn lines_are_told_as_the_standard_library_tells_them(text in "[ab\r\né]{0,24}") {
            let expected: Vec<&str> = text.lines().collect();
            proptest::prop_assert_eq!(lines(&text).collect::<Vec<_>>(), expected.clone());
            let with: Vec<&str> = lines_with(&any_of(["ab", "É", "b a"]), &text).collect();
            let holds = |line: &&str| ["ab", "aB", "Ab", "AB", "É"].iter().any(|word| line.contains(word));
            proptest::prop_assert_eq!(with, expected.into_iter().filter(holds).collect::<Vec<_>>());
        }
    }

    #[test]
    fn colours_are_removed() {
        assert_eq!(plain("\u{1b}[1;31mFAIL\u{1b}[0m x"), "FAIL x");
        assert_eq!(plain("\u{1b}"), "");
        assert_eq!(plain("ok\t\u{1b}[32mdirectory\u{1b}(B\u{1b}[m\t0.2s\r\n"), "ok\tdirectory\t0.2s\r\n");
        assert_eq!(plain("\u{1b}]0;日本語 title\u{7}größe 日本"), "größe 日本");
        assert_eq!(plain("\u{1b}]8;;https://a.b/c\u{1b}\\link\u{1b}]8;;\u{1b}\\ €"), "link €");
        assert_eq!(plain("\u{1b}P1;2|data\u{1b}\\after\u{1b}[?25l\u{1b}7\u{1b}[38:2::1:2:3mx"), "afterx");
    }

    #[test]
    fn white_space_is_squashed_wherever_it_stands() {
        for text in ["a b", " a b", "a b ", "a  b", "a\tb", "a\nb", "a\u{3000}b", "\u{a0}a b"] {
            assert_eq!(squash(text), "a b", "{text:?}");
        }
        assert_eq!(squash(""), "");
        assert_eq!(squash(" "), "");
    }
}
