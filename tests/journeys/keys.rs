//! API keys: made once, shown once, rotated with an overlap, revoked at once and everywhere.

use std::time::Duration;

use anchord_runtime::clock::Clock;
use anchord_store::Store;
use anchord_store::keys::{Line, digest_key};
use axum::body::{Body, Bytes};
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::support::app::{App, OPERATOR, OURS, THEIRS, app};

async fn create(app: &App, body: Value) -> Value {
    app.call("POST", "/v1/keys", body.to_string()).await.with(201).json()
}

async fn status(app: &App, key: &str) -> u16 {
    app.call_as(key, "GET", "/v1/sessions", "").await.status.as_u16()
}

#[tokio::test]
async fn a_key_is_shown_once_does_what_it_may_and_is_stored_as_a_digest() {
    let app = app().await;
    let made = create(&app, json!({"name": "reader", "scopes": ["read"]})).await;
    let key = made["key"].as_str().unwrap();
    assert!(key.starts_with("anchord_") && key.len() == 57);
    assert!(key.starts_with(made["prefix"].as_str().unwrap()));
    assert_eq!(status(&app, key).await, 200);
    app.call_as(key, "PUT", "/v1/sessions/s", "{}").await.with(403);
    let listed = app.call("GET", "/v1/keys", "").await;
    assert!(!listed.text.contains(key), "a list never shows a key");
    let view = listed.json()["items"].as_array().unwrap().iter().find(|k| k["id"] == made["id"]).cloned();
    assert_eq!(view.unwrap()["scopes"], json!(["read"]));
    let mut tx = app.store.begin(app.tenant).await.unwrap();
    let rows = sqlx::raw_sql("select row_to_json(k)::text as row from api_keys k")
        .fetch_all(&mut *tx)
        .await
        .unwrap();
    let rows: Vec<String> = rows.iter().map(|row| sqlx::Row::get(row, 0)).collect();
    assert!(rows.len() == 2 && rows.iter().all(|row| !row.contains(key)), "only a digest is stored");
}

