//! A tool output that a session has already: every message comes back as sent, and a reference leads to it.

use serde_json::{Value, json};

use crate::support::app::{App, app};

const PATH: &str = "/v1/sessions/s/messages";

/// A long output with text that JSON escapes and bytes that are no characters of their own.
fn output() -> String {
    let lines: Vec<String> = (0..200).map(|line| format!("{line}: \"é\" 漢字 \t\\ end\n")).collect();
    lines.concat()
}

fn chat(call: &str, output: &str) -> String {
    format!(r#"{{ "role":"tool","content" : {} ,"tool_call_id":"{call}"}}"#, Value::from(output))
}

async fn append(app: &App, format: &str, messages: &[String]) {
    let body = format!(r#"{{"format":"{format}","messages":[{}]}}"#, messages.join(","));
    app.call("POST", PATH, body).await.with(201);
}

async fn assert_all_come_back(app: &App, messages: &[String]) {
    let page = app.call("GET", PATH, "").await.with(200);
    for (message, seq) in messages.iter().zip(1..) {
        assert!(page.text.contains(message.as_str()), "message {seq} did not come back as it was");
        let one = app.call("GET", &format!("{PATH}?from_seq={seq}&to_seq={seq}"), "").await;
        assert!(one.text.contains(message.as_str()), "message {seq} alone did not come back as it was");
    }
}

#[tokio::test]
async fn contexts_summaries_recall_and_references_read_the_whole_text() {
    let app = app().await;
    let output = output();
    let mut messages = vec![json!({"role": "user", "content": "Read the table twice."}).to_string()];
    for call in 0..12 {
        let id = format!("call_{call}");
        let function = json!({"name": "read", "arguments": "{\"path\":\"table.txt\"}"});
        messages.push(
            json!({"role": "assistant", "content": null,
                   "tool_calls": [{"id": id, "type": "function", "function": function}]})
            .to_string(),
        );
        messages.push(chat(&id, &output));
    }
    let marks = r#"[{"index": 22, "keep": "never"}]"#;
    let body = format!(r#"{{"messages":[{}],"marks":{marks}}}"#, messages.join(","));
    app.call("POST", PATH, body).await.with(201);
    let whole = app.call("GET", "/v1/sessions/s/context", "").await.json();
    let half = whole["tokens"]["total"].as_u64().unwrap_or_default() / 2;
    let context = app.call("GET", &format!("/v1/sessions/s/context?max_input_tokens={half}"), "").await;
    assert_eq!(context.status, 200, "{}", context.text);
    // The newest is served whole.
    let served = context.json();
    let last = served["messages"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default();
    assert_eq!(last["content"], output.as_str());
    let reference = served["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|message| message["content"].as_str())
        .find_map(|content| content.strip_prefix("[tool output ")?.get(..16).map(str::to_owned))
        .expect("a placeholder for an older one");
    let found = app.call("GET", &format!("/v1/sessions/s/tool-outputs/{reference}"), "").await;
    assert_eq!(found.json()["content"], output.as_str());
    let hits = app.call("GET", "/v1/sessions/s/recall?q=199&limit=50", "").await;
    assert_eq!(hits.json()["items"].as_array().map(Vec::len), Some(12), "{}", hits.text);
    let reply =
        app.call("POST", "/v1/sessions/s/compressions", r#"{"preserve_recent": 2, "target": 0.5}"#).await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    app.work().await;
    let session = app.call("GET", "/v1/sessions/s", "").await;
    assert_eq!(session.json()["summary_version"], 1, "{}", session.text);
    assert_all_come_back(&app, &messages).await;
}

#[tokio::test]
async fn a_page_is_bounded_by_what_it_gives_back_and_not_by_what_is_stored() {
    let app = app().await;
    let output = "word ".repeat(140_000);
    let messages = [chat("1", &output), chat("2", &output), chat("3", &output), chat("4", &output)];
    append(&app, "openai-chat", &messages).await;
    let page = app.call("GET", PATH, "").await.json();
    assert_eq!(page["items"].as_array().map(Vec::len), Some(3), "four are above the bound");
    assert_ne!(page["next_cursor"], Value::Null);
}
