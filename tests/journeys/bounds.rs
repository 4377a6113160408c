//! What a caller could make large without end is bounded, with a problem that names the bound, and a session that is
//! near a bound goes on.

use futures::future::join_all;
use serde_json::{Value, json};

use crate::support::app::COMPRESS;
use crate::support::app::{App, OURS, THEIRS, app};
use crate::support::{number, until};

const MEBIBYTE: usize = 1024 * 1024;

async fn append(app: &App, messages: &[Value]) -> crate::support::app::Answer {
    app.call("POST", "/v1/sessions/s/messages", json!({"messages": messages}).to_string()).await
}

/// A message that calls a tool so many times; the ids are `c0`, `c1`, ….
fn calling(times: usize) -> Value {
    let call = |i| json!({"id": format!("c{i}"), "type": "function", "function": {"name": "read_file", "arguments": format!("{{\"path\": \"src/part{i}.rs\"}}")}});
    json!({"role": "assistant", "content": null, "tool_calls": (0..times).map(call).collect::<Vec<_>>()})
}

fn result(i: usize, bytes: usize) -> Value {
    let line = format!("fn part_{i}() {{ let value = {i}; println!(\"{{value}}\"); }}\n");
    json!({"role": "tool", "tool_call_id": format!("c{i}"), "content": line.repeat(bytes / line.len())})
}

