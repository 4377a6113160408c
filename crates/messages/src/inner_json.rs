//! JSON that stands as text in messages: the arguments of calls, the outputs of tools.
//!
//! A body of a request has a bounded number of values, but a text in it may hold millions: four megabytes of `0,0,0` take
//! hundreds of megabytes when they are read into values.

use serde::Deserialize;

use crate::format::{MAX_VALUES, check_json};

/// Reads JSON with at most as many values as a body may have; `None` for more, and for what is not JSON of this type.
#[must_use]
pub fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    if is_bounded(text) { serde_json::from_str(text).ok() } else { None }
}

/// Whether a text has at most as many values as a body may have.
#[must_use]
pub fn is_bounded(text: &str) -> bool {
    let signs = text.bytes().filter(|sign| matches!(sign, b',' | b'[' | b'{')).count();
    // Signs within texts are no values; most texts have too few to look closer.
    signs < MAX_VALUES || check_json(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn as_many_values_as_in_a_body_are_read() {
        let list = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
        assert!(read::<Value>(&list(MAX_VALUES)).is_some());
        assert!(read::<Value>(&list(MAX_VALUES + 1)).is_none());
        assert!(read::<Value>(&format!("[\"{}\"]", ",".repeat(MAX_VALUES))).is_some(), "a text is one value");
        assert!(read::<Value>("[1, 2").is_none());
    }
}
