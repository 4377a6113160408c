//! Tests of agents' tools, one table for all of them: the call, the output, the expected fact.

use rstest::rstest;
use serde_json::{Value, json};

use super::Talk;

pub(super) fn check(tool: &str, arguments: Value, output: &str, expected: &[&str]) {
    assert_eq!(Talk::new().tool(tool, arguments, output).files(), expected, "{tool}: {output}");
}

const ADD_AND_UPDATE: &str = "*** Begin Patch\n*** Add File: src/new.rs\n+fn new() {}\n*** Update File: src/old.rs\n@@ fn old\n-    1\n+    2\n*** Delete File: src/gone.rs\n*** End Patch";
const MOVED: &str =
    "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x = 1\n+x = 2\n*** End Patch";
const UPDATE: &str = "*** Begin Patch\n*** Update File: src/a.rs\n@@ fn a\n-    1\n+    2\n*** End Patch";

#[rstest]
// Claude Code.
#[case("Read", json!({"file_path": "/p/a.rs"}), "     1→fn main() {}", &["read /p/a.rs"])]
#[case("Read", json!({"file_path": "/p/a.rs"}), "<tool_use_error>File does not exist.</tool_use_error>", &[])]
#[case("Write", json!({"file_path": "/p/a.rs", "content": "fn a() {}"}), "File created successfully at: /p/a.rs", &["created /p/a.rs"])]
#[case("Write", json!({"file_path": "/p/a.rs", "content": "x"}), "The file /p/a.rs has been updated. Here's the result", &["modified /p/a.rs"])]
#[case("Write", json!({"file_path": "/p/a.rs", "content": "x"}), "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", &[])]
#[case("Edit", json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"}), "The file /p/a.rs has been updated successfully.", &["modified /p/a.rs"])]
#[case("Edit", json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"}), "<tool_use_error>String to replace not found in file.\nString: a</tool_use_error>", &[])]
#[case("Edit", json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"}), "The user doesn't want to proceed with this tool use. The tool use was rejected", &[])]
#[case("Edit", json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"}), "[Request interrupted by user for tool use]", &[])]
#[case("MultiEdit", json!({"file_path": "/p/a.py", "edits": [{"old_string": "a", "new_string": "b"}]}), "Applied 1 edit to /p/a.py", &["modified /p/a.py"])]
#[case("NotebookEdit", json!({"notebook_path": "/p/n.ipynb", "new_source": "x = 1"}), "Updated cell 3", &["modified /p/n.ipynb"])]
#[case("Grep", json!({"pattern": "x", "path": "/p/a.rs"}), "3:x", &["read /p/a.rs"])]
#[case("Grep", json!({"pattern": "x", "path": "/p/src"}), "a.rs", &[])]
#[case("Glob", json!({"pattern": "**/*.rs"}), "/p/a.rs", &[])]
// Codex.
#[case("apply_patch", json!({"input": ADD_AND_UPDATE}), "Success. Updated the following files:\nA src/new.rs", &["created src/new.rs", "modified src/old.rs", "deleted src/gone.rs"])]
#[case("apply_patch", json!({"input": ADD_AND_UPDATE}), "apply_patch verification failed: Failed to find expected lines", &[])]
#[case("apply_patch", json!({"input": MOVED}), "Success.", &["renamed b.py from a.py"])]
#[case("shell", json!({"command": ["apply_patch", ADD_AND_UPDATE]}), "{\"output\":\"Success.\",\"metadata\":{\"exit_code\":0}}", &["created src/new.rs", "modified src/old.rs", "deleted src/gone.rs"])]
#[case("shell", json!({"command": ["apply_patch", ADD_AND_UPDATE]}), "{\"output\":\"invalid patch\",\"metadata\":{\"exit_code\":1}}", &[])]
#[case("shell", json!({"command": ["bash", "-lc", format!("apply_patch <<'EOF'\n{ADD_AND_UPDATE}\nEOF\n")]}), "{\"output\":\"Success.\",\"metadata\":{\"exit_code\":0}}", &["created src/new.rs", "modified src/old.rs", "deleted src/gone.rs"])]
#[case("shell", json!({"command": ["bash", "-lc", "sed -n '1,40p' src/lib.rs"], "workdir": "/p"}), "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nfn a() {}", &["read /p/src/lib.rs"])]
#[case("exec_command", json!({"cmd": "cat > notes.txt <<'EOF'\nhi\nEOF", "workdir": "/p"}), "Chunk ID: 1\nProcess exited with code 0\nOutput:\n", &["created /p/notes.txt unsure"])]
#[case("local_shell", json!({"action": {"type": "exec", "command": ["bash", "-lc", "rm old.txt"], "working_directory": "/p"}}), "", &["deleted /p/old.txt"])]
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
// Copilot CLI.
#[case("view", json!({"path": "/p/a.ts"}), "1. const a = 1", &["read /p/a.ts"])]
#[case("create", json!({"path": "/p/a.ts", "file_text": "x"}), "Created file /p/a.ts with 1 characters", &["created /p/a.ts"])]
#[case("edit", json!({"path": "/p/a.ts", "old_str": "a", "new_str": "b"}), "File /p/a.ts updated with changes.", &["modified /p/a.ts"])]
#[case("str_replace", json!({"path": "/p/a.ts", "old_str": "a", "new_str": "b"}), "No match found", &[])]
#[case("bash", json!({"command": "touch b.ts"}), "<exited with exit code 0>", &["created b.ts unsure"])]
// Gemini CLI.
#[case("read_file", json!({"absolute_path": "/p/a.go"}), "package main", &["read /p/a.go"])]
#[case("read_many_files", json!({"paths": ["a.go", "b.go", "src/**/*.go"]}), "--- a.go ---", &["read a.go", "read b.go"])]
#[case("write_file", json!({"file_path": "/p/a.go", "content": "package a"}), "Successfully created and wrote to new file: /p/a.go.", &["created /p/a.go"])]
#[case("write_file", json!({"file_path": "/p/a.go", "content": "package a"}), "Successfully overwrote file: /p/a.go.", &["modified /p/a.go"])]
#[case("replace", json!({"file_path": "/p/a.go", "old_string": "a", "new_string": "b"}), "Successfully modified file: /p/a.go (1 replacements).", &["modified /p/a.go"])]
#[case("replace", json!({"file_path": "/p/a.go", "old_string": "a", "new_string": "b"}), "Failed to edit, 0 occurrences found for old_string", &[])]
#[case("replace", json!({"file_path": "/p/n.go", "old_string": "", "new_string": "b"}), "Created new file: /p/n.go with provided content.", &["created /p/n.go"])]
#[case("run_shell_command", json!({"command": "rm a.go", "directory": "pkg"}), "Command: rm a.go\nDirectory: pkg\nOutput: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)", &["deleted pkg/a.go"])]
// OpenHands.
#[case("str_replace_editor", json!({"command": "view", "path": "/w/a.py"}), "Here's the result of running `cat -n` on /w/a.py", &["read /w/a.py"])]
#[case("str_replace_editor", json!({"command": "view", "path": "/w"}), "Here's the files and directories up to 2 levels deep in /w", &[])]
#[case("str_replace_editor", json!({"command": "create", "path": "/w/a.py", "file_text": "x"}), "File created successfully at: /w/a.py", &["created /w/a.py"])]
#[case("str_replace_editor", json!({"command": "create", "path": "/w/a.py", "file_text": "x"}), "ERROR:\nFile already exists at: /w/a.py. Cannot overwrite files using command `create`.", &[])]
#[case("str_replace_editor", json!({"command": "str_replace", "path": "/w/a.py", "old_str": "a", "new_str": "b"}), "The file /w/a.py has been edited.", &["modified /w/a.py"])]
#[case("str_replace_editor", json!({"command": "str_replace", "path": "/w/a.py", "old_str": "a", "new_str": "b"}), "No replacement was performed, old_str `a` did not appear verbatim in /w/a.py.", &[])]
#[case("str_replace_editor", json!({"command": "insert", "path": "/w/a.py", "insert_line": 3, "new_str": "b"}), "The file /w/a.py has been edited.", &["modified /w/a.py"])]
#[case("str_replace_editor", json!({"command": "undo_edit", "path": "/w/a.py"}), "Last edit to /w/a.py undone successfully.", &["modified /w/a.py"])]
#[case("execute_bash", json!({"command": "echo x > out.txt"}), "[The command completed with exit code 0.]\n[Current working directory: /w]", &["created out.txt unsure"])]
#[case("execute_ipython_cell", json!({"code": "open('gen.txt', 'w').write('x')"}), "1", &["created gen.txt unsure"])]
#[case("edit_file", json!({"path": "/w/a.py", "content": "x", "start": 1, "end": 2}), "[The file /w/a.py has been edited.]", &["modified /w/a.py"])]
#[case("finish", json!({"message": "done with /w/a.py"}), "", &[])]
// Pi.
#[case("read", json!({"path": "src/a.ts"}), "const a = 1", &["read src/a.ts"])]
#[case("write", json!({"path": "src/a.ts", "content": "x"}), "Successfully wrote 1 bytes to src/a.ts", &["created src/a.ts unsure"])]
#[case("edit", json!({"path": "src/a.ts", "oldText": "a", "newText": "b"}), "Successfully replaced text in src/a.ts.", &["modified src/a.ts"])]
#[case("edit", json!({"path": "src/a.ts", "oldText": "a", "newText": "b"}), "Could not find the exact text in src/a.ts. The old text must match exactly", &[])]
#[case("bash", json!({"command": "rm src/a.ts"}), "rm: src/a.ts: No such file or directory\n\nCommand exited with code 1", &[])]
// Cursor, Windsurf and VS Code.
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
// Other agents.
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
// Tools that nobody knows count only with a path.
#[case("mcp__files__read_text_file", json!({"path": "/p/a.md"}), "# a", &["read /p/a.md"])]
#[case("mcp__files__write_file", json!({"path": "/p/a.md", "content": "x"}), "Successfully wrote to /p/a.md", &["created /p/a.md unsure"])]
#[case("mcp__files__move_file", json!({"source": "/p/a.md", "destination": "/p/b.md"}), "Successfully moved", &["renamed /p/b.md from /p/a.md"])]
#[case("getDocument", json!({"path": "docs/guide.md"}), "text", &["read docs/guide.md"])]
#[case("update_document", json!({"path": "docs/guide.md", "content": "x"}), "ok", &["modified docs/guide.md"])]
#[case("removeDocument", json!({"path": "docs/guide.md"}), "ok", &["deleted docs/guide.md"])]
#[case("update_reservation_flights", json!({"reservation_id": "8JX2WO", "flights": [{"flight_number": "HAT001", "date": "2024-05-20"}], "payment_id": "gift_card_1"}), "ok", &[])]
#[case("get_user_details", json!({"user_id": "mia_li_3668", "file": "none"}), "{}", &[])]
#[case("send_email", json!({"to": "a@b.com", "path": "https://x.y/z.html"}), "ok", &[])]
#[case("update_order", json!({"file": "order 12.50"}), "ok", &[])]
#[case("open_ticket", json!({"path": "v1.2.3"}), "ok", &[])]
fn a_call_and_its_output_tell_what_became_of_the_files(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] output: &str,
    #[case] expected: &[&str],
) {
    check(tool, arguments, output, expected);
}

