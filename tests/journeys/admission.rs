//! No tenant takes what all share: memory for bodies, processors, event streams and waits are shared by tenant, and
//! what nobody may use any longer ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anchord_store::Store;
use anchord_store::audit::Actor;
use axum::body::BodyDataStream;
use futures::StreamExt as _;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::support::app::{App, COMPRESS, OPERATOR, OURS, THEIRS, app};
use crate::support::talks::turns;

const MEBIBYTE: usize = 1024 * 1024;
/// Longer than any step may take, so that what hangs fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// Sends the head of an append, and so many bytes of its body.
async fn upload(address: std::net::SocketAddr, (announced, sent): (usize, usize)) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /v1/sessions/s/messages HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {OURS}\r\n\
         content-type: application/json\r\ncontent-length: {announced}\r\n\r\n"
    );
    // The service may refuse, and close, before it has read all.
    if stream.write_all(head.as_bytes()).await.is_ok() {
        let _ = stream.write_all(&vec![b' '; sent]).await;
    }
    stream
}

/// The head of a reply that comes while the body is not whole, which it may never do.
async fn early_reply(mut stream: TcpStream) -> (TcpStream, String) {
    let mut read = vec![0; 4_096];
    let length =
        tokio::time::timeout(PATIENCE, stream.read(&mut read)).await.map_or(0, Result::unwrap_or_default);
    let text = String::from_utf8_lossy(&read[..length]).into_owned();
    (stream, text)
}

#[tokio::test]
async fn bodies_that_do_not_come_to_an_end_take_no_more_memory_than_a_tenants_share() {
    let app = app().await;
    let address = app.listen().await;
    // Together more than the share of a tenant.
    let uploads = join_all((0..16).map(|_| upload(address, (8 * MEBIBYTE, 6 * MEBIBYTE)))).await;
    let mut replies: FuturesUnordered<_> = uploads.into_iter().map(early_reply).collect();
    // Half of them are more than the share.
    for _ in 0..8 {
        let (_, text) = replies.next().await.unwrap();
        assert!(text.starts_with("HTTP/1.1 503") && text.contains("bodies-in-flight"), "{text}");
        assert!(text.contains("retry-after: "), "{text}");
    }
    let body = r#"{"messages": [{"role": "user", "content": "Hello"}]}"#;
    assert_eq!(app.call_as(THEIRS, "POST", "/v1/sessions/s/messages", body).await.status, 201);
    drop(replies);
    let large = json!({"messages": [{"role": "user", "content": "word ".repeat(MEBIBYTE / 2)}]}).to_string();
    let after = app.call("POST", "/v1/sessions/s/messages", large).await;
    assert_eq!(after.status, 201, "what is dropped is free again: {}", after.text);
}

