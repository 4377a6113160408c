//! Simple passes over the same bytes: what no reader of text can be much faster than.

use std::hint::black_box;
use std::time::Duration;

use serde_json::Value;

use crate::cpu;
use crate::sessions::Session;

/// The passes' names and times over all sessions.
pub fn passes(sessions: &[Session]) -> Vec<(&'static str, Duration)> {
    vec![
        ("JSON parsed into a tree", timed(sessions, json)),
        ("one small regex over the JSON text", timed(sessions, regex)),
        ("line ends counted", timed(sessions, lines)),
    ]
}

fn timed(sessions: &[Session], pass: fn(&str) -> usize) -> Duration {
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            let all = || {
                for raw in sessions.iter().flat_map(|session| &session.raw) {
                    black_box(pass(black_box(raw)));
                }
            };
            cpu::timed(all).0
        })
        .collect();
    times.sort();
    times.swap_remove(times.len() / 2)
}

fn json(raw: &str) -> usize {
    serde_json::from_str::<Value>(raw).map_or(0, |value| value.as_object().map_or(0, serde_json::Map::len))
}

fn regex(raw: &str) -> usize {
    static WORDS: std::sync::LazyLock<Option<regex::Regex>> =
        std::sync::LazyLock::new(|| regex::Regex::new(r"[A-Za-z]+(?:Error|Exception): [^\n]{1,80}").ok());
    WORDS.as_ref().map_or(0, |words| words.find_iter(raw).count())
}

fn lines(raw: &str) -> usize {
    memchr::memchr_iter(b'\n', raw.as_bytes()).count()
}