#[test]
fn cline_calls_tools_by_tags_in_its_text() {
    let talk = Talk::new()
        .assistant("I'll write it.\n<write_to_file>\n<path>src/a.ts</path>\n<content>\nexport const A = 1\n</content>\n</write_to_file>")
        .user("[write_to_file for 'src/a.ts'] Result:\nThe content was successfully saved to src/a.ts.")
        .assistant("<replace_in_file>\n<path>src/b.ts</path>\n<diff>\n------- SEARCH\nlet a = 1\n=======\nlet a = 2\n+++++++ REPLACE\n</diff>\n</replace_in_file>")
        .user("[replace_in_file for 'src/b.ts'] Result:\nThe content was successfully saved to src/b.ts.")
        .assistant("<read_file>\n<path>src/c.ts</path>\n</read_file>")
        .user("[read_file for 'src/c.ts'] Result:\nThe user denied this operation.")
        .assistant("<execute_command>\n<command>rm src/d.ts</command>\n</execute_command>")
        .user("[execute_command for 'rm src/d.ts'] Result:\nCommand executed.\nOutput:\n");
    let facts = talk.facts();
    assert_eq!(super::lines(&facts), ["created src/a.ts unsure", "modified src/b.ts", "deleted src/d.ts"]);
    assert_eq!(facts.files[1].changes, ["let a = 1 → let a = 2"]);
    assert_eq!(facts.commands[0].command, "rm src/d.ts");
}

