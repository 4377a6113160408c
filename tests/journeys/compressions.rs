//! Compressions over HTTP: asked for once, joined or refused while one is live, waited for, cancelled.

use anchord_messages::id::{SessionName, SessionRef};
use anchord_session::compression::Status;
use serde_json::json;
use sqlx::{Connection as _, PgConnection, Row as _};

use crate::support::app::COMPRESS;
use crate::support::app::{App, app};
use crate::support::talks::turns;

const PATH: &str = "/v1/sessions/s/compressions";

/// An API with a session `s` of `messages` messages.
pub async fn app_with_session(messages: usize) -> App {
    let app = app().await;
    let all = turns(messages, |i| format!("message number {i}"));
    app.call("POST", "/v1/sessions/s/messages", json!({"messages": all}).to_string()).await.with(201);
    app
}

#[tokio::test]
async fn a_compression_is_queued_read_listed_and_cancelled() {
    let app = app_with_session(10).await;
    let reply = app.call("POST", PATH, r#"{"reason": "now", "target": 0.5}"#).await.with(202);
    let made = reply.json();
    assert_eq!((made["status"].as_str(), made["trigger"].as_str()), (Some("queued"), Some("manual")));
    assert_eq!((made["kind"].as_str(), made["reason"].as_str()), (Some("compress"), Some("now")));
    let location = reply.headers["location"].to_str().expect("text").to_owned();
    assert_eq!(location, format!("{PATH}/{}", made["id"].as_str().expect("an id")));
    let read = app.call("GET", &location, "").await.json();
    assert_eq!(read, made);
    for field in ["tokens_before", "target_met", "cost", "timings", "warnings", "error", "flags", "attempts"]
    {
        assert!(read.get(field).is_some(), "{field} is missing");
    }
    assert_eq!(app.call("GET", PATH, "").await.json()["items"], json!([made]));

    let cancelled = app.call("DELETE", &location, "").await;
    assert_eq!((cancelled.status.as_u16(), cancelled.json()["status"].as_str()), (200, Some("cancelled")));
    assert_eq!(app.call("DELETE", &location, "").await.status, 200, "it is what was asked for");
    let other = location.replace("/s/", "/other/");
    assert_eq!(app.call("GET", &other, "").await.refusal().1, "session-not-found");
}

#[tokio::test]
async fn a_live_compression_is_joined_by_the_same_parameters_and_refused_to_others() {
    let app = app_with_session(10).await;
    let first =
        app.call("POST", PATH, r#"{"engine": "extractive", "target": 0.5, "reason": "a"}"#).await.json();
    let same = app.call("POST", PATH, r#"{"engine": "extractive", "target": 0.5, "reason": "b"}"#).await;
    assert_eq!((same.status.as_u16(), &same.json()["id"]), (202, &first["id"]));
    let other = app.call("POST", PATH, r#"{"preserve_recent": 2}"#).await;
    assert_eq!(other.refusal().1, "compression-live");
    assert_eq!((other.status.as_u16(), &other.json()["compression_id"]), (409, &first["id"]));
}

#[tokio::test]
async fn what_cannot_be_done_is_refused_with_its_reason() {
    let app = app_with_session(10).await;
    app.call("PUT", "/v1/sessions/critical", r#"{"critical": true}"#).await;
    for (path, body, kind, pointer) in [
        (PATH, r#"{"engine": "llm"}"#, "refused", "/engine"),
        ("/v1/sessions/critical/compressions", r#"{"strategy": "opaque"}"#, "refused", "/strategy"),
        (PATH, r#"{"strategy": "rollback"}"#, "invalid-request", "/strategy"),
        (PATH, r#"{"target": 1.5}"#, "invalid-request", "/target"),
        (PATH, r#"{"through_seq": 11}"#, "invalid-request", "/through_seq"),
        (PATH, r#"{"preserve_recent": 1000}"#, "invalid-request", "/preserve_recent"),
        (PATH, r#"{"summary_model": ""}"#, "invalid-request", "/summary_model"),
        (PATH, r#"{"version": 1}"#, "invalid-request", "/version"),
    ] {
        let reply = app.call("POST", path, body).await;
        assert_eq!(reply.refusal(), (422, kind.to_owned(), pointer.to_owned()), "{body}: {}", reply.text);
    }
    assert_eq!(app.call("GET", PATH, "").await.json()["items"], json!([]), "nothing was queued");
}

#[tokio::test]
async fn a_caller_that_waits_hears_the_end() {
    let app = app_with_session(10).await;
    let at_once = app.call_with("POST", PATH, COMPRESS, &[("prefer", "wait=0")]).await;
    assert_eq!(
        (at_once.status.as_u16(), &at_once.headers["preference-applied"]),
        (202, &"wait=0".parse().unwrap())
    );
    let location = at_once.headers["location"].to_str().expect("text").to_owned();
    app.call("DELETE", &location, "").await;
    let key = [("prefer", "wait=30"), ("idempotency-key", "k")];
    let waits = app.call_with("POST", PATH, COMPRESS, &key);
    let ends = async {
        let name = SessionRef::from(SessionName::parse("s").expect("a name"));
        let session = app.store.find_session(app.tenant, &name).await.expect("a look").expect("a session").id;
        let live = loop {
            let newest = app.store.list_compressions(session.of(app.tenant), None, 1).await.expect("a look");
            if let Some(live) = newest.first().filter(|one| one.status == Status::Queued) {
                break live.id;
            }
            tokio::task::yield_now().await;
        };
        app.store.cancel_compression(session.of(app.tenant), live).await.expect("an end");
    };
    let (reply, ()) = tokio::join!(waits, ends);
    assert_eq!(
        (reply.status.as_u16(), reply.json()["status"].as_str()),
        (200, Some("cancelled")),
        "{}",
        reply.text
    );
    let again = app.call_with("POST", PATH, COMPRESS, &key).await;
    assert_eq!(
        (again.status, again.text, again.headers.get("location")),
        (reply.status, reply.text, reply.headers.get("location"))
    );
}

#[tokio::test]
async fn a_key_replays_its_reply_before_anything_is_looked_at() {
    let app = app_with_session(10).await;
    let key = [("idempotency-key", "once")];
    let first = app.call_with("POST", PATH, COMPRESS, &key).await.with(202);
    let location = first.headers["location"].to_str().expect("text").to_owned();
    app.call("DELETE", &location, "").await;
    let second = app.call_with("POST", PATH, COMPRESS, &key).await;
    assert_eq!((second.status, &second.text), (first.status, &first.text), "the same reply, byte for byte");
    assert_eq!(second.headers["location"], first.headers["location"]);
    assert_eq!(second.headers["content-type"], "application/json");
    let other_body = app.call_with("POST", PATH, r#"{"target": 0.4}"#, &key).await;
    assert_eq!(other_body.refusal().1, "idempotency-mismatch");
    let other_route = app.call_with("POST", "/v1/sessions/s/evaluations", "{}", &key).await;
    assert_eq!(other_route.refusal().1, "no-summary", "a key is scoped to its route");
    let long = "x".repeat(300);
    let refused = app.call_with("POST", PATH, COMPRESS, &[("idempotency-key", &long)]).await;
    assert_eq!(refused.refusal().2, "/Idempotency-Key");
}

#[tokio::test]
async fn of_two_requests_with_one_key_at_once_only_one_takes_effect() {
    let app = app_with_session(10).await;
    let key = [("idempotency-key", "race")];
    let calls = (0..8).map(|_| app.call_with("POST", PATH, COMPRESS, &key));
    let replies = futures::future::join_all(calls).await;
    for reply in &replies {
        assert!([202, 409].contains(&reply.status.as_u16()), "{}", reply.text);
        if reply.status == 409 {
            assert_eq!(reply.refusal().1, "idempotency-in-flight");
        }
    }
    assert_eq!(app.call("GET", PATH, "").await.json()["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_list_is_paged_by_a_cursor_of_its_own() {
    let app = app_with_session(10).await;
    for _ in 0..5 {
        let made = app.call("POST", PATH, COMPRESS).await;
        app.call("DELETE", made.headers["location"].to_str().expect("text"), "").await;
    }
    let mut seen = Vec::new();
    let mut path = format!("{PATH}?limit=2");
    loop {
        let page = app.call("GET", &path, "").await.json();
        seen.extend(page["items"].as_array().expect("items").iter().map(|item| item["id"].to_string()));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        let foreign = format!("/v1/sessions/s/evaluations?cursor={cursor}");
        assert_eq!(app.call("GET", &foreign, "").await.refusal().2, "/cursor", "a cursor of another list");
        path = format!("{PATH}?limit=2&cursor={cursor}");
    }
    assert_eq!(seen.len(), 5);
    assert!(seen.is_sorted_by(|newer, older| newer > older), "newest first, none twice: {seen:?}");
}

/// Whether the indexing that follows a session's first version began in the commit of that version.
async fn is_indexed_at_once(messages: usize) -> bool {
    let app = app().await;
    let text = |i| format!("part {i} of the report: {}", "nothing new here. ".repeat(20));
    let all = turns(messages, text);
    app.call("POST", "/v1/sessions/s/messages", json!({"messages": all}).to_string()).await.with(201);
    assert_eq!(app.call("POST", PATH, r#"{"through_seq": 100}"#).await.status, 202);
    app.work().await;
    let began = "select i.status, i.started_at = c.finished_at from compressions c
                 join compressions i on i.tenant_id = c.tenant_id and i.session_id = c.session_id and i.kind = 'index'
                 where c.kind = 'compress' and c.status = 'succeeded'";
    let mut owner = PgConnection::connect(&app.database.url).await.expect("a connection");
    let found = sqlx::raw_sql(began).fetch_one(&mut owner).await.expect("one indexing of one version");
    assert_eq!(found.get::<String, _>(0), "succeeded");
    found.get(1)
}

#[tokio::test]
async fn what_a_version_leaves_to_index_is_indexed_at_once_unless_it_is_much() {
    assert!(is_indexed_at_once(256).await);
    assert!(!is_indexed_at_once(257).await, "it waits in the queue");
}
