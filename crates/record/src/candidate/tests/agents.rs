//! Whole sessions as agents log them, read from their JSON to the record.

mod spoken;

use serde_json::{Value, json};

use super::super::chain::Chain;
use super::*;
use crate::summary::ErrorStatus;
use anchord_messages::format;

/// What one session comes to, as lines.
struct Told {
    files: Vec<String>,
    commands: Vec<String>,
    runs: Vec<String>,
    errors: Vec<String>,
    record: Summary,
}

/// Compresses a session of OpenAI chat messages.
fn told(messages: &Value) -> Told {
    let messages = messages.as_array().unwrap();
    let messages = messages.iter();
    let read_in = |raw: &Value| format::parse(format::Format::OpenaiChat, &raw.to_string()).unwrap();
    let chain = Chain::within(render::DEFAULT_BOUND_TOKENS).of_large_spans();
    let material = chain.material(messages.map(read_in).collect());
    let facts = read(&material);
    let checked = check(&material, &facts, draft(&material, &facts));
    assert!(checked.is_accepted(), "{:?} {:?}", checked.refusals, failed(&checked));
    let record = checked.summary;
    let changed = record.files_modified.iter().map(|file| match &file.renamed_from {
        Some(from) => format!("renamed {from} → {}", file.path),
        None => format!("{} {}", file.action.as_str(), file.path),
    });
    let commands = facts.commands.iter().map(|run| match (run.exit_code, run.failed) {
        (Some(code), _) => format!("{} = {code}", run.command),
        (None, Some(true)) => format!("{} failed", run.command),
        (None, _) => run.command.clone(),
    });
    let count = |n: Option<u32>| n.map_or("?".to_owned(), |n| n.to_string());
    let runs = facts
        .test_runs
        .iter()
        .map(|run| format!("{:?} {}/{}", run.outcome, count(run.passed), count(run.failed)));
    let errors = record.errors.iter().map(|error| {
        let state = if error.status == ErrorStatus::Resolved { "resolved" } else { "open" };
        format!("{state}: {}", error.message)
    });
    let read_only = record.files_read.iter().map(|file| format!("read {}", file.path));
    Told {
        files: changed.chain(read_only).collect(),
        commands: commands.collect(),
        runs: runs.collect(),
        errors: errors.collect(),
        record: record.clone(),
    }
}

