//! How sessions leave: exported and imported, erased, and forgotten when their time is over.

use anchord_worker::janitor;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use tokio_util::sync::CancellationToken;

use crate::support::app::COMPRESS;
use crate::support::app::{Answer, App, OPERATOR, THEIRS, app};
use crate::support::number;
use crate::support::talks::turns;
use crate::tenants::tenant;

async fn append(app: &App, session: &str, messages: &str) {
    app.call("POST", &format!("/v1/sessions/{session}/messages"), messages.to_owned()).await.with(201);
}

/// A session with something of everything that a caller can give.
async fn furnished(app: &App) {
    let settings = json!({"context_window": 12_000, "tokenizer": "cl100k_base", "task_id": "t", "auto": false, "metadata": {"team": "support"}});
    app.call("PUT", "/v1/sessions/s", settings.to_string()).await;
    // As no writer of JSON would write it: word for word is more than the same value.
    append(app, "s", r#"{"messages": [{"role":  "user", "content": "fix \u0000 the 1.0e2 bug", "n": 123456789012345678901}]}"#).await;
    // Long enough to have a reference of its own.
    let output = format!(
        "{}error[E0308]: mismatched types\\n --> src/a.rs:3:5\\ntest result: FAILED. 3 passed; 1 failed",
        "running the tests of this crate one by one\\n".repeat(40)
    );
    append(
        app,
        "s",
        r#"{"format": "anthropic", "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "cargo test"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "OUTPUT"}]}],
            "marks": [{"index": 1, "keep": "always"}, {"index": 0, "component": "retrieved_documents"}]}"#
            .replace("OUTPUT", &output)
            .as_str(),
    )
    .await;
    let talk = turns(30, |i| format!("{i} {}", "talk ".repeat(60)));
    append(app, "s", &json!({"messages": talk}).to_string()).await;
    app.call("PUT", "/v1/sessions/s/pins", r#"{"pins": ["Never push to main."]}"#).await;
    app.call("PUT", "/v1/sessions/s/todos", r#"{"todos": [{"content": "fix it", "status": "pending"}]}"#)
        .await;
    let noted = json!({"arguments": {"text": "the parser is done"}}).to_string();
    app.call("POST", "/v1/sessions/s/tools/note", noted).await;
    let probe = json!({"kind": "recall", "question": "Which command failed?", "expected": ["cargo test"]});
    app.call("POST", "/v1/sessions/s/probes", probe.to_string()).await.with(201);
    let key = [("idempotency-key", "compress-once")];
    app.call_with("POST", "/v1/sessions/s/compressions", COMPRESS, &key).await;
    app.work().await;
    app.call("POST", "/v1/sessions/s/evaluations", "").await;
    app.work().await;
}

async fn import(app: &App, session: &str, lines: &str) -> Answer {
    let headers = [("content-type", "application/x-ndjson")];
    let path = format!("/v1/sessions/{session}/import");
    app.call_with("POST", &path, lines.to_owned(), &headers).await
}

#[tokio::test]
async fn an_export_brings_everything_and_its_import_is_the_same_session() {
    let app = app().await;
    furnished(&app).await;
    let export = app.call("GET", "/v1/sessions/s/export", "").await;
    assert_eq!(export.headers["content-type"], "application/x-ndjson");
    let lines: Vec<Value> = export.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
    assert_eq!((kinds[0], kinds[kinds.len() - 1]), ("session", "end"));
    assert_eq!(kinds.iter().filter(|kind| **kind == "message").count(), 33);
    assert_eq!(kinds.iter().filter(|kind| **kind == "version").count(), 1);
    assert!(
        export.text.contains(
            r#"{"role":  "user", "content": "fix \u0000 the 1.0e2 bug", "n": 123456789012345678901}"#
        )
    );

    let imported = import(&app, "copy", &export.text).await.with(201);
    let reply = imported.json();
    assert_eq!((&reply["messages"], &reply["next_seq"]), (&json!(33), &json!(34)), "{reply}");
    assert_eq!((&reply["versions"], &reply["evaluations"]), (&json!(1), &json!(2)), "{reply}");
    let list = app.call("GET", "/v1/sessions/copy/todos", "").await.json();
    assert_eq!(list["todos"][0]["content"], "fix it");
    let again = app.call("GET", "/v1/sessions/copy/export", "").await;
    let messages = |text: &str| -> Vec<String> {
        let raw = |line: &str| line.split_once(r#""message":"#).map(|(_, rest)| rest.to_owned());
        text.lines()
            .filter(|line| line.starts_with(r#"{"kind":"message""#))
            .filter_map(raw)
            .map(|rest| rest.split(r#","created_at""#).next().unwrap().to_owned())
            .collect()
    };
    for (copy, original) in messages(&again.text).iter().zip(&messages(&export.text)) {
        assert_eq!(copy, original, "not word for word");
    }
    assert_eq!((messages(&again.text).len(), messages(&export.text).len()), (33, 33));
}

#[tokio::test]
async fn a_large_file_is_imported_in_pieces_and_a_piece_twice_changes_nothing() {
    let app = app().await;
    furnished(&app).await;
    let export = app.call("GET", "/v1/sessions/s/export", "").await.text;
    let lines: Vec<&str> = export.lines().collect();
    let (first, rest) = (lines[..12].join("\n"), lines[12..].join("\n"));
    assert_eq!(
        import(&app, "copy", &rest).await.refusal().1,
        "sequence-mismatch",
        "the first piece is first"
    );
    let piece = async || {
        let headers = [("content-type", "application/x-ndjson")];
        app.call_with("POST", "/v1/sessions/copy/import?partial=true", first.clone(), &headers).await
    };
    let refused = import(&app, "copy", &first).await;
    assert_eq!(refused.refusal().2, "/12", "a file that was cut off: {}", refused.text);
    assert_eq!(app.call("GET", "/v1/sessions/copy", "").await.status, 404);
    assert_eq!(piece().await.status, 201);
    assert_eq!(piece().await.status, 409);
    assert_eq!(import(&app, "copy", &rest).await.status, 201);
    assert_eq!(import(&app, "copy", &rest).await.status, 409);
    let copy = app.call("GET", "/v1/sessions/copy", "").await.json();
    assert_eq!(copy["head_seq"], 33);
    assert_eq!(copy["settings"]["tokenizer"], "cl100k_base");
}

#[tokio::test]
async fn a_wrong_import_is_refused_with_its_line_and_stores_nothing() {
    let app = app().await;
    let message =
        |seq: i64| json!({"kind": "message", "seq": seq, "message": {"role": "user", "content": "x"}});
    let lines = |lines: &[Value]| lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let end = |messages: i64| json!({"kind": "end", "messages": messages});
    let session = json!({"kind": "session", "format_version": 1, "settings": {"context_windw": 1}});
    let probe = json!({"id": "prb_01929f5be2c47c3fb1c4a6d24b4e1a10", "probe": {"kind": "recall"}, "created_at": "2026-01-05T09:31:00Z"});
    for (body, pointer) in [
        (lines(&[message(1), message(3)]), "/1/seq"),
        (lines(&[json!({"kind": "message", "seq": 1})]), "/0/message"),
        (lines(&[json!({"kind": "message", "seq": 1, "message": {"role": "robot"}})]), "/0/message/role"),
        (lines(&[json!({"kind": "note"})]), "/0/kind"),
        (lines(&[message(1), end(2)]), "/1/messages"),
        (lines(&[end(0)]), "/0/kind"),
        (
            lines(&[
                json!({"kind": "message", "seq": 1, "branch": "b", "message": {"role": "user", "content": "x"}}),
                end(1),
            ]),
            "/0/branch",
        ),
        (lines(&[message(1), end(1), message(2)]), "/2/kind"),
        (lines(&[message(1), json!({"kind": "session"})]), "/1/kind"),
        (lines(&[session, message(1), end(1)]), "/0/settings/context_windw"),
        (
            lines(&[json!({"kind": "session", "format_version": 1, "pins": [" "]}), message(1), end(1)]),
            "/0/pins/0",
        ),
        (lines(&[json!({"kind": "session"}), message(1), end(1)]), "/0/format_version"),
        (
            lines(&[message(1), json!({"kind": "probes", "probes": [probe]}), end(1)]),
            "/1/probes/0/probe/question",
        ),
    ] {
        import(&app, "new", &body).await.refused_at(422, pointer);
        let head = app.call("GET", "/v1/sessions/new", "").await.json()["head_seq"].clone();
        assert!(head.is_null() || head == 0, "{body} stored something");
    }
    assert_eq!(import(&app, "new", "{\"kind\": ").await.refusal().1, "malformed-json");
    assert_eq!(app.call("POST", "/v1/sessions/new/import", "{}").await.status, 415);
    assert_eq!(app.call_as(THEIRS, "GET", "/v1/sessions/s/export", "").await.status, 404);
}

#[tokio::test]
async fn an_import_is_stored_whole_or_not_at_all() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    let message =
        |seq: i64| json!({"kind": "message", "seq": seq, "message": {"role": "user", "content": "x"}});
    let at = "2026-01-05T09:31:00Z";
    let todos = json!({"items": [{"content": "fix it", "status": "pending"}], "changes": [], "revision": 1, "updated_at": at});
    let head = json!({"kind": "session", "format_version": 1, "settings": {"task_id": "t"}, "pins": ["Never push to main."],
                      "todos": todos});
    let probe = json!({"kind": "recall", "question": "Which?", "expected": ["x"]});
    let probe = json!({"id": "prb_01929f5be2c47c3fb1c4a6d24b4e1a10", "probe": probe, "created_at": at});
    let probes = json!({"kind": "probes", "probes": [probe]});
    let end = json!({"kind": "end", "messages": 2});
    let file = [head, message(1), probes, message(2), end].map(|line| line.to_string()).join("\n");
    let failing =
        "create function fail() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
                   create trigger fail before insert on messages for each row execute function fail()";
    sqlx::raw_sql(failing).execute(&mut owner).await.unwrap();
    assert_eq!(import(&app, "new", &file).await.status, 500);
    let left = app.call("GET", "/v1/sessions/new", "").await;
    assert_eq!(left.status, 404, "nothing of it is stored: {}", left.text);
    for table in ["sessions", "pins", "probes", "todo_lists", "messages"] {
        let left = number(&mut owner, &format!("select count(*) from {table}")).await;
        assert_eq!(left, 0, "{table}");
    }
    sqlx::raw_sql("drop trigger fail on messages").execute(&mut owner).await.unwrap();
    assert_eq!(import(&app, "new", &file).await.status, 201);
}

#[tokio::test]
async fn a_repeated_import_with_its_key_is_answered_as_the_first() {
    let app = app().await;
    let line = |seq: i64| {
        json!({"kind": "message", "seq": seq, "message": {"role": "user", "content": "x"}}).to_string()
    };
    let headers = [("content-type", "application/x-ndjson"), ("idempotency-key", "once")];
    let import = async |lines: String| app.call_with("POST", "/v1/sessions/s/import", lines, &headers).await;
    let head = json!({"kind": "session", "format_version": 1, "settings": {}}).to_string();
    let end = json!({"kind": "end", "messages": 2});
    let file = format!("{head}\n{}\n{}\n{end}", line(1), line(2));
    let first = import(file.clone()).await.with(201);
    let again = import(file.clone()).await;
    assert_eq!((again.status.as_u16(), &again.text), (201, &first.text));
    assert_eq!(import(line(3)).await.refusal().1, "idempotency-mismatch");
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.json()["head_seq"], 2);
    // At once: one stores, and the other waits, is answered as the first, or is told that the first still runs.
    let headers = [("content-type", "application/x-ndjson"), ("idempotency-key", "both")];
    let both = async || app.call_with("POST", "/v1/sessions/t/import", file.clone(), &headers).await;
    let (one, two) = futures::join!(both(), both());
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert!(statuses == [201, 201] || statuses == [201, 409], "{statuses:?} {} {}", one.text, two.text);
    assert_eq!(app.call("GET", "/v1/sessions/t", "").await.json()["head_seq"], 2);
}

/// Every table that holds something of a session, with its rows.
async fn rows_by_table(owner: &mut PgConnection) -> Vec<(String, i64)> {
    let tables = sqlx::raw_sql(
        "select c.table_name::text from information_schema.columns c
         where c.table_schema = 'public' and c.column_name = 'session_id'
         union select 'sessions' union select 'llm_attempts' union select 'narrative_chunks' order by 1",
    )
    .fetch_all(&mut *owner)
    .await
    .unwrap();
    let mut counted = Vec::new();
    for row in tables {
        let table: String = row.get(0);
        let rows = number(&mut *owner, &format!("select count(*) from {table}")).await;
        counted.push((table, rows));
    }
    counted
}

#[tokio::test]
async fn an_erased_session_leaves_nothing_in_any_table() {
    let app = app().await;
    app.call("POST", "/v1/webhooks", r#"{"url": "https://example.com/"}"#).await.with(201);
    furnished(&app).await;
    app.call("GET", "/v1/sessions/s/context", "").await.with(200);
    app.store.flush_usage(None).await.unwrap();
    app.store.flush_served().await.unwrap();
    let mut owner = PgConnection::connect(&app.database.url).await.unwrap();
    // As some indexings later.
    let written = "insert into recall_postings select tenant_id, session_id, -1, 7, '' from recall_pending";
    sqlx::raw_sql(written).execute(&mut owner).await.unwrap();
    let before = rows_by_table(&mut owner).await;
    let empty: Vec<&str> =
        before.iter().filter(|(_, rows)| *rows == 0).map(|(table, _)| table.as_str()).collect();
    // What only models, embeddings and people fill, what a caller drops, what waits to be published and what came from another session
    // is not there in this session.
    for table in empty {
        let known = [
            "llm_attempts", "llm_breakers", "recall_embeddings", "recall_vectors", "narrative_chunks",
            "dropped_entries", "erasures", "console_signins",
        ];
        assert!(known.contains(&table), "nothing in {table}: {before:?}");
    }
    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 204);
    let after = rows_by_table(&mut owner).await;
    let left: Vec<&(String, i64)> = after.iter().filter(|(_, rows)| *rows > 0).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn sessions_that_nobody_writes_to_are_erased_when_their_tenant_keeps_them_no_longer() {
    let app = app().await;
    let (id, key) = tenant(&app, "short").await;
    let hello = r#"{"messages": [{"role": "user", "content": "hello"}]}"#;
    let aged = async |session: &str, created_days: i32, written_days: i32| {
        let mut owner = PgConnection::connect(&app.database.url).await.unwrap();
        let age = format!(
            "update sessions set
               id = (lpad(to_hex((extract(epoch from now() - interval '{created_days} days') * 1000)::bigint), 12, '0')
                     || '7000' || substr(replace(gen_random_uuid()::text, '-', ''), 17))::uuid,
               updated_at = now() - interval '{written_days} days'
             where name = '{session}' and head_seq = 0"
        );
        sqlx::raw_sql(AssertSqlSafe(age)).execute(&mut owner).await.unwrap();
    };
    for (session, created, written) in [("old", 40, 31), ("busy", 400, 29), ("new", 1, 1)] {
        app.call_as(&key, "PUT", &format!("/v1/sessions/{session}"), "{}").await;
        aged(session, created, written).await;
    }
    append(&app, "ours", hello).await;
    let stop = CancellationToken::new();
    assert_eq!(janitor::round(&app.store, &stop).await.unwrap().1, 0, "without a bound nothing goes");

    let path = format!("/v1/admin/tenants/{id}");
    let bound = app.call_as(OPERATOR, "PATCH", &path, r#"{"retention_days": 30}"#).await;
    assert_eq!(bound.json()["retention_days"], 30, "{}", bound.text);
    assert_eq!(janitor::round(&app.store, &stop).await.unwrap().1, 1);
    let status =
        async |session: &str| app.call_as(&key, "GET", &format!("/v1/sessions/{session}"), "").await.status;
    assert_eq!((status("old").await, status("busy").await, status("new").await).0, 404);
    assert_eq!((status("busy").await.as_u16(), status("new").await.as_u16()), (200, 200));
    assert_eq!(app.call("GET", "/v1/sessions/ours", "").await.status, 200);

    let kept = app.call_as(OPERATOR, "PATCH", &path, r#"{"name": "longer"}"#).await.json();
    assert_eq!(kept["retention_days"], 30, "absent keeps");
    let reset = app.call_as(OPERATOR, "PATCH", &path, r#"{"retention_days": null}"#).await.json();
    assert_eq!(reset["retention_days"], Value::Null);
    assert_eq!(
        app.call_as(OPERATOR, "PATCH", &path, r#"{"retention_days": 0}"#).await.refusal().2,
        "/retention_days"
    );
}

#[tokio::test]
async fn replies_are_forgotten_after_a_day() {
    let app = app().await;
    let body = r#"{"messages": [{"role": "user", "content": "hello"}]}"#;
    for key in ["a", "b"] {
        app.call_with("POST", "/v1/sessions/s/messages", body, &[("idempotency-key", key)]).await;
    }
    let mut owner = PgConnection::connect(&app.database.url).await.unwrap();
    let age = "update idempotency_keys set created_at = now() - interval '25 hours' where key = 'a'";
    sqlx::raw_sql(age).execute(&mut owner).await.unwrap();
    assert_eq!(janitor::round(&app.store, &CancellationToken::new()).await.unwrap().0, 1);
    let left = sqlx::raw_sql("select key from idempotency_keys").fetch_all(&mut owner).await.unwrap();
    assert_eq!(left.iter().map(|row| row.get::<String, _>(0)).collect::<Vec<_>>(), ["b"]);
}
