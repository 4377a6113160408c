//! How texts, figures and times are shown.

use std::borrow::Cow;
use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::Value;

use crate::PATH;
use crate::assets::STAMP;
use crate::done;
use crate::visit::{Visit, Who};

/// What of a segment or a value in a path stays as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What every page has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) who: Option<Who>,
    /// The part of the navigation that it belongs to.
    pub(crate) at: &'static str,
    /// Its own address, to which a form returns.
    pub(crate) here: String,
    /// What the form did that led here.
    pub(crate) done: String,
    /// The page of the next context, when that is another by what was done.
    pub(crate) next: String,
    pub(crate) stamp: &'static str,
}

impl Page {
    pub(crate) fn of(visit: &Visit, at: &'static str, title: &str) -> Self {
        let (here, done) = done::taken(visit.path());
        let next = done::next(visit.path());
        Self { who: Some(visit.who.clone()), at, here, done, next, ..Self::bare(title) }
    }

    /// A page without navigation.
    pub(crate) fn bare(title: &str) -> Self {
        Self {
            title: shown(title, 200),
            who: None,
            at: "",
            here: PATH.to_owned(),
            done: String::new(),
            next: String::new(),
            stamp: &STAMP,
        }
    }

    pub(crate) fn can_write(&self) -> bool {
        self.who.as_ref().is_some_and(|who| who.can("write"))
    }

    pub(crate) fn can_admin(&self) -> bool {
        self.who.as_ref().is_some_and(|who| who.can("admin"))
    }
}

/// Reads of a JSON document what pages show, with nothing in the place of what is not there.
pub(crate) trait Look {
    fn text(&self, key: &str) -> String;
    fn whole(&self, key: &str) -> i64;
    fn share(&self, key: &str) -> Option<f64>;
    fn list(&self, key: &str) -> &[Value];
    fn under(&self, key: &str) -> &Value;
    fn is(&self, key: &str) -> bool;
}

impl Look for Value {
    fn text(&self, key: &str) -> String {
        self.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn whole(&self, key: &str) -> i64 {
        self.get(key).and_then(Value::as_i64).unwrap_or_default()
    }

    fn share(&self, key: &str) -> Option<f64> {
        self.get(key).and_then(Value::as_f64)
    }

    fn list(&self, key: &str) -> &[Value] {
        self.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn under(&self, key: &str) -> &Value {
        self.get(key).unwrap_or(&Value::Null)
    }

    fn is(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or_default()
    }
}

/// A segment of a path.
pub(crate) fn segment(text: &str) -> String {
    match text {
        // What a client takes out of a path.
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        text => utf8_percent_encode(text, PLAIN).to_string(),
    }
}

/// A path with a query, of the pairs that have a value.
pub(crate) fn with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    let mut out = path.to_owned();
    let given = pairs.iter().filter(|(_, value)| !value.is_empty());
    for (at, (name, value)) in given.enumerate() {
        out.push(if at == 0 { '?' } else { '&' });
        out.push_str(name);
        out.push('=');
        out.push_str(&utf8_percent_encode(value, PLAIN).to_string());
    }
    out
}

/// The query of a page of a list.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Paged {
    #[serde(default)]
    pub(crate) cursor: String,
}

/// The address of the next page of a list; empty when there is none.
pub(crate) fn next(listed: &Value, path: &str) -> String {
    let cursor = listed.text("next_cursor");
    if cursor.is_empty() { cursor } else { with_query(path, &[("cursor", &cursor)]) }
}

