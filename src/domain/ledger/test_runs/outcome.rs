//! What the output of a test runner says: summary lines, counts, names of failing tests.

use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};

use super::super::super::summary::TestOutcome;
use super::super::line::{clip, plain};
use super::super::pattern;
use super::super::pipeline::clip_bytes;

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

type Rule = (&'static str, fn(&Captures<'_>, &mut Tally));

fn number(caps: &Captures<'_>, at: usize) -> Option<u32> {
    caps.get(at).and_then(|m| m.as_str().replace([',', '.'], "").parse().ok())
}

/// A whole-run summary with groups 1 = passed and 2 = failed.
fn passed_failed(caps: &Captures<'_>, t: &mut Tally) {
    let (passed, failed) = (number(caps, 1), number(caps, 2).unwrap_or(0));
    t.count(passed, Some(failed));
    t.whole_pass |= failed == 0;
}

/// A whole-run summary with groups 1 = failed and 2 = passed.
fn failed_passed(caps: &Captures<'_>, t: &mut Tally) {
    let (failed, passed) = (number(caps, 1).unwrap_or(0), number(caps, 2));
    t.count(passed, Some(failed));
    t.whole_pass |= failed == 0 && passed.unwrap_or(0) > 0;
}

/// A whole-run summary with groups 1 = run, 2 = failed and 3 = errors.
fn run_failed_errors(caps: &Captures<'_>, t: &mut Tally) {
    let run = number(caps, 1).unwrap_or(0);
    let failed = number(caps, 2).unwrap_or(0).saturating_add(number(caps, 3).unwrap_or(0));
    t.count(Some(run.saturating_sub(failed)), Some(failed));
    t.whole_pass |= failed == 0 && run > 0;
}

fn whole(_: &Captures<'_>, t: &mut Tally) {
    t.whole_pass = true;
}
fn part(_: &Captures<'_>, t: &mut Tally) {
    t.part_pass = true;
}
fn fail(_: &Captures<'_>, t: &mut Tally) {
    t.fail = true;
}
fn vague_fail(_: &Captures<'_>, t: &mut Tally) {
    t.vague_fail = true;
}
fn error(_: &Captures<'_>, t: &mut Tally) {
    t.error = true;
}
fn around(_: &Captures<'_>, t: &mut Tally) {
    t.around = true;
}
fn failing(caps: &Captures<'_>, t: &mut Tally) {
    t.fail = true;
    if let Some(name) = caps.get(1) {
        t.name(name.as_str());
    }
}
/// A name that only a summary elsewhere makes a failure (the mark is used by other tools too).
fn name_only(caps: &Captures<'_>, t: &mut Tally) {
    if let Some(name) = caps.get(1) {
        t.name(name.as_str());
    }
}

/// `2 failed, 3 passed, 1 error in 0.1s`: any order, any subset.
fn pytest(caps: &Captures<'_>, t: &mut Tally) {
    static COUNT: LazyLock<Regex> = LazyLock::new(|| {
        pattern::ascii(
            r"(\d+) (passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun|subtests passed)",
        )
    });
    let (mut passed, mut failed, mut errors) = (None, 0, 0);
    for c in COUNT.captures_iter(caps.get(0).map_or("", |m| m.as_str())) {
        let n = number(&c, 1).unwrap_or(0);
        match c.get(2).map_or("", |m| m.as_str()) {
            "passed" => passed = Some(n),
            "failed" => failed = n,
            "error" | "errors" => errors = n,
            _ => {}
        }
    }
    t.error |= errors > 0;
    t.count(passed, Some(failed));
    t.whole_pass |= failed == 0 && errors == 0 && passed.is_some_and(|n| n > 0);
}

/// `FAILED (failures=1, errors=2)`.
fn unittest_failed(caps: &Captures<'_>, t: &mut Tally) {
    static COUNT: LazyLock<Regex> = LazyLock::new(|| pattern::ascii(r"(failures|errors)=(\d+)"));
    let mut bad = 0_u32;
    for c in COUNT.captures_iter(caps.get(0).map_or("", |m| m.as_str())) {
        bad = bad.saturating_add(number(&c, 2).unwrap_or(0));
    }
    t.fail |= bad == 0;
    t.count(None, Some(bad));
    // The line before said how many ran, as if all had passed.
    t.passed = t.passed.map(|n| n.saturating_sub(bad));
}