#[test]
fn function_tags_are_calls_too() {
    let talk = Talk::new()
        .assistant("<function=str_replace_editor>\n<parameter=command>create</parameter>\n<parameter=path>/w/a.py</parameter>\n<parameter=file_text>\nx = 1\n</parameter>\n</function>")
        .user("EXECUTION RESULT of [str_replace_editor]:\nFile created successfully at: /w/a.py");
    assert_eq!(talk.files(), ["created /w/a.py"]);
}

#[test]
fn swe_agent_edits_the_open_file() {
    let prompt = "\n(Open file: /w/src/f.py)\n(Current directory: /w)\nbash-$";
    let none = "\n(Open file: n/a)\n(Current directory: /w)\nbash-$";
    let talk = Talk::new()
        .tool("create", json!({"filename": "repro.py"}), "[File: repro.py (1 lines total)]\n1:\n(Open file: /w/repro.py)\n(Current directory: /w)\nbash-$")
        .tool("insert", json!({"text": "def main():\n    pass"}), "[File: /w/repro.py (3 lines total)]\n(Open file: /w/repro.py)\n(Current directory: /w)\nbash-$")
        .tool("find_file", json!({"file_name": "f.py"}), &format!("Found 1 matches{none}"))
        .tool("open", json!({"path": "src/f.py", "line_number": 10}), &format!("[File: src/f.py (90 lines total)]{prompt}"))
        .tool("edit", json!({"search": "a", "replace": "b"}), &format!("Your proposed edit has introduced new syntax error(s).{prompt}"))
        .tool("edit", json!({"search": "a = 1", "replace": "a = 2"}), &format!("Text replaced.\n[File: /w/src/f.py (90 lines total)]{prompt}"))
        .tool("bash", json!({"command": "rm repro.py"}), &format!("Your command ran successfully and did not produce any output.{prompt}"))
        .tool("submit", json!({}), "\ndiff --git a/src/f.py b/src/f.py\n--- a/src/f.py\n+++ b/src/f.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n");
    assert_eq!(talk.files(), ["deleted /w/repro.py transient", "modified /w/src/f.py"]);
}

