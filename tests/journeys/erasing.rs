//! Erasing: what is erased is hidden at once, whatever its size, and its rows are deleted in steps that stop nobody.

use std::time::Duration;

use anchord_store::Store;
use anchord_store::audit::Actor;
use anchord_worker::{eraser, janitor};
use serde_json::{Value, json};
use sqlx::{PgConnection, Row as _};
use tokio_util::sync::CancellationToken;

use crate::support::app::{COMPRESS, OPERATOR, app};
use crate::support::branches::{branch_of, fork, switch};
use crate::support::{change, number};
use crate::tenants::tenant;

const HELLO: &str = r#"{"messages": [{"role": "user", "content": "hello"}]}"#;

/// Gives a session many more messages, as if they had been appended.
async fn enlarge(owner: &mut PgConnection, session: &str, messages: i64) {
    let rows = format!(
        "insert into messages (tenant_id, session_id, seq, role, format, tokens, body)
         select s.tenant_id, s.id, s.head_seq + n, 'user', 'openai-chat', 1, '{{\"role\": \"user\", \"content\": \"x\"}}'
         from sessions s, generate_series(1, {messages}) n where s.name = '{session}';
         update sessions set head_seq = head_seq + {messages} where name = '{session}'"
    );
    change(owner, &rows).await;
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
    change(
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
    change(&mut owner, "drop trigger refuse on messages; update erasures set due_at = now()").await;
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
    app.call_as(OPERATOR, "POST", &format!("{path}/keys"), r#"{"scopes": ["read"]}"#).await.with(404);
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
    change(
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
        app.call("PUT", &format!("/v1/tasks/t{task}"), r#"{"status": "completed"}"#).await.with(200);
    }
    for task in 0..60 {
        let (a, b) = (format!("/v1/sessions/a{task}"), format!("/v1/sessions/b{task}"));
        let (one, other) = tokio::join!(app.call("DELETE", &a, ""), app.call("DELETE", &b, ""));
        assert_eq!((one.status.as_u16(), other.status.as_u16()), (204, 204));
    }
    assert_eq!(number(&mut owner, "select count(*) from tasks").await, 0);
}

/// How many rows there are of every table that belongs to sessions.
async fn rows_of_sessions(owner: &mut PgConnection) -> Vec<(String, i64)> {
    let tables = sqlx::raw_sql(
        "select c.table_name from information_schema.columns c
         join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
         where c.table_schema = 'public' and c.column_name = 'session_id' and t.table_type = 'BASE TABLE'
         order by c.table_name",
    );
    let mut rows = Vec::new();
    for row in tables.fetch_all(&mut *owner).await.unwrap() {
        let table: String = row.get(0);
        let count =
            number(owner, &format!("select count(*) from {table} where session_id is not null")).await;
        rows.push((table, count));
    }
    rows
}

#[tokio::test]
async fn a_session_is_erased_with_all_of_its_branches() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    app.call("POST", "/v1/webhooks", r#"{"url": "https://example.com/"}"#).await.with(201);
    let settings = json!({"task_id": "t", "user": "u", "auto": false, "context_window": 10_000});
    app.call("PUT", "/v1/sessions/s", settings.to_string()).await;
    let talk: Vec<Value> =
        (0..12).map(|i| json!({"role": "user", "content": format!("{i} {}", "talk ".repeat(60))})).collect();
    let talk = json!({"messages": talk}).to_string();
    app.call("POST", "/v1/sessions/s/messages", talk.clone()).await;
    for (of, branch, seq) in [("main", "b", 12), ("b", "c", 12), ("main", "d", 3), ("d", "e", 2)] {
        let branch_id = fork(&app.store, app.tenant, &branch_of("s", of), branch, seq).await;
        let path = |of: &str| format!("/v1/sessions/s/{of}?branch={branch}");
        let keyed = [("idempotency-key", branch)];
        app.call_with("POST", &path("messages"), talk.clone(), &keyed).await.with(201);
        app.call("PUT", &path("pins"), r#"{"pins": ["keep Cargo.lock"]}"#).await;
        app.call("GET", &path("context"), "").await;
        assert_eq!(app.call("POST", &path("compressions"), COMPRESS).await.status, 202);
        app.work().await;
        app.store.mark_for_embedding(app.tenant, branch_id);
    }
    // More than a step deletes from, and some that nobody sees because others stand on them.
    for n in 0..60 {
        fork(&app.store, app.tenant, &branch_of("s", "main"), &format!("more{n}"), n % 12).await;
    }
    let (name, dropped) = (branch_of("s", "d").name, branch_of("s", "d").branch.unwrap());
    app.store.drop_branch(app.tenant, &name, &dropped, Actor::Cli).await.unwrap();
    switch(&app.store, app.tenant, "s", "c").await;
    app.store.queue_marked().await.unwrap();
    app.store.flush_usage(None).await.unwrap();
    let before = rows_of_sessions(&mut owner).await;
    let has = |table: &str| before.iter().any(|(name, rows)| name == table && *rows > 0);
    assert!(
        ["messages", "pins", "summaries", "events", "recall_pending", "idempotency_keys"]
            .into_iter()
            .all(has),
        "{before:?}"
    );
    assert_eq!(app.call("PUT", "/v1/tasks/t", r#"{"status": "completed"}"#).await.status, 200);

    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 204);
    for path in ["", "/messages?branch=b", "/context?branch=c", "/branches"] {
        assert_eq!(app.call("GET", &format!("/v1/sessions/s{path}"), "").await.status, 404, "{path}");
    }
    assert_eq!(app.call("GET", "/v1/tasks/t", "").await.status, 404);
    let due = "select count(*) from compressions where status in ('queued', 'running')";
    assert_eq!(number(&mut owner, due).await, 0);
    erase_all(&app.store).await;
    let left: Vec<_> = rows_of_sessions(&mut owner).await.into_iter().filter(|(_, rows)| *rows > 0).collect();
    assert_eq!(left, []);
    for table in ["sessions", "tasks", "narrative_chunks", "llm_attempts"] {
        assert_eq!(number(&mut owner, &format!("select count(*) from {table}")).await, 0, "{table}");
    }
    let stored = "select sum(bytes)::bigint from usage_by_day where kind = 'append'";
    assert_eq!(number(&mut owner, stored).await, 0, "all bytes are given back");
}

#[tokio::test]
async fn a_write_to_any_branch_keeps_the_session() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    let path = format!("/v1/admin/tenants/{}", app.tenant);
    assert_eq!(app.call_as(OPERATOR, "PATCH", &path, r#"{"retention_days": 1}"#).await.status, 200);
    for session in ["kept", "idle"] {
        app.call("POST", &format!("/v1/sessions/{session}/messages"), HELLO).await;
        fork(&app.store, app.tenant, &branch_of(session, "main"), "b", 1).await;
        fork(&app.store, app.tenant, &branch_of(session, "b"), "c", 1).await;
    }
    // As if they had been made long ago: ids begin with that time.
    change(
        &mut owner,
        "update sessions set updated_at = now() - interval '2 days', id = ('00' || substr(id::text, 3))::uuid,
           root_id = ('00' || substr(root_id::text, 3))::uuid, base_id = ('00' || substr(base_id::text, 3))::uuid;
         update messages set session_id = ('00' || substr(session_id::text, 3))::uuid",
    )
    .await;
    app.call("POST", "/v1/sessions/kept/messages?branch=c", HELLO).await.with(201);
    let stop = CancellationToken::new();
    assert_eq!(janitor::round(&app.store, &stop).await.unwrap().1, 1, "sessions, not branches");
    erase_all(&app.store).await;
    let listed = app.call("GET", "/v1/sessions", "").await.json();
    assert_eq!(listed["items"][0]["session_id"], "kept", "{listed}");
    assert_eq!(number(&mut owner, "select count(*) from sessions").await, 3);
    change(&mut owner, "update sessions set updated_at = now() - interval '2 days'").await;
    assert_eq!(janitor::round(&app.store, &stop).await.unwrap().1, 1);
    erase_all(&app.store).await;
    assert_eq!(number(&mut owner, "select count(*) from sessions").await, 0);
}

#[tokio::test]
async fn a_tenant_with_branches_is_erased_and_nothing_is_left() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    let (id, key) = tenant(&app, "acme").await;
    let of = anchord_messages::id::TenantId::parse(&id).unwrap();
    for session in ["a", "b"] {
        app.call_as(&key, "POST", &format!("/v1/sessions/{session}/messages"), HELLO).await;
        for n in 0..30 {
            fork(&app.store, of, &branch_of(session, "main"), &format!("b{n}"), 1).await;
        }
    }
    assert_eq!(app.call_as(OPERATOR, "DELETE", &format!("/v1/admin/tenants/{id}"), "").await.status, 204);
    erase_all(&app.store).await;
    assert_eq!(number(&mut owner, "select count(*) from sessions").await, 0);
    assert_eq!(number(&mut owner, &format!("select count(*) from tenants where id = '{}'", of.0)).await, 0);
}
