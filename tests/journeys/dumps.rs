//! Sessions that move: an export carries everything, and its import is the same session, in another place too.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sqlx::Row as _;

use crate::support::app::{Answer, App, COMPRESS, OURS, THEIRS, app};
use crate::support::talks::{called, turns};

const SESSION: &str = "/v1/sessions/s";

async fn post(app: &App, path: &str, body: &Value) -> Value {
    app.call("POST", &format!("{SESSION}{path}"), body.to_string()).await.good().json()
}

/// Something of all kinds of work: a demand, files, commands, test runs, an error and a decision.
fn work(of: &str, rounds: usize) -> Vec<Value> {
    let mut messages = vec![
        json!({"role": "user", "content": format!("Fix the {of} of the importer in src/{of}.rs. Never touch vendor/{of}.")}),
        json!({"role": "assistant", "content": format!("I decided to use the csv crate for {of} because quoted fields are hard to read by hand.")}),
    ];
    for round in 0..rounds {
        let output = format!(
            "error[E0308]: mismatched types\n --> src/{of}.rs:{round}:5\ntest result: FAILED. {round} passed; 1 failed\n{}",
            "running the tests of this crate one by one\n".repeat(30)
        );
        messages.extend(called(&format!("{of}{round}"), "bash", &json!({"command": "cargo test"}), &output));
        let edit = json!({"path": format!("src/{of}_{round}.rs"), "content": "fn main() {}"});
        messages.extend(called(&format!("{of}w{round}"), "write_file", &edit, "ok"));
        messages.push(json!({"role": "assistant", "content": format!("The part {round} of {of} is written. {}", "It reads quoted fields. ".repeat(40))}));
        messages.push(json!({"role": "user", "content": format!("Go on with part {} of {of}.", round + 1)}));
    }
    messages
}

async fn append(app: &App, query: &str, messages: &[Value]) -> i64 {
    let reply = post(app, &format!("/messages{query}"), &json!({"messages": messages})).await;
    reply["last_seq"].as_i64().unwrap()
}

async fn compress(app: &App, session: &str, query: &str) {
    let path = format!("/v1/sessions/{session}/compressions{query}");
    let queued = app.call("POST", &path, COMPRESS).await.with(202);
    app.work().await;
    let done = app.call("GET", queued.headers["location"].to_str().unwrap(), "").await.json();
    assert_eq!(done["status"], "succeeded", "{session}{query}: {done:#}");
}

