//! Small helpers that spell names, sums, frames and JSON.

use serde_json::Value;
use std::fmt::Write as _;

/// Replaces every `open` + key + `close` by its value.
pub(super) fn put(text: &str, open: char, close: char, with: &[(&str, &str)]) -> String {
    let mut out = text.to_owned();
    for (key, value) in with {
        out = out.replace(&format!("{open}{key}{close}"), value);
    }
    out
}

/// Fills a code frame (`@x@`).
pub(super) fn code(text: &str, with: &[(&str, &str)]) -> String {
    put(text, '@', '@', with)
}

/// The text with a capital at its start.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |c| c.to_uppercase().collect::<String>() + letters.as_str())
}

/// The text with a small letter at its start, unless its first word is all capitals, holds a figure or is a
/// name.
pub(super) fn small(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or("");
    if first == "I" || first.contains('\'') || first.chars().skip(1).any(|c| !c.is_lowercase()) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |c| c.to_lowercase().collect::<String>() + letters.as_str())
}

/// The words of a name as a title: `grace_days` gives `GraceDays`.
pub(super) fn camel(name: &str) -> String {
    name.split('_').map(capital).collect()
}

/// The plural of a noun.
pub(super) fn plural(noun: &str) -> String {
    let noun = noun.replace('_', " ");
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
        _ if noun.ends_with(['s', 'x']) || noun.ends_with("ch") => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Facts from short lists of spellings.
pub(super) fn facts(list: &[&[&str]]) -> Vec<Vec<String>> {
    list.iter().map(|ways| ways.iter().map(|w| (*w).to_owned()).collect()).collect()
}

/// The last part of a path.
pub(super) fn tail(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Cents as euros with two places.
pub(super) fn euros(cents: usize) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// The number with its lines counted from 1, as the `Read` tool shows them.
pub(super) fn numbered(text: &str, from: usize, most: usize) -> String {
    let mut out = String::new();
    for (at, line) in text.lines().enumerate().skip(from).take(most) {
        let _ = writeln!(out, "{:>6}\t{line}", at + 1);
    }
    out.truncate(out.trim_end().len());
    out
}

/// A JSON value with line breaks, as the platform's own tools answer.
pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
