//! When two texts say the same, and how a text is cut without breaking a word.

use anchord_messages::id::Seq;
use anchord_messages::script::is_spaceless;

/// Folds case, punctuation and spacing away, so that two spellings of one sentence compare equal.
///
/// Signs that carry meaning in code (`+ # < > = / _ - .` inside a word) stay, so that `C` and
/// `C++` differ. A text without any word compares by itself.
#[must_use]
pub fn key(text: &str) -> String {
    let mut out = String::with_capacity(if text.is_ascii() { text.len() } else { text.len().min(256) });
    for run in ascii_words(text, is_kept) {
        if run.is_ascii() {
            push_word(&mut out, run);
        } else {
            let words =
                run.split(|c: char| !c.is_alphanumeric() && !u8::try_from(c).is_ok_and(is_kept_ascii));
            words.for_each(|word| push_word(&mut out, word));
        }
    }
    out.make_ascii_lowercase();
    if out.is_empty() { text.trim().to_owned() } else { out }
}

/// A sum that texts of one [`key`] have in common; `None` when that takes more than ASCII to know.
#[must_use]
pub fn key_sum(text: &str) -> Option<u64> {
    if !text.is_ascii() {
        return None;
    }
    let weight =
        |byte: u8| if byte.is_ascii_alphanumeric() { u32::from(byte.to_ascii_lowercase()) } else { 0 };
    let sum = text.bytes().map(weight).fold(0, u32::wrapping_add);
    // Without any word a text compares by itself.
    (sum != 0).then_some(u64::from(sum))
}

/// Whether a byte may belong to a word: those of other scripts are looked at as characters.
fn is_kept(byte: u8) -> bool {
    KEPT.get(usize::from(byte)).copied().unwrap_or_default()
}

fn is_kept_ascii(byte: u8) -> bool {
    byte.is_ascii() && is_kept(byte)
}

/// A table, because every byte that is compared is looked up.
#[expect(clippy::indexing_slicing, reason = "the compiler makes it, and would refuse what is outside")]
static KEPT: [bool; 256] = {
    let mut kept = [true; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        let is_sign = matches!(byte, b'_' | b'+' | b'#' | b'<' | b'>' | b'=' | b'/' | b'-' | b'.');
        kept[byte as usize] = byte.is_ascii_alphanumeric() || is_sign;
        byte += 1;
    }
    kept
};

/// Appends a word without the stops around it; ASCII letters keep their case.
fn push_word(out: &mut String, word: &str) {
    let is_inner = |byte: &u8| !matches!(byte, b'.' | b'-');
    let bytes = word.as_bytes();
    let (Some(from), Some(last)) = (bytes.iter().position(is_inner), bytes.iter().rposition(is_inner)) else {
        return;
    };
    let word = word.get(from..=last).unwrap_or_default();
    if !out.is_empty() {
        out.push(' ');
    }
    if word.is_ascii() {
        out.push_str(word);
    } else {
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// The runs of bytes that belong to words, in a text in which every byte is a character.
fn ascii_words(text: &str, is_inner: impl Fn(u8) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let from = rest.bytes().position(&is_inner)?;
        let tail = rest.get(from..)?;
        let end = tail.bytes().position(|b| !is_inner(b)).unwrap_or(tail.len());
        let (word, after) = tail.split_at_checked(end)?;
        rest = after;
        Some(word)
    })
}

/// The first lines tell errors apart; the rest is the same trace with other numbers.
const MAX_CHARS: usize = 400;

/// As much of an error's message as tells it apart.
#[must_use]
pub fn error_start(message: &str) -> &str {
    clip_chars(message, MAX_CHARS)
}

/// Folds addresses, hashes, process ids and times away as well. Short numbers stay: an error at another
/// line is another error, which has to be mended at its own place.
#[must_use]
pub fn error_key(message: &str) -> String {
    let mut out = String::with_capacity(message.len().min(MAX_CHARS));
    error_key_into(&mut out, message);
    out
}

/// The same into a text that is used again, for a whole record of errors.
pub fn error_key_into(out: &mut String, message: &str) {
    const LONGEST_LINE_NUMBER: usize = 5;
    fold_numbers(out, message, LONGEST_LINE_NUMBER);
}

