//! Summary versions over HTTP: read, rendered, compared, rolled back; probes, evaluations and ledger.

use anchord_facts::key::Key;
use anchord_facts::ledger::FileAction;
use anchord_record::parts::Parts;
use anchord_record::summary::{Decision, FileStatus, ModifiedFile, Summary};
use anchord_record::version::VersionMeta;
use anchord_session::compression::Span;
use anchord_session::compression::{Report, Status};
use anchord_store::compressions::{Job, Kind};
use anchord_store::settle::{NewEvaluation, NewVersion, SettleOutcome, Settlement};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::compressions::app_with_session;
use crate::support::app::App;
use crate::support::app::COMPRESS;

fn file(path: &str) -> ModifiedFile {
    ModifiedFile {
        purpose: None,
        path: path.to_owned(),
        action: FileAction::Created,
        renamed_from: None,
        changes: vec!["parse".to_owned()],
        status: FileStatus::Unknown,
        overwrite_possible: false,
        transient: false,
        seqs: vec![2],
        session_id: None,
    }
}

fn record(version: i64) -> Summary {
    Summary {
        session_intent: "Make the parser strict".to_owned(),
        files_modified: (1..=version).map(|n| file(&format!("src/part{n}.rs"))).collect(),
        decisions_made: vec![Decision {
            decision: "use a table".to_owned(),
            rationale: "it is faster".to_owned(),
            alternatives: Vec::new(),
            superseded_by: None,
            seqs: vec![3],
            session_id: None,
            key: Key::default(),
        }],
        ..Summary::default()
    }
}

async fn claim(app: &App) -> Job {
    find_due(app).await.expect("a job")
}

/// Claims what is due; indexing, which every version asks for, is done on the way.
async fn find_due(app: &App) -> Option<Job> {
    loop {
        let job = app.store.claim(7, 60.0, 8, 1).await.expect("a claim").pop()?;
        if job.kind != Kind::Index {
            return Some(job);
        }
        app.store.settle_index(&job, Status::Succeeded, false).await.expect("an end");
    }
}

/// JSON as it is stored.
fn raw(value: &impl serde::Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("JSON")
}

/// Publishes the next version, as a worker would, through `through_seq`.
async fn publish(app: &App, version: i64, through_seq: i64) {
    app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await.with(202);
    let job = claim(app).await;
    let meta: VersionMeta = serde_json::from_value(json!({
        "version": version, "parent_version": (version > 1).then_some(version - 1), "strategy": "anchored",
        "engine": "extractive", "compression_count": version, "last_compressed_at": "2026-01-02T03:04:05.000Z",
        "verifiable": "yes", "from_seq": 1, "through_seq": through_seq, "tokens_before": 1000, "tokens_after": 300,
        "max_tokens": 4000,
        "reduction": 0.7, "probe_score": 1.0, "warnings": []
    }))
    .expect("metadata");
    // Messages may hold NUL, which Postgres takes neither in text nor in `jsonb`.
    let probe = json!({"kind": "artifact", "question": "which\u{0} file?", "expected": [format!("src/part{version}.rs")]});
    let settlement = Settlement {
        status: Status::Succeeded,
        report: Report { probe_score: Some(1.0), reduction: Some(0.97), ..Report::default() },
        version: Some(NewVersion {
            version,
            meta: raw(&meta),
            record: Parts::default().write(&record(version), version).expect("JSON"),
            carry: raw(&json!({"text": "\u{0}"})),
            rendering: ("render\0ing".to_owned(), 3),
            smaller: vec![("\0".to_owned(), 1)],
            digest: None,
            recap: "\0".to_owned(),
            todos: None,
            ledger: vec![
                (
                    "command".into(),
                    through_seq - 1,
                    0,
                    raw(
                        &json!({"command": format!("make {version}"), "exit_code": 0, "failed": false, "seqs": [through_seq - 1]}),
                    ),
                ),
                (
                    "test_run".into(),
                    through_seq,
                    0,
                    raw(
                        &json!({"command": "cargo test", "outcome": "pass", "passed": 3, "failed": 0, "failing": [], "seqs": [through_seq]}),
                    ),
                ),
            ],
        }),
        evaluation: Some(NewEvaluation {
            scores: json!({"score": 1.0, "asked": 1, "failed": 0, "cut": 0, "critical_failed": 0}),
            results: raw(&json!([{"probe": probe, "answer": "src/part1.rs", "verdict": "pass"}])),
            new_probes: vec![raw(&probe)],
            retired: Vec::new(),
        }),
    };
    let span = Span { parent_version: (version > 1).then_some(version - 1), from_seq: 1, through_seq };
    let (settled, _) = app.store.settle_and_index(&job, Some(span), &settlement, None).await.expect("an end");
    assert_eq!(settled, SettleOutcome::As(Status::Succeeded));
}

