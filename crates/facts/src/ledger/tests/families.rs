//! Tests of agents' reports of success and failure, for calls that `vocabularies` does not cover.

use rstest::rstest;
use serde_json::{Value, json};

use super::Talk;

fn check(tool: &str, arguments: Value, output: &str, expected: &[&str]) {
    assert_eq!(Talk::new().tool(tool, arguments, output).files(), expected, "{tool}: {output}");
}

const UPDATE: &str = "*** Begin Patch\n*** Update File: src/a.rs\n@@ fn a\n-    1\n+    2\n*** End Patch";

#[rstest]
#[case("apply_patch", json!({"input": UPDATE}), "{\"output\":\"Success. Updated the following files:\\nM src/a.rs\\n\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.0}}", &["modified src/a.rs"])]
#[case("apply_patch", json!({"input": UPDATE}), "{\"output\":\"something went wrong\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.0}}", &[])]
#[case("apply_patch", json!({"patch": UPDATE}), "patch rejected by user", &[])]
#[case("apply_patch", json!({"input": UPDATE}), "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM src/a.rs", &["modified src/a.rs"])]
#[case("apply_patch", json!({"input": UPDATE}), "Exit code: 1\nWall time: 0 seconds\nOutput:\nno such context", &[])]
#[case("exec_command", json!({"cmd": format!("cd /p && apply_patch <<'PATCH'\n{UPDATE}\nPATCH")}), "Chunk ID: a\nProcess exited with code 0\nOutput:\nSuccess.", &["modified /p/src/a.rs"])]
#[case("shell_command", json!({"command": "Get-Content -Path src\\a.rs", "workdir": "C:\\p"}), "Exit code: 0\nOutput:\nx", &["read C:/p/src/a.rs"])]
#[case("shell", json!({"command": ["powershell.exe", "-Command", "Set-Content -Path 'src\\b.txt' -Value 'hi'"], "workdir": "C:\\p"}), "Exit code: 0\nOutput:\n", &["created C:/p/src/b.txt unsure"])]
#[case("shell", json!({"command": ["pwsh", "-NoProfile", "-Command", "Remove-Item .\\src\\b.txt -Force"], "workdir": "C:\\p"}), "Exit code: 0\nOutput:\n", &["deleted C:/p/src/b.txt"])]
#[case("shell", json!({"command": ["/bin/zsh", "-l", "-c", "rm a.txt"]}), "Exit code: 0\nOutput:\n", &["deleted a.txt"])]
#[case("container.exec", json!({"cmd": ["bash", "-lc", "cat a.txt"]}), "x", &["read a.txt"])]
fn codex(#[case] tool: &str, #[case] arguments: Value, #[case] output: &str, #[case] expected: &[&str]) {
    check(tool, arguments, output, expected);
}

