//! A tenant's quotas: what is over them is refused as a problem and changes nothing.

use serde_json::{Value, json};

use crate::support::app::{Answer, App, OPERATOR, app};
use crate::tenants::tenant;

/// A tenant with quotas, and its key.
async fn bound(app: &App, quotas: Value) -> String {
    let (id, key) = tenant(app, "bound").await;
    let put = json!({"quotas": quotas}).to_string();
    let put = app.call_as(OPERATOR, "PUT", &format!("/v1/admin/tenants/{id}"), put).await;
    assert_eq!(put.status, 200, "{}", put.text);
    key
}

async fn append(app: &App, key: &str, messages: usize, chars: usize) -> Answer {
    let message = json!({"role": "user", "content": "x".repeat(chars)});
    let body = json!({"messages": vec![message; messages]}).to_string();
    app.call_as(key, "POST", "/v1/sessions/s/messages", body).await
}

async fn head(app: &App, key: &str) -> Value {
    app.call_as(key, "GET", "/v1/sessions/s", "").await.json()["head_seq"].clone()
}

#[tokio::test]
async fn messages_beyond_a_days_quota_are_refused_and_not_stored() {
    let app = app().await;
    let key = bound(&app, json!({"messages_per_day": 5})).await;
    assert_eq!(append(&app, &key, 4, 10).await.status, 201);
    let refused = append(&app, &key, 2, 10).await;
    assert_eq!((refused.status.as_u16(), refused.refusal().1.as_str()), (429, "quota-exceeded"));
    let problem = refused.json();
    assert_eq!(
        (&problem["quota"], &problem["limit"], &problem["used"]),
        (&json!("messages_per_day"), &json!(5), &json!(4))
    );
    let seconds: u64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&seconds), "until the day ends");
    assert_eq!(refused.headers["ratelimit-policy"], r#""messages_per_day";q=5"#);
    assert_eq!(head(&app, &key).await, 4);
    assert_eq!(append(&app, &key, 1, 10).await.status, 201, "what fits is taken");
    assert_eq!(append(&app, &key, 1, 10).await.status, 429);
    let others =
        app.call("POST", "/v1/sessions/s/messages", r#"{"messages": [{"role": "user", "content": "x"}]}"#);
    assert_eq!(others.await.status, 201, "others are not bound");
}

#[tokio::test]
async fn a_retry_of_what_was_stored_is_answered_when_nothing_more_is_taken() {
    let app = app().await;
    let key = bound(&app, json!({"messages_per_day": 1})).await;
    let token = format!("Bearer {key}");
    let headers = [("authorization", token.as_str()), ("idempotency-key", "once")];
    let body = r#"{"messages": [{"role": "user", "content": "x"}]}"#;
    let first = app.call_with("POST", "/v1/sessions/s/messages", body, &headers).await;
    let again = app.call_with("POST", "/v1/sessions/s/messages", body, &headers).await;
    assert_eq!((first.status.as_u16(), again.status.as_u16()), (201, 201));
    assert_eq!(first.text, again.text);
    assert_eq!(head(&app, &key).await, 1);
}

#[tokio::test]
async fn bytes_beyond_the_quota_are_refused_and_come_back_with_what_is_erased() {
    let app = app().await;
    let key = bound(&app, json!({"stored_bytes": 3_000})).await;
    assert_eq!(append(&app, &key, 1, 2_000).await.status, 201);
    let refused = append(&app, &key, 1, 2_000).await;
    assert_eq!(refused.json()["quota"], "stored_bytes", "{}", refused.text);
    assert_eq!(head(&app, &key).await, 1);
    let id = {
        let tenants = app.call_as(OPERATOR, "GET", "/v1/admin/tenants", "").await.json();
        let found = tenants["items"].as_array().unwrap().iter().find(|t| t["name"] == "bound").cloned();
        anchord_messages::id::TenantId::parse(found.unwrap()["id"].as_str().unwrap()).unwrap()
    };
    let day = anchord_runtime::clock::Clock::system().now().date_naive();
    let stored = app.store.find_standing(id, day).await.unwrap();
    assert!((2_000..2_100).contains(&stored.bytes), "{stored:?}");
    assert_eq!(app.call_as(&key, "DELETE", "/v1/sessions/s", "").await.status, 204);
    let erased = app.store.find_standing(id, day).await.unwrap();
    assert_eq!((erased.messages, erased.bytes), (1, 0), "room comes back, the day's messages do not");
}

#[tokio::test]
async fn many_appends_at_once_do_not_pass_the_quota() {
    let app = app().await;
    let key = bound(&app, json!({"messages_per_day": 20})).await;
    let appends = (0..40).map(|_| append(&app, &key, 1, 10));
    let replies = futures::future::join_all(appends).await;
    let taken = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(taken, 20);
    assert_eq!(head(&app, &key).await, 20);
}

#[tokio::test]
async fn an_import_counts_as_its_messages_do() {
    let app = app().await;
    let key = bound(&app, json!({"messages_per_day": 1})).await;
    let line = |seq: u32| {
        json!({"kind": "message", "seq": seq, "message": {"role": "user", "content": "x"}}).to_string()
    };
    let token = format!("Bearer {key}");
    let headers = [("authorization", token.as_str()), ("content-type", "application/x-ndjson")];
    let two = format!("{}\n{}", line(1), line(2));
    let refused = app.call_with("POST", "/v1/sessions/s/import", two, &headers).await;
    assert_eq!(refused.refusal().1, "quota-exceeded");
    assert_eq!(app.call_with("POST", "/v1/sessions/s/import", line(1), &headers).await.status, 201);
}
