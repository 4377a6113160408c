//! What starts a compression, policy by policy, and what does not.

use serde_json::{Value, json};

use crate::support::app::{App, app};

const SESSION: &str = "/v1/sessions/s";

/// A session with settings.
async fn session(settings: Value) -> App {
    let app = app().await;
    let reply = app.call("PUT", SESSION, settings.to_string()).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    app
}

async fn append(app: &App, messages: &[Value]) -> Value {
    let body = json!({"messages": messages}).to_string();
    let reply = app.call("POST", &format!("{SESSION}/messages"), body).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    reply.json()
}

fn talk(messages: usize, words: usize) -> Vec<Value> {
    (0..messages)
        .map(|i| {
            let role = if i.is_multiple_of(2) { "user" } else { "assistant" };
            json!({"role": role, "content": format!("{i}: {}", "some talk ".repeat(words))})
        })
        .collect()
}

/// The same file read three times.
fn rereading() -> Vec<Value> {
    (0..3)
        .flat_map(|i| {
            let id = format!("call_{i}");
            let function = json!({"name": "read_file", "arguments": r#"{"path": "src/a.rs"}"#});
            [
                json!({"role": "assistant", "content": null,
                       "tool_calls": [{"id": id, "type": "function", "function": function}]}),
                json!({"role": "tool", "tool_call_id": id, "content": "fn main() {}"}),
            ]
        })
        .collect()
}

fn signal<'a>(reply: &'a Value, kind: &str) -> &'a Value {
    let signals = reply["decision"]["signals"].as_array().unwrap();
    signals.iter().find(|signal| signal["kind"] == kind).unwrap_or_else(|| panic!("no {kind} in {reply}"))
}

fn started(reply: &Value) -> bool {
    !reply["compression"].is_null()
}

#[tokio::test]
async fn every_append_returns_every_signal_with_its_own_action() {
    let app = session(json!({})).await;
    let reply = append(&app, &[talk(2, 10), rereading()].concat()).await;
    assert_eq!(reply["decision"]["signals"].as_array().unwrap().len(), 10);
    let said = signal(&reply, "rereading");
    assert_eq!((said["action"].as_str(), said["counts"].as_bool()), (Some("immediate"), Some(false)));
    assert_eq!(reply["decision"]["action"], "none", "the default policy lets utilisation alone count");
    assert_eq!(reply["decision"]["reasons"], json!([]));
    assert!(!started(&reply));
}

#[tokio::test]
async fn utilization_starts_by_how_full_the_window_is_and_by_nothing_else() {
    let app = session(json!({"context_window": 10_000})).await;
    let reply = append(&app, &talk(80, 5)).await;
    assert_eq!(signal(&reply, "message_count")["action"], "force");
    assert!(!started(&reply), "{reply}");
    let reply = append(&app, &talk(10, 300)).await;
    assert_eq!(reply["decision"]["reasons"], json!(["utilization"]));
    assert!(started(&reply), "{reply}");
}

#[tokio::test]
async fn message_count_starts_at_its_count_and_not_by_fullness() {
    let app = session(json!({"policy": "message_count", "context_window": 10_000})).await;
    let reply = append(&app, &talk(20, 300)).await;
    assert_eq!(signal(&reply, "utilization")["action"], "immediate");
    assert!(!started(&reply), "{reply}");
    let reply = append(&app, &talk(12, 5)).await;
    assert_eq!(reply["decision"]["action"], "optional");
    assert!(!started(&reply), "{reply}");
    let reply = append(&app, &talk(18, 5)).await;
    assert_eq!((&reply["decision"]["action"], started(&reply)), (&json!("compress"), true));
}

#[tokio::test]
async fn protocol_starts_at_a_task_boundary_and_not_by_rereading() {
    let app = session(json!({"policy": "protocol"})).await;
    let reply = append(&app, &[talk(16, 50), rereading()].concat()).await;
    assert!(!started(&reply), "{reply}");
    let body = json!({"messages": talk(1, 5), "task_boundary": true}).to_string();
    let reply = app.call("POST", &format!("{SESSION}/messages"), body).await.json();
    assert_eq!((&reply["decision"]["reasons"], started(&reply)), (&json!(["task_boundary"]), true));
}

