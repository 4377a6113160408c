use super::*;
use rstest::rstest;
use std::borrow::Cow;

fn ran(command: &str, output: &str, exit_code: Option<i32>) -> Option<TestRunFact> {
    let invocation = Invocation {
        tool: Cow::Borrowed("bash"),
        arguments: Cow::Borrowed(""),
        command: Some(Cow::Borrowed(command)),
        cwd: None,
        output: Some(Cow::Borrowed(output)),
        exit_code,
        failed: None,
        call_seq: 4,
        result_seq: Some(5),
        parsed: std::cell::OnceCell::new(),
    };
    told(read_each(&[invocation])).pop()
}

#[rstest]
#[case::pytest(
    "pytest -q",
    "FAILED tests/test_a.py::test_b - AssertionError: x\n1 failed, 3 passed, 2 warnings in 0.12s",
    "fail",
    (Some(3), Some(1)),
    "tests/test_a.py::test_b"
)]
#[case::pytest_long(
    "python -m pytest",
    "===== 12 passed, 1 skipped in 1.20s =====",
    "pass",
    (Some(12), Some(0)),
    ""
)]
#[case::pytest_collection(
    "pytest",
    "ERROR tests/test_a.py - ImportError: no\n!!!! Interrupted: 1 error during collection !!!!\n==== 1 error in 0.10s ====",
    "error",
    (None, Some(0)),
    "tests/test_a.py"
)]
#[case::unittest(
    "python -m unittest",
    "FAIL: test_a (m.TestB.test_a)\nRan 5 tests in 0.001s\n\nFAILED (failures=1, errors=1)",
    "fail",
    (Some(3), Some(2)),
    "test_a (m.TestB.test_a)"
)]
#[case::unittest_ok("./runtests.py", "Ran 5 tests in 0.001s\n\nOK (skipped=1)", "pass", (Some(5), None), "")]
#[case::cargo(
    "cargo test",
    "test a::b ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 0 ignored;\nerror: test failed, to rerun pass `--lib`",
    "fail",
    (Some(3), Some(1)),
    "a::b"
)]
#[case::cargo_two(
    "cargo test",
    "test result: ok. 3 passed; 0 failed; 0 ignored;\ntest result: ok. 2 passed; 0 failed; 0 ignored;",
    "pass",
    (Some(5), Some(0)),
    ""
)]
#[case::cargo_build(
    "cargo test",
    "error[E0308]: mismatched types\nerror: could not compile `a` (lib) due to 1 previous error",
    "error",
    (None, None),
    ""
)]
#[case::nextest(
    "cargo nextest run",
    "     Summary [   0.1s] 10 tests run: 9 passed, 1 failed, 0 skipped\n        FAIL [   0.1s] app tests::works",
    "fail",
    (Some(9), Some(1)),
    "app tests::works"
)]
#[case::go(
    "go test ./...",
    "ok  \texample.com/a\t0.5s\n?   \texample.com/b\t[no test files]",
    "pass",
    (None, None),
    ""
)]
#[case::go_fail(
    "go test ./...",
    "--- FAIL: TestX (0.00s)\nFAIL\nFAIL\texample.com/a\t0.5s\nFAIL",
    "fail",
    (None, None),
    "TestX"
)]
#[case::jest("npx jest", "Tests:       1 failed, 2 skipped, 3 passed, 6 total", "fail", (Some(3), Some(1)), "")]
#[case::jest_all_failed("npm test", "Tests:       2 failed, 2 total", "fail", (None, Some(2)), "")]
#[case::vitest(
    "npx vitest run",
    " FAIL  src/a.test.ts > adds\n Test Files  1 failed (1)\n      Tests  1 failed | 3 passed (4)",
    "fail",
    (Some(3), Some(1)),
    "src/a.test.ts > adds"
)]
#[case::vitest_ok(
    "vitest run",
    " Test Files  2 passed (2)\n      Tests  4 passed (4)",
    "pass",
    (Some(4), Some(0)),
    ""
)]
#[case::mocha("mocha", "  5 passing (10ms)\n  1 failing\n\n  1) does x:", "fail", (Some(5), Some(1)), "")]
#[case::bun("bun test", " 55 pass\n 0 fail\nRan 55 tests across 1 file.", "pass", (Some(55), Some(0)), "")]
#[case::bun_fail("bun test", "(fail) a > b [1.2ms]\n 5 pass\n 1 fail", "fail", (Some(5), Some(1)), "a > b")]
#[case::node("node --test", "ℹ tests 3\nℹ pass 3\nℹ fail 0", "pass", (Some(3), Some(0)), "")]
#[case::tap("node --test", "not ok 2 - breaks\n# pass 1\n# fail 1", "fail", (Some(1), Some(1)), "breaks")]
#[case::deno("deno test", "FAILED | 1 passed | 2 failed (3ms)", "fail", (Some(1), Some(2)), "")]
#[case::maven(
    "mvn test",
    "[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 0\n[INFO] BUILD FAILURE",
    "fail",
    (Some(3), Some(2)),
    ""
)]
#[case::gradle(
    "./gradlew test",
    "AppTest > adds FAILED\n5 tests completed, 1 failed\nBUILD FAILED in 2s",
    "fail",
    (Some(4), Some(1)),
    "AppTest > adds"
)]
#[case::gradle_ok("./gradlew test", "BUILD SUCCESSFUL in 2s", "pass", (None, None), "")]
#[case::dotnet(
    "dotnet test",
    "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3",
    "pass",
    (Some(3), Some(0)),
    ""
)]
#[case::ctest(
    "ctest",
    "67% tests passed, 1 tests failed out of 3\n\nThe following tests FAILED:\n\t  3 - parse (Failed)",
    "fail",
    (Some(2), Some(1)),
    "parse"
)]
#[case::rspec(
    "bundle exec rspec",
    "5 examples, 1 failure\n\nrspec ./spec/a_spec.rb:12 # A does b",
    "fail",
    (Some(4), Some(1)),
    "./spec/a_spec.rb:12"
)]
#[case::minitest(
    "bin/rails test",
    "8 runs, 9 assertions, 0 failures, 0 errors, 0 skips",
    "pass",
    (Some(8), Some(0)),
    ""
)]
#[case::phpunit(
    "vendor/bin/phpunit",
    "FAILURES!\nTests: 3, Assertions: 5, Failures: 1.",
    "fail",
    (None, None),
    ""
)]
#[case::phpunit_ok("phpunit", "OK (3 tests, 5 assertions)", "pass", (Some(3), None), "")]
#[case::swift(
    "swift test",
    "Executed 3 tests, with 1 failure (0 unexpected) in 0.1 seconds\nExecuted 3 tests, with 1 failure (0 unexpected) in 0.1 seconds",
    "fail",
    (Some(2), Some(1)),
    ""
)]
#[case::mix(
    "mix test",
    "  1) test adds (AppTest)\n5 tests, 1 failure",
    "fail",
    (Some(4), Some(1)),
    "adds (AppTest)"
)]
#[case::playwright("npx playwright test", "  3 passed (5.1s)", "pass", (Some(3), None), "")]
#[case::tox("tox", "  py311: OK (1.2=setup[0.1]+cmd[1.1] seconds)\n  congratulations :) (1.3 seconds)", "pass", (None, None), "")]
#[case::tox_fail("tox", "  py311: FAIL code 1 (1.2 seconds)\n  evaluation failed :( (1.3 seconds)", "fail", (None, None), "")]
#[case::node_fail("node --test", "✖ breaks (1.2ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1", "fail", (Some(1), Some(1)), "breaks")]
#[case::deno_ok("deno test", "ok | 3 passed | 0 failed (3ms)", "pass", (Some(3), Some(0)), "")]
#[case::swift_ok("swift test", "Executed 3 tests, with 0 failures (0 unexpected) in 0.1 (0.2) seconds", "pass", (Some(3), Some(0)), "")]
#[case::swift_testing("swift test", "✔ Test run with 4 tests passed after 0.1 seconds.", "pass", (Some(4), None), "")]
#[case::mix_ok("mix test", "1 doctest, 5 tests, 0 failures", "pass", (Some(5), Some(0)), "")]
#[case::dotnet_fail("dotnet test", "  Failed App.Tests.Adds [12 ms]\nFailed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3", "fail", (Some(2), Some(1)), "App.Tests.Adds")]
#[case::maven_ok("mvn -q test", "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1\n[INFO] BUILD SUCCESS", "pass", (Some(4), Some(0)), "")]
#[case::go_json_count("go test -v ./...", "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.com/a\t0.5s", "pass", (Some(1), None), "")]
#[case::go_build("go test ./...", "# example.com/a\n./a.go:3:2: undefined: x\nFAIL\texample.com/a [build failed]\nFAIL", "error", (None, None), "")]
#[case::jest_fail("npx jest", "FAIL src/a.test.js\n  ● adds › numbers\n\nTests:       1 failed, 3 passed, 4 total", "fail", (Some(3), Some(1)), "src/a.test.js")]
#[case::mocha_ok("npx mocha", "  5 passing (10ms)\n  1 pending", "pass", (Some(5), None), "")]
#[case::minitest_fail("bin/rails test", "8 runs, 9 assertions, 1 failures, 0 errors, 0 skips", "fail", (Some(7), Some(1)), "")]
#[case::pest("vendor/bin/pest", "  Tests:    1 failed, 5 passed (10 assertions)", "fail", (Some(5), Some(1)), "")]
#[case::nextest_ok("cargo nextest run", "     Summary [   0.1s] 10 tests run: 10 passed, 0 skipped", "pass", (Some(10), Some(0)), "")]
#[case::bats("bats test.bats", "1..2\nok 1 a\nnot ok 2 b", "fail", (None, None), "b")]
#[case::flutter("flutter test", "00:02 +3: All tests passed!", "pass", (None, None), "")]
#[case::zig("zig build test --summary all", "Build Summary: 3/3 steps succeeded; 5/5 tests passed", "pass", (Some(5), None), "")]
#[case::xctest("xcodebuild test -scheme A", "** TEST FAILED **", "fail", (None, None), "")]
#[case::sbt("sbt test", "[info] Tests: succeeded 5, failed 0, canceled 0, ignored 0, pending 0", "pass", (Some(5), Some(0)), "")]
#[case::django("python manage.py test", "Ran 3 tests in 0.1s\n\nFAILED (failures=1)", "fail", (Some(2), Some(1)), "")]
#[case::googletest(
    "./build/foo_test",
    "[==========] 5 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 4 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Foo.Bar\n\n 1 FAILED TEST",
    "fail",
    (Some(4), Some(1)),
    "Foo.Bar"
)]
#[case::googletest_in_ctest(
    "ctest --output-on-failure",
    "[  PASSED  ] 4 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Foo.Bar\n90% tests passed, 1 tests failed out of 10\n\nThe following tests FAILED:\n\t  3 - foo (Failed)",
    "fail",
    (Some(9), Some(1)),
    "Foo.Bar"
)]
#[case::catch2("./tests", "All tests passed (12 assertions in 3 test cases)", "pass", (Some(3), None), "")]
#[case::doctest(
    "build/tests",
    "[doctest] test cases:  3 |  2 passed | 1 failed | 0 skipped\n[doctest] assertions: 12 | 11 passed | 1 failed |",
    "fail",
    (Some(2), Some(1)),
    ""
)]
#[case::automake("make check", "FAIL: t-parse\n# TOTAL: 10\n# PASS:  9\n# FAIL:  1\n# ERROR: 0", "fail", (Some(9), Some(1)), "t-parse")]
#[case::automake_ok("make check", "# TOTAL: 10\n# PASS:  10\n# FAIL:  0", "pass", (Some(10), Some(0)), "")]
#[case::zig_test(
    "zig test src/a.zig",
    "1/3 a.test.one...OK\n2/3 a.test.two...FAIL (TestUnexpectedResult)\n2 passed; 0 skipped; 1 failed.",
    "fail",
    (Some(2), Some(1)),
    "a.test.two"
)]
#[case::forge(
    "forge test",
    "[FAIL: assertion failed: 1 != 2] testAdd() (gas: 3421)\nSuite result: FAILED. 4 passed; 1 failed; 0 skipped; finished in 1.2ms\nRan 1 test suite in 1ms (2ms CPU time): 4 tests passed, 1 failed, 0 skipped (5 total tests)",
    "fail",
    (Some(4), Some(1)),
    "testAdd()"
)]
#[case::busted("busted", "4 successes / 1 failure / 1 error / 0 pending : 0.01 seconds", "fail", (Some(4), Some(2)), "")]
#[case::ava("npx ava", "  4 tests passed\n  1 test failed", "fail", (Some(4), Some(1)), "")]
#[case::ava_ok("npx ava", "  4 tests passed", "pass", (Some(4), None), "")]
#[case::go_json(
    "go test -json ./...",
    "{\"Time\":\"t\",\"Action\":\"pass\",\"Package\":\"x/a\",\"Test\":\"TestA\",\"Elapsed\":0}\n{\"Time\":\"t\",\"Action\":\"fail\",\"Package\":\"x/b\",\"Test\":\"TestB\",\"Elapsed\":0}\n{\"Time\":\"t\",\"Action\":\"fail\",\"Package\":\"x/b\",\"Elapsed\":0.01}",
    "fail",
    (Some(1), None),
    "TestB"
)]
#[case::testthat(
    "Rscript -e 'devtools::test()'",
    "[ FAIL 0 | WARN 0 | SKIP 0 | PASS 2 ]\n[ FAIL 1 | WARN 0 | SKIP 0 | PASS 4 ]",
    "fail",
    (Some(4), Some(1)),
    ""
)]
#[case::julia(
    "julia --project -e 'using Pkg; Pkg.test()'",
    "Test Summary: | Pass  Fail  Total  Time\nFoo           |    4     1      5  0.1s\nERROR: LoadError: Some tests did not pass: 4 passed, 1 failed, 0 errored, 0 broken.",
    "fail",
    (Some(4), Some(1)),
    ""
)]
#[case::julia_ok("julia test/runtests.jl", "Test Summary: | Pass  Total  Time\nFoo           |    5      5  0.1s", "pass", (None, None), "")]
#[case::crystal("crystal spec", "5 examples, 1 failures, 1 errors, 0 pending", "fail", (Some(3), Some(2)), "")]
#[case::nim("nimble test", "[OK] one\n  [FAILED] two", "fail", (None, None), "two")]
#[case::maven_skipped(
    "mvn test",
    "[ERROR] Tests run: 12, Failures: 1, Errors: 0, Skipped: 2\n[INFO] BUILD FAILURE",
    "fail",
    (Some(9), Some(1)),
    ""
)]
#[case::karma(
    "ng test --watch=false",
    "HeadlessChrome 79.0 (Linux 0.0.0): Executed 0 of 12 SUCCESS (0 secs / 0 secs)\nChrome Headless 120.0.0.0 (Linux x86_64) Foo should add FAILED\nChrome Headless 120.0.0.0 (Linux x86_64): Executed 12 of 12 (1 FAILED) (0.1 secs / 0.05 secs)\nTOTAL: 1 FAILED, 11 SUCCESS",
    "fail",
    (Some(11), Some(1)),
    "Foo should add"
)]
#[case::karma_ok("ng test", "Firefox 115.0 (Linux): Executed 3 of 12 SUCCESS (0 secs)\nFirefox 115.0 (Linux): Executed 12 of 12 SUCCESS (0.1 secs)", "pass", (Some(12), Some(0)), "")]
#[case::karma_skipped("ng test", "Firefox 115.0 (Linux): Executed 11 of 12 (skipped 1) SUCCESS (0.1 secs)", "pass", (Some(11), Some(0)), "")]
#[case::karma_stopped("ng test", "Firefox 115.0 (Linux): Executed 3 of 12 SUCCESS (0 secs)", "unknown", (Some(3), Some(0)), "")]
#[case::forge_cut("forge test", "Suite result: FAILED. 4 passed; 1 failed; 0 skipped; finished in 1.2ms", "fail", (None, None), "")]
#[case::eunit("rebar3 eunit", "  Failed: 1.  Skipped: 0.  Passed: 11.", "fail", (Some(11), Some(1)), "")]
#[case::common_test("rebar3 ct", "Failed 1 tests. Skipped 1 (0, 1) tests. Passed 11 tests.", "fail", (Some(11), Some(1)), "")]
#[case::common_test_ok("rebar3 ct", "All 11 tests passed.", "pass", (Some(11), None), "")]
#[case::alcotest("dune runtest", "1 failure! in 0.001s. 12 tests run.", "fail", (Some(11), Some(1)), "")]
#[case::alcotest_ok("dune build @runtest", "Test Successful in 0.001s. 12 tests run.", "pass", (Some(12), None), "")]
#[case::v("v test .", "Summary for all V _test.v files: 1 failed, 11 passed, 12 total. Elapsed time: 200 ms.", "fail", (Some(11), Some(1)), "")]
#[case::cucumber("npx cucumber-js", "3 scenarios (1 failed, 2 passed)\n12 steps (1 failed, 11 passed)", "fail", (Some(2), Some(1)), "")]
#[case::behave("behave", "1 feature passed, 0 failed, 0 skipped\n3 scenarios passed, 1 failed, 0 skipped", "fail", (Some(3), Some(1)), "")]
#[case::kaocha("kaocha", "12 tests, 30 assertions, 1 errors, 1 failures.", "fail", (Some(10), Some(2)), "")]
#[case::pester("Invoke-Pester", "Tests Passed: 11, Failed: 0, Skipped: 0 NotRun: 0", "pass", (Some(11), Some(0)), "")]
#[case::elm("npx elm-test", "TEST RUN PASSED\n\nDuration: 10 ms\nPassed:   11\nFailed:   0", "pass", (Some(11), Some(0)), "")]
#[case::coverage_around("npx nyc mocha", "  5 passing (10ms)", "pass", (Some(5), None), "")]
fn a_summary_line_decides(
    #[case] command: &str,
    #[case] output: &str,
    #[case] outcome: &str,
    #[case] counts: (Option<u32>, Option<u32>),
    #[case] failing: &str,
) {
    let run = ran(command, output, None).unwrap();
    assert_eq!(serde_json::to_value(run.outcome).unwrap(), outcome);
    if outcome == "pass" || counts.0.is_some() {
        assert_eq!((run.passed, run.failed), counts);
    }
    assert_eq!(run.failing.first().map_or("", String::as_str), failing);
}

