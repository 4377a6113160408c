//! Rejects valid JSON that could not be stored, searched and returned unchanged.

use std::borrow::Cow;
use std::collections::HashSet;

use super::super::misread::escape;
use super::error::FormatError;

/// The deepest nesting of arrays and objects that is accepted.
pub const MAX_DEPTH: usize = 128;
/// The most values that one text may hold: a parsed one takes up to a hundred times the bytes of its text.
pub const MAX_VALUES: usize = 250_000;

/// The most characters of one key in an error's pointer, because keys come from callers and may be long.
const POINTER_KEY_CHARS: usize = 80;
/// Up to this many keys a linear search is faster than hashing.
const FEW_KEYS: usize = 12;

/// Checks a JSON text for lone surrogates, duplicate keys, nesting above [`MAX_DEPTH`] and more values than
/// [`MAX_VALUES`], in one pass, without recursion. It does not check the grammar: malformed text may pass, and the parser
/// rejects it later.
///
/// # Errors
/// When there is any of these; the error points to the first one.
pub fn check_json(raw: &str) -> Result<(), FormatError> {
    let bytes = raw.as_bytes();
    let mut open: Vec<Frame<'_>> = Vec::new();
    let mut at = 0;
    let mut values = 1;
    while let Some(&b) = bytes.get(at) {
        if matches!(b, b'{' | b'[' | b',') {
            values += 1;
            if values > MAX_VALUES {
                return Err(error(&open, format!("more than {MAX_VALUES} values in one body")));
            }
        }
        match b {
            b'{' | b'[' => {
                if open.len() == MAX_DEPTH {
                    return Err(error(&open, format!("nested deeper than {MAX_DEPTH} levels")));
                }
                open.push(if b == b'{' { Frame::object() } else { Frame::Array(0) });
            }
            b'}' | b']' => {
                open.pop();
            }
            b',' => match open.last_mut() {
                Some(Frame::Array(index)) => *index += 1,
                Some(Frame::Object(object)) => object.key_next = true,
                None => {}
            },
            b'"' => {
                let (end, escaped, lone) = string_end(bytes, at + 1);
                let body = raw.get(at + 1..end).unwrap_or_default();
                let mut duplicate = None;
                if let Some(Frame::Object(object)) = open.last_mut()
                    && object.key_next
                {
                    object.key_next = false;
                    let key = if escaped { decoded(raw, at, end) } else { Cow::Borrowed(body) };
                    if object.holds(&key) {
                        duplicate = Some(format!("the key {:?} stands there twice", clipped(&key)));
                    }
                    object.add(key);
                }
                if lone {
                    return Err(error(&open, "a lone surrogate is not text".to_owned()));
                }
                if let Some(detail) = duplicate {
                    return Err(error(&open, detail));
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

enum Frame<'a> {
    /// The index of the current element.
    Array(usize),
    Object(Object<'a>),
}

struct Object<'a> {
    keys: Vec<Cow<'a, str>>,
    /// Filled once there are more than [`FEW_KEYS`].
    hashed: HashSet<Cow<'a, str>>,
    key_next: bool,
}

impl Frame<'_> {
    fn object() -> Self {
        Self::Object(Object { keys: Vec::new(), hashed: HashSet::new(), key_next: true })
    }
}

impl<'a> Object<'a> {
    fn holds(&self, key: &str) -> bool {
        if self.hashed.is_empty() { self.keys.iter().any(|k| k == key) } else { self.hashed.contains(key) }
    }

    fn add(&mut self, key: Cow<'a, str>) {
        if !self.hashed.is_empty() {
            self.hashed.insert(key.clone());
            // From here on only the last key is needed, for the pointer.
            self.keys.clear();
        } else if self.keys.len() == FEW_KEYS {
            self.hashed = self.keys.drain(..).collect();
            self.hashed.insert(key.clone());
        }
        self.keys.push(key);
    }
}

/// The index of the closing quote, whether the string has escapes, and whether one is a lone surrogate.
fn string_end(bytes: &[u8], from: usize) -> (usize, bool, bool) {
    let (mut at, mut escaped, mut lone) = (from, false, false);
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(found) = memchr::memchr2(b'"', b'\\', rest) else { return (bytes.len(), escaped, lone) };
        at += found;
        if bytes.get(at) == Some(&b'"') {
            return (at, escaped, lone);
        }
        escaped = true;
        match unit(bytes, at) {
            Some(0xD800..0xDC00) => {
                if matches!(unit(bytes, at + 6), Some(0xDC00..0xE000)) {
                    at += 12;
                } else {
                    lone = true;
                    at += 6;
                }
            }
            Some(0xDC00..0xE000) => {
                lone = true;
                at += 6;
            }
            _ => at += 2,
        }
    }
}

/// The code unit of the `\uXXXX` escape at an offset; `None` when there is none.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0u16, |n, d| Some(n << 4 | u16::try_from(char::from(*d).to_digit(16)?).ok()?))
}

fn decoded(raw: &str, quote: usize, end: usize) -> Cow<'_, str> {
    let quoted = raw.get(quote..=end).unwrap_or_default();
    // A key that cannot be decoded, such as one with a lone surrogate, is compared as written.
    let spelling = Cow::Borrowed(raw.get(quote + 1..end).unwrap_or_default());
    serde_json::from_str::<String>(quoted).map_or(spelling, Cow::Owned)
}

