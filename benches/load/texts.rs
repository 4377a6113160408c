//! Texts of about 1 KB, as agents write them, and the same in every run.

use std::fmt::Write as _;

use crate::random::{Random, WORDS};

/// Bytes of a text.
pub const BYTES: usize = 1024;

const FILES: [&str; 6] = [
    "src/queue/lease.rs", "lib/parser/header.py", "pkg/server/router.go", "web/app/page.tsx",
    "docs/upgrade.md", "tests/test_retry.py",
];

/// One of a list.
fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from.get(random.below(from.len())).copied().unwrap_or_default()
}

/// A text; it needs no escapes in JSON and in SQL.
pub fn text(random: &mut Random) -> String {
    let mut text = String::with_capacity(BYTES + 64);
    while text.len() < BYTES {
        // Writing to a String cannot fail.
        let _ = match random.below(100) {
            0..6 => write!(text, "{}:{} ", pick(random, &FILES), random.below(900) + 1),
            6..8 => write!(text, "error: expected type E{:04} ", random.below(1000)),
            8..11 => write!(text, "{:08x} ", random.below(1 << 31)),
            _ => write!(text, "{} ", pick(random, &WORDS)),
        };
    }
    text.truncate(BYTES);
    text
}

/// The JSON of a message; even places are the user's.
pub fn message(place: usize, random: &mut Random) -> String {
    let role = if place.is_multiple_of(2) { "user" } else { "assistant" };
    format!(r#"{{"role":"{role}","content":"{}"}}"#, text(random))
}

/// The body of an append of `count` messages.
pub fn batch(count: usize, random: &mut Random) -> String {
    let messages: Vec<String> = (0..count).map(|place| message(place, random)).collect();
    format!(r#"{{"messages":[{}]}}"#, messages.join(","))
}