/// A session with two versions.
pub(crate) async fn app_with_versions() -> App {
    let app = app_with_session(20).await;
    publish(&app, 1, 5).await;
    publish(&app, 2, 10).await;
    app
}

#[tokio::test]
async fn until_the_first_version_the_summary_is_a_problem_of_its_own() {
    let app = app_with_session(2).await;
    assert_eq!(app.call("GET", "/v1/sessions/s/summary", "").await.refusal().1, "no-summary");
    assert_eq!(app.call("GET", "/v1/sessions/none/summary", "").await.refusal().1, "session-not-found");
}

#[tokio::test]
async fn the_summary_is_the_record_or_a_rendering_of_it() {
    let app = app_with_versions().await;
    let document = app.call("GET", "/v1/sessions/s/summary", "").await.json();
    assert_eq!((&document["version"], &document["parent_version"]), (&json!(2), &json!(1)));
    assert_eq!(document["session_intent"], "Make the parser strict");
    for section in [
        "files_read", "errors", "test_results", "blockers", "next_steps", "requests", "things", "constraints",
    ] {
        assert!(document[section].is_array(), "{section} is a forced section");
    }
    let markdown = app.call_with("GET", "/v1/sessions/s/summary", "", &[("accept", "text/markdown")]).await;
    assert_eq!(markdown.headers["content-type"], "text/markdown; charset=utf-8");
    assert!(markdown.text.contains("## Session Intent") && markdown.text.contains("src/part2.rs"));
    for (style, kind, shows) in [
        ("strict", "text/markdown; charset=utf-8", "## "),
        ("protocol", "text/markdown; charset=utf-8", "Session Summary"),
        ("scratch", "text/markdown; charset=utf-8", "Session Summary"),
        ("state", "application/vnd.anchord.session-state+json", "compression_state"),
        ("opaque", "text/plain; charset=utf-8", "S:"),
    ] {
        let reply = app.call("GET", &format!("/v1/sessions/s/summary?style={style}"), "").await;
        assert_eq!(reply.headers["content-type"], kind, "{style}");
        assert!(reply.text.contains(shows), "{style}: {}", reply.text);
    }
    assert_eq!(app.call("GET", "/v1/sessions/s/summary?max_tokens=5", "").await.refusal().2, "/max_tokens");
    assert_eq!(app.call("GET", "/v1/sessions/s/summary?style=haiku", "").await.refusal().2, "/style");
}

