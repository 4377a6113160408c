//! A provider's own figures: how they correct a session's windows, and what they never change.

use serde_json::{Value, json};

use crate::support::app::COMPRESS;
use crate::support::app::{App, THEIRS, app};
use crate::support::talks::turns;

const SESSION: &str = "/v1/sessions/s";

async fn append(app: &App, messages: &[Value]) -> Value {
    let body = json!({"messages": messages}).to_string();
    app.call("POST", &format!("{SESSION}/messages?include=usage"), body).await.with(201).json()
}

/// `messages` messages of about `tokens` tokens each.
fn talk(messages: usize, tokens: usize) -> Vec<Value> {
    turns(messages, |i| format!("{i}: {}", "talk ".repeat(tokens)))
}

async fn context(app: &App) -> Value {
    app.call("GET", &format!("{SESSION}/context"), "").await.with(200).json()
}

async fn report(app: &App, body: Value) -> Value {
    app.call("POST", &format!("{SESSION}/usage"), body.to_string()).await.with(200).json()
}

fn total(context: &Value) -> u64 {
    context["tokens"]["total"].as_u64().unwrap()
}

/// Three reports about the context that is served now.
async fn report_thrice(app: &App, input: u64) -> Value {
    let mut last = Value::Null;
    for _ in 0..3 {
        last = report(app, json!({"input_tokens": input, "output_tokens": 1})).await;
    }
    last
}

#[tokio::test]
async fn reports_about_the_context_served_last_correct_windows_and_no_count() {
    let app = app().await;
    append(&app, &talk(6, 1_500)).await;
    let before = context(&app).await;
    let counted = total(&before);
    // What comes after the call is not what the call was about.
    append(&app, &talk(2, 300)).await;
    let first = report(&app, json!({"input_tokens": counted + 4_000, "output_tokens": 300})).await;
    assert_eq!(first["counted_tokens"], counted);
    assert_eq!((first["basis"].as_str(), first["verdict"].as_str()), (Some("served"), Some("used")));
    assert_eq!(first["usage"]["effective_window"], 160_000, "one report is no proof");
    report(&app, json!({"input_tokens": counted + 4_000, "output_tokens": 300})).await;
    let reported = report(&app, json!({"input_tokens": counted + 4_000, "output_tokens": 300})).await;

    let after = context(&app).await;
    let session = app.call("GET", SESSION, "").await.json();
    let appended = append(&app, &talk(1, 1)).await;
    for usage in [&reported["usage"], &after["usage"], &session["usage"], &appended["usage"]] {
        assert_eq!(usage["effective_window"], 156_000);
        let share = usage["context_tokens"].as_f64().unwrap() / 156_000.0;
        assert!((usage["effective_utilization"].as_f64().unwrap() - share).abs() < 1e-3);
        assert_eq!(usage["calibration"], json!({"offset_tokens": 4_000, "factor": 1.0, "reports": 3}));
    }
    // One basis: what is served, what is told and what it may take.
    assert_eq!(after["max_input_tokens"], reported["usage"]["effective_window"]);
    assert_eq!(total(&after), reported["usage"]["context_tokens"].as_u64().unwrap());
    assert_eq!(session["policy"]["effective_window"], after["max_input_tokens"]);
}

