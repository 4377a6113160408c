//! The tokenizer of recall: splits text into words, compounds (identifiers, paths, addresses) and, in scripts without
//! spaces, pairs of characters, each with its place in the text.
//!
//! A run is a stretch of characters of one [`Class`]; a joint is a character that connects words in a compound.

use std::borrow::Cow;

use anchord_messages::script::Script;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

/// Runs of this many bytes and more give only words, or, when they look like encoded data, nothing.
const LONG_RUN: usize = 512;
/// The longest compound that becomes a token, in bytes.
const LONGEST_COMPOUND: usize = 256;
/// The longest word that becomes a token, in bytes: a SHA-512 in hexadecimal digits.
const LONGEST_WORD: usize = 128;
/// How many trailing parts of a path are terms of their own (`c.rs`, `b/c.rs`, …).
const PATH_TAILS: usize = 4;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A word of a script with spaces, lower-cased.
    Word,
    /// Several words written as one: an identifier, a path, a date, an address.
    Compound,
    /// The last parts of a path.
    Tail,
    /// Two neighbouring characters of a script without spaces, or of Hangul, whose words end in particles.
    Pair,
    /// One character of such a script.
    Character,
}

/// One searchable piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    /// Its normal form; words are not stemmed yet.
    pub text: Cow<'a, str>,
    /// Its byte range in the text.
    pub start: usize,
    pub end: usize,
    /// The index of its (first) word in the text, from 0; neighbours differ by one.
    pub position: u32,
}

/// Class of a character for the tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A letter or digit of a script with spaces.
    Spaced,
    /// A character of a script without spaces.
    Unspaced,
    /// A Korean syllable.
    Hangul,
    /// A character that connects words in a compound: `_`, `/`, `.`, `:` …
    Joint,
    /// Anything else; it separates runs.
    Space,
}

impl Class {
    /// The class that decides where a run ends: joints belong to the run of words around them and are split there.
    const fn in_run(self) -> Self {
        match self {
            Self::Joint => Self::Spaced,
            other @ (Self::Spaced | Self::Unspaced | Self::Hangul | Self::Space) => other,
        }
    }
}

/// The class of each ASCII character.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at build time, where a wrong index is a compile error"
)]
static OF_ASCII: [Class; 128] = {
    let mut classes = [Class::Space; 128];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        classes[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => Class::Spaced,
            b'_' | b'-' | b'.' | b'/' | b'\\' | b':' | b'@' | b'#' | b'~' | b'$' | b'+' | b'=' => {
                Class::Joint
            }
            _ => Class::Space,
        };
        byte += 1;
    }
    classes
};

fn class_of_ascii(byte: u8) -> Option<Class> {
    OF_ASCII.get(usize::from(byte)).copied()
}

/// Whether a byte is a joint. All joints are ASCII, so slicing between two of them is valid UTF-8.
fn is_joint(byte: u8) -> bool {
    class_of_ascii(byte) == Some(Class::Joint)
}

fn class(c: char) -> Class {
    if let Some(class) = u8::try_from(c).ok().and_then(class_of_ascii) {
        return class;
    }
    match Script::of(c) {
        Script::Han | Script::Kana | Script::Indochinese => Class::Unspaced,
        Script::Hangul => Class::Hangul,
        // Combining accents count as letters, so that a decomposed é does not split its word.
        Script::Other if c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36F}') => Class::Spaced,
        Script::Other => Class::Space,
    }
}

/// Calls `visit` for every token of the text, in linear time.
pub(super) fn scan<'a>(text: &'a str, mut visit: impl FnMut(Token<'a>)) {
    let (mut position, mut at) = (0, 0);
    while let Some(rest) = text.get(at..)
        && let Some(first) = rest.chars().next()
    {
        let class = class(first).in_run();
        let (run, _) = rest.split_at(run_length(rest, class));
        match class {
            Class::Spaced => spaced(run, at, &mut position, &mut visit),
            Class::Unspaced | Class::Hangul => unspaced(run, at, class, &mut position, &mut visit),
            Class::Joint | Class::Space => {}
        }
        at += run.len();
    }
}

