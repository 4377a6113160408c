//! Messages without a session that a model is asked to word: queued, waited for, read for a day, erased.

use anchord_llm::{Client, Provider};
use serde_json::{Value, json};

use super::{options, raw, stretch};
use crate::erasing::erase_all;
use crate::support::app::{App, OPERATOR, THEIRS, app_with_model};
use crate::support::provider::{Act, FakeProvider};
use crate::support::{number, until};

async fn app_asking(fake: &FakeProvider) -> App {
    app_with_model(Client::new(options(fake, Provider::Openai)).expect("a client")).await
}

fn request() -> Value {
    let mut messages = vec![
        json!({"role": "system", "content": "You are careful."}),
        json!({"role": "user", "content": "Make the importer in src/import.rs read CSV files."}),
    ];
    messages.extend(stretch(30));
    json!({"messages": messages, "engine": "llm", "summary_model": "small", "target_tokens": 4_000})
}

async fn ask(app: &App, body: &Value, headers: &[(&str, &str)]) -> crate::support::app::Answer {
    app.call_with("POST", "/v1/compress", body.to_string(), headers).await
}

#[tokio::test]
async fn a_call_is_queued_and_read_where_it_says() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_asking(&fake).await;
    let queued = ask(&app, &request(), &[]).await.with(202);
    let place = queued.headers["location"].to_str().unwrap().to_owned();
    assert_eq!(place, format!("/v1/compress/{}", queued.json()["id"].as_str().unwrap()));
    let waiting = app.call("GET", &place, "").await;
    assert_eq!((waiting.status.as_u16(), &waiting.json()["status"]), (202, &json!("queued")));
    app.work().await;
    let made = app.call("GET", &place, "").await.with(200);
    let body = made.json();
    assert_eq!((&body["summary"]["engine"], &body["summary"]["model"]), (&json!("llm"), &json!("small")));
    assert!(body["tokens_after"].as_u64().unwrap() <= 4_000, "{}", body["tokens_after"]);
    assert!(body["tokens_before"].as_u64().unwrap() > 4_000);
    assert!(body["probes_asked"].as_u64().unwrap() > 0 && body["probe_score"].is_number());
    let served = body["messages"].as_array().unwrap();
    assert_eq!(served[0]["role"], "system");
    assert_eq!(served.last(), request()["messages"].as_array().unwrap().last());
    let counted = app.call("POST", "/v1/tokens", json!({"messages": served}).to_string()).await;
    assert_eq!(counted.json()["tokens"], body["tokens_after"]);
    assert_eq!(app.call("GET", &place, "").await.text, made.text, "the same bytes");
    // Nobody else's, and in no list.
    assert_eq!(app.call_as(THEIRS, "GET", &place, "").await.status, 404);
    assert_eq!(app.call_as(THEIRS, "DELETE", &place, "").await.status, 404);
    assert_eq!(app.call("GET", "/v1/sessions", "").await.json()["items"], json!([]));
    assert_eq!(app.call("DELETE", &place, "").await.status, 204);
    assert_eq!(app.call("GET", &place, "").await.refusal().1, "compression-not-found");
    assert_eq!(app.call("DELETE", &place, "").await.status, 404);
    let mut look = app.database.connect().await;
    assert_eq!(number(&mut look, "select count(*) from messages").await, 0);
}

#[tokio::test]
async fn the_same_key_asks_once() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_asking(&fake).await;
    let key = [("idempotency-key", "once")];
    let first = ask(&app, &request(), &key).await;
    let again = ask(&app, &request(), &key).await;
    assert_eq!((first.status.as_u16(), &first.text), (202, &again.text));
    let mut other = request();
    other["target_tokens"] = json!(5_000);
    assert_eq!(ask(&app, &other, &key).await.refusal().1, "idempotency-mismatch");
    assert_ne!(ask(&app, &request(), &[]).await.json()["id"], first.json()["id"]);
    app.work().await;
    let mut look = app.database.connect().await;
    assert_eq!(number(&mut look, "select count(*) from compressions where kind = 'compress'").await, 2);
}

#[tokio::test]
async fn what_is_waited_for_comes_with_the_reply() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_asking(&fake).await;
    let headers = [("prefer", "wait=20"), ("idempotency-key", "k")];
    let body = request();
    let work = async {
        let mut look = app.database.connect().await;
        let mut queued =
            async || (number(&mut look, "select count(*) from compressions").await > 0).then_some(());
        until("a job", &mut queued).await;
        app.work().await;
    };
    let (made, ()) = tokio::join!(ask(&app, &body, &headers), work);
    assert_eq!(made.status, 200, "{}", made.text);
    assert_eq!(made.headers["preference-applied"], "wait=20");
    assert_eq!(made.json()["summary"]["engine"], "llm");
    assert_eq!(ask(&app, &body, &headers).await.text, made.text);
}

