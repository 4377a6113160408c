//! Merges blockers: those that a model writes, and one for each failing test run.

use std::fmt::Write as _;

use super::super::changes::List;
use super::super::ids::{Ids, of_run};
use super::super::summary::{Blocker, TestResult};
use anchord_facts::ledger::TestOutcome;
use anchord_facts::wording::clip_words;

/// The beginning of a blocker that code writes.
const FAILING: &str = "Failing tests: `";
/// The most blockers that code writes.
const MOST: usize = 6;
/// The most characters of a command, and the most names of failing tests.
const LONGEST_COMMAND: usize = 140;
const MOST_NAMES: usize = 6;

/// Whether code wrote a blocker, about failing tests.
pub fn is_of_failing_tests(text: &str) -> bool {
    text.starts_with(FAILING)
}

/// The command of a blocker about failing tests, as far as it is told.
pub fn blocked_command(text: &str) -> Option<&str> {
    let command = text.strip_prefix(FAILING)?;
    Some(command.rsplit_once('`').map_or(command, |(command, _)| command))
}

/// Whether a blocker about failing tests is about this run.
pub fn is_blocked_by(text: &str, run: &TestResult) -> bool {
    text.starts_with(&format!("{FAILING}{}`", clip_words(&run.command, LONGEST_COMMAND)))
}

/// Replaces the blockers about failing tests by the present ones; a model's blockers stay, and so does what it made of a run.
pub(in super::super) fn merge(blockers: &mut Vec<Blocker>, results: &[TestResult], ids: &Ids) {
    blockers.retain(|blocker| !is_of_failing_tests(&blocker.text));
    let settled = ids.settled(List::Tests);
    let failing = results.iter().filter(|run| {
        run.superseded_by.is_none()
            && matches!(run.outcome, TestOutcome::Fail | TestOutcome::Error)
            && !settled.contains(&of_run(&run.command))
    });
    let mut failing: Vec<&TestResult> = failing.collect();
    failing.sort_by_key(|run| run.seqs.last().copied());
    let surplus = failing.len().saturating_sub(MOST);
    blockers.extend(failing.into_iter().skip(surplus).map(blocker));
}

fn blocker(run: &TestResult) -> Blocker {
    let mut text = format!("{FAILING}{}`", clip_words(&run.command, LONGEST_COMMAND));
    if let Some(failed) = run.failed.filter(|failed| *failed > 0) {
        let _ = write!(text, " ({failed} failed)");
    }
    let names: Vec<&str> = run.failing.iter().take(MOST_NAMES).map(String::as_str).collect();
    if !names.is_empty() {
        let _ = write!(text, ": {}", names.join(", "));
    }
    if run.failing.len() > MOST_NAMES {
        let _ = write!(text, " and {} more", run.failing.len() - MOST_NAMES);
    }
    Blocker { text, seqs: run.seqs.clone(), session_id: None }
}
