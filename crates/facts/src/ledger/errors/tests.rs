use super::*;
use rstest::rstest;

fn read(span: &[Numbered], invocations: &[Invocation<'_>], carry: &Carry) -> Vec<ErrorFact> {
    super::read(span, invocations, &crate::ledger::test_runs::read_each(invocations), carry)
}

fn invocation<'a>(tool: &'a str, command: Option<&'a str>, output: &'a str, seq: Seq) -> Invocation<'a> {
    Invocation {
        tool: Cow::Borrowed(tool),
        arguments: Cow::Borrowed(r#"{"file_path":"src/a.rs"}"#),
        command: command.map(Cow::Borrowed),
        cwd: None,
        output: Some(Cow::Borrowed(output)),
        exit_code: None,
        failed: None,
        call_seq: seq,
        result_seq: Some(seq + 1),
        parsed: std::cell::OnceCell::new(),
    }
}

fn of(command: &str, output: &str) -> Vec<ErrorFact> {
    read(&[], &[invocation("bash", Some(command), output, 1)], &Carry::default())
}

#[rstest]
#[case::python(
    "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nKeyError: 'x'",
    "KeyError",
    "'x'",
    Some("a.py:3")
)]
#[case::python_dotted(
    "django.db.utils.OperationalError: no such table: t",
    "django.db.utils.OperationalError",
    "no such table: t",
    None
)]
#[case::pytest("E   AssertionError: assert 1 == 2", "AssertionError", "assert 1 == 2", None)]
#[case::js(
    "TypeError: Cannot read properties of undefined (reading 'a')\n    at run (/app/a.js:3:7)",
    "TypeError",
    "Cannot read properties of undefined (reading 'a')",
    Some("/app/a.js:3:7")
)]
#[case::node(
    "Uncaught Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'",
    "Error",
    "Cannot find package 'x'",
    None
)]
#[case::ts(
    "src/a.ts(4,12): error TS2322: Type 'a' is not assignable to type 'b'.",
    "TS2322",
    "src/a.ts:4: Type 'a' is not assignable to type 'b'.",
    Some("src/a.ts:4")
)]
#[case::ts_pretty(
    "src/a.ts:4:12 - error TS2322: Type 'a'.",
    "TS2322",
    "src/a.ts:4: Type 'a'.",
    Some("src/a.ts:4")
)]
#[case::rust(
    "error[E0308]: mismatched types\n  --> src/a.rs:3:5\n",
    "E0308",
    "mismatched types",
    Some("src/a.rs:3:5")
)]
#[case::rust_panic(
    "thread 'main' panicked at src/a.rs:3:5:\nindex out of bounds",
    "panic",
    "index out of bounds",
    Some("src/a.rs:3:5")
)]
#[case::go("./a.go:12:3: undefined: foo", "go", "./a.go:12:3: undefined: foo", Some("./a.go:12"))]
#[case::go_panic(
    "panic: runtime error: index out of range",
    "panic",
    "runtime error: index out of range",
    None
)]
#[case::java(
    "Exception in thread \"main\" java.lang.NullPointerException: x is null",
    "java.lang.NullPointerException",
    "x is null",
    None
)]
#[case::javac(
    "App.java:12: error: cannot find symbol",
    "error",
    "App.java:12: cannot find symbol",
    Some("App.java:12")
)]
#[case::maven(
    "[ERROR] /app/App.java:[12,8] error: cannot find symbol",
    "error",
    "/app/App.java:12: cannot find symbol",
    Some("/app/App.java:12")
)]
#[case::c(
    "main.c:3:5: error: expected ';' before 'return'",
    "error",
    "main.c:3: expected ';' before 'return'",
    Some("main.c:3")
)]
#[case::csharp(
    "Program.cs(3,5): error CS1002: ; expected [/app/a.csproj]",
    "CS1002",
    "Program.cs:3: ; expected [/app/a.csproj]",
    Some("Program.cs:3")
)]
#[case::ruby(
    "a.rb:3:in `f': undefined method `x' for nil (NoMethodError)",
    "NoMethodError",
    "undefined method `x' for nil",
    Some("a.rb:3")
)]
#[case::php(
    "PHP Parse error:  syntax error, unexpected end of file in a.php on line 3",
    "Parse error",
    "syntax error, unexpected end of file in a.php on line 3",
    None
)]
#[case::flake8(
    "a/b.py:22:1: E402 module level import not at top of file",
    "E402",
    "a/b.py:22:1: E402 module level import not at top of file",
    Some("a/b.py:22")
)]
#[case::mypy("a.py:3: error: Incompatible types", "error", "a.py:3: Incompatible types", Some("a.py:3"))]
#[case::eslint(
    "/app/src/a.ts\n  3:5  error  'x' is not defined  no-undef",
    "eslint",
    "/app/src/a.ts:3: 'x' is not defined no-undef",
    Some("/app/src/a.ts:3")
)]
#[case::shell("bash: foo: command not found", "shell", "bash: foo: command not found", None)]
#[case::shell_line(
    "./x.sh: line 3: foo: command not found",
    "shell",
    "./x.sh: line 3: foo: command not found",
    None
)]
#[case::rm(
    "rm: cannot remove 'a': No such file or directory",
    "shell",
    "rm: cannot remove 'a': No such file or directory",
    None
)]
#[case::git("fatal: not a git repository", "git", "not a git repository", None)]
#[case::conflict(
    "CONFLICT (content): Merge conflict in a.rs",
    "git",
    "CONFLICT (content): Merge conflict in a.rs",
    None
)]
#[case::npm("npm error code ERESOLVE", "npm", "code ERESOLVE", None)]
#[case::pip(
    "ERROR: Could not find a version that satisfies the requirement x",
    "error",
    "Could not find a version that satisfies the requirement x",
    None
)]
#[case::curl(
    "curl: (22) The requested URL returned error: 404",
    "HTTP 404",
    "curl: (22) The requested URL returned error: 404",
    None
)]
#[case::sql("ERROR:  relation \"a\" does not exist", "sql", "relation \"a\" does not exist", None)]
#[case::linker(
    "/usr/bin/ld: a.o: undefined reference to `f'",
    "linker",
    "/usr/bin/ld: a.o: undefined reference to `f'",
    None
)]
#[case::python_syntax(
    "  File \"a.py\", line 4\n    x = = 1\n        ^\nSyntaxError: invalid syntax",
    "SyntaxError",
    "invalid syntax",
    Some("a.py:4")
)]
#[case::python_group(
    "ModuleNotFoundError: No module named 'requests'",
    "ModuleNotFoundError",
    "No module named 'requests'",
    None
)]
#[case::node_cjs(
    "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module './x'\nRequire stack:\n- /app/a.js",
    "Error",
    "Cannot find module './x'",
    None
)]
#[case::vite(
    "[vite]: Rollup failed to resolve import \"x\" from \"/app/src/a.ts\".",
    "vite",
    "Rollup failed to resolve import \"x\" from \"/app/src/a.ts\".",
    None
)]
#[case::vite_plugin(
    "✗ Build failed in 120ms\nerror during build:\nsrc/a.ts (3:9): \"b\" is not exported by \"src/c.ts\", imported by \"src/a.ts\".",
    "build",
    "src/a.ts (3:9): \"b\" is not exported by \"src/c.ts\", imported by \"src/a.ts\".",
    None
)]
#[case::esbuild("✘ [ERROR] Could not resolve \"react\"", "error", "Could not resolve \"react\"", None)]
#[case::webpack(
    "Module not found: Error: Can't resolve './x' in '/app/src'",
    "Module not found",
    "Error: Can't resolve './x' in '/app/src'",
    None
)]
#[case::rust_warn(
    "error: linking with `cc` failed: exit status: 1",
    "error",
    "linking with `cc` failed: exit status: 1",
    None
)]
#[case::go_missing(
    "main.go:4:2: no required module provides package github.com/x/y; to add it:",
    "go",
    "main.go:4:2: no required module provides package github.com/x/y; to add it:",
    Some("main.go:4")
)]
#[case::kotlin(
    "e: file:///app/src/A.kt:3:5 Unresolved reference: x",
    "kotlin",
    "e: file:///app/src/A.kt:3:5 Unresolved reference: x",
    Some("/app/src/A.kt:3")
)]
#[case::gradle(
    "Execution failed for task ':app:compileJava'.",
    "gradle",
    "Execution failed for task ':app:compileJava'.",
    None
)]
#[case::ghc(
    "a.hs:3:5: error: [GHC-88464]\n    Variable not in scope: foo",
    "GHC-88464",
    "Variable not in scope: foo",
    Some("a.hs:3")
)]
#[case::ghc_old(
    "src/A.hs:3:5-9: error:\n    Not in scope: foo",
    "error",
    "Not in scope: foo",
    Some("src/A.hs:3")
)]
#[case::lua(
    "lua: a.lua:3: attempt to call a nil value (global 'foo')",
    "lua",
    "attempt to call a nil value (global 'foo')",
    Some("a.lua:3")
)]
#[case::next_build(
    "./src/app/page.tsx:3:5\nType error: Cannot find name 'foo'.",
    "type",
    "Cannot find name 'foo'.",
    None
)]
#[case::swift(
    "/app/Sources/a.swift:3:5: error: cannot find 'x' in scope",
    "error",
    "/app/Sources/a.swift:3: cannot find 'x' in scope",
    Some("/app/Sources/a.swift:3")
)]
#[case::msbuild(
    "C:\\app\\a.cs(3,5): error CS0103: The name 'x' does not exist [C:\\app\\a.csproj]",
    "CS0103",
    "C:\\app\\a.cs:3: The name 'x' does not exist [C:\\app\\a.csproj]",
    Some("C:\\app\\a.cs:3")
)]
#[case::dotnet(
    "Unhandled exception. System.InvalidOperationException: Sequence contains no elements\n   at P.Main() in /app/P.cs:line 7",
    "System.InvalidOperationException",
    "Sequence contains no elements",
    Some("/app/P.cs:7")
)]
#[case::php_fatal(
    "PHP Fatal error:  Uncaught TypeError: f(): Argument #1 must be int in /app/a.php:3",
    "TypeError",
    "f(): Argument #1 must be int in /app/a.php:3",
    None
)]
#[case::elixir(
    "** (UndefinedFunctionError) function A.b/0 is undefined",
    "UndefinedFunctionError",
    "function A.b/0 is undefined",
    None
)]
#[case::docker(
    "ERROR: failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1",
    "error",
    "failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1",
    None
)]
#[case::docker_daemon(
    "Error response from daemon: No such container: web",
    "docker",
    "No such container: web",
    None
)]
#[case::docker_socket(
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
    "docker",
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
    None
)]
#[case::kubectl(
    "Error from server (NotFound): pods \"x\" not found",
    "kubectl",
    "pods \"x\" not found",
    None
)]
#[case::pip_build(
    "ERROR: ResolutionImpossible: for help visit https://pip.example",
    "error",
    "ResolutionImpossible: for help visit https://pip.example",
    None
)]
#[case::cargo(
    "error: could not find `Cargo.toml` in `/app` or any parent directory",
    "error",
    "could not find `Cargo.toml` in `/app` or any parent directory",
    None
)]
#[case::mysql(
    "ERROR 1064 (42000): You have an error in your SQL syntax",
    "sql",
    "ERROR 1064 (42000): You have an error in your SQL syntax",
    None
)]
#[case::sqlite("Error: in prepare, no such table: t", "Error", "in prepare, no such table: t", None)]
#[case::psql(
    "psql:a.sql:3: ERROR:  syntax error at or near \"x\"",
    "sql",
    "syntax error at or near \"x\"",
    None
)]
#[case::http("HTTP/1.1 503 Service Unavailable", "HTTP 503", "HTTP/1.1 503 Service Unavailable", None)]
#[case::powershell(
    "Get-Content : Cannot find path 'C:\\app\\x' because it does not exist.",
    "shell",
    "Get-Content : Cannot find path 'C:\\app\\x' because it does not exist.",
    None
)]
#[case::cmd(
    "'foo' is not recognized as an internal or external command,",
    "shell",
    "'foo' is not recognized as an internal or external command,",
    None
)]
#[case::zsh("zsh: command not found: foo", "shell", "zsh: command not found: foo", None)]
#[case::sh_not_found("sh: 1: foo: not found", "shell", "sh: 1: foo: not found", None)]
#[case::lld(
    "ld: symbol(s) not found for architecture arm64",
    "linker",
    "ld: symbol(s) not found for architecture arm64",
    None
)]
#[case::ld_lld("ld.lld: error: undefined symbol: f", "linker", "ld.lld: error: undefined symbol: f", None)]
#[case::segv("Segmentation fault (core dumped)", "shell", "Segmentation fault (core dumped)", None)]
#[case::cmake(
    "CMake Error at CMakeLists.txt:3 (find_package):",
    "cmake",
    "CMake Error at CMakeLists.txt:3 (find_package):",
    Some("CMakeLists.txt:3")
)]
#[case::terraform("│ Error: Unsupported argument", "error", "Unsupported argument", None)]
#[case::german("Fehler: Datei nicht gefunden", "error", "Datei nicht gefunden", None)]
#[case::java_cause(
    "Caused by: java.io.IOException: Stream closed",
    "java.io.IOException",
    "Stream closed",
    None
)]
#[case::scala(
    "[error] /app/A.scala:3:5: not found: value x",
    "error",
    "/app/A.scala:3:5: not found: value x",
    Some("/app/A.scala:3")
)]
#[case::tsc_watch(
    "src/a.tsx:10:3 - error TS2741: Property 'b' is missing",
    "TS2741",
    "src/a.tsx:10: Property 'b' is missing",
    Some("src/a.tsx:10")
)]
#[case::eslint_unix(
    "/app/a.js:3:5: 'x' is assigned a value but never used. [Error/no-unused-vars]",
    "eslint",
    "/app/a.js:3:5: 'x' is assigned a value but never used. [Error/no-unused-vars]",
    Some("/app/a.js:3")
)]
#[case::zig(
    "src/a.zig:3:5: error: use of undeclared identifier 'x'",
    "error",
    "src/a.zig:3: use of undeclared identifier 'x'",
    Some("src/a.zig:3")
)]
#[case::dart(
    "lib/a.dart:3:5: Error: Undefined name 'x'.",
    "error",
    "lib/a.dart:3: Undefined name 'x'.",
    Some("lib/a.dart:3")
)]
fn each_family_gives_its_first_useful_line(
    #[case] output: &str,
    #[case] kind: &str,
    #[case] message: &str,
    #[case] location: Option<&str>,
) {
    let found = of("./run", output);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].kind.as_deref(), Some(kind));
    assert_eq!(found[0].message, message);
    assert_eq!(found[0].location.as_deref(), location);
    assert_eq!(found[0].seqs, [1, 2]);
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
    let read_tool = |output| read(&[], &[invocation("Read", None, output, 1)], &Carry::default());
    assert_eq!(read_tool("     1→TypeError: x\n     2→Error: y"), []);
    let failed = read_tool("<tool_use_error>File does not exist.</tool_use_error>");
    assert_eq!(
        (failed[0].kind.as_deref(), failed[0].message.as_str()),
        (Some("tool_use_error"), "File does not exist.")
    );
}

