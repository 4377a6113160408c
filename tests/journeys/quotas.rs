//! A tenant's quotas: what is over them is refused as a problem and changes nothing.

use anchord_runtime::clock::Clock;
use serde_json::{Value, json};

use crate::erasing::erase_all;
use crate::support::app::{Answer, App, COMPRESS, OPERATOR, app, compress_all};
use crate::support::branches::{branch_of, fork};
use crate::support::number;
use crate::support::talks::turns;
use crate::tenants::tenant;

/// A tenant with quotas, and its key.
async fn bound(app: &App, quotas: Value) -> String {
    let (id, key) = tenant(app, "bound").await;
    let put = json!({"quotas": quotas}).to_string();
    app.call_as(OPERATOR, "PATCH", &format!("/v1/admin/tenants/{id}"), put).await.with(200);
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
    refused.refused_as(429, "quota-exceeded");
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
    let day = Clock::system().now().date_naive();
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
    let import = async |lines: &[String]| {
        let file = format!("{}\n{}", lines.join("\n"), json!({"kind": "end", "messages": 1}));
        app.call_with("POST", "/v1/sessions/s/import", file, &headers).await
    };
    assert_eq!(import(&[line(1), line(2)]).await.refusal().1, "quota-exceeded");
    assert_eq!(import(&[line(2)]).await.refusal().1, "sequence-mismatch", "its room comes back");
    assert_eq!(import(&[line(1)]).await.status, 201);
}

