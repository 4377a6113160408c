//! The usage ledger: what tasks and tenants used, how it is counted, and what stays of it.

use anchord_messages::id::{SessionName, SessionRef};
use anchord_runtime::clock::Clock;
use anchord_session::usage::{Kind, UsageDelta};
use anchord_store::Store;
use anchord_store::usage::User;

use serde_json::{Value, json};
use tokio_util::task::TaskTracker;

use crate::support::app::COMPRESS;
use crate::support::app::{App, THEIRS, app};
use crate::support::branches::{branch_of, fork};
use crate::support::erasing::{hold_erasing, until_waiting};
use crate::support::number;
use crate::support::plans::run;
use crate::support::talks::{called, turns};

async fn put(app: &App, session: &str, settings: Value) {
    app.call("PUT", &format!("/v1/sessions/{session}"), settings.to_string()).await.good();
}

async fn append(app: &App, session: &str, messages: &[Value]) -> Value {
    let body = json!({"messages": messages}).to_string();
    app.call("POST", &format!("/v1/sessions/{session}/messages"), body).await.with(201).json()
}

async fn get(app: &App, path: &str) -> Value {
    app.call("GET", path, "").await.with(200).json()
}

async fn served(app: &App, session: &str) -> i64 {
    get(app, &format!("/v1/sessions/{session}/context")).await["tokens"]["total"].as_i64().unwrap()
}

async fn end(app: &App, task: &str, status: &str) -> Value {
    let body = json!({"status": status}).to_string();
    app.call("PUT", &format!("/v1/tasks/{task}"), body).await.with(200).json()
}

fn talk(messages: usize) -> Vec<Value> {
    turns(messages, |i| format!("step {i} of the harbour plan: {}", "more words ".repeat(60)))
}

/// A call whose output is large enough for a placeholder.
fn reading(id: &str, text: &str) -> [Value; 2] {
    called(id, "read_file", &json!({"path": format!("{id}.txt")}), &format!("{text}\n").repeat(400))
}

#[tokio::test]
async fn a_task_sums_up_all_of_its_sessions() {
    let app = app().await;
    let mut tokens = 0;
    let mut appended = 0;
    for session in ["one", "two"] {
        put(&app, session, json!({"task_id": "harbour"})).await;
        appended += append(&app, session, &talk(4)).await["tokens_added"].as_i64().unwrap();
        for _ in 0..3 {
            tokens += served(&app, session).await;
        }
    }
    append(&app, "another", &talk(4)).await;
    served(&app, "another").await;
    let task = get(&app, "/v1/tasks/harbour").await;
    assert_eq!(
        (&task["status"], &task["sessions"], &task["ended_at"]),
        (&json!("active"), &json!(2), &Value::Null)
    );
    assert_eq!((&task["requests"], &task["context_tokens"]), (&json!(6), &json!(tokens)));
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let per_request = tokens as f64 / 6.0;
    assert!((task["tokens_per_request"].as_f64().unwrap() - per_request).abs() < 1e-3);
    assert_eq!((&task["appends"], &task["appended_tokens"]), (&json!(2), &json!(appended)));
    assert_eq!((&task["refetch_rate"], &task["too_aggressive"]), (&json!(0.0), &json!(false)));
    assert_eq!(task["tokens_saved"], 0, "nothing is compressed: {task}");
    let latency = &task["latency"];
    for field in ["context_ms_per_request", "append_ms_per_request", "total_ms", "share"] {
        assert!(latency[field].as_f64().unwrap() > 0.0, "{field}: {latency}");
    }
    assert!(latency["share"].as_f64().unwrap() <= 1.0);
}

#[tokio::test]
async fn a_task_tells_what_its_compressions_covered_and_what_they_left() {
    let app = app().await;
    let (mut before, mut after) = (0, 0);
    for session in ["one", "two", "two"] {
        put(&app, session, json!({"task_id": "harbour", "auto": false})).await;
        append(&app, session, &talk(40)).await;
        let done = app.compress(session, "").await;
        before += done["tokens_before"].as_i64().unwrap();
        after += done["tokens_after"].as_i64().unwrap();
    }
    // A compression that publishes nothing counts for nothing.
    app.call("POST", "/v1/sessions/one/compressions", "{}").await.good();
    app.work().await;
    let task = get(&app, "/v1/tasks/harbour").await;
    let told = json!({"tokens_before": before, "tokens_after": after, "tokens_saved": before - after});
    assert_eq!((&task["compressed"], &task["compressions"]), (&told, &json!(3)), "{task}");
    assert_eq!(task["llm"]["calls"], 0, "code made them");
    assert_eq!(get(&app, "/v1/usage").await["total"]["compressed"], told);
}