#[rstest]
#[case("read_file", json!({"target_file": "src/a.ts", "should_read_entire_file": true}), "const a = 1", &["read src/a.ts"])]
#[case("edit_file", json!({"target_file": "src/a.ts", "instructions": "add b", "code_edit": "const b = 2"}), "The apply model made the following changes to the file:\n+const b = 2", &["modified src/a.ts"])]
#[case("search_replace", json!({"file_path": "src/a.ts", "old_string": "a", "new_string": "b"}), "The file src/a.ts has been updated.", &["modified src/a.ts"])]
#[case("search_replace", json!({"file_path": "src/a.ts", "old_string": "a", "new_string": "b"}), "The string to replace was not found in the file.", &[])]
#[case("delete_file", json!({"target_file": "src/a.ts"}), "Successfully deleted file: src/a.ts", &["deleted src/a.ts"])]
#[case("run_terminal_cmd", json!({"command": "rm b.ts", "is_background": false}), "Exit code: 0\n\nCommand output:\n\n```\n```", &["deleted b.ts"])]
#[case("view_file", json!({"AbsolutePath": "/p/a.ts", "StartLine": 1, "EndLine": 20}), "x", &["read /p/a.ts"])]
#[case("replace_file_content", json!({"TargetFile": "/p/a.ts", "ReplacementChunks": [{"TargetContent": "let a = 1", "ReplacementContent": "let a = 2"}]}), "The following changes were made", &["modified /p/a.ts"])]
#[case("multi_replace_file_content", json!({"TargetFile": "/p/a.ts", "ReplacementChunks": [{"TargetContent": "let a = 1", "ReplacementContent": "let a = 2"}]}), "The following changes were made", &["modified /p/a.ts"])]
#[case("write_to_file", json!({"TargetFile": "/p/n.ts", "CodeContent": "x", "Overwrite": false}), "Created file file:///p/n.ts", &["created /p/n.ts"])]
#[case("run_command", json!({"CommandLine": "rm b.ts", "Cwd": "/p"}), "The command completed successfully.", &["deleted /p/b.ts"])]
#[case("create_file", json!({"filePath": "/p/n.ts", "content": "x"}), "The following files were successfully edited:\n/p/n.ts", &["created /p/n.ts"])]
#[case("replace_string_in_file", json!({"filePath": "/p/a.ts", "oldString": "a", "newString": "b"}), "ERROR while calling tool: Could not find matching text to replace", &[])]
#[case("insert_edit_into_file", json!({"filePath": "/p/a.ts", "code": "x", "explanation": "y"}), "The following files were successfully edited:\n/p/a.ts", &["modified /p/a.ts"])]
#[case("multi_replace_string_in_file", json!({"explanation": "rename", "replacements": [{"filePath": "/p/a.ts", "oldString": "a", "newString": "b"}, {"filePath": "/p/a.ts", "oldString": "c", "newString": "d"}, {"filePath": "/p/z.ts", "oldString": "a", "newString": "b"}]}), "The following files were successfully edited:\n/p/a.ts\n/p/z.ts", &["modified /p/a.ts", "modified /p/z.ts"])]
#[case("run_in_terminal", json!({"command": "echo x > /p/o.txt", "isBackground": false}), "", &["created /p/o.txt unsure"])]
fn cursor_windsurf_and_vs_code(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] output: &str,
    #[case] expected: &[&str],
) {
    check(tool, arguments, output, expected);
}

#[rstest]
#[case("edit", json!({"filePath": "/p/a.go", "oldString": "a", "newString": "b"}), "Edit applied successfully.", &["modified /p/a.go"])]
#[case("write", json!({"filePath": "/p/a.go", "content": "a"}), "Wrote file successfully.", &["created /p/a.go unsure"])]
#[case("edit", json!({"filePath": "/p/a.go", "oldString": "a", "newString": "b"}), "Error: oldString not found in content", &[])]
#[case("developer__text_editor", json!({"command": "write", "path": "/p/a.go", "file_text": "x"}), "Successfully wrote to /p/a.go", &["created /p/a.go unsure"])]
#[case("developer__text_editor", json!({"command": "str_replace", "path": "/p/a.go", "old_str": "x", "new_str": "y"}), "The file has been edited", &["modified /p/a.go"])]
#[case("developer__text_editor", json!({"command": "view", "path": "/p/a.go"}), "x", &["read /p/a.go"])]
#[case("developer__shell", json!({"command": "rm a.go"}), "", &["deleted a.go"])]
#[case("fs_write", json!({"command": "create", "path": "/p/n.rs", "file_text": "x"}), "", &["created /p/n.rs unsure"])]
#[case("fs_write", json!({"command": "str_replace", "path": "/p/n.rs", "old_str": "x", "new_str": "y"}), "", &["modified /p/n.rs"])]
#[case("fs_write", json!({"command": "append", "path": "/p/n.rs", "new_str": "y"}), "", &["modified /p/n.rs"])]
#[case("fs_read", json!({"operations": [{"mode": "Line", "path": "/p/a.rs"}]}), "x", &["read /p/a.rs"])]
#[case("fs_read", json!({"mode": "Line", "path": "/p/a.rs"}), "x", &["read /p/a.rs"])]
#[case("fsWrite", json!({"path": "a.ts", "text": "x"}), "Created the a.ts file.", &["created a.ts"])]
#[case("strReplace", json!({"path": "a.ts", "oldStr": "x", "newStr": "y"}), "Replaced text in a.ts", &["modified a.ts"])]
#[case("readFile", json!({"path": "a.ts"}), "x", &["read a.ts"])]
#[case("readMultipleFiles", json!({"paths": ["a.ts", "b.ts"]}), "x", &["read a.ts", "read b.ts"])]
#[case("builtin_create_new_file", json!({"filepath": "a.ts", "contents": "x"}), "File a.ts created successfully", &["created a.ts"])]
#[case("builtin_edit_existing_file", json!({"filepath": "a.ts", "changes": "x"}), "", &["modified a.ts"])]
#[case("builtin_run_terminal_command", json!({"command": "rm a.ts"}), "", &["deleted a.ts"])]
#[case("Create", json!({"file_path": "/p/a.ts", "content": "x"}), "File created successfully", &["created /p/a.ts"])]
#[case("Execute", json!({"command": "rm /p/a.ts"}), "", &["deleted /p/a.ts"])]
#[case("ApplyPatch", json!({"input": UPDATE}), "ok", &["modified src/a.rs"])]
#[case("save-file", json!({"path": "a.ts", "file_content": "x"}), "File saved. Saved file a.ts", &["created a.ts unsure"])]
#[case("remove-files", json!({"file_paths": ["a.ts", "b.ts"]}), "ok", &["deleted a.ts", "deleted b.ts"])]
#[case("launch-process", json!({"command": "rm a.ts", "cwd": "/p"}), "<return-code>0</return-code>", &["deleted /p/a.ts"])]
fn other_agents(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] output: &str,
    #[case] expected: &[&str],
) {
    check(tool, arguments, output, expected);
}

