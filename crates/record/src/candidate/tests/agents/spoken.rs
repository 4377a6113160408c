//! Agents whose calls stand in what they say, and those of few tools.

use super::*;

#[test]
fn mini_swe_agent() {
    let shown = |code: i32, output: &str| {
        says("user", &format!("<returncode>{code}</returncode>\n<output>\n{output}\n</output>"))
    };
    let told = told(&json!([
        says("system", "You are a helpful assistant that can interact with a computer."),
        says("user", "<pr_description>\nNegative zero is printed as -0.\n</pr_description>\nSolve it."),
        says(
            "assistant",
            "THOUGHT: look\n\n```bash\ncd /testbed && grep -rn \"fmt_zero\" lib/ && cat lib/format.rb\n```"
        ),
        shown(0, "lib/format.rb:3:def fmt_zero(x)"),
        says(
            "assistant",
            "THOUGHT: test it\n\n```bash\ncd /testbed && bundle exec rspec spec/format_spec.rb\n```"
        ),
        shown(
            1,
            "Failures:\n\n  1) Format prints zero\n     NoMethodError:\n       undefined method `fmt' for nil:NilClass\n\n2 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/format_spec.rb:4 # Format prints zero"
        ),
        says(
            "assistant",
            "THOUGHT: fix\n\n```bash\ncd /testbed && sed -i 's/-0/0/' lib/format.rb && cat <<'EOF' > repro.rb\nputs fmt_zero(-0.0)\nEOF\n```"
        ),
        shown(0, ""),
        says(
            "assistant",
            "THOUGHT: again\n\n```bash\ncd /testbed && bundle exec rspec spec/format_spec.rb\n```"
        ),
        shown(0, "2 examples, 0 failures"),
        says(
            "assistant",
            "THOUGHT: clean up and hand in\n\n```bash\ncd /testbed && rm repro.rb && echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached\n```"
        ),
        says(
            "user",
            "diff --git a/lib/format.rb b/lib/format.rb\n--- a/lib/format.rb\n+++ b/lib/format.rb\n@@ -3 +3 @@\n-  \"-0\"\n+  \"0\"\n"
        )
    ]));
    assert_eq!(told.files, ["modified lib/format.rb", "deleted repro.rb"]);
    assert_eq!(told.runs, ["Fail 1/1", "Pass 2/0"]);
    assert!(told.errors.iter().all(|e| e.starts_with("resolved: ")), "{:?}", told.errors);
}

#[test]
fn pi() {
    let told = told(&session(
        "Current working directory: /home/ola/chess\n\nLet the clock pause when the game does.",
        &[
            ("read", json!({"path": "src/clock.ts"}), "export class Clock {}"),
            (
                "read",
                json!({"path": "src/missing.ts"}),
                "ENOENT: no such file or directory, access '/home/ola/chess/src/missing.ts'",
            ),
            (
                "edit",
                json!({"path": "src/clock.ts", "oldText": "tick() {}", "newText": "tick() {}\n  pause() { this.running = false; }"}),
                "Successfully replaced text in src/clock.ts.",
            ),
            (
                "edit",
                json!({"path": "src/board.ts", "oldText": "move(a)", "newText": "move(b)"}),
                "Could not find the exact text in src/board.ts. The old text must match exactly including all whitespace and newlines.",
            ),
            (
                "write",
                json!({"path": "test/clock.test.ts", "content": "test('pause', () => {});\n"}),
                "Successfully wrote 25 bytes to test/clock.test.ts",
            ),
            (
                "bash",
                json!({"command": "npx vitest run"}),
                " FAIL  test/clock.test.ts > pause\nTypeError: clock.pause is not a function\n Test Files  1 failed (1)\n      Tests  1 failed | 4 passed (5)\n\n\nCommand exited with code 1",
            ),
            (
                "edit",
                json!({"path": "/home/ola/chess/src/clock.ts", "oldText": "false; }", "newText": "false; this.left = 0; }"}),
                "Successfully replaced text in /home/ola/chess/src/clock.ts.",
            ),
            (
                "bash",
                json!({"command": "npx vitest run"}),
                " Test Files  1 passed (1)\n      Tests  5 passed (5)\n",
            ),
            (
                "bash",
                json!({"command": "git mv src/timer.ts src/legacy-timer.ts && rm notes.md"}),
                "(no output)",
            ),
        ],
    ));
    assert_eq!(
        told.files,
        [
            "modified /home/ola/chess/src/clock.ts",
            "created test/clock.test.ts",
            "renamed src/timer.ts → src/legacy-timer.ts",
            "deleted notes.md"
        ]
    );
    assert_eq!(told.runs, ["Fail 4/1", "Pass 5/0"]);
    assert!(
        told.errors.iter().any(|e| e.starts_with("resolved: ") && e.contains("clock.pause")),
        "{:?}",
        told.errors
    );
}