#[tokio::test]
async fn versions_are_listed_read_and_compared() {
    let app = app_with_versions().await;
    let history = app.call("GET", "/v1/sessions/s/summaries", "").await.json();
    let versions: Vec<_> = history["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|v| (v["version"].clone(), v["current"].clone()))
        .collect();
    assert_eq!(versions, [(json!(2), json!(true)), (json!(1), json!(false))]);
    assert_eq!(app.call("GET", "/v1/sessions/s/summaries/1", "").await.json()["version"], 1);
    assert_eq!(app.call("GET", "/v1/sessions/s/summaries/3", "").await.refusal().1, "version-not-found");
    let diff = app.call("GET", "/v1/sessions/s/summaries/2/diff", "").await.json();
    assert_eq!((&diff["from"], &diff["to"]), (&json!(1), &json!(2)));
    assert_eq!(diff["sections"][0]["section"], "files_modified");
    assert_eq!(diff["sections"][0]["added"][0]["path"], "src/part2.rs");
    let back = app.call("GET", "/v1/sessions/s/summaries/1/diff?from=2", "").await.json();
    assert_eq!(back["sections"][0]["dropped"][0]["path"], "src/part2.rs");
    let first = app.call("GET", "/v1/sessions/s/summaries/1/diff", "").await.json();
    assert_eq!(first["from"], Value::Null);
    assert_eq!(
        app.call("GET", "/v1/sessions/s/summaries/1/diff?from=9", "").await.refusal().1,
        "version-not-found"
    );
}

#[tokio::test]
async fn a_rollback_is_a_new_version_that_cancels_live_work_and_pauses_automatic_work() {
    let app = app_with_versions().await;
    let live = app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await.json();
    let key = [("idempotency-key", "back")];
    let path = "/v1/sessions/s/summaries/1/rollback";
    let reply = app.call_with("POST", path, "", &key).await.with(201);
    let version = reply.json();
    assert_eq!((&version["version"], &version["parent_version"]), (&json!(3), &json!(2)));
    assert_eq!((version["strategy"].as_str(), &version["compression_count"]), (Some("rollback"), &json!(2)));
    assert_eq!(version["files_modified"].as_array().map(Vec::len), Some(1));
    assert_eq!(reply.headers["location"], "/v1/sessions/s/summaries/3");
    let replayed = app.call_with("POST", path, "", &key).await;
    assert_eq!((replayed.status, &replayed.text), (reply.status, &reply.text));

    assert_eq!(app.call("GET", "/v1/sessions/s/summary", "").await.json()["version"], 3);
    let live = format!("/v1/sessions/s/compressions/{}", live["id"].as_str().expect("an id"));
    assert_eq!(app.call("GET", &live, "").await.json()["status"], "cancelled");
    let name = anchord_messages::id::SessionRef::from(
        anchord_messages::id::SessionName::parse("s").expect("a name"),
    );
    let session = app.store.find_session(app.tenant, &name).await.expect("a look").expect("a session");
    assert_eq!((session.anchor_seq, session.compression_count, session.last_version), (5, 2, 3));
    assert!(session.accounting.suspended);
    assert_eq!(session.accounting.tail_messages, 15);
    let probes = app.call("GET", "/v1/sessions/s/probes", "").await.json();
    let retired: Vec<_> =
        probes["items"].as_array().expect("items").iter().map(|p| p["retired_in_version"].clone()).collect();
    assert_eq!(retired, [Value::Null, json!(3)], "what version 2 asked is not summarised any more");
    assert_eq!(
        app.call("POST", "/v1/sessions/s/summaries/9/rollback", "").await.refusal().1,
        "version-not-found"
    );

    app.call("POST", "/v1/sessions/s/summaries/2/rollback", "").await;
    let probes = app.call("GET", "/v1/sessions/s/probes", "").await.json();
    assert!(
        probes["items"].as_array().expect("items").iter().all(|p| p["retired_in_version"].is_null()),
        "{probes}"
    );
}

#[tokio::test]
async fn red_flags_are_shown_with_a_compression() {
    let app = app_with_versions().await;
    let newest = &app.call("GET", "/v1/sessions/s/compressions", "").await.json()["items"][0];
    assert_eq!(newest["status"], "succeeded");
    assert_eq!(newest["flags"][0]["metric"], "span_compression");
    assert_eq!(newest["flags"][0]["level"], "advisory");
}

#[tokio::test]
async fn the_ledger_holds_the_record_the_rows_and_the_tail() {
    let app = app_with_versions().await;
    let tail = json!({"messages": [
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function":
            {"name": "Write", "arguments": "{\"file_path\": \"/repo/src/late.rs\", \"content\": \"fn late() {}\"}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "File created successfully"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c2", "type": "function", "function":
            {"name": "Bash", "arguments": "{\"command\": \"ls -l\"}"}}]},
        {"role": "tool", "tool_call_id": "c2", "content": "total 0"}
    ]});
    assert_eq!(app.call("POST", "/v1/sessions/s/messages", tail.to_string()).await.status, 201);
    let ledger = app.call("GET", "/v1/sessions/s/ledger", "").await.json();
    let items = ledger["items"].as_array().expect("items").clone();
    assert_eq!(ledger["through_seq"], 24);
    let of = |kind: &str| items.iter().filter(|item| item["kind"] == kind).cloned().collect::<Vec<_>>();
    let paths: Vec<_> = of("file").iter().map(|item| item["path"].to_string()).collect();
    assert!(
        paths.iter().any(|path| path.contains("late.rs"))
            && paths.iter().any(|path| path.contains("part1.rs")),
        "{paths:?}"
    );
    let commands: Vec<_> = of("command").iter().map(|item| item["command"].clone()).collect();
    assert_eq!(commands, ["make 1", "make 2", "ls -l"]);
    assert_eq!(of("test_run").len(), 2, "every run, not only the latest");

    let only = app.call("GET", "/v1/sessions/s/ledger?kind=test_run", "").await.json();
    assert_eq!(only["items"], json!(of("test_run")));
    let mut paged = Vec::new();
    let mut path = "/v1/sessions/s/ledger?limit=1".to_owned();
    loop {
        let page = app.call("GET", &path, "").await.json();
        paged.extend(page["items"].as_array().expect("items").clone());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/sessions/s/ledger?limit=1&cursor={cursor}");
    }
    assert_eq!(paged, items, "pages of one are the list");

    app.call("POST", "/v1/sessions/s/summaries/1/rollback", "").await;
    let commands = app.call("GET", "/v1/sessions/s/ledger?kind=command", "").await.json();
    let commands: Vec<_> =
        commands["items"].as_array().expect("items").iter().map(|c| c["command"].clone()).collect();
    assert_eq!(commands, ["make 1", "ls -l"], "rows beyond the anchor are read from the messages again");
}

