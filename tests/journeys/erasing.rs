//! Erasing: what is erased is hidden at once, whatever its size, and its rows are deleted in steps that stop nobody.

use std::time::Duration;

use anchord_store::Store;
use anchord_worker::{eraser, janitor};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use tokio_util::sync::CancellationToken;

use crate::support::app::{OPERATOR, app};
use crate::tenants::tenant;

const HELLO: &str = r#"{"messages": [{"role": "user", "content": "hello"}]}"#;

async fn run(owner: &mut PgConnection, statement: &str) {
    sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(owner).await.unwrap();
}

async fn number(owner: &mut PgConnection, query: &str) -> i64 {
    sqlx::raw_sql(AssertSqlSafe(query.to_owned())).fetch_one(owner).await.unwrap().get(0)
}

/// Gives a session many more messages, as if they had been appended.
async fn enlarge(owner: &mut PgConnection, session: &str, messages: i64) {
    let rows = format!(
        "insert into messages (tenant_id, session_id, seq, role, format, tokens, body)
         select s.tenant_id, s.id, s.head_seq + n, 'user', 'openai-chat', 1, '{{\"role\": \"user\", \"content\": \"x\"}}'
         from sessions s, generate_series(1, {messages}) n where s.name = '{session}';
         update sessions set head_seq = head_seq + {messages} where name = '{session}'"
    );
    run(owner, &rows).await;
}

/// Deletes all rows of what is erased; returns the number of turns.
pub async fn erase_all(store: &Store) -> usize {
    let stop = CancellationToken::new();
    for turns in 1..1_000 {
        if !eraser::turn(store, &stop).await.unwrap() {
            return turns;
        }
    }
    panic!("erasing does not end");
}

#[tokio::test]
async fn a_large_session_is_hidden_at_once_and_its_name_begins_anew_while_its_rows_go_in_steps() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    app.call("PUT", "/v1/sessions/s", r#"{"task_id": "t"}"#).await;
    let keyed = [("idempotency-key", "once")];
    assert_eq!(app.call_with("POST", "/v1/sessions/s/messages", HELLO, &keyed).await.status, 201);
    enlarge(&mut owner, "s", 20_000).await;
    assert_eq!(app.call("PUT", "/v1/tasks/t", r#"{"status": "completed"}"#).await.status, 200);

    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 204);
    let left = number(&mut owner, "select count(*) from messages").await;
    assert!(left > 10_000, "the request deletes some rows, not all of them: {left}");
    for path in ["", "/messages", "/context", "/export", "/summary", "/pins", "/todos", "/compressions"] {
        let read = app.call("GET", &format!("/v1/sessions/s{path}"), "").await;
        assert_eq!(read.refusal().1, "session-not-found", "{path}");
    }
    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 404);
    assert_eq!(app.call("GET", "/v1/sessions", "").await.json()["items"], json!([]));
    assert_eq!(app.call("GET", "/v1/tasks/t", "").await.status, 404);

    // The name is free, and the key is not answered from the session that is erased.
    let again = app.call_with("POST", "/v1/sessions/s/messages", HELLO, &keyed).await;
    assert_eq!((again.status.as_u16(), &again.json()["next_seq"]), (201, &json!(2)));
    assert!(erase_all(&app.store).await > 10, "in steps");
    assert_eq!(number(&mut owner, "select count(*) from messages").await, 1);
    assert_eq!(number(&mut owner, "select count(*) from sessions").await, 1);
    assert_eq!(number(&mut owner, "select count(*) from erasures").await, 0);
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.json()["head_seq"], 1);
}

#[tokio::test]
async fn a_session_that_cannot_be_deleted_stops_neither_retention_nor_the_erasing_of_others() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    let (id, theirs) = tenant(&app, "theirs too").await;
    let kept = r#"{"retention_days": 1}"#;
    let ours = format!("/v1/admin/tenants/{}", app.tenant);
    for path in [ours, format!("/v1/admin/tenants/{id}")] {
        assert_eq!(app.call_as(OPERATOR, "PATCH", &path, kept).await.status, 200);
    }
    for (key, session) in [(None, "broken"), (None, "whole"), (Some(theirs.as_str()), "theirs")] {
        let path = format!("/v1/sessions/{session}/messages");
        let body = HELLO.replace("hello", session);
        let reply = match key {
            None => app.call("POST", &path, body).await,
            Some(key) => app.call_as(key, "POST", &path, body).await,
        };
        assert_eq!(reply.status, 201, "{}", reply.text);
    }
    run(
        &mut owner,
        "create function refuse() returns trigger language plpgsql as $$
         begin
           if old.body like '%broken%' then raise 'a page is broken'; end if;
           return old;
         end $$;
         create trigger refuse before delete on messages for each row execute function refuse();
         update sessions set updated_at = now() - interval '2 days',
           id = ('00' || substr(id::text, 3))::uuid;
         update messages m set session_id = ('00' || substr(session_id::text, 3))::uuid",
    )
    .await;
    let stop = CancellationToken::new();
    assert_eq!(janitor::round(&app.store, &stop).await.unwrap().1, 3, "all are hidden");
    erase_all(&app.store).await;
    let left = "select count(*) from messages where body not like '%broken%'";
    assert_eq!(number(&mut owner, left).await, 0, "the others are deleted");
    assert_eq!(number(&mut owner, "select count(*) from messages").await, 1);
    // The cause is mended.
    run(&mut owner, "drop trigger refuse on messages; update erasures set due_at = now()").await;
    erase_all(&app.store).await;
    assert_eq!(number(&mut owner, "select count(*) from sessions").await, 0);
}

