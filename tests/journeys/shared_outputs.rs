//! A tool output that a session has already is stored once, and every message still comes back as sent.

use serde_json::{Value, json};
use sqlx::Row as _;

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

/// Two results in one message, as blocks.
fn blocks(first: &str, second: &str) -> String {
    json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "a", "content": first},
        {"type": "text", "text": "between"},
        {"type": "tool_result", "tool_use_id": "b", "content": second},
    ]})
    .to_string()
}

async fn append(app: &App, format: &str, messages: &[String]) {
    let body = format!(r#"{{"format":"{format}","messages":[{}]}}"#, messages.join(","));
    let reply = app.call("POST", PATH, body).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
}

/// The bytes of every stored body, in order.
async fn stored_bytes(app: &App) -> Vec<i32> {
    let mut look = app.database.connect().await;
    let rows = sqlx::raw_sql("select octet_length(coalesce(body, rest)) as bytes from messages order by seq");
    rows.fetch_all(&mut look).await.expect("rows").iter().map(|row| row.get("bytes")).collect()
}

async fn assert_all_come_back(app: &App, messages: &[String]) {
    let page = app.call("GET", PATH, "").await;
    assert_eq!(page.status, 200, "{}", page.text);
    for (message, seq) in messages.iter().zip(1..) {
        assert!(page.text.contains(message.as_str()), "message {seq} did not come back as it was");
        let one = app.call("GET", &format!("{PATH}?from_seq={seq}&to_seq={seq}"), "").await;
        assert!(one.text.contains(message.as_str()), "message {seq} alone did not come back as it was");
    }
}

#[tokio::test]
async fn an_output_that_repeats_is_stored_once_within_a_batch_and_across_batches() {
    let app = app().await;
    let output = output();
    let other = output.replace("end", "fin");
    let messages =
        [chat("1", &output), chat("2", &output), chat("3", &other), chat("4", &output), chat("5", &other)];
    append(&app, "openai-chat", &messages[..3]).await;
    append(&app, "openai-chat", &messages[3..]).await;
    assert_all_come_back(&app, &messages).await;
    let whole = i32::try_from(messages[0].len()).unwrap();
    assert_eq!(stored_bytes(&app).await, [whole, 49, whole, 49, 49]);
}

#[tokio::test]
async fn results_of_one_message_are_shared_each_by_itself_and_with_each_other() {
    let app = app().await;
    let (one, two) = (output(), output().replace("end", "fin"));
    let messages = [
        blocks(&one, &one),
        // Its own new text stands behind what was taken out, and is itself the source of the next.
        blocks(&one, &two),
        blocks(&two, &one),
        blocks(&one, "short"),
    ];
    for message in &messages {
        append(&app, "anthropic", std::slice::from_ref(message)).await;
    }
    assert_all_come_back(&app, &messages).await;
    let bytes = stored_bytes(&app).await;
    let text = i32::try_from(Value::from(one.as_str()).to_string().len()).unwrap();
    assert!(
        bytes.iter().zip([1, 1, 0, 0]).all(|(bytes, texts)| (0..200).contains(&(bytes - texts * text))),
        "{bytes:?}"
    );
}

#[tokio::test]
async fn a_message_with_very_many_repeats_is_stored_whole() {
    let app = app().await;
    let output = output();
    let many = |count: usize| {
        let block = |i| json!({"type": "tool_result", "tool_use_id": format!("c{i}"), "content": output});
        json!({"role": "user", "content": (0..count).map(block).collect::<Vec<_>>()}).to_string()
    };
    // Of the first, one text stays for the others; the second is as much as may be taken out; the third is more, and
    // what stands only in it is a source as any other.
    let late = output.replace("end", "fin");
    let [text, new] = [&output, &late].map(|output| Value::from(output.as_str()).to_string());
    let whole = many(66).replacen(&text, &new, 1);
    let messages = [many(65), many(64), whole, blocks(&late, &output)];
    for message in &messages {
        append(&app, "anthropic", std::slice::from_ref(message)).await;
    }
    let page = app.call("GET", PATH, "").await;
    for message in &messages {
        assert!(page.text.contains(message.as_str()), "a message did not come back as it was");
    }
    let mut look = app.database.connect().await;
    let rows =
        sqlx::raw_sql("select body is null as cut from messages order by seq").fetch_all(&mut look).await;
    let cut: Vec<bool> = rows.expect("rows").iter().map(|row| row.get("cut")).collect();
    assert_eq!(cut, [true, true, false, true]);
}

#[tokio::test]
async fn the_same_text_in_other_escapes_or_in_another_session_stays_where_it_is() {
    let app = app().await;
    let output = output();
    let (lower, upper) = (output.replace('é', r"\u00e9"), output.replace('é', r"\u00E9"));
    let escaped = |text: &str| chat("2", text).replace(r"\\u00", r"\u00");
    let messages = [escaped(&lower), chat("1", &output), escaped(&upper)];
    append(&app, "openai-chat", &messages[..2]).await;
    append(&app, "openai-chat", &messages[2..]).await;
    assert_all_come_back(&app, &messages).await;
    let body = format!(r#"{{"messages":[{}]}}"#, messages[1]);
    assert_eq!(app.call("POST", "/v1/sessions/other/messages", body).await.status, 201);
    let bytes = stored_bytes(&app).await;
    assert!(bytes.iter().all(|bytes| *bytes > 4_000), "{bytes:?}");
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
    append(&app, "openai-chat", &messages).await;
    let context = app.call("GET", "/v1/sessions/s/context?max_tokens=100000", "").await;
    assert_eq!(context.status, 200, "{}", context.text);
    // The newest of the repeats is served whole.
    let served = context.json();
    let last = served["messages"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default();
    assert_eq!(last["content"], output.as_str());
    let reference = served["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|message| message["content"].as_str())
        .find_map(|content| content.strip_prefix("[tool output ")?.get(..16).map(str::to_owned))
        .expect("a placeholder for a repeat");
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
    let output = "word ".repeat(700_000);
    let messages = [chat("1", &output), chat("2", &output), chat("3", &output), chat("4", &output)];
    append(&app, "openai-chat", &messages).await;
    let page = app.call("GET", PATH, "").await.json();
    assert_eq!(page["items"].as_array().map(Vec::len), Some(3), "four are above the bound");
    assert_ne!(page["next_cursor"], Value::Null);
}