/// Folds every number away, into a text that is used again: what an error is called wherever it stands.
pub fn placeless_error_key_into(out: &mut String, message: &str) {
    fold_numbers(out, message, 0);
}

/// Folds numbers of more than `kept_digits` digits, addresses and hashes into one sign.
fn fold_numbers(out: &mut String, message: &str, kept_digits: usize) {
    out.clear();
    let start = error_start(message);
    if start.is_ascii() {
        let is_inner = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        ascii_words(start, is_inner).for_each(|word| push_folded(out, word, kept_digits));
    } else {
        let words = start.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        words.for_each(|word| push_folded(out, word, kept_digits));
    }
    if out.is_empty() {
        out.push_str(message.trim());
    }
}

fn push_folded(out: &mut String, word: &str, kept_digits: usize) {
    if !out.is_empty() {
        out.push(' ');
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let hex = word.len() >= 7 && digits > 0 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let number = digits == word.len() && digits > kept_digits;
    if number || hex || (word.starts_with("0x") && word.len() > 2) {
        out.push('#');
    } else {
        push_lower(out, word);
    }
}

/// Appends a word in lower case.
fn push_lower(out: &mut String, word: &str) {
    if word.is_ascii() {
        let from = out.len();
        out.push_str(word);
        if let Some(word) = out.get_mut(from..) {
            word.make_ascii_lowercase();
        }
    } else {
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// An error without what tells it from its like: quoted names, paths, figures; nothing when little else is left.
#[must_use]
pub fn error_shape(kind: Option<&str>, message: &str) -> Option<String> {
    const READ_CHARS: usize = 300;
    let mut shape = kind.unwrap_or_default().to_owned();
    let mut words = 0;
    let mut quoted = false;
    for word in clip_chars(message, READ_CHARS).split_whitespace() {
        let opens = word.starts_with(['\'', '"', '`', '‘', '“']);
        let closes = word.trim_end_matches([',', '.', ';', ':', ')']).ends_with(['\'', '"', '`', '’', '”']);
        let is_name = quoted
            || opens
            || closes
            || word.contains(['/', '\\', '_'])
            || word.chars().any(|c| c.is_ascii_digit());
        quoted = (quoted || opens) && !closes;
        if is_name {
            if !shape.ends_with('…') {
                shape.push('…');
            }
        } else {
            words += 1;
            shape.push(' ');
            shape.push_str(&word.to_lowercase());
        }
    }
    (words >= 2 && shape.contains('…')).then_some(shape)
}

/// One line: every run of white space and control characters becomes one space.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    one_line_into(&mut out, text);
    out
}

/// The same behind another text.
pub fn one_line_into(out: &mut String, text: &str) {
    if super::ledger::line::is_squashed(text.as_bytes()) {
        out.push_str(text);
        return;
    }
    let before = out.len();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if out.len() > before {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// The first `max` characters, on a character boundary.
#[must_use]
pub fn clip_chars(text: &str, max: usize) -> &str {
    // There are never more characters than bytes.
    if text.len() <= max {
        return text;
    }
    match text.char_indices().nth(max) {
        Some((at, _)) => text.get(..at).unwrap_or(text),
        None => text,
    }
}

/// The longest start of at most `max` characters that ends between two words.
///
/// Never half a path, identifier or number: when the first word alone is longer, nothing is left.
/// In scripts without spaces it ends between two characters.
#[must_use]
pub fn clip_words(text: &str, max: usize) -> &str {
    let head = clip_chars(text, max);
    if head.len() == text.len() {
        return text;
    }
    let next = text.get(head.len()..).and_then(|t| t.chars().next());
    let last = head.chars().next_back();
    if next.is_some_and(breaks_before) || last.is_some_and(char::is_whitespace) {
        return head.trim_end();
    }
    let end = head
        .char_indices()
        .rev()
        .find(|(_, c)| breaks_before(*c))
        .map_or(0, |(at, c)| if is_spaceless(c) { at + c.len_utf8() } else { at });
    head.get(..end).unwrap_or_default().trim_end()
}

/// The longest end of at most `max` characters that starts between two words.
#[must_use]
pub fn clip_words_tail(text: &str, max: usize) -> &str {
    let total = text.chars().count();
    if total <= max {
        return text;
    }
    let start = text.char_indices().nth(total - max).map_or(0, |(at, _)| at);
    let before = text.get(..start).and_then(|t| t.chars().next_back());
    let tail = text.get(start..).unwrap_or_default();
    if before.is_some_and(breaks_before) {
        return tail.trim_start();
    }
    match tail.char_indices().find(|(_, c)| breaks_before(*c)) {
        Some((at, _)) => tail.get(at..).unwrap_or_default().trim_start(),
        None => "",
    }
}

fn breaks_before(c: char) -> bool {
    c.is_whitespace() || is_spaceless(c)
}

/// Counts the words of a text; in scripts that put no spaces between them, each character is one.
#[must_use]
pub fn count_words(text: &str) -> u32 {
    let words = |word: &str| word.chars().filter(|c| is_spaceless(*c)).count().max(1);
    u32::try_from(text.split_whitespace().map(words).sum::<usize>()).unwrap_or(u32::MAX)
}

/// Adds the messages of `more` to `seqs`: ascending, each once.
pub fn join_seqs(seqs: &mut Vec<Seq>, more: &[Seq]) {
    seqs.extend_from_slice(more);
    seqs.sort_unstable();
    seqs.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_compares_equal_in_another_spelling() {
        assert_eq!(key("Use  JWT, not sessions."), key("use jwt not sessions"));
        assert_ne!(key("use C"), key("use C++"));
        assert_ne!(key("a < b"), key("a > b"));
        assert_eq!(key("!!"), "!!");
    }

    #[test]
    fn an_error_compares_equal_at_another_line_and_address() {
        assert_eq!(error_key("foo.py:12: bad at 0x7ffe12"), error_key("foo.py:12: bad at 0x1a"));
        assert_ne!(
            error_key("foo.py:12: bad"),
            error_key("foo.py:99: bad"),
            "each place is mended by itself"
        );
        assert_eq!(error_key("died with pid 481516"), error_key("died with pid 234200"));
        assert_ne!(error_key("cannot read utf8"), error_key("cannot read utf16"));
    }

    #[test]
    fn a_clip_never_leaves_half_a_word() {
        assert_eq!(clip_words("see src/main.rs now", 10), "see");
        assert_eq!(clip_words("see src/main.rs now", 15), "see src/main.rs");
        assert_eq!(clip_words("abcdefghij", 4), "");
        assert_eq!(clip_words("修复登录错误", 3), "修复登");
        assert_eq!(clip_words("ขอบคุณมาก", 3), "ขอบ");
        assert_eq!(clip_words("회의록을 써 줘", 6), "회의록을 써");
        assert_eq!(clip_words_tail("see src/main.rs now", 10), "now");
        assert_eq!(clip_words_tail("修复登录错误", 2), "错误");
        assert_eq!(clip_words("a\u{301}b", 9), "a\u{301}b");
    }

    proptest::proptest! {
        #[test]
        fn plain_ascii_is_folded_as_other_text_is(text in "[ -~\\t\\n]{0,60}") {
            // A word in another script takes the other way to the same answer.
            let other = key(&format!("{text} ŵ"));
            let plain = key(&format!("{text} w"));
            proptest::prop_assert_eq!(other.replace('ŵ', "w"), plain);
        }

        #[test]
        fn a_text_is_folded_line_by_line_as_in_one(
            lines in proptest::collection::vec("[ -~é汉…]{0,20}", 0..5),
        ) {
            let one = key(&format!("w {}", lines.join(" ")));
            proptest::prop_assert_eq!(key(&format!("w {}", lines.join("\n"))), one);
        }

        #[test]
        fn texts_of_one_key_have_one_sum(text in "[ -~\\t\\n]{0,40}", signs in "[ ,;:!?()'.-]{0,3}") {
            let other = format!("{signs} {} {signs}", text.to_uppercase());
            if key(&text) == key(&other) && key_sum(&text).is_some() {
                proptest::prop_assert_eq!(key_sum(&text), key_sum(&other));
            }
            let folded = key(&text);
            proptest::prop_assert!(key_sum(&text).is_none() || key_sum(&folded) == key_sum(&text));
        }

        #[test]
        fn a_plain_ascii_error_is_folded_as_another_is(text in "[ -~\\t\\n]{0,60}") {
            let other = error_key(&format!("{text} ŵ"));
            proptest::prop_assert_eq!(other.replace('ŵ', "w"), error_key(&format!("{text} w")));
        }
    }
}
