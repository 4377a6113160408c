//! Calls that store nothing: token counts, pre-aggregation, compression of messages.

use serde_json::{Value, json};

use crate::support::app::{App, app};
use crate::support::talks::called;

async fn post(app: &App, path: &str, body: &Value) -> crate::support::app::Answer {
    app.call("POST", path, body.to_string()).await
}

fn finding(id: &str, severity: &str) -> String {
    format!(
        "<!-- RUNE:FINDING nonce=\"n\" id=\"{id}\" file=\"a.py\" line=\"3\" severity=\"{severity}\" -->\n\
         - [ ] **[{id}] A finding** in `a.py:3`\n  - **Rune Trace:**\n    ```\n{}    ```\n\
         <!-- /RUNE:FINDING id=\"{id}\" -->\n",
        "    a line of code\n".repeat(12)
    )
}

#[tokio::test]
async fn outputs_of_agents_are_condensed_and_told() {
    let app = app().await;
    let (severe, mild, bad) = (finding("SEC-001", "P1"), finding("SEC-002", "P3"), finding("x", "P3"));
    let prose = "reasoning about methods\n".repeat(60);
    let content = format!("# Review\n\n## Method\n\n{prose}\n{severe}{mild}{bad}\n## Summary\n\nthree\n");
    let body = json!({
        "files": [{"name": "sec.md", "content": content}, {"name": "reviews/b.md", "content": "# B\n"}],
        "threshold_bytes": 1000, "expected": ["sec.md", "perf.md"],
    });
    let reply = post(&app, "/v1/preaggregate", &body).await.with(200);
    let reply = reply.json();
    assert_eq!(reply["condensed"], json!(true));
    let file = &reply["files"][0];
    let condensed = file["content"].as_str().expect("text");
    assert!(condensed.contains(&severe) && condensed.contains(&bad) && condensed.contains("## Summary"));
    assert!(!condensed.contains("reasoning about") && condensed.contains("# ... truncated ..."));
    assert_eq!((&file["kept"], &file["rejected"]), (&json!(2), &json!([{"id": "x", "reason": "bad_id"}])));
    assert_eq!(file["original_bytes"], json!(content.len()));
    assert_eq!(file["condensed_bytes"], json!(condensed.len()));
    assert_eq!(reply["files"][1]["content"], json!("# B\n"));
    assert_eq!(reply["report"]["coverage_incomplete"], json!(true));
    assert_eq!(reply["report"]["missing"], json!(["perf.md"]));
    // By default so little stays as it is.
    let small =
        post(&app, "/v1/preaggregate", &json!({"files": [{"name": "a", "content": content}]})).await.json();
    assert_eq!((&small["condensed"], &small["files"][0]["content"]), (&json!(false), &json!(content)));
}

#[tokio::test]
async fn files_that_cannot_be_taken_are_refused_with_their_place() {
    let app = app().await;
    let file = |name: &str| json!({"name": name, "content": ""});
    for (body, pointer) in [
        (json!({"files": []}), "/files"),
        (json!({"files": [file("a"), file("a")]}), "/files/1/name"),
        (json!({"files": [file("../a")]}), "/files/0/name"),
        (json!({"files": [file("a\0")]}), "/files/0/name"),
        (json!({"files": [file("")]}), "/files/0/name"),
        (json!({"files": [file("/etc/a")]}), "/files/0/name"),
        (json!({"files": [["a", ""]]}), "/files/0"),
        (json!({"files": [{"name": "a"}]}), "/files/0/content"),
        (json!({"files": [file("a")], "prefix": "A B"}), "/prefix"),
        (json!({"files": [file("a")], "threshold_bytes": -1}), "/threshold_bytes"),
        (json!({"files": [file("a")], "expected": ["a/../b"]}), "/expected/0"),
        (json!({"files": [file("a")], "treshold": 1}), "/treshold"),
    ] {
        let refusal = post(&app, "/v1/preaggregate", &body).await.refusal();
        assert_eq!(refusal, (422, "invalid-request".to_owned(), pointer.to_owned()), "{body}");
    }
    let many: Vec<Value> = (0..1_001).map(|n| file(&n.to_string())).collect();
    assert_eq!(post(&app, "/v1/preaggregate", &json!({"files": many})).await.status, 413);
}

