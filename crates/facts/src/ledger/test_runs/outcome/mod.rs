//! What the output of a test runner says: summary lines, counts, names of failing tests.

mod rules;

use std::sync::LazyLock;

use regex::Regex;

use super::super::line::{clip, lines, plain};
use super::super::marked::Marked;
use super::super::outcome::head;
use super::super::pattern::{self, Grouped};
use crate::ledger::TestOutcome;
use rules::RULES;

/// The most failing names kept of one run.
const MAX_FAILING: usize = 30;
/// The longest failing name kept, in characters.
const MAX_NAME: usize = 200;
/// The longest part of a line that a summary stands in, in bytes.
const MAX_SUMMARY_LINE: usize = 500;

#[expect(clippy::struct_excessive_bools, reason = "each is one thing that some line said; they may all hold")]
/// What the summary lines of one output add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Tests passed, when a summary counts them.
    pub passed: Option<u32>,
    /// Tests failed, when a summary counts them.
    pub failed: Option<u32>,
    /// Names of failing tests, distinct, in order.
    pub failing: Vec<String>,
    /// A summary over the whole run says that it passed.
    whole_pass: bool,
    /// A line says that a part of the run passed.
    part_pass: bool,
    /// A line says that something failed.
    fail: bool,
    /// A line says that the run broke.
    error: bool,
    /// A line says that something failed, which may be no more than the build.
    vague_fail: bool,
    /// The program around the runner says that something it started broke.
    around: bool,
    /// A line says that there was no test to run.
    idle: bool,
    /// How many of the failures that are counted are files that could not be loaded or built.
    unloaded: u32,
}

impl Tally {
    /// Whether any line told an outcome.
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

