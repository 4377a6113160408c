//! Tests of combining a file's events into one fact.

use serde_json::{Value, json};

use super::{EarlierNames, Talk, lines};
use crate::ledger::{LedgerState, read};

fn edit(path: &str) -> (&'static str, Value) {
    ("Edit", json!({"file_path": path, "old_string": "a", "new_string": "b"}))
}

fn run(steps: &[(&str, Value)]) -> Vec<String> {
    let talk = steps.iter().fold(Talk::new(), |talk, (tool, arguments)| {
        let output = if *tool == "create" { "Created file" } else { "done" };
        talk.tool(tool, arguments.clone(), output)
    });
    talk.files()
}

fn sh(command: &str) -> (&'static str, Value) {
    ("bash", json!({"command": command}))
}

fn create(path: &str) -> (&'static str, Value) {
    ("create", json!({"path": path, "file_text": "x"}))
}

fn view(path: &str) -> (&'static str, Value) {
    ("view", json!({"path": path}))
}

#[test]
fn later_events_move_the_action_on() {
    assert_eq!(run(&[view("a.rs"), edit("a.rs")]), ["modified a.rs"]);
    assert_eq!(run(&[create("a.rs"), edit("a.rs")]), ["created a.rs"]);
    assert_eq!(run(&[create("a.rs"), sh("rm a.rs")]), ["deleted a.rs transient"]);
    assert_eq!(run(&[edit("a.rs"), sh("rm a.rs")]), ["deleted a.rs"]);
    assert_eq!(run(&[sh("rm a.rs"), create("a.rs")]), ["modified a.rs"]);
    assert_eq!(run(&[create("a.rs"), sh("rm a.rs"), create("a.rs")]), ["created a.rs"]);
    assert_eq!(run(&[view("a.rs"), sh("echo x > a.rs")]), ["modified a.rs"]);
    assert_eq!(run(&[sh("echo x > a.rs")]), ["created a.rs unsure"]);
    assert_eq!(run(&[view("a.rs"), sh("touch a.rs")]), ["read a.rs"]);
    assert_eq!(run(&[edit("a.rs"), view("a.rs")]), ["modified a.rs"]);
}

#[test]
fn a_move_carries_the_history_along() {
    assert_eq!(run(&[edit("a.rs"), sh("mv a.rs b.rs")]), ["renamed b.rs from a.rs"]);
    assert_eq!(run(&[sh("mv a.rs b.rs"), sh("mv b.rs c.rs")]), ["renamed c.rs from a.rs"]);
    assert_eq!(run(&[create("a.rs"), sh("mv a.rs b.rs")]), ["deleted a.rs transient", "created b.rs"]);
    assert_eq!(
        run(&[view("b.rs"), create("b.tmp"), sh("mv b.tmp b.rs")]),
        ["modified b.rs", "deleted b.tmp transient"]
    );
    assert_eq!(run(&[sh("mv a.rs b.rs"), create("a.rs")]), ["created a.rs", "renamed b.rs from a.rs"]);
}

#[test]
fn a_folder_takes_its_files_along() {
    assert_eq!(
        run(&[edit("src/old/a.rs"), edit("src/old/b.rs"), sh("git mv src/old src/new")]),
        ["renamed src/new/a.rs from src/old/a.rs", "renamed src/new/b.rs from src/old/b.rs"]
    );
    assert_eq!(
        run(&[create("out/a.rs"), edit("out/b.rs"), edit("outer.rs"), sh("rm -rf out")]),
        ["deleted out/a.rs transient", "deleted out/b.rs", "modified outer.rs"]
    );
}

#[test]
fn what_earlier_versions_know_existed() {
    let known = EarlierNames { paths: vec!["a.rs", "dir/b.rs"], ..EarlierNames::default() };
    let talk = Talk::new().tool("bash", json!({"command": "echo x > a.rs; echo y > c.rs; rm -r dir"}), "");
    assert_eq!(
        lines(&read(talk.span(), &LedgerState::default(), &known)),
        ["modified a.rs", "created c.rs unsure", "deleted dir/b.rs"]
    );
}

