//! The digest over HTTP: what is served of the words that a summary covers, until when, and how much a compression fills.

use serde_json::{Value, json};

use crate::support::app::{App, COMPRESS, app};
use crate::support::validity;

const SESSION: &str = "/v1/sessions/s";

/// A stretch of work: what a person wants, what is run and what it gives, and what came of it.
fn stretch(number: usize) -> Vec<Value> {
    let mut all = vec![json!({"role": "user", "content": format!(
        "Guest {number} travels on ticket TK-{number:03} and must not sit beside guest {}.", number + 1
    )})];
    for part in 0..6 {
        let id = format!("c{number}_{part}");
        let arguments = json!({"command": format!("seats --flight HAT{number}{part}")}).to_string();
        let call =
            json!({"id": id, "type": "function", "function": {"name": "Bash", "arguments": arguments}});
        let rows = (0..25)
            .map(|row| format!("row {row} of HAT{number}{part}: seat {row}C is free at {}.50", 100 + row));
        all.push(json!({"role": "assistant", "content": format!("Now flight HAT{number}{part} for TK-{number:03}."), "tool_calls": [call]}));
        all.push(json!({"role": "tool", "tool_call_id": id, "content": rows.collect::<Vec<_>>().join("\n")}));
        all.push(json!({"role": "assistant", "content": format!("Flight HAT{number}{part} has seat 7C left, which costs {}.50.", 107 + part)}));
    }
    all
}

async fn call(app: &App, method: &str, path: &str, body: &str) -> Value {
    app.call(method, path, body.to_owned()).await.good().json()
}

async fn append(app: &App, number: usize) {
    let body = json!({"messages": stretch(number)}).to_string();
    call(app, "POST", &format!("{SESSION}/messages"), &body).await;
}

/// Asks for a compression, does it, and gives what came of it.
async fn compress(app: &App, request: &str) -> Value {
    let asked = call(app, "POST", &format!("{SESSION}/compressions"), request).await;
    app.work().await;
    call(app, "GET", &format!("{SESSION}/compressions/{}", asked["id"].as_str().unwrap()), "").await
}

async fn context(app: &App, query: &str) -> Value {
    let context = call(app, "GET", &format!("{SESSION}/context{query}"), "").await;
    assert_eq!(validity::problems(&context), Vec::<String>::new());
    context
}

/// The text of the digest's message, and the messages that it is from.
fn digest(context: &Value) -> Option<(String, Vec<i64>)> {
    let messages = context["messages"].as_array().unwrap();
    let at = messages
        .iter()
        .position(|m| m["content"].as_str().is_some_and(|text| text.starts_with("[Digest of")))?;
    assert_eq!(messages[at]["role"], "user");
    let seqs = context["sources"][at].as_array().expect("sources").iter().filter_map(Value::as_i64).collect();
    Some((messages[at]["content"].as_str()?.to_owned(), seqs))
}

/// A session with so many stretches that compresses only when it is told to.
async fn app_with(stretches: usize, settings: Value) -> App {
    let app = app().await;
    call(&app, "PUT", SESSION, &settings.to_string()).await;
    for number in 1..=stretches {
        append(&app, number).await;
    }
    app
}

#[tokio::test]
async fn it_tells_what_is_covered_and_stays_until_the_next_version() {
    let app = app_with(4, json!({"auto": false, "context_window": 16_000})).await;
    assert_eq!(digest(&context(&app, "").await), None);
    assert_eq!(compress(&app, "{}").await["status"], "succeeded");
    let first = context(&app, "").await;
    let (text, seqs) = digest(&first).expect("a digest");
    let anchor = first["anchor_seq"].as_i64().unwrap();
    // Guests and their tickets are in the record.
    assert!(text.contains("which costs") && first["messages"].to_string().contains("TK-001"), "{text}");
    assert!(seqs.len() > 5 && seqs.is_sorted() && seqs.iter().all(|seq| *seq <= anchor), "{seqs:?}");
    let tokens = &first["tokens"];
    assert!(tokens["digest"].as_u64().unwrap() > 500);
    let parts = ["system", "summary", "digest", "tail"].map(|part| tokens[part].as_u64().unwrap());
    assert_eq!(parts.iter().sum::<u64>(), tokens["total"].as_u64().unwrap());
    assert_eq!(first["usage"]["components"]["digest"], tokens["digest"]);
    // Byte for byte beside new messages, in steps of a smaller budget, and from another version back again.
    append(&app, 5).await;
    assert_eq!(digest(&context(&app, "").await).unwrap().0, text);
    assert_eq!(compress(&app, COMPRESS).await["status"], "succeeded");
    let second = digest(&context(&app, "").await).expect("a digest").0;
    assert_ne!(second, text);
    call(&app, "POST", &format!("{SESSION}/summaries/1/rollback"), "").await;
    assert_eq!(digest(&context(&app, "").await).unwrap().0, text);
}

