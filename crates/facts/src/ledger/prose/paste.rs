//! Separates what a person wrote from what the person pasted plainly, without marks around it: pages, mails, logs.
//!
//! What is pasted is recognised by the words before it ("here is the page:"), by the head of a mail, by HTML, by many
//! URLs, or by its length. Where it ends is often not visible. Then it reaches to the end of the message, except for a
//! last paragraph that begins as a person goes on after a paste ("Please …", "Now …").
//!
//! Invariant: what a person wrote before the paste is kept, and so is what follows a mark that closes it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::phrases::Phrase;
use crate::{pattern, rules};

/// `rules/pastes.toml` explains each list.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Pastes {
    introductions: Vec<String>,
    header: String,
    forwarded: String,
    returns: String,
    frame: String,
    #[cfg(test)]
    samples: Vec<Sample>,
    #[cfg(test)]
    others: Vec<Sample>,
}

#[cfg(test)]
#[derive(Debug, Deserialize)]
struct Sample {
    text: String,
}

struct Patterns {
    introduction: Regex,
    header: Regex,
    forwarded: Regex,
    returns: Regex,
    frame: Regex,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let rules: Pastes = rules::read(rules::PASTES);
    Patterns {
        introduction: pattern::ascii(&rules.introductions.join("|")),
        header: pattern::ascii(&rules.header),
        forwarded: pattern::ascii(&rules.forwarded),
        returns: pattern::ascii(&rules.returns),
        frame: pattern::ascii(&rules.frame),
    }
});

/// A message with this many URLs that is this long contains a page.
const ADDRESSES: usize = 4;
const PAGE_BYTES: usize = 1_500;
/// So many lines of a page's frame make a long message a copied page.
const FRAME_LINES: usize = 3;
/// The longest line of a page's frame, in bytes.
const FRAME_BYTES: usize = 300;
/// A longer message is a document; a person's own words are at its ends.
const DOCUMENT_BYTES: usize = 12_000;
/// How much of a document's beginning and end counts, up to a line's end.
const DOCUMENT_HEAD: usize = 3_000;
const DOCUMENT_TAIL: usize = 1_000;
/// A longer last paragraph belongs to what was pasted.
const RETURN_BYTES: usize = 600;
/// Two lines of a mail's head are within so many lines.
const HEAD_LINES: usize = 4;
/// So many closing tags make a text HTML.
const CLOSING_TAGS: usize = 3;

/// What a person wrote around what was pasted.
pub fn around_paste(text: &str) -> Cow<'_, str> {
    let text = around_site(text);
    let text = and_then(text, around_page);
    let text = and_then(text, around_document);
    let text = and_then(text, around_html);
    and_then(text, around_introduced)
}

pub(super) fn and_then<'t>(
    text: Cow<'t, str>,
    step: impl for<'s> Fn(&'s str) -> Cow<'s, str>,
) -> Cow<'t, str> {
    match text {
        Cow::Borrowed(text) => step(text),
        Cow::Owned(text) => Cow::Owned(step(&text).into_owned()),
    }
}

/// What a person wrote before and after a copied page: the first paragraph, if it is a person's, and what is behind the
/// last line of the page's frame.
pub fn around_site(text: &str) -> Cow<'_, str> {
    if text.len() < PAGE_BYTES {
        return Cow::Borrowed(text);
    }
    let (mut at, mut found, mut end) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.len() <= FRAME_BYTES && PATTERNS.frame.is_match(label(line)) {
            (found, end) = (found + 1, at);
        }
    }
    if found < FRAME_LINES {
        return Cow::Borrowed(text);
    }
    let first = text.trim_start().split("\n\n").next().unwrap_or_default();
    let is_own =
        first.len() <= RETURN_BYTES && (PATTERNS.returns.is_match(first) || Phrase::Task.is_in(first));
    let first = if is_own { first } else { "" };
    Cow::Owned(format!("{first}\n\n{}", text.get(end..).unwrap_or_default()))
}

/// The words of a line without its list mark and its link.
fn label(line: &str) -> &str {
    let line = line.trim().trim_start_matches(['*', '-', '•', ' ']);
    line.strip_prefix('[').and_then(|rest| rest.split(']').next()).unwrap_or(line).trim()
}

/// The first and the last paragraph of a text with many URLs.
fn around_page(text: &str) -> Cow<'_, str> {
    if text.len() < PAGE_BYTES || text.matches("://").nth(ADDRESSES - 1).is_none() {
        return Cow::Borrowed(text);
    }
    let paragraphs: Vec<&str> = text.split("\n\n").map(str::trim).filter(|one| !one.is_empty()).collect();
    let ends = [paragraphs.first(), paragraphs.last().filter(|_| paragraphs.len() > 1)];
    let own = ends.into_iter().flatten().copied().filter(|paragraph| !paragraph.contains("://"));
    Cow::Owned(own.collect::<Vec<_>>().join("\n\n"))
}