fn says(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

/// Calls with their results, each pair as two messages.
fn uses(calls: &[(&str, Value, &str)]) -> Vec<Value> {
    let pair = |(at, (tool, arguments, output)): (usize, &(&str, Value, &str))| {
        let id = format!("call_{at}");
        let function = json!({"name": tool, "arguments": arguments.to_string()});
        [
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": function}]}),
            json!({"role": "tool", "tool_call_id": id, "content": output}),
        ]
    };
    calls.iter().enumerate().flat_map(pair).collect()
}

fn session(task: &str, calls: &[(&str, Value, &str)]) -> Value {
    let mut all = vec![says("user", task)];
    all.extend(uses(calls));
    all.push(says("assistant", "The work is finished."));
    Value::Array(all)
}

#[test]
fn gemini_cli() {
    let told = told(&session(
        "Make the parser accept empty headers.",
        &[
            (
                "read_file",
                json!({"absolute_path": "/home/kim/httpd/src/parser.ts"}),
                "export function parse() {}",
            ),
            (
                "run_shell_command",
                json!({"command": "npm test", "description": "Run the tests"}),
                "Command: npm test\nDirectory: (root)\nOutput: Tests:       1 failed, 7 passed, 8 total\nError: (none)\nExit Code: 1\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 4211",
            ),
            (
                "replace",
                json!({"file_path": "/home/kim/httpd/src/parser.ts", "instruction": "Accept empty headers", "old_string": "parse() {}", "new_string": "parse() { return null }"}),
                "Successfully modified file: /home/kim/httpd/src/parser.ts (1 replacements).",
            ),
            (
                "replace",
                json!({"file_path": "/home/kim/httpd/src/lexer.ts", "old_string": "x", "new_string": "y"}),
                "Failed to edit, 0 occurrences found for old_string in /home/kim/httpd/src/lexer.ts. No edits made.",
            ),
            (
                "write_file",
                json!({"file_path": "/home/kim/httpd/test/empty.test.ts", "content": "test('empty', () => {})"}),
                "Successfully created and wrote to new file: /home/kim/httpd/test/empty.test.ts.",
            ),
            (
                "write_file",
                json!({"file_path": "/home/kim/httpd/README.md", "content": "# httpd"}),
                "Successfully overwrote file: /home/kim/httpd/README.md.",
            ),
            (
                "read_many_files",
                json!({"paths": ["docs/a.md", "docs/b.md"]}),
                "--- docs/a.md ---\na\n--- docs/b.md ---\nb",
            ),
            (
                "run_shell_command",
                json!({"command": "npm test", "description": "Run the tests"}),
                "Command: npm test\nDirectory: (root)\nOutput: Tests:       9 passed, 9 total\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 4219",
            ),
        ],
    ));
    assert_eq!(
        told.files,
        [
            "modified /home/kim/httpd/src/parser.ts",
            "created /home/kim/httpd/test/empty.test.ts",
            "modified /home/kim/httpd/README.md",
            "read docs/a.md",
            "read docs/b.md"
        ]
    );
    assert_eq!(told.commands, ["npm test = 1", "npm test = 0"]);
    assert_eq!(told.runs, ["Fail 7/1", "Pass 9/0"]);
}

#[test]
fn copilot_cli() {
    let told = told(&session(
        "Add a --json flag to the exporter.",
        &[
            ("report_intent", json!({"intent": "Adding flag"}), "Intent logged"),
            ("view", json!({"path": "/repo/exporter/cli.py"}), "1. import argparse"),
            (
                "view",
                json!({"path": "/repo/exporter"}),
                "The following files and directories are in /repo/exporter:\ncli.py",
            ),
            (
                "edit",
                json!({"path": "/repo/exporter/cli.py", "old_str": "p.parse_args()", "new_str": "p.add_argument('--json')\np.parse_args()"}),
                "File /repo/exporter/cli.py updated with changes.",
            ),
            (
                "create",
                json!({"path": "/repo/tests/test_json.py", "file_text": "def test_json():\n    assert True\n"}),
                "Created file /repo/tests/test_json.py with 40 characters",
            ),
            (
                "bash",
                json!({"command": "cd /repo && python -m pytest -q", "description": "Run tests", "sessionId": "main", "mode": "sync"}),
                "E   ModuleNotFoundError: No module named 'exporter.jsonout'\n1 failed, 3 passed in 0.21s\n<exited with exit code 1>",
            ),
            (
                "bash",
                json!({"command": "cd /repo && python -m pytest -q", "description": "Run tests", "sessionId": "main", "mode": "sync"}),
                "4 passed in 0.18s\n<exited with exit code 0>",
            ),
            ("edit", json!({"path": "/repo/setup.py", "old_str": "a", "new_str": "b"}), "No match found"),
            (
                "update_todo",
                json!({"todos": "- [x] add the flag\n- [x] test it\n- [ ] document the flag in the README"}),
                "TODO list updated",
            ),
        ],
    ));
    assert_eq!(told.files, ["modified /repo/exporter/cli.py", "created /repo/tests/test_json.py"]);
    assert_eq!(told.runs, ["Fail 3/1", "Pass 4/0"]);
    assert_eq!(told.errors, ["resolved: No module named 'exporter.jsonout'"]);
    assert_eq!(told.record.next_steps, ["document the flag in the README"]);
}

#[test]
fn cline() {
    let environment = "<environment_details>\n# VSCode Visible Files\nsrc/a.ts\n\n# Current Working Directory (/home/li/shop) Files\nsrc/\n</environment_details>";
    let told = told(&json!([
        says("user", &format!("<task>\nShow the price with two digits.\n</task>\n\n{environment}")),
        says(
            "assistant",
            "<thinking>look first</thinking>\n\n<read_file>\n<path>src/price.ts</path>\n</read_file>"
        ),
        says(
            "user",
            &format!(
                "[read_file for 'src/price.ts'] Result:\nexport const price = (n: number) => `${{n}}`;\n{environment}"
            )
        ),
        says(
            "assistant",
            "<replace_in_file>\n<path>src/price.ts</path>\n<diff>\n------- SEARCH\n`${n}`\n=======\nn.toFixed(2)\n+++++++ REPLACE\n</diff>\n</replace_in_file>"
        ),
        says(
            "user",
            &format!(
                "[replace_in_file for 'src/price.ts'] Result:\nThe content was successfully saved to src/price.ts.\n{environment}"
            )
        ),
        says(
            "assistant",
            "<write_to_file>\n<path>src/price.test.ts</path>\n<content>\ntest('price', () => {});\n</content>\n</write_to_file>"
        ),
        says(
            "user",
            &format!(
                "[write_to_file for 'src/price.test.ts'] Result:\nThe content was successfully saved to src/price.test.ts.\n{environment}"
            )
        ),
        says(
            "assistant",
            "<execute_command>\n<command>npx vitest run</command>\n<requires_approval>false</requires_approval>\n<task_progress>\n- [x] Round in price.ts\n- [ ] Round in the cart\n</task_progress>\n</execute_command>"
        ),
        says(
            "user",
            &format!(
                "[execute_command for 'npx vitest run'] Result:\nCommand executed.\nOutput:\n FAIL  src/price.test.ts > price\nTypeError: n.toFixed is not a function\n\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\n{environment}"
            )
        ),
        says(
            "assistant",
            "<write_to_file>\n<path>src/other.ts</path>\n<content>\nx\n</content>\n</write_to_file>"
        ),
        says(
            "user",
            &format!(
                "[write_to_file for 'src/other.ts'] Result:\nThe user denied this operation.\n{environment}"
            )
        ),
        says(
            "assistant",
            "<attempt_completion>\n<result>\nPrices have two digits now.\n</result>\n</attempt_completion>"
        )
    ]));
    assert_eq!(told.files, ["modified src/price.ts", "created src/price.test.ts"]);
    assert_eq!(told.commands, ["npx vitest run"]);
    assert_eq!(told.runs, ["Fail 2/1"]);
    assert_eq!(told.errors, ["open: n.toFixed is not a function"]);
    assert!(told.record.session_intent.contains("two digits"), "{}", told.record.session_intent);
    assert_eq!(told.record.next_steps, ["Round in the cart"]);
    assert!(told.record.current_state.text.contains("had ended its turn"), "{:?}", told.record.current_state);
}

#[test]
fn open_hands() {
    let done = |code: i32| {
        format!(
            "\n[The command completed with exit code {code}.]\n[Current working directory: /workspace/geo]\n[Python interpreter: /usr/bin/python]\n[Command finished with exit code {code}]"
        )
    };
    let told = told(&session(
        "Fix the distance of antipodal points.",
        &[
            (
                "execute_bash",
                json!({"command": "cd /workspace/geo && cargo test", "is_input": "false"}),
                &format!(
                    "error[E0599]: no method named `asinh` found for type `i32` in the current scope\n --> src/lib.rs:12:9\nerror: could not compile `geo`{}",
                    done(101)
                ),
            ),
            (
                "str_replace_editor",
                json!({"command": "view", "path": "/workspace/geo/src/lib.rs"}),
                "Here's the result of running `cat -n` on /workspace/geo/src/lib.rs:\n     1\tfn f() {}",
            ),
            (
                "str_replace_editor",
                json!({"command": "str_replace", "path": "/workspace/geo/src/lib.rs", "old_str": "i32", "new_str": "f64"}),
                "The file /workspace/geo/src/lib.rs has been edited. Here's the result of running `cat -n` on a snippet of /workspace/geo/src/lib.rs:\n     1\tfn f() {}\nReview the changes and make sure they are as expected.",
            ),
            (
                "str_replace_editor",
                json!({"command": "create", "path": "/workspace/geo/tests/poles.rs", "file_text": "#[test]\nfn poles() {}\n"}),
                "File created successfully at: /workspace/geo/tests/poles.rs",
            ),
            (
                "str_replace_editor",
                json!({"command": "str_replace", "path": "/workspace/geo/src/main.rs", "old_str": "q", "new_str": "r"}),
                "ERROR:\nNo replacement was performed, old_str `q` did not appear verbatim in /workspace/geo/src/main.rs.",
            ),
            (
                "execute_bash",
                json!({"command": "cd /workspace/geo && cargo test"}),
                &format!(
                    "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out{}",
                    done(0)
                ),
            ),
            ("execute_bash", json!({"command": "rm tests/poles.rs"}), &done(0)),
            (
                "task_tracker",
                json!({"command": "plan", "task_list": [{"id": "1", "title": "fix the unit", "status": "done"}, {"id": "2", "title": "write the changelog", "status": "todo"}]}),
                "Task list has been updated with 2 items.",
            ),
            ("think", json!({"thought": "I might delete src/lib.rs"}), "Your thought has been logged."),
        ],
    ));
    assert_eq!(told.files, ["modified /workspace/geo/src/lib.rs", "deleted /workspace/geo/tests/poles.rs"]);
    assert_eq!(told.commands.len(), 3);
    assert_eq!(told.runs, ["Error ?/?", "Pass 5/0"]);
    assert!(
        told.errors.iter().any(|e| e.starts_with("resolved: ") && e.contains("asinh")),
        "{:?}",
        told.errors
    );
    assert!(!told.errors.iter().any(|e| e.starts_with("open")), "{:?}", told.errors);
    assert_eq!(told.record.next_steps, ["write the changelog"]);
}

#[test]
fn codex() {
    let told = told(&session(
        "Make the build reproducible.",
        &[
            (
                "update_plan",
                json!({"explanation": "start", "plan": [{"step": "pin the toolchain", "status": "in_progress"}, {"step": "strip timestamps", "status": "pending"}]}),
                "Plan updated",
            ),
            (
                "shell",
                json!({"command": ["bash", "-lc", "sed -n '1,40p' build.go"], "workdir": "/src/tool"}),
                "{\"output\":\"package main\\n\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}",
            ),
            (
                "shell",
                json!({"command": ["bash", "-lc", "go test ./..."], "workdir": "/src/tool"}),
                "{\"output\":\"# tool\\n./build.go:14:2: undefined: stamp\\nFAIL\\ttool [build failed]\\nFAIL\\n\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":2.1}}",
            ),
            (
                "apply_patch",
                json!({"input": "*** Begin Patch\n*** Update File: build.go\n@@ func main() {\n-\tstamp()\n+\tprint(version)\n*** Add File: version.go\n+package main\n+\n+const version = \"1\"\n*** Delete File: stamp.sh\n*** End Patch"}),
                "{\"output\":\"Success. Updated the following files:\\nM build.go\\nA version.go\\nD stamp.sh\\n\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.0}}",
            ),
            (
                "exec_command",
                json!({"cmd": "go test ./...", "workdir": "/src/tool", "yield_time_ms": 1000}),
                "Chunk ID: 1f2e\nWall time: 1.9 seconds\nProcess exited with code 0\nOriginal token count: 20\nOutput:\nok  \ttool\t0.012s\n",
            ),
            (
                "exec_command",
                json!({"cmd": "mv version.go internal/version.go", "workdir": "/src/tool"}),
                "Chunk ID: 1f30\nWall time: 0.0 seconds\nProcess exited with code 0\nOutput:\n",
            ),
        ],
    ));
    assert_eq!(
        told.files,
        [
            "modified /src/tool/build.go", "deleted /src/tool/version.go", "deleted /src/tool/stamp.sh",
            "created /src/tool/internal/version.go"
        ]
    );
    assert_eq!(
        told.commands,
        [
            "sed -n '1,40p' build.go = 0", "go test ./... = 1", "go test ./... = 0",
            "mv version.go internal/version.go = 0"
        ]
    );
    assert_eq!(told.errors, ["resolved: ./build.go:14:2: undefined: stamp"]);
    assert_eq!(told.record.current_state.task.as_deref(), Some("pin the toolchain"));
    assert_eq!(told.record.next_steps, ["pin the toolchain", "strip timestamps"]);
}