#[test]
fn swe_agent_commands_may_be_typed_into_a_fence() {
    let talk = Talk::new()
        .assistant("DISCUSSION\nLet me look.\n```\nopen src/f.py 10\n```")
        .user("[File: /w/src/f.py (90 lines total)]\n10:x\n(Open file: /w/src/f.py)\n(Current directory: /w)\nbash-$")
        .assistant("DISCUSSION\nNow edit.\n```\nedit 10:10\ny = 2\nend_of_edit\n```")
        .user("[File: /w/src/f.py (90 lines total)]\n10:y = 2\n(Open file: /w/src/f.py)\n(Current directory: /w)\nbash-$");
    assert_eq!(talk.files(), ["modified /w/src/f.py"]);
}

#[test]
fn mini_swe_agent_runs_the_one_fence_of_a_turn() {
    let talk = Talk::new()
        .assistant("THOUGHT: make it\n\n```bash\ncat <<'EOF' > repro.py\nprint(1)\nEOF\n```")
        .user("<returncode>0</returncode>\n<output>\n</output>")
        .assistant("Two at once:\n```bash\nrm a.py\n```\n```bash\nrm b.py\n```")
        .user("Please always provide EXACTLY ONE action in triple backticks, found 2 actions.")
        .assistant("An aside:\n    ```\n    code\n    ```\n\n```bash\nsed -i 's/a/b/' lib/x.py && cat lib/y.py\n```")
        .user("<returncode>0</returncode>\n<output>\nhi\n</output>")
        .assistant("```bash\nrm repro.py\n```")
        .user("<returncode>0</returncode>\n<output>\n</output>")
        .assistant("```bash\necho DONE && git add -A && git diff --cached\n```")
        .user("diff --git a/lib/x.py b/lib/x.py\nindex 1..2 100644\n--- a/lib/x.py\n+++ b/lib/x.py\n@@ -1,2 +1,2 @@ def f():\n-    a = 1\n+    b = 1\ndiff --git a/lib/z.py b/lib/z.py\nnew file mode 100644\n--- /dev/null\n+++ b/lib/z.py\n@@ -0,0 +1 @@\n+x\n");
    let facts = talk.facts();
    assert_eq!(
        super::lines(&facts),
        ["deleted repro.py transient unsure", "modified lib/x.py", "read lib/y.py", "created lib/z.py"]
    );
    assert_eq!(facts.commands.len(), 4);
    assert_eq!(facts.commands[0].exit_code, Some(0));
}

