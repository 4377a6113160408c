//! The lines that runners sum up with, one rule each, and what a line adds to the tally.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::super::super::pattern;
use super::Tally;

pub(super) type Rule = (&'static str, fn(&Captures<'_>, &mut Tally));

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

/// A whole-run summary with groups 1 = run, 2 = failed, 3 = errors and 4 = skipped, which count as run.
fn run_failed_errors(caps: &Captures<'_>, t: &mut Tally) {
    let run = number(caps, 1).unwrap_or(0).saturating_sub(number(caps, 4).unwrap_or(0));
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

pub(super) const RULES: &[Rule] = &[
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
    // maven, gradle, and karma's names
    (
        r"^(?:\[\w+\]\s+)?Tests run: (\d+), Failures: (\d+), Errors: (\d+)(?:, Skipped: (\d+))?\s*$",
        run_failed_errors,
    ),
    (
        r"^(?:\[ERROR\]\s+)?COMPILATION ERROR|^> Compilation failed|^Execution failed for task ':.*compile",
        error,
    ),
    (r"^(?:\[\w+\] )?BUILD SUCCESS(?:FUL)?\b|^Suite result: ok\.", part),
    (r"^(?:\[\w+\] )?BUILD FAIL(?:URE|ED)\b", error),
    (r"^(\d+) tests? completed, (\d+) failed", |c, t| run_failed_errors(c, t)),
    (r"^(?:\w+(?: \w+)? [\d.]+ \([^)]+\) (\S.*)|(\S+ > \S.*)) FAILED$", |c, t| {
        t.fail = true;
        t.name(c.get(1).or_else(|| c.get(2)).map_or("", |m| m.as_str()));
    }),
    (r"^\[ERROR\]\s+((?:\w+\.)*\w*Tests?\.\w+):\d+", failing),
    // dotnet, elm
    (r"^\s*(?:Passed|Failed)!\s+-\s+Failed:\s+(\d+),\s+Passed:\s+(\d+)", failed_passed),
    (r"^\s*Passed:\s+(\d+)$", passing),
    (r"^\s*Failed:\s+(\d+)$", failed_line),
    (r"^\s+Failed (\S+(?:\(.*\))?) \[[^\]]+\]", failing),
    (r"^Build FAILED\.", error),
    (r": error (?:CS|FS|BC|MSB|NU|NETSDK)\d+: ", around),
    // ctest
    (r"^\d+% tests passed, (\d+) tests failed out of (\d+)", |c, t| {
        // The output of a failed program stands before it, with a summary of its own.
        let (failed, all) = (number(c, 1).unwrap_or(0), number(c, 2).unwrap_or(0));
        (t.passed, t.failed) = (Some(all.saturating_sub(failed)), Some(failed));
        t.whole_pass |= failed == 0 && all > 0;
    }),
    (r"^\s+\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Exception.*|Subprocess aborted)\)", failing),
    (r"^\s+\d+ - (\S+) \(Not Run\)", |c, t| t.unloaded(c.get(1).map(|m| m.as_str()))),
    // rspec, minitest, kaocha, mix
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
    (
        r"^(\d+) (?:runs|tests), \d+ assertions, (\d+) (?:failures|errors)(?:, (\d+) (?:errors|failures))?(?:, (\d+) skips)?",
        run_failed_errors,
    ),
    (
        r"^(?:\d+ (?:doctests?|propert(?:y|ies)), )*(\d+) tests?, (\d+) failures?\b(?:, \d+ \w+)*$",
        run_failed_errors,
    ),
    (r"^\s+\d+\) test (.+ \([\w.]+\))$", name_only),
    // phpunit, rebar3, alcotest
    (
        r"^(?:OK \(|All |Test Successful in [\d.]+s\. )(\d+) tests?(?:, \d+ assertions?\)| passed\.| run\.)",
        passing,
    ),
    (
        r"^\s*Failed:? (\d+)(?: tests?)?\.\s+(?:Skipped:? \d+(?: \([\d, ]+\))?(?: tests?)?\.\s+)?Passed:? (\d+)",
        failed_passed,
    ),
    (r"^(\d+) failures?! in [\d.]+s\. (\d+) tests? run\.", |c, t| {
        let failed = number(c, 1).unwrap_or(0);
        t.count(number(c, 2).map(|run| run.saturating_sub(failed)), Some(failed));
    }),
    (r"^OK, but (?:incomplete|there were|some tests)", whole),
    (r"^Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?", run_failed_errors),
    (r"^(?:FAILURES!|ERRORS!|TEST RUN FAILED)$|^Suite result: FAILED\.", fail),
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
    // playwright, ava
    (r"^\s+(\d+) (?:tests? passed|passed \([\d.]+(?:m?s|m)\))$", passing),
    (r"^\s+(\d+) (?:tests? )?failed$", failed_line),
    // karma, which draws the line anew as it goes
    (
        r"^\w+(?: \w+)? [\d.]+ \([^)]+\): Executed (\d+) of (\d+) (?:\((\d+) FAILED\)|(?:\(skipped (\d+)\) )?SUCCESS)",
        |c, t| {
            let [run, all, failed, skipped] = [1, 2, 3, 4].map(|at| number(c, at).unwrap_or(0));
            (t.passed, t.failed) = (Some(run.saturating_sub(failed)), Some(failed));
            // A run that was stopped half-way has passed nothing yet.
            t.whole_pass = failed == 0 && run > 0 && run.saturating_add(skipped) >= all;
        },
    ),
    // cucumber, behat, v
    (r"^(?:\d+ scenarios? \(|Summary for all V _test\.v files: ).*$", pytest),
    // dart, flutter, prove, sbt, pester, bazel
    (r"All tests passed!$|^Result: PASS$|^All tests successful\.|^TEST RUN PASSED$", whole),
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
    (r"^(?:\[\w+\] Tests: succeeded|Tests Passed:) (\d+), [fF]ailed:? (\d+)", passed_failed),
    (r"^(\d+) failures?, (\d+) errors?\.$", |c, t| {
        let bad = number(c, 1).unwrap_or(0).saturating_add(number(c, 2).unwrap_or(0));
        t.count(None, Some(bad));
        t.whole_pass |= bad == 0;
    }),
    (r"^Executed \d+ out of \d+ tests?: (\d+) tests? pass(?:es)?\.", passing),
    (r"^Executed \d+ out of \d+ tests?: .*fails? (?:locally|remotely)", fail),
    (r"^Executed \d+ out of \d+ tests?: .*fails? to build|^(?:ERROR|FAILED): Build did NOT complete", error),
    // googletest, Catch2, doctest
    (r"^\[  PASSED  \] (\d+) tests?\.", passed_line),
    (r"^\[  FAILED  \] (\d+) tests?, listed below", |c, t| t.count(None, number(c, 1))),
    (r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", failing),
    (r"^All tests passed \(\d+ assertions? in (\d+) test cases?\)", passing),
    (r"^(?:\[doctest\] )?test cases:\s+\d+ \|\s+(\d+) passed(?: \|\s+(\d+) failed)?", passed_failed),
    // automake
    (r"^# PASS:\s+(\d+)$", passed_line),
    (r"^# (?:FAIL|XPASS|ERROR):\s+(\d+)$", failed_line),
    (r"^FAIL: (\S+)$", failing),
    // zig test, behave
    (r"^(\d+) (?:passed; \d+ skipped; (\d+) failed\.$|scenarios? passed, (\d+) failed)", |c, t| {
        let failed = number(c, 2).or_else(|| number(c, 3)).unwrap_or(0);
        t.count(number(c, 1), Some(failed));
        t.whole_pass |= failed == 0;
    }),
    (r"^\d+/\d+ (\S.*?)\.\.\. ?FAIL \(", failing),
    // forge
    (r"^Ran \d+ test suites? .*: (\d+) tests? passed, (\d+) failed", passed_failed),
    (r"^\[FAIL[.:].*\] (\w+\([^)]*\)) \(", failing),
    // busted
    (r"^(\d+) success(?:es)? / (\d+) failures? / (\d+) errors?", |c, t| {
        let failed = number(c, 2).unwrap_or(0).saturating_add(number(c, 3).unwrap_or(0));
        t.count(number(c, 1), Some(failed));
        t.whole_pass |= failed == 0 && number(c, 1).unwrap_or(0) > 0;
    }),
    // go test -json
    (r#"^\{.*"Action":"fail".*"Test":"([^"]+)""#, failing),
    (r#"^\{.*"Action":"pass".*"Test":""#, |_, t| t.count(Some(1), None)),
    (r#"^\{.*"Action":"(pass|fail)","Package":"[^"]*"(?:,"Elapsed":[\d.]+)?\}$"#, |c, t| {
        let passed = c.get(1).is_some_and(|m| m.as_str() == "pass");
        t.part_pass |= passed;
        t.fail |= !passed;
    }),
    // testthat, which draws the line anew as it goes
    (r"^\[ FAIL (\d+) \| WARN \d+ \| SKIP \d+ \| PASS (\d+) \]", |c, t| {
        let (failed, passed) = (number(c, 1), number(c, 2));
        t.whole_pass = failed == Some(0) && passed > Some(0);
        (t.failed, t.passed) = (failed, passed);
    }),
    // Julia: there is a column for what failed only when something did
    (r"^Test Summary:\s+\|(?:\s+Pass)?\s+(?:Fail|Error)\b", fail),
    (r"^Test Summary:\s+\|\s+Pass\s+(?:Broken\s+)?Total", part),
    (r"Some tests did not pass: (\d+) passed, (\d+) failed, (\d+) errored", |c, t| {
        let failed = number(c, 2).unwrap_or(0).saturating_add(number(c, 3).unwrap_or(0));
        t.count(number(c, 1), Some(failed));
    }),
    // crystal, Nim's unittest
    (r"^\d+ examples?, \d+ failures?, (\d+) errors?, \d+ pending", |c, t| {
        let errors = number(c, 1).unwrap_or(0);
        t.passed = t.passed.map(|n| n.saturating_sub(errors));
        t.count(None, Some(errors));
        t.whole_pass &= errors == 0;
    }),
    (r"^\s*\[FAILED\] (\S.*)$", failing),
    (r"^\s*\[OK\] \S", part),
    // compilers that run before the tests
    (r"(?:^|: |- )error TS\d+: |^TSError: |^ninja: build stopped: ", around),
    (r"^make(?:\[\d+\])?: \*\*\* \[.*\] Error \d+", around),
    (
        r"^(?:npm (?:ERR!|error) Test failed|error: script .* exited with code [1-9]|error Command failed with exit code [1-9]|\s?ELIFECYCLE\s+(?:Test|Command) failed)",
        around,
    ),
];