#[test]
fn aider() {
    let console = |text: &str| json!({"role": "user", "name": "aider", "content": text});
    let told = told(&json!([
        console(
            "> Aider v0.80.0  \n> Main model: gpt-4o with diff edit format  \n> Git repo: .git with 12 files  "
        ),
        says("user", "/add src/queue.py"),
        console("> Added src/queue.py to the chat  "),
        says("user", "Drop jobs that are older than an hour."),
        says(
            "assistant",
            "I will drop them when the queue is read.\n\nsrc/queue.py\n```python\n<<<<<<< SEARCH\ndef pop(self):\n    return self.jobs.pop()\n=======\ndef pop(self):\n    self.drop_old()\n    return self.jobs.pop()\n\ndef drop_old(self):\n    self.jobs = [j for j in self.jobs if j.age < HOUR]\n>>>>>>> REPLACE\n```\n\ntests/test_queue.py\n```python\n<<<<<<< SEARCH\n=======\ndef test_old():\n    assert True\n>>>>>>> REPLACE\n```\n\nsrc/other.py\n```python\n<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n```"
        ),
        console(
            "> Tokens: 2.1k sent, 310 received.  \n> tests/test_queue.py  \n> Allow creation of new file tests/test_queue.py? (Y)es/(N)o [Yes]: y  \n> Applied edit to src/queue.py  \n> Applied edit to tests/test_queue.py  \n> Did not apply edit to src/other.py (--dry-run)  \n> Commit 1a2b3c4 feat: drop old jobs  "
        ),
        says("user", "/test pytest -q"),
        console(
            "> NameError: name 'HOUR' is not defined  \n> FAILED tests/test_queue.py::test_old - NameError: name 'HOUR' is not defined  \n> 1 failed, 3 passed in 0.10s  "
        ),
        says(
            "assistant",
            "The constant is missing.\n\nsrc/queue.py\n```python\n<<<<<<< SEARCH\nimport time\n=======\nimport time\n\nHOUR = 3600\n>>>>>>> REPLACE\n```"
        ),
        console("> Applied edit to src/queue.py  \n> Commit 5d6e7f8 fix: name the hour  "),
        says("user", "/test pytest -q"),
        console("> 4 passed in 0.09s  "),
        says("assistant", "Jobs older than an hour are dropped now.")
    ]));
    let files: Vec<&str> = told.files.iter().map(String::as_str).collect();
    assert!(files.contains(&"modified src/queue.py"), "{files:?}");
    assert!(files.iter().any(|f| f.ends_with("tests/test_queue.py")), "{files:?}");
    assert!(!files.iter().any(|f| f.contains("other.py")), "{files:?}");
    let queue = told.record.files_modified.iter().find(|f| f.path == "src/queue.py").unwrap();
    let changes = queue.changes.join("; ");
    assert!(changes.contains("drop_old") && changes.contains("HOUR"), "{changes}");
    assert_eq!(told.commands, ["pytest -q", "pytest -q"]);
    assert_eq!(told.runs, ["Fail 3/1", "Pass 4/0"]);
    assert!(told.errors.iter().all(|e| e.starts_with("resolved: ")), "{:?}", told.errors);
    assert!(told.record.session_intent.contains("older than an hour"), "{}", told.record.session_intent);
}

