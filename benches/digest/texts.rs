//! Texts as agents, tools and people write them, and the same in every run.

use std::fmt::Write as _;

use crate::random::{Random, WORDS};

/// Writes texts.
#[derive(Clone, Debug)]
pub struct Writer(Random);

impl Writer {
    /// A writer of the same texts for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    fn word(&mut self) -> &'static str {
        WORDS.get(self.below(WORDS.len())).copied().unwrap_or_default()
    }

    fn until(&mut self, bytes: usize, mut more: impl FnMut(&mut Self, &mut String)) -> String {
        let mut text = String::with_capacity(bytes + 100);
        while text.len() < bytes {
            more(self, &mut text);
        }
        text
    }

    /// Sentences.
    pub fn prose(&mut self, bytes: usize) -> String {
        self.until(bytes, |random, text| {
            for _ in 0..random.below(12) + 4 {
                text.push_str(random.word());
                text.push(' ');
            }
            text.pop();
            text.push_str(". ");
        })
    }

    /// Code.
    pub fn code(&mut self, bytes: usize) -> String {
        self.until(bytes, |random, text| {
            let (a, b, c) = (random.word(), random.word(), random.below(900));
            // Writing to a String cannot fail.
            let _ = match random.below(6) {
                0 => writeln!(text, "pub fn {a}_{b}({a}: &str, {b}: usize) -> Result<(), Error> {{"),
                1 => writeln!(text, "    let {a} = {b}.get({c}).ok_or(Error::NotFound)?;"),
                2 => writeln!(text, "    // {a} {b} {a}, see issue #{c}"),
                3 => writeln!(text, "    if {a}.len() > {c} && !{b}.is_empty() {{ return Err({b}); }}"),
                4 => writeln!(text, "}}\n"),
                _ => writeln!(text, "        assert_eq!({a}, \"{b}-{c}\");"),
            };
        })
    }

    /// What a test run prints.
    pub fn log(&mut self, bytes: usize) -> String {
        let mut text = self.until(bytes, |random, text| {
            let (a, b, c) = (random.word(), random.word(), random.below(900));
            let _ = match random.below(12) {
                0 => writeln!(text, "error[E0{c:03}]: expected `{a}`, found `{b}`\n  --> src/{a}.rs:{c}:5"),
                1 => writeln!(text, "2026-01-02T03:04:05Z  INFO {a}::{b}: took {c} ms"),
                2 => writeln!(text, "   Compiling {a}-{b} v0.{c}.1 (/work/{a})"),
                _ => writeln!(text, "test {a}::{b}::{a}_{c} ... ok"),
            };
        });
        text.push_str("test result: FAILED. 40 passed; 1 failed; 0 ignored");
        text
    }

    /// What a search prints.
    pub fn paths(&mut self, bytes: usize) -> String {
        self.until(bytes, |random, text| {
            let (a, b, c) = (random.word(), random.word(), random.below(900));
            let _ = writeln!(text, "src/{a}/{b}.rs:{c}:    pub fn {b}_{a}() {{");
        })
    }
}
