//! Contexts of earlier moments.

use serde_json::{Value, json};

use crate::support::app::{App, COMPRESS, THEIRS, app};
use crate::support::branches::{branch_of, fork};
use crate::support::talks::called;
use crate::support::validity;

const SESSION: &str = "/v1/sessions/s";

/// A tool call with its output.
fn ran(id: &str, command: &str, output: &str) -> [Value; 2] {
    called(id, "Bash", &json!({"command": command}), output)
}

/// A listing of reservations, each with its own figures.
fn listing(from: usize, count: usize) -> String {
    let row = |n: usize| {
        format!(
            "reservation RES-{n:04} seat {}C price {}.50 traveller guest_{n}@example.org",
            n % 40,
            900 + n
        )
    };
    (from..from + count).map(row).collect::<Vec<_>>().join("\n")
}

async fn put(app: &App, settings: Value) {
    assert_eq!(app.call("PUT", SESSION, settings.to_string()).await.status, 201);
}

async fn append(app: &App, messages: &[Value]) -> Value {
    let body = json!({"messages": messages}).to_string();
    app.call("POST", &format!("{SESSION}/messages"), body).await.with(201).json()
}

async fn get(app: &App, path: &str) -> Value {
    app.call("GET", &format!("{SESSION}{path}"), "").await.with(200).json()
}

/// Talk that fills a window without naming anything.
fn talk(rounds: usize) -> Vec<Value> {
    let say =
        |role: &str| json!({"role": role, "content": "so it goes on and on about this and that ".repeat(12)});
    (0..rounds).flat_map(|_| [say("assistant"), say("user")]).collect()
}

/// Goes back to the second version.
async fn call_rollback(app: &App) {
    app.call("POST", &format!("{SESSION}/summaries/2/rollback"), "").await.with(201);
}