/// The length in bytes of the run of one class at the start of a text.
fn run_length(text: &str, wanted: Class) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let is_other = |byte: &u8| class_of_ascii(*byte).is_none_or(|class| class.in_run() != wanted);
        let Some(other) = rest.bytes().position(|byte| is_other(&byte)) else { return text.len() };
        at += other;
        match rest.get(other..).and_then(|rest| rest.chars().next()) {
            Some(c) if !c.is_ascii() && class(c) == wanted => at += c.len_utf8(),
            Some(_) | None => return at,
        }
    }
    at
}

/// A piece without the joints at its ends, and its new offset.
fn trimmed(piece: &str, base: usize) -> (&str, usize) {
    let from = piece.bytes().position(|byte| !is_joint(byte)).unwrap_or(piece.len());
    let to = piece.bytes().rposition(|byte| !is_joint(byte)).map_or(from, |last| last + 1);
    (piece.get(from..to).unwrap_or_default(), base + from)
}

/// The non-empty pieces between ASCII separators, without joints at their ends, each with its offset.
fn pieces(
    text: &str,
    base: usize,
    separator: impl Fn(u8) -> bool + Copy,
) -> impl Iterator<Item = (&str, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let end = rest.bytes().position(separator).map_or(rest.len(), |end| end + 1);
        let piece = trimmed(rest.get(..end)?, base + at);
        at += end;
        Some(piece)
    })
    .filter(|(piece, _)| !piece.is_empty())
}

/// Emits the tokens of a run of a script with spaces.
fn spaced<'a>(run: &'a str, base: usize, position: &mut u32, visit: &mut impl FnMut(Token<'a>)) {
    if run.len() <= LONGEST_WORD && run.bytes().all(|b| b.is_ascii_alphanumeric()) {
        word_parts(run, base, position, visit);
        return;
    }
    if run.len() >= LONG_RUN {
        // Encoded data has few joints; a joined list of names has one between all words.
        let joints = run.bytes().filter(|byte| is_joint(*byte)).count();
        if joints * 16 >= run.len() {
            for (word, from) in pieces(run, base, is_joint) {
                word_parts(word, from, position, visit);
            }
        }
        return;
    }
    for (piece, from) in pieces(run, base, |byte| matches!(byte, b'=' | b'+')) {
        compound(piece, from, *position, visit);
        for (word, from) in pieces(piece, from, is_joint) {
            word_parts(word, from, position, visit);
        }
    }
}

/// Emits a piece that contains joints as one compound, then its parts between `: @ #` and the tails of its paths.
fn compound<'a>(piece: &'a str, from: usize, position: u32, visit: &mut impl FnMut(Token<'a>)) {
    let is_compound = |text: &str| text.bytes().any(is_joint);
    if piece.len() > LONGEST_COMPOUND || !is_compound(piece) {
        return;
    }
    let end = from + piece.len();
    let mut emit = |kind, text, start, end| visit(Token { kind, text, start, end, position });
    emit(Kind::Compound, compound_form(piece), from, end);
    let inner = |byte| matches!(byte, b':' | b'@' | b'#');
    if piece.bytes().any(inner) {
        for (part, at) in pieces(piece, from, inner) {
            if is_compound(part) {
                emit(Kind::Compound, compound_form(part), at, at + part.len());
            }
        }
    }
    // A position after a path (`:12:5`, `#L3`) does not belong to its tails.
    for (part, at) in pieces(piece, from, inner) {
        let slashes = part.rmatch_indices(['/', '\\']).map(|(i, _)| i + 1);
        // A double slash counts once: it is often an escaped backslash.
        let tails = slashes.filter(|at| part.get(*at..).is_some_and(|t| !t.starts_with(['/', '\\'])));
        for tail_at in tails.take(PATH_TAILS) {
            if let Some(tail) = part.get(tail_at..).filter(|tail| is_compound(tail)) {
                emit(Kind::Tail, compound_form(tail), at + tail_at, at + part.len());
            }
        }
    }
}

/// The normal form of an identifier or path: lower case, single `/` for every slash and backslash.
fn compound_form(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        let is_other = |byte: u8| byte.is_ascii_uppercase() || byte == b'\\';
        if !text.bytes().any(is_other) && !text.contains("//") {
            return Cow::Borrowed(text);
        }
        if !text.contains(['\\', '/']) {
            return Cow::Owned(text.to_ascii_lowercase());
        }
    }
    let mut form = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            '\\' | '/' if form.ends_with('/') => {}
            '\\' => form.push('/'),
            c => form.push(c),
        }
    }
    Cow::Owned(form)
}

