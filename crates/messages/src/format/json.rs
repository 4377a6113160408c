//! JSON as raw text: reads single fields of an object and keeps all others byte for byte; writes fields and strings.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::FormatError;

/// A JSON object whose values are unparsed text, so that numbers beyond 64 bits and the order of keys stay as sent.
#[derive(Default)]
pub(super) struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry::<String, &'de RawValue>()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        from.deserialize_map(Collect)
    }
}

impl<'a> Fields<'a> {
    pub(super) fn read(raw: &'a str) -> Result<Self, FormatError> {
        serde_json::from_str(raw).map_err(|_| FormatError::at("", "must be a JSON object"))
    }

    /// A field's JSON text; `None` when it is absent or null.
    pub(super) fn raw(&self, key: &str) -> Option<&'a str> {
        let (_, value) = self.0.iter().find(|(k, _)| k == key)?;
        Some(value.get()).filter(|v| *v != "null")
    }

    /// Whether a field is there, also when it is null.
    pub(super) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(k, _)| k == key)
    }

    /// Every field with its JSON text, as sent.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.get()))
    }

    /// A string field; `None` when it is absent or null, an error when it has another type.
    pub(super) fn string(&self, key: &str) -> Result<Option<String>, FormatError> {
        self.raw(key).map(|raw| string(raw).map_err(|e| e.under(&format!("/{key}")))).transpose()
    }

    /// A string field; empty when it is absent or null, an error when it has another type.
    pub(super) fn string_or_empty(&self, key: &str) -> Result<String, FormatError> {
        Ok(self.string(key)?.unwrap_or_default())
    }

    /// A string field that is only descriptive; `None` also when it has another type.
    pub(super) fn lenient(&self, key: &str) -> Option<String> {
        self.raw(key).and_then(|raw| string(raw).ok())
    }

    /// An object field; `None` when it is absent or null, an error when it has another type.
    pub(super) fn object(&self, key: &str) -> Result<Option<Fields<'a>>, FormatError> {
        self.raw(key).map(|raw| Self::read(raw).map_err(|e| e.under(&format!("/{key}")))).transpose()
    }
}

/// Appends a list, each item as `push` writes it.
pub(crate) fn push_list<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push(out, item);
    }
    out.push(']');
}

pub(super) fn is_string(raw: &str) -> bool {
    raw.starts_with('"')
}

pub(super) fn is_array(raw: &str) -> bool {
    raw.starts_with('[')
}

pub(super) fn is_object(raw: &str) -> bool {
    raw.starts_with('{')
}

pub(super) fn string(raw: &str) -> Result<String, FormatError> {
    serde_json::from_str(raw).map_err(|_| FormatError::at("", "must be a string"))
}

/// The elements of an array, each as its JSON text.
pub(super) fn elements(raw: &str) -> Result<Vec<&str>, FormatError> {
    let elements: Vec<&RawValue> =
        serde_json::from_str(raw).map_err(|_| FormatError::at("", "must be an array"))?;
    Ok(elements.into_iter().map(RawValue::get).collect())
}

/// Parses each element of an array; an error's pointer begins with the element's index.
pub(super) fn each<T>(
    raw: &str,
    mut read: impl FnMut(&str) -> Result<T, FormatError>,
) -> Result<Vec<T>, FormatError> {
    let elements = elements(raw)?;
    let mut all = Vec::with_capacity(elements.len());
    for (i, element) in elements.into_iter().enumerate() {
        all.push(read(element).map_err(|e| e.under(&format!("/{i}")))?);
    }
    Ok(all)
}

/// Appends a text as a JSON string, quotes included.
pub fn push_string(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_escaped) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = from.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(control) => {
                let hex = |n: u32| char::from_digit(n & 0xf, 16).unwrap_or('0');
                out.push_str("\\u00");
                out.push(hex(u32::from(control) >> 4));
                out.push(hex(u32::from(control)));
            }
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn is_escaped(b: u8) -> bool {
    b < 0x20 || b == b'"' || b == b'\\'
}

/// Appends `"key":"text"`, after a comma if it is not the first field.
pub(super) fn push_field(out: &mut String, key: &str, text: &str) {
    push_key(out, key);
    push_string(out, text);
}

/// Appends `"key":`, after a comma if it is not the first field.
pub(super) fn push_key(out: &mut String, key: &str) {
    if !out.ends_with(['{', '[']) {
        out.push(',');
    }
    push_string(out, key);
    out.push(':');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_string_reads_back() {
        for text in ["", "plain", "q\"b\\s/n\nr\rt\t", "\u{0}\u{1f}\u{7f}é漢🦀", "ends with \\"] {
            let mut out = String::new();
            push_string(&mut out, text);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
        }
    }

    #[test]
    fn numbers_beyond_64_bits_do_not_hinder_reading_the_rest() {
        let fields =
            Fields::read(r#"{"a": 123456789012345678901234567890e999, "b": "x", "c": null}"#).unwrap();
        assert_eq!(fields.string("b").unwrap().as_deref(), Some("x"));
        assert_eq!(fields.raw("c"), None);
        assert_eq!(fields.raw("a"), Some("123456789012345678901234567890e999"));
    }
}