#[rstest]
#[case("pytest -q", "", Some(0), TestOutcome::Pass)]
#[case("pytest -q", "boom", Some(1), TestOutcome::Fail)]
#[case("cd a && pytest -q", "", Some(2), TestOutcome::Error)]
#[case("python -m pytest", "/usr/bin/python: No module named pytest", Some(1), TestOutcome::Error)]
#[case("pytest -q | tail -2", "", Some(0), TestOutcome::Unknown)]
#[case("pytest -q; echo done", "done", Some(0), TestOutcome::Unknown)]
#[case("go test ./... | grep ok", "ok  \ta\t0.1s", Some(0), TestOutcome::Unknown)]
#[case("go test ./... | grep FAIL", "--- FAIL: TestA (0.0s)", Some(0), TestOutcome::Fail)]
#[case("go test ./... 2>&1 | head -2", "ok  \ta\t0.1s\nok  \tb\t0.1s", Some(0), TestOutcome::Unknown)]
#[case("go test ./... 2>&1 | head -20", "ok  \ta\t0.1s\nok  \tb\t0.1s", Some(0), TestOutcome::Pass)]
#[case("bun run test | tail -3 && bun run lint", " 9 pass\n 0 fail\nall good", Some(0), TestOutcome::Pass)]
#[case(
    "bun test | tail -3 && bun run lint",
    " 9 pass\n 0 fail\nerror: script \"lint\" exited with code 1",
    Some(1),
    TestOutcome::Pass
)]
#[case("make test", "12 passed in 0.1s\nmake: *** [Makefile:3: test] Error 1", Some(2), TestOutcome::Error)]
#[case("pytest -q", "no summary", None, TestOutcome::Unknown)]
fn the_exit_code_decides_only_where_it_can(
    #[case] command: &str,
    #[case] output: &str,
    #[case] exit: Option<i32>,
    #[case] outcome: TestOutcome,
) {
    assert_eq!(ran(command, output, exit).unwrap().outcome, outcome);
}

