//! Merges test runs: the latest of each command, marked where a later run covers it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::changes::List;
use super::super::ids::of_run;
use super::super::summary::{Summary, TestResult};
use anchord_facts::ledger::{TestOutcome, TestRunFact};
use anchord_facts::wording;

/// How many of a span's runs, and how many of the summary's, are compared: the latest.
const MOST_NEW: usize = 32;
const MOST_OF_RECORD: usize = 256;
/// The shortest beginning of tests' names that selects all of them; a shorter word may be a program's or a subcommand's.
const LEAST_PATTERN: usize = 6;

impl From<&TestRunFact> for TestResult {
    fn from(run: &TestRunFact) -> Self {
        Self {
            command: run.command.clone(),
            outcome: run.outcome,
            passed: run.passed,
            failed: run.failed,
            failing: run.failing.clone(),
            superseded_by: None,
            seqs: run.seqs.clone(),
            session_id: None,
        }
    }
}

/// Keeps the latest run of each command, in the order in which commands were first run.
pub(super) fn merge(summary: &mut Summary, runs: &[TestRunFact]) {
    if runs.is_empty() {
        return;
    }
    let Summary { test_results: results, ids, .. } = summary;
    // Code speaks again of what runs again.
    ids.settle_all(List::Tests, &runs.iter().map(|run| of_run(&run.command)).collect(), false);
    let commands: Vec<String> = runs.iter().map(|run| wording::one_line(&run.command)).collect();
    let run: HashSet<&str> = commands.iter().map(String::as_str).collect();
    let run_again = |result: &TestResult| run.get(wording::one_line(&result.command).as_str()).copied();
    let mut at: HashMap<&str, usize> =
        results.iter().enumerate().filter_map(|(i, result)| Some((run_again(result)?, i))).collect();
    for (run, command) in runs.iter().zip(&commands) {
        let result = TestResult::from(run);
        let next = results.len();
        let slot = *at.entry(command).or_insert(next);
        match results.get_mut(slot) {
            Some(earlier) => *earlier = result,
            None => results.push(result),
        }
    }
    supersede(results, runs);
}

/// Marks the runs that a later one covers, so that no two entries contradict each other.
fn supersede(results: &mut [TestResult], runs: &[TestRunFact]) {
    let new: HashSet<&[i64]> = runs.iter().rev().take(MOST_NEW).map(|run| run.seqs.as_slice()).collect();
    let from = results.len().saturating_sub(MOST_OF_RECORD);
    let Some(latest) = results.get_mut(from..) else { return };
    let covering: Vec<(TestResult, BTreeSet<String>)> = latest
        .iter()
        .filter(|run| new.contains(run.seqs.as_slice()) && run.outcome != TestOutcome::Unknown)
        .map(|run| (run.clone(), words(&run.command)))
        .collect();
    for earlier in latest.iter_mut() {
        let own = words(&earlier.command);
        let by = covering
            .iter()
            .filter(|(run, _)| run.command != earlier.command && run.seqs.last() > earlier.seqs.last());
        let latest = by.filter(|(run, words)| covers((run, words), (earlier, &own)));
        if let Some((by, _)) = latest.max_by_key(|(run, _)| run.seqs.last().copied()) {
            earlier.superseded_by = Some(by.command.clone());
        }
    }
}

/// Whether a run covers an earlier one: its pattern is wider, or it passed and names every test that failed.
fn covers(
    (later, wide): (&TestResult, &BTreeSet<String>),
    (earlier, narrow): (&TestResult, &BTreeSet<String>),
) -> bool {
    let by_pattern =
        !wide.is_empty() && wide.iter().all(|wide| narrow.iter().any(|narrow| selects(wide, narrow)));
    let bare = |name: &str| {
        name.rsplit([':', '.', '/', ' ']).next().is_some_and(|last| later.command.contains(last))
    };
    let by_name = later.outcome == TestOutcome::Pass
        && matches!(earlier.outcome, TestOutcome::Fail | TestOutcome::Error)
        && !earlier.failing.is_empty()
        && earlier.failing.iter().all(|name| bare(name));
    by_pattern || by_name
}

/// Whether a word of a command selects at least what another does: the same, a folder or file of it, the beginning of its name.
fn selects(wide: &str, narrow: &str) -> bool {
    let Some(rest) = narrow.strip_prefix(wide.trim_end_matches("...")) else { return false };
    let is_path = wide.contains(['/', '.']);
    rest.is_empty()
        || wide.ends_with('/')
        || wide.ends_with("...")
        || rest.starts_with(['/', ':'])
        || !is_path && wide.len() >= LEAST_PATTERN
}

/// The words of a command that select what is run: no options, no redirections, nothing after a pipe.
fn words(command: &str) -> BTreeSet<String> {
    let command = command.split('|').next().unwrap_or(command);
    let command = command.rsplit("&&").next().unwrap_or(command);
    let says = |word: &&str| !word.starts_with('-') && !word.contains('>') && !word.contains('=');
    command.split_whitespace().filter(says).map(|word| word.trim_matches(['"', '\'']).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("go test ./cmd/... -run TestLogin_Blocks", "go test ./cmd/... -run TestLogin", true)]
    #[case("go test ./cmd/app/... -run TestLogin", "go test ./cmd/...", true)]
    #[case("pytest tests/a.py::test_x", "pytest tests/a.py | tail -3", true)]
    #[case("pytest tests/a.py", "pytest tests/", true)]
    #[case("pytest tests/ab.py", "pytest tests/a", false)]
    #[case("go test ./cmd/... -run TestLogin", "go test ./cmd/... -run TestLogin_Blocks", false)]
    #[case("npm test", "npm run", false)]
    fn a_run_covers_an_earlier_one_when_it_selects_at_least_as_much(
        #[case] earlier: &str,
        #[case] later: &str,
        #[case] covers: bool,
    ) {
        let run = |command: &str, outcome, seq| TestRunFact {
            command: command.to_owned(),
            outcome,
            passed: None,
            failed: None,
            failing: Vec::new(),
            seqs: vec![seq],
        };
        let mut summary = Summary::default();
        merge(&mut summary, &[run(earlier, TestOutcome::Fail, 1), run(later, TestOutcome::Pass, 2)]);
        assert_eq!(summary.test_results[0].superseded_by.is_some(), covers);
    }
}