#[tokio::test]
async fn a_caller_adds_probes_of_its_own() {
    let app = app_with_versions().await;
    let body = json!({"kind": "recall", "question": "Which port?", "expected": ["8443"], "match": {"kind": "ratio", "ratio": 0.5}, "critical": true});
    let probe = app.call("POST", "/v1/sessions/s/probes", body.to_string()).await.with(201).json();
    assert_eq!((probe["source"].as_str(), probe["critical"].as_bool()), (Some("caller"), Some(true)));
    let listed = app.call("GET", "/v1/sessions/s/probes", "").await.json();
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(3));
    assert_eq!(listed["items"][2], probe);
    for (change, pointer) in [
        (json!({"question": " "}), "/question"),
        (json!({"expected": []}), "/expected"),
        (json!({"expected": ["x", ""]}), "/expected/1"),
        (json!({"match": {"kind": "ratio", "ratio": 2.0}}), "/match/ratio"),
        (json!({"match": {"kind": "ratio"}}), "/match/ratio"),
        (json!({"match": {"kind": "all", "ratio": 0.5}}), "/match/ratio"),
        (json!({"match": "all"}), "/match"),
        (json!({"kind": "riddle"}), "/kind"),
    ] {
        let mut wrong = body.clone();
        for (name, value) in change.as_object().expect("an object") {
            wrong[name] = value.clone();
        }
        assert_eq!(
            app.call("POST", "/v1/sessions/s/probes", wrong.to_string()).await.refusal().2,
            pointer,
            "{wrong}"
        );
    }
}