#[rstest]
#[case::dotnet(
    "dotnet test",
    "/p/Tax.cs(3,5): error CS0103: The name 'rate' does not exist [/p/A.csproj]",
    TestOutcome::Error
)]
#[case::dotnet_chained(
    "cd p && dotnet test | tail -5; ls",
    "/p/Tax.cs(3,5): error CS0103: no 'rate' [/p/A.csproj]",
    TestOutcome::Error
)]
#[case::msbuild(
    "dotnet test",
    "MSBUILD : error MSB1003: Specify a project or solution file.",
    TestOutcome::Error
)]
#[case::go_and_one_that_ran(
    "go test ./...",
    "FAIL\ta [build failed]\n--- FAIL: TestB (0.0s)\nFAIL\tb\t0.1s\nFAIL",
    TestOutcome::Fail
)]
#[case::go_nothing("go test ./...", "?   \texample.com/a\t[no test files]", TestOutcome::Unknown)]
#[case::go_filter(
    "go test -run X ./a",
    "testing: warning: no tests to run\nPASS\nok  \ta\t0.1s [no tests to run]",
    TestOutcome::Unknown
)]
#[case::jest(
    "npx jest",
    "FAIL src/a.test.ts\n  ● Test suite failed to run\n\n    error TS2304: Cannot find name 'x'.\n\nTest Suites: 1 failed, 1 total\nTests:       0 total",
    TestOutcome::Error
)]
#[case::vitest(
    "npx vitest run",
    " FAIL  src/a.test.ts [ src/a.test.ts ]\nError: Failed to load url ./b\n Test Files  1 failed (1)\n      Tests  no tests",
    TestOutcome::Error
)]
#[case::mocha(
    "npx mocha",
    "TSError: ⨯ Unable to compile TypeScript:\nsrc/a.ts(1,1): error TS2304: no 'x'",
    TestOutcome::Error
)]
#[case::mocha_load(
    "npx mocha",
    "Error: Cannot find module './b'\nRequire stack:\n- /p/a.js",
    TestOutcome::Error
)]
#[case::compiled_first(
    "npm test",
    "> tsc && jest\n\nsrc/a.ts(3,5): error TS2304: Cannot find name 'x'.",
    TestOutcome::Error
)]
#[case::bun(
    "bun test",
    "error: Cannot find module './b'\n 0 pass\n 1 fail\n 1 error\nRan 1 test across 1 file.",
    TestOutcome::Error
)]
#[case::bun_ran_too("bun test", "(fail) a > b [1.2ms]\n 0 pass\n 2 fail\n 1 error", TestOutcome::Fail)]
#[case::unittest(
    "python -m unittest",
    "ERROR: test_a (unittest.loader._FailedTest.test_a)\nImportError: Failed to import test module\nRan 1 test in 0.0s\n\nFAILED (errors=1)",
    TestOutcome::Error
)]
#[case::unittest_ran_too(
    "python -m unittest",
    "ERROR: test_a (unittest.loader._FailedTest.test_a)\nFAIL: test_b (m.T.test_b)\nRan 2 tests in 0.0s\n\nFAILED (failures=1, errors=1)",
    TestOutcome::Fail
)]
#[case::maven(
    "mvn test",
    "[ERROR] COMPILATION ERROR :\n[ERROR] /p/A.java:[3,5] cannot find symbol\n[INFO] BUILD FAILURE",
    TestOutcome::Error
)]
#[case::gradle(
    "./gradlew test",
    "> Task :compileTestJava FAILED\nExecution failed for task ':compileTestJava'.\nBUILD FAILED in 2s",
    TestOutcome::Error
)]
#[case::nextest(
    "cargo nextest run",
    "error[E0425]: cannot find value `x`\nerror: could not compile `a` (lib test) due to 1 previous error",
    TestOutcome::Error
)]
#[case::ctest(
    "ctest",
    "Could not find executable parse\n0% tests passed, 1 tests failed out of 1\n\nThe following tests FAILED:\n\t  1 - parse (Not Run)",
    TestOutcome::Error
)]
#[case::ctest_none("ctest", "No tests were found!!!", TestOutcome::Unknown)]
#[case::make(
    "make test",
    "cc -c a.c\na.c:3:5: error: 'x' undeclared\nmake: *** [Makefile:3: a.o] Error 1",
    TestOutcome::Error
)]
#[case::ninja(
    "ninja test",
    "FAILED: a.o\na.c:3:5: error: 'x' undeclared\nninja: build stopped: subcommand failed.",
    TestOutcome::Error
)]
#[case::rspec(
    "rspec",
    "An error occurred while loading ./spec/a_spec.rb.\n\n0 examples, 0 failures, 1 error occurred outside of examples",
    TestOutcome::Error
)]
#[case::phpunit(
    "vendor/bin/phpunit",
    "PHP Parse error:  syntax error, unexpected '}' in a.php on line 3",
    TestOutcome::Error
)]
#[case::phpunit_none("vendor/bin/phpunit", "No tests executed!", TestOutcome::Unknown)]
#[case::tox(
    "tox",
    "py311: could not install deps [pytest]; v = InvocationError\n  py311: FAIL code 1\n  evaluation failed :( (1.3 seconds)",
    TestOutcome::Error
)]
#[case::mix(
    "mix test",
    "== Compilation error in file lib/a.ex ==\n** (SyntaxError) lib/a.ex:3",
    TestOutcome::Error
)]
#[case::sbt("sbt test", "[error] (Test / compileIncremental) Compilation failed", TestOutcome::Error)]
#[case::zig(
    "zig build test",
    "a.zig:3:5: error: use of undeclared identifier 'x'\nBuild Summary: 1/3 steps succeeded; 1 failed",
    TestOutcome::Error
)]
#[case::flutter(
    "flutter test",
    "00:01 +0 -1: loading /p/test/a_test.dart [E]\n00:01 +0 -1: Some tests failed.",
    TestOutcome::Error
)]
#[case::xcode(
    "xcodebuild test -scheme A",
    "Testing failed:\n\tTesting cancelled because the build failed.\n\n** TEST FAILED **",
    TestOutcome::Error
)]
#[case::swift("swift test", "/p/a.swift:3:5: error: cannot find 'x' in scope", TestOutcome::Error)]
#[case::bazel(
    "bazel test //...",
    "ERROR: Build did NOT complete successfully\nExecuted 0 out of 1 test: 1 fails to build.",
    TestOutcome::Error
)]
#[case::deno(
    "deno test",
    "error: TS2304 [ERROR]: Cannot find name 'x'.\n\nerror: Type checking failed.",
    TestOutcome::Error
)]
fn a_build_that_ran_no_test_neither_failed_nor_passed(
    #[case] command: &str,
    #[case] output: &str,
    #[case] outcome: TestOutcome,
) {
    for exit in [Some(1), None, Some(0)] {
        let told = ran(command, output, exit).unwrap().outcome;
        // A runner that ends well and says nothing of failure is believed.
        let believed = exit == Some(0) && told == TestOutcome::Pass && outcome::never_built(output);
        let silent = exit.is_none() && told == TestOutcome::Unknown && outcome::never_built(output);
        assert!(told == outcome || believed || silent, "{exit:?}: {told:?}");
    }
}