#[rstest]
#[case(
    "<tool_use_error>File has been modified since read, either by the user or by a linter.</tool_use_error>"
)]
#[case("Error: Edit operation across multiple files failed")]
#[case("The user doesn't want to take this action right now. STOP what you are doing")]
#[case("The user denied this operation.")]
#[case("User rejected the change")]
#[case("Operation cancelled by user.")]
#[case("No changes to make: old_string and new_string are exactly the same.")]
#[case("Found 3 matches of the string to replace, but replace_all is false.")]
#[case("Failed to edit, expected 1 occurrence but found 2 for old_string in file: /p/a.rs")]
#[case(
    "No replacement was performed. Multiple occurrences of old_str `a` in lines [1, 2]. Please ensure it is unique"
)]
#[case("Invalid `path` parameter: /p/a.rs. The path /p/a.rs does not exist. Please provide a valid path.")]
#[case("[Tool execution was interrupted by the user]")]
#[case("Tool call was aborted by the user")]
#[case("Permission to use Edit has been denied.")]
#[case("Claude requested permissions to write to /p/a.rs, but you haven't granted it yet.")]
fn words_of_refusal_and_failure_change_nothing(#[case] output: &str) {
    check("Edit", json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"}), output, &[]);
}

#[rstest]
#[case(
    "The file /p/a.rs has been updated. Here's the result of running `cat -n` on a snippet:\n     1\tcould not find the exact text\n"
)]
#[case("The file /p/a.rs has been updated successfully.")]
#[case("Successfully replaced text in /p/a.rs. Changed 12 characters to 20 characters.")]
#[case("Applied 2 edits to /p/a.rs:\n1. Replaced \"No such file\" with \"gone\"")]
#[case("Edited file /p/a.rs with 1 changes, which handle the case that the file does not exist")]
fn words_of_success_count_although_the_text_speaks_of_failure(#[case] output: &str) {
    check(
        "Edit",
        json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"}),
        output,
        &["modified /p/a.rs"],
    );
}

#[rstest]
#[case("The user denied this operation and provided the following feedback:\n<feedback>\nno\n</feedback>")]
#[case("Error: ENOENT: no such file or directory")]
#[case("This is likely because the SEARCH block content doesn't match exactly with what's in the file")]
#[case("No sufficiently similar match found at line: 3 (82% similar, needs 100%)")]
fn cline_repeats_the_call_before_it_says_that_it_failed(#[case] answer: &str) {
    let path = "src/components/dashboard/widgets/overview/Overview.tsx";
    let talk = Talk::new()
        .assistant(&format!("<replace_in_file>\n<path>{path}</path>\n<diff>\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n</diff>\n</replace_in_file>"))
        .user(&format!("[replace_in_file for '{path}'] Result:\n{answer}"));
    assert!(talk.files().is_empty());
}