/// A session with a history: versions and a rollback, what its caller gave, and branches that have versions of their own.
async fn worked(app: &App) {
    let settings = json!({"context_window": 40_000, "tokenizer": "cl100k_base", "auto": false, "task_id": "t",
                          "metadata": {"team": "support"}});
    app.call("PUT", SESSION, settings.to_string()).await.with(201);
    append(app, "", &[json!({"role": "system", "content": "You mend importers."})]).await;
    post(app, "/messages", &json!({"messages": work("parser", 6), "marks": [{"index": 2, "keep": "always"}, {"index": 3, "keep": "never"}]})).await;
    app.call("PUT", &format!("{SESSION}/pins"), r#"{"pins": ["Never push to main."]}"#).await.good();
    let todos = json!({"todos": [{"content": "fix the parser", "status": "in_progress"}, {"content": "write docs", "status": "pending"}]});
    app.call("PUT", &format!("{SESSION}/todos"), todos.to_string()).await.good();
    for text in ["the parser is slow", "ask about vendor", "to be gone"] {
        post(app, "/tools/note", &json!({"arguments": {"text": text}})).await;
    }
    let probe = json!({"kind": "recall", "question": "Which command failed?", "expected": ["cargo test"]});
    post(app, "/probes", &probe).await;
    compress(app, "s", "").await;
    append(app, "", &work("writer", 5)).await;
    post(app, "/tools/note", &json!({"arguments": {"id": "n1", "text": "the parser is fast now"}})).await;
    post(app, "/tools/note", &json!({"arguments": {"id": "n3"}})).await;
    compress(app, "s", "").await;
    post(app, "/summaries/1/rollback", &json!({})).await;
    append(app, "", &turns(6, |i| format!("{i} {}", "talk of the reader ".repeat(60)))).await;
    compress(app, "s", "").await;
    let summary = app.call("GET", &format!("{SESSION}/summary"), "").await.json();
    let mut constraints = summary["constraints"].as_array().unwrap().iter();
    let is_of_caller = |id: &str| id.starts_with("pin_");
    let constraint =
        constraints.find_map(|one| one["id"].as_str().filter(|id| !is_of_caller(id))).expect("a constraint");
    app.call("DELETE", &format!("{SESSION}/constraints/{constraint}"), "").await.with(204);
    post(app, "/evaluations", &json!({})).await;
    app.work().await;
    append(app, "", &turns(4, |i| format!("{i} {}", "the newest talk ".repeat(30)))).await;

    // One with a version of its own, one that stands on it behind that, and one that goes back before its beginning.
    let anchor =
        app.call("GET", &format!("{SESSION}/summaries/1"), "").await.json()["through_seq"].as_i64().unwrap();
    post(app, "/branches", &json!({"name": "b", "seq": anchor + 4})).await;
    append(app, "?branch=b", &work("lexer", 6)).await;
    compress(app, "s", "?branch=b").await;
    let head = append(app, "?branch=b", &work("printer", 2)).await;
    app.call("PUT", &format!("{SESSION}/pins?branch=b"), r#"{"pins": ["Speak of b."]}"#).await.good();
    post(app, "/branches?branch=b", &json!({"name": "c", "seq": head - 3})).await;
    append(app, "?branch=c", &work("mender", 1)).await;
    post(app, "/branches?branch=b", &json!({"name": "early", "seq": anchor - 5})).await;
    // One that is erased, and stood on.
    post(app, "/branches", &json!({"name": "x", "seq": 9})).await;
    append(app, "?branch=x", &turns(6, |i| format!("of x {i}"))).await;
    post(app, "/branches?branch=x", &json!({"name": "y", "seq": 12})).await;
    append(app, "?branch=y", &turns(2, |i| format!("of y {i}"))).await;
    app.call("DELETE", &format!("{SESSION}/branches/x"), "").await.with(204);
    app.call("PUT", &format!("{SESSION}/current-branch"), r#"{"name": "c"}"#).await.good();
}

const BRANCHES: [&str; 5] = ["main", "b", "c", "early", "y"];

pub(crate) async fn export(app: &App, key: &str, session: &str) -> String {
    app.call_as(key, "GET", &format!("/v1/sessions/{session}/export"), "").await.with(200).text
}

pub(crate) async fn import(app: &App, key: &str, session: &str, lines: &str) -> Answer {
    let auth = format!("Bearer {key}");
    let headers = [("content-type", "application/x-ndjson"), ("authorization", auth.as_str())];
    app.call_with("POST", &format!("/v1/sessions/{session}/import"), lines.to_owned(), &headers).await
}

/// What everybody can read of a branch, by path; without what says where it is stored.
pub(crate) async fn told(app: &App, key: &str, session: &str, branch: &str) -> BTreeMap<String, Value> {
    let mut told = BTreeMap::new();
    let mut read = async |path: &str| {
        let sign = if path.contains('?') { '&' } else { '?' };
        let asked = format!("/v1/sessions/{session}{path}{sign}branch={branch}");
        let answer = app.call_as(key, "GET", &asked, "").await;
        let value = if answer.text.starts_with('{') { answer.json() } else { Value::String(answer.text) };
        let same = without_place(value.clone(), session);
        told.insert(path.to_owned(), json!({"status": answer.status.as_u16(), "body": same}));
        value
    };
    read("").await;
    for path in
        ["/messages?limit=200", "/pins", "/notes", "/todos", "/probes?limit=200", "/summary", "/state"]
    {
        read(path).await;
    }
    for kind in ["commands", "test_runs", "files", "errors"] {
        read(&format!("/ledger?kind={kind}&limit=200")).await;
    }
    for evaluation in read("/evaluations").await["items"].as_array().unwrap() {
        read(&format!("/evaluations/{}", evaluation["id"].as_str().unwrap())).await;
    }
    read("/compressions?limit=200").await;
    for format in ["openai-chat", "openai-responses", "anthropic"] {
        for rest in ["", "&recap=true", "&max_input_tokens=9000"] {
            read(&format!("/context?format={format}{rest}")).await;
        }
    }
    for seq in [3, 10, 20, 30, 45, 60, 70] {
        read(&format!("/context?through_seq={seq}")).await;
    }
    for summary in read("/summaries?limit=200").await["items"].as_array().unwrap() {
        let version = &summary["version"];
        read(&format!("/summaries/{version}")).await;
        read(&format!("/summaries/{version}/diff")).await;
        read(&format!("/summaries/{version}?style=anchored")).await;
        read(&format!("/context?version={version}&format=openai-chat")).await;
    }
    told
}

/// Without the session's name, the ids of compressions and the times of the import.
fn without_place(value: Value, session: &str) -> Value {
    match value {
        Value::Object(fields) => {
            let is_compression =
                fields.get("id").and_then(Value::as_str).is_some_and(|id| id.starts_with("cmp_"));
            let is_of_place = |name: &str| {
                [
                    "session_id", "updated_at", "last_activity", "last_activity_at", "compression_id",
                    "imported", "etag", "context_revision", "instance",
                ]
                .contains(&name)
                    || is_compression && name == "id"
            };
            let told = fields.into_iter().filter(|(name, _)| !is_of_place(name));
            told.map(|(name, value)| (name, without_place(value, session))).collect()
        }
        Value::Array(values) => values.into_iter().map(|value| without_place(value, session)).collect(),
        Value::String(text) => Value::String(
            text.replace(&format!("/v1/sessions/{session}/"), "/v1/sessions/s/")
                .replace(&format!("From session {session}, "), "From session s, "),
        ),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other,
    }
}

#[track_caller]
pub(crate) fn same(copy: &BTreeMap<String, Value>, original: &BTreeMap<String, Value>, of: &str) {
    for (path, original) in original {
        let copy = copy.get(path).unwrap_or(&Value::Null);
        if copy != original {
            let (copy, original) = (format!("{copy:#}"), format!("{original:#}"));
            let differs = original.lines().zip(copy.lines()).filter(|(a, b)| a != b).take(12);
            let differs: Vec<String> = differs.map(|(a, b)| format!("- {a}\n+ {b}")).collect();
            panic!(
                "{of} {path} ({} lines of {}):\n{}",
                copy.lines().count(),
                original.lines().count(),
                differs.join("\n")
            );
        }
    }
    assert_eq!(copy.len(), original.len(), "{of}");
}

#[tokio::test]
async fn a_session_that_moves_is_the_same_session() {
    let app = app().await;
    worked(&app).await;
    let dump = export(&app, OURS, "s").await;
    let mut original = Vec::new();
    for branch in BRANCHES {
        original.push(told(&app, OURS, "s", branch).await);
    }
    assert!(original[0].len() > 50 && original[1].contains_key("/summaries/2"), "{:?}", original[1].keys());
    let branches = async |key: &str, session: &str| {
        let list = app.call_as(key, "GET", &format!("/v1/sessions/{session}/branches"), "").await.with(200);
        without_place(list.json(), session)
    };
    let tree = branches(OURS, "s").await;
    for (key, session) in [(OURS, "copy"), (THEIRS, "s")] {
        let reply = import(&app, key, session, &dump).await.with(201).json();
        assert_eq!((&reply["versions"], &reply["branches"]), (&json!(5), &json!(5)), "{reply}");
        app.work().await;
        for (branch, original) in BRANCHES.iter().zip(&original) {
            same(&told(&app, key, session, branch).await, original, &format!("{session} {branch}"));
        }
        if session == "s" {
            // The name is in it, and takes of its room.
            let path = format!("{SESSION}/handoff?branch=main");
            let ours = app.call("GET", &path, "").await.with(200);
            assert_eq!(app.call_as(key, "GET", &path, "").await.text, ours.text);
        }
        let copied = branches(key, session).await;
        for (copy, original) in
            copied["items"].as_array().unwrap().iter().zip(tree["items"].as_array().unwrap())
        {
            assert_eq!(copy, original);
        }
        assert_eq!(copied["items"].as_array().unwrap().len(), tree["items"].as_array().unwrap().len());
        let summary = app.call_as(key, "GET", &format!("/v1/sessions/{session}/summary"), "").await.json();
        assert_eq!(summary["imported"], true, "it says that it came from a file");
        assert!(app.call("GET", &format!("{SESSION}/summary"), "").await.json()["imported"].is_null());
    }
    // What is exported of a copy is what was exported of the original.
    let again = export(&app, OURS, "copy").await;
    let lines = |dump: &str| -> Vec<Value> {
        dump.lines().map(|line| without_place(serde_json::from_str(line).unwrap(), "")).collect()
    };
    for (copy, original) in lines(&again).into_iter().zip(lines(&dump)) {
        if original["kind"] != "session" && original["compression"].is_null() {
            assert_eq!(without_names(copy), without_names(original));
        }
    }
    assert_eq!(again.lines().count(), dump.lines().count());
    // Both go on, and come to the same.
    for branch in ["main", "b"] {
        let query = format!("?branch={branch}");
        for session in ["s", "copy"] {
            let body = json!({"messages": work("tester", 4)}).to_string();
            app.call("POST", &format!("/v1/sessions/{session}/messages{query}"), body).await.with(201);
            compress(&app, session, &query).await;
        }
        let next = async |session: &str| {
            let mut next =
                app.call("GET", &format!("/v1/sessions/{session}/summary{query}"), "").await.json();
            next["last_compressed_at"].take();
            without_place(next, session)
        };
        let (original, copy) = (next("s").await, next("copy").await);
        assert_eq!(copy["strategy"], "anchored");
        assert_eq!(copy, original, "{branch}");
    }
    let found =
        app.call("GET", "/v1/sessions/copy/recall?q=quoted+fields&branch=main", "").await.with(200).json();
    assert!(!found["items"].as_array().is_none_or(Vec::is_empty), "the recall index follows: {found}");
}

/// Without the names that an export makes for erased branches, which have the ids of their rows.
fn without_names(mut line: Value) -> Value {
    let text = line.to_string();
    if let Some(at) = text.find("erased-") {
        let name = text[at..at + 19].to_owned();
        line = serde_json::from_str(&text.replace(&name, "erased")).unwrap();
    }
    line
}

#[tokio::test]
async fn a_dump_comes_in_pieces_too() {
    let app = app().await;
    worked(&app).await;
    let dump = export(&app, OURS, "s").await;
    let lines: Vec<&str> = dump.lines().collect();
    let pieces: Vec<String> = lines.chunks(7).map(|lines| lines.join("\n")).collect();
    let (last, first) = pieces.split_last().unwrap();
    for piece in first {
        let headers = [("content-type", "application/x-ndjson")];
        app.call_with("POST", "/v1/sessions/copy/import?partial=true", piece.clone(), &headers)
            .await
            .with(201);
    }
    import(&app, OURS, "copy", last).await.with(201);
    app.work().await;
    for branch in BRANCHES {
        let original = told(&app, OURS, "s", branch).await;
        same(&told(&app, OURS, "copy", branch).await, &original, branch);
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a list of lies")]
async fn a_dump_that_lies_is_refused_at_its_place_and_changes_nothing() {
    let app = app().await;
    worked(&app).await;
    let dump = export(&app, OURS, "s").await;
    let lines: Vec<Value> = dump.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let at = |kind: &str| lines.iter().position(|line| line["kind"] == kind).unwrap();
    let (version, evaluation, compression) = (at("version"), at("evaluation"), at("compression"));
    let (facts, probes, counts, branch, end) =
        (at("facts"), at("probes"), at("counts"), at("branch"), lines.len() - 1);
    let id = "01929f5be2c47c3fb1c4a6d24b4e1a10";
    let cases: Vec<(usize, &str, Value)> = vec![
        (0, "/format_version", Value::Null),
        (0, "/format_version", json!(2)),
        (0, "/notes/0/id", json!(0)),
        (0, "/notes/0/created_at", json!("+200000-01-01T00:00:00Z")),
        (0, "/todos/revision", json!(i64::MAX)),
        (0, "/todos/items/0/content", json!(" ")),
        (version, "/version/meta/version", json!(3)),
        (version, "/version/meta/through_seq", json!(100_000)),
        (version, "/version/meta/through_seq", json!(0)),
        (version, "/version/meta/from_seq", json!(-1)),
        (version, "/version/meta/parent_version", json!(1)),
        (version, "/version/meta/compression_count", json!(-5)),
        (version, "/version/meta/strategy", json!("magic")),
        (version, "/version/head_seq", json!(100_000)),
        (version, "/version/mask_upto", json!(100_000)),
        (version, "/version/mask_from", json!(1_u64 << 40)),
        (version, "/version/carried_seq", json!(100_000)),
        (version, "/version/parts", json!([7])),
        (version, "/version/new_parts", json!([{"id": 7, "entries": {}}])),
        (version, "/version/document", json!({})),
        (version, "/version/carry", json!([])),
        (version, "/version/rendering/text", json!("a\0b")),
        (version, "/version/rendering/tokens", json!(-1)),
        (version, "/version/recap", json!("a\0b")),
        (facts, "/facts/0/seq", json!(100_000)),
        (facts, "/facts/0/value", json!({})),
        (facts, "/facts/0/kind", json!("secret")),
        (probes, "/probes/0/version", json!(100)),
        (probes, "/probes/0/probe", json!({})),
        (probes, "/probes/0/id", json!("x")),
        (evaluation, "/evaluation/version", json!(100)),
        (evaluation, "/evaluation/results", json!([1])),
        (evaluation, "/evaluation/compression_id", json!(format!("ten_{id}"))),
        (compression, "/compression/status", json!("running")),
        (compression, "/compression/kind", json!("index")),
        (compression, "/compression/trigger", json!("a b")),
        (compression, "/compression/report", json!({"cost": {"calls": -1}})),
        (counts, "/counts/mask_upto", json!(100_000)),
        (counts, "/counts/carried", json!(100_000)),
        (counts, "/counts/kept", json!([4, 3])),
        (counts, "/counts/calibration", json!({"reports": [[0, 1]], "taken": 1})),
        (counts, "/counts/last_note", json!(i64::MAX)),
        (branch, "/branch", json!("main")),
        (branch, "/from/branch", json!("none")),
        (branch, "/from/seq", json!(100_000)),
        (branch, "/begun_with/version", json!(4)),
        (end, "/messages", json!(1)),
        (end, "/current", json!("none")),
        (end, "/erased", json!(["c"])),
    ];
    let mut wrong = Vec::new();
    for (line, pointer, value) in cases {
        let mut lied = lines.clone();
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        lied[line].pointer_mut(parent).unwrap()[field] = value.clone();
        let lied: Vec<String> = lied.iter().map(Value::to_string).collect();
        let refused = import(&app, THEIRS, "lied", &lied.join("\n")).await;
        let (status, _, told) = refused.refusal();
        if status != 422 || !told.starts_with(&format!("/{line}{pointer}")) {
            wrong.push(format!("{pointer} {value}: {}", refused.text));
        }
        assert_eq!(app.call_as(THEIRS, "GET", "/v1/sessions/lied", "").await.status, 404, "{pointer}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // A number that no column holds, and lines in another order.
    let large = dump.replacen("\"seq\":1,", "\"seq\":99999999999999999999,", 1);
    assert_eq!(import(&app, THEIRS, "lied", &large).await.refusal().2, "/1/seq");
    let mut moved = lines.clone();
    let early = moved.remove(version);
    moved.insert(1, early);
    let moved: Vec<String> = moved.iter().map(Value::to_string).collect();
    import(&app, THEIRS, "lied", &moved.join("\n")).await.refused_at(422, "/1/version/meta/through_seq");
    let twice = [&lines[..=evaluation], &lines[evaluation..]].concat();
    let twice: Vec<String> = twice.iter().map(Value::to_string).collect();
    import(&app, THEIRS, "lied", &twice.join("\n"))
        .await
        .refused_at(422, &format!("/{}/evaluation/id", evaluation + 1));
    // Lines change no session that no import has begun, or of which it has ended.
    let end = json!({"kind": "end", "messages": 2, "erased": ["b"]}).to_string();
    app.call_as(
        THEIRS,
        "POST",
        "/v1/sessions/own/messages",
        json!({"messages": turns(2, |i| i.to_string())}).to_string(),
    )
    .await
    .with(201);
    for line in
        [lines[counts].to_string(), lines[version].to_string(), lines[branch].to_string(), end.clone()]
    {
        let last = json!({"kind": "end", "messages": 2}).to_string();
        let lines = if line == end { line } else { format!("{line}\n{last}") };
        import(&app, THEIRS, "own", &lines).await.refused_as(409, "conflict");
    }
    // The session is there already.
    assert_eq!(import(&app, OURS, "s", &dump).await.status, 409);
    let named = app.call("GET", &format!("{SESSION}/export?branch=b"), "").await;
    named.refused_at(422, "/branch");
    assert_eq!(app.call_as(THEIRS, "GET", "/v1/sessions/lied", "").await.status, 404);
}

#[tokio::test]
async fn every_column_of_a_session_is_carried_or_left_for_a_reason() {
    // What an export carries, what follows from it, and what stays where it happened.
    const KNOWN: [(&str, &str); 13] = [
        (
            "sessions",
            "id name settings task_id parent_session_id head_seq anchor_seq version last_version compression_count \
          context_revision indexed_seq accounting created_at updated_at recent expires_at revision erased_at user_id root_id \
          branch current_id branch_count dropped_at depth base_id base_seq jump_id jump_seq version_base_id base_version \
          base_anchor_seq index_base_id base_indexed_seq first_digest settings_revision importing",
        ),
        // A pin that is imported was made when it was imported: a context of before then has it not (`pinned_by`).
        ("pins", "session_id position id body created_at"),
        ("notes", "session_id id seq body created_at"),
        // When an entry was dropped decides nothing.
        ("dropped_entries", "session_id entry_id dropped_at"),
        ("todo_lists", "session_id revision items changes version updated_at"),
        ("messages", "session_id seq role format tokens least_tokens shape keep component body created_at"),
        ("tool_outputs", "session_id reference seq ordinal"),
        (
            "summaries",
            "session_id version parent_version compression_id from_seq through_seq meta document carry rendering \
          rendering_tokens smaller_renderings smaller_tokens recap created_at parts digest digest_tokens head_seq mask_upto \
          mask_from carried_seq",
        ),
        ("record_parts", "session_id id entries"),
        ("ledger_entries", "session_id kind first_seq ordinal value"),
        ("probes", "session_id id source version retired_in_version probe created_at is_exam is_critical"),
        ("evaluations", "session_id id version compression_id scores results created_at"),
        // Of one that has ended nobody asks who ran it, or until when.
        (
            "compressions",
            "id session_id kind status trigger request parent_version from_seq through_seq version attempt \
          crashes worker due_at lease_until report created_at started_at finished_at trace_context doubted_at",
        ),
    ];
    // Requests to models, breakers, the recall index, events, deliveries, contexts that were served, kept replies and usage
    // stay: they say what happened there, or are made anew. Metadata is in the settings.
    const STAY: [&str; 14] = [
        "session_metadata", "erasures", "idempotency_keys", "narrative_chunks", "llm_attempts",
        "llm_breakers", "recall_postings", "recall_pending", "recall_embeddings", "recall_vectors", "events",
        "webhook_deliveries", "served_contexts", "usage_by_session",
    ];
    let app = app().await;
    let mut owner = app.database.connect().await;
    let columns = "select table_name::text, string_agg(column_name, ' ' order by ordinal_position)
                   from information_schema.columns c
                   where table_schema = 'public' and column_name <> 'tenant_id'
                     and (table_name in ('sessions', 'narrative_chunks', 'llm_attempts')
                          or exists (select from information_schema.columns x where x.table_schema = 'public'
                                     and x.table_name = c.table_name and x.column_name = 'session_id'))
                   group by table_name";
    for row in sqlx::raw_sql(columns).fetch_all(&mut owner).await.unwrap() {
        let (table, columns): (String, String) = (row.get(0), row.get(1));
        if STAY.contains(&table.as_str()) {
            continue;
        }
        let known = KNOWN.iter().find(|(known, _)| *known == table).map(|(_, columns)| *columns);
        let mut known: Vec<&str> = known.unwrap_or_default().split_whitespace().collect();
        let mut there: Vec<&str> = columns.split(' ').collect();
        known.sort_unstable();
        there.sort_unstable();
        assert_eq!(there, known, "{table}: does an export carry it?");
    }
}