    /// The outcome; `cut` says that lines may be missing, `chained` that other programs printed too.
    pub(super) fn verdict(&self, cut: bool, chained: bool) -> TestOutcome {
        if self.failed.is_some_and(|n| n > self.unloaded) || self.fail {
            TestOutcome::Fail
        } else if self.error || self.unloaded > 0 {
            TestOutcome::Error
        } else if self.vague_fail && !self.around {
            TestOutcome::Fail
        } else if self.around && !(self.whole_pass && chained) {
            // In a chain, what broke behind a run that passed is another program.
            TestOutcome::Error
        } else if self.whole_pass || (self.part_pass && !cut) {
            TestOutcome::Pass
        } else {
            TestOutcome::Unknown
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

    /// A test file that could not be loaded or built: no test of it ran.
    fn unloaded(&mut self, name: Option<&str>) {
        self.unloaded = self.unloaded.saturating_add(1);
        if let Some(name) = name {
            self.name(name);
        }
    }

    fn name(&mut self, name: &str) {
        let name = clip(name.trim().trim_end_matches([':', ',']), MAX_NAME);
        if !name.is_empty() && self.failing.len() < MAX_FAILING && !self.failing.contains(&name) {
            self.failing.push(name);
        }
    }
}

static EACH: LazyLock<Vec<Grouped>> =
    LazyLock::new(|| RULES.iter().map(|(rule, _)| Grouped::ascii(rule)).collect());

/// What tells which rules may match a line; rules are bits.
struct Look {
    /// The words that the rules cannot match without.
    words: Marked,
    /// The rules that can match without any.
    free: u128,
    /// The rules that match lines that begin with a byte.
    by_first: [u128; 256],
}

static LOOK: LazyLock<Look> = LazyLock::new(|| {
    const { assert!(RULES.len() <= 128, "each rule has a bit") }
    let (mut words, mut free, mut by_first) = (Vec::new(), 0, [0; 256]);
    for (at, (rule, _)) in RULES.iter().enumerate() {
        let bit = 1_u128 << at;
        match pattern::required_by_ascii(rule) {
            Some(required) => words.extend(required.into_iter().map(|word| (word, bit))),
            None => free |= bit,
        }
        let first = pattern::first_bytes_of_ascii(rule).unwrap_or([true; 256]);
        for (rules, begins) in by_first.iter_mut().zip(first) {
            *rules |= if begins { bit } else { 0 };
        }
    }
    Look { words: Marked::new(words), free, by_first }
});

/// Reads every summary line of an output.
pub(super) fn tally(output: &str) -> Tally {
    let mut tally = Tally::default();
    for line in lines(output).filter(|line| !line.is_empty()) {
        let line = plain(head(line, MAX_SUMMARY_LINE));
        let line = line.trim_end();
        apply(candidates(line), line, &mut tally);
    }
    tally
}

/// The rules that may match a line, as bits.
fn candidates(line: &str) -> u128 {
    let look = &*LOOK;
    let Some(rules) = line.bytes().next().and_then(|first| look.by_first.get(usize::from(first))) else {
        return u128::MAX;
    };
    if *rules == 0 { 0 } else { (look.words.found_in(line) | look.free) & rules }
}

/// Applies the rules whose bits are set, in their order.
fn apply(mut candidates: u128, line: &str, tally: &mut Tally) {
    while candidates != 0 {
        let at = candidates.trailing_zeros() as usize;
        candidates &= candidates - 1;
        if let (Some(regex), Some((_, apply))) = (EACH.get(at), RULES.get(at))
            && let Some(caps) = regex.captures(line)
        {
            apply(&caps, tally);
        }
    }
}

/// Whether the runner was not there or could not be started.
pub(super) fn never_started(output: &str) -> bool {
    static MISSING: LazyLock<Regex> = LazyLock::new(|| {
        pattern::ascii(
            r#"(?m)^.{0,200}?(?:: No module named |command not found|: not found$|[Mm]issing script: |could not find `?Cargo\.toml|Couldn't find a script named|error: Script not found|Unknown command: "test)"#,
        )
    });
    MISSING.is_match(head(output, 8_000))
}

/// Whether a run without a summary ended before its first test: in a compiler, or as it loaded its files.
pub(super) fn never_built(output: &str) -> bool {
    static BROKEN: LazyLock<Regex> = LazyLock::new(|| {
        pattern::ascii(
            r"(?m)^.{0,300}?(?:\w:\d+(?::\d+)?: (?:fatal )?error: |^error\[E\d{4}\]|error TS\d+: |^(?:Uncaught )?SyntaxError: |^Error: Cannot find module |^Error \[ERR_MODULE_NOT_FOUND\]|^PHP (?:Parse|Fatal) error: |^(?:ModuleNotFoundError|ImportError|IndentationError): |undefined reference to |: cannot load such file -- |[Cc]ompilation failed|[Cc]ould not compile|[Ff]ailed to compile|Type checking failed|^collect2: error)",
        )
    });
    let head = head(output, LOOKED_AT);
    let rest = output.get(head.len()..).unwrap_or_default();
    BROKEN.is_match(head) || BROKEN.is_match(last_bytes(rest, LOOKED_AT))
}

/// Whether a runner without a summary says that it had no test to run.
pub(super) fn nothing_to_run(output: &str) -> bool {
    static NONE: LazyLock<Regex> = LazyLock::new(|| {
        pattern::ascii(
            r"(?m)^.{0,300}?(?:\[no test files\]|no tests to run\b|No tests were found|No tests? (?:files? )?found|No tests executed|No test is available in |no tests ran\b|there are no tests to run)",
        )
    });
    NONE.is_match(head(output, LOOKED_AT))
}

/// How much of each end of an output without a summary is looked at, in bytes.
const LOOKED_AT: usize = 16_000;

fn last_bytes(text: &str, bytes: usize) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(bytes))..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn the_look_passes_over_no_rule_that_matches(
            (at, line) in (0..RULES.len()).prop_flat_map(|at| {
                (Just(at), pattern::texts_of(&pattern::narrowed(RULES[at].0)))
            }),
        ) {
            let (mut looked, mut all) = (Tally::default(), Tally::default());
            apply(candidates(&line), &line, &mut looked);
            apply(u128::MAX, &line, &mut all);
            prop_assert_eq!(looked, all, "{}: {}", RULES[at].0, line);
        }
    }
}