/// The beginning and the end of a very long text.
fn around_document(text: &str) -> Cow<'_, str> {
    if text.len() <= DOCUMENT_BYTES {
        return Cow::Borrowed(text);
    }
    let head = text.get(..text.floor_char_boundary(DOCUMENT_HEAD)).unwrap_or_default();
    let head = head.rsplit_once('\n').map_or("", |(head, _)| head);
    let tail = text.get(text.ceil_char_boundary(text.len() - DOCUMENT_TAIL)..).unwrap_or_default();
    let tail = tail.split_once("\n\n").map_or("", |(_, tail)| tail);
    Cow::Owned(format!("{head}\n\n{tail}"))
}

/// What is before the first and behind the last tag of HTML.
fn around_html(text: &str) -> Cow<'_, str> {
    static OPENING: LazyLock<Regex> = LazyLock::new(|| {
        pattern::ascii(
            r"(?i)<(?:!doctype html|html|head|body|div|p|span|table|ul|ol|h[1-6]|a|script|style|main|article)\b[^<>]{0,400}>",
        )
    });
    static CLOSING: LazyLock<Regex> = LazyLock::new(|| {
        pattern::ascii(
            r"(?i)</(?:html|head|body|div|p|span|table|tr|td|ul|ol|li|h[1-6]|a|script|style|main|article)>",
        )
    });
    let Some(opening) = OPENING.find(text) else { return Cow::Borrowed(text) };
    let closing: Vec<usize> = CLOSING.find_iter(text).map(|tag| tag.end()).collect();
    let Some(last) = closing.last().filter(|last| closing.len() >= CLOSING_TAGS && **last > opening.start())
    else {
        return Cow::Borrowed(text);
    };
    let (before, after) =
        (text.get(..opening.start()).unwrap_or_default(), text.get(*last..).unwrap_or_default());
    Cow::Owned(format!("{before}\n\n{after}"))
}

/// What is before the words that introduce a paste, or before a mail, and what is behind its end.
fn around_introduced(text: &str) -> Cow<'_, str> {
    let introduced = introduction(text);
    let mail = mail(text).map(|at| (at, at));
    let Some((own, from)) = introduced.into_iter().chain(mail).min() else { return Cow::Borrowed(text) };
    let before = text.get(..own).unwrap_or_default();
    let pasted = text.get(from..).unwrap_or_default();
    if pasted.trim().is_empty() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{before}\n\n{}", behind(pasted)))
}

/// Where words introduce a paste, and where they end. They stand in one paragraph and end in a colon: on all of a long text the
/// pattern would cost more than everything else that is read of it.
fn introduction(text: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    text.split_inclusive("\n\n").find_map(|paragraph| {
        let start = at;
        at += paragraph.len();
        let has_colon = paragraph.contains([':', '：']);
        let found = has_colon.then(|| PATTERNS.introduction.find(paragraph)).flatten()?;
        Some((start + found.start(), start + found.end()))
    })
}

/// Where a mail begins.
fn mail(text: &str) -> Option<usize> {
    let mut at = 0;
    // The lines since the last line of a head, and where that line is.
    let mut header: Option<(usize, usize)> = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if PATTERNS.forwarded.is_match(bare) {
            return Some(at);
        }
        header = header.map(|(lines, at)| (lines + 1, at)).filter(|(lines, _)| *lines < HEAD_LINES);
        if PATTERNS.header.is_match(bare) {
            if let Some((_, first)) = header {
                return Some(first);
            }
            header = Some((0, at));
        }
        at += line.len();
    }
    None
}

/// What follows a paste: behind the last line that is the same mark as its first line, behind the lines of a quotation, or
/// the last paragraph, if it is a person's.
fn behind(pasted: &str) -> &str {
    let body = pasted.trim_start();
    let first = body.lines().next().unwrap_or_default().trim();
    if first.starts_with('>') {
        let quoted: usize = body
            .split_inclusive('\n')
            .take_while(|line| line.trim_start().starts_with('>'))
            .map(str::len)
            .sum();
        return body.get(quoted..).unwrap_or_default();
    }
    if let Some(mark) = mark(first) {
        let mut at = 0;
        let mut end = None;
        for line in body.split_inclusive('\n') {
            at += line.len();
            end = (line.trim() == mark).then_some(at).filter(|_| at > line.len()).or(end);
        }
        return end.and_then(|end| body.get(end..)).unwrap_or_default();
    }
    let body = body.trim_end();
    let Some((_, last)) = body.rsplit_once("\n\n") else { return "" };
    let last = last.trim();
    if last.len() <= RETURN_BYTES && PATTERNS.returns.is_match(last) { last } else { "" }
}

/// The line that closes what a line opens: a fence, a rule or a row of quotation marks.
fn mark(line: &str) -> Option<&str> {
    let first = line.chars().next().filter(|c| "`~-=*_\"'#".contains(*c))?;
    let length = line.chars().take_while(|c| *c == first).count();
    let fence = line.get(..length).filter(|_| length >= 3)?;
    // A fence may name a language; a rule has nothing else.
    (length == line.len() || matches!(first, '`' | '~')).then_some(fence)
}

