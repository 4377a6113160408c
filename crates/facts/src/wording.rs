//! Text helpers: normalized forms for comparing texts, and cutting without breaking a word.

use anchord_messages::id::Seq;
use anchord_messages::script::is_spaceless;

use crate::ledger::line::squash_into;

/// The normalized form of a text: without case, punctuation and spacing, so that two spellings of one sentence compare
/// equal.
///
/// Characters that carry meaning in code (`+ # < > = / _`, and `-` and `.` inside a word) stay, so that `C` and
/// `C++` differ. A text without any word is returned trimmed.
pub fn normalized(text: &str) -> String {
    let is_inner =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '+' | '#' | '<' | '>' | '=' | '/' | '-' | '.');
    let words = text.split(|c: char| !is_inner(c)).map(|word| word.trim_matches(['.', '-']));
    join_words(text, words, push_lower)
}

/// Joins the words that are not empty with single spaces; when there is none, returns `text` trimmed.
fn join_words<'a>(
    text: &str,
    words: impl Iterator<Item = &'a str>,
    push: impl Fn(&mut String, &str),
) -> String {
    let mut out = String::with_capacity(text.len());
    for word in words.filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        push(&mut out, word);
    }
    if out.is_empty() { text.trim().to_owned() } else { out }
}

/// Appends a word in lower case.
pub(super) fn push_lower(out: &mut String, word: &str) {
    for c in word.chars() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else {
            out.extend(c.to_lowercase());
        }
    }
}

/// Splits an identifier at its separators and at each capital letter.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars().take(120) {
        if !c.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        if c.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

/// Characters of an error that are compared; a trace that follows differs in its numbers.
const COMPARED_CHARS: usize = 400;

/// The normalized form of an error's message: addresses, hashes, process ids and times are replaced too. Short numbers
/// stay, because an error at another line is another error, which needs its own fix.
pub fn normalized_error(message: &str) -> String {
    const LONGEST_LINE_NUMBER: usize = 5;
    without_numbers(message, LONGEST_LINE_NUMBER)
}

/// The normalized error without any number: equal for the same error at different lines.
pub fn normalized_error_anywhere(message: &str) -> String {
    without_numbers(message, 0)
}

/// Normalizes, with `#` in place of addresses, hashes and numbers of more than `kept_digits` digits.
fn without_numbers(message: &str, kept_digits: usize) -> String {
    let words = clip_chars(message, COMPARED_CHARS).split(|c: char| !c.is_alphanumeric() && c != '_');
    join_words(message, words, |out, word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let is_hash = word.len() >= 7 && digits > 0 && word.bytes().all(|b| b.is_ascii_hexdigit());
        let is_number = digits == word.len() && digits > kept_digits;
        if is_number || is_hash || (word.starts_with("0x") && word.len() > 2) {
            out.push('#');
        } else {
            push_lower(out, word);
        }
    })
}

/// The general form of an error, with `…` in place of quoted names, paths and numbers; `None` when it has no such part
/// or fewer than two other words.
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

/// Puts a text on one line: every run of white space and control characters becomes one space.
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    one_line_into(&mut out, text);
    out
}

/// Appends a text to `out` as [`one_line`] returns it.
pub fn one_line_into(out: &mut String, text: &str) {
    squash_into(out, text, |c| c.is_whitespace() || c.is_control());
}

/// Returns at most the first `max` characters.
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

/// The longest prefix of at most `max` characters that ends between two words.
///
/// It never breaks a path, identifier or number: when the first word is longer than `max`, the result is empty.
/// In scripts without spaces it ends between any two characters.
pub fn clip_words(text: &str, max: usize) -> &str {
    let head = clip_chars(text, max);
    if head.len() == text.len() {
        return text;
    }
    let next = text.get(head.len()..).and_then(|t| t.chars().next());
    let last = head.chars().next_back();
    if next.is_some_and(is_boundary) || last.is_some_and(char::is_whitespace) {
        return head.trim_end();
    }
    let end = head
        .char_indices()
        .rev()
        .find(|(_, c)| is_boundary(*c))
        .map_or(0, |(at, c)| if is_spaceless(c) { at + c.len_utf8() } else { at });
    head.get(..end).unwrap_or_default().trim_end()
}

/// The longest suffix of at most `max` characters that starts between two words.
pub fn clip_words_tail(text: &str, max: usize) -> &str {
    let total = text.chars().count();
    if total <= max {
        return text;
    }
    let start = text.char_indices().nth(total - max).map_or(0, |(at, _)| at);
    let before = text.get(..start).and_then(|t| t.chars().next_back());
    let tail = text.get(start..).unwrap_or_default();
    if before.is_some_and(is_boundary) {
        return tail.trim_start();
    }
    match tail.char_indices().find(|(_, c)| is_boundary(*c)) {
        Some((at, _)) => tail.get(at..).unwrap_or_default().trim_start(),
        None => "",
    }
}

fn is_boundary(c: char) -> bool {
    c.is_whitespace() || is_spaceless(c)
}

/// Counts the words of a text; in scripts without spaces, each character counts as one.
pub fn count_words(text: &str) -> u32 {
    let words = |word: &str| word.chars().filter(|c| is_spaceless(*c)).count().max(1);
    u32::try_from(text.split_whitespace().map(words).sum::<usize>()).unwrap_or(u32::MAX)
}

/// The most message numbers that [`join_seqs`] keeps.
const MOST_SEQS: usize = 1_000;

/// Merges `more` into `seqs`, ascending and without duplicates. Beyond the limit the first and the newest stay, so that the
/// result does not depend on the order of merging.
pub fn join_seqs(seqs: &mut Vec<Seq>, more: &[Seq]) {
    seqs.extend_from_slice(more);
    seqs.sort_unstable();
    seqs.dedup();
    let surplus = seqs.len().saturating_sub(MOST_SEQS);
    if surplus > 0 {
        seqs.drain(1..=surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_compares_equal_in_another_spelling() {
        assert_eq!(normalized("Use  JWT, not sessions."), normalized("use jwt not sessions"));
        assert_ne!(normalized("use C"), normalized("use C++"));
        assert_ne!(normalized("a < b"), normalized("a > b"));
        assert_eq!(normalized("!!"), "!!");
    }

    #[test]
    fn an_error_compares_equal_at_another_line_and_address() {
        assert_eq!(
            normalized_error("foo.py:12: bad at 0x7ffe12"),
            normalized_error("foo.py:12: bad at 0x1a")
        );
        assert_ne!(
            normalized_error("foo.py:12: bad"),
            normalized_error("foo.py:99: bad"),
            "each place is mended by itself"
        );
        assert_eq!(normalized_error("died with pid 481516"), normalized_error("died with pid 234200"));
        assert_ne!(normalized_error("cannot read utf8"), normalized_error("cannot read utf16"));
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
        fn a_text_is_normalized_line_by_line_as_in_one(
            lines in proptest::collection::vec("[ -~é汉…]{0,20}", 0..5),
        ) {
            let one = normalized(&format!("w {}", lines.join(" ")));
            proptest::prop_assert_eq!(normalized(&format!("w {}", lines.join("\n"))), one);
        }
    }
}
