//! Test runs: recognises commands that run tests, and parses the outcome from their output.
//!
//! Invariant: there is one fact per run. The outcome comes from a summary line, or from the exit code when the command
//! ran nothing else; without either it is `unknown`.

mod command;
mod outcome;
mod rules;

use std::ops::Range;

use super::invocation::Invocation;
use super::line::{clip, squash};
use super::shell::Pipeline;
use super::{TestRunFact, shell};
use crate::ledger::TestOutcome;
use command::Reading;
use rules::Means;

/// The longest command kept, in characters.
const MAX_COMMAND: usize = 400;
/// The most lines of an output among which a printed command is looked for, and the most such commands, from the last.
const MOST_LINES: usize = 10_000;
const MOST_ECHOED: usize = 16;

/// A tool use, with its test run if it is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// Whether its command runs tests; its failures are then in the test run's fact and are no errors.
    pub is_test: bool,
    /// The fact, when a run took place.
    fact: Option<TestRunFact>,
    /// The part of the output that is the run's, when another program ran it: a commit's hook.
    pub within: Option<Range<usize>>,
}

impl Run {
    /// Its command, as far as it was told.
    pub(super) fn command(&self) -> Option<&str> {
        self.fact.as_ref().map(|fact| fact.command.as_str())
    }

    /// Whether the run passed.
    pub(super) fn passed(&self) -> bool {
        self.fact.as_ref().is_some_and(|fact| fact.outcome == TestOutcome::Pass)
    }

    /// Whether its output counts tests that passed, and it passed.
    pub(super) fn counted_passes(&self) -> bool {
        self.passed() && self.fact.as_ref().is_some_and(|fact| fact.passed.is_some_and(|count| count > 0))
    }
}

/// Parses each tool use as a test run; the result has one entry per tool use.
pub(super) fn read_each(invocations: &[Invocation<'_>]) -> Vec<Run> {
    invocations.iter().map(read_one).collect()
}

/// The test runs among tool uses, in their order.
pub(super) fn facts(runs: Vec<Run>) -> Vec<TestRunFact> {
    let mut told: Vec<TestRunFact> = Vec::new();
    for run in runs.into_iter().filter_map(|run| run.fact) {
        // A harness may show one command twice; it is one run.
        if !told.iter().rev().take(8).any(|r| r.command == run.command && r.seqs == run.seqs) {
            told.push(run);
        }
    }
    told
}

fn read_one(invocation: &Invocation<'_>) -> Run {
    let Some(command) = invocation.command.as_deref() else { return Run::default() };
    let pipelines = invocation.pipelines().unwrap_or_default();
    let reading = command::reading(&pipelines);
    let Some(output) = invocation.output.as_deref() else { return Run::default() };
    match reading {
        Some(reading) => Run {
            is_test: !reading.only_if_summary,
            fact: fact(invocation, (command, reading), output),
            within: None,
        },
        None if pipelines.iter().any(runs_scripts) => echoed(invocation, output).unwrap_or_default(),
        None => Run::default(),
    }
}

/// Whether a command runs scripts of the project: hooks, or those of a package.
fn runs_scripts(pipeline: &Pipeline) -> bool {
    let Some(command) = pipeline.commands.first() else { return false };
    match command.program() {
        "git" => command.args().iter().any(|word| {
            matches!(&**word, "commit" | "push" | "merge" | "rebase" | "cherry-pick" | "am" | "revert")
        }),
        program => matches!(program, "npm" | "pnpm" | "yarn" | "bun" | "lefthook"),
    }
}

/// The last test run that another program started, such as a commit's hook: runners of scripts print the command before they
/// run it (`$ bun test src/`, `> vitest run`).
fn echoed(invocation: &Invocation<'_>, output: &str) -> Option<Run> {
    let mut end = output.len();
    let mut at = 0;
    let lines: Vec<(usize, &str)> = output
        .split_inclusive('\n')
        .take(MOST_LINES)
        .filter_map(|line| {
            let start = at;
            at += line.len();
            Some((start, line.strip_prefix("$ ").or_else(|| line.strip_prefix("> "))?.trim()))
        })
        .collect();
    for (start, command) in lines.into_iter().rev().take(MOST_ECHOED) {
        let pipelines = shell::pipelines(&shell::parse(command, None));
        let reading = command::reading(&pipelines).filter(|reading| !reading.only_if_summary);
        if let Some(reading) = reading {
            let reading = Reading { alone: false, ..reading };
            let fact = fact(invocation, (command, reading), output.get(start..end)?)?;
            let is_told = fact.outcome != TestOutcome::Unknown;
            return is_told.then_some(Run { is_test: false, fact: Some(fact), within: Some(start..end) });
        }
        end = start;
    }
    None
}

fn fact(
    invocation: &Invocation<'_>,
    (command, reading): (&str, Reading),
    output: &str,
) -> Option<TestRunFact> {
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
        // What broke is not among the tests that were counted.
        failed: tally.failed.filter(|n| *n > 0 || !matches!(outcome, TestOutcome::Fail | TestOutcome::Error)),
        failing: tally.failing,
        seqs: invocation.seqs(),
    })
}

/// Whether the harness rejected the call or sent it to the background, so that there is no outcome.
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
        // 1 means "tests failed" in every runner; higher codes mean usage errors, collection errors, signals, timeouts.
        Some(1) => failed(),
        Some(_) => TestOutcome::Error,
        None => match invocation.failed {
            Some(true) => failed(),
            // Claude Code shows an exit code only when it is not 0.
            Some(false) | None if invocation.tool == "Bash" => TestOutcome::Pass,
            Some(false) | None => TestOutcome::Unknown,
        },
    }
}

#[cfg(test)]
pub(super) use rules::problems as rule_problems;

#[cfg(test)]
mod tests;