fn messages(turns: usize) -> Vec<Value> {
    let mut messages = vec![
        json!({"role": "system", "content": "You are careful."}),
        json!({"role": "user", "content": "Fix the login in src/auth.rs."}),
    ];
    for turn in 0..turns {
        let path = json!({"file_path": format!("src/{turn}.rs")});
        let output = format!("line of {turn}\n").repeat(60);
        messages.extend(called(&format!("c{turn}"), "Read", &path, &output));
    }
    messages.push(json!({"role": "user", "content": "Now run the tests."}));
    messages
}

#[tokio::test]
async fn messages_are_compressed_within_the_request_and_nothing_is_stored() {
    let app = app().await;
    let body = json!({"messages": messages(20), "target_tokens": 3_000, "summary_model": "any"});
    let headers = [("idempotency-key", "once")];
    let reply = app.call_with("POST", "/v1/compress", body.to_string(), &headers).await.with(200);
    let made = reply.json();
    let (before, after) =
        (made["tokens_before"].as_u64().expect("a count"), made["tokens_after"].as_u64().expect("a count"));
    assert!(after <= 3_000 && before > 3_000, "{after} of {before}");
    let ratio = made["reduction"].as_f64().expect("a share");
    assert!(ratio > 0.3 && made["probe_score"].is_number() && made["probes_asked"].is_number());
    assert!(made["summary"]["session_intent"].as_str().is_some_and(|intent| intent.contains("login")));
    let served = made["messages"].as_array().expect("messages");
    assert_eq!(served[0]["role"], json!("system"));
    assert_eq!(served.last(), messages(20).last());
    // What comes back can be counted, stored and sent: it is a conversation like any other.
    let counted = post(&app, "/v1/tokens", &json!({"messages": served})).await;
    assert_eq!(counted.json()["tokens"], made["tokens_after"]);
    post(&app, "/v1/sessions/s/messages", &json!({"messages": served})).await.with(201);
    // The reply was not kept under its key: another body is no conflict.
    let other = json!({"messages": messages(3)}).to_string();
    assert_eq!(app.call_with("POST", "/v1/compress", other, &headers).await.status, 200);
    let sessions = app.call("GET", "/v1/sessions", "").await.json();
    assert_eq!(sessions["items"].as_array().map(Vec::len), Some(1), "the one that the test made");
}

#[tokio::test]
async fn what_cannot_be_compressed_is_refused_with_its_place() {
    let app = app().await;
    let with = |name: &str, value: Value| {
        let mut body = json!({"messages": messages(2)});
        body[name] = value;
        body
    };
    for (body, kind, pointer) in [
        (json!({"messages": []}), "invalid-request", "/messages"),
        (json!({}), "invalid-request", "/messages"),
        (json!({"messages": [{"role": "cook"}]}), "invalid-request", "/messages/0/role"),
        (with("strategy", json!("rollback")), "invalid-request", "/strategy"),
        (with("engine", json!("llm")), "refused", "/engine"),
        (with("summary_model", json!("")), "invalid-request", "/summary_model"),
        (with("target_tokens", json!(0)), "invalid-request", "/target_tokens"),
        (with("target", json!(1)), "invalid-request", "/target"),
        (with("target_tokens", json!(9)), "budget-too-small", ""),
    ] {
        let refusal = post(&app, "/v1/compress", &body).await.refusal();
        assert_eq!(refusal, (422, kind.to_owned(), pointer.to_owned()), "{body}");
    }
}

#[tokio::test]
async fn a_target_a_little_too_small_keeps_the_summary_and_says_what_it_left() {
    let app = app().await;
    let session: Value = serde_json::from_str(include_str!("../../examples/session.json")).expect("JSON");
    let compressed = async |target: u32| {
        let body = json!({"messages": session["messages"], "target_tokens": target}).to_string();
        app.call("POST", "/v1/compress", body).await
    };
    for target in [400, 450, 600] {
        let made = compressed(target).await.json();
        let after = made["tokens_after"].as_u64().expect("a count");
        assert!(after <= u64::from(target), "{made}");
        let rendering = made["rendering"].as_str().expect("a summary");
        let texts = made["messages"].to_string();
        assert!(
            texts.contains(Value::from(rendering).to_string().trim_matches('"')),
            "{target}: it is served"
        );
        assert!(made["probes_asked"].as_u64() > Some(0), "{made}");
    }
    // Below what can be held it is refused with the least that can.
    let refused = compressed(100).await;
    refused.refused_as(422, "budget-too-small");
    let least = u32::try_from(refused.json()["min_tokens"].as_u64().expect("a count")).expect("a count");
    assert_eq!(compressed(least).await.status, 200, "{least}");
}
