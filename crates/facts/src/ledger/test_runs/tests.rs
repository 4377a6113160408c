use super::*;
use rstest::rstest;

fn ran(command: &str, output: &str, exit_code: Option<i32>) -> Option<TestRunFact> {
    let invocation = Invocation {
        output: Some(output.into()),
        exit_code,
        result_seq: Some(5),
        ..Invocation::shell(command.into(), 4)
    };
    facts(read_each(&[invocation])).pop()
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
#[case("git commit -m x", "$ bun test src/\nerror: planted\n 9 pass\n 0 fail\n$ tsc --noEmit\n[main 1a2b3c4] x", Some(("bun test src/", TestOutcome::Pass)))]
#[case("git add a && git commit -m x 2>&1", "$ bun test src/\n 7 pass\n 2 fail\n", Some(("bun test src/", TestOutcome::Fail)))]
#[case("npm run ci", "> app@1.0.0 ci\n> vitest run\n\n      Tests  3 passed (3)\n", Some(("vitest run", TestOutcome::Pass)))]
#[case("git commit -m x", "$ eslint .\n[main 1a2b3c4] x", None)]
#[case("cat notes.md", "$ bun test src/\n 9 pass\n 0 fail", None)]
#[case("git log", "$ bun test src/\n 9 pass\n 0 fail", None)]
fn a_hook_runs_tests(
    #[case] command: &str,
    #[case] output: &str,
    #[case] expected: Option<(&str, TestOutcome)>,
) {
    let run = ran(command, output, None);
    assert_eq!(run.as_ref().map(|run| (run.command.as_str(), run.outcome)), expected);
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
        let believed = exit == Some(0) && told == TestOutcome::Pass && outcome::says(Means::NotBuilt, output);
        let silent = exit.is_none() && told == TestOutcome::Unknown && outcome::says(Means::NotBuilt, output);
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

#[rstest]
#[case("go test -c")]
#[case("go test -c -o /tmp/a.test ./a")]
#[case("cd a && go test -c ./b")]
#[case("cargo test --no-run")]
fn tests_that_are_only_built_are_no_run(#[case] command: &str) {
    assert_eq!(ran(command, "", Some(0)), None);
}

#[rstest]
#[case::around(
    "cargo test",
    "test result: ok. 1 passed; 0 failed; 0 ignored\nerror: test failed, to rerun pass `--doc`"
)]
#[case::not_loaded(
    "npx jest",
    "FAIL src/a.test.ts\n  ● Test suite failed to run\n\nTests:       1 passed, 1 total"
)]
fn a_run_that_broke_does_not_count_no_failures(#[case] command: &str, #[case] output: &str) {
    let run = ran(command, output, Some(1)).unwrap();
    assert!(matches!(run.outcome, TestOutcome::Fail | TestOutcome::Error));
    assert_eq!((run.passed, run.failed), (Some(1), None));
}