/// What of a context does not depend on when it is asked for.
fn lasting(context: &Value) -> Value {
    let keys = [
        "summary_version", "anchor_seq", "head_seq", "messages", "sources", "tokens", "masked", "omitted",
        "usage",
    ];
    keys.iter()
        .map(|key| ((*key).to_owned(), context[*key].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[tokio::test]
async fn a_context_can_be_had_as_it_was_at_any_message() {
    let app = app().await;
    put(&app, json!({"context_window": 24_000})).await;
    append(&app, &[json!({"role": "system", "content": "You book flights."})]).await;
    let mut seen = Vec::new();
    for n in 0..60 {
        let mut turn =
            Vec::from(ran(&format!("c{n}"), &format!("reservations --page {n}"), &listing(n * 30, 30)));
        turn.push(
            json!({"role": "assistant", "content": "so it goes on and on about this and that ".repeat(40)}),
        );
        if n % 7 == 0 {
            turn.insert(0, json!({"role": "user", "content": format!("Look at page {n} too.")}));
        }
        // At once or one by one: masks move before an append, and not in the middle of it.
        for messages in turn.chunks(1 + n % 4) {
            append(&app, messages).await;
        }
        // Workers that are late let the window fill up, so that outputs are clipped.
        if n % 5 == 4 {
            app.work().await;
        }
        seen.push(get(&app, "/context").await);
    }
    let versions = seen.last().unwrap()["summary_version"].as_i64().unwrap();
    let is_clipped = |context: &Value| context["omitted"].to_string().contains("clipped");
    assert!(versions >= 3 && seen.iter().any(is_clipped));
    for context in &seen {
        let head = &context["head_seq"];
        let past = get(&app, &format!("/context?through_seq={head}")).await;
        assert_eq!(lasting(&past), lasting(context), "at {head}");
        if let Some(version) = context["summary_version"].as_i64() {
            let named = get(&app, &format!("/context?through_seq={head}&version={version}")).await;
            assert_eq!(lasting(&named), lasting(context));
        }
    }
    // A smaller budget has the same user message and the same placeholders, as far as they are served.
    for context in seen.iter().skip(20).step_by(13) {
        let head = &context["head_seq"];
        let small = get(&app, &format!("/context?through_seq={head}&max_input_tokens=6000")).await;
        assert_eq!(
            (&small["usage"]["components"], validity::problems(&small)),
            (&context["usage"]["components"], Vec::new()),
            "at {head}"
        );
    }
    // What would have been: an old version under the newest message, valid and within its budget.
    let head = &seen.last().unwrap()["head_seq"];
    for format in ["openai-chat", "anthropic", "openai-responses"] {
        let path = format!("/context?version=1&through_seq={head}&format={format}");
        let would = get(&app, &path).await;
        assert_eq!((would["summary_version"].as_i64(), &would["head_seq"]), (Some(1), head));
        assert_eq!(validity::problems(&would), Vec::<String>::new());
    }
    // Without a message: as it was published.
    let published = get(&app, "/context?version=2").await;
    let first = seen.iter().find(|context| context["summary_version"] == 2).unwrap();
    assert_eq!(published["anchor_seq"], first["anchor_seq"]);
    assert!(published["head_seq"].as_i64() <= first["head_seq"].as_i64());
    // A version that was made by going back, too.
    call_rollback(&app).await;
    let back = get(&app, "/context").await;
    for query in [format!("through_seq={}", back["head_seq"]), format!("version={}", back["summary_version"])]
    {
        assert_eq!(lasting(&get(&app, &format!("/context?{query}")).await), lasting(&back), "{query}");
    }
}

#[tokio::test]
async fn an_earlier_moment_has_to_be_one_of_the_session() {
    let app = app().await;
    put(&app, json!({"auto": false, "context_window": 16_000})).await;
    append(&app, &talk(20)).await;
    app.compress("s", "").await;
    let anchor = get(&app, "/context").await["anchor_seq"].as_i64().unwrap();
    for (query, status, said) in [
        ("through_seq=0".to_owned(), 422, "must be from 1 to 40"),
        ("through_seq=41".to_owned(), 422, "must be from 1 to 40"),
        ("version=0".to_owned(), 422, "at least 1"),
        ("version=-1&through_seq=1".to_owned(), 422, "at least 0"),
        ("version=2".to_owned(), 404, "version"),
        (format!("version=1&through_seq={}", anchor - 1), 422, "must be from"),
        ("through_seq=9223372036854775808".to_owned(), 422, "through_seq"),
    ] {
        let reply = app.call("GET", &format!("{SESSION}/context?{query}"), "").await;
        assert_eq!(reply.refusal().0, status, "{query}: {}", reply.text);
        assert!(reply.text.contains(said), "{query}: {}", reply.text);
    }
    app.call_as(THEIRS, "GET", &format!("{SESSION}/context?version=1"), "").await.with(404);
    // The tag of an earlier moment is its own.
    let now = app.call("GET", &format!("{SESSION}/context"), "").await;
    let then = app.call("GET", &format!("{SESSION}/context?version=1&through_seq=40"), "").await;
    assert_ne!(now.headers["etag"], then.headers["etag"]);
    let tag = then.headers["etag"].to_str().unwrap();
    let again = app
        .call_with(
            "GET",
            &format!("{SESSION}/context?version=1&through_seq=40"),
            "",
            &[("if-none-match", tag)],
        )
        .await;
    assert_eq!(again.status, 304);
}

/// Appends to a session, or to the branch that a query names.
async fn append_to(app: &App, session: &str, query: &str, messages: &[Value]) {
    let body = json!({"messages": messages}).to_string();
    app.call("POST", &format!("/v1/sessions/{session}/messages{query}"), body).await.with(201);
}

#[tokio::test]
async fn an_earlier_context_of_a_branch_has_the_version_that_the_branch_had() {
    let app = app().await;
    let settings = json!({"auto": false, "context_window": 24_000});
    app.call("PUT", SESSION, settings.to_string()).await;
    append_to(&app, "s", "", &talk(60)).await;
    app.call("POST", &format!("{SESSION}/compressions"), COMPRESS).await.with(202);
    app.work().await;
    let through =
        app.call("GET", &format!("{SESSION}/summary"), "").await.json()["through_seq"].as_i64().unwrap();
    // The version that it begins with was published when main had messages that it does not share.
    fork(&app.store, app.tenant, &branch_of("s", "main"), "b", through + 1).await;
    append_to(&app, "s", "?branch=b", &talk(2)).await;
    let now = app.call("GET", &format!("{SESSION}/context?branch=b"), "").await.json();
    assert_eq!(now["summary_version"], 1, "{now}");
    let head = now["head_seq"].as_i64().unwrap();
    assert!(head < 120, "{head}");
    let then = app.call("GET", &format!("{SESSION}/context?branch=b&through_seq={head}"), "").await.json();
    assert_eq!(lasting(&then), lasting(&now));
}