#[tokio::test]
async fn a_task_tells_what_a_cache_can_have_of_its_contexts_and_what_a_compression_wrote_anew() {
    let app = app().await;
    put(&app, "s", json!({"task_id": "t", "auto": false})).await;
    let prefix = async || {
        let task = get(&app, "/v1/tasks/t").await;
        let [cached, new, rewritten] = ["cached_tokens", "new_tokens", "rewritten_tokens"]
            .map(|field| task["prefix"][field].as_i64().unwrap());
        assert_eq!(task["context_tokens"], cached + new + rewritten, "{task}");
        (cached, new, rewritten)
    };
    append(&app, "s", &talk(40)).await;
    let first = served(&app, "s").await;
    assert_eq!(prefix().await, (0, first, 0), "the first is new");
    served(&app, "s").await;
    assert_eq!(prefix().await, (first, first, 0), "nothing came");
    append(&app, "s", &talk(4)).await;
    let third = served(&app, "s").await;
    let (cached, new, rewritten) = prefix().await;
    assert!((cached - first * 2).abs() < 8 && (new - third).abs() < 8 && rewritten < 8, "it goes on");

    app.compress("s", "").await;
    let after = served(&app, "s").await;
    let (_, new_after, rewritten_after) = prefix().await;
    assert_eq!(new_after, new, "nothing came");
    assert!(rewritten_after - rewritten > after / 2, "{rewritten_after} of {after}");
    assert_eq!(get(&app, "/v1/usage").await["total"]["prefix"]["rewritten_tokens"], rewritten_after);
}