#[test]
fn a_fence_that_nothing_answers_is_advice() {
    let talk = Talk::new().assistant("Run this:\n```bash\nrm -f data.db\n```").user("thanks, that worked");
    assert!(talk.facts().commands.is_empty());
    assert!(talk.files().is_empty());
}

#[test]
fn aider_counts_what_its_console_says_was_applied() {
    let talk = Talk::new()
        .user("add a retry")
        .assistant("Sure.\n\nsrc/net.py\n```python\n<<<<<<< SEARCH\ndef get(url):\n    return fetch(url)\n=======\ndef get(url):\n    return fetch(url, retries=RETRIES)\n\nRETRIES = 3\n>>>>>>> REPLACE\n```\n\nother.py\n```python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```")
        .aider("> Tokens: 1k sent  \n> Applied edit to src/net.py  \n> Commit 1234567 feat: retry  ")
        .aider("> Creating empty file /home/me/p/write me a poem  \n> Added src/util.py to the chat.  ")
        .aider("> Added STYLE.md to read-only files.  \n> Added 3 files to the chat  ")
        .aider("> Did not apply edit to setup.py (--dry-run)  \n> Skipping edits to gone.py  ")
        .aider("> Allow creation of new file no.py? n  \n> Would you like to see Applied edit to x.py?  ");
    let facts = talk.facts();
    assert_eq!(super::lines(&facts), ["modified src/net.py", "read src/util.py", "read STYLE.md"]);
    assert_eq!(facts.files[0].changes, ["added RETRIES"]);
}

#[test]
fn commands_that_a_person_runs_in_aider_or_claude_code_are_commands() {
    let talk = Talk::new()
        .user("/run pytest -x tests")
        .aider("> 3 passed in 0.1s  ")
        .user("<bash-input>git status</bash-input>")
        .user("<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>");
    let commands: Vec<String> = talk.facts().commands.into_iter().map(|c| c.command).collect();
    assert_eq!(commands, ["pytest -x tests", "git status"]);
}

#[test]
fn todo_tools_of_every_kind_end_in_one_list() {
    use crate::ledger::TodoStatus::{Completed, InProgress, Pending};
    let list = |talk: Talk| -> Vec<(String, _)> {
        talk.facts().todos.unwrap().items.into_iter().map(|i| (i.content, i.status)).collect()
    };
    let claude = Talk::new().tool(
        "TodoWrite",
        json!({"todos": [{"content": "one", "status": "completed", "activeForm": "x"}, {"content": "two", "status": "in_progress"}]}),
        "Todos have been modified successfully.",
    );
    assert_eq!(list(claude), [("one".to_owned(), Completed), ("two".to_owned(), InProgress)]);
    let codex = Talk::new().tool(
        "update_plan",
        json!({"plan": [{"step": "a", "status": "pending"}]}),
        "Plan updated",
    );
    assert_eq!(list(codex), [("a".to_owned(), Pending)]);
    let gemini = Talk::new().tool("write_todos", json!({"todos": [{"description": "d", "status": "completed"}, {"description": "e", "status": "cancelled"}]}), "ok");
    assert_eq!(list(gemini), [("d".to_owned(), Completed)]);
    let roo = Talk::new().tool(
        "update_todo_list",
        json!({"todos": "- [x] first\n- [-] second\n- [ ] third"}),
        "ok",
    );
    assert_eq!(
        list(roo),
        [("first".to_owned(), Completed), ("second".to_owned(), InProgress), ("third".to_owned(), Pending)]
    );
    let tasks = Talk::new()
        .tool("TaskCreate", json!({"subject": "build"}), "Task #1 created successfully: build")
        .tool("TaskCreate", json!({"subject": "ship"}), "Task #2 created successfully: ship")
        .tool("TaskUpdate", json!({"taskId": "1", "status": "completed"}), "Updated task #1 status");
    assert_eq!(list(tasks), [("build".to_owned(), Completed), ("ship".to_owned(), Pending)]);
}
