use super::*;
use crate::ledger::tests::Talk;
use anchord_messages::message::Numbered;
use rstest::rstest;

fn read(span: &[Numbered], invocations: &[Invocation<'_>], carry: &LedgerState) -> Vec<ErrorFact> {
    super::read(&Reading::each(span), invocations, &crate::ledger::test_runs::read_each(invocations), carry)
}

fn invocation<'a>(tool: &'a str, command: Option<&'a str>, output: &'a str, seq: Seq) -> Invocation<'a> {
    Invocation {
        command: command.map(Cow::Borrowed),
        output: Some(Cow::Borrowed(output)),
        result_seq: Some(seq + 1),
        ..Invocation::pending(tool.into(), r#"{"file_path":"src/a.rs"}"#.into(), seq)
    }
}

fn of(command: &str, output: &str) -> Vec<ErrorFact> {
    read(&[], &[invocation("bash", Some(command), output, 1)], &LedgerState::default())
}

#[test]
fn an_error_has_its_kind_message_and_place_and_the_messages_that_show_it() {
    let found =
        of("./run", "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nKeyError: 'x'");
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((one.kind.as_deref(), one.message.as_str()), (Some("KeyError"), "'x'"));
    assert_eq!((one.location.as_deref(), one.seqs.as_slice()), (Some("a.py:3"), [1, 2].as_slice()));
}

#[test]
fn what_the_tests_of_a_run_that_passed_print_is_no_error() {
    let printed = "ValueError: planted by a test\n";
    assert!(of("cd app && pytest -q", &format!("{printed}3 passed in 0.1s")).is_empty());
    assert!(!of("pytest -q", &format!("{printed}1 failed, 2 passed in 0.1s")).is_empty());
    let passes = format!("{printed}3 passed in 0.1s");
    let fails = format!("{printed}KeyError: 'x'\n1 failed, 2 passed in 0.1s");
    let [pass, fail] = [&passes, &fails].map(|output| invocation("bash", Some("pytest -q"), output, 1));
    let commit = Invocation { command: Some("git commit -m x".into()), ..fail.clone() };
    let open = |uses: &[Invocation<'_>]| {
        let all = read(&[], uses, &LedgerState::default()).into_iter();
        all.filter(|error| error.resolution.is_none()).map(|error| error.message).collect::<Vec<_>>()
    };
    assert_eq!(open(&[pass.clone(), commit.clone()]), ["'x'"]);
    assert_eq!(open(&[commit, pass]), ["'x'"]);
    // A commit's hook runs them as well.
    let hook = format!("$ pytest -q\n{printed}3 passed in 0.1s\n[main 1a2b3c4] x");
    assert!(of("git commit -m x", &hook).is_empty());
    let earlier = LedgerState {
        open_errors: vec![
            ("planted by a test".to_owned(), "git commit -m x".to_owned()),
            ("broken".to_owned(), "git add a && git commit -m x".to_owned()),
        ],
        ..LedgerState::default()
    };
    let commit = invocation("bash", Some("git add a && git commit -m x"), &hook, 1);
    let told: Vec<_> = read(&[], &[commit], &earlier)
        .into_iter()
        .map(|one| (one.message, one.resolution.is_some()))
        .collect();
    assert_eq!(told, [("planted by a test".to_owned(), true), ("broken".to_owned(), true)]);
    let hook = format!("$ ruff check\n{printed}[main 1a2b3c4] x");
    assert!(!of("git commit -m x", &hook).is_empty());
    // The error may be of the other program.
    assert!(!of("./migrate; pytest -q", &format!("{printed}3 passed in 0.1s")).is_empty());
}

#[test]
fn of_a_failed_command_the_line_counts_that_says_why() {
    let failed = |output| Invocation { exit_code: Some(1), ..invocation("bash", Some("./check"), output, 1) };
    let told = |output| {
        let found = read(&[], &[failed(output)], &LedgerState::default());
        found.into_iter().map(|one| one.message).collect::<Vec<_>>()
    };
    assert_eq!(
        told("width  float64\nheight  float64\nwidth is float64, expected float16"),
        ["width is float64, expected float16"]
    );
    assert_eq!(told("width  float64\nheight  float64"), ["width float64"]);
}

