//! Facts: what messages show, read without a model.
//!
//! What lives here: the ledger, which reads the files, commands, test runs, errors, constraints (what people demand),
//! todo lists and things (records with an id in structured outputs) of a span of messages. For that it has a reader of
//! shell commands, one of diffs, the vocabularies of agents and test runners (`rules/*.toml`), and phrases in English and
//! Chinese. `redact` finds secrets, which no fact contains.
//! Invariant: the same input gives the same bytes, on any machine, at any time; every fact names the messages that show it.
//! Must not know: what becomes of a fact.

pub mod key;
pub mod ledger;
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