#[tokio::test]
async fn it_gives_way_after_older_outputs_and_the_record_never() {
    let app = app_with(4, json!({"auto": false, "context_window": 16_000})).await;
    compress(&app, "{}").await;
    let whole = context(&app, "").await;
    let [total, digested] = ["total", "digest"].map(|part| whole["tokens"][part].as_u64().unwrap());
    let mut seen = Vec::new();
    for budget in
        [total, total - digested / 3, total - digested * 2 / 3, total - digested, total / 2, total / 4]
    {
        let context = context(&app, &format!("?max_input_tokens={budget}")).await;
        let served = context["tokens"]["total"].as_u64().unwrap();
        assert!(served <= budget && served * 100 >= budget * 85, "{served} of {budget}");
        assert!(context["tokens"]["summary"].as_u64().unwrap() > 0, "at {budget}");
        seen.push(context["tokens"]["digest"].as_u64().unwrap());
    }
    assert!(seen.is_sorted_by(|more, less| more >= less), "{seen:?}");
    assert!(seen[0] == digested && seen[2] == digested && seen[5] < digested, "{seen:?}");
}

#[tokio::test]
async fn a_call_without_a_session_has_one_too() {
    let app = app().await;
    let messages: Vec<Value> = (1..=6).flat_map(stretch).collect();
    let body = json!({"messages": messages, "target_tokens": 4_000}).to_string();
    let made = call(&app, "POST", "/v1/compress", &body).await;
    let texts: Vec<&str> =
        made["messages"].as_array().unwrap().iter().filter_map(|m| m["content"].as_str()).collect();
    let digest = texts.iter().find(|text| text.starts_with("[Digest of")).expect("a digest");
    assert!(digest.contains("TK-001"), "{digest}");
    let tokens = made["tokens_after"].as_u64().unwrap();
    assert!((3_400..=4_000).contains(&tokens), "{tokens}");
}

#[tokio::test]
async fn a_session_that_is_within_its_fill_is_not_compressed_unasked() {
    let app = app_with(1, json!({"auto": false, "context_window": 32_000})).await;
    let skipped = compress(&app, "{}").await;
    assert_eq!(
        (&skipped["status"], &skipped["error"]["type"]),
        (&json!("skipped"), &json!("fits")),
        "{skipped}"
    );
    assert_eq!(compress(&app, r#"{"target": 0.05}"#).await["status"], "succeeded");
    // Through a message it is done, too.
    let app = app_with(1, json!({"auto": false, "context_window": 16_000, "preserve_recent": 1})).await;
    let through = compress(&app, r#"{"through_seq": 10}"#).await;
    assert_eq!((&through["status"], &through["through_seq"]), (&json!("succeeded"), &json!(10)), "{through}");
}

#[tokio::test]
async fn a_target_above_what_the_trigger_allows_is_lowered_and_told() {
    let app = app_with(6, json!({"auto": false, "context_window": 10_000})).await;
    let made = compress(&app, r#"{"target": 0.95}"#).await;
    assert_eq!(made["status"], "succeeded", "{made}");
    let warnings = made["warnings"].to_string();
    assert!(warnings.contains("target was lowered to 4800 tokens"), "{warnings}");
    let tokens = context(&app, "").await["tokens"]["total"].as_u64().unwrap();
    assert!(tokens <= 8_000 * 6 / 10 * 21 / 20, "{tokens}");
}
