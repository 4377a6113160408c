//! Facts: extracted from messages by code, without a model.
//!
//! What lives here: the ledger, which extracts files, commands, test runs, errors, requests, constraints (what people
//! demand), todo lists and things (records with an id in structured outputs) from a span of messages. Around it: `todo`
//! follows the caller's todo list, `redact` removes secrets, `phrases` matches phrases in English and Chinese,
//! `pattern` compiles the patterns of `rules/*.toml`, `key`, `matter` and `wording` compare and cut texts.
//! Invariant: the same input gives the same bytes, on any machine, at any time; every fact names the messages that
//! show it.
//! Must not know: how facts are used.

pub mod key;
pub mod ledger;
pub mod matter;
pub mod pattern;
pub mod phrases;
pub mod redact;
mod rules;
pub mod thing;
pub mod todo;
mod todo_list;
pub mod wording;

#[cfg(test)]
mod tests {
    use super::{ledger, redact};

    #[test]
    fn every_rule_reads_its_samples() {
        let problems = [ledger::rule_problems(), redact::rule_problems()].concat();
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }
}
