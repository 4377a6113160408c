//! Test runs: which commands are one, and what their output says of the outcome.
//!
//! Invariant: one fact per run; an outcome that neither a summary line nor the exit code of a run
//! on its own tells is `unknown`.

mod command;
mod outcome;
mod rules;

use super::TestRunFact;
use super::invocation::Invocation;
use super::line::{clip, squash};
use super::shell::{self, Pipeline};
use crate::ledger::TestOutcome;
use command::Reading;
use rules::Means;

/// The longest command kept, in characters.
const MAX_COMMAND: usize = 400;

/// A tool use, read as a test run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// Its command taken apart, when it has one.
    pub command: Option<Vec<Pipeline>>,
    /// Its command runs tests, so that its failures are told by the run.
    pub is_test: bool,
    /// What is told of it, when it ran.
    fact: Option<TestRunFact>,
}

impl Run {
    /// Whether the run passed.
    pub(super) fn passed(&self) -> bool {
        self.fact.as_ref().is_some_and(|fact| fact.outcome == TestOutcome::Pass)
    }
}

/// Reads each tool use as a test run.
pub(super) fn read_each(invocations: &[Invocation<'_>]) -> Vec<Run> {
    invocations.iter().map(read_one).collect()
}

/// The test runs among tool uses, in their order.
pub(super) fn facts(runs: Vec<Run>) -> Vec<TestRunFact> {
    let mut told: Vec<TestRunFact> = Vec::new();
    for run in runs.into_iter().filter_map(|run| run.fact) {
        // One shell line shown twice by a harness is one run.
        if !told.iter().rev().take(8).any(|r| r.command == run.command && r.seqs == run.seqs) {
            told.push(run);
        }
    }
    told
}

fn read_one(invocation: &Invocation<'_>) -> Run {
    let Some(command) = invocation.command.as_deref() else { return Run::default() };
    let pipelines = invocation.script().map(shell::pipelines).unwrap_or_default();
    let reading = command::reading(&pipelines);
    Run {
        command: Some(pipelines),
        is_test: reading.is_some_and(|reading| !reading.only_if_summary),
        fact: reading.and_then(|reading| fact(invocation, command, reading)),
    }
}

fn fact(invocation: &Invocation<'_>, command: &str, reading: Reading) -> Option<TestRunFact> {
    let output = invocation.output.as_deref()?;
    if never_ran(output) {
        return None;
    }
    let tally = outcome::tally(output);
    if reading.only_if_summary && !tally.has_summary() {
        return None;
    }
    let cut = reading.filtered || reading.head.is_some_and(|n| output.lines().count() >= n);
    let outcome = match tally.verdict(cut, !reading.alone) {
        TestOutcome::Unknown if reading.alone => by_exit(invocation, output),
        told @ (TestOutcome::Pass | TestOutcome::Fail | TestOutcome::Error | TestOutcome::Unknown) => told,
    };
    Some(TestRunFact {
        command: clip(&squash(command), MAX_COMMAND),
        outcome,
        passed: tally.passed,
        failed: tally.failed,
        failing: tally.failing,
        seqs: invocation.seqs(),
    })
}

/// Whether the harness refused the call or sent it to the background: no run, or none to be read.
fn never_ran(output: &str) -> bool {
    let head = output.trim_start();
    ["The user doesn't want to", "<tool_use_error>", "Permission to use", "Command running in background"]
        .iter()
        .any(|refused| head.starts_with(refused))
}

fn by_exit(invocation: &Invocation<'_>, output: &str) -> TestOutcome {
    if outcome::says(Means::NotStarted, output) || output.contains("Command timed out after") {
        return TestOutcome::Error;
    }
    let failed =
        || if outcome::says(Means::NotBuilt, output) { TestOutcome::Error } else { TestOutcome::Fail };
    match invocation.exit_code {
        _ if outcome::says(Means::NothingToRun, output) => TestOutcome::Unknown,
        Some(0) => TestOutcome::Pass,
        // 1 is "tests failed" for every runner; what lies above is usage, collection, signals, time.
        Some(1) => failed(),
        Some(_) => TestOutcome::Error,
        None => match invocation.failed {
            Some(true) => failed(),
            // Claude Code writes an exit code into the output only when it is not 0.
            Some(false) | None if invocation.tool == "Bash" => TestOutcome::Pass,
            Some(false) | None => TestOutcome::Unknown,
        },
    }
}

#[cfg(test)]
pub(super) use rules::problems as rule_problems;

#[cfg(test)]
mod tests;