#[rstest]
#[case(
    "src/a.py",
    "    if cached:\n        return\n    group.add(\n        'x',\n    )",
    "    group.add(\n        '--max-retries',\n        default=retry_limit,\n    )",
    "--max-retries"
)]
#[case("src/a.py", "import os\nimport sys\nx", "import json\nparsed = json.loads(raw_text)\ny = 1", "parsed")]
#[case("src/a.go", "<<<<<<< HEAD\na()\n=======\nb()\n>>>>>>> main", "b()", "resolved a merge conflict")]
#[case("docs/a.md", "text\nmore", "text changed\n## Setup\nmore", "Setup")]
fn an_edit_is_told_by_what_is_new_in_it(
    #[case] path: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] telling: &str,
) {
    let facts = Talk::new()
        .tool("Edit", json!({"file_path": path, "old_string": old, "new_string": new}), "ok")
        .facts();
    let change = &facts.files[0].changes[0];
    assert!(change.contains(telling), "{change}");
}

#[test]
fn roo_edits_several_files_in_one_tag() {
    let talk = Talk::new()
        .assistant("<apply_diff>\n<args>\n<file>\n<path>src/a.ts</path>\n<diff>\n<content><![CDATA[\n<<<<<<< SEARCH\n:start_line:1\n-------\nlet a = 1\n=======\nlet a = 2\n>>>>>>> REPLACE\n]]></content>\n</diff>\n</file>\n<file>\n<path>src/b.ts</path>\n<diff>\n<content>\n<<<<<<< SEARCH\nlet b = 1\n=======\nlet b = 2\n>>>>>>> REPLACE\n</content>\n</diff>\n</file>\n</args>\n</apply_diff>")
        .user("[apply_diff for 2 files] Result:\nok");
    assert_eq!(talk.files(), ["modified src/a.ts", "modified src/b.ts"]);
}

#[test]
fn a_windows_session_keeps_one_file_one_line() {
    let talk = Talk::new()
        .user("<environment_details>\n# Current Working Directory (C:/Users/Ann/app) Files\n</environment_details>")
        .tool("read_file", json!({"path": "src\\Main.cs"}), "class Main {}")
        .tool("replace_in_file", json!({"path": "C:\\Users\\Ann\\app\\src\\main.cs", "diff": "------- SEARCH\nclass Main\n=======\nclass Program\n+++++++ REPLACE"}), "saved")
        .tool("execute_command", json!({"command": "type src\\Main.cs && del obj\\old.txt && copy a.txt b.txt && move b.txt docs\\c.txt"}), "ok");
    assert_eq!(
        talk.files(),
        [
            "modified C:/Users/Ann/app/src/main.cs",
            "deleted obj/old.txt",
            "read a.txt",
            "deleted b.txt transient unsure",
            "created docs/c.txt unsure"
        ]
    );
}

#[test]
fn the_home_folder_has_one_spelling() {
    let talk = Talk::new()
        .user("Working directory: /home/ann/app")
        .tool("Bash", json!({"command": "cat ~/.config/app.toml"}), "x")
        .tool(
            "Edit",
            json!({"file_path": "/home/ann/.config/app.toml", "old_string": "a", "new_string": "b"}),
            "ok",
        )
        .tool("Bash", json!({"command": "echo 1 >> \"$HOME/.bashrc\""}), "")
        .tool("Read", json!({"file_path": "/home/ann/.bashrc"}), "x")
        .tool("Read", json!({"file_path": "~/app/src/a.rs"}), "x")
        .tool("Edit", json!({"file_path": "src/a.rs", "old_string": "a", "new_string": "b"}), "ok");
    assert_eq!(
        talk.files(),
        ["modified /home/ann/.config/app.toml", "modified /home/ann/.bashrc", "modified src/a.rs"]
    );
}
