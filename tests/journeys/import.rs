//! `anchord import` and `anchord compress` on agents' logs, as a person runs them.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support;
use crate::support::service::{KEY, Service, anchord};

/// The log of a session of so many turns, in the shape of Claude Code.
fn log(turns: usize) -> String {
    let mut lines = vec![
        json!({"type": "summary", "summary": "Parts"}),
        json!({"type": "user", "message": {"role": "user", "content": "Read every part of src."}}),
    ];
    for turn in 0..turns {
        let call = json!({"type": "tool_use", "id": format!("t{turn}"), "name": "Read", "input": {"file_path": format!("src/part{turn}.rs")}});
        let output = format!("line of part {turn}\n").repeat(30);
        let result = json!({"type": "tool_result", "tool_use_id": format!("t{turn}"), "content": output});
        let said =
            |content: Value| json!({"id": format!("m{turn}"), "role": "assistant", "content": [content]});
        lines
            .push(json!({"type": "assistant", "message": said(json!({"type": "text", "text": "Reading."}))}));
        lines.push(json!({"type": "assistant", "message": said(call)}));
        lines.push(json!({"type": "user", "message": {"role": "user", "content": [result]}}));
    }
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

fn run(words: &[&str]) -> (bool, String, String) {
    let output = anchord(words).output().expect("the program");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    path.to_str().expect("a plain path").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_is_imported_in_batches_and_gone_on_with() {
    let database = support::database().await;
    let service = Service::on(&database.url, &[]);
    let url = format!("http://{}", service.client().address());
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "a.jsonl", &log(3));
    let import =
        |file: &str| run(&["import", file, "--session", "s", "--url", &url, "--key", KEY, "--batch", "3"]);

    let (done, told, stderr) = import(&file);
    assert!(done, "{stderr}");
    let left = "left out (not messages): summary (1)\n";
    assert_eq!(told, format!("session s: 7 messages (claude-code)\n{left}"));
    assert!(stderr.is_empty(), "quiet in a pipe: {stderr}");
    let (_, told, _) = import(&file);
    assert_eq!(told, format!("session s: 7 messages (claude-code), all already stored\n{left}"));
    // The agent went on, and so does the import.
    written(folder.path(), "a.jsonl", &log(5));
    assert_eq!(
        import(&file).1,
        format!("session s: 11 messages (claude-code), 7 of them already stored\n{left}")
    );
    let stored = service.client().get("/v1/sessions/s/messages?limit=100").json();
    let stored = stored["items"].as_array().expect("messages");
    assert_eq!(stored.len(), 11);
    assert_eq!(
        stored[1]["message"]["content"].as_array().map(Vec::len),
        Some(2),
        "a turn's lines are one message"
    );

    let other = written(folder.path(), "b.jsonl", &log(5).replace("part 4", "part four"));
    let (done, _, stderr) = import(&other);
    assert!(!done && stderr.contains("other messages"), "{stderr}");
    let broken =
        written(folder.path(), "c.jsonl", &(log(1) + "{\"type\": \"user\", \"message\": {\"role\"\n{}\n"));
    let (done, _, stderr) = import(&broken);
    assert!(!done && stderr.contains("c.jsonl: line 6: "), "{stderr}");
    std::fs::write(folder.path().join("d.jsonl"), b"{}\n\xff\xfe\n").expect("a file");
    let odd = folder.path().join("d.jsonl");
    let (done, _, stderr) = import(odd.to_str().expect("a path"));
    assert!(!done && stderr.contains("d.jsonl: line 2: not UTF-8"), "{stderr}");
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_of_the_api_is_restored_and_one_that_was_cut_off_is_refused() {
    let database = support::database().await;
    let service = Service::on(&database.url, &[]);
    let url = format!("http://{}", service.client().address());
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "a.jsonl", &log(3));
    let import = |file: &str, session: &str| {
        run(&["import", file, "--session", session, "--url", &url, "--key", KEY, "--batch", "3"])
    };
    assert!(import(&file, "s").0);
    // As a client of HTTP/1.0 it comes in one piece.
    let client = service.client();
    let ask = client.request("GET", "/v1/sessions/s/export", &[], "").replacen("HTTP/1.1", "HTTP/1.0", 1);
    let (mut stream, mut reply) = (client.connect().expect("a connection"), String::new());
    stream.write_all(ask.as_bytes()).expect("a request");
    stream.read_to_string(&mut reply).expect("a reply");
    let (_, export) = reply.split_once("\r\n\r\n").expect("a head");
    let file = written(folder.path(), "s.jsonl", export);
    let (done, told, stderr) = import(&file, "copy");
    assert!(done, "{stderr}");
    assert_eq!(told, "session copy: 7 messages (export)\n");
    assert_eq!(import(&file, "copy").1, "session copy: 7 messages (export), all already stored\n");
    let messages = |session: &str| {
        let page = service.client().get(&format!("/v1/sessions/{session}/messages?limit=100")).json();
        let items = page["items"].as_array().expect("messages").clone();
        items.into_iter().map(|item| item["message"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(messages("copy"), messages("s"));
    let cut: String = export.split_inclusive('\n').take(5).collect();
    let (done, _, stderr) = import(&written(folder.path(), "cut.jsonl", &cut), "other");
    assert!(!done && stderr.contains("cut.jsonl: ") && stderr.contains("cut off"), "{stderr}");
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[test]
fn a_log_is_compressed_without_server_and_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "a.jsonl", &log(20));
    let (done, told, stderr) = run(&["compress", &file]);
    assert!(done, "{stderr}");
    assert!(told.contains("## Session Intent") && told.contains("probes: "), "{told}");
    assert!(told.contains("left out (not messages): summary (1)"), "{told}");
    assert!(stderr.is_empty(), "quiet in a pipe: {stderr}");
    let (done, _, stderr) = run(&["compress", &file, "--format", "swe-agent"]);
    assert!(!done && stderr.contains("a.jsonl: line 2: not a trajectory"), "{stderr}");
}