#[tokio::test]
async fn a_batch_that_is_counted_twice_takes_its_room_once() {
    let app = app().await;
    let key = bound(&app, json!({"messages_per_day": 5, "stored_bytes": 2_000})).await;
    app.call_as(&key, "PUT", "/v1/sessions/s", r#"{"tokenizer": "cl100k_base"}"#).await.with(201);
    append(&app, &key, 4, 300).await.with(201);
}

#[tokio::test]
async fn what_is_not_stored_of_an_append_gives_its_room_back() {
    let app = app().await;
    let key = bound(&app, json!({"messages_per_day": 4})).await;
    let message = json!({"role": "user", "content": "x"});
    let late = json!({"messages": [message, message], "expected_next_seq": 9}).to_string();
    for _ in 0..3 {
        let refused = app.call_as(&key, "POST", "/v1/sessions/s/messages", late.clone()).await;
        assert_eq!(refused.refusal().1, "sequence-mismatch", "{}", refused.text);
    }
    let token = format!("Bearer {key}");
    let headers = [("authorization", token.as_str()), ("idempotency-key", "once")];
    let two = json!({"messages": [message, message]}).to_string();
    for _ in 0..3 {
        app.call_with("POST", "/v1/sessions/s/messages", two.clone(), &headers).await.with(201);
    }
    let list = json!({"messages": vec![message.clone(); 4]}).to_string();
    app.call_as(&key, "PUT", "/v1/sessions/s/transcript", list).await.with(200);
    assert_eq!(append(&app, &key, 1, 1).await.refusal().1, "quota-exceeded", "all of it is stored now");
    assert_eq!(head(&app, &key).await, 4);
}

#[tokio::test]
async fn a_first_append_that_is_refused_leaves_no_session() {
    let app = app().await;
    let key = bound(&app, json!({"kept_replies": 0})).await;
    let token = format!("Bearer {key}");
    let headers = [("authorization", token.as_str()), ("idempotency-key", "once")];
    let message = json!({"role": "user", "content": "x"});
    let body = json!({"user": "ada", "metadata": {"team": "x"}, "messages": [message]}).to_string();
    let refused = app.call_with("POST", "/v1/sessions/s/messages", body, &headers).await;
    assert_full(&refused, "kept_replies", (0, 0));
    assert_eq!(app.call_as(&key, "GET", "/v1/sessions/s", "").await.status, 404);
}

#[tokio::test]
async fn a_tenant_reads_its_quotas_and_what_is_used_of_them() {
    let mut app = app().await;
    let noon = "2026-03-04T12:00:00Z".parse().expect("a time");
    app.set_clock(Clock::frozen(noon));
    let key = bound(&app, json!({"messages_per_day": 10, "sessions": 3, "requests_per_second": 50})).await;
    assert_eq!(append(&app, &key, 4, 10).await.status, 201);
    let reader = app.call_as(&key, "POST", "/v1/keys", r#"{"scopes": ["read"]}"#).await.json();
    let report = app.call_as(reader["key"].as_str().expect("a key"), "GET", "/v1/quotas", "").await.with(200);
    let report = report.json();
    let quota = |name: &str| {
        let found = report["quotas"].as_array().expect("a list").iter().find(|q| q["quota"] == name).cloned();
        found.unwrap_or_else(|| panic!("no {name} in {report}"))
    };
    assert_eq!(
        quota("messages_per_day"),
        json!({"quota": "messages_per_day", "scope": "tenant", "limit": 10, "used": 4,
               "resets_at": "2026-03-05T00:00:00.000Z"})
    );
    assert_eq!((&quota("sessions")["limit"], &quota("sessions")["used"]), (&json!(3), &json!(1)));
    assert_eq!((&quota("keys")["limit"], &quota("keys")["used"]), (&json!(1_000), &json!(2)));
    assert_eq!(quota("stored_bytes")["limit"], Value::Null);
    assert!(quota("stored_bytes")["used"].as_u64().is_some_and(|bytes| bytes > 40), "{report}");
    assert_eq!(
        (&quota("requests_per_second")["limit"], &quota("requests_per_second")["used"]),
        (&json!(50), &Value::Null)
    );
    assert_eq!(
        (&quota("tasks_per_session")["scope"], &quota("waiting_deliveries")["scope"]),
        (&json!("session"), &json!("webhook"))
    );
    assert_eq!(report["quotas"].as_array().map(Vec::len), Some(13));
}

/// Checks that a reply names the bound that is reached, and how to get room.
fn assert_full(reply: &Answer, quota: &str, (limit, used): (u64, u64)) {
    reply.refused_as(429, "quota-exceeded");
    let problem = reply.json();
    assert_eq!(
        (&problem["quota"], &problem["limit"], &problem["used"]),
        (&json!(quota), &json!(limit), &json!(used)),
        "{}",
        reply.text
    );
    assert!(problem["detail"].as_str().unwrap().contains("nothing was stored; "), "{problem}");
    assert!(reply.headers.contains_key("retry-after"));
}

#[tokio::test]
async fn sessions_beyond_the_quota_are_refused_by_whatever_makes_them_and_erasing_gives_room() {
    let app = app().await;
    let key = bound(&app, json!({"sessions": 2})).await;
    assert_eq!(append(&app, &key, 1, 10).await.status, 201);
    assert_eq!(app.call_as(&key, "PUT", "/v1/sessions/two", "{}").await.status, 201);
    let message = r#"{"messages": [{"role": "user", "content": "x"}]}"#;
    let line = json!({"kind": "message", "seq": 1, "message": {"role": "user", "content": "x"}});
    let line = format!("{line}\n{}", json!({"kind": "end", "messages": 1}));
    let token = format!("Bearer {key}");
    let headers = [("authorization", token.as_str()), ("content-type", "application/x-ndjson")];
    for reply in [
        app.call_as(&key, "POST", "/v1/sessions/three/messages", message).await,
        app.call_as(&key, "PUT", "/v1/sessions/three", "{}").await,
        app.call_with("POST", "/v1/sessions/three/import", line, &headers).await,
    ] {
        assert_full(&reply, "sessions", (2, 2));
    }
    assert_eq!(app.call_as(&key, "GET", "/v1/sessions/three", "").await.status, 404);
    assert_eq!(append(&app, &key, 1, 10).await.status, 201, "those that there are go on");
    assert_eq!(app.call_as(&key, "PUT", "/v1/sessions/two", r#"{"auto": false}"#).await.status, 200);
    assert_eq!(app.call_as(&key, "DELETE", "/v1/sessions/two", "").await.status, 204);
    assert_eq!(app.call_as(&key, "POST", "/v1/sessions/three/messages", message).await.status, 201);
    assert_full(&app.call_as(&key, "PUT", "/v1/sessions/four", "{}").await, "sessions", (2, 2));
    assert_eq!(app.call("PUT", "/v1/sessions/four", "{}").await.status, 201, "others are not bound");
}

#[tokio::test]
async fn keys_beyond_the_quota_are_refused_and_ended_ones_are_forgotten_at_last() {
    let app = app().await;
    let key = bound(&app, json!({"keys": 2})).await;
    let make = async || app.call_as(&key, "POST", "/v1/keys", r#"{"scopes": ["read"]}"#).await;
    let second = make().await.with(201);
    assert_full(&make().await, "keys", (2, 2));
    let path = format!("/v1/keys/{}", second.json()["id"].as_str().unwrap());
    assert_full(&app.call_as(&key, "POST", &format!("{path}/rotate"), "{}").await, "keys", (2, 2));
    assert_eq!(app.call_as(&key, "DELETE", &path, "").await.status, 204);
    let mut owner = app.database.connect().await;
    let ended = "insert into api_keys (tenant_id, id, prefix, digest, scopes, revoked_at)
                 select t.id, gen_random_uuid(), 'x', decode(md5(n::text), 'hex'), '{read}', now() - interval '1 day'
                 from tenants t, generate_series(1, 1200) n where t.name = 'bound'";
    sqlx::raw_sql(ended).execute(&mut owner).await.unwrap();
    assert_eq!(make().await.status, 201);
    let count = "select count(*) from api_keys where revoked_at is not null";
    assert_eq!(number(&mut owner, count).await, 1_000);
}

#[tokio::test]
async fn jobs_beyond_the_quotas_are_refused_when_a_caller_asks_for_them() {
    let app = app().await;
    let key = bound(&app, json!({"waiting_jobs": 2, "jobs_per_session": 5})).await;
    let messages = vec![json!({"role": "user", "content": "word ".repeat(50)}); 12];
    let body = json!({"messages": messages}).to_string();
    assert_eq!(app.call_as(&key, "POST", "/v1/sessions/s/messages", body).await.status, 201);
    let compress = compress_all("");
    app.call_as(&key, "POST", "/v1/sessions/s/compressions", compress).await.with(202);
    app.work().await;
    let evaluate = async || app.call_as(&key, "POST", "/v1/sessions/s/evaluations", "").await;
    assert_eq!(evaluate().await.status, 202);
    assert_eq!(evaluate().await.status, 202);
    assert_full(&evaluate().await, "waiting_jobs", (2, 2));
    app.work().await;
    assert_eq!(evaluate().await.status, 202);
    app.work().await;
    assert_full(&evaluate().await, "jobs_per_session", (5, 5));
}

#[tokio::test]
async fn versions_that_callers_make_are_bounded() {
    let app = app().await;
    let key = bound(&app, json!({"versions_per_session": 2})).await;
    let messages = turns(12, |n| format!("message {n} {}", "word ".repeat(50)));
    let body = json!({"messages": messages}).to_string();
    assert_eq!(app.call_as(&key, "POST", "/v1/sessions/s/messages", body).await.status, 201);
    app.call_as(&key, "POST", "/v1/sessions/s/compressions", COMPRESS).await;
    app.work().await;
    let roll_back = async || app.call_as(&key, "POST", "/v1/sessions/s/summaries/1/rollback", "").await;
    roll_back().await.with(201);
    assert_full(&roll_back().await, "versions_per_session", (2, 2));
}

#[tokio::test]
async fn a_session_changes_its_task_so_often_and_no_more() {
    let app = app().await;
    let key = bound(&app, json!({"tasks_per_session": 2})).await;
    let put = async |task: &str| {
        app.call_as(&key, "PUT", "/v1/sessions/s", json!({"task_id": task}).to_string()).await
    };
    for task in ["a", "b"] {
        assert!(put(task).await.status.is_success());
        assert_eq!(append(&app, &key, 1, 10).await.status, 201);
        app.store.flush_usage(None).await.unwrap();
    }
    assert_full(&put("c").await, "tasks_per_session", (2, 2));
    assert_eq!(put("b").await.status, 200, "the same one");
}

#[tokio::test]
async fn kept_replies_are_bounded_and_repeats_are_still_answered() {
    let app = app().await;
    let key = bound(&app, json!({"kept_replies": 2})).await;
    let token = format!("Bearer {key}");
    let body = r#"{"messages": [{"role": "user", "content": "x"}]}"#;
    let post = async |path: &str, body: &str, once: &str| {
        let headers = [("authorization", token.as_str()), ("idempotency-key", once)];
        app.call_with("POST", path, body.to_owned(), &headers).await
    };
    let first = post("/v1/sessions/s/messages", body, "a").await.with(201);
    assert_eq!(post("/v1/keys", r#"{"scopes": ["read"]}"#, "b").await.status, 201);
    assert_full(&post("/v1/sessions/s/messages", body, "c").await, "kept_replies", (2, 2));
    assert_full(&post("/v1/keys", r#"{"scopes": ["read"]}"#, "d").await, "kept_replies", (2, 2));
    assert_eq!(post("/v1/sessions/s/messages", body, "a").await.text, first.text);
    assert_eq!(append(&app, &key, 1, 10).await.status, 201, "without a key");
}

#[tokio::test]
async fn a_webhook_that_does_not_answer_does_not_grow_and_stops_no_append() {
    let app = app().await;
    let key = bound(&app, json!({"waiting_deliveries": 3})).await;
    let made = app.call_as(&key, "POST", "/v1/webhooks", r#"{"url": "https://example.com/"}"#).await.json();
    let hook = made["webhook"]["id"].as_str().unwrap();
    let test = async || app.call_as(&key, "POST", &format!("/v1/webhooks/{hook}/test"), "").await;
    assert_eq!(test().await.status, 202);
    assert_eq!(test().await.status, 202);
    let messages = turns(12, |n| format!("message {n} {}", "word ".repeat(50)));
    let body = json!({"messages": messages}).to_string();
    assert_eq!(app.call_as(&key, "POST", "/v1/sessions/s/messages", body).await.status, 201);
    app.call_as(&key, "POST", "/v1/sessions/s/compressions", COMPRESS).await;
    app.work().await;
    assert_eq!(app.call_as(&key, "GET", "/v1/sessions/s/summary", "").await.status, 200, "it is compressed");
    let mut owner = app.database.connect().await;
    assert_eq!(number(&mut owner, "select count(*) from webhook_deliveries").await, 3);
    assert!(number(&mut owner, "select count(*) from events").await > 1, "the events are there");
    assert_full(&test().await, "waiting_deliveries", (3, 3));
}

#[tokio::test]
async fn branches_are_no_sessions_and_what_they_share_counts_once() {
    let app = app().await;
    let key = bound(&app, json!({"sessions": 2})).await;
    let tenant = app.store.find_tenant_id("bound").await.unwrap().expect("a tenant");
    assert_eq!(append(&app, &key, 3, 1_000).await.status, 201);
    let day = Clock::system().now().date_naive();
    let before = app.store.find_standing(tenant, day).await.unwrap();
    for branch in ["a", "b", "c"] {
        fork(&app.store, tenant, &branch_of("s", "main"), branch, 2).await;
    }
    assert_eq!(app.store.find_standing(tenant, day).await.unwrap(), before, "a fork copies no message");
    let body = json!({"messages": [{"role": "user", "content": "x".repeat(1_000)}]}).to_string();
    app.call_as(&key, "POST", "/v1/sessions/s/messages?branch=a", body.clone()).await.with(201);
    let after = app.store.find_standing(tenant, day).await.unwrap();
    assert_eq!(after.messages, before.messages + 1);
    assert_eq!((after.bytes - before.bytes) * 3, before.bytes, "where it was appended");
    // The counts of a process that has just started, and of one that goes on.
    for (session, status) in [("second", 201), ("third", 429)] {
        let made = app.call_as(&key, "POST", &format!("/v1/sessions/{session}/messages"), body.clone()).await;
        assert_eq!(made.status, status, "{session}: {}", made.text);
    }
    assert_eq!(app.call_as(&key, "DELETE", "/v1/sessions/s", "").await.status, 204);
    erase_all(&app.store).await;
    let left = app.store.find_standing(tenant, day).await.unwrap().bytes;
    assert_eq!(left * 3, before.bytes, "the second session's message alone");
}