/// One line each for what passed and what failed (bun, mocha, TAP).
fn passed_line(caps: &Captures<'_>, t: &mut Tally) {
    let n = number(caps, 1);
    t.count(n, None);
    t.part_pass |= n.unwrap_or(0) > 0;
}
fn failed_line(caps: &Captures<'_>, t: &mut Tally) {
    let n = number(caps, 1).unwrap_or(0);
    t.count(None, Some(n));
    // Runners that print the count of failures even when there are none speak for the whole run.
    t.whole_pass |= n == 0 && t.passed.is_some_and(|p| p > 0);
}

/// `12 passing` stands for the whole run unless `n failing` follows.
fn passing(caps: &Captures<'_>, t: &mut Tally) {
    t.count(number(caps, 1), None);
    t.whole_pass |= number(caps, 1).unwrap_or(0) > 0;
}

fn ran(caps: &Captures<'_>, t: &mut Tally) {
    t.count(number(caps, 1), None);
}

const RULES: &[Rule] = &[
    // pytest
    (
        r"^=*\s*(?:\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun|subtests passed)(?:, )?)+ in [\d.:]+ ?(?:s|seconds).*$",
        pytest,
    ),
    (r"^FAILED (\S+::.+?)(?: - .*)?$", failing),
    (r"^ERROR (\S+\.py\S*)(?: - .*)?$", |c, t| {
        t.error = true;
        name_only(c, t);
    }),
    (
        r"^!+ .*(?:error|errors) during collection !+$|^INTERNALERROR>|^=* ?no tests ran in |^ERROR: (?:file or directory )?not found: |^ERROR: usage: |^ImportError while loading conftest",
        error,
    ),
    // unittest
    (r"^Ran (\d+) tests? in [\d.]+s", ran),
    (r"^OK(?: \((?:skipped|expected failures|unexpected successes)=.*\))?$", whole),
    (r"^FAILED \((?:failures|errors|skipped|expected failures|unexpected successes)=.*\)$", unittest_failed),
    (r"^(?:FAIL|ERROR): (\w+ \([\w.<> ]+\).*)$", |c, t| {
        let name = c.get(1).map(|m| m.as_str());
        if name.is_some_and(|n| n.contains("unittest.loader._FailedTest")) {
            t.unloaded(name);
        } else {
            failing(c, t);
        }
    }),
    // cargo
    (r"^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed;", |c, t| {
        let failed = number(c, 2).unwrap_or(0);
        t.count(number(c, 1), Some(failed));
        t.part_pass |= failed == 0;
    }),
    (r"^test (\S.*?) \.\.\. FAILED", failing),
    (r"^error: (?:test|\d+ targets?) failed", fail),
    (r"^error: could not compile |^error: build failed", error),
    (r"^\s*Summary \[.*\] .*tests? run: (\d+) passed(?: \(.*?\))?(?:, (\d+) failed)?", passed_failed),
    (r"^\s*(?:FAIL|TIMEOUT|SIGABRT|SIGSEGV) \[[^\]]*\] (?:\([^)]*\) )?(\S+ \S+)", failing),
    // go
    (r"^ok\s+\S+\s+(?:[\d.]+s|\(cached\)).*$", |c, t| {
        let idle = c.get(0).is_some_and(|m| m.as_str().contains("[no tests to run]"));
        t.part_pass |= !idle;
        t.idle |= idle;
    }),
    (r"^testing: warning: no tests to run", |_, t| t.idle = true),
    (r"^FAIL\s+\S+ \[(?:build|setup) failed\]", error),
    (r"^FAIL\s+\S+\s+[\d.]+s\s*$", fail),
    (r"^FAIL\s*$", vague_fail),
    (r"^PASS$", |_, t| t.part_pass |= !t.idle),
    (r"^\s*--- FAIL: (\S+)", failing),
    (r"^\s*--- PASS: ", |_, t| {
        t.count(Some(1), None);
    }),
    (r"^DONE (\d+) tests(?:, \d+ skipped)?(?:, (\d+) failures?)?(?:, \d+ errors?)? in ", run_failed_errors),
    // jest, pest
    (r"^\s*Tests:\s+(?:(\d+) failed, )?(?:\d+ \w+, )*?(\d+) passed\b", failed_passed),
    (r"^\s*Tests:\s+(\d+) failed\b.*$", |c, t| {
        if !c.get(0).is_some_and(|m| m.as_str().contains("passed")) {
            t.count(None, number(c, 1));
        }
    }),
    (r"^\s*Test Suites:\s+(\d+) failed", |c, t| t.error |= number(c, 1).unwrap_or(0) > 0),
    (r"^\s*● (.+ › .+)$", name_only),
    (r"^\s*● Test suite failed to run", error),
    (r"^No tests found, exiting with code 1|^No test files found, exiting with code 1", error),
    // vitest
    (r"^\s*Tests\s+(?:(\d+) failed(?: \| )?)?(?:\d+ skipped \| )?(?:(\d+) passed)?.*\(\d+\)$", failed_passed),
    (r"^\s*Test Files\s+(\d+) failed", |c, t| t.error |= number(c, 1).unwrap_or(0) > 0),
    (r"^\s*FAIL\s+(?:\|\S+\| )?(\S+ > .+)$", failing),
    (r"^FAIL\s+(\S+\.(?:test|spec)\.\w+)", |c, t| {
        name_only(c, t);
        t.vague_fail = true;
    }),
    // mocha, cypress
    (r"^\s*(?:✔ |✓ )?(\d+) passing\b", passing),
    (r"^\s*(?:✖ )?(\d+) failing\b", |c, t| {
        t.fail = true;
        t.count(None, number(c, 1));
    }),
    // bun
    (r"^\s*(\d+) pass$", passed_line),
    (r"^\s*(\d+) fail$", failed_line),
    // Each file that cannot be loaded is one of the failures too.
    (r"^\s(\d+) errors?$", |c, t| t.unloaded = t.unloaded.saturating_add(number(c, 1).unwrap_or(0))),
    (r"^\(fail\) (.+?)(?: \[[\d.]+m?s\])?$", failing),
    // node --test, TAP
    (r"^(?:#|ℹ) pass (\d+)$", passed_line),
    (r"^(?:#|ℹ) fail (\d+)$", failed_line),
    (r"^\s*not ok \d+(?: -)? (.+?)(?: # (?:time|duration).*)?$", |c, t| {
        let name = c.get(1).map_or("", |m| m.as_str());
        if !(name.contains("# TODO") || name.contains("# SKIP")) {
            failing(c, t);
        }
    }),
    (r"^\s*ok \d+(?: -)? ", |_, t| t.part_pass = true),
    (r"^\s*✖ (.+?) \([\d.]+m?s\)$", name_only),
    // zig
    (
        r"^Build Summary: \d+/\d+ steps succeeded(?:; (\d+) failed)?(?:; (\d+)/\d+ tests passed)?(?:; (\d+) failed)?",
        |c, t| {
            let failed = number(c, 3).unwrap_or(0);
            t.count(number(c, 2), Some(failed).filter(|n| *n > 0));
            let broken = number(c, 1).unwrap_or(0) > 0;
            t.fail |= failed > 0 || broken && number(c, 2).is_some();
            t.error |= broken && number(c, 2).is_none();
            t.whole_pass |= !t.fail && number(c, 2).is_some();
        },
    ),
    // deno
    (r"^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed", passed_failed),
    // maven, gradle
    (
        r"^(?:\[\w+\]\s+)?Tests run: (\d+), Failures: (\d+), Errors: (\d+)(?:, Skipped: \d+)?\s*$",
        run_failed_errors,
    ),
    (
        r"^(?:\[ERROR\]\s+)?COMPILATION ERROR|^> Compilation failed|^Execution failed for task ':.*compile",
        error,
    ),
    (r"^(?:\[\w+\] )?BUILD SUCCESS(?:FUL)?\b", part),
    (r"^(?:\[\w+\] )?BUILD FAIL(?:URE|ED)\b", error),
    (r"^(\d+) tests? completed, (\d+) failed", |c, t| run_failed_errors(c, t)),
    (r"^(\S+ > \S.*) FAILED$", failing),
    (r"^\[ERROR\]\s+((?:\w+\.)*\w*Tests?\.\w+):\d+", failing),
    // dotnet
    (r"^\s*(?:Passed|Failed)!\s+-\s+Failed:\s+(\d+),\s+Passed:\s+(\d+)", failed_passed),
    (r"^\s+Passed:\s+(\d+)$", passing),
    (r"^\s+Failed:\s+(\d+)$", failed_line),
    (r"^\s+Failed (\S+(?:\(.*\))?) \[[^\]]+\]", failing),
    (r"^Build FAILED\.", error),
    (r": error (?:CS|FS|BC|MSB|NU|NETSDK)\d+: ", around),
    // ctest
    (r"^\d+% tests passed, (\d+) tests failed out of (\d+)", |c, t| {
        let (failed, all) = (number(c, 1).unwrap_or(0), number(c, 2).unwrap_or(0));
        t.count(Some(all.saturating_sub(failed)), Some(failed));
        t.whole_pass |= failed == 0 && all > 0;
    }),
    (r"^\s+\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Exception.*|Subprocess aborted)\)", failing),
    (r"^\s+\d+ - (\S+) \(Not Run\)", |c, t| t.unloaded(c.get(1).map(|m| m.as_str()))),
    // rspec, minitest, mix
    (
        r"^(\d+) examples?, (\d+) failures?(?:, \d+ pending)?(?:, (\d+) errors? occurred outside of examples)?",
        |c, t| {
            let (run, failed) = (number(c, 1).unwrap_or(0), number(c, 2).unwrap_or(0));
            let outside = number(c, 3).unwrap_or(0);
            t.count(Some(run.saturating_sub(failed)), Some(failed));
            t.error |= outside > 0;
            t.whole_pass |= failed == 0 && outside == 0 && run > 0;
        },
    ),
    (r"^rspec (\S+)(?: #.*)?$", failing),
    (r"^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors", run_failed_errors),
    (
        r"^(?:\d+ (?:doctests?|propert(?:y|ies)), )*(\d+) tests?, (\d+) failures?\b(?:, \d+ \w+)*$",
        run_failed_errors,
    ),
    (r"^\s+\d+\) test (.+ \([\w.]+\))$", name_only),
    // phpunit
    (r"^OK \((\d+) tests?, \d+ assertions?\)", passing),
    (r"^OK, but (?:incomplete|there were|some tests)", whole),
    (r"^Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?", run_failed_errors),
    (r"^(?:FAILURES!|ERRORS!)$", fail),
    (r"^\d+\) ([\w\\]+::\w+.*)$", name_only),
    // tox, nox
    (r"^\s*congratulations :\)", whole),
    (r"^\s*evaluation failed :\(", vague_fail),
    (r"could not install deps \[", error),
    (r"^nox > Session \S+ was successful", part),
    (r"^nox > Session \S+ failed", vague_fail),
    // swift, xcode
    (r"^\s*Executed (\d+) tests?, with (?:\d+ tests? skipped and )?(\d+) failures?", |c, t| {
        // Nested suites repeat the counts of the outer one: the last line stands for all.
        let (run, failed) = (number(c, 1).unwrap_or(0), number(c, 2).unwrap_or(0));
        t.passed = Some(run.saturating_sub(failed));
        t.failed = Some(failed);
        t.whole_pass = failed == 0 && run > 0;
    }),
    (r"^\s*(?:Test Case|Test case) '(.+?)' failed", failing),
    (r"^\S* ?Test run with (\d+) tests? (?:in \d+ suites? )?passed", passing),
    (r"^\S* ?Test run with \d+ tests? (?:in \d+ suites? )?failed", fail),
    (r"^\*\* TEST SUCCEEDED \*\*", whole),
    (r"^\*\* TEST FAILED \*\*", vague_fail),
    (r"^\*\* (?:TEST )?BUILD FAILED \*\*|because the build failed\.?$", error),
    // playwright
    (r"^\s{2}(\d+) passed \([\d.]+(?:m?s|m)\)$", passing),
    (r"^\s{2}(\d+) failed$", failed_line),
    // dart, flutter, prove, sbt, bazel
    (r"All tests passed!$|^Result: PASS$|^All tests successful\.", whole),
    (
        r"^\d\d:\d\d \+(\d+)(?: ~\d+)? -(\d+): Some tests failed\.|^Result: FAIL$|^Some tests failed\.",
        |c, t| {
            t.vague_fail = true;
            t.count(number(c, 1), number(c, 2));
        },
    ),
    (r"^\d\d:\d\d \+\d+(?: ~\d+)? -\d+: loading (\S+) \[E\]", |c, t| {
        t.unloaded(c.get(1).map(|m| m.as_str()));
    }),
    (r"^\s*No subtests run\s*$", error),
    (r"^\[error\] .*\bCompilation failed", error),
    (r"^== Compilation error in file ", error),
    (r"^\[\w+\] Tests: succeeded (\d+), failed (\d+)", passed_failed),
    (r"^(\d+) failures?, (\d+) errors?\.$", |c, t| {
        let bad = number(c, 1).unwrap_or(0).saturating_add(number(c, 2).unwrap_or(0));
        t.count(None, Some(bad));
        t.whole_pass |= bad == 0;
    }),
    (r"^Executed \d+ out of \d+ tests?: (\d+) tests? pass(?:es)?\.", passing),
    (r"^Executed \d+ out of \d+ tests?: .*fails? (?:locally|remotely)", fail),
    (r"^Executed \d+ out of \d+ tests?: .*fails? to build|^(?:ERROR|FAILED): Build did NOT complete", error),
    // compilers that run before the tests
    (r"(?:^|: |- )error TS\d+: |^TSError: |^ninja: build stopped: ", around),
    (r"^make(?:\[\d+\])?: \*\*\* \[.*\] Error \d+", around),
    (
        r"^(?:npm (?:ERR!|error) Test failed|error: script .* exited with code [1-9]|error Command failed with exit code [1-9]|\s?ELIFECYCLE\s+(?:Test|Command) failed)",
        around,
    ),
];

