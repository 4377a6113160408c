//! Checks that distinguish a secret from a value that only looks like one.

use regex::Captures;

/// Whether letters and digits are mixed like in a random token, and unlike in words and names.
pub(super) fn mixed(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let upper = value.bytes().filter(u8::is_ascii_uppercase).count();
    let lower = value.bytes().filter(u8::is_ascii_lowercase).count();
    digits >= 2 && (upper + lower) >= 4 || upper >= 4 && lower >= 4 && !value.contains(['-', '_', '/'])
}

/// Whether a value is a placeholder for a secret or a reference to one (`your-key`, `${TOKEN}`, `os.environ…`).
pub(super) fn placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    value.is_empty()
        || value.starts_with(['$', '%', '<', '{', '*', '['])
        || value.contains("[REDACTED")
        || value.contains("${")
        || value.bytes().all(|b| matches!(b, b'*' | b'x' | b'X' | b'.' | b'-' | b'_'))
        || [
            "your",
            "example",
            "changeme",
            "placeholder",
            "redacted",
            "process.env",
            "os.environ",
            "os.getenv",
            "env.",
            "secrets.",
            "config.",
            "settings.",
            "self.",
            "this.",
            "none",
            "null",
            "undefined",
            "true",
            "false",
            "string",
            "required",
            "optional",
            "foobar",
        ]
        .iter()
        .any(|p| lower.starts_with(p))
        || lower.contains("example.com")
}

pub(super) fn named_secret(caps: &Captures<'_>, password: bool) -> bool {
    let text = |name| caps.name(name).map_or("", |m| m.as_str());
    let (name, quoted, value) =
        (text("name").to_ascii_lowercase(), !text("quote").is_empty(), text("secret"));
    if placeholder(value) || is_path(value) {
        return false;
    }
    // `primary_key`, `foreign_key`, `cache_key`, `sort_key`: names of things, not of secrets.
    let harmless = [
        "primary_key",
        "foreign_key",
        "public_key",
        "cache_key",
        "sort_key",
        "partition_key",
        "unique_key",
        "lookup_key",
        "next_token",
        "page_token",
        "public-key",
        "primary-key",
        "foreign-key",
        "cache-key",
        "idempotency_key",
        "idempotency-key",
        "object_key",
        "group_key",
        "dict_key",
        "map_key",
        "hot_key",
        "row_key",
        "query_key",
    ];
    if harmless.iter().any(|h| name.ends_with(h)) {
        return false;
    }
    if password {
        // In prose ("password: must have 8 characters") the value is a word, in code it may be a type.
        let assigned = quoted
            || mixed(value)
            || name.bytes().any(|b| b == b'_')
            || text("name").bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            || value.contains(['!', '@', '#', '%', '&', '*', '+']);
        return assigned && !value.chars().all(|c| c.is_ascii_digit() && value.len() < 4);
    }
    if value.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',') {
        return false;
    }
    mixed(value) || entropy(value) >= 3.5 && value.len() >= 16 && !value.contains(['.', '/', ':'])
}

/// Whether a value in the position of a password is one, and not a word of a sentence.
pub(super) fn follows_a_flag(value: &str) -> bool {
    let is_number = value.bytes().all(|b| b.is_ascii_digit());
    let is_word = value.bytes().all(|b| b.is_ascii_lowercase() || b == b'.');
    !is_number && !is_word && !placeholder(value) && !is_path(value)
}

/// Whether a value is a path or an address rather than a token: several readable segments.
fn is_path(value: &str) -> bool {
    value.starts_with(['/', '~'])
        || value.starts_with("./")
        || value.starts_with("../")
        || value.contains("://")
}

/// Shannon entropy in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        if let Some(n) = counts.get_mut(usize::from(byte)) {
            *n += 1;
        }
    }
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX).max(1));
    counts
        .iter()
        .filter(|n| **n > 0)
        .map(|n| {
            let p = f64::from(*n) / total;
            -p * p.log2()
        })
        .sum()
}
