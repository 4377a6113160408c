//! Masking over HTTP, rule by rule: what becomes a placeholder, what stays, and how it is got back.

use serde_json::{Value, json};

use crate::support::app::{App, session};
use crate::support::talks::called;

const SESSION: &str = "/v1/sessions/s";

async fn append(app: &App, body: Value) -> Value {
    app.call("POST", &format!("{SESSION}/messages"), body.to_string()).await.with(201).json()
}

async fn context(app: &App) -> Value {
    app.call("GET", &format!("{SESSION}/context"), "").await.with(200).json()
}

/// A call of a command and its output of so many lines; each line is about ten tokens.
fn run(id: usize, command: &str, lines: usize, last: &str) -> [Value; 2] {
    let output: Vec<String> =
        (0..lines).map(|line| format!("{id} line {line} of the output of it\n")).collect();
    let output = output.concat() + last;
    called(&format!("c{id}"), "bash", &json!({"command": command}), &output)
}

fn runs(from: usize, count: usize, lines: usize) -> Vec<Value> {
    (from..from + count).flat_map(|id| run(id, &format!("cmd {id}"), lines, "done")).collect()
}

fn masked(context: &Value) -> Vec<i64> {
    context["masked"].as_array().unwrap().iter().map(|masked| masked["seq"].as_i64().unwrap()).collect()
}

fn clipped(context: &Value) -> Vec<i64> {
    let runs = context["omitted"].as_array().unwrap().iter().filter(|run| run["reason"] == "clipped");
    runs.flat_map(|run| run["from_seq"].as_i64().unwrap()..=run["to_seq"].as_i64().unwrap()).collect()
}

fn asks() -> Value {
    json!({"role": "user", "content": "go on"})
}

#[tokio::test]
async fn a_mark_of_never_masks_at_once_and_a_mark_of_always_keeps_at_every_level() {
    let app = session(json!({"context_window": 20_000, "auto": false})).await;
    let first: Vec<Value> = std::iter::once(asks()).chain(runs(0, 4, 70)).collect();
    append(
        &app,
        json!({"messages": first, "marks": [{"index": 2, "keep": "never"}, {"index": 4, "keep": "always"}]}),
    )
    .await;
    assert_eq!(masked(&context(&app).await), [3], "what the caller does not want, and nothing else yet");
    // Up to the force level, and one append more: outputs are clipped by the append after the one that passed it.
    let full = append(&app, json!({"messages": runs(4, 20, 70)})).await;
    assert!(full["usage"]["effective_utilization"].as_f64().unwrap() >= 0.85, "{full:#}");
    append(&app, json!({"messages": [asks()]})).await;
    let context = context(&app).await;
    assert_eq!(masked(&context), [3]);
    let seqs = clipped(&context);
    assert!(seqs.contains(&7) && !seqs.contains(&5) && !seqs.contains(&3), "{seqs:?}");
}

