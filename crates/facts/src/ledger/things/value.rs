//! Parses JSON into values of properties, limited in width and depth, with numbers as they were written.
//!
//! Invariant: what a limit cut is counted or shown as `…`; a number is never rounded.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::super::super::wording::clip_words;
use super::super::line::squash;

/// The most fields of an object that are parsed.
const MOST_FIELDS: usize = 64;
/// The most items of a list that are parsed.
const MOST_ITEMS: usize = 256;
/// The longest value, in characters.
const LONGEST: usize = 360;
/// The longest word that is kept whole, in characters; a longer one is data.
const LONGEST_WORD: usize = 160;
/// The most items of a list within a value that are shown.
const MOST_TOLD: usize = 24;
/// Deeper values are not shown.
const DEEPEST: u8 = 5;

/// The fields of an object, in their order; of a repeated field, the last.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    pub list: Vec<(String, &'a RawValue)>,
    /// The number of further fields, which were not parsed.
    pub more: usize,
}

/// The items of a list.
#[derive(Debug, Default)]
pub(super) struct Items<'a> {
    pub list: Vec<&'a RawValue>,
    /// The number of further items, which were not parsed.
    pub more: usize,
}

/// An object or a list.
#[derive(Debug)]
pub(super) enum Data<'a> {
    Fields(Fields<'a>),
    Items(Items<'a>),
}

impl<'a> Data<'a> {
    /// Parses a text that is an object or a list as a whole; `None` for anything else.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let text = text.trim();
        match text.as_bytes().first()? {
            b'{' => serde_json::from_str(text).ok().map(Self::Fields),
            b'[' => serde_json::from_str(text).ok().map(Self::Items),
            _ => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Fields::default();
                while fields.list.len() < MOST_FIELDS {
                    let Some((name, value)) = map.next_entry::<String, &RawValue>()? else {
                        return Ok(fields);
                    };
                    match fields.list.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, earlier)) => *earlier = value,
                        None => fields.list.push((name, value)),
                    }
                }
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    fields.more += 1;
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Object)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Items<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Items::default();
                while items.list.len() < MOST_ITEMS {
                    let Some(item) = seq.next_element::<&RawValue>()? else { return Ok(items) };
                    items.list.push(item);
                }
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    items.more += 1;
                }
                Ok(items)
            }
        }
        deserializer.deserialize_seq(List)
    }
}

/// A string without quotes, a number or a boolean; `None` for `null`, an empty string, an object or a list.
pub(super) fn scalar(raw: &RawValue) -> Option<String> {
    let text = raw.get();
    match text.as_bytes().first()? {
        b'"' => Some(squash(&serde_json::from_str::<String>(text).ok()?)).filter(|said| !said.is_empty()),
        b'{' | b'[' | b'n' => None,
        _ => Some(text.to_owned()),
    }
}

fn turns_text(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A value in one line, with `…` where something is missing; `None` when it is empty.
pub(super) fn rendered(raw: &RawValue) -> Option<String> {
    flat(raw, 0).map(|text| clipped(&text))
}

/// A text within the limit of a value, without characters that change the direction of text.
pub(super) fn clipped(text: &str) -> String {
    let text = squash(&text.replace(turns_text, ""));
    if text.chars().count() <= LONGEST {
        return text;
    }
    match clip_words(&text, LONGEST).trim_end_matches([' ', ',', ';', ':']) {
        "" => format!("{}…", text.chars().take(LONGEST_WORD).collect::<String>()),
        head => format!("{head} …"),
    }
}

fn flat(raw: &RawValue, depth: u8) -> Option<String> {
    if let Some(said) = scalar(raw) {
        return Some(said);
    }
    if depth >= DEEPEST {
        return Data::read(raw.get()).map(|_| "…".to_owned());
    }
    match Data::read(raw.get())? {
        Data::Items(items) => list(&items, depth),
        Data::Fields(fields) => {
            let mut told = pairs(&fields, depth);
            if fields.more > 0 {
                told.push(format!("… {} more", fields.more));
            }
            (!told.is_empty())
                .then(|| told.join(", "))
                .map(|all| if depth > 0 { format!("{{{all}}}") } else { all })
        }
    }
}

/// Whether a property is only for programs: links, and ids that nobody says.
pub(super) fn is_plumbing(key: &str, value: &RawValue) -> bool {
    let ends = |end: &str| key.ends_with(end) && key != "html_url";
    ends("_url")
        || ends("Url")
        || matches!(
            key,
            "node_id"
                | "gravatar_id"
                | "etag"
                | "_links"
                | "cursor"
                | "__typename"
                | "diff_hunk"
                | "reactions"
                | "site_admin"
                | "user_view_type"
                | "author_association"
                | "databaseId"
                | "in_reply_to_id"
                | "original_commit_id"
                | "original_line"
                | "original_position"
                | "position"
                | "pull_request_review_id"
                | "side"
                | "subject_type"
        )
        || value.get().starts_with("\"https://api.")
        || (ends("Id") || ends("_id") || key == "id") && is_uuid(value.get())
}

/// Whether a value is a string of the form `8-4-4-4-12`.
fn is_uuid(json: &str) -> bool {
    let parts: Vec<&str> = json.trim_matches('"').split('-').collect();
    json.len() == 38
        && parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn pairs(fields: &Fields<'_>, depth: u8) -> Vec<String> {
    let mut told = Vec::new();
    let mut length = 0;
    for (name, value) in fields.list.iter().filter(|(name, value)| !is_plumbing(name, value)) {
        let Some(value) = flat(value, depth + 1) else { continue };
        length += name.len() + value.len();
        told.push(format!("{name}: {value}"));
        // A longer text would be clipped anyway.
        if length > 4 * LONGEST {
            break;
        }
    }
    told
}

/// A list in one line; field names that all of its objects share are shown once, in front.
fn list(items: &Items<'_>, depth: u8) -> Option<String> {
    let most = items.list.len().min(MOST_TOLD);
    let left = items.more + items.list.len() - most;
    let shown = items.list.get(..most).unwrap_or_default();
    let mut told: Vec<String> = match rows(shown, depth) {
        Some(rows) => rows,
        None => shown.iter().filter_map(|item| flat(item, depth + 1)).collect(),
    };
    if told.is_empty() {
        return None;
    }
    if left > 0 {
        told.push(format!("… {left} more"));
    }
    let is_scalar = shown.iter().all(|item| !item.get().starts_with(['{', '[']));
    Some(told.join(if is_scalar { ", " } else { "; " }))
}

fn rows(items: &[&RawValue], depth: u8) -> Option<Vec<String>> {
    let objects: Vec<Fields<'_>> =
        items.iter().map(|item| serde_json::from_str(item.get()).ok()).collect::<Option<_>>()?;
    let first =
        objects.first().filter(|first| objects.len() > 1 && first.more == 0 && first.list.len() > 1)?;
    let alike = |one: &Fields<'_>| {
        one.more == 0
            && one.list.len() == first.list.len()
            && one.list.iter().zip(&first.list).all(|((name, _), (same, _))| name == same)
    };
    if !objects.iter().all(alike) {
        return None;
    }
    let names: Vec<&str> = first.list.iter().map(|(name, _)| name.as_str()).collect();
    let row = |one: &Fields<'_>| {
        let values =
            one.list.iter().map(|(_, value)| flat(value, depth + 1).unwrap_or_else(|| "-".to_owned()));
        values.collect::<Vec<_>>().join(", ")
    };
    let mut told: Vec<String> = objects.iter().map(row).collect();
    if let Some(first) = told.first_mut() {
        *first = format!("({}) {first}", names.join(", "));
    }
    Some(told)
}