#[rstest]
#[case("make", "0 errors, 0 warnings")]
#[case("make", "Found no errors.")]
#[case("pytest", "3 passed, 0 failed")]
#[case("./run", "ticket ERROR-123 was closed")]
#[case("./run", "error_count = 3")]
#[case("./run", "class ValueErrorHandler:")]
#[case("./run", "DeprecationWarning: old")]
#[case("cat a.py", "ValueError: in a docstring")]
#[case("grep -rn Error src", "src/a.go:12:3: return Error")]
#[case("git diff", "error: this line was removed")]
#[case("git log", "fix: TypeError: x")]
#[case("./run", "Errors: 0, Warnings: 2")]
#[case("./run", "test error_is_shown ... ok")]
#[case("./run", "  ✓ throws an Error when empty (3 ms)")]
#[case("./run", "PASS src/error.test.ts")]
#[case("npm test", "✔ returns error: not found for missing users (1.2ms)")]
#[case("./run", "Failed: 0")]
#[case("./run", "failed: 0, errors: 0")]
#[case("go test ./...", "ok  \texample.com/errors\t0.01s")]
#[case("./run", "-- error handling is done in src/a.rs")]
#[case("cargo build", "   Compiling thiserror v1.0.0")]
#[case("./run", "compiled successfully with 0 errors")]
#[case("./run", "| error | the message | string |")]
#[case("sed -n 1,9p a.rs", "error: x\n  --> src/a.rs:1:1")]
#[case("awk '{print}' log.txt", "Error: x")]
#[case("Get-Content app.log", "TypeError: x")]
#[case("Select-String -Pattern Error app.log", "app.log:3:Error: x")]
#[case("git stash list && git show HEAD", "+error: x")]
fn words_alone_are_no_error(#[case] command: &str, #[case] output: &str) {
    assert_eq!(of(command, output), []);
}

#[test]
fn a_file_that_was_read_holds_no_error_and_a_failed_read_is_one() {
    let read_tool = |output| read(&[], &[invocation("Read", None, output, 1)], &LedgerState::default());
    assert_eq!(read_tool("     1→TypeError: x\n     2→Error: y"), []);
    let failed = read_tool("<tool_use_error>File does not exist.</tool_use_error>");
    assert_eq!(
        (failed[0].kind.as_deref(), failed[0].message.as_str()),
        (Some("tool_use_error"), "File does not exist.")
    );
}

#[test]
fn a_tool_that_answers_with_an_error_failed() {
    let answer = |output| read(&[], &[invocation("book_flight", None, output, 1)], &LedgerState::default());
    assert_eq!(answer("Error: seat 12A is taken")[0].message, "seat 12A is taken");
    assert_eq!(answer(r#"{"error": {"message": "no such order"}}"#)[0].message, "no such order");
    assert_eq!(answer(r#"{"status": "ok"}"#), []);
}

#[test]
fn a_call_that_its_harness_blocked_is_no_error() {
    assert_eq!(
        of("sleep 90", "<tool_use_error>Blocked: sleep 90. Use Monitor to wait.</tool_use_error>"),
        []
    );
}

#[test]
fn the_same_work_done_with_success_resolves_an_error() {
    let found = read(
        &[],
        &[
            invocation("bash", Some("npm run check 2>&1 | tail -5"), "src/a.ts(1,1): error TS1: x", 1),
            invocation("bash", Some("cd app && npm run check"), "done", 3),
        ],
        &LedgerState::default(),
    );
    assert_eq!(found.len(), 1);
    assert!(found[0].resolution.is_some());
    assert_eq!(open(&found, &LedgerState::default()), []);
}

#[test]
fn an_error_of_an_earlier_span_is_resolved_later() {
    let first = of("cargo build", "error[E0308]: mismatched types");
    let carry = LedgerState { open_errors: open(&first, &LedgerState::default()), ..LedgerState::default() };
    assert_eq!(carry.open_errors.len(), 1);
    let second = read(&[], &[invocation("bash", Some("cargo build"), "Finished", 9)], &carry);
    assert_eq!((second[0].message.as_str(), second[0].count), ("mismatched types", 0));
    assert!(second[0].resolution.is_some());
    assert_eq!(open(&second, &carry), []);
}

#[test]
fn an_error_met_again_is_one_entry_with_a_count() {
    let found = read(
        &[],
        &[
            invocation("bash", Some("./a"), "TypeError: x", 1),
            invocation("bash", Some("./b"), "TypeError:  x", 3),
        ],
        &LedgerState::default(),
    );
    assert_eq!((found.len(), found[0].count, found[0].seqs.len()), (1, 2, 4));
}

#[test]
fn a_flood_of_errors_keeps_the_most_specific() {
    let mut output = (0..190).map(|n| format!("error: vague {n}")).collect::<Vec<_>>().join("\n");
    output.push('\n');
    output.push_str("src/a.ts(1,1): error TS2322: the one\n");
    let many: Vec<String> = (0..5).map(|n| output.replace("vague", &format!("vague{n}"))).collect();
    let runs: Vec<Invocation<'_>> =
        many.iter().zip(0..).map(|(o, n)| invocation("bash", Some("./a"), o, n * 2)).collect();
    let found = read(&[], &runs, &LedgerState::default());
    assert_eq!(found.len(), MAX_ERRORS);
    assert!(found.iter().any(|e| e.message.ends_with("the one")));
}

#[test]
fn a_person_who_pastes_an_exception_met_it() {
    let talk = Talk::new().user("I get this:\nTypeError: x is not a function\nerror: hmm");
    let found = read(talk.span(), &[], &LedgerState::default());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "x is not a function");
}

proptest::proptest! {
    #[test]
    fn no_error_like_output_panics(output in "(error|Error: |TypeError|é|fatal: |\\n|  File \"|, line 3|:|panicked at |thread 'a' |12:3 ){0,40}") {
        let _ = of("./run", &output);
    }
}

#[rstest]
#[case("./deploy.sh", "error: authentication failed", "authentication failed")]
#[case("gh pr create", "error: authentication failed", "authentication failed")]
#[case("curl -s https://x.y/z", "error: authentication failed", "authentication failed")]
#[case(
    "redis-cli ping",
    "Could not connect to Redis at 127.0.0.1:6379: Connection refused",
    "Could not connect to Redis at 127.0.0.1:6379: Connection refused"
)]
#[case(
    "gh api user",
    "Could not connect to api.example.org: refused",
    "Could not connect to api.example.org: refused"
)]
#[case("./run", "starting\nCould not connect to db:5432: refused\n", "Could not connect to db:5432: refused")]
#[case(
    "psql -h db",
    "Authentication failed: the key has expired",
    "Authentication failed: the key has expired"
)]
fn a_refusal_is_an_error_without_an_exit_code(
    #[case] command: &str,
    #[case] output: &str,
    #[case] message: &str,
) {
    let told: Vec<String> = of(command, output).into_iter().map(|error| error.message).collect();
    assert_eq!(told, [message]);
}