#[tokio::test]
async fn a_large_tenant_is_hidden_at_once_and_its_name_is_free() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    let (id, key) = tenant(&app, "acme").await;
    for session in ["a", "b", "c"] {
        let path = format!("/v1/sessions/{session}/messages");
        assert_eq!(app.call_as(&key, "POST", &path, HELLO).await.status, 201);
    }
    app.call("POST", "/v1/sessions/ours/messages", HELLO).await;
    enlarge(&mut owner, "b", 5_000).await;
    app.store.flush_usage(None).await.unwrap();
    let path = format!("/v1/admin/tenants/{id}");
    assert_eq!(app.call_as(OPERATOR, "DELETE", &path, "").await.status, 204);
    assert_eq!(number(&mut owner, "select count(*) from messages").await, 5_004, "nothing is deleted yet");
    assert_eq!(app.call_as(&key, "GET", "/v1/sessions/a", "").await.status, 401);
    assert_eq!(app.call_as(OPERATOR, "GET", &path, "").await.status, 404);
    assert_eq!(app.call_as(OPERATOR, "PATCH", &path, "{}").await.status, 404);
    let keys = app.call_as(OPERATOR, "POST", &format!("{path}/keys"), r#"{"scopes": ["read"]}"#).await;
    assert_eq!(keys.status, 404);
    let listed = app.call_as(OPERATOR, "GET", "/v1/admin/tenants", "").await.json();
    assert!(listed["items"].as_array().unwrap().iter().all(|tenant| tenant["name"] != "acme"), "{listed}");
    let (again, key) = tenant(&app, "acme").await;
    assert_ne!(again, id);
    assert_eq!(app.call_as(&key, "POST", "/v1/sessions/a/messages", HELLO).await.status, 201);
    erase_all(&app.store).await;
    assert_eq!(number(&mut owner, "select count(*) from messages").await, 2, "ours, and that of the new one");
    assert_eq!(number(&mut owner, "select count(*) from tenants where erased_at is not null").await, 0);
    let log = app.call_as(OPERATOR, "GET", "/v1/admin/audit", "").await.json();
    assert!(log["items"].as_array().unwrap().iter().any(|item| item["action"] == "tenant.deleted"));
}

#[tokio::test]
async fn tenants_take_turns_at_erasing() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    let (_, theirs) = tenant(&app, "small").await;
    app.call("POST", "/v1/sessions/huge/messages", HELLO).await;
    enlarge(&mut owner, "huge", 50_000).await;
    app.call_as(&theirs, "POST", "/v1/sessions/small/messages", HELLO).await;
    enlarge(&mut owner, "small", 3_000).await;
    app.call("DELETE", "/v1/sessions/huge", "").await;
    app.call_as(&theirs, "DELETE", "/v1/sessions/small", "").await;
    let stop = CancellationToken::new();
    for _ in 0..4 {
        eraser::turn(&app.store, &stop).await.unwrap();
    }
    assert_eq!(number(&mut owner, "select count(*) from erasures").await, 1, "the small one is done");
    assert!(number(&mut owner, "select count(*) from messages").await > 40_000, "the huge one is not");
}

#[tokio::test]
async fn pending_deliveries_of_an_erased_session_are_neither_sent_nor_listed() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    let hook = app.call("POST", "/v1/webhooks", r#"{"url": "https://example.com/"}"#).await.json();
    let hook = hook["webhook"]["id"].as_str().unwrap().to_owned();
    for session in ["gone", "stays"] {
        app.call("POST", &format!("/v1/sessions/{session}/messages"), HELLO).await;
    }
    enlarge(&mut owner, "gone", 10_000).await;
    run(
        &mut owner,
        "insert into webhook_deliveries (tenant_id, webhook_id, id, session_id, event_id, event, payload)
         select w.tenant_id, w.id, gen_random_uuid(), s.id, 1, 'trigger.warned', '{}'
         from webhooks w join sessions s using (tenant_id), generate_series(1, 3)",
    )
    .await;
    app.call("DELETE", "/v1/sessions/gone", "").await;
    assert!(number(&mut owner, "select count(*) from messages").await > 1_000, "not all of it is deleted");
    let listed = app.call("GET", &format!("/v1/webhooks/{hook}/deliveries"), "").await.json();
    let sessions: Vec<&Value> =
        listed["items"].as_array().unwrap().iter().map(|item| &item["session_id"]).collect();
    assert_eq!(sessions, [&json!("stays"), &json!("stays"), &json!("stays")]);
    let claimed = app.store.claim_deliveries(Duration::from_secs(30), 10, (10, 10)).await.unwrap();
    assert_eq!(claimed.len(), 3, "{claimed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_sixty_tasks_none_is_left_when_both_of_their_sessions_are_erased_at_once() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    for task in 0..60 {
        for session in ["a", "b"] {
            let settings = json!({"task_id": format!("t{task}")}).to_string();
            app.call("PUT", &format!("/v1/sessions/{session}{task}"), settings).await;
            app.call("POST", &format!("/v1/sessions/{session}{task}/messages"), HELLO).await;
        }
        let ended = app.call("PUT", &format!("/v1/tasks/t{task}"), r#"{"status": "completed"}"#).await;
        assert_eq!(ended.status, 200, "{}", ended.text);
    }
    for task in 0..60 {
        let (a, b) = (format!("/v1/sessions/a{task}"), format!("/v1/sessions/b{task}"));
        let (one, other) = tokio::join!(app.call("DELETE", &a, ""), app.call("DELETE", &b, ""));
        assert_eq!((one.status.as_u16(), other.status.as_u16()), (204, 204));
    }
    assert_eq!(number(&mut owner, "select count(*) from tasks").await, 0);
}