#[tokio::test]
async fn where_five_messages_leave_nothing_to_cover_force_clips_at_once_what_is_not_the_newest() {
    let app = session(json!({"context_window": 25_000})).await;
    let mut messages = vec![asks()];
    messages.extend(run(0, "cat a", 880, "done"));
    append(&app, json!({"messages": messages})).await;
    let full = append(&app, json!({"messages": run(1, "cat b", 880, "done")})).await;
    assert_eq!(clipped(&context(&app).await), [3], "{full:#}");
    let share = full["usage"]["effective_utilization"].as_f64().unwrap();
    assert!(share < 0.60, "{share}");
    // In one batch nothing is older than the newest group, so the reply says why nothing is done.
    app.call("PUT", "/v1/sessions/t", r#"{"context_window": 25000}"#).await.with(201);
    let messages =
        json!({"messages": [asks(), {"role": "assistant", "content": "some talk ".repeat(8_700)}]});
    let full = app.call("POST", "/v1/sessions/t/messages", messages.to_string()).await.json();
    assert_eq!(
        (&full["compression"], &full["decision"]["action"], &full["decision"]["held_back"]),
        (&json!(null), &json!("force"), &json!("nothing_to_cover")),
        "{full:#}"
    );
}

#[tokio::test]
async fn a_placeholder_says_what_it_was_and_leads_to_its_lines() {
    let app = session(json!({})).await;
    let mut messages = vec![asks()];
    messages.extend(run(1, "cargo test", 30, "3 passed; 1 failed"));
    messages.push(asks());
    append(&app, json!({"messages": messages, "marks": [{"index": 2, "keep": "never"}]})).await;
    let context = context(&app).await;
    let reference = context["masked"][0]["ref"].as_str().unwrap();
    assert_eq!(
        context["messages"][2]["content"],
        format!("[tool output {reference}: 31 lines from \"cargo test\" · key: 3 passed; 1 failed]")
    );
    assert!(reference.len() >= 16 && reference.bytes().all(|b| b.is_ascii_hexdigit()), "64 bits at least");
    let lines = format!("{SESSION}/tool-outputs/{reference}?from_line=31");
    assert_eq!(app.call("GET", &lines, "").await.json()["content"], "3 passed; 1 failed");
    let elsewhere = app.call("GET", &format!("/v1/sessions/other/tool-outputs/{reference}"), "").await;
    assert_eq!(elsewhere.status, 404, "it is valid inside its session alone");
}

#[tokio::test]
async fn with_masking_off_nothing_is_masked_and_the_budget_is_kept_all_the_same() {
    let app = session(json!({"context_window": 10_000, "auto": false, "mask": "off"})).await;
    let messages: Vec<Value> = std::iter::once(asks()).chain(runs(0, 20, 70)).collect();
    append(&app, json!({"messages": messages, "marks": [{"index": 2, "keep": "never"}]})).await;
    append(&app, json!({"messages": [asks()]})).await;
    let context = context(&app).await;
    assert_eq!(masked(&context), [] as [i64; 0]);
    assert_eq!(context["within_budget"], true);
    assert!(!context["omitted"].as_array().unwrap().is_empty(), "{context:#}");
}

#[tokio::test]
async fn a_budget_that_binds_takes_the_oldest_first_and_what_is_kept_last() {
    let app = session(json!({"auto": false})).await;
    let messages: Vec<Value> = std::iter::once(asks()).chain(runs(0, 12, 70)).collect();
    append(&app, json!({"messages": &messages, "marks": [{"index": 2, "keep": "always"}]})).await;
    let tight = |tokens: u32| format!("{SESSION}/context?max_input_tokens={tokens}");
    let some = app.call("GET", &tight(7_000), "").await.json();
    assert_eq!(some["omitted"], json!([{"from_seq": 4, "to_seq": 15, "reason": "budget"}]), "{some:#}");
    assert_eq!(
        (masked(&some), some["messages"][2]["content"].clone()),
        (vec![], messages[2]["content"].clone())
    );
    let all = app.call("GET", &tight(1_500), "").await.json();
    assert!(masked(&all).contains(&25) || all["omitted"] != json!([]), "the budget wins: {all:#}");
    assert!(all["tokens"]["total"].as_u64().unwrap() <= 1_500);
}

#[tokio::test]
async fn an_output_that_cannot_be_served_whole_is_told_with_how_large_one_may_be() {
    let app = session(json!({"context_window": 8_000, "auto": false})).await;
    let messages: Vec<Value> = std::iter::once(asks()).chain(run(1, "cat a", 900, "done")).collect();
    let sent = messages[2]["content"].clone();
    let list = json!({"messages": messages.clone()}).to_string();
    let appended = append(&app, json!({"messages": messages})).await;
    assert_eq!(app.call("PUT", "/v1/sessions/u", r#"{"context_window": 8000}"#).await.status, 201);
    let synced = app.call("PUT", "/v1/sessions/u/transcript", list).await.json();
    for reply in [appended, synced] {
        let warnings = reply["warnings"].as_array().cloned().unwrap_or_default();
        assert_eq!(warnings.len(), 1, "{reply:#}");
        let told = &warnings[0];
        assert_eq!((&told["code"], &told["seqs"]), (&json!("output-larger-than-window"), &json!([3])));
        assert_eq!(told["max_tokens"], 6_400, "nothing stands beside it yet: {told}");
        assert!(told["tokens"].as_u64().unwrap() > 6_400, "{told}");
    }
    assert_ne!(context(&app).await["messages"][2]["content"], sent, "it gave way");
    let small = append(&app, json!({"messages": run(2, "cat b", 300, "done")})).await;
    assert_eq!(small["warnings"], Value::Null, "{small}");
    append(&app, json!({"messages": runs(10, 6, 20)})).await;
    app.compress("s", "").await;
    let memory = context(&app).await["tokens"]["summary"].as_u64().unwrap();
    assert!(memory > 0);
    let large = append(&app, json!({"messages": run(3, "cat c", 900, "done")})).await;
    let most = large["warnings"][0]["max_tokens"].as_u64().unwrap();
    assert!(most <= 6_400 - memory, "the memory stands beside it: {large:#}");
}