/// A text as a page shows it: at most so many characters, and what would steer the direction of the text around it, or is
/// no character at all, by its name.
pub(crate) fn shown(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most.saturating_mul(2)));
    for (at, c) in text.chars().enumerate() {
        if at == most {
            out.push('…');
            break;
        }
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => {}
            c if steers(c) || c.is_control() => {
                let _ = write!(out, "‹U+{:04X}›", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// What somebody typed, as it is shown in a form: so that what steers is seen there, too.
pub(crate) fn typed<'de, D: serde::Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    Ok(shown(&<String as serde::Deserialize>::deserialize(value)?, usize::MAX))
}

/// The text that was shown, with the characters that were named.
pub(crate) fn meant(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("‹U+") {
        out.push_str(before);
        let named = from.split_once('›').and_then(|(name, after)| {
            let c = u32::from_str_radix(name, 16).ok().and_then(char::from_u32)?;
            (steers(c) || c.is_control()).then_some((c, after))
        });
        if let Some((c, after)) = named {
            out.push(c);
            rest = after;
        } else {
            out.push_str("‹U+");
            rest = from;
        }
    }
    out.push_str(rest);
    out
}

/// Whether a character changes the direction of others, or is invisible.
fn steers(c: char) -> bool {
    matches!(
        c,
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{061C}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}'
    )
}

/// One line of a text.
pub(crate) fn line(text: &str, most: usize) -> String {
    let flat: Cow<'_, str> =
        if text.contains(['\n', '\t']) { text.replace(['\n', '\t'], " ").into() } else { text.into() };
    shown(flat.trim(), most)
}

/// A count with separators.
pub(crate) fn count(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if n < 0 { format!("−{out}") } else { out }
}

/// A count of things, of which the name has an `s` unless it is one.
pub(crate) fn some(n: i64, name: &str) -> String {
    format!("{} {name}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Tokens in few characters.
#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
pub(crate) fn tokens(n: i64) -> String {
    match n {
        n if n < 1_000 => n.to_string(),
        n if n < 10_000 => format!("{:.1}k", n as f64 / 1e3),
        n if n < 1_000_000 => format!("{}k", n / 1_000),
        n => format!("{:.1}M", n as f64 / 1e6),
    }
}

/// A share in per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A share in per cent; a dash without one.
pub(crate) fn percent_or(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), percent)
}

/// Millionths of a currency.
#[expect(clippy::cast_precision_loss, reason = "shown with some digits")]
pub(crate) fn money(micros: i64) -> String {
    let whole = micros as f64 / 1e6;
    match whole {
        0.0 => "0".to_owned(),
        small if small.abs() < 0.01 => format!("{small:.5}"),
        middle if middle.abs() < 10.0 => format!("{middle:.3}"),
        large => format!("{large:.2}"),
    }
}

/// A time in UTC, to the second.
pub(crate) fn time(text: &str) -> String {
    match text.parse::<DateTime<Utc>>() {
        Ok(at) => at.format("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => "–".to_owned(),
    }
}

/// How long ago a time was.
pub(crate) fn ago(text: &str, now: DateTime<Utc>) -> String {
    let Ok(at) = text.parse::<DateTime<Utc>>() else { return "–".to_owned() };
    let seconds = (now - at).num_seconds().max(0);
    match seconds {
        s if s < 60 => "just now".to_owned(),
        s if s < 3_600 => format!("{} min ago", s / 60),
        s if s < 172_800 => format!("{} h ago", s / 3_600),
        s => format!("{} days ago", s / 86_400),
    }
}

/// Milliseconds as a time that people read.
#[expect(clippy::cast_precision_loss, reason = "shown with a digit")]
pub(crate) fn duration(ms: i64) -> String {
    if ms < 1_000 { format!("{ms} ms") } else { format!("{:.1} s", ms as f64 / 1e3) }
}

/// Words at the beginning of a sentence.
pub(crate) fn capitalized(words: &str) -> String {
    let mut rest = words.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// A word of the API as people read it.
pub(crate) fn word(text: &str) -> String {
    text.replace(['_', '-'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("a\u{202E}b", 10, "a‹U+202E›b")]
    #[case("a\u{0}\u{1b}[31m", 20, "a‹U+0000›‹U+001B›[31m")]
    #[case("one\r\ntwo\tx", 20, "one\ntwo\tx")]
    #[case("abcdef", 3, "abc…")]
    #[case("日本語", 3, "日本語")]
    fn a_text_is_shown_as_characters_alone(#[case] text: &str, #[case] most: usize, #[case] seen: &str) {
        assert_eq!(shown(text, most), seen);
    }

    #[rstest]
    #[case(0, "0", "0")]
    #[case(999, "999", "999")]
    #[case(12_345, "12,345", "12k")]
    #[case(1_234, "1,234", "1.2k")]
    #[case(-4_000, "−4,000", "-4000")]
    #[case(2_500_000, "2,500,000", "2.5M")]
    fn figures_are_short(#[case] n: i64, #[case] long: &str, #[case] short: &str) {
        assert_eq!((count(n).as_str(), tokens(n).as_str()), (long, short));
    }

    proptest! {
        #[test]
        fn what_is_shown_in_a_form_is_what_was_meant(text in "([a-z‹›U+0-9]|\u{202E}|\u{200F}|\u{1b}|\n){0,40}") {
            let shown = shown(&text, usize::MAX);
            prop_assert!(!shown.chars().any(steers));
            let named = text.contains("‹U+");
            prop_assert!(named || meant(&shown) == text, "{shown:?}");
        }

        #[test]
        fn a_segment_is_one_segment_of_ascii(text in ".*") {
            let segment = segment(&text);
            prop_assert!(segment.bytes().all(|b| b.is_ascii_graphic() && !b"/?#\\".contains(&b)));
            prop_assert!(![".", ".."].contains(&segment.as_str()));
        }
    }
}