/// A sentence without the texts in quotation marks that are longer than two words: others have said them.
pub fn without_quotations(sentence: &str) -> Cow<'_, str> {
    const MARKS: [(char, char); 5] = [('"', '"'), ('“', '”'), ('«', '»'), ('「', '」'), ('『', '』')];
    const SHORT_CHARS: usize = 6;
    if !sentence.contains(MARKS.map(|(open, _)| open)) {
        return Cow::Borrowed(sentence);
    }
    let mut out = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some((at, close)) = rest
        .char_indices()
        .find_map(|(at, c)| MARKS.iter().find(|(open, _)| *open == c).map(|(_, close)| (at, *close)))
    {
        let (before, quoted) = rest.split_at(at);
        out.push_str(before);
        let inner = quoted.get(quoted.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
        let Some((inner, after)) = inner.split_once(close) else {
            rest = quoted;
            break;
        };
        let is_said = inner.split_whitespace().nth(2).is_some()
            || (!inner.is_ascii() && inner.chars().nth(SHORT_CHARS).is_some());
        if !is_said {
            let end = quoted.len() - after.len();
            out.push_str(quoted.get(..end).unwrap_or_default());
        }
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn every_sample_is_what_its_list_says() {
        let rules: Pastes = rules::read(rules::PASTES);
        for Sample { text } in &rules.samples {
            assert!(PATTERNS.introduction.is_match(text), "{text}");
        }
        for Sample { text } in &rules.others {
            assert!(!PATTERNS.introduction.is_match(text), "{text}");
        }
    }

    #[rstest]
    #[case("Fix it. Here is the page:\n\nWelcome.\n\nYou must run it.", "Fix it.")]
    #[case("Here is the mail:\n---\nyou must\n---\nmore\n---\nNever push.", "Never push.")]
    #[case("Here is the file:\n```text\nyou must\n```\nNever push.", "Never push.")]
    #[case("Here is the page:\n> you must\n>always\nNever push.", "Never push.")]
    #[case("Here is the page:\nyou must\n\nNow never push.", "Now never push.")]
    #[case("Read it.\nFrom: a@b.example\nSubject: hi\n\nYou must run it.", "Read it.")]
    #[case("Read it.\nOn Tue, 1 May 2026, Ann wrote:\nYou must run it.", "Read it.")]
    #[case("See <p>you</p><p>must</p><p>go</p> Never push.", "See\n\n Never push.")]
    fn what_is_pasted_goes_and_the_rest_stays(#[case] text: &str, #[case] own: &str) {
        let left = around_paste(text);
        assert_eq!(left.split_whitespace().collect::<Vec<_>>(), own.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn a_copied_page_is_known_by_its_frame() {
        let body =
            "* [Star](https://a.example/star) 12\nYou must always run the installer as root.\n".repeat(20);
        let frame = "Footer\n* [Privacy](https://a.example/privacy)\n* Manage cookies\n* Do not share my personal information\n";
        let own = |text: &str| around_site(text).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(own(&format!("Some tool\n\n{body}\n{frame}\n\nadd the tool here")), "add the tool here");
        assert_eq!(own(&format!("Please add this:\n\n{body}\n{frame}")), "Please add this:");
        assert_eq!(own(&format!("Some tool\n\n{body}\n{frame}")), "");
        let wish = "Build a footer with these links:\n- Privacy\n- Terms\n- Contact\n";
        assert_eq!(around_site(wish), wish);
    }

    #[rstest]
    #[case("From: the root of the page you must go up.")]
    #[case("Compare <p> with <div> and never use tables.")]
    #[case("Fix the page: it must load in a second.")]
    #[case("Never push.\n\nAlways test.")]
    fn a_persons_own_words_stay_as_they_are(#[case] text: &str) {
        assert_eq!(around_paste(text), text);
    }

    #[rstest]
    #[case("It says \"you must always run it\" there", "It says  there")]
    #[case("Never use the word \"foo\".", "Never use the word \"foo\".")]
    #[case("An open \" stays", "An open \" stays")]
    #[case("上面写着「必须每次都运行安装」。", "上面写着。")]
    fn what_others_said_goes_from_a_sentence(#[case] text: &str, #[case] own: &str) {
        assert_eq!(without_quotations(text), own);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics_and_none_grows(
            pieces in proptest::collection::vec(
                proptest::sample::select(vec![
                    "here is the page:", "\n", "\n\n", "---", "```", "> ", "From: a", "Subject: b", "</p>", "<p>", "\"", "“", "”",
                    "「", "你", "Now", "://", "x ",
                ]),
                0..40,
            ),
        ) {
            let text = pieces.concat();
            proptest::prop_assert!(around_paste(&text).len() <= text.len() + 8);
            proptest::prop_assert!(without_quotations(&text).len() <= text.len());
        }
    }
}