#[test]
fn swe_agent() {
    let prompt = |file: &str| format!("\n(Open file: {file})\n(Current directory: /repo)\nbash-$");
    let with = |text: &str, file: &str| format!("{text}{}", prompt(file));
    let told = told(&session(
        "We're currently solving the following issue: Dates before 1970 are printed as zero.",
        &[
            (
                "create",
                json!({"filename": "reproduce.py"}),
                &with("[File: reproduce.py (1 lines total)]\n1:", "/repo/reproduce.py"),
            ),
            (
                "insert",
                json!({"text": "from dates import show\nprint(show(-1))"}),
                &with(
                    "[File: /repo/reproduce.py (2 lines total)]\n1:from dates import show",
                    "/repo/reproduce.py",
                ),
            ),
            (
                "bash",
                json!({"command": "python reproduce.py"}),
                &with(
                    "Traceback (most recent call last):\n  File \"/repo/reproduce.py\", line 2, in <module>\nValueError: year is out of range",
                    "/repo/reproduce.py",
                ),
            ),
            (
                "find_file",
                json!({"file_name": "dates.py"}),
                &with("Found 1 matches for \"dates.py\" in /repo:\n/repo/src/dates.py", "/repo/reproduce.py"),
            ),
            (
                "open",
                json!({"path": "src/dates.py", "line_number": 3}),
                &with("[File: src/dates.py (40 lines total)]\n3:def show(n):", "/repo/src/dates.py"),
            ),
            (
                "edit",
                json!({"search": "def show(n):", "replace": "def show(n"}),
                &with(
                    "Your proposed edit has introduced new syntax error(s). Please read this error message carefully and then retry editing the file.",
                    "/repo/src/dates.py",
                ),
            ),
            (
                "edit",
                json!({"search": "max(n, 0)", "replace": "shifted(n)"}),
                &with(
                    "Text replaced. Please review the changes and make sure they are correct.\n[File: /repo/src/dates.py (40 lines total)]",
                    "/repo/src/dates.py",
                ),
            ),
            (
                "open",
                json!({"path": "README.md"}),
                &with("[File: README.md (4 lines total)]\n1:# dates", "/repo/README.md"),
            ),
            ("bash", json!({"command": "python reproduce.py"}), &with("1969-12-31", "/repo/README.md")),
            (
                "bash",
                json!({"command": "python -m pytest tests"}),
                &with("6 passed in 0.30s", "/repo/README.md"),
            ),
            (
                "bash",
                json!({"command": "rm reproduce.py"}),
                &with("Your command ran successfully and did not produce any output.", "/repo/README.md"),
            ),
            (
                "submit",
                json!({}),
                "\ndiff --git a/src/dates.py b/src/dates.py\n--- a/src/dates.py\n+++ b/src/dates.py\n@@ -3 +3 @@\n-max(n, 0)\n+shifted(n)\n",
            ),
        ],
    ));
    assert_eq!(
        told.files.iter().filter(|f| !f.contains("reproduce.py")).collect::<Vec<_>>(),
        ["modified /repo/src/dates.py", "read README.md"]
    );
    assert!(
        told.files.iter().filter(|f| f.contains("reproduce.py")).all(|f| f.starts_with("deleted ")),
        "{:?}",
        told.files
    );
    assert_eq!(told.runs, ["Pass 6/0"]);
    assert!(
        told.errors.iter().any(|e| e.starts_with("resolved: ") && e.contains("year is out of range")),
        "{:?}",
        told.errors
    );
}
