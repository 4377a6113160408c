//! Translates serde's error messages into the terms of JSON and of the API.
//!
//! Callers know neither the types of this program nor serde's terms.
//! Must not know: which values the API has, and what else they must satisfy.

use serde_path_to_error::{Path, Segment};

/// A message of serde in the API's terms; parts without a translation are kept.
pub fn must_be(refusal: &str) -> String {
    let refusal = without_place(refusal);
    let is_wrong = ["invalid type: ", "invalid value: ", "unknown variant "];
    let expected = is_wrong.iter().find_map(|start| refusal.strip_prefix(start)?.rsplit_once(", expected "));
    match expected {
        Some((_, expected)) => format!("must be {}", in_json(expected)),
        None => refusal.to_owned(),
    }
}

/// The message without the line and column at its end. Only the end is cut, because a caller's value in the message may
/// contain the same words.
fn without_place(refusal: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let ends = |(_, at): &(&str, &str)| {
        at.split_once(" column ").is_some_and(|(line, column)| is_number(line) && is_number(column))
    };
    refusal.rsplit_once(" at line ").filter(ends).map_or(refusal, |(said, _)| said)
}

/// The type that serde expects, in terms of JSON.
fn in_json(expected: &str) -> String {
    let kind = match expected {
        "u8" => return whole(u8::MIN, u8::MAX),
        "u16" => return whole(u16::MIN, u16::MAX),
        "u32" => return whole(u32::MIN, u32::MAX),
        "u64" | "usize" => return whole(u64::MIN, u64::MAX),
        "i16" => return whole(i16::MIN, i16::MAX),
        "i32" => return whole(i32::MIN, i32::MAX),
        "i64" => return whole(i64::MIN, i64::MAX),
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "a map" => "an object",
        "string or map" => "a string or an object",
        "map with a single key" => "an object with one field",
        _ if expected.starts_with("struct ") => "an object",
        _ if expected.starts_with("enum ") => "a string",
        _ => expected,
    };
    kind.to_owned()
}

fn whole(least: impl std::fmt::Display, most: impl std::fmt::Display) -> String {
    format!("a whole number from {least} to {most}")
}

/// The JSON pointer of the value at which the parser stopped.
pub fn pointer(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
            Segment::Map { key } => {
                pointer.push('/');
                pointer.push_str(&escape(key));
            }
            // An enum variant is internal, not a place in the document.
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer
}

/// The JSON pointer that an error is about. For an unknown, missing or repeated field, `pointer` ends at the object,
/// and the field's name is taken from the message.
pub fn place(pointer: String, refusal: &str) -> String {
    let is_named =
        ["unknown field", "missing field", "duplicate field"].iter().any(|p| refusal.starts_with(p));
    match quoted(refusal).filter(|_| is_named).map(|name| format!("/{}", escape(name))) {
        Some(name) if !pointer.ends_with(&name) => pointer + &name,
        Some(_) | None => pointer,
    }
}

/// The first name in backquotes, in which serde puts an unknown, missing or repeated field.
pub fn quoted(refusal: &str) -> Option<&str> {
    refusal.split('`').nth(1)
}

/// A name, escaped as a part of a JSON pointer.
pub fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rstest::rstest;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Pair {
        #[serde(rename = "left")]
        _left: u8,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Side {
        Left,
        Right,
        FarRight,
    }

    fn told<T: DeserializeOwned + std::fmt::Debug>(json: &str) -> String {
        must_be(&serde_json::from_str::<T>(json).unwrap_err().to_string())
    }

    #[rstest]
    #[case(told::<u32>("-5"), "must be a whole number from 0 to 4294967295")]
    #[case(told::<u32>("4294967296"), "must be a whole number from 0 to 4294967295")]
    #[case(told::<u32>("1.5"), "must be a whole number from 0 to 4294967295")]
    #[case(told::<u32>("99999999999999999999"), "must be a whole number from 0 to 4294967295")]
    #[case(told::<u32>("\"a, expected b\""), "must be a whole number from 0 to 4294967295")]
    #[case(told::<i64>("true"), "must be a whole number from -9223372036854775808 to 9223372036854775807")]
    #[case(told::<f64>("\"x\""), "must be a number")]
    #[case(told::<bool>("\"yes\""), "must be true or false")]
    #[case(told::<String>("7"), "must be a string")]
    #[case(told::<Vec<u8>>("{}"), "must be an array")]
    #[case(told::<BTreeMap<String, u8>>("[]"), "must be an object")]
    #[case(told::<Pair>("7"), "must be an object")]
    #[case(told::<Side>("\"up\""), "must be one of `left`, `right`, `far_right`")]
    #[case(told::<Side>("\"up at line 7\""), "must be one of `left`, `right`, `far_right`")]
    #[case(
        must_be("unknown variant `up at line 7`, expected `left` or `right`"),
        "must be `left` or `right`"
    )]
    #[case(must_be("invalid type: integer `5`, expected string or map"), "must be a string or an object")]
    #[case(must_be("invalid value: map, expected map with a single key"), "must be an object with one field")]
    #[case(told::<Pair>("{}"), "missing field `left`")]
    fn a_refusal_says_what_a_value_must_be(#[case] told: String, #[case] wanted: &str) {
        assert_eq!(told, wanted);
    }
}
