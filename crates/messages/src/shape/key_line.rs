//! The key line: the most informative line of a tool output. It is a test runner's totals, an error, else the last
//! line.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

use super::{is_blank, one_line};

const KEY_CHARS: usize = 120;
/// The bytes at each end of an output that are searched, because totals and first errors are there.
const LOOK_BYTES: usize = 16 * 1024;

static TOTALS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    finder(&[
        " passed", " failed", " failing", " passing", "tests run:", "test result:", "failures:",
        "errors found", "error(s)",
    ])
});
static ERRORS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    finder(&[
        "error:", "error[", "exception", "panicked at", "fatal:", "traceback", "failed", "not found",
        "denied",
    ])
});

/// `None` cannot happen with these patterns; finding nothing would be the harmless result.
fn finder(patterns: &[&str]) -> Option<AhoCorasick> {
    AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostFirst)
        .build(patterns)
        .ok()
}

/// The key line of an output; `None` when it has no line worth showing.
pub(super) fn find(text: &str) -> Option<String> {
    let tail = end(text);
    let hit = last_line_with(&TOTALS, tail)
        .or_else(|| last_line_with(&ERRORS, tail))
        .or_else(|| first_line_with(&ERRORS, start(text)))
        .or_else(|| tail.lines().rev().find(|l| l.chars().any(char::is_alphanumeric)));
    hit.map(|line| one_line(line, KEY_CHARS)).filter(|line| !is_blank(line))
}

/// Whether a key line reports an error: it has a word for one, and not a count of zero.
pub(super) fn shows_error(line: &str) -> bool {
    let Some(words) = ERRORS.as_ref() else { return false };
    let told = words.find_iter(line).any(|word| {
        let before = line.get(..word.start()).unwrap_or_default().trim_end();
        let count = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        !matches!(count, "0" | "no" | "No" | "without")
    });
    let lower = line.to_ascii_lowercase();
    let failing =
        lower.find(" failing").or_else(|| lower.find(" errors found")).and_then(|at| lower.get(..at));
    told || failing.is_some_and(|before| {
        let count = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        !count.is_empty() && count != "0"
    })
}

fn last_line_with<'t>(finder: &LazyLock<Option<AhoCorasick>>, text: &'t str) -> Option<&'t str> {
    let last = finder.as_ref()?.find_iter(text).last()?;
    line_at(text, last.start())
}

fn first_line_with<'t>(finder: &LazyLock<Option<AhoCorasick>>, text: &'t str) -> Option<&'t str> {
    line_at(text, finder.as_ref()?.find(text)?.start())
}

fn line_at(text: &str, at: usize) -> Option<&str> {
    let from = text.get(..at)?.rfind('\n').map_or(0, |i| i + 1);
    let to = text.get(at..)?.find('\n').map_or(text.len(), |i| at + i);
    text.get(from..to)
}

fn start(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LOOK_BYTES)).unwrap_or_default()
}

fn end(text: &str) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(LOOK_BYTES))..).unwrap_or_default()
}