#[tokio::test]
async fn a_budget_beyond_every_window_is_refused() {
    let app = app().await;
    append(&app, &[json!({"role": "user", "content": "Hello"})]).await;
    for most in ["4294967295", "10000001", "0"] {
        let refused = app.call("GET", &format!("/v1/sessions/s/context?max_input_tokens={most}"), "").await;
        refused.refused_at(422, "/max_input_tokens");
        assert!(refused.text.contains("from 1 to 10000000"), "{}", refused.text);
        let body =
            format!(r#"{{"messages": [{{"role": "user", "content": "Hi"}}], "target_tokens": {most}}}"#);
        app.call("POST", "/v1/compress", body).await.refused_at(422, "/target_tokens");
    }
    assert_eq!(app.call("GET", "/v1/sessions/s/context?max_input_tokens=10000000", "").await.status, 200);
    let window = app.call("PUT", "/v1/sessions/s", r#"{"context_window": 10000001}"#).await;
    assert_eq!(window.refusal().2, "/context_window");
}

#[tokio::test]
async fn an_import_has_no_more_lines_than_a_batch_has_messages() {
    let app = app().await;
    let line = |seq: usize| {
        json!({"kind": "message", "seq": seq, "message": {"role": "user", "content": "Hi"}}).to_string()
    };
    let import = async |lines: Vec<String>| {
        let kind = [("content-type", "application/x-ndjson")];
        app.call_with("POST", "/v1/sessions/s/import?partial=true", lines.join("\n"), &kind).await
    };
    let refused = import((1..=1_001).map(line).collect()).await;
    refused.refused_as(413, "too-large");
    assert_eq!(refused.json()["limit"], 1_000);
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.status, 404, "nothing is stored");
    let ids: Vec<String> = (0..1_001).map(|i| format!("con_{i}")).collect();
    let dropped =
        import(vec![json!({"kind": "session", "format_version": 1, "dropped_entries": ids}).to_string()])
            .await;
    dropped.refused_at(422, "/0/dropped_entries");
    assert_eq!(import((1..=1_000).map(line).collect()).await.status, 201);
    assert_eq!(import(vec![line(1_001)]).await.status, 201, "what is cut between lines goes on");
}

#[tokio::test]
async fn a_call_with_its_results_is_bounded_and_the_session_goes_on() {
    let app = app().await;
    append(&app, &[json!({"role": "user", "content": "Read all parts."}), calling(20)]).await;
    for i in 0..4 {
        assert_eq!(append(&app, &[result(i, 3 * MEBIBYTE)]).await.status, 201);
    }
    let refused = append(&app, &[result(4, 2 * MEBIBYTE), result(5, 2 * MEBIBYTE)]).await;
    refused.refused_as(413, "too-large");
    assert_eq!(refused.json()["limit"], 16 * MEBIBYTE);
    assert_eq!(
        append(&app, &[result(5, MEBIBYTE / 2)]).await.json()["last_seq"],
        7,
        "nothing of it was stored"
    );
    let further =
        [json!({"role": "user", "content": "That is enough."}), calling(1), result(0, 3 * MEBIBYTE)];
    assert_eq!(append(&app, &further).await.status, 201, "another group begins anew");
}

#[tokio::test]
async fn a_small_group_before_one_beyond_the_bound_of_a_span_is_compressed_with_it() {
    let app = app().await;
    assert_eq!(app.call("PUT", "/v1/sessions/s", r#"{"auto": false}"#).await.status, 201);
    append(&app, &[json!({"role": "user", "content": "Read all parts."}), calling(3)]).await;
    for i in 0..3 {
        assert_eq!(append(&app, &[result(i, 3 * MEBIBYTE)]).await.status, 201);
    }
    let talk = |i: usize| json!({"role": if i.is_multiple_of(2) { "assistant" } else { "user" }, "content": format!("Part {i} is read.")});
    append(&app, &(0..6).map(talk).collect::<Vec<_>>()).await;
    let queued = app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await;
    app.work().await;
    let done = app.call("GET", queued.headers["location"].to_str().unwrap(), "").await.json();
    assert_eq!((&done["status"], &done["through_seq"]), (&json!("succeeded"), &json!(5)), "{done}");
}

#[tokio::test]
async fn a_tenant_whose_requests_hold_its_connections_leaves_the_others_theirs() {
    let app = app().await;
    for key in [OURS, THEIRS] {
        let body = r#"{"messages": [{"role": "user", "content": "Hello"}]}"#;
        assert_eq!(app.call_as(key, "POST", "/v1/sessions/s/messages", body).await.status, 201);
    }
    let mut holder = app.database.connect().await;
    let locking = format!("begin; select from sessions where tenant_id = '{}' for update", app.tenant.0);
    sqlx::raw_sql(sqlx::AssertSqlSafe(locking)).execute(&mut holder).await.expect("a lock");
    let stuck = async {
        let pins = || app.call("PUT", "/v1/sessions/s/pins", r#"{"pins": ["Never touch vendor/."]}"#);
        join_all((0..20).map(|_| pins())).await
    };
    let others = async {
        let mut look = app.database.connect().await;
        let waiting = "select count(*) from pg_stat_activity
            where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0";
        until("requests that wait", async || (number(&mut look, waiting).await >= 2).then_some(())).await;
        for _ in 0..30 {
            assert_eq!(app.call_as(THEIRS, "GET", "/v1/sessions/s/context", "").await.status, 200);
            assert_eq!(app.call("GET", "/readyz", "").await.status, 200);
            assert_eq!(app.call("GET", "/v1/sessions/s/messages", "").await.status, 200, "its own reads");
            let waiting = number(&mut look, waiting).await;
            assert!(waiting <= 2, "{waiting} changes wait: two thirds of a third of the connections may");
        }
    };
    // All are answered although the lock is not freed.
    let (replies, ()) = futures::join!(stuck, others);
    sqlx::raw_sql("rollback").execute(&mut holder).await.expect("a rollback");
    for reply in &replies {
        let (status, kind, _) = reply.refusal();
        assert!(status == 503 && ["tenant-busy", "locked"].contains(&kind.as_str()), "{}", reply.text);
        assert_eq!(reply.headers["retry-after"], "1");
    }
    assert!(replies.iter().any(|reply| reply.refusal().1 == "tenant-busy"));
    assert_eq!(app.call("GET", "/v1/sessions/s/messages", "").await.status, 200, "and goes on");
}

#[tokio::test]
async fn a_read_takes_no_more_bodies_than_a_few_whatever_their_placeholders_cost() {
    let app = app().await;
    assert_eq!(app.call("PUT", "/v1/sessions/s", r#"{"auto": false}"#).await.status, 201);
    append(&app, &[json!({"role": "user", "content": "Read all parts."})]).await;
    for _ in 0..10 {
        assert_eq!(append(&app, &[calling(1), result(0, 3 * MEBIBYTE)]).await.status, 201);
    }
    let end = [
        json!({"role": "assistant", "content": "All are read."}),
        json!({"role": "user", "content": "Go on."}),
    ];
    assert_eq!(append(&app, &end).await.status, 201);
    let context = app.call("GET", "/v1/sessions/s/context", "").await;
    assert!(context.text.len() < 2 * MEBIBYTE, "{} bytes", context.text.len());
    let context = context.json();
    let left_out = json!({"from_seq": 2, "to_seq": 17, "reason": "budget"});
    assert_eq!(context["omitted"][0], left_out, "what was not read, and what has no room");
    // Large outputs are clipped, and those that are read are all served.
    assert!(context["tokens"]["total"].as_u64() > Some(20_000), "{}", context["tokens"]);
}