#[rstest]
#[case("cat app.log", "Could not connect to db:5432: refused")]
#[case("curl -s https://x.y/z.html", &format!("{}\nerror: authentication failed", "<p>page</p>\n".repeat(100)))]
fn a_refusal_that_was_shown_is_no_error(#[case] command: &str, #[case] output: &str) {
    assert_eq!(of(command, output), []);
}

#[rstest]
#[case(
    "cargo test --test ring",
    "cargo test",
    "running 6 tests\ntest result: ok. 6 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
    true
)]
#[case(
    "git mv a b && cargo test 2>&1 | head -12",
    "cargo test",
    "running 6 tests\ntest result: ok. 6 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
    true
)]
#[case(
    "cargo test --test ring",
    "cargo test --test drops",
    "running 6 tests\ntest result: ok. 6 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
    false
)]
#[case(
    "cargo test",
    "cargo test ring",
    "running 6 tests\ntest result: ok. 6 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
    false
)]
#[case("pytest tests/a.py", "pytest -q", "6 passed in 0.1s", true)]
#[case("pytest a.py b.py", "pytest a.py", "6 passed in 0.1s", false)]
#[case(
    "cargo clippy && cargo test",
    "cargo test",
    "running 6 tests\ntest result: ok. 6 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
    false
)]
#[case("poetry run pytest -q", "pytest -q", "6 passed in 0.1s", true)]
#[case("bun run lint", "rtk bun run lint", "Checked 290 files. No fixes applied.", true)]
#[case("bun run lint", "bun run build", "Checked 290 files. No fixes applied.", false)]
#[case(
    "git rebase origin/main",
    "git rebase --continue",
    "Successfully rebased and updated refs/heads/x.",
    true
)]
fn a_run_that_does_at_least_as_much_resolves_what_another_showed(
    #[case] failing: &str,
    #[case] passing: &str,
    #[case] output: &str,
    #[case] is_resolved: bool,
) {
    let failure = "error[E0432]: unresolved import `a::b`\n --> src/a.rs:1:5";
    let span = [invocation("bash", Some(failing), failure, 1), invocation("bash", Some(passing), output, 3)];
    let found = read(&[], &span, &LedgerState::default());
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(one.resolution.is_some(), is_resolved, "{one:?}");
    let carry = LedgerState {
        open_errors: vec![(one.message.clone(), failing.to_owned())],
        ..LedgerState::default()
    };
    let later = read(&[], &span[1..], &carry);
    assert_eq!(later.iter().any(|error| error.resolution.is_some()), is_resolved, "{later:?}");
}
