//! JSON that stands as text in messages: the arguments of calls, the outputs of tools.
//!
//! A body of a request has a bounded number of values, but a text in it may hold millions, and each takes hundreds of bytes
//! when it is read: a bound of its own keeps what one text is read into to ten megabytes. Many texts are not bounded together.

use serde::Deserialize;

/// The most values that a text is read into; one in deeply nested objects takes 370 bytes.
pub const MAX_VALUES: usize = 25_000;

/// Reads JSON with at most [`MAX_VALUES`] values; `None` for more, and for what is not JSON of this type.
pub fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    if is_bounded(text) { serde_json::from_str(text).ok() } else { None }
}

/// Whether a text has at most [`MAX_VALUES`] values, if it is JSON.
pub fn is_bounded(text: &str) -> bool {
    // Most texts have too few signs to look closer.
    text.bytes().filter(|sign| begins_value(*sign)).count() < MAX_VALUES || values(text) <= MAX_VALUES
}

fn begins_value(sign: u8) -> bool {
    matches!(sign, b',' | b'[' | b'{')
}

/// The values of a JSON text, where signs within strings are none.
fn values(text: &str) -> usize {
    let (mut values, mut is_string, mut is_escaped) = (1, false, false);
    for sign in text.bytes() {
        match sign {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            sign if !is_string && begins_value(sign) => values += 1,
            _ => {}
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn values_are_read_up_to_the_bound() {
        let list = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
        assert!(read::<Value>(&list(MAX_VALUES)).is_some());
        assert!(read::<Value>(&list(MAX_VALUES + 1)).is_none());
        assert!(read::<Value>(&format!("[\"{}\"]", ",".repeat(MAX_VALUES))).is_some(), "a text is one value");
        let quotes = format!(r#"["\\",{}"\"{}"]"#, r#""","#.repeat(10), ",".repeat(MAX_VALUES));
        assert!(read::<Value>(&quotes).is_some(), "an escaped quote ends no text");
        assert!(
            read::<Value>(&format!(r#"["\\"{}]"#, ",0".repeat(MAX_VALUES))).is_none(),
            "an escaped sign ends"
        );
        assert!(read::<Value>("[1, 2").is_none());
    }
}