#[test]
fn seqs_are_ascending_and_name_call_and_result() {
    let talk = Talk::new().user("go").tool("view", json!({"path": "a.rs"}), "x").tool(
        "edit",
        json!({"path": "a.rs", "oldText": "a", "newText": "b"}),
        "done",
    );
    // A changed file names what changed it.
    assert_eq!(talk.facts().files[0].seqs, [4, 5]);
}

#[test]
fn a_file_that_is_written_over_is_not_told_as_if_all_of_it_were_new() {
    let content = "def load():\n    pass\n\ndef save():\n    pass\n";
    let write = json!({"file_path": "a.py", "content": content});
    let new = Talk::new().tool("write_file", write.clone(), "ok");
    assert_eq!(new.facts().files[0].changes, ["added def load, def save"]);
    let read = Talk::new().tool("read_file", json!({"path": "a.py"}), "def load():\n    return 1");
    let over = read.tool("write_file", write, "ok");
    assert_eq!(over.facts().files[0].changes, ["written anew with def load, def save"]);
}

#[test]
fn changes_are_bounded_in_number_and_length() {
    let mut talk = Talk::new();
    for n in 0..60 {
        let new = format!("def f{n}():\n    {}", "x".repeat(500));
        talk = talk.tool("edit", json!({"path": "a.py", "oldText": "a", "newText": new}), "done");
    }
    let changes = talk.facts().files.remove(0).changes;
    assert_eq!(changes.len(), 20);
    assert!(changes.iter().all(|c| c.len() <= 120), "{changes:?}");
    assert_eq!(changes[0], "added def f0");
    assert_eq!(changes[19], "added def f59");
}

#[test]
fn what_was_listed_or_missed_before_tells_a_creation_from_an_overwrite() {
    let write = |talk: Talk, path: &str| {
        talk.tool("write", json!({"path": path, "content": "x"}), "Successfully wrote 1 bytes").files()
    };
    let sh = |command: &str, output: &str| Talk::new().tool("bash", json!({"command": command}), output);
    assert_eq!(write(sh("ls src", "a.rs\nb.rs"), "src/a.rs"), ["modified src/a.rs"]);
    assert_eq!(write(sh("ls -la", "-rw-r--r-- 1 me me 10 Jan 1 10:00 a.rs"), "a.rs"), ["modified a.rs"]);
    assert_eq!(write(sh("git ls-files", "src/a.rs\nsrc/b.rs"), "src/a.rs"), ["modified src/a.rs"]);
    assert_eq!(write(sh("find . -name '*.rs'", "./src/a.rs"), "src/a.rs"), ["modified src/a.rs"]);
    assert_eq!(write(sh("ls src", "a.rs"), "lib/a.rs"), ["created lib/a.rs unsure"]);
    assert_eq!(write(sh("ls src", "aa.rs"), "src/a.rs"), ["created src/a.rs unsure"]);
    assert_eq!(
        write(sh("cat src/a.rs", "cat: src/a.rs: No such file or directory"), "src/a.rs"),
        ["created src/a.rs"]
    );
    let missed =
        Talk::new().tool("read", json!({"path": "a.rs"}), "ENOENT: no such file or directory, open 'a.rs'");
    assert_eq!(write(missed, "a.rs"), ["created a.rs"]);
}

#[test]
fn a_file_written_again_with_the_same_definitions_is_told_once() {
    let write = |body: &str| ("write", json!({"path": "a.py", "content": format!("def run():\n{body}")}));
    let talk = [write("    1\n"), write("    1\n    2\n")]
        .iter()
        .fold(Talk::new(), |talk, (tool, arguments)| talk.tool(tool, arguments.clone(), "done"));
    assert_eq!(talk.facts().files[0].changes, ["added def run"]);
}

#[test]
fn a_file_that_nobody_calls_new_is_modified_once_it_is_worked_on() {
    let write = |path: &str| sh(&format!("cat > {path} <<'E'\nfn a() {{}}\nE"));
    assert_eq!(run(&[write("a.rs")]), ["created a.rs unsure"]);
    assert_eq!(run(&[write("a.rs"), sh("sed -i s/a/b/ a.rs")]), ["modified a.rs unsure"]);
    assert_eq!(run(&[create("a.rs"), sh("sed -i s/a/b/ a.rs")]), ["created a.rs"]);
}
