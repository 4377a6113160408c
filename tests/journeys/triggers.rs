//! What starts a compression, policy by policy, and what does not.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::app::COMPRESS;
use crate::support::app::{App, OPERATOR, THEIRS, session};
use crate::support::talks::{called, turns};
use crate::support::text;

const SESSION: &str = "/v1/sessions/s";

async fn append(app: &App, messages: &[Value]) -> Value {
    let body = json!({"messages": messages}).to_string();
    app.call("POST", &format!("{SESSION}/messages?include=usage,signals"), body).await.with(201).json()
}

fn talk(messages: usize, words: usize) -> Vec<Value> {
    turns(messages, |i| format!("{i}: {}", "some talk ".repeat(words)))
}

/// The same file read three times.
fn rereading() -> Vec<Value> {
    (0..3)
        .flat_map(|i| called(&format!("call_{i}"), "read_file", &json!({"path": "src/a.rs"}), "fn main() {}"))
        .collect()
}

fn signal<'a>(reply: &'a Value, kind: &str) -> &'a Value {
    let signals = reply["decision"]["signals"].as_array().unwrap();
    signals.iter().find(|signal| signal["kind"] == kind).unwrap_or_else(|| panic!("no {kind} in {reply}"))
}

/// An append that asks for no signals.
async fn append_briefly(app: &App, session: &str, messages: &[Value]) -> Value {
    let body = json!({"messages": messages}).to_string();
    app.call("POST", &format!("/v1/sessions/{session}/messages"), body).await.with(201).json()
}

/// The history that the session's row has for signals.
async fn history(app: &App) -> Value {
    let query = "select coalesce(recent, 'null') from sessions where name = 's'";
    let stored = text(&mut app.database.connect_as_superuser().await, query).await;
    serde_json::from_str(&stored).unwrap()
}

fn started(reply: &Value) -> bool {
    !reply["compression"].is_null()
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
        (json!({"force": 0.5}), "/thresholds/force"),
        (json!({"critical": 0.8}), "/thresholds/critical"),
        (json!({"warn": 0.75}), "/thresholds/warn"),
        (json!({"messages": {"compress": 80}}), "/thresholds/messages"),
    ] {
        let reply = app.call("PATCH", SESSION, json!({"thresholds": thresholds}).to_string()).await;
        reply.refused_at(422, pointer);
    }
}

/// A todo list with one item in this state.
fn todo(state: &str) -> Vec<Value> {
    let todos = json!({"todos": [{"content": "mend it", "status": state}]});
    called(&format!("todo_{state}"), "TodoWrite", &todos, "ok").into()
}