#[test]
fn claude_code_with_notebooks() {
    let told = told(&session(
        "Working directory: /data\n\nClean the survey data.",
        &[
            (
                "MultiEdit",
                json!({"file_path": "/data/clean.py", "edits": [{"old_string": "a", "new_string": "def drop(rows): ..."}, {"old_string": "b", "new_string": "c"}]}),
                "Applied 2 edits to /data/clean.py:\n1. Replaced \"a\" with \"def drop(rows): ...\"\n2. Replaced \"b\" with \"c\"",
            ),
            (
                "NotebookEdit",
                json!({"notebook_path": "/data/survey.ipynb", "cell_id": "c3", "new_source": "df = drop(df)", "edit_mode": "replace"}),
                "Updated cell c3 with df = drop(df)",
            ),
            (
                "NotebookEdit",
                json!({"notebook_path": "/data/gone.ipynb", "cell_id": "c3", "new_source": "x"}),
                "<tool_use_error>Notebook file does not exist.</tool_use_error>",
            ),
            (
                "Bash",
                json!({"command": "python clean.py survey.csv > out.csv", "description": "Clean"}),
                "Exit code 1\nTraceback (most recent call last):\n  File \"/data/clean.py\", line 9, in <module>\n    drop(rows)\nKeyError: 'age'",
            ),
            ("Read", json!({"file_path": "/data/survey.csv", "limit": 20}), "     1\tname,age"),
            (
                "Bash",
                json!({"command": "git mv clean.py scripts/clean.py && git commit -qm 'move'", "description": "Move"}),
                "",
            ),
        ],
    ));
    assert_eq!(
        told.files,
        [
            "modified /data/survey.ipynb",
            "created out.csv",
            "renamed /data/clean.py → scripts/clean.py",
            "read /data/survey.csv"
        ]
    );
    assert_eq!(told.errors, ["open: Notebook file does not exist.", "open: 'age'"]);
    assert!(told.commands.iter().any(|c| c.starts_with("python clean.py") && c.ends_with("= 1")));
}