/// Emits a word; a camel-case word as a compound and as its parts.
fn word_parts<'a>(word: &'a str, from: usize, position: &mut u32, visit: &mut impl FnMut(Token<'a>)) {
    if word.len() > LONGEST_WORD {
        *position = position.saturating_add(1);
        return;
    }
    // Fast path: most words have no capital after their first character.
    let is_whole = word.bytes().skip(1).all(|b| b.is_ascii() && !b.is_ascii_uppercase());
    let cuts = if is_whole { Vec::new() } else { camel_cuts(word) };
    if !cuts.is_empty() {
        let end = from + word.len();
        visit(Token {
            kind: Kind::Compound,
            text: Cow::Owned(word_form(word).into_owned()),
            start: from,
            end,
            position: *position,
        });
    }
    let mut start = 0;
    for cut in cuts.into_iter().chain([word.len()]) {
        if let Some(part) = word.get(start..cut).filter(|p| !p.is_empty()) {
            visit(Token {
                kind: Kind::Word,
                text: word_form(part),
                start: from + start,
                end: from + cut,
                position: *position,
            });
            *position = position.saturating_add(1);
        }
        start = cut;
    }
}

/// The byte offsets at which a camel-case word is split: before a capital after a small letter, and before the last of
/// several capitals when a small letter follows (`HTTP|Server`).
fn camel_cuts(word: &str) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut before: Option<char> = None;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if let Some(b) = before
            && c.is_uppercase()
        {
            let small_next = chars.peek().is_some_and(|(_, n)| n.is_lowercase());
            if b.is_lowercase() || b.is_ascii_digit() && small_next || b.is_uppercase() && small_next {
                cuts.push(at);
            }
        }
        before = Some(c);
    }
    cuts
}

/// The normal form of a word: lower case, composed letters (NFKC), short numbers without leading zeros (so that
/// `2024-04-07` and `4/7` share terms).
fn word_form(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        if word.len() <= 4 && word.bytes().all(|b| b.is_ascii_digit()) {
            let short = word.trim_start_matches('0');
            return Cow::Borrowed(if short.is_empty() { "0" } else { short });
        }
        if word.bytes().any(|b| b.is_ascii_uppercase()) {
            return Cow::Owned(word.to_ascii_lowercase());
        }
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.nfkc().flat_map(char::to_lowercase).collect())
}

/// Emits the characters of a run without spaces, and their pairs; a Korean run also as a whole word.
fn unspaced<'a>(
    run: &'a str,
    base: usize,
    class: Class,
    position: &mut u32,
    visit: &mut impl FnMut(Token<'a>),
) {
    if class == Class::Hangul {
        let word: String = run.nfc().collect();
        let long = word.chars().count() > 2 && word.len() <= LONGEST_WORD;
        if long {
            let end = base + run.len();
            visit(Token {
                kind: Kind::Compound,
                text: Cow::Owned(word),
                start: base,
                end,
                position: *position,
            });
        }
    }
    let mut before: Option<usize> = None;
    for (at, c) in run.char_indices() {
        let end = at + c.len_utf8();
        if let Some(from) = before
            && let Some(pair) = run.get(from..end)
        {
            visit(Token {
                kind: Kind::Pair,
                text: pair_form(pair),
                start: base + from,
                end: base + end,
                position: position.saturating_sub(1),
            });
        }
        if let Some(one) = run.get(at..end) {
            visit(Token {
                kind: Kind::Character,
                text: pair_form(one),
                start: base + at,
                end: base + end,
                position: *position,
            });
        }
        *position = position.saturating_add(1);
        before = Some(at);
    }
}

