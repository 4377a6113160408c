//! Splits a text into sentences and leaves out what machines wrote: code, logs, tables, diffs, quotes.

use super::super::line::{head, lines, squash};
use crate::phrases::Phrase;

/// The longest text of one message that is split, in bytes; the rest is ignored.
pub(super) const MAX_TEXT: usize = 256 * 1024;

/// A sentence or list item in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its text, without list marks, every white space run as one space.
    pub text: String,
    /// Whether it is an item of a list.
    pub listed: bool,
    /// Whether it is a heading.
    pub heading: bool,
}

/// The kind of line on which a paragraph begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    Plain,
    Item,
    Heading,
}

/// The sentences of a text in order; fenced code, quotes, logs, tables and diffs are left out.
pub fn sentences(text: &str) -> Vec<Sentence> {
    let mut out = Vec::new();
    let mut paragraph = String::new();
    let mut kind = LineKind::Plain;
    let mut fence: Option<&str> = None;
    for line in lines(head(text, MAX_TEXT)) {
        let bare = line.trim();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|m| bare.starts_with(m)) {
            match fence {
                Some(open) if open == mark => fence = None,
                Some(_) => {}
                None => {
                    flush(&mut paragraph, kind, &mut out);
                    // A block that ends on its first line (```` ```code``` ````) opens no fence.
                    fence = (!(bare.len() > 6 && bare.ends_with(mark))).then_some(mark);
                }
            }
            continue;
        }
        if fence.is_some() {
            continue;
        }
        if bare.is_empty() || is_machine_line(line, bare) {
            flush(&mut paragraph, kind, &mut out);
            continue;
        }
        let item = list_item(bare);
        let heading = bare.starts_with('#');
        let continues = item.is_none()
            && !heading
            && kind != LineKind::Heading
            && !paragraph.is_empty()
            && !paragraph.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '：'])
            && bare
                .chars()
                .next()
                .is_some_and(|c| c.is_lowercase() || c == '(' || c == '`' || !c.is_alphabetic());
        if !continues {
            flush(&mut paragraph, kind, &mut out);
            kind = match item {
                Some(_) => LineKind::Item,
                None if heading => LineKind::Heading,
                None => LineKind::Plain,
            };
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(item.unwrap_or(bare).trim_start_matches('#').trim());
    }
    flush(&mut paragraph, kind, &mut out);
    out
}

/// The text of a list item, after its mark (`- `, `* `, `1. `, `2) `, `[ ] `); `None` for other lines.
pub fn list_item(line: &str) -> Option<&str> {
    let rest = ["- ", "* ", "• ", "+ ", "– "].iter().find_map(|m| line.strip_prefix(m)).or_else(|| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = (digits > 0 && digits < 4).then(|| line.get(digits..))??;
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).or_else(|| rest.strip_prefix('、'))
    })?;
    let rest = rest.trim_start();
    Some(["[ ] ", "[x] ", "[X] "].iter().find_map(|m| rest.strip_prefix(m)).unwrap_or(rest))
}

/// Whether a line is a quote, a console line, a log, a table, a diff or code.
fn is_machine_line(line: &str, bare: &str) -> bool {
    bare.starts_with('>')
        || bare.starts_with("$ ")
        || bare.starts_with('|')
        || bare.starts_with("at ") && bare.contains(':') && bare.ends_with(')')
        || bare.starts_with("File \"")
        || bare.starts_with("diff --git")
        || bare.starts_with("@@ ")
        || bare.starts_with("+++ ")
        || bare.starts_with("--- ")
        || bare.starts_with("//")
        || bare.starts_with("/*")
        || (line.starts_with("    ") || line.starts_with('\t'))
            && list_item(bare).is_none()
            && bare.contains(['{', '}', ';', '=', '('])
        || bare.ends_with(['{', '}', ';']) && bare.contains(['(', '{', '=', '"'])
        || bare.len() > 400 && !bare.contains(' ') && bare.is_ascii()
}

/// Splits the paragraph, appends its sentences to `out` and empties it.
fn flush(paragraph: &mut String, kind: LineKind, out: &mut Vec<Sentence>) {
    let text = std::mem::take(paragraph);
    let told = split(&text).map(str::trim).filter(|piece| piece.chars().any(char::is_alphanumeric));
    out.extend(told.map(|piece| Sentence {
        text: squash(piece),
        listed: kind == LineKind::Item,
        heading: kind == LineKind::Heading,
    }));
}

/// Splits prose behind the signs that end its sentences.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    let is_ascii = text.is_ascii();
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = end(rest, is_ascii)?;
        let (sentence, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(sentence)
    })
}

/// Where the first sentence of a text ends; `None` for an empty text.
fn end(text: &str, is_ascii: bool) -> Option<usize> {
    let ends = |at: usize, sign: char| {
        let behind = text.get(at + sign.len_utf8()..).unwrap_or_default();
        match sign {
            '。' | '！' | '？' | '；' | '۔' | '।' => true,
            '.' | '!' | '?' | '؟' => {
                (behind.is_empty() || behind.starts_with(char::is_whitespace))
                    && !(sign == '.' && is_no_end(text.get(..at).unwrap_or_default(), behind))
            }
            _ => false,
        }
    };
    let found = if is_ascii {
        let sign = |at: &usize| text.as_bytes().get(*at).is_some_and(|sign| ends(*at, char::from(*sign)));
        memchr::memchr3_iter(b'.', b'!', b'?', text.as_bytes()).find(sign).map(|at| at + 1)
    } else {
        text.char_indices().find(|(at, sign)| ends(*at, *sign)).map(|(at, sign)| at + sign.len_utf8())
    };
    found.or_else(|| (!text.is_empty()).then_some(text.len()))
}

/// Whether a full stop between two texts does not end a sentence: it ends an abbreviation, or a number that lower case
/// follows (`steps: 1. read it, 2. write it`).
fn is_no_end(before: &str, after: &str) -> bool {
    if is_abbreviation(before) {
        return true;
    }
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    let stands_alone =
        before.len() == digits || before.bytes().rev().nth(digits).is_some_and(|b| b.is_ascii_whitespace());
    // `The U.S. and Canada` goes on.
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_initials = word.contains('.')
        && word.split('.').all(|letter| letter.len() == 1 && letter.starts_with(char::is_uppercase));
    ((1..=2).contains(&digits) && stands_alone || is_initials)
        && after.trim_start_matches(' ').starts_with(char::is_lowercase)
}

/// Whether a text ends with an abbreviation or an initial, to which a following full stop belongs.
pub fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
    Phrase::Abbreviation.is_in(word) || word.len() == 1 && word.chars().all(char::is_uppercase)
}
