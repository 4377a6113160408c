//! Texts of about 1 KB, as agents write them, and the same in every run.

use std::fmt::Write as _;

/// Bytes of a text.
pub const BYTES: usize = 1024;

const WORDS: [&str; 40] = [
    "parser",
    "rejects",
    "an",
    "empty",
    "header",
    "so",
    "the",
    "worker",
    "retries",
    "until",
    "its",
    "lease",
    "expires",
    "I",
    "looked",
    "at",
    "trace",
    "and",
    "moved",
    "validation",
    "before",
    "allocation",
    "which",
    "keeps",
    "order",
    "stable",
    "under",
    "load",
    "please",
    "update",
    "documentation",
    "for",
    "users",
    "that",
    "upgrade",
    "from",
    "older",
    "releases",
    "then",
    "rerun",
];
const FILES: [&str; 6] = [
    "src/queue/lease.rs",
    "lib/parser/header.py",
    "pkg/server/router.go",
    "web/app/page.tsx",
    "docs/upgrade.md",
    "tests/test_retry.py",
];

/// A generator of pseudo-random numbers (xorshift): cheap, and the same for the same seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The upper half: the lowest bits of a xorshift repeat soonest.
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound.max(1)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.get(self.below(from.len())).copied().unwrap_or_default()
    }
}

/// A text; it needs no escapes in JSON and in SQL.
pub fn text(random: &mut Random) -> String {
    let mut text = String::with_capacity(BYTES + 64);
    while text.len() < BYTES {
        // Writing to a String cannot fail.
        let _ = match random.below(100) {
            0..6 => write!(text, "{}:{} ", random.pick(&FILES), random.below(900) + 1),
            6..8 => write!(text, "error: expected type E{:04} ", random.below(1000)),
            8..11 => write!(text, "{:08x} ", random.below(1 << 31)),
            _ => write!(text, "{} ", random.pick(&WORDS)),
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