#[tokio::test]
async fn a_key_mints_only_what_it_may_do_itself() {
    let app = app().await;
    let made = create(&app, json!({"scopes": ["admin", "read", "admin"]})).await;
    assert_eq!(made["scopes"], json!(["read", "admin"]), "each once");
    let admin = made["key"].as_str().unwrap();
    let more = app.call_as(admin, "POST", "/v1/keys", r#"{"scopes": ["read", "write"]}"#).await;
    more.refused_as(403, "forbidden");
    let less = app.call_as(admin, "POST", "/v1/keys", r#"{"scopes": ["read"]}"#).await.with(201);
    let reader = less.json()["key"].as_str().unwrap().to_owned();
    assert_eq!(app.call_as(&reader, "GET", "/v1/keys", "").await.status, 403);
}

#[tokio::test]
async fn a_wrong_key_is_refused_with_its_field() {
    let app = app().await;
    for (body, pointer) in [
        (json!({"scopes": []}), "/scopes"),
        (json!({"scopes": ["root"]}), "/scopes/0"),
        (json!({}), "/scopes"),
        (json!({"scopes": ["read"], "expires_at": "2001-01-01T00:00:00Z"}), "/expires_at"),
        (json!({"scopes": ["read"], "expires_at": "+262142-12-31T23:59:59Z"}), "/expires_at"),
        (json!({"scopes": ["read"], "name": " "}), "/name"),
    ] {
        app.call("POST", "/v1/keys", body.to_string()).await.refused_at(422, pointer);
    }
    let strange = app.call("DELETE", "/v1/keys/key_00000000000000000000000000000007", "").await;
    assert_eq!(strange.refusal().1, "key-not-found");
}

#[tokio::test]
async fn a_revoked_key_opens_nothing_from_then_on() {
    let app = app().await;
    let made = create(&app, json!({"scopes": ["read"]})).await;
    let key = made["key"].as_str().unwrap();
    assert_eq!(status(&app, key).await, 200);
    let path = format!("/v1/keys/{}", made["id"].as_str().unwrap());
    assert_eq!(app.call_as(THEIRS, "DELETE", &path, "").await.status, 404, "another tenant's is not there");
    assert_eq!(app.call("DELETE", &path, "").await.status, 204);
    assert_eq!(status(&app, key).await, 401);
    assert_eq!(app.call("DELETE", &path, "").await.status, 404);
}

#[tokio::test]
async fn a_body_that_comes_after_its_key_was_revoked_stores_nothing() {
    let app = app().await;
    let made = create(&app, json!({"scopes": ["read", "write"]})).await;
    let (tell, is_read) = tokio::sync::oneshot::channel();
    let (go_on, rest) = tokio::sync::oneshot::channel();
    let body = br#"{"messages": [{"role": "user", "content": "Hello."}]}"#;
    let (first, last) = body.split_at(9);
    let slow = stream::once(async move {
        tell.send(()).expect("somebody who waits");
        Ok::<_, std::convert::Infallible>(Bytes::from_static(first))
    });
    let slow = slow.chain(stream::once(async move {
        rest.await.expect("somebody who sends");
        Ok(Bytes::from_static(last))
    }));
    let key = made["key"].as_str().unwrap();
    let upload = app.call_as(key, "POST", "/v1/sessions/s/messages", Body::from_stream(slow));
    let revoke = async {
        is_read.await.expect("a body that is read");
        let path = format!("/v1/keys/{}", made["id"].as_str().unwrap());
        assert_eq!(app.call("DELETE", &path, "").await.status, 204);
        go_on.send(()).expect("a body that is read");
    };
    let (uploaded, ()) = tokio::join!(upload, revoke);
    assert_eq!(uploaded.status, 401, "{}", uploaded.text);
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.status, 404);
}

#[tokio::test]
async fn another_process_refuses_a_revoked_key_without_waiting_for_what_it_remembers() {
    let app = app().await;
    let other = Store::connect(&app.database.url, 4, TaskTracker::new()).await.unwrap();
    let stop = CancellationToken::new();
    let tracker = TaskTracker::new();
    let watching = tracker.spawn({
        let (other, stop) = (other.clone(), stop.clone());
        async move { other.watch_keys(&stop).await }
    });
    let made = create(&app, json!({"scopes": ["read"]})).await;
    let digest = digest_key(made["key"].as_str().unwrap());
    let now = Clock::system().now();
    // The look-up may be remembered before or after the listener is ready; both must hear of the end.
    assert!(other.find_key(digest, Line::InUse, now).await.unwrap().is_some());
    app.call("DELETE", &format!("/v1/keys/{}", made["id"].as_str().unwrap()), "").await;
    let refused = async {
        while other.find_key(digest, Line::InUse, now).await.unwrap().is_some() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(3), refused).await.expect("sooner than a look-up is forgotten");
    stop.cancel();
    watching.await.unwrap();
    other.close().await;
}

#[tokio::test]
async fn a_rotated_key_and_its_successor_both_work_until_the_overlap_ends() {
    let app = app().await;
    let made = create(&app, json!({"name": "loop", "scopes": ["read", "write"]})).await;
    let old = made["key"].as_str().unwrap();
    let path = format!("/v1/keys/{}/rotate", made["id"].as_str().unwrap());
    let new = app.call("POST", &path, "").await.with(201);
    let new = new.json();
    assert_eq!((&new["name"], &new["scopes"]), (&made["name"], &made["scopes"]));
    assert_ne!(new["id"], made["id"]);
    let key = new["key"].as_str().unwrap();
    assert_eq!((status(&app, old).await, status(&app, key).await), (200, 200));
    app.call("POST", &path, r#"{"overlap_seconds": 0}"#).await.with(201);
    assert_eq!((status(&app, old).await, status(&app, key).await), (401, 200));
    assert_eq!(app.call("POST", &path, "").await.refusal().1, "key-not-found", "it is over");
    let long = app.call("POST", &path, r#"{"overlap_seconds": 99999999}"#).await;
    assert_eq!(long.refusal().2, "/overlap_seconds");
    let audit = app.call("GET", "/v1/audit", "").await.json();
    let actions: Vec<&str> =
        audit["items"].as_array().unwrap().iter().filter_map(|i| i["action"].as_str()).collect();
    assert_eq!(actions.iter().filter(|action| **action == "key.rotated").count(), 2);
}

#[tokio::test]
async fn a_key_rotates_only_what_it_may_do_itself() {
    let app = app().await;
    let worker = create(&app, json!({"scopes": ["read", "write"]})).await;
    let admin = create(&app, json!({"scopes": ["admin"]})).await;
    let admin_key = admin["key"].as_str().unwrap();
    let path = format!("/v1/keys/{}/rotate", worker["id"].as_str().unwrap());
    let refused = app.call_as(admin_key, "POST", &path, r#"{"overlap_seconds": 0}"#).await;
    refused.refused_as(403, "forbidden");
    assert!(!refused.text.contains("anchord_"), "no key is shown");
    assert_eq!(status(&app, worker["key"].as_str().unwrap()).await, 200, "the key goes on unchanged");
    let listed = app.call("GET", "/v1/keys", "").await.json();
    assert_eq!(listed["items"].as_array().unwrap().len(), 3, "no key was made");
    let own = format!("/v1/keys/{}/rotate", admin["id"].as_str().unwrap());
    assert_eq!(app.call_as(admin_key, "POST", &own, "").await.status, 201, "a key may replace itself");
    assert_eq!(app.call("POST", &path, "").await.status, 201, "who has every scope may");
    let by_operator =
        format!("/v1/admin/tenants/{}/keys/{}/rotate", app.tenant, worker["id"].as_str().unwrap());
    assert_eq!(app.call_as(OPERATOR, "POST", &by_operator, "").await.status, 201);
}

#[tokio::test]
async fn the_last_use_of_a_key_is_noted() {
    let app = app().await;
    let made = create(&app, json!({"scopes": ["read"]})).await;
    assert_eq!(status(&app, made["key"].as_str().unwrap()).await, 200);
    app.store.note_used_keys().await.unwrap();
    let listed = app.call("GET", "/v1/keys", "").await.json();
    let used = |id: &Value| {
        let keys = listed["items"].as_array().unwrap();
        keys.iter().find(|key| key["id"] == *id).map(|key| key["last_used_at"].is_string())
    };
    assert_eq!(used(&made["id"]), Some(true));
    let unused = create(&app, json!({"scopes": ["read"]})).await;
    assert_eq!(unused["expires_at"], Value::Null);
    app.store.note_used_keys().await.unwrap();
    assert_eq!(
        app.call_as(OURS, "GET", "/v1/keys", "").await.json()["items"][2]["last_used_at"],
        Value::Null
    );
}