static SET: LazyLock<RegexSet> = LazyLock::new(|| pattern::ascii_set(RULES.iter().map(|(p, _)| *p)));
static EACH: LazyLock<Vec<Regex>> = LazyLock::new(|| RULES.iter().map(|(p, _)| pattern::ascii(p)).collect());

/// Reads every summary line of an output.
pub(super) fn tally(output: &str) -> Tally {
    let mut tally = Tally::default();
    for line in output.lines() {
        if line.is_empty() || !may_tell(line) {
            continue;
        }
        let line = plain(clip_bytes(line, MAX_SUMMARY_LINE));
        let line = line.trim_end();
        for at in SET.matches(line) {
            if let (Some(regex), Some((_, apply))) = (EACH.get(at), RULES.get(at))
                && let Some(caps) = regex.captures(line)
            {
                apply(&caps, &mut tally);
            }
        }
    }
    tally
}

/// A cheap look before the patterns: every rule needs one of these letters' runs.
fn may_tell(line: &str) -> bool {
    static WORDS: LazyLock<aho_corasick::AhoCorasick> = LazyLock::new(|| {
        #[expect(clippy::expect_used, reason = "the words are constants, and a test compiles them")]
        aho_corasick::AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .kind(Some(aho_corasick::AhoCorasickKind::DFA))
            .build([
                "pass",
                "fail",
                "ok",
                "error",
                "ran ",
                "test",
                "success",
                "rspec",
                "failure",
                "●",
                "congratulations",
                "timeout",
                "sig",
                "✖",
                "build",
                "loading",
                "not run",
            ])
            .expect("the words are valid")
    });
    WORDS.is_match(clip_bytes(line, MAX_SUMMARY_LINE))
}