#[test]
fn a_tool_that_answers_with_an_error_failed() {
    let answer = |output| read(&[], &[invocation("book_flight", None, output, 1)], &Carry::default());
    assert_eq!(answer("Error: seat 12A is taken")[0].message, "seat 12A is taken");
    assert_eq!(answer(r#"{"error": {"message": "no such order"}}"#)[0].message, "no such order");
    assert_eq!(answer(r#"{"status": "ok"}"#), []);
}

#[test]
fn the_same_work_done_with_success_resolves_an_error() {
    let found = read(
        &[],
        &[
            invocation("bash", Some("npm run check 2>&1 | tail -5"), "src/a.ts(1,1): error TS1: x", 1),
            invocation("bash", Some("cd app && npm run check"), "done", 3),
        ],
        &Carry::default(),
    );
    assert_eq!(found.len(), 1);
    assert!(found[0].resolution.is_some());
    assert_eq!(open(&found, &Carry::default()), []);
}

#[test]
fn an_error_of_an_earlier_span_is_resolved_later() {
    let first = of("cargo build", "error[E0308]: mismatched types");
    let carry = Carry { open_errors: open(&first, &Carry::default()), ..Carry::default() };
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
        &Carry::default(),
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
    let found = read(&[], &runs, &Carry::default());
    assert_eq!(found.len(), MAX_ERRORS);
    assert!(found.iter().any(|e| e.message.ends_with("the one")));
}

#[test]
fn a_person_who_pastes_an_exception_met_it() {
    use anchord_messages::message::{Message, Part};
    let span = [Numbered {
        seq: 1,
        message: Message {
            role: Role::User,
            name: None,
            parts: vec![Part::Text("I get this:\nTypeError: x is not a function\nerror: hmm".to_owned())],
        },
    }];
    let found = read(&span, &[], &Carry::default());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "x is not a function");
}

proptest::proptest! {
    #[test]
    fn no_output_panics(output in "\\PC{0,300}") {
        let _ = of("./run", &output);
    }
    #[test]
    fn no_error_like_output_panics(output in "(error|Error: |TypeError|é|fatal: |\\n|  File \"|, line 3|:|panicked at |thread 'a' |12:3 ){0,40}") {
        let _ = of("./run", &output);
    }
}