/// The normal form of characters without spaces: NFKC, so half-width kana and compatibility ideographs match usual
/// ones.
fn pair_form(text: &str) -> Cow<'_, str> {
    if is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfkc().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn tokens(text: &str, kinds: &[Kind]) -> Vec<String> {
        let mut found = Vec::new();
        scan(text, |token| {
            if kinds.contains(&token.kind) {
                found.push(token.text.into_owned());
            }
        });
        found
    }

    #[rstest]
    #[case::english("Don't STOP, it's 3 o'clock", "don t stop it s 3 o clock")]
    #[case::snake("parse_config_file(x)", "parse config file x")]
    #[case::camel("parseConfigFile HTTPServer utf8 v2Beta", "parse config file http server utf8 v2 beta")]
    #[case::posix("see ./src/http/mod.rs:12", "see src http mod rs 12")]
    #[case::windows(r"C:\Users\Ada\notes.txt", "c users ada notes txt")]
    #[case::date("on 2024-04-07", "on 2024 4 7")]
    #[case::assignment("MAX_SIZE=4096", "max size 4096")]
    #[case::russian("Ёлка и Москва", "ёлка и москва")]
    #[case::german("Größe der Straße", "größe der straße")]
    #[case::decomposed("cafe\u{301}", "café")]
    #[case::full_width("ＡＢＣ", "abc")]
    fn words_are_read_from_any_writing(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(tokens(text, &[Kind::Word]).join(" "), expected);
    }

    #[rstest]
    #[case::snake("call parse_config now", &["parse_config"])]
    #[case::camel("call parseConfig", &["parseconfig"])]
    #[case::path("src/http/mod.rs", &["src/http/mod.rs", "mod.rs", "http/mod.rs"])]
    #[case::doubled("src//http/mod.rs", &["src/http/mod.rs", "mod.rs", "http/mod.rs"])]
    #[case::line("http/mod.rs:12:5", &["http/mod.rs:12:5", "http/mod.rs", "mod.rs"])]
    #[case::windows(r"C:\\tmp\\a.txt", &["c:/tmp/a.txt", "tmp/a.txt", "a.txt"])]
    #[case::module("std::fs::File.", &["std::fs::file"])]
    #[case::address("ada@example.org", &["ada@example.org", "example.org"])]
    #[case::issue("fixes ABC-123", &["abc-123"])]
    #[case::none("plain words, only.", &[])]
    fn compounds_are_kept_whole_and_by_their_ends(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(tokens(text, &[Kind::Compound, Kind::Tail]), expected);
    }

    #[rstest]
    #[case::chinese("我喜欢爵士乐", &["我喜", "喜欢", "欢爵", "爵士", "士乐"])]
    #[case::japanese("テストが失敗", &["テス", "スト", "トが", "が失", "失敗"])]
    #[case::korean("회의록을", &["회의", "의록", "록을"])]
    #[case::mixed("第3章 API設計", &["設計"])]
    #[case::half_width("ﾃｽﾄ", &["テス", "スト"])]
    #[case::thai("ขอบคุณ", &["ขอ", "อบ", "บค", "คุ", "ุณ"])]
    fn scripts_without_spaces_are_read_in_pairs(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(tokens(text, &[Kind::Pair]), expected);
    }

    #[test]
    fn a_korean_word_is_kept_whole_in_one_spelling() {
        let composed = tokens("회의록을", &[Kind::Compound]);
        let apart: String = "회의록을".nfd().collect();
        assert_eq!(tokens(&apart, &[Kind::Compound]), composed);
    }

    #[test]
    fn blobs_give_no_tokens_and_long_lists_only_words() {
        assert!(tokens(&"A".repeat(1_000_000), &[Kind::Word]).is_empty());
        assert!(
            tokens(
                &"aGVsbG8gdGhlcmUsIGhvdyBhcmUgeW91+dG9kYXkgbXkgZnJpZW5kPw".repeat(4_000),
                &[Kind::Word, Kind::Compound]
            )
            .len()
                < 10
        );
        let list = vec!["/usr/local/bin"; 100].join(":");
        assert_eq!(tokens(&list, &[Kind::Word]).len(), 300);
        assert!(tokens(&list, &[Kind::Compound, Kind::Tail]).is_empty());
    }

    proptest! {
        #[test]
        fn every_token_lies_in_its_text_in_order(text in "\\PC*|[a-zA-Z0-9_./\\\\:@#=+ -]{0,80}|[가-힣ᄀ-ᇿあ-んa-zé\u{301} ]{0,40}") {
            let mut last = 0;
            scan(&text, |token| {
                assert!(text.get(token.start..token.end).is_some_and(|t| !t.is_empty()));
                assert!(token.position + 1 >= last, "positions run forward");
                last = last.max(token.position);
            });
        }
    }
}