#[tokio::test]
async fn what_the_context_no_longer_shows_counts_as_fetched_again() {
    let app = app().await;
    put(&app, "s", json!({"task_id": "t", "auto": false})).await;
    let mut messages = talk(20);
    messages.extend(reading("early", "the crane is orange"));
    messages.extend(talk(20));
    append(&app, "s", &messages).await;
    for path in ["messages?from_seq=1&to_seq=3", "recall?q=harbour"] {
        get(&app, &format!("/v1/sessions/s/{path}")).await;
    }
    assert_eq!(get(&app, "/v1/tasks/t").await["refetched"]["requests"], 0, "all of it is in the context");

    app.compress("s", "").await;
    for _ in 0..10 {
        served(&app, "s").await;
    }
    // An export pages through everything; the newest messages are shown.
    let mut cursor = String::new();
    loop {
        let page = get(&app, &format!("/v1/sessions/s/messages?limit=15{cursor}")).await;
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    get(&app, "/v1/sessions/s/messages?from_seq=40").await;
    let task = get(&app, "/v1/tasks/t").await;
    assert_eq!((&task["refetched"]["requests"], &task["requests"]), (&json!(0), &json!(10)), "{task}");
    assert!(task["tokens_saved"].as_i64().unwrap() > 0, "{task}");

    let page = get(&app, "/v1/sessions/s/messages?from_seq=2&to_seq=3").await;
    let fetched: i64 =
        page["items"].as_array().unwrap().iter().map(|item| item["tokens"].as_i64().unwrap()).sum();
    let task = get(&app, "/v1/tasks/t").await;
    assert_eq!(task["refetched"]["messages_tokens"], fetched);
    assert_eq!((&task["refetch_rate"], &task["too_aggressive"]), (&json!(0.1), &json!(false)));

    let mut look = app.database.connect().await;
    let reference = crate::support::text(&mut look, "select min(reference) from tool_outputs").await;
    get(&app, &format!("/v1/sessions/s/tool-outputs/{reference}?from_line=1&to_line=4")).await;
    get(&app, "/v1/sessions/s/recall?q=harbour%20plan").await;
    let task = get(&app, "/v1/tasks/t").await;
    let again = &task["refetched"];
    for field in ["messages_tokens", "tool_outputs_tokens", "recall_tokens"] {
        assert!(again[field].as_i64().unwrap() > 0, "{field}: {again}");
    }
    assert_eq!((&again["requests"], &task["refetch_rate"]), (&json!(3), &json!(0.3)));
    assert_eq!(task["too_aggressive"], true);
    assert_eq!(task["compressions"], 1);
}

#[tokio::test]
async fn a_reply_that_says_nothing_new_and_a_repeated_append_are_not_counted() {
    let app = app().await;
    put(&app, "s", json!({"task_id": "t"})).await;
    let body = json!({"messages": talk(2)}).to_string();
    let key = [("idempotency-key", "k")];
    for _ in 0..2 {
        app.call_with("POST", "/v1/sessions/s/messages", body.clone(), &key).await;
    }
    let first = app.call("GET", "/v1/sessions/s/context", "").await;
    let tag = first.headers["etag"].to_str().unwrap();
    app.call_with("GET", "/v1/sessions/s/context", "", &[("if-none-match", tag)]).await.with(304);
    let task = get(&app, "/v1/tasks/t").await;
    assert_eq!((&task["appends"], &task["requests"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn a_use_belongs_to_the_task_that_the_session_had_then() {
    let app = app().await;
    append(&app, "s", &talk(2)).await;
    served(&app, "s").await;
    put(&app, "s", json!({"task_id": "first"})).await;
    served(&app, "s").await;
    served(&app, "s").await;
    put(&app, "s", json!({"task_id": "second"})).await;
    served(&app, "s").await;
    let requests = async |task: &str| get(&app, &format!("/v1/tasks/{task}")).await["requests"].clone();
    assert_eq!((requests("first").await, requests("second").await), (json!(2), json!(1)));
    assert_eq!(get(&app, "/v1/usage").await["total"]["requests"], 4);
    for task in ["first", "second"] {
        end(&app, task, "completed").await;
    }
    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 204);
    let mut look = app.database.connect().await;
    assert_eq!(number(&mut look, "select count(*) from tasks").await, 0, "neither has a session left");
}

#[tokio::test]
async fn a_task_is_ended_and_opened_again() {
    let app = app().await;
    put(&app, "s", json!({"task_id": "a task / with words"})).await;
    let task = "a%20task%20%2F%20with%20words";
    let done = end(&app, task, "completed").await;
    assert_eq!((&done["task_id"], &done["status"]), (&json!("a task / with words"), &json!("completed")));
    assert!(done["ended_at"].is_string());
    assert_eq!(end(&app, task, "completed").await["ended_at"], done["ended_at"], "it ended once");
    assert_eq!(end(&app, task, "active").await["ended_at"], Value::Null);
    assert_eq!(end(&app, task, "abandoned").await["status"], "abandoned");

    let path = format!("/v1/tasks/{task}");
    for (body, pointer) in [(r#"{"status": "done"}"#, "/status"), (r#"{"status": "failed", "x": 1}"#, "/x")] {
        let (status, kind, at) = app.call("PUT", &path, body).await.refusal();
        assert_eq!((status, kind.as_str(), at.as_str()), (422, "invalid-request", pointer));
    }
    let ended = r#"{"status": "completed"}"#;
    assert_eq!(app.call("PUT", "/v1/tasks/nobodys", ended).await.refusal().1, "task-not-found");
    assert_eq!(app.call("GET", "/v1/tasks/nobodys", "").await.refusal().1, "task-not-found");
    let theirs = format!("Bearer {THEIRS}");
    for (method, body) in [("GET", ""), ("PUT", ended)] {
        let reply = app.call_with(method, &path, body, &[("authorization", &theirs)]).await;
        assert_eq!(reply.refusal().1, "task-not-found", "{method}");
    }
    assert_eq!(get(&app, &path).await["status"], "abandoned");
}

#[tokio::test]
async fn the_report_compares_tasks_with_compression_and_without() {
    let app = app().await;
    for (session, task, compressed, status) in [
        ("a", "long", true, "completed"),
        ("b", "long", false, "completed"),
        ("c", "longer", true, "failed"),
        ("d", "short", false, "completed"),
        ("e", "going", false, "active"),
    ] {
        put(&app, session, json!({"task_id": task, "auto": false})).await;
        append(&app, session, &talk(20)).await;
        if compressed {
            app.compress(session, "").await;
        }
        served(&app, session).await;
        end(&app, task, status).await;
    }
    let report = get(&app, "/v1/usage").await;
    let (with, without) = (&report["tasks"]["with_compression"], &report["tasks"]["without_compression"]);
    assert_eq!(
        (&with["ended"], &with["completed"], &with["completion_rate"]),
        (&json!(2), &json!(1), &json!(0.5))
    );
    assert_eq!((&without["ended"], &without["completion_rate"]), (&json!(1), &json!(1.0)));
    assert_eq!(with["requests_per_completed_task"], 2.0);
    let tokens = get(&app, "/v1/tasks/long").await["total_tokens"].as_f64().unwrap();
    assert!((with["tokens_per_completed_task"].as_f64().unwrap() - tokens).abs() < 1.0);
    assert_eq!(report["total"]["requests"], 5);
    let today = Clock::system().now().date_naive().to_string();
    assert_eq!((&report["days"][0]["day"], &report["to"]), (&json!(today), &json!(today)));
    assert_eq!(report["days"][0]["requests"], 5);

    let past = get(&app, "/v1/usage?from=2020-01-01&to=2020-12-31").await;
    assert_eq!((&past["days"], &past["total"]["requests"]), (&json!([]), &json!(0)));
    assert_eq!(past["tasks"]["with_compression"]["completion_rate"], Value::Null);
    for (query, pointer) in [
        ("from=2026-02-01&to=2026-01-01", "/to"),
        ("from=2020-01-01&to=2026-01-01", "/from"),
        ("from=yesterday", "/from"),
        ("to=0001-01-01", "/from"),
        ("days=3", "/days"),
    ] {
        let (status, _, at) = app.call("GET", &format!("/v1/usage?{query}"), "").await.refusal();
        assert_eq!((status, at.as_str()), (422, pointer), "{query}");
    }
    let theirs = format!("Bearer {THEIRS}");
    let strange = app.call_with("GET", "/v1/usage", "", &[("authorization", &theirs)]).await.json();
    assert_eq!((&strange["total"]["requests"], &strange["days"]), (&json!(0), &json!([])));
}

#[tokio::test]
async fn an_erased_session_leaves_sums_by_day_that_name_nobody() {
    let app = app().await;
    for session in ["one", "two"] {
        put(&app, session, json!({"task_id": "t"})).await;
        append(&app, session, &talk(2)).await;
        served(&app, session).await;
    }
    end(&app, "t", "completed").await;
    let mut look = app.database.connect().await;
    assert!(number(&mut look, "select count(*) from usage_by_session").await > 0);
    for (session, sessions) in [("one", 1), ("two", 0)] {
        // What is not written yet must not come back either.
        served(&app, session).await;
        assert_eq!(app.call("DELETE", &format!("/v1/sessions/{session}"), "").await.status, 204);
        app.store.flush_usage(None).await.expect("a flush");
        let left = "select count(distinct session_id) from usage_by_session";
        assert_eq!(number(&mut look, left).await, sessions);
        assert_eq!(number(&mut look, "select count(*) from tasks").await, sessions);
    }
    assert_eq!(app.call("GET", "/v1/tasks/t", "").await.refusal().1, "task-not-found");
    assert_eq!(get(&app, "/v1/usage").await["total"]["requests"], 4);
    let columns = "select count(*) from information_schema.columns
                   where table_name = 'usage_by_day' and column_name in ('session_id', 'task_id', 'name')";
    assert_eq!(number(&mut look, columns).await, 0);
}

/// A use of the session `s`, as a read counts it.
async fn count(store: &Store, app: &App, times: usize) {
    let name = SessionRef::from(SessionName::parse("s").expect("a name"));
    let session = store.find_session(app.tenant, &name).await.expect("a read").expect("a session");
    for _ in 0..times {
        let user =
            User { tenant: app.tenant, session: session.id, task_id: Some("t"), at: Clock::system().now() };
        let figures = UsageDelta { calls: 1, tokens_out: 10, ..UsageDelta::default() };
        store.meter().count(user, Kind::Context, figures);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_write_at_once_lose_nothing() {
    let app = app().await;
    put(&app, "s", json!({"task_id": "t"})).await;
    let mut others = Vec::new();
    for _ in 0..4 {
        let store = Store::connect(&app.database.url, 4, TaskTracker::new()).await.expect("a pool");
        others.push(store);
    }
    for _ in 0..5 {
        for store in &others {
            count(store, &app, 3).await;
        }
        let flushes = others.iter().map(|store| store.flush_usage(None));
        for flushed in futures::future::join_all(flushes).await {
            flushed.expect("a flush");
        }
    }
    // A first row that somebody else was making may have had to wait.
    for store in &others {
        store.flush_usage(None).await.expect("a flush");
    }
    let task = get(&app, "/v1/tasks/t").await;
    assert_eq!((&task["requests"], &task["context_tokens"]), (&json!(60), &json!(600)));
    assert_eq!(get(&app, "/v1/usage").await["total"]["requests"], 60);
}

#[tokio::test]
async fn a_session_that_somebody_holds_waits_in_memory_and_holds_up_nobody() {
    let app = app().await;
    put(&app, "s", json!({"task_id": "t"})).await;
    count(&app.store, &app, 1).await;
    let mut holder = app.database.connect().await;
    sqlx::raw_sql("begin; select 1 from sessions for update").execute(&mut holder).await.expect("a lock");
    app.store.flush_usage(None).await.expect("a flush");
    assert_eq!(number(&mut holder, "select count(*) from usage_by_session").await, 0);
    assert_eq!(number(&mut holder, "select count(*) from usage_by_day").await, 0, "or it would count twice");
    sqlx::raw_sql("commit").execute(&mut holder).await.expect("a commit");
    app.store.flush_usage(None).await.expect("a flush");
    // From then on there is a row, and no lock is asked for.
    sqlx::raw_sql("begin; select 1 from sessions for update").execute(&mut holder).await.expect("a lock");
    count(&app.store, &app, 1).await;
    app.store.flush_usage(None).await.expect("a flush");
    assert_eq!(number(&mut holder, "select sum(calls)::bigint from usage_by_session").await, 2);
    assert_eq!(number(&mut holder, "select sum(calls)::bigint from usage_by_day").await, 2);
}

#[tokio::test]
async fn a_task_goes_with_the_last_of_its_sessions_though_two_are_erased_at_once() {
    let app = app().await;
    for name in ["a", "b"] {
        // Without messages: what those took is given back in a row that the second would wait for anyhow.
        put(&app, name, json!({"task_id": "t"})).await;
    }
    end(&app, "t", "completed").await;
    let (mut holder, mut look) = (app.database.connect().await, app.database.connect().await);
    hold_erasing(&mut holder, "a").await;
    let first = async { assert_eq!(app.call("DELETE", "/v1/sessions/a", "").await.status, 204) };
    let second = async {
        until_waiting(&mut look, 1).await;
        let release = async {
            let mut look = app.database.connect().await;
            until_waiting(&mut look, 2).await;
            run(&mut holder, "select pg_advisory_unlock(77)").await.unwrap();
        };
        let (deleted, ()) = futures::join!(app.call("DELETE", "/v1/sessions/b", ""), release);
        assert_eq!(deleted.status, 204);
    };
    futures::join!(first, second);
    assert_eq!(number(&mut look, "select count(*) from tasks").await, 0);
}

#[tokio::test]
async fn a_task_counts_a_session_once_with_all_that_its_branches_use() {
    let app = app().await;
    let settings = json!({"task_id": "t", "auto": false, "context_window": 10_000, "mask": "off"});
    app.call("PUT", "/v1/sessions/s", settings.to_string()).await;
    let talk = |n: usize| {
        let say = |i| json!({"role": "user", "content": format!("{n} {i} {}", "talk ".repeat(60))});
        json!({"messages": (0..12).map(say).collect::<Vec<_>>()}).to_string()
    };
    app.call("POST", "/v1/sessions/s/messages", talk(0)).await;
    fork(&app.store, app.tenant, &branch_of("s", "main"), "b", 12).await;
    app.call("POST", "/v1/sessions/s/messages?branch=b", talk(1)).await;
    app.call("GET", "/v1/sessions/s/context?branch=b", "").await;
    app.call("GET", "/v1/sessions/s/context", "").await;
    for branch in ["main", "b"] {
        let queued =
            app.call("POST", &format!("/v1/sessions/s/compressions?branch={branch}"), COMPRESS).await;
        assert_eq!(queued.status, 202, "{}", queued.text);
    }
    app.work().await;
    let report = app.call("GET", "/v1/tasks/t", "").await.json();
    assert_eq!((&report["sessions"], &report["compressions"]), (&json!(1), &json!(2)), "{report}");
    assert_eq!((&report["appended_messages"], &report["requests"]), (&json!(24), &json!(2)), "{report}");
    let ended = app.call("PUT", "/v1/tasks/t", r#"{"status": "completed"}"#).await.json();
    assert_eq!(ended["sessions"], 1);
}