#[tokio::test]
async fn a_report_on_few_tokens_moves_no_window_and_one_on_enough_moves_it_by_what_it_proves() {
    let app = app().await;
    append(&app, &talk(1, 20)).await;
    let counted = total(&context(&app).await);
    assert!(counted < 40);
    let total_of_calls = report_thrice(&app, 60_000).await;
    assert_eq!(total_of_calls["usage"]["effective_window"], 160_000);
    assert_eq!(total_of_calls["verdict"], "too_small", "nothing follows from it");
    assert_eq!(total_of_calls["usage"]["calibration"], Value::Null);
    append(&app, &talk(6, 1_500)).await;
    let counted = total(&context(&app).await);
    let reported = report_thrice(&app, counted + 3_000).await;
    assert_eq!(reported["usage"]["effective_window"], 157_000);
    assert_eq!(
        (&reported["verdict"], &reported["usage"]["calibration"]["reports"]),
        (&json!("used"), &json!(3))
    );
    // What the caller says that it sends besides is in the provider's count.
    let told = app.call("PUT", SESSION, r#"{"system_tokens": 2500}"#).await.json();
    assert_eq!(told["usage"]["effective_window"], 157_000);
    let more = app.call("PUT", SESSION, r#"{"system_tokens": 5000}"#).await.json();
    assert_eq!(more["usage"]["effective_window"], 155_000);
}

#[tokio::test]
async fn what_is_served_stays_byte_for_byte_and_only_a_moved_correction_is_a_new_revision() {
    let app = app().await;
    append(&app, &talk(20, 400)).await;
    app.call("POST", &format!("{SESSION}/compressions"), COMPRESS).await;
    app.work().await;
    append(&app, &talk(2, 2_500)).await;
    let before = context(&app).await;
    assert_eq!(before["summary_version"], 1);
    let counted = total(&before);
    report_thrice(&app, counted * 6 / 5).await;
    let moved = context(&app).await;
    assert_eq!(
        moved["context_revision"].as_i64().unwrap(),
        before["context_revision"].as_i64().unwrap() + 1,
        "its budget is another one"
    );
    for part in ["messages", "sources", "stable_prefix", "tokens", "masked"] {
        assert_eq!(moved[part], before[part], "{part}");
    }
    let tag = |reply: &crate::support::app::Answer| reply.headers["etag"].clone();
    let first = app.call("GET", &format!("{SESSION}/context"), "").await;
    for per_mille in [1_195, 1_205, 1_202, 1_198] {
        report(&app, json!({"input_tokens": counted * per_mille / 1_000, "output_tokens": 1})).await;
    }
    let same = app.call("GET", &format!("{SESSION}/context"), "").await;
    assert_eq!(tag(&first), tag(&same), "reports that agree change nothing");
    assert_eq!(first.json()["messages"], same.json()["messages"]);
}

#[tokio::test]
async fn the_corrected_utilisation_is_what_starts_work() {
    let app = app().await;
    app.call("PUT", SESSION, r#"{"context_window": 10000}"#).await;
    let calm = append(&app, &talk(12, 440)).await;
    let share = calm["usage"]["effective_utilization"].as_f64().unwrap();
    assert!((0.60..0.70).contains(&share), "{share}");
    assert_eq!(calm["compression"], Value::Null);
    let counted = total(&context(&app).await);
    report_thrice(&app, counted * 6 / 5).await;
    let full = append(&app, &talk(1, 1)).await;
    assert!(full["usage"]["effective_utilization"].as_f64().unwrap() > 0.70);
    assert_eq!(full["decision"]["action"], "compress", "{full}");
    assert_eq!(full["compression"]["status"], "queued");
    app.work().await;
    let session = app.call("GET", SESSION, "").await.json();
    assert_eq!(session["summary_version"], 1);
    let usage = &session["usage"];
    assert!(usage["effective_utilization"].as_f64().unwrap() <= 0.50, "the target is of the same window");
    assert_eq!(usage["calibration"]["reports"], 3, "a version keeps the correction");
}

#[tokio::test]
async fn the_caller_may_name_the_context_and_without_any_the_head_is_taken() {
    let app = app().await;
    let appended = append(&app, &talk(4, 500)).await;
    let head = appended["usage"]["context_tokens"].as_u64().unwrap();
    let reported = report(&app, json!({"input_tokens": head, "output_tokens": 5})).await;
    assert_eq!((&reported["basis"], &reported["counted_tokens"]), (&json!("head"), &json!(head)));
    assert_eq!(reported["ratio"], 1.0);
    let body = json!({"input_tokens": 1_200, "output_tokens": 5, "context_tokens": 500, "model": "large-2"});
    let reported = report(&app, body).await;
    assert_eq!((&reported["basis"], &reported["counted_tokens"]), (&json!("given"), &json!(500)));
    assert_eq!(reported["model"], "large-2");
}

#[tokio::test]
async fn what_cannot_be_taken_is_refused_with_its_place() {
    let app = app().await;
    append(&app, &talk(2, 10)).await;
    let path = format!("{SESSION}/usage");
    for (body, pointer) in [
        (r#"{"output_tokens": 1}"#, ""),
        (r#"{"input_tokens": -1, "output_tokens": 1}"#, "/input_tokens"),
        (r#"{"input_tokens": "9", "output_tokens": 1}"#, "/input_tokens"),
        (r#"{"input_tokens": 1, "output_tokens": 2000000000}"#, "/output_tokens"),
        (r#"{"input_tokens": 10, "output_tokens": 1, "cached_tokens": 11}"#, "/cached_tokens"),
        (r#"{"input_tokens": 10, "output_tokens": 1, "context_tokens": 0}"#, "/context_tokens"),
        (r#"{"input_tokens": 10, "output_tokens": 1, "model": ""}"#, "/model"),
        (r#"{"input_tokens": 10, "output_tokens": 1, "prompt": 3}"#, "/prompt"),
    ] {
        let (status, kind, at) = app.call("POST", &path, body).await.refusal();
        assert_eq!((status, kind.as_str()), (422, "invalid-request"), "{body}");
        assert!(pointer.is_empty() || at == pointer, "{body}: {at}");
    }
    let ok = r#"{"input_tokens": 10, "output_tokens": 1}"#;
    let tomorrow = "/v1/usage?from=9000-01-01";
    assert_eq!(app.call("GET", tomorrow, "").await.refusal().2, "/from", "`to` was not sent");
    assert_eq!(app.call("POST", "/v1/sessions/nowhere/usage", ok).await.refusal().1, "session-not-found");
    let theirs = format!("Bearer {THEIRS}");
    let strange = app.call_with("POST", &path, ok, &[("authorization", &theirs)]).await;
    assert_eq!(strange.refusal().1, "session-not-found");
}

#[tokio::test]
async fn a_repeated_report_with_a_key_counts_once() {
    let app = app().await;
    app.call("PUT", SESSION, r#"{"task_id": "t"}"#).await;
    append(&app, &talk(2, 50)).await;
    let body = r#"{"input_tokens": 130, "output_tokens": 7, "cached_tokens": 100}"#;
    let key = [("idempotency-key", "report-1")];
    let path = format!("{SESSION}/usage");
    let first = app.call_with("POST", &path, body, &key).await;
    let second = app.call_with("POST", &path, body, &key).await;
    assert_eq!((first.status.as_u16(), &first.text), (200, &second.text));
    let task = app.call("GET", "/v1/tasks/t", "").await.json();
    let expected = json!({"reports": 1, "input_tokens": 130, "output_tokens": 7, "cached_tokens": 100});
    assert_eq!(task["reported"], expected);
}

#[tokio::test]
async fn components_come_with_shares_and_advice() {
    let app = app().await;
    let call = json!([{"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{}"}}]);
    let messages = [
        json!({"role": "user", "content": "run it"}),
        json!({"role": "assistant", "content": null, "tool_calls": call}),
        json!({"role": "tool", "tool_call_id": "c1", "content": "a line of output\n".repeat(700)}),
    ];
    let appended = append(&app, &messages).await;
    let session = app.call("GET", SESSION, "").await.json();
    let served = context(&app).await;
    for usage in [&appended["usage"], &session["usage"], &served["usage"]] {
        assert!(usage["shares"]["tool_outputs"].as_f64().unwrap() > 0.9, "{usage}");
        assert_eq!(usage["advice"][0]["component"], "tool_outputs");
        assert_eq!(usage["advice"][0]["action"], "mask");
        assert!(usage["static_utilization"].as_f64() < usage["effective_utilization"].as_f64());
    }
    assert_eq!(appended["usage"], served["usage"], "the session stands where it stood");

    let marks = json!([{"index": 0, "component": "retrieved_documents"}]);
    let document = json!([{"role": "user", "content": "a page of a manual ".repeat(3_000)}]);
    let body = json!({"messages": document, "marks": marks}).to_string();
    let appended = app.call("POST", "/v1/sessions/docs/messages?include=usage", body).await.json();
    assert_eq!(appended["usage"]["advice"][0]["action"], "load_on_demand");
    let long = append(&app, &talk(40, 500)).await;
    assert_eq!(long["usage"]["advice"][0]["action"], "compress");
}
