//! The words with which harnesses and tools report how a call went; `rules/outcomes.toml` explains each list.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::rules;

/// The words of `rules/outcomes.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Vocabulary {
    pub(super) refused: Vec<String>,
    pub(super) not_done: Vec<String>,
    pub(super) surely_not_done: Vec<String>,
    pub(super) done: Vec<String>,
    pub(super) error_starts: Vec<String>,
    pub(super) missing: Vec<String>,
    pub(super) changed: Vec<String>,
    pub(super) created: Vec<String>,
    pub(super) complaints: Vec<String>,
    pub(super) unchanged: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check the samples"))]
    sample: Vec<Sample>,
}

/// The output of a tool that is no shell, and whether its call failed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), expect(dead_code, reason = "tests check the samples"))]
struct Sample {
    output: String,
    failed: bool,
}

pub(super) static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| rules::read(rules::OUTCOMES));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::answers::{Formatter, answered_act, complaints, says_missing};
    use crate::ledger::event::Act;
    use crate::ledger::outcome;

    fn failed(output: &str) -> bool {
        outcome::read(output.into(), None, false).failed.unwrap()
    }

    #[test]
    fn every_word_of_a_list_decides_what_its_list_means() {
        let words = &*VOCABULARY;
        for word in words.refused.iter().chain(&words.not_done).chain(&words.surely_not_done) {
            assert!(failed(word) && failed(&word.to_uppercase()), "{word}");
        }
        for word in &words.error_starts {
            assert!(failed(&format!("{word}x")), "{word}");
        }
        for word in &words.done {
            assert!(!failed(&format!("a.rs {word}: no such file")), "{word}");
        }
        for word in &words.missing {
            assert!(says_missing(&word.to_uppercase()), "{word}");
        }
        for word in &words.changed {
            assert_eq!(answered_act(word, Act::Create), Act::Modify, "{word}");
        }
        for word in &words.created {
            assert_eq!(answered_act(word, Act::Modify), Act::Create, "{word}");
        }
        for word in &words.complaints {
            assert_eq!(complaints(&format!("{word}a.rs")).len(), 1, "{word}");
        }
        for word in &words.unchanged {
            assert!(!Formatter::of(word).changed("a.rs"), "{word}");
        }
    }

    #[test]
    fn every_sample_is_read_as_it_says() {
        for Sample { output, failed: expected } in &VOCABULARY.sample {
            assert_eq!(failed(output), *expected, "{output}");
        }
    }
}