/// A conversation that takes a while to compress.
fn conversation(messages: usize) -> String {
    let line = |i| format!("In src/part{i}.rs the test part_{i} fails with error E{i:04}: expected {i}. ");
    let messages = turns(messages, |i| line(i).repeat(60));
    json!({"messages": messages}).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenants_heavy_call_does_not_wait_for_all_of_anothers() {
    let app = app().await;
    let ended = Arc::new(AtomicUsize::new(0));
    let heavy = conversation(60);
    let many = 16;
    let theirs = async {
        // After most of the others have arrived.
        while ended.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        let before = ended.load(Ordering::Relaxed);
        app.call_as(THEIRS, "POST", "/v1/compress", conversation(12)).await.with(200);
        ended.load(Ordering::Relaxed) - before
    };
    let ours = join_all((0..many).map(|_| async {
        let status = app.call("POST", "/v1/compress", heavy.clone()).await.status;
        ended.fetch_add(1, Ordering::Relaxed);
        status.as_u16()
    }));
    let (statuses, ended_meanwhile) = tokio::join!(ours, theirs);
    assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
    assert!(ended_meanwhile <= 4, "{ended_meanwhile} calls of another tenant ended first");
}

/// A stream of a session's events, as its bytes.
async fn follow(app: &App, key: &str) -> BodyDataStream {
    let reply = app.open_as(key, "/v1/sessions/s/events", &[]).await;
    assert_eq!(reply.status(), 200);
    let mut stream = reply.into_body().into_data_stream();
    // The first line says that it follows.
    assert!(stream.next().await.is_some());
    stream
}

async fn has_ended(mut stream: BodyDataStream) -> bool {
    let rest = async { while stream.next().await.is_some_and(|read| read.is_ok()) {} };
    tokio::time::timeout(Duration::from_secs(5), rest).await.is_ok()
}

async fn key(app: &App) -> (String, String) {
    let made = app.call("POST", "/v1/keys", r#"{"scopes": ["read", "write"]}"#).await.json();
    (made["key"].as_str().unwrap().to_owned(), made["id"].as_str().unwrap().to_owned())
}

async fn session(app: &App) {
    assert_eq!(app.call("PUT", "/v1/sessions/s", r#"{"auto": false}"#).await.status, 201);
}

#[tokio::test]
async fn a_stream_ends_when_its_key_is_revoked_or_rotated_out_and_the_others_go_on() {
    let app = app().await;
    session(&app).await;
    let (revoked, id) = key(&app).await;
    let (rotated, other) = key(&app).await;
    let [first, second, own] =
        [follow(&app, &revoked).await, follow(&app, &rotated).await, follow(&app, OURS).await];
    assert_eq!(app.call("DELETE", &format!("/v1/keys/{id}"), "").await.status, 204);
    assert!(has_ended(first).await, "its key is revoked");
    app.call("POST", &format!("/v1/keys/{other}/rotate"), r#"{"overlap_seconds": 0}"#).await.with(201);
    assert!(has_ended(second).await, "its key is rotated out");
    let goes_on = tokio::time::timeout(Duration::from_millis(500), has_ended(own)).await.is_err();
    assert!(goes_on, "its key is as good as before");
}

#[tokio::test]
async fn a_stream_ends_when_its_tenant_is_suspended() {
    let app = app().await;
    session(&app).await;
    let stream = follow(&app, OURS).await;
    let path = format!("/v1/admin/tenants/{}", app.tenant);
    app.call_as(OPERATOR, "PATCH", &path, r#"{"status": "suspended"}"#).await.with(200);
    assert!(has_ended(stream).await);
}

#[tokio::test]
async fn a_stream_ends_when_its_tenant_is_deleted_or_its_key_expires() {
    let app = app().await;
    session(&app).await;
    let end = (anchord_runtime::clock::Clock::system().now() + Duration::from_secs(1)).to_rfc3339();
    let body = json!({"scopes": ["read"], "expires_at": end}).to_string();
    let made = app.call("POST", "/v1/keys", body).await.json();
    let [expiring, own] = [follow(&app, made["key"].as_str().unwrap()).await, follow(&app, OURS).await];
    assert!(has_ended(expiring).await, "its key has expired");
    let path = format!("/v1/admin/tenants/{}", app.tenant);
    assert_eq!(app.call_as(OPERATOR, "DELETE", &path, "").await.status, 204);
    assert!(has_ended(own).await, "its tenant is gone");
}

#[tokio::test]
async fn a_stream_ends_when_another_process_revokes_its_key() {
    let app = app().await;
    session(&app).await;
    let (stop, store) = (CancellationToken::new(), app.store.clone());
    let watching = app.store.tracker().spawn({
        let stop = stop.clone();
        async move { store.watch_keys(&stop).await }
    });
    let (revoked, id) = key(&app).await;
    let stream = follow(&app, &revoked).await;
    let other = Store::connect(&app.database.url, 4, TaskTracker::new()).await.unwrap();
    let id = serde_json::from_value(Value::String(id)).unwrap();
    assert!(other.revoke_key(app.tenant, id, Actor::Cli).await.unwrap());
    assert!(has_ended(stream).await);
    stop.cancel();
    watching.await.unwrap();
    other.close().await;
}

#[tokio::test]
async fn replies_that_nobody_takes_hold_no_more_memory_than_a_tenants_share() {
    let app = app().await;
    // Together on a page, and more than the system takes in a client's place.
    let texts = [MEBIBYTE * 15 / 32, MEBIBYTE * 15 / 16].map(|words| "one ".repeat(words));
    let large = json!({"messages": texts.map(|text| json!({"role": "user", "content": text}))});
    assert_eq!(app.call("PUT", "/v1/sessions/s", r#"{"auto": false}"#).await.status, 201);
    assert_eq!(app.call("POST", "/v1/sessions/s/messages", large.to_string()).await.status, 201);
    let address = app.listen().await;
    let ask = async || {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "GET /v1/sessions/s/messages HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {OURS}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut status = [0; 12];
        tokio::time::timeout(PATIENCE, stream.read_exact(&mut status)).await.expect("a reply").unwrap();
        (stream, String::from_utf8_lossy(&status).into_owned())
    };
    let replies = join_all((0..24).map(|_| ask())).await;
    let refused = replies.iter().filter(|(_, status)| status.ends_with("503")).count();
    assert!(refused >= 12, "{refused} of 24 were refused");
    let body = r#"{"messages": [{"role": "user", "content": "Hello"}]}"#;
    assert_eq!(app.call_as(THEIRS, "POST", "/v1/sessions/s/messages", body).await.status, 201);
    drop(replies);
    assert_eq!(app.call("GET", "/v1/sessions/s/messages", "").await.status, 200);
}

#[tokio::test]
async fn one_key_has_a_share_of_the_streams() {
    let app = app().await;
    session(&app).await;
    app.call_as(THEIRS, "PUT", "/v1/sessions/s", "{}").await;
    let mut open = Vec::new();
    let refused = loop {
        assert!(open.len() <= 1_024, "no share is reached");
        let reply = app.open("/v1/sessions/s/events", &[]).await;
        if reply.status() != 200 {
            break reply;
        }
        open.push(reply);
    };
    assert_eq!(refused.status(), 429);
    assert!(refused.headers().contains_key("retry-after"));
    drop(follow(&app, THEIRS).await);
    drop(open.pop());
    assert_eq!(app.open("/v1/sessions/s/events", &[]).await.status(), 200, "one that ended makes room");
}

#[tokio::test]
async fn a_wait_ends_when_its_key_is_revoked() {
    let app = app().await;
    session(&app).await;
    let messages = turns(12, |_| "talk ".repeat(60));
    app.call("POST", "/v1/sessions/s/messages", json!({"messages": messages}).to_string()).await;
    let (waiting, id) = key(&app).await;
    let authorization = format!("Bearer {waiting}");
    let headers = [("prefer", "wait=60"), ("authorization", authorization.as_str())];
    let wait = app.call_with("POST", "/v1/sessions/s/compressions", COMPRESS, &headers);
    let revoke = async {
        crate::support::until("a compression is queued", async || {
            let listed = app.call("GET", "/v1/sessions/s/compressions", "").await;
            listed.json()["items"].as_array().is_some_and(|items| !items.is_empty()).then_some(())
        })
        .await;
        app.call("DELETE", &format!("/v1/keys/{id}"), "").await
    };
    let both = async { tokio::join!(wait, revoke) };
    let (waited, _) = tokio::time::timeout(PATIENCE, both).await.expect("it does not wait to its end");
    assert_eq!(waited.status, 401, "{}", waited.text);
}