#[tokio::test]
async fn protocol_evaluates_many_turns_and_starts_when_that_saves_enough() {
    let app = session(json!({"policy": "protocol"})).await;
    let reply = append(&app, &talk(44, 5)).await;
    assert_eq!((&reply["decision"]["action"], started(&reply)), (&json!("evaluate"), false));
    let reply = append(&app, &talk(4, 5_000)).await;
    assert_eq!(signal(&reply, "turn_count")["action"], "compress");
    assert!(started(&reply), "{reply}");
}

#[tokio::test]
async fn protocol_takes_a_todo_list_that_is_done_for_the_end_of_a_task() {
    let app = session(json!({"policy": "protocol"})).await;
    let todo = |status: &str| {
        let arguments = json!({"todos": [{"content": "rename it", "status": status}]}).to_string();
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": status, "type": "function", "function": {"name": "TodoWrite", "arguments": arguments}}]})
    };
    let answer = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "ok"});
    append(&app, &[talk(16, 50), vec![todo("pending"), answer("pending")]].concat()).await;
    let reply = append(&app, &[todo("completed"), answer("completed")]).await;
    assert_eq!((&reply["decision"]["reasons"], started(&reply)), (&json!(["task_boundary"]), true));
}

#[tokio::test]
async fn combined_starts_by_any_signal_and_publishing_clears_the_history() {
    let app = session(json!({"policy": "combined"})).await;
    let reply = append(&app, &[talk(20, 100), rereading()].concat()).await;
    assert_eq!(reply["decision"]["action"], "immediate");
    assert_eq!(reply["decision"]["reasons"], json!(["rereading"]));
    assert!(started(&reply), "{reply}");
    app.work().await;
    assert_eq!(app.call("GET", &format!("{SESSION}/summary"), "").await.status, 200);
    let reply = append(&app, &talk(2, 5)).await;
    assert_eq!(signal(&reply, "rereading")["action"], "none");
    assert_eq!((&reply["decision"]["action"], started(&reply)), (&json!("none"), false));
}

#[tokio::test]
async fn warnings_and_advice_start_nothing() {
    let settings = json!({"policy": "combined", "context_window": 40_000, "thresholds": {"turns": 1_000}});
    let app = session(settings).await;
    let reply = append(&app, &talk(24, 450)).await;
    assert_eq!(signal(&reply, "growth")["action"], "warn");
    assert_eq!((&reply["decision"]["action"], started(&reply)), (&json!("warn"), false), "{reply}");
}

#[tokio::test]
async fn a_session_that_is_not_automatic_is_told_and_left_alone() {
    let app = session(json!({"policy": "combined", "auto": false})).await;
    let reply = append(&app, &[talk(20, 100), rereading()].concat()).await;
    assert_eq!((&reply["decision"]["action"], started(&reply)), (&json!("immediate"), false));
}

#[tokio::test]
async fn a_threshold_is_changed_for_a_session_and_checked() {
    let app = session(json!({"policy": "combined", "thresholds": {"rereads": 4}})).await;
    let reply = append(&app, &[talk(20, 100), rereading()].concat()).await;
    assert_eq!(signal(&reply, "rereading")["action"], "none");
    for (thresholds, pointer) in [
        (json!({"repeats": 1}), "/thresholds/repeats"),
        (json!({"rereads": 21}), "/thresholds/rereads"),
        (json!({"reread_share": 0}), "/thresholds/reread_share"),
        (json!({"savings": 1}), "/thresholds/savings"),
        (json!({"verbosity": 1.0}), "/thresholds/verbosity"),
        (json!({"growth": 1.5}), "/thresholds/growth"),
        (json!({"cycles": 0}), "/thresholds/cycles"),
        (json!({"target": 0.8}), "/thresholds/target"),
        (json!({"force": 0.5}), "/thresholds/force"),
        (json!({"critical": 0.8}), "/thresholds/critical"),
        (json!({"warn": 0.75}), "/thresholds/warn"),
        (json!({"messages": {"compress": 80}}), "/thresholds/messages"),
    ] {
        let reply = app.call("PUT", SESSION, json!({"thresholds": thresholds}).to_string()).await;
        assert_eq!((reply.status.as_u16(), reply.refusal().2.as_str()), (422, pointer), "{}", reply.text);
    }
}