#[tokio::test]
async fn an_append_stores_no_history_that_its_policy_does_not_count() {
    let app = session(json!({})).await;
    let work = [talk(4, 5), rereading(), todo("pending")].concat();
    assert_eq!(append_briefly(&app, "s", &work).await["decision"]["signals"], json!([]));
    assert_eq!(history(&app).await, Value::Null);
    assert_eq!(signal(&append(&app, &talk(2, 5)).await, "rereading")["action"], "immediate");
    assert_eq!(history(&app).await["scope"], "all", "who asks at every append has it made once");
    append_briefly(&app, "s", &talk(2, 5)).await;
    assert_eq!(history(&app).await, Value::Null);
    app.call("PATCH", SESSION, r#"{"policy": "message_count"}"#).await.with(200);
    append_briefly(&app, "s", &talk(2, 5)).await;
    assert_eq!(history(&app).await, Value::Null);
    app.call("PATCH", SESSION, r#"{"policy": "protocol"}"#).await.with(200);
    append_briefly(&app, "s", &talk(2, 5)).await;
    let stored = history(&app).await;
    let parts: Vec<&String> = stored.as_object().unwrap().keys().collect();
    assert_eq!(parts, ["scope", "todos"], "{stored}");
}

#[tokio::test]
async fn signals_that_are_asked_for_once_are_those_of_a_session_that_always_asks() {
    let app = session(json!({"auto": false})).await;
    app.call("PUT", "/v1/sessions/other", json!({"auto": false}).to_string()).await.good();
    let lost = json!({"role": "assistant", "content": "Sorry, what was the task again?"});
    let batches = [
        wordy(),
        [todo("pending"), rereading()].concat(),
        vec![json!({"role": "user", "content": "go on"}), lost],
        todo("completed"),
    ];
    let mut always = Value::Null;
    for (at, batch) in batches.iter().enumerate() {
        if at == 2 {
            for session in ["s", "other"] {
                let path = format!("/v1/sessions/{session}/compressions");
                app.call("POST", &path, COMPRESS).await.with(202);
            }
            app.work().await;
        }
        always = append(&app, batch).await;
        if at + 1 < batches.len() {
            append_briefly(&app, "other", batch).await;
        }
    }
    let body = json!({"messages": todo("completed")}).to_string();
    let once =
        app.call("POST", "/v1/sessions/other/messages?include=usage,signals", body).await.with(201).json();
    assert_eq!(once["decision"], always["decision"]);
    assert_eq!(signal(&once, "task_boundary")["action"], "compress");
    assert_eq!(signal(&once, "intent_lost")["action"], "compress");
    assert_eq!(signal(&once, "rereading")["action"], "none", "a version was published since");
    let verbosity = signal(&once, "verbosity")["detail"].as_str().unwrap();
    assert!(verbosity.starts_with("too few"), "{verbosity}");
}

#[tokio::test]
async fn a_policy_that_is_set_later_counts_what_came_before() {
    let app = session(json!({})).await;
    let (before, last) = (talk(20, 100), rereading());
    append_briefly(&app, "s", &[before, last[..4].to_vec()].concat()).await;
    app.call("PATCH", SESSION, r#"{"policy": "combined"}"#).await.with(200);
    let reply = append_briefly(&app, "s", &last[4..]).await;
    assert_eq!(signal(&reply, "rereading")["action"], "immediate");
    assert!(started(&reply), "{reply}");
    app.call("PATCH", SESSION, r#"{"policy": "utilization"}"#).await.with(200);
    let reply = append_briefly(&app, "s", &rereading()).await;
    assert_eq!(reply["decision"]["signals"], json!([]));
    assert_eq!(history(&app).await, Value::Null);
    app.work().await;
    assert_eq!(history(&app).await, json!({"published": 32}), "a version clears what was before it");
    app.call("PATCH", SESSION, r#"{"policy": "combined"}"#).await.with(200);
    let reply = append_briefly(&app, "s", &talk(2, 5)).await;
    assert_eq!(reply["decision"]["action"], "none", "{reply}");
}

/// Where the session's last compression ended.
async fn spans(app: &App) -> Vec<(Value, Value)> {
    let listed = app.call("GET", &format!("{SESSION}/compressions"), "").await.json();
    let items = listed["items"].as_array().unwrap().iter();
    items.map(|item| (item["trigger"].clone(), item["through_seq"].clone())).collect()
}

#[tokio::test]
async fn the_span_of_a_finished_task_ends_with_it_and_the_next_task_is_not_in_it() {
    let app = session(json!({"policy": "protocol", "min_messages": 5})).await;
    append(&app, &talk(12, 50)).await;
    // The batch ends the task with message 14 and closes with the next one's first message.
    let next = json!({"role": "user", "content": "Now to something else: the documentation."});
    let batch = [talk(2, 50), vec![next]].concat();
    let body = json!({"messages": batch, "task_boundary": true}).to_string();
    let reply = app.call("POST", &format!("{SESSION}/messages?include=usage,signals"), body).await.json();
    assert!(started(&reply), "{reply}");
    // The worker is late: half of the next task is there already.
    append(&app, &talk(20, 50)[1..]).await;
    app.work().await;
    assert_eq!(
        spans(&app).await,
        [(json!("task_boundary"), json!(10))],
        "the last five at the boundary stay"
    );
    let context = app.call("GET", &format!("{SESSION}/context"), "").await.json();
    assert_eq!((&context["anchor_seq"], &context["head_seq"]), (&json!(10), &json!(34)));
}

#[tokio::test]
async fn what_lies_between_the_boundary_and_the_end_of_a_batch_is_the_next_tasks() {
    let app = session(json!({"policy": "protocol", "min_messages": 5})).await;
    let todo = |id: &str, status: &str| {
        let arguments = json!({"todos": [{"content": "rename it", "status": status}]}).to_string();
        vec![
            json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": id, "type": "function", "function": {"name": "TodoWrite", "arguments": arguments}}]}),
            json!({"role": "tool", "tool_call_id": id, "content": "ok"}),
        ]
    };
    append(&app, &[talk(10, 50), todo("a", "pending")].concat()).await;
    // The list is done with messages 13 and 14; four more follow.
    let reply = append(&app, &[todo("b", "completed"), talk(4, 50)].concat()).await;
    assert_eq!(reply["decision"]["reasons"], json!(["task_boundary"]), "{reply}");
    app.work().await;
    assert_eq!(
        spans(&app).await,
        [(json!("task_boundary"), json!(12))],
        "13 and 14 are one group, and 14 is preserved"
    );
}

#[tokio::test]
async fn a_tenants_thresholds_hold_for_its_sessions_until_they_set_their_own() {
    let app = session(json!({"context_window": 10_000})).await;
    let defaults = json!({"policy": "combined", "thresholds": {"warn": 0.1, "rereads": 4, "turns": 4}});
    let path = format!("/v1/admin/tenants/{}/settings", app.tenant);
    app.call_as(OPERATOR, "PUT", &path, defaults.to_string()).await.with(200);
    let reply = append(&app, &[talk(10, 50), rereading()].concat()).await;
    assert_eq!(signal(&reply, "utilization")["action"], "warn", "{reply}");
    assert_eq!(signal(&reply, "rereading")["action"], "none");
    assert_eq!(signal(&reply, "rereading")["counts"], true, "the tenant's policy");
    assert_eq!(signal(&reply, "turn_count")["action"], "evaluate");

    let own = json!({"thresholds": {"warn": 0.5, "rereads": 3}}).to_string();
    assert_eq!(app.call("PATCH", SESSION, own).await.status, 200);
    let reply = append(&app, &talk(1, 5)).await;
    assert_eq!(signal(&reply, "utilization")["action"], "none", "{reply}");
    assert_eq!(signal(&reply, "rereading")["action"], "immediate");
    assert_eq!(signal(&reply, "turn_count")["action"], "evaluate", "what it does not set stays the tenant's");

    // Another tenant's session knows none of it, and a session may not contradict what lies below it.
    let body = json!({"messages": talk(10, 50)}).to_string();
    let reply =
        app.call_as(THEIRS, "POST", &format!("{SESSION}/messages?include=usage,signals"), body).await.json();
    assert_eq!(signal(&reply, "utilization")["action"], "none");
    let refused = app.call("PUT", SESSION, json!({"thresholds": {"warn": 0.8}}).to_string()).await;
    refused.refused_at(422, "/thresholds/warn");
}

/// An agent that worked, and then goes on at length without anything new.
fn wordy() -> Vec<Value> {
    let mut messages = Vec::new();
    for i in 0..40 {
        messages.push(json!({"role": "user", "content": format!("Please look at src/part_{i}.rs and tell me what it does there.")}));
        let decided = format!(
            "I decided to keep src/part_{i}.rs as it is, because module {i} depends on its order of fields."
        );
        messages.push(json!({"role": "assistant", "content": decided}));
    }
    for i in 0..5 {
        messages.push(json!({"role": "user", "content": "go on"}));
        let at_length =
            ["and so it goes", "as was said", "once more in other words", "to put it plainly", "all in all"]
                [i];
        messages.push(json!({"role": "assistant", "content": format!("Well, {at_length}, ").repeat(40)}));
    }
    messages
}

#[tokio::test]
async fn a_compression_for_verbosity_trims_what_was_said_at_length() {
    let settings = json!({"policy": "combined", "thresholds": {"messages": {"optional": 500, "compress": 500, "force": 500},
        "turns": 500, "repeats": 12}, "max_summary_tokens": 2_000});
    let mut told = Vec::new();
    for manual in [false, true] {
        let app = session(settings.clone()).await;
        if manual {
            assert_eq!(app.call("PATCH", SESSION, r#"{"auto": false}"#).await.status, 200);
        }
        for pair in wordy().chunks(2) {
            let reply = append(&app, pair).await;
            if started(&reply) {
                assert_eq!(reply["decision"]["reasons"], json!(["verbosity"]), "{reply}");
            }
        }
        if manual {
            assert_eq!(app.call("POST", &format!("{SESSION}/compressions"), COMPRESS).await.status, 202);
        }
        app.work().await;
        let listed = app.call("GET", &format!("{SESSION}/compressions"), "").await.json();
        let last = listed["items"][0].clone();
        assert_eq!(last["trigger"], if manual { "manual" } else { "verbosity" });
        assert_eq!(last["status"], "succeeded", "{last}");
        told.push(last["tokens_after"].as_i64().unwrap());
        let originals = app.call("GET", &format!("{SESSION}/messages?from_seq=90"), "").await.json();
        assert_eq!(originals["items"][0]["message"], wordy()[89], "originals stay whole");
    }
    // With the frame of the message that serves the record.
    assert!(told[0] <= 1_100 && told[1] > told[0], "{told:?}");
}

/// Replays a conversation turn by turn, far above the window, with a probe that its messages do not answer; every message is
/// so large that the newest five alone are more than a compression may leave. The worker looks after every message.
async fn replayed(app: &App, probe: Value) -> (String, Vec<Value>) {
    append(app, &talk(1, 300)).await;
    let made = app.call("POST", &format!("{SESSION}/probes"), probe.to_string()).await.with(201);
    let mut replies = Vec::new();
    for message in talk(64, 300).into_iter().skip(1) {
        replies.push(append(app, &[message]).await);
        tokio::time::timeout(Duration::from_mins(2), app.work()).await.expect("a worker that comes to rest");
    }
    (made.json()["id"].as_str().unwrap().to_owned(), replies)
}

async fn compressions(app: &App) -> Vec<Value> {
    let list = app.call("GET", &format!("{SESSION}/compressions?limit=500"), "").await.json();
    list["items"].as_array().unwrap().iter().filter(|job| job["kind"] == "compress").cloned().collect()
}

fn unanswerable(critical: bool) -> Value {
    json!({"kind": "decision", "question": "Why did the agent refuse?", "expected": ["purple elephants dance"],
           "critical": critical})
}

#[tokio::test]
async fn refused_compressions_wait_for_ever_more_messages_and_go_on_without_the_probe() {
    let app = session(json!({"context_window": 10_000})).await;
    let (probe, replies) = replayed(&app, unanswerable(true)).await;
    let jobs = compressions(&app).await;
    assert!(jobs.iter().all(|job| job["status"] == "rejected"), "{jobs:#?}");
    // After one message, two, four, eight, sixteen and thirty-two.
    assert!((3..=7).contains(&jobs.len()), "{} compressions", jobs.len());
    let last = replies.last().unwrap();
    assert_eq!((&last["compression"], &last["decision"]["held_back"]), (&json!(null), &json!("backing_off")));

    let path = format!("{SESSION}/probes/{probe}");
    assert_eq!(app.call("DELETE", &path, "").await.status, 204);
    app.call("POST", &format!("{SESSION}/compressions"), "{}").await;
    app.work().await;
    assert_eq!(compressions(&app).await[0]["status"], "succeeded");
    for message in talk(12, 300) {
        append(&app, &[message]).await;
        app.work().await;
    }
    let jobs = compressions(&app).await;
    assert_eq!((&jobs[0]["trigger"], &jobs[0]["status"]), (&json!("utilization"), &json!("succeeded")));
}

#[tokio::test]
async fn a_callers_probe_that_is_not_critical_refuses_nothing_and_is_told() {
    let app = session(json!({"context_window": 10_000})).await;
    replayed(&app, unanswerable(false)).await;
    let jobs = compressions(&app).await;
    assert!(!jobs.is_empty() && jobs.iter().all(|job| job["status"] == "succeeded"), "{jobs:#?}");
    for job in &jobs {
        let flags = job["flags"].as_array().unwrap();
        assert!(flags.iter().any(|flag| flag["metric"] == "callers_probes"), "{job:#}");
        assert!(job["warnings"].to_string().contains("Why did the agent refuse?"), "{job:#}");
    }
    let list = app.call("GET", &format!("{SESSION}/evaluations"), "").await.json();
    let path = format!("{SESSION}/evaluations/{}", list["items"][0]["id"].as_str().unwrap());
    let evaluation = app.call("GET", &path, "").await.json();
    let results = evaluation["results"].as_array().unwrap();
    let own = results.iter().find(|result| result["probe"]["question"] == "Why did the agent refuse?");
    assert_eq!(own.unwrap()["verdict"], "fail", "{evaluation:#}");
}

#[tokio::test]
async fn a_critical_probe_whose_answer_the_messages_hold_is_repaired_before_anything_is_refused() {
    let app = session(json!({"context_window": 10_000, "auto": false})).await;
    let probe = json!({"kind": "recall", "question": "How many rows were imported?", "expected": ["23,553"],
                       "critical": true});
    let mut messages = talk(12, 200);
    messages[3]["content"] =
        json!(format!("{}\nIt read 23,553 rows.\nof which all were fine", "some talk ".repeat(200)));
    append(&app, &messages).await;
    app.call("POST", &format!("{SESSION}/probes"), probe.to_string()).await;
    app.call("POST", &format!("{SESSION}/compressions"), "{}").await;
    app.work().await;
    let jobs = compressions(&app).await;
    assert_eq!(
        (&jobs[0]["status"], &jobs[0]["critical_failed"]),
        (&json!("succeeded"), &json!(0)),
        "{jobs:#?}"
    );
    let summary = app.call("GET", &format!("{SESSION}/summary"), "").await.text;
    assert!(summary.contains("It read 23,553 rows."), "{summary}");
}
