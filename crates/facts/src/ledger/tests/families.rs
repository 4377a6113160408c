//! Tests of agents' reports of success and failure, for what the table in `vocabularies` does not cover.

use rstest::rstest;
use serde_json::json;

use super::Talk;
use super::vocabularies::check;

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
            "modified C:/Users/Ann/app/src/main.cs", "deleted obj/old.txt", "read a.txt",
            "deleted b.txt transient unsure", "created docs/c.txt unsure"
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

#[rstest]
#[case::named("Task", "Done.\n\n### Files changed\n\n- **`/p/src/a.rs`**\n  - Added a flag to `b.rs`\n- `/p/src/c.rs:12` - the test\n\n### Next\n\n- `d.rs` is left", &["modified /p/src/a.rs", "modified /p/src/c.rs"])]
#[case::created("Agent", "**Files created:**\n- /p/new.rs: the parser", &["created /p/new.rs"])]
#[case::only_read("Task", "### Files read\n- `/p/src/a.rs`\n\nThe files changed: none", &[])]
#[case::of_another_tool("WebFetch", "### Files changed\n- `/p/src/a.rs`", &[])]
fn files_that_another_agent_reports_as_changed_are(
    #[case] tool: &str,
    #[case] output: &str,
    #[case] expected: &[&str],
) {
    check(tool, json!({"description": "Implement", "prompt": "Add a flag"}), output, expected);
}
