//! The model that a session talks to: what follows from it, who may say it, and what is told when nobody does.

use serde_json::{Value, json};

use crate::support::app::{App, THEIRS, app};
use crate::support::talks::turns;

async fn call(app: &App, method: &str, path: &str, body: Value) -> Value {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    app.call(method, path, body).await.good().json()
}

async fn append(app: &App, session: &str, mut body: Value) -> Value {
    body["messages"] = json!([{"role": "user", "content": "hello"}]);
    call(app, "POST", &format!("/v1/sessions/{session}/messages?include=warnings"), body).await
}

async fn session(app: &App, session: &str) -> Value {
    call(app, "GET", &format!("/v1/sessions/{session}"), Value::Null).await
}

async fn context(app: &App, session: &str, query: &str) -> Value {
    call(app, "GET", &format!("/v1/sessions/{session}/context{query}"), Value::Null).await
}

/// Fills a session with about this many tokens.
async fn fill(app: &App, session: &str, tokens: usize) {
    let talk = turns(tokens / 1_000, |i| format!("{i}: {}", "talk ".repeat(1_000)));
    call(app, "POST", &format!("/v1/sessions/{session}/messages"), json!({"messages": talk})).await;
}

#[tokio::test]
async fn an_append_names_the_model_and_window_reserve_and_tokenizer_follow() {
    let app = app().await;
    let first = append(&app, "s", json!({"model": "openai/gpt-4o"})).await;
    assert_eq!(first["usage"]["effective_window"], 128_000 - 16_384);
    assert_eq!(first["warnings"], Value::Null);
    let view = session(&app, "s").await;
    assert_eq!(view["settings"], json!({"model": "openai/gpt-4o"}));
    let policy = &view["policy"];
    assert_eq!(
        (&policy["context_window"], &policy["reserved_output_tokens"], &policy["tokenizer"]),
        (&json!(128_000), &json!(16_384), &json!("o200k_base"))
    );
    assert_eq!(context(&app, "s", "").await["max_input_tokens"], 111_616, "a context fits the model");

    let counted = append(&app, "old", json!({"model": "gpt-4-0613"})).await;
    assert_eq!(counted["usage"]["effective_window"], 6_553);
    assert_eq!(session(&app, "old").await["policy"]["tokenizer"], "cl100k_base");
    let again = append(&app, "old", json!({})).await;
    assert_eq!(again["usage"]["effective_window"], 6_553, "it stays");
}