#[test]
fn powershell_on_windows() {
    let told = told(&session(
        "Working directory: C:\\Users\\Eva\\src\\Billing\n\nRound invoices up.",
        &[
            (
                "powershell",
                json!({"command": "Get-Content .\\src\\Invoice.cs -TotalCount 40", "description": "Look"}),
                "class Invoice {}\n<exited with exit code 0>",
            ),
            (
                "powershell",
                json!({"command": "(Get-Content .\\src\\Invoice.cs) -replace 'Floor','Ceiling' | Set-Content .\\src\\Invoice.cs", "description": "Edit"}),
                "<exited with exit code 0>",
            ),
            (
                "powershell",
                json!({"command": "New-Item -ItemType File -Path tests\\RoundingTests.cs -Force; Copy-Item app.config app.test.config; Move-Item notes.txt docs\\notes.txt; Remove-Item -Recurse -Force old\\Legacy.cs", "description": "Files"}),
                "<exited with exit code 0>",
            ),
            (
                "powershell",
                json!({"command": "@'\nclass Tax {}\n'@ | Out-File -FilePath src\\Tax.cs -Encoding utf8", "description": "Write"}),
                "<exited with exit code 0>",
            ),
            (
                "powershell",
                json!({"command": "dotnet test", "description": "Test"}),
                "src\\Tax.cs(3,5): error CS0103: The name 'rate' does not exist in the current context [C:\\Users\\Eva\\src\\Billing\\Billing.csproj]\n<exited with exit code 1>",
            ),
            (
                "powershell",
                json!({"command": "dotnet test", "description": "Test"}),
                "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12, Duration: 85 ms - Billing.Tests.dll (net8.0)\n<exited with exit code 0>",
            ),
            (
                "powershell",
                json!({"command": "rgx foo", "description": "Search"}),
                "rgx : The term 'rgx' is not recognized as the name of a cmdlet, function, script file, or operable program.\n<exited with exit code 1>",
            ),
        ],
    ));
    assert_eq!(
        told.files,
        [
            "modified src/Invoice.cs", "created tests/RoundingTests.cs", "created app.test.config",
            "renamed notes.txt → docs/notes.txt", "deleted old/Legacy.cs", "created src/Tax.cs",
            "read app.config"
        ]
    );
    assert_eq!(told.runs, ["Error ?/?", "Pass 12/0"]);
    assert!(
        told.errors.iter().any(|e| e.starts_with("resolved: ") && e.contains("'rate' does not exist")),
        "{:?}",
        told.errors
    );
    assert!(told.errors.iter().any(|e| e.starts_with("open: ") && e.contains("'rgx'")), "{:?}", told.errors);
}