fn clipped(key: &str) -> &str {
    key.char_indices().nth(POINTER_KEY_CHARS).map_or(key, |(i, _)| key.get(..i).unwrap_or_default())
}

fn error(open: &[Frame<'_>], detail: String) -> FormatError {
    let mut pointer = String::new();
    for frame in open {
        match frame {
            Frame::Array(index) => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
            Frame::Object(object) => {
                if let Some(key) = object.keys.last() {
                    pointer.push('/');
                    pointer.push_str(&escape(clipped(key)));
                }
            }
        }
    }
    FormatError { pointer, detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(raw: &str) -> Option<String> {
        check_json(raw).err().map(|e| e.pointer)
    }

    #[test]
    fn ordinary_json_passes_as_it_is() {
        for good in [
            r#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}"#,
            r#"["\ud83e\udd80","\u0000","\\ud800","a\"b"]"#,
            "12345678901234567890123",
            r#"{"x":[1,2,[3]],"y":"a,b{c"}"#,
        ] {
            assert_eq!(check_json(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn a_lone_surrogate_is_named_with_its_place() {
        assert_eq!(
            pointer(r#"{"messages":[{"content":"ok"},{"content":"x\ud800y"}]}"#).unwrap(),
            "/messages/1/content"
        );
        assert_eq!(pointer(r#"["\udc00"]"#).unwrap(), "/0");
        assert_eq!(pointer(r#"["\ud800\ud800\udc00"]"#).unwrap(), "/0");
        assert_eq!(pointer(r#"{"\udfff":1}"#).unwrap(), r"/\udfff");
    }

    #[test]
    fn a_key_that_stands_twice_is_named_also_when_it_is_spelled_otherwise() {
        assert_eq!(pointer(r#"{"a":{"k/1":1,"k/1":2}}"#).unwrap(), "/a/k~11");
        assert_eq!(pointer(r#"{"a":1,"\u0061":2}"#).unwrap(), "/a");
        let many: Vec<String> = (0..50).map(|i| format!("\"k{i}\":{i},")).collect();
        let many = many.concat();
        assert_eq!(pointer(&format!("{{{many}\"k3\":0}}")).unwrap(), "/k3");
        assert_eq!(pointer(&format!("{{{many}\"z\":0}}")), None);
    }

    #[test]
    fn nesting_is_bounded_without_recursion() {
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert_eq!(check_json(&deep(MAX_DEPTH)), Ok(()));
        assert!(check_json(&deep(MAX_DEPTH + 1)).is_err());
        assert!(check_json(&"[".repeat(1_000_000)).is_err());
        assert!(check_json(&"{\"a\":".repeat(1_000_000)).is_err());
    }

    #[test]
    fn values_are_bounded() {
        let list = |values: usize| format!("[{}0]", "0,".repeat(values));
        assert_eq!(check_json(&list(MAX_VALUES - 2)), Ok(()));
        assert_eq!(pointer(&list(MAX_VALUES - 1)).as_deref(), Some("/249998"));
        // Commas in a text are no values.
        assert_eq!(check_json(&format!("[\"{}\"]", ",".repeat(2 * MAX_VALUES))), Ok(()));
    }

    #[test]
    fn malformed_text_does_not_panic() {
        for bad in ["", "\"", "{", "}", "]]]", "\"\\", "\"\\u", "\"\\ud8", "{\"a\"", ",,,", "\"\\ud800\\"] {
            let _ = check_json(bad);
        }
    }
}