#[tokio::test]
async fn another_model_in_a_later_append_changes_the_window_and_not_the_tokenizer() {
    let app = app().await;
    append(&app, "s", json!({"model": "gpt-4o"})).await;
    let before = session(&app, "s").await;
    let same = append(&app, "s", json!({"model": "gpt-4o"})).await;
    assert_eq!(same["usage"]["effective_window"], 111_616);
    let dated = session(&app, "s").await;
    assert_eq!(dated["context_revision"], before["context_revision"]);
    append(&app, "s", json!({"model": "gpt-4o-2024-08-06"})).await;
    assert_eq!(
        session(&app, "s").await["context_revision"],
        before["context_revision"],
        "the same model under its dated name"
    );
    let other = append(&app, "s", json!({"model": "gpt-4"})).await;
    assert_eq!(other["usage"]["effective_window"], 6_553);
    let after = session(&app, "s").await;
    assert_eq!(
        (&after["settings"]["model"], &after["policy"]["tokenizer"]),
        (&json!("gpt-4"), &json!("o200k_base"))
    );
    assert!(after["context_revision"].as_i64() > before["context_revision"].as_i64());

    // Settings that are written later keep it, and change it.
    let changed = call(&app, "PATCH", "/v1/sessions/s", json!({"phase": "implementation"})).await;
    assert_eq!(
        (&changed["settings"]["model"], &changed["usage"]["effective_window"]),
        (&json!("gpt-4"), &json!(6_553))
    );
    let put = call(&app, "PUT", "/v1/sessions/s", json!({"model": "claude-sonnet-4-5"})).await;
    assert_eq!(put["usage"]["effective_window"], 160_000);
    assert_eq!(append(&app, "s", json!({})).await["usage"]["effective_window"], 160_000);
    let reset = call(&app, "PUT", "/v1/sessions/s", json!({"model": null})).await;
    assert_eq!(reset["settings"]["model"], Value::Null);
    assert_eq!(append(&app, "s", json!({})).await["warnings"][0]["code"], "window-assumed");
    // A session that was written and read again by another process counts as before.
    let refused = app.call("PUT", "/v1/sessions/s", r#"{"tokenizer": "cl100k_base"}"#).await;
    assert_eq!(refused.refusal().2, "/tokenizer");
    call(&app, "PUT", "/v1/sessions/s", json!({"tokenizer": "o200k_base"})).await;
}

#[tokio::test]
async fn a_window_that_nobody_told_is_named_until_it_is_told() {
    let app = app().await;
    let silent = append(&app, "s", json!({})).await;
    assert_eq!(
        (&silent["warnings"][0]["code"], &silent["usage"]["assumed"]),
        (&json!("window-assumed"), &json!(true))
    );
    let read = session(&app, "s").await;
    assert_eq!(
        (&read["warnings"][0]["code"], &read["warnings"][0]["window"]),
        (&json!("window-assumed"), &json!(200_000))
    );
    let served = context(&app, "s", "").await;
    assert_eq!(served["warnings"][0]["code"], "window-assumed");
    assert!(served["warnings"][0]["detail"].as_str().unwrap().contains("200000"), "{served}");
    let unknown = append(&app, "s", json!({"model": "house-model-7b"})).await;
    assert_eq!(unknown["warnings"][0]["code"], "model-unknown");
    assert_eq!(unknown["warnings"][0]["model"], "house-model-7b");
    assert_eq!(unknown["usage"]["effective_window"], 160_000);
    let served = context(&app, "s", "").await;
    assert!(served["warnings"][0]["detail"].as_str().unwrap().contains("house-model-7b"), "{served}");
    let put = call(&app, "PUT", "/v1/sessions/s", json!({"model": "nonsense"})).await;
    assert_eq!(put["warnings"][0]["code"], "model-unknown", "{put}");
    assert!(put["warnings"][0]["detail"].as_str().is_some_and(|detail| detail.contains("nonsense")), "{put}");
    let told = call(&app, "PUT", "/v1/sessions/s", json!({"context_window": 32_000})).await;
    assert_eq!(told["warnings"], Value::Null);
    assert_eq!(append(&app, "s", json!({})).await["warnings"], Value::Null);
    assert_eq!(context(&app, "s", "").await["warnings"], Value::Null);

    append(&app, "t", json!({})).await;
    call(&app, "PUT", "/v1/settings", json!({"model": "gpt-4.1"})).await;
    let told = append(&app, "t", json!({})).await;
    assert_eq!(
        (&told["warnings"], &told["usage"]["effective_window"]),
        (&Value::Null, &json!(1_047_576 - 32_768))
    );
}

#[tokio::test]
async fn a_context_is_served_for_another_model_s_window() {
    let app = app().await;
    append(&app, "s", json!({"model": "gpt-4o"})).await;
    fill(&app, "s", 40_000).await;
    let own = context(&app, "s", "").await;
    assert!(own["tokens"]["total"].as_u64().unwrap() > 39_000, "{}", own["tokens"]);
    let small = context(&app, "s", "?model=gpt-4").await;
    assert_eq!(small["max_input_tokens"], 6_553);
    assert!(small["tokens"]["total"].as_u64().unwrap() <= 6_553);
    assert_eq!(session(&app, "s").await["settings"]["model"], "gpt-4o", "the session keeps its own");
    assert_eq!(context(&app, "s", "?model=gpt-4&max_input_tokens=9000").await["max_input_tokens"], 9_000);
    let past = context(&app, "s", "?model=gpt-4&through_seq=20").await;
    assert_eq!((&past["max_input_tokens"], &past["head_seq"]), (&json!(6_553), &json!(20)));
    let unknown = context(&app, "s", "?model=house-model").await;
    assert_eq!(unknown["max_input_tokens"], own["max_input_tokens"]);
    assert_eq!(unknown["warnings"][0]["code"], "requested-model-unknown");
    let plain = app.call("GET", "/v1/sessions/s/context", "").await;
    let asked = app.call("GET", "/v1/sessions/s/context?model=house-model", "").await;
    assert_ne!(plain.headers["etag"], asked.headers["etag"]);

    let refused = app.call("GET", "/v1/sessions/s/context?model=", "").await;
    assert_eq!(refused.refusal(), (422, "invalid-parameter".to_owned(), "/model".to_owned()));
    call(&app, "PUT", "/v1/sessions/s", json!({"system_tokens": 9_000})).await;
    let refused = app.call("GET", "/v1/sessions/s/context?model=gpt-4", "").await;
    assert_eq!(refused.refusal().2, "/model");
    assert!(refused.text.contains("system_tokens 9000"), "{}", refused.text);
}

#[tokio::test]
async fn a_model_that_leaves_nothing_is_refused_and_nothing_is_stored() {
    let app = app().await;
    call(&app, "PUT", "/v1/sessions/s", json!({"system_tokens": 9_000})).await;
    for body in [
        json!({"model": "gpt-4", "messages": [{"role": "user", "content": "hello"}]}),
        json!({"model": "", "messages": [{"role": "user", "content": "hello"}]}),
        json!({"model": "n".repeat(201), "messages": [{"role": "user", "content": "hello"}]}),
    ] {
        let refused = app.call("POST", "/v1/sessions/s/messages", body.to_string()).await;
        assert_eq!(
            refused.refusal(),
            (422, "invalid-request".to_owned(), "/model".to_owned()),
            "{}",
            refused.text
        );
    }
    let refused = app.call("PATCH", "/v1/sessions/s", r#"{"model": "gpt-4"}"#).await;
    assert_eq!(refused.refusal().2, "/model");
    assert!(refused.text.contains("system_tokens 9000 (as set)"), "{}", refused.text);
    let view = session(&app, "s").await;
    assert_eq!((&view["head_seq"], &view["settings"]["model"]), (&json!(0), &Value::Null));
    // An append that is refused for another reason changes no model.
    let stale =
        json!({"model": "gpt-4o", "expected_next_seq": 9, "messages": [{"role": "user", "content": "x"}]});
    assert_eq!(app.call("POST", "/v1/sessions/s/messages", stale.to_string()).await.status, 409);
    assert_eq!(session(&app, "s").await["settings"]["model"], Value::Null);
}

#[tokio::test]
async fn an_append_is_replayed_with_its_model() {
    let app = app().await;
    let body = json!({"model": "gpt-4o", "messages": [{"role": "user", "content": "hello"}]}).to_string();
    let key = [("idempotency-key", "one")];
    let first = app.call_with("POST", "/v1/sessions/s/messages", body.clone(), &key).await;
    append(&app, "s", json!({"model": "gpt-4"})).await;
    let second = app.call_with("POST", "/v1/sessions/s/messages", body, &key).await;
    assert_eq!((first.status.as_u16(), &first.text), (201, &second.text));
    assert_eq!(session(&app, "s").await["settings"]["model"], "gpt-4");
}

#[tokio::test]
async fn the_known_models_are_listed_and_found_by_any_of_their_names() {
    let app = app().await;
    let all = call(&app, "GET", "/v1/models?limit=1000", Value::Null).await;
    let items = all["items"].as_array().unwrap();
    assert!(items.len() > 40 && all["next_cursor"].is_null());
    for item in items {
        assert!(item["source"].as_str().unwrap().starts_with("https://"), "{item}");
        assert_eq!(item["origin"], "built-in");
        let (window, reserve) = (item["context_window"].as_u64(), item["reserved_output_tokens"].as_u64());
        assert!(reserve > Some(0) && reserve < window, "{item}");
    }
    let mut pages = Vec::new();
    let mut path = "/v1/models?limit=20".to_owned();
    loop {
        let page = call(&app, "GET", &path, Value::Null).await;
        pages.extend(page["items"].as_array().unwrap().clone());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/models?limit=20&cursor={cursor}");
    }
    assert_eq!(&pages, items);
    for (name, window) in [
        ("gpt-4o", 128_000),
        ("anthropic%2Fclaude-3.5-sonnet:beta", 200_000),
        ("qwen3:8b", 40_960),
        ("models%2Fgemini-1.5-pro", 2_097_152),
        ("gpt-4.5-preview", 128_000),
    ] {
        assert_eq!(
            call(&app, "GET", &format!("/v1/models/{name}"), Value::Null).await["context_window"],
            window,
            "{name}"
        );
    }
    assert_eq!(app.call("GET", "/v1/models/house-model", "").await.refusal().1, "model-not-found");
}

#[tokio::test]
async fn a_tenant_adds_models_of_its_own() {
    let app = app().await;
    append(&app, "s", json!({"model": "vllm/House-Model:latest"})).await;
    let made = app
        .call("PUT", "/v1/models/house-model", r#"{"context_window": 20000, "max_output_tokens": 1000}"#)
        .await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    assert_eq!(
        (&made["names"], &made["origin"], &made["reserved_output_tokens"], &made["tokenizer"]),
        (&json!(["house-model"]), &json!("tenant"), &json!(1_000), &json!("o200k_base"))
    );
    let told = append(&app, "s", json!({})).await;
    assert_eq!((&told["warnings"], &told["usage"]["effective_window"]), (&Value::Null, &json!(19_000)));
    app.call("PUT", "/v1/models/house-model", r#"{"context_window": 30000}"#).await.with(200);
    assert_eq!(append(&app, "s", json!({})).await["usage"]["effective_window"], 24_000);
    let listed = call(&app, "GET", "/v1/models?limit=1", Value::Null).await;
    assert_eq!(listed["items"][0]["names"], json!(["house-model"]));

    // It stands above a built-in one, for its own name alone; and it is no other tenant's.
    call(&app, "PUT", "/v1/models/gpt-4o", json!({"context_window": 50_000})).await;
    assert_eq!(append(&app, "o", json!({"model": "gpt-4o"})).await["usage"]["effective_window"], 40_000);
    assert_eq!(
        append(&app, "m", json!({"model": "gpt-4o-mini"})).await["usage"]["effective_window"],
        111_616
    );
    let theirs = app.call_as(THEIRS, "GET", "/v1/models/house-model", "").await;
    assert_eq!(theirs.refusal().1, "model-not-found");

    assert_eq!(app.call("DELETE", "/v1/models/House-Model", "").await.status, 204);
    assert_eq!(app.call("DELETE", "/v1/models/house-model", "").await.refusal().1, "model-not-found");
    assert_eq!(append(&app, "s", json!({})).await["warnings"][0]["code"], "model-unknown");
}

#[tokio::test]
async fn a_built_in_model_cannot_be_deleted_and_says_so() {
    let app = app().await;
    let refused = app.call("DELETE", "/v1/models/gpt-4o", "").await;
    assert_eq!(refused.refusal().1, "model-not-found");
    assert!(refused.text.contains("built in"), "{}", refused.text);
    let unknown = app.call("DELETE", "/v1/models/nobody", "").await;
    assert!(!unknown.text.contains("built in"), "{}", unknown.text);
}

#[tokio::test]
async fn a_model_of_a_tenant_is_bounded() {
    let app = app().await;
    for (body, pointer) in [
        (r#"{"context_window": 999}"#, "/context_window"),
        (r#"{"context_window": 10000001}"#, "/context_window"),
        (r#"{"context_window": 2000, "max_output_tokens": 2001}"#, "/max_output_tokens"),
        (r#"{"context_window": 2000, "max_output_tokens": 0}"#, "/max_output_tokens"),
        (r#"{"context_window": 2000, "tokenizer": "gpt2"}"#, "/tokenizer"),
        (r#"{"context_window": 2000, "price": 1}"#, "/price"),
    ] {
        let (status, _, at) = app.call("PUT", "/v1/models/m", body).await.refusal();
        assert_eq!((status, at.as_str()), (422, pointer), "{body}");
    }
    let long = format!("/v1/models/{}", "n".repeat(201));
    assert_eq!(app.call("PUT", &long, r#"{"context_window": 2000}"#).await.refusal().2, "/name");
    for at in 0..50 {
        call(&app, "PUT", &format!("/v1/models/house-{at}"), json!({"context_window": 2_000})).await;
    }
    let full = app.call("PUT", "/v1/models/house-50", r#"{"context_window": 2000}"#).await;
    assert_eq!(full.refusal().2, "/name");
    assert!(full.text.contains("50 models"), "{}", full.text);
    call(&app, "PUT", "/v1/models/house-7", json!({"context_window": 3_000})).await;
}

#[tokio::test]
async fn an_export_brings_its_model_along() {
    let app = app().await;
    append(&app, "s", json!({"model": "gpt-4"})).await;
    let file = app.call("GET", "/v1/sessions/s/export", "").await.with(200);
    let kind = [("content-type", "application/x-ndjson")];
    app.call_with("POST", "/v1/sessions/copy/import", file.text, &kind).await.with(201);
    let copy = session(&app, "copy").await;
    assert_eq!(
        (&copy["settings"]["model"], &copy["policy"]["tokenizer"]),
        (&json!("gpt-4"), &json!("cl100k_base"))
    );
}

#[tokio::test]
async fn the_model_that_writes_summaries_is_another_setting() {
    let app = app().await;
    // No model that writes is configured, and any name is taken for the one that is talked to.
    call(&app, "PUT", "/v1/sessions/s", json!({"model": "gpt-4o"})).await;
    let refused = app.call("PUT", "/v1/sessions/s", r#"{"summary_model": "gpt-4o"}"#).await;
    assert_eq!(refused.refusal(), (422, "refused".to_owned(), "/summary_model".to_owned()));
    let refused = app.call("POST", "/v1/sessions/s/compressions", r#"{"model": "gpt-4o"}"#).await;
    assert_eq!(refused.refusal().2, "/model", "{}", refused.text);
}
