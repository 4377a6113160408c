//! Jobs that have nothing to do end as skipped, are told of once, and harm no other.

use serde_json::json;
use sqlx::AssertSqlSafe;

use crate::support::app::{App, app, app_with_webhooks};
use crate::support::receiver::{Answer, Receiver};
use crate::support::text;

/// A session with two messages and a compression that waits, and finds nothing to cover.
async fn idle(app: &App, name: &str) {
    let messages =
        json!({"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "yes?"}]});
    let session = format!("/v1/sessions/{name}");
    app.call("POST", &format!("{session}/messages"), messages.to_string()).await.with(201);
    // Asked for by a caller it would be answered at once; a session may also change while its compression waits.
    run(
        app,
        &format!(
            "insert into compressions (tenant_id, id, session_id, kind, status, trigger, request)
             select tenant_id, gen_random_uuid(), id, 'compress', 'queued', 'manual', '{{}}' from sessions where name = '{name}'"
        ),
    )
    .await;
}

#[tokio::test]
async fn a_compression_that_would_have_nothing_to_do_is_answered_when_it_is_asked_for() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(200)]).await;
    app.call("POST", "/v1/webhooks", json!({"url": receiver.url}).to_string()).await.with(201);
    let messages =
        json!({"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "yes?"}]});
    app.call("POST", "/v1/sessions/s/messages", messages.to_string()).await;
    let before = app.call("GET", "/v1/sessions/s", "").await.json();
    let path = "/v1/sessions/s/compressions";
    let answer = app.call_with("POST", path, "{}", &[("idempotency-key", "k")]).await;
    let job = answer.json();
    assert_eq!((answer.status.as_u16(), &job["status"]), (200, &json!("skipped")), "{}", answer.text);
    assert_eq!(job["error"]["type"], "fits", "{}", answer.text);
    assert!(job["started_at"].is_null() && job["finished_at"].is_string(), "{}", answer.text);
    let again = app.call_with("POST", path, "{}", &[("idempotency-key", "k")]).await;
    assert_eq!((again.status, &again.text), (answer.status, &answer.text));
    assert_eq!(app.call("GET", path, "").await.json()["items"], json!([job]));
    let after = app.call("GET", "/v1/sessions/s", "").await.json();
    assert_eq!((&after["usage"], &after["compression"]), (&before["usage"], &json!(null)));
    assert_eq!(one(&app, "select string_agg(kind, ', ') from events").await, "compression.skipped");
    app.deliver().await;
    assert_eq!(receiver.kinds(), ["compression.skipped"]);
    // There is no job for a worker.
    app.work().await;
    assert_eq!(one(&app, STATUSES).await, "skipped 0");
    // With a target there is something to do, and it waits for a worker as ever.
    let messages: Vec<_> =
        (0..30).map(|n| json!({"role": "user", "content": format!("{n} {}", "more ".repeat(200))})).collect();
    app.call("POST", "/v1/sessions/s/messages", json!({"messages": messages}).to_string()).await;
    let queued = app.call("POST", path, r#"{"through_seq": 20}"#).await;
    assert_eq!(
        (queued.status.as_u16(), &queued.json()["status"]),
        (202, &json!("queued")),
        "{}",
        queued.text
    );
}

/// An indexing that waits; the session is indexed before when it is to have nothing to do.
async fn index(app: &App, name: &str) {
    run(
        app,
        &format!(
            "update sessions set indexed_seq = head_seq where name = '{name}';
             insert into compressions (tenant_id, id, session_id, kind, status, trigger, request)
             select tenant_id, gen_random_uuid(), id, 'index', 'queued', 'recall', '{{}}' from sessions where name = '{name}'"
        ),
    )
    .await;
}

async fn run(app: &App, sql: &str) {
    let mut superuser = app.database.connect_as_superuser().await;
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut superuser).await.unwrap();
}

async fn one(app: &App, sql: &str) -> String {
    text(&mut app.database.connect_as_superuser().await, sql).await
}

const STATUSES: &str =
    "select coalesce(string_agg(c.status || ' ' || c.attempt, ', ' order by s.name, c.kind), '')
    from compressions c join sessions s on s.tenant_id = c.tenant_id and s.id = c.session_id";

#[tokio::test]
async fn what_has_nothing_to_do_is_skipped_with_its_reason_and_told_once() {
    let app = app().await;
    idle(&app, "s").await;
    index(&app, "s").await;
    let before = app.call("GET", "/v1/sessions/s", "").await.json()["usage"].clone();
    app.work().await;
    assert_eq!(one(&app, STATUSES).await, "skipped 1, succeeded 1");
    let list = app.call("GET", "/v1/sessions/s/compressions", "").await.json();
    let job = list["items"].as_array().unwrap().iter().find(|job| job["kind"] == "compress").unwrap();
    assert!(job["started_at"].is_string() && job["finished_at"].is_string(), "{list}");
    assert!(job["error"]["type"].is_string() && job["error"]["detail"].is_string(), "{list}");
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.json()["usage"], before);
    assert_eq!(one(&app, "select string_agg(kind, ', ') from events").await, "compression.skipped");
    let settled = one(&app, "select accounting ->> 'settled_head' from sessions").await;
    assert_eq!(settled, "0", "what is asked for by hand puts off no automatic try");
}

#[tokio::test]
async fn a_job_that_fails_fails_alone() {
    let app = app().await;
    for name in ["a", "b", "c", "d"] {
        idle(&app, name).await;
    }
    run(
        &app,
        "update sessions set accounting = '{\"tail_tokens\": \"many\"}' where name = 'b';
         update compressions set request = '[1]' where session_id = (select id from sessions where name = 'c')",
    )
    .await;
    app.work().await;
    // One is given back to be tried again; the other does not read back and is left to its lease.
    assert_eq!(one(&app, STATUSES).await, "skipped 1, queued 1, running 1, skipped 1");
}
