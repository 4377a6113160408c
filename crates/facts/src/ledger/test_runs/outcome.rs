//! Parses the output of test runners: summary lines, counts, names of failing tests.

use regex::Captures;

use super::rules::{Means, RULES, Summary, Verdict};
use crate::ledger::TestOutcome;
use crate::ledger::line::{clip, head, plain};

/// The most failing names kept of one run.
const MAX_FAILING: usize = 30;
/// The longest failing name kept, in characters.
const MAX_NAME: usize = 200;
/// The longest part of a line that is searched for a summary, in bytes.
const MAX_SUMMARY_LINE: usize = 500;

#[expect(clippy::struct_excessive_bools, reason = "each is one thing that some line said; they may all hold")]
/// The sum of the summary lines of one output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Tests passed, when a summary counts them.
    pub passed: Option<u32>,
    /// Tests failed, when a summary counts them.
    pub failed: Option<u32>,
    /// Names of failing tests, distinct, in order.
    pub failing: Vec<String>,
    /// A summary of the whole run reports success.
    whole_pass: bool,
    /// A line reports success of a part of the run.
    part_pass: bool,
    /// A line reports a failure.
    fail: bool,
    /// A line reports that the run itself broke.
    error: bool,
    /// A line reports a failure that may only be the build's.
    vague_fail: bool,
    /// The program that started the runner reports that something broke.
    around: bool,
    /// A line reports that there were no tests.
    idle: bool,
    /// How many of the counted failures are files that could not be loaded or built.
    unloaded: u32,
}

impl Tally {
    /// Whether any line reported an outcome.
    pub(super) fn has_summary(&self) -> bool {
        self.whole_pass
            || self.part_pass
            || self.fail
            || self.error
            || self.vague_fail
            || self.around
            || self.unloaded > 0
            || self.failed.is_some_and(|n| n > 0)
    }

    /// The outcome. With `cut`, lines of the output may be missing; with `chained`, other programs printed too.
    pub(super) fn verdict(&self, cut: bool, chained: bool) -> TestOutcome {
        if self.failed.is_some_and(|n| n > self.unloaded) || self.fail {
            TestOutcome::Fail
        } else if self.error || self.unloaded > 0 {
            TestOutcome::Error
        } else if self.vague_fail && !self.around {
            TestOutcome::Fail
        } else if self.around && !(self.whole_pass && chained) {
            // In a chain, another program broke after the run that passed.
            TestOutcome::Error
        } else if self.whole_pass || (self.part_pass && !cut) {
            TestOutcome::Pass
        } else {
            TestOutcome::Unknown
        }
    }

    /// Adds a summary line: its counts and names, then its verdict.
    fn apply(&mut self, rule: &Summary, line: &Captures<'_>) {
        let number =
            |group: &str| line.name(group).and_then(|m| m.as_str().replace([',', '.'], "").parse().ok());
        let sum = |groups: [&str; 2]| groups.into_iter().filter_map(number).fold(0_u32, u32::saturating_add);
        let counts_failures = ["failed", "errors"].iter().any(|group| rule.pattern.has_group(group));
        let failed = counts_failures.then(|| sum(["failed", "errors"]));
        let (run, all, skipped) = (number("run"), number("all"), number("skipped").unwrap_or(0));
        // A count of all tests is separate from the count of those that ran; else skipped tests are in it.
        let ran = run.map(|run: u32| if all.is_some() { run } else { run.saturating_sub(skipped) });
        let passed = ran.map(|ran| ran.saturating_sub(failed.unwrap_or(0))).or_else(|| number("passed"));
        let passed = passed.or_else(|| rule.one_passed.then_some(1));
        if rule.replaces {
            (self.passed, self.failed, self.whole_pass) = (passed, failed, false);
        } else {
            self.count(passed, failed);
        }
        if rule.counted_as_passed {
            let others = failed.unwrap_or(0).saturating_add(skipped);
            self.passed = self.passed.map(|n| n.saturating_sub(others));
        }
        if let Some(name) = line.name("name") {
            self.name(name.as_str());
        }
        let broken = number("broken").unwrap_or(0);
        self.error |= broken > 0;
        self.unloaded = self.unloaded.saturating_add(number("unloaded").unwrap_or(0));
        let failed = failed.unwrap_or(0);
        let counts = run.is_some() || counts_failures || rule.pattern.has_group("passed");
        let is_clean = failed == 0
            && broken == 0
            && (!counts || rule.even_without_tests || self.passed.is_some_and(|n| n > 0))
            && all.is_none_or(|all| run.unwrap_or(0).saturating_add(skipped) >= all);
        match rule.verdict {
            Some(Verdict::Whole) => self.whole_pass |= is_clean,
            Some(Verdict::Part) => self.part_pass |= is_clean,
            Some(Verdict::PartUnlessIdle) => self.part_pass |= !self.idle,
            // If failures are counted, the counts decide.
            Some(Verdict::Fail) => self.fail |= failed == 0,
            Some(Verdict::VagueFail) => self.vague_fail = true,
            Some(Verdict::Error) => self.error = true,
            Some(Verdict::Around) => self.around = true,
            Some(Verdict::Idle) => self.idle = true,
            // A file that could not be loaded ran no test.
            Some(Verdict::Unloaded) => self.unloaded = self.unloaded.saturating_add(1),
            None => {}
        }
    }

    fn count(&mut self, passed: Option<u32>, failed: Option<u32>) {
        if let Some(n) = passed {
            self.passed = Some(self.passed.unwrap_or(0).saturating_add(n));
        }
        if let Some(n) = failed {
            self.failed = Some(self.failed.unwrap_or(0).saturating_add(n));
        }
    }

    fn name(&mut self, name: &str) {
        let name = clip(name.trim().trim_end_matches([':', ',']), MAX_NAME);
        if !name.is_empty() && self.failing.len() < MAX_FAILING && !self.failing.contains(&name) {
            self.failing.push(name);
        }
    }
}

impl Summary {
    /// The groups of the rule's match in a line.
    pub(super) fn matches<'l>(&self, line: &'l str) -> Option<Captures<'l>> {
        let caps = self.pattern.captures(line)?;
        self.unless.as_ref().is_none_or(|unless| !unless.is_match(line)).then_some(caps)
    }
}

/// Adds up all summary lines of an output.
pub(super) fn tally(output: &str) -> Tally {
    let summaries = &RULES.summaries;
    let mut tally = Tally::default();
    for found in summaries.lines(output) {
        let line = plain(head(output.get(found.start..found.end).unwrap_or_default(), MAX_SUMMARY_LINE));
        let line = line.trim_end();
        for rule in summaries.candidates(&found) {
            if let Some(caps) = rule.matches(line) {
                tally.apply(rule, &caps);
            }
        }
    }
    tally
}

/// Whether an output without a summary contains a line with this meaning, at its beginning or end.
pub(super) fn says(means: Means, output: &str) -> bool {
    let head = head(output, READ_AT_AN_END);
    let rest = output.get(head.len()..).unwrap_or_default();
    let tail =
        rest.get(rest.ceil_char_boundary(rest.len().saturating_sub(READ_AT_AN_END))..).unwrap_or_default();
    [head, tail].into_iter().any(|text| {
        RULES.endings.lines(text).any(|found| {
            let line = text.get(found.start..found.end).unwrap_or_default();
            let mut rules = RULES.endings.candidates(&found).filter(|rule| rule.means == means);
            rules.any(|rule| rule.pattern.is_match(line.trim_end()))
        })
    })
}

/// The bytes at each end of an output without a summary that are read.
const READ_AT_AN_END: usize = 16_000;