/// Whether the runner was not there or could not be started.
pub(super) fn never_started(output: &str) -> bool {
    static MISSING: LazyLock<Regex> = LazyLock::new(|| {
        pattern::ascii(
            r#"(?m)^.{0,200}?(?:: No module named |command not found|: not found$|[Mm]issing script: |could not find `?Cargo\.toml|Couldn't find a script named|error: Script not found|Unknown command: "test)"#,
        )
    });
    MISSING.is_match(clip_bytes(output, 8_000))
}

/// Whether a run without a summary ended before its first test: in a compiler, or as it loaded its files.
pub(super) fn never_built(output: &str) -> bool {
    static BROKEN: LazyLock<Regex> = LazyLock::new(|| {
        pattern::ascii(
            r"(?m)^.{0,300}?(?:\w:\d+(?::\d+)?: (?:fatal )?error: |^error\[E\d{4}\]|error TS\d+: |^(?:Uncaught )?SyntaxError: |^Error: Cannot find module |^Error \[ERR_MODULE_NOT_FOUND\]|^PHP (?:Parse|Fatal) error: |^(?:ModuleNotFoundError|ImportError|IndentationError): |undefined reference to |: cannot load such file -- |[Cc]ompilation failed|[Cc]ould not compile|[Ff]ailed to compile|Type checking failed|^collect2: error)",
        )
    });
    let head = clip_bytes(output, LOOKED_AT);
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
    NONE.is_match(clip_bytes(output, LOOKED_AT))
}

/// How much of each end of an output without a summary is looked at, in bytes.
const LOOKED_AT: usize = 16_000;

fn last_bytes(text: &str, bytes: usize) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(bytes))..).unwrap_or_default()
}