#[tokio::test]
async fn when_the_model_fails_code_words_it_and_says_so() {
    let fake = FakeProvider::start([raw(401, &[])]).await;
    let app = app_asking(&fake).await;
    let place = ask(&app, &request(), &[]).await.headers["location"].to_str().unwrap().to_owned();
    app.work().await;
    let made = app.call("GET", &place, "").await.json();
    assert_eq!(made["summary"]["engine"], "extractive", "{made}");
    assert!(made["warnings"].to_string().contains("llm"), "{}", made["warnings"]);
}

#[tokio::test]
async fn a_tenant_s_tokens_bound_single_calls_too() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_asking(&fake).await;
    let path = format!("/v1/admin/tenants/{}", app.tenant);
    app.call_as(OPERATOR, "PATCH", &path, r#"{"quotas": {"llm_tokens_per_day": 1}}"#).await;
    for (round, engine) in ["llm", "extractive"].into_iter().enumerate() {
        let place = ask(&app, &request(), &[]).await.headers["location"].to_str().unwrap().to_owned();
        app.work().await;
        let made = app.call("GET", &place, "").await.json();
        assert_eq!(made["summary"]["engine"], engine, "{round}: {}", made["warnings"]);
    }
}

#[tokio::test]
async fn every_format_and_strategy_comes_back_as_it_was_asked_for() {
    let fake = FakeProvider::start([]).await;
    fake.play(std::iter::repeat_n(Act::Good, 20));
    let app = app_asking(&fake).await;
    for (format, strategy) in [
        ("anthropic", "anchored"),
        ("openai-chat", "regenerative"),
        ("openai-chat", "sliding_window"),
        ("openai-chat", "opaque"),
    ] {
        let mut body = request();
        (body["format"], body["strategy"]) = (json!(format), json!(strategy));
        let queued = ask(&app, &body, &[]).await.with(202);
        app.work().await;
        let made = app.call("GET", queued.headers["location"].to_str().unwrap(), "").await.json();
        assert_eq!((&made["format"], &made["strategy"]), (&json!(format), &json!(strategy)), "{made}");
        assert!(made["summary"].is_object(), "{strategy}: {}", made["warnings"]);
        let again = json!({"messages": made["messages"], "format": format}).to_string();
        assert_eq!(app.call("POST", "/v1/tokens", again).await.status, 200, "{strategy}");
    }
}

#[tokio::test]
async fn a_call_whose_time_is_over_is_not_there_and_is_erased() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_asking(&fake).await;
    let place = ask(&app, &request(), &[]).await.headers["location"].to_str().unwrap().to_owned();
    app.work().await;
    app.call("PUT", "/v1/sessions/own", "{}").await;
    let mut look = app.database.connect().await;
    let past = "update sessions set expires_at = now() - interval '1 second' where expires_at is not null";
    sqlx::raw_sql(past).execute(&mut look).await.unwrap();
    assert_eq!(app.call("GET", &place, "").await.status, 404);
    anchord_worker::janitor::round(&app.store, &app.stop).await.unwrap();
    erase_all(&app.store).await;
    assert_eq!(number(&mut look, "select count(*) from sessions").await, 1, "the caller's own stays");
    assert_eq!(number(&mut look, "select count(*) from summaries").await, 0);
}

#[tokio::test]
async fn a_model_that_is_not_there_and_a_target_that_cannot_hold_are_refused_at_once() {
    let fake = FakeProvider::start([]).await;
    let app = app_asking(&fake).await;
    let mut small = request();
    small["target_tokens"] = json!(20);
    assert_eq!(ask(&app, &small, &[]).await.refusal().1, "budget-too-small");
    let short = json!({"messages": [{"role": "user", "content": "Hello"}], "engine": "llm"});
    let made = ask(&app, &short, &[]).await;
    assert_eq!((made.status.as_u16(), &made.json()["summary"]), (200, &Value::Null), "{}", made.text);
    assert!(fake.seen().is_empty());
    assert_eq!(app.call("GET", "/v1/compress/not-an-id", "").await.status, 422);
    let plain = crate::support::app::app().await;
    let refused = ask(&plain, &request(), &[]).await;
    assert_eq!(refused.refusal(), (422, "refused".into(), "/engine".into()));
}
