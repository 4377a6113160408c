//! Tests of pairing calls with their results.

use serde_json::json;

use super::Talk;
use crate::ledger::invocation::Invocation;
use crate::ledger::reading::Reading;
use crate::ledger::{LedgerState, pairing};
use anchord_messages::message::Role;

fn uses_of<'r>(readings: &'r [Reading<'_>]) -> Vec<Invocation<'r>> {
    pairing::read(readings, &LedgerState::default()).0
}

#[test]
fn parallel_results_find_their_calls_in_any_order() {
    let talk = Talk::new()
        .calls(&[("a", "Bash", json!({"command": "ls"})), ("b", "Bash", json!({"command": "pwd"}))])
        .result("b", "/p", None)
        .result("a", "x.rs", None);
    let readings = Reading::each(talk.span());
    let uses = uses_of(&readings);
    assert_eq!(uses[0].output.as_deref(), Some("x.rs"));
    assert_eq!(uses[1].output.as_deref(), Some("/p"));
    assert_eq!((uses[0].call_seq, uses[0].result_seq), (1, Some(3)));
    assert_eq!(uses[0].seqs(), [1, 3]);
}

#[test]
fn an_id_that_repeats_belongs_to_the_nearest_call_before() {
    let talk = Talk::new()
        .calls(&[("a", "Bash", json!({"command": "one"}))])
        .calls(&[("a", "Bash", json!({"command": "two"}))])
        .result("a", "second", None)
        .calls(&[("a", "Bash", json!({"command": "three"})), ("a", "Bash", json!({"command": "four"}))])
        .result("a", "third", None)
        .result("a", "fourth", None);
    let readings = Reading::each(talk.span());
    let outputs: Vec<_> = uses_of(&readings).iter().map(|u| u.output.clone()).collect();
    assert_eq!(outputs, [None, Some("second".into()), Some("third".into()), Some("fourth".into())]);
}

#[test]
fn results_without_ids_match_in_order_and_strange_ids_match_nothing_else() {
    let talk = Talk::new()
        .calls(&[("", "Bash", json!({"command": "one"})), ("", "Bash", json!({"command": "two"}))])
        .result("", "1", None)
        .result("", "2", None)
        .calls(&[("x", "Bash", json!({"command": "three"})), ("y", "Bash", json!({"command": "four"}))])
        .result("z", "?", None);
    let readings = Reading::each(talk.span());
    let outputs: Vec<_> = uses_of(&readings).iter().map(|u| u.output.clone()).collect();
    assert_eq!(outputs, [Some("1".into()), Some("2".into()), None, None]);
}

#[test]
fn a_call_without_a_result_changes_nothing() {
    let talk = Talk::new()
        .calls(&[("a", "Edit", json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"}))])
        .user("stop");
    assert!(talk.files().is_empty());
    assert_eq!(uses_of(&Reading::each(talk.span()))[0].failed, None);
}

#[test]
fn results_may_come_in_user_messages() {
    let talk = Talk::new().calls(&[("a", "Write", json!({"file_path": "/p/a.rs", "content": "x"}))]).answer(
        Role::User,
        "a",
        "File created successfully at: /p/a.rs",
        Some(false),
    );
    assert_eq!(talk.files(), ["created /p/a.rs"]);
}

#[test]
fn what_the_harness_marks_as_an_error_did_not_happen() {
    let talk = Talk::new().calls(&[("a", "Write", json!({"file_path": "/p/a.rs", "content": "x"}))]).result(
        "a",
        "hook said no",
        Some(true),
    );
    assert!(talk.files().is_empty());
}

#[test]
fn exit_codes_are_read_where_harnesses_write_them() {
    for (output, is_error, code) in [
        ("Exit code 2\nboom", Some(true), Some(2)),
        ("Exit code: 3\nWall time: 1 seconds\nOutput:\n", None, Some(3)),
        ("<returncode>4</returncode>\n<output>\n</output>", None, Some(4)),
        ("x\n[Command finished with exit code 5]", None, Some(5)),
        ("x\n[The command completed with exit code 6.]\n[Current working directory: /w]", None, Some(6)),
        ("x\n\nCommand exited with code 7", None, Some(7)),
        ("x\n<exited with exit code 8>", None, Some(8)),
        ("Command: x\nOutput: y\nError: (none)\nExit Code: 9\nSignal: (none)", None, Some(9)),
        ("{\"output\":\"x\",\"metadata\":{\"exit_code\":10,\"duration_seconds\":0.1}}", None, Some(10)),
        ("{\"returncode\": 11, \"output\": \"x\"}", None, Some(11)),
        ("Chunk ID: 3\nWall time: 1\nProcess exited with code 12\nOutput:\nx", None, Some(12)),
        ("fine", Some(false), Some(0)),
        ("fine", None, None),
        ("line\nthe program printed exit code 3 here\nmore\nmore", None, None),
    ] {
        let talk = Talk::new().calls(&[("a", "Bash", json!({"command": "x"}))]).result("a", output, is_error);
        let readings = Reading::each(talk.span());
        let uses = uses_of(&readings);
        assert_eq!(uses[0].exit_code, code, "{output}");
    }
}

#[test]
fn a_read_that_shows_an_error_message_is_still_a_read() {
    let body =
        format!("1\tcode\n{}\nerror: file not found\n<returncode>1</returncode>", "2\tmore\n".repeat(200));
    assert_eq!(
        Talk::new().tool("Read", json!({"file_path": "/p/log.txt"}), &body).files(),
        ["read /p/log.txt"]
    );
}

#[test]
fn a_fenced_command_is_read_although_its_answer_comes_with_the_next_span() {
    let first = Talk::new().assistant("```bash\nrm old.py\n```");
    let facts = first.facts();
    assert!(facts.commands.is_empty());
    let second = Talk::from(2).user("<returncode>0</returncode>\n<output>\n</output>");
    let facts = crate::ledger::read(second.span(), &facts.carry, &super::EarlierNames::default());
    assert_eq!(super::lines(&facts), ["deleted old.py"]);
    assert_eq!(facts.commands[0].seqs, [1, 2]);
    assert_eq!(facts.carry.unanswered, None);
}

#[test]
fn long_commands_are_cut_between_words() {
    let command = format!("echo {}", "word/path.rs ".repeat(60));
    let facts = Talk::new().tool("Bash", json!({"command": command}), "").facts();
    assert!(facts.commands[0].command.len() <= 300);
    assert!(facts.commands[0].command.ends_with("word/path.rs…"));
}