#[test]
fn a_script_is_a_run_only_when_its_output_says_so() {
    assert!(ran("python test_parse.py", "parsed", Some(0)).is_none());
    assert_eq!(
        ran("python test_parse.py", "Ran 1 test in 0.0s\n\nOK", Some(0)).unwrap().outcome,
        TestOutcome::Pass
    );
    assert_eq!(
        ran("./run-tests.sh", "2 failed, 3 passed in 0.10s", Some(1)).unwrap().outcome,
        TestOutcome::Fail
    );
}

#[test]
fn a_call_that_was_refused_or_is_pending_is_no_run() {
    assert!(ran("pytest", "The user doesn't want to proceed with this tool use.", None).is_none());
}

proptest::proptest! {
    #[test]
    fn no_output_panics(output in "\\PC{0,300}", command in "\\PC{0,60}") {
        let _ = ran(&command, &output, Some(1));
    }
}

#[rstest]
#[case("cargo insta test --review")]
#[case("terraform test")]
#[case("helm unittest charts/app")]
#[case("molecule test")]
#[case("hatch run test")]
#[case("pixi run tests")]
#[case("pytest-3 -q")]
#[case("clj -X:test")]
#[case("pwsh -Command Invoke-Pester tests")]
#[case("npx tsd")]
fn less_common_runners_are_known(#[case] command: &str) {
    let uses = [Invocation::shell(std::borrow::Cow::Borrowed(command), 1)];
    assert!(read_each(&uses)[0].is_test, "{command}");
}
