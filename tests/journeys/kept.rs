//! Messages that the caller marks to be kept: served in full beside every summary, until the mark ends.

use serde_json::{Value, json};

use crate::support::app::{App, app};
use crate::support::branches::{branch_of, fork};
use crate::support::validity;

const SESSION: &str = "/v1/sessions/s";
const KEPT: &str = "not a new request: message 3, a tool's output]";

/// A session whose third message, an output with words of its own, is marked, with so much talk after it.
async fn session(app: &App) -> String {
    let settings = json!({"context_window": 32_000, "auto": false}).to_string();
    assert_eq!(app.call("PUT", SESSION, settings).await.status, 201);
    let output: Vec<String> =
        (0..90).map(|line| format!("licence clause {line} of the supplier\n")).collect();
    let output = output.concat();
    let call = json!({"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{\"path\": \"LICENCE\"}"}});
    let messages = json!({"messages": [
        {"role": "user", "content": "Read the licence, and keep to it word for word."},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": output},
    ], "marks": [{"index": 2, "keep": "always"}]});
    assert_eq!(app.call("POST", &format!("{SESSION}/messages"), messages.to_string()).await.status, 201);
    talk(app, 0).await;
    output
}

async fn talk(app: &App, from: usize) {
    let say = |at: usize| {
        let role = if at.is_multiple_of(2) { "assistant" } else { "user" };
        json!({"role": role, "content": format!("{at}: {}", "words about the parser and what is to come of it ".repeat(25))})
    };
    let messages = json!({"messages": (from..from + 30).map(say).collect::<Vec<_>>()});
    assert_eq!(app.call("POST", &format!("{SESSION}/messages"), messages.to_string()).await.status, 201);
}

async fn get(app: &App, path: &str) -> Value {
    app.call("GET", &format!("{SESSION}{path}"), "").await.with(200).json()
}

/// Whether a context has the text in full, under the line that says what it is.
fn keeps(context: &Value, text: &str) -> bool {
    assert_eq!(validity::problems(context), Vec::<String>::new());
    let messages = context["messages"].as_array().unwrap();
    let is_kept = messages.iter().any(|message| {
        let parts = message["content"].as_array().map_or(&[][..], Vec::as_slice);
        let says = |words: &str| {
            parts.iter().any(|part| part["text"].as_str().is_some_and(|text| text.contains(words)))
        };
        says(KEPT) && says(text)
    });
    let has_source = context["sources"].as_array().unwrap().contains(&json!([3]));
    assert_eq!(is_kept, has_source, "{context:#}");
    is_kept
}

#[tokio::test]
async fn a_message_to_keep_is_served_in_full_beside_every_summary_until_its_mark_ends() {
    let app = app().await;
    let text = session(&app).await;
    let text = text.trim_end();
    for version in 1..=2 {
        app.compress("s", "").await;
        let context = get(&app, "/context").await;
        assert_eq!(context["summary_version"], version);
        assert!(context["anchor_seq"].as_i64().unwrap() > 3 && keeps(&context, text), "{context:#}");
        assert_eq!(context["omitted"], json!([]));
        let counted = context["usage"]["components"]["system"].as_u64().unwrap();
        let served = context["tokens"]["system"].as_u64().unwrap();
        assert!(served > 500 && served.abs_diff(counted) <= 16, "it counts as pinned: {served}, {counted}");
        talk(&app, 30).await;
    }
    assert!(keeps(&get(&app, "/context?version=1").await, text), "so does an earlier context");
    assert!(keeps(&get(&app, "/context?through_seq=40").await, text));
    let anthropic = get(&app, "/context?format=anthropic").await;
    assert_eq!(validity::problems(&anthropic), Vec::<String>::new());
    assert!(anthropic["messages"].to_string().contains(KEPT));

    let lines = app.call("GET", &format!("{SESSION}/export"), "").await.text;
    let marked = |line: &str| line.contains("\"keep\":\"always\"");
    assert_eq!(lines.lines().filter(|line| marked(line)).count(), 1);
    fork(&app.store, app.tenant, &branch_of("s", "main"), "other", 60).await;

    let (before, tag) =
        (get(&app, "/context").await, app.call("GET", &format!("{SESSION}/context"), "").await);
    for _ in 0..2 {
        app.call("DELETE", &format!("{SESSION}/messages/3/mark"), "").await.with(204);
    }
    let again = app.call("GET", &format!("{SESSION}/context"), "").await;
    assert_ne!(again.headers["etag"], tag.headers["etag"]);
    let after = again.json();
    assert!(keeps(&before, text) && !keeps(&after, text));
    let tokens = |context: &Value| context["usage"]["context_tokens"].as_u64().unwrap();
    assert!(tokens(&before) > tokens(&after) + 500);
    assert!(keeps(&get(&app, "/context?branch=other").await, text), "each branch has marks of its own");
    let lines = app.call("GET", &format!("{SESSION}/export"), "").await.text;
    assert!(!lines.lines().any(marked));
    let nowhere = app.call("DELETE", "/v1/sessions/none/messages/3/mark", "").await;
    assert_eq!(nowhere.refusal().1, "session-not-found");
}

#[tokio::test]
async fn more_than_a_tenth_of_the_window_is_not_kept_and_a_refused_batch_stores_nothing() {
    let app = app().await;
    session(&app).await;
    let head = get(&app, "").await["head_seq"].clone();
    let large = json!({"messages": [{"role": "user", "content": "one more clause of it ".repeat(700)}],
                       "marks": [{"index": 0, "keep": "always"}]});
    let refused = app.call("POST", &format!("{SESSION}/messages"), large.to_string()).await;
    refused.refused_at(422, "/marks");
    assert!(refused.text.contains("a tenth of the effective window"), "{}", refused.text);
    assert_eq!(get(&app, "").await["head_seq"], head);
}