#[tokio::test]
async fn a_caller_changes_and_removes_its_own_probes_alone() {
    let app = app_with_versions().await;
    let path = "/v1/sessions/s/probes";
    let body = json!({"kind": "recall", "question": "Which port?", "expected": ["8443"], "match": {"kind": "any"},
                      "exact": true, "critical": true});
    let made = app.call("POST", path, body.to_string()).await.json();
    let own = format!("{path}/{}", made["id"].as_str().expect("an id"));
    let change = json!({"expected": ["9443"], "critical": false, "match": null});
    let changed = app.call("PATCH", &own, change.to_string()).await.with(200);
    let mut expected = made;
    expected["expected"] = json!(["9443"]);
    expected["critical"] = json!(false);
    expected["match"] = json!({"kind": "all"});
    assert_eq!(changed.json(), expected);
    let listed = app.call("GET", path, "").await.json();
    assert_eq!(listed["items"][2], expected);
    let wrong = app.call("PATCH", &own, r#"{"expected": []}"#).await.refusal();
    assert_eq!((wrong.0, wrong.2.as_str()), (422, "/expected"));

    let generated = format!("{path}/{}", listed["items"][0]["id"].as_str().expect("an id"));
    for (method, body) in [("PATCH", r#"{"critical": false}"#), ("DELETE", "")] {
        app.call(method, &generated, body).await.refused_as(409, "conflict");
        let elsewhere = own.replace("/s/", "/none/");
        assert_eq!(app.call(method, &elsewhere, body).await.refusal().1, "session-not-found");
    }
    assert_eq!(app.call("DELETE", &own, "").await.status, 204);
    assert_eq!(app.call("DELETE", &own, "").await.refusal().1, "probe-not-found");
    assert_eq!(app.call("GET", path, "").await.json()["items"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn evaluations_are_listed_read_and_asked_for() {
    let app = app_with_versions().await;
    let listed = app.call("GET", "/v1/sessions/s/evaluations", "").await.json();
    let newest = &listed["items"][0];
    assert_eq!((&newest["version"], &newest["score"], &newest["asked"]), (&json!(2), &json!(1.0), &json!(1)));
    let one = format!("/v1/sessions/s/evaluations/{}", newest["id"].as_str().expect("an id"));
    assert_eq!(app.call("GET", &one, "").await.json()["results"][0]["verdict"], "pass");
    let unknown = "/v1/sessions/s/evaluations/evl_00000000000000000000000000000007";
    assert_eq!(app.call("GET", unknown, "").await.refusal().1, "evaluation-not-found");

    assert_eq!(
        app.call("POST", "/v1/sessions/s/evaluations", r#"{"version": 9}"#).await.refusal().1,
        "version-not-found"
    );
    let waits =
        app.call_with("POST", "/v1/sessions/s/evaluations", r#"{"version": 1}"#, &[("prefer", "wait=30")]);
    let works = async {
        let job = loop {
            if let Some(job) = find_due(&app).await {
                break job;
            }
            tokio::task::yield_now().await;
        };
        let evaluation = NewEvaluation {
            scores: json!({"score": null, "asked": 0}),
            results: raw(&json!([])),
            new_probes: Vec::new(),
            retired: Vec::new(),
        };
        let version = job.request.version;
        app.store.settle_evaluation(&job, version, &Report::default(), Ok(evaluation)).await.expect("an end");
    };
    let (reply, ()) = tokio::join!(waits, works);
    assert_eq!((reply.status.as_u16(), &reply.json()["version"]), (200, &json!(1)), "{}", reply.text);
    let location = reply.headers["location"].to_str().expect("text").to_owned();
    assert_eq!(app.call("GET", &location, "").await.json(), reply.json());
}
