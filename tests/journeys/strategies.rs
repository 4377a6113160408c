//! The four strategies over HTTP: what each one keeps, and switching between strategies in one session.

use serde_json::{Value, json};

use crate::support::app::compress_all;
use crate::support::app::{App, app};
use crate::support::talks::called;
use crate::support::validity;

const SESSION: &str = "/v1/sessions/s";
const COMPRESSIONS: &str = "/v1/sessions/s/compressions";
const STRATEGIES: [&str; 4] = ["anchored", "regenerative", "opaque", "sliding_window"];

/// A stretch of work of about sixty messages: a demand, files, an error, a failing test, a choice.
fn stretch(number: usize) -> Vec<Value> {
    let mut all = vec![json!({"role": "user", "content": format!(
        "Port stage {number} of the parser to the new tables. You must never touch table_{number}.sql while you do it."
    )})];
    for i in 0..14 {
        let path = format!("/work/src/stage{number}/part_{i}.rs");
        let arguments = json!({"file_path": path, "content": format!("fn part_{i}() {{}}\n").repeat(12)});
        all.extend(called(
            &format!("w{number}_{i}"),
            "Write",
            &arguments,
            &format!("File created successfully at: {path}"),
        ));
        all.push(json!({"role": "assistant", "content": format!("Part {i} of stage {number} is written, on to the next one.")}));
        all.push(json!({"role": "user", "content": "go on"}));
    }
    let output = format!(
        "{}\nerror[E0{number:03}]: mismatched types in stage {number}\n --> src/stage{number}/part_1.rs:3:5\ntest result: FAILED. 3 passed; 1 failed",
        "   Compiling parser v0.1.0\n".repeat(60)
    );
    let run = json!({"command": format!("cargo test stage_{number}")});
    all.extend(called(&format!("t{number}"), "Bash", &run, &output));
    all.push(json!({"role": "assistant", "content": format!(
        "I decided to keep stage {number} table driven because it is simpler to test. Next, I will fix the mismatched types."
    )}));
    all
}

async fn append(app: &App, messages: &[Value]) {
    let reply =
        app.call("POST", &format!("{SESSION}/messages"), json!({"messages": messages}).to_string()).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
}

/// An API with a session of some stretches that compresses only when it is told to.
async fn app_with_stretches(stretches: usize) -> App {
    let app = app().await;
    assert_eq!(app.call("PUT", SESSION, r#"{"auto": false}"#).await.status, 201);
    for number in 1..=stretches {
        append(&app, &stretch(number)).await;
    }
    app
}

/// Asks for a compression, does it, and gives what came of it.
async fn compress(app: &App, request: Value) -> Value {
    let reply = app.call("POST", COMPRESSIONS, compress_all(&request.to_string())).await;
    // At once when there is nothing to cover.
    assert!(reply.status.is_success(), "{}", reply.text);
    let path = reply.headers["location"].to_str().expect("text").to_owned();
    app.work().await;
    app.call("GET", &path, "").await.json()
}

/// The text of the message that serves the digest.
async fn digest(app: &App) -> String {
    let context = context(app).await;
    let texts =
        context["messages"].as_array().expect("messages").iter().filter_map(|m| m["content"].as_str());
    texts.filter(|text| text.starts_with("[Digest")).collect()
}

async fn context(app: &App) -> Value {
    app.call("GET", &format!("{SESSION}/context"), "").await.with(200).json()
}

/// The served text of the summary.
fn summary_text(context: &Value) -> String {
    let at = context["sources"].as_array().expect("sources").iter().position(Value::is_null);
    context["messages"][at.expect("a summary")]["content"].as_str().expect("text").to_owned()
}

fn outcomes(compression: &Value) -> Vec<&str> {
    let gate = compression["gate"].as_array().expect("the gate's record");
    gate.iter().map(|record| record["outcome"].as_str().expect("an outcome")).collect()
}

/// Everything that the session was told, as it was sent.
async fn originals(app: &App) -> Vec<Value> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = app.call("GET", &format!("{SESSION}/messages?limit=500{cursor}"), "").await.json();
        all.extend(page["items"].as_array().expect("messages").iter().map(|item| item["message"].clone()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

fn assert_valid(context: &Value) {
    assert_eq!(validity::problems(context), Vec::<String>::new(), "{context:#}");
}

#[tokio::test]
async fn a_sliding_window_keeps_twenty_messages_and_the_ledger_without_a_narrative() {
    let app = app_with_stretches(2).await;
    let done = compress(&app, json!({"strategy": "sliding_window"})).await;
    assert_eq!(
        (done["status"].as_str(), done["verifiable"].as_str()),
        (Some("succeeded"), Some("yes")),
        "{done:#}"
    );
    assert_eq!(
        (outcomes(&done).last(), done["strategy_used"].as_str()),
        (Some(&"accept"), Some("sliding_window"))
    );
    let summary = app.call("GET", &format!("{SESSION}/summary"), "").await.json();
    assert_eq!(summary["strategy"], "sliding_window");
    assert_eq!((&summary["decisions_made"], &summary["next_steps"]), (&json!([]), &json!([])));
    assert!(summary["session_intent"].as_str().is_some_and(|text| text.contains("stage 2")), "{summary:#}");
    let context = context(&app).await;
    assert_valid(&context);
    let head = context["head_seq"].as_i64().expect("a number");
    let kept = head - context["anchor_seq"].as_i64().expect("a number");
    assert!((20..=23).contains(&kept), "{kept} messages are kept, in whole groups");
    assert!(summary_text(&context).contains("stage1"), "{}", summary_text(&context));
    let fewer = app_with_stretches(0).await;
    append(&fewer, &stretch(1)[..15]).await;
    let skipped = compress(&fewer, json!({"strategy": "sliding_window"})).await;
    assert_eq!(
        (skipped["status"].as_str(), &skipped["error"]["type"]),
        (Some("skipped"), &json!("too_few_messages"))
    );
    let asked = compress(&fewer, json!({"strategy": "sliding_window", "preserve_recent": 4})).await;
    assert_eq!(asked["from_seq"], 1, "{asked:#}");
}

#[tokio::test]
async fn a_session_may_slide_by_its_settings() {
    let app = app_with_stretches(2).await;
    app.call("PATCH", SESSION, r#"{"strategy": "sliding_window"}"#).await;
    let done = compress(&app, json!({})).await;
    assert_eq!(
        (done["status"].as_str(), done["strategy"].as_str()),
        (Some("succeeded"), Some("sliding_window"))
    );
    app.call("PATCH", SESSION, r#"{"strategy": "anchored"}"#).await;
    let path = format!("{COMPRESSIONS}/{}", done["id"].as_str().expect("an id"));
    assert_eq!(app.call("GET", &path, "").await.json()["strategy"], "sliding_window", "what was used stands");
}

#[tokio::test]
async fn an_opaque_version_is_small_says_that_nothing_verified_it_and_keeps_the_whole_record() {
    let app = app_with_stretches(3).await;
    let done = compress(&app, json!({"strategy": "opaque"})).await;
    assert_eq!(
        (done["status"].as_str(), done["verifiable"].as_str()),
        (Some("succeeded"), Some("no")),
        "{done:#}"
    );
    // At most 500 tokens of text, and the frame of its message.
    assert!(done["tokens_after"].as_u64().is_some_and(|tokens| tokens <= 580), "{done:#}");
    assert!(done["probes_asked"].as_u64().is_some_and(|asked| asked > 0), "it is scored, and not judged");
    assert!(done["warnings"].to_string().contains("not verified"));
    let served = context(&app).await;
    assert_valid(&served);
    let text = summary_text(&served);
    assert!(text.contains("not verified") && text.contains("S:") && text.contains("|F:"), "{text}");
    let summary = app.call("GET", &format!("{SESSION}/summary"), "").await.json();
    assert_eq!(summary["verifiable"], "no");
    assert_eq!(summary["files_modified"].as_array().map(Vec::len), Some(42), "the record is whole");
    let markdown = app.call("GET", &format!("{SESSION}/summary?style=anchored"), "").await.text;
    assert!(markdown.contains("not verified"), "{markdown}");
    let history = app.call("GET", &format!("{SESSION}/summaries"), "").await.json();
    assert_eq!(history["items"][0]["verifiable"], "no");

    // An evaluation asks what contexts serve, and a dropped constraint leaves a dense line a dense line.
    let asked = app.call("POST", &format!("{SESSION}/evaluations"), "{}").await;
    app.work().await;
    let evaluation = app.call("GET", asked.headers["location"].to_str().expect("text"), "").await.json();
    assert_eq!(evaluation["probes_failed"], done["probes_failed"], "{evaluation:#}");
    let constraint = summary["constraints"][0]["id"].as_str().expect("a constraint");
    assert_eq!(app.call("DELETE", &format!("{SESSION}/constraints/{constraint}"), "").await.status, 204);
    assert!(summary_text(&context(&app).await).contains("|F:"));
}

#[tokio::test]
async fn critical_sessions_refuse_what_cannot_be_verified_at_every_door() {
    let app = app_with_stretches(2).await;
    compress(&app, json!({"strategy": "opaque"})).await;
    compress(&app, json!({"strategy": "anchored", "preserve_recent": 2})).await;
    app.call("PATCH", SESSION, r#"{"strategy": "opaque"}"#).await.with(200);
    assert_eq!(
        app.call("PATCH", SESSION, r#"{"critical": true}"#).await.refusal().2,
        "/critical",
        "it was sent"
    );
    // Asked for before, run after.
    append(&app, &stretch(3)).await;
    let queued = app.call("POST", COMPRESSIONS, compress_all(r#"{"strategy": "opaque"}"#)).await;
    assert_eq!(app.call("PATCH", SESSION, r#"{"critical": true, "strategy": null}"#).await.status, 200);
    app.work().await;
    let ended = app.call("GET", queued.headers["location"].to_str().expect("text"), "").await.json();
    assert_eq!(
        (ended["status"].as_str(), &ended["error"]["type"]),
        (Some("rejected"), &json!("critical-session"))
    );
    let asked = app.call("POST", COMPRESSIONS, r#"{"strategy": "opaque"}"#).await;
    assert_eq!(asked.refusal(), (422, "refused".to_owned(), "/strategy".to_owned()));
    assert_eq!(app.call("PATCH", SESSION, r#"{"strategy": "opaque"}"#).await.refusal().2, "/strategy");
    app.call("POST", &format!("{SESSION}/summaries/1/rollback"), "").await.refused_at(422, "/version");
    app.call("PATCH", SESSION, r#"{"critical": false}"#).await;
    let back = app.call("POST", &format!("{SESSION}/summaries/1/rollback"), "").await;
    assert_eq!(
        (back.status.as_u16(), back.json()["verifiable"].as_str()),
        (201, Some("no")),
        "{}",
        back.text
    );
}

#[tokio::test]
async fn a_regenerative_version_reads_the_whole_history_and_loses_nothing_of_the_record() {
    let app = app_with_stretches(2).await;
    compress(&app, json!({})).await;
    let pins = json!({"pins": ["Never push to main."]});
    app.call("PUT", &format!("{SESSION}/pins"), pins.to_string()).await.with(200);
    append(&app, &stretch(3)).await;
    let done = compress(&app, json!({"strategy": "regenerative"})).await;
    assert_eq!(
        (done["status"].as_str(), done["verifiable"].as_str()),
        (Some("succeeded"), Some("partly")),
        "{done:#}"
    );
    assert_eq!((&done["from_seq"], &done["version"]), (&json!(1), &json!(2)));
    assert_eq!(done["critical_failed"], 0, "probes of earlier spans are asked again");
    let summary = app.call("GET", &format!("{SESSION}/summary"), "").await.json();
    assert_eq!((&summary["parent_version"], &summary["from_seq"]), (&json!(1), &json!(1)));
    assert_eq!(summary["files_modified"].as_array().map(Vec::len), Some(42));
    let constraints = summary["constraints"].to_string();
    for text in ["Never push to main.", "table_1.sql", "table_2.sql", "table_3.sql"] {
        assert!(constraints.contains(text), "{text} is missing: {constraints}");
    }
    let diff = app.call("GET", &format!("{SESSION}/summaries/2/diff"), "").await.json();
    assert_eq!(
        (&diff["from"], diff["files_modified"]["dropped"].as_array().map_or(0, Vec::len)),
        (&json!(1), 0),
        "{diff:#}"
    );
    // The parts of the ledger that stand apart are there once.
    let runs = app.call("GET", &format!("{SESSION}/ledger?kind=test_run"), "").await.json();
    assert_eq!(runs["items"].as_array().map(Vec::len), Some(3), "{runs:#}");
    assert_valid(&context(&app).await);
}

#[tokio::test]
async fn a_request_that_was_closed_stays_closed_until_a_person_asks_again() {
    let app = app_with_stretches(1).await;
    compress(&app, json!({})).await;
    let requests = async || app.call("GET", &format!("{SESSION}/ledger?kind=request"), "").await.json();
    let of_stage = |all: &Value| {
        let items = all["items"].as_array().expect("requests").clone();
        let found =
            items.into_iter().find(|one| one["text"].as_str().is_some_and(|text| text.contains("stage 1")));
        found.expect("the request")
    };
    let asked = of_stage(&requests().await);
    assert_eq!(asked["state"], "open", "{asked}");
    let path = format!("{SESSION}/requests/{}", asked["id"].as_str().expect("an id"));
    let before = context(&app).await["context_revision"].as_i64();
    for _ in 0..2 {
        app.call("DELETE", &path, "").await.with(204);
    }
    app.call("DELETE", &format!("{SESSION}/requests/req_1_0000000000000000"), "").await.with(404);
    // At once in the ledger and in what contexts show; the version's record stays as it is.
    assert_eq!(of_stage(&requests().await)["state"], "dropped");
    let served = context(&app).await;
    assert!(served["messages"].to_string().contains("[dropped] Port stage 1"), "{served:#}");
    assert!(served["context_revision"].as_i64() > before);
    let summary = async || app.call("GET", &format!("{SESSION}/summary"), "").await.json();
    assert_eq!(summary().await["requests"][0]["state"], "open");

    append(&app, &stretch(2)).await;
    for strategy in ["anchored", "regenerative"] {
        compress(&app, json!({"strategy": strategy})).await;
        let record = summary().await;
        let state = record["requests"]
            .as_array()
            .expect("requests")
            .iter()
            .find(|one| one["text"].to_string().contains("stage 1"));
        assert_eq!(state.map(|one| &one["state"]), Some(&json!("dropped")), "{strategy}: {record:#}");
        let intent = record["session_intent"].as_str().expect("a text");
        assert!(intent.contains("stage 2") && !intent.contains("stage 1"), "{strategy}: {intent}");
    }
    let again = json!({"role": "user", "content": asked["text"]});
    append(&app, &[again, json!({"role": "assistant", "content": "I port it."})]).await;
    assert_eq!(of_stage(&requests().await)["state"], "open");
}

#[tokio::test]
async fn a_constraint_that_was_dropped_stays_dropped_when_all_is_read_afresh() {
    let app = app_with_stretches(1).await;
    compress(&app, json!({})).await;
    let summary = app.call("GET", &format!("{SESSION}/summary"), "").await.json();
    let held = summary["constraints"].as_array().expect("constraints").iter();
    let dropped =
        held.clone().find(|c| c["text"].as_str().is_some_and(|t| t.contains("table_1"))).expect("a demand");
    let path = format!("{SESSION}/constraints/{}", dropped["id"].as_str().expect("an id"));
    assert_eq!(app.call("DELETE", &path, "").await.status, 204);
    let digest = digest(&app).await;
    assert!(digest.contains("stage 1") && !digest.contains("table_1.sql"), "{digest}");
    append(&app, &stretch(2)).await;
    let done = compress(&app, json!({"strategy": "regenerative"})).await;
    assert_eq!(
        (done["status"].as_str(), outcomes(&done).last()),
        (Some("succeeded"), Some(&"accept")),
        "{done:#}"
    );
    let constraints =
        app.call("GET", &format!("{SESSION}/summary"), "").await.json()["constraints"].to_string();
    assert!(!constraints.contains("table_1") && constraints.contains("table_2"), "{constraints}");
    assert!(!self::digest(&app).await.contains("table_1.sql"));
}

#[tokio::test]
async fn a_demand_is_only_proposed_where_the_session_says_so_and_binds_when_it_is_pinned() {
    let app = app_with_stretches(0).await;
    app.call("PATCH", SESSION, r#"{"constraints": "propose"}"#).await.with(200);
    append(&app, &stretch(1)).await;
    let listed = async || {
        let all = app.call("GET", &format!("{SESSION}/ledger?kind=constraint"), "").await.json();
        let items = all["items"].as_array().expect("items").clone();
        items.into_iter().filter(|item| item["text"].as_str().is_some_and(|text| text.contains("table_1")))
    };
    let proposed: Vec<Value> = listed().await.collect();
    assert_eq!((proposed.len(), &proposed[0]["proposed"]), (1, &json!(true)), "before a compression");
    compress(&app, json!({})).await;
    let summary = app.call("GET", &format!("{SESSION}/summary"), "").await.json();
    assert!(!summary["constraints"].to_string().contains("table_1"), "{summary:#}");
    assert!(summary["proposed_constraints"].to_string().contains("table_1"), "{summary:#}");
    let served = summary_text(&context(&app).await);
    let section =
        served.split_once("Constraints").map_or("", |(_, rest)| rest.split("\n#").next().unwrap_or(rest));
    assert!(!section.contains("table_1"), "{served}");

    let text = proposed[0]["text"].as_str().expect("a text");
    let pins = json!({"pins": [text]});
    app.call("PUT", &format!("{SESSION}/pins"), pins.to_string()).await.with(200);
    let sources: Vec<Value> = listed().await.collect();
    assert_eq!(sources.len(), 1, "{sources:#?}");
    assert_eq!((&sources[0]["source"], &sources[0]["proposed"]), (&json!("pin"), &Value::Null));
    let refused = app.call("PUT", SESSION, r#"{"constraints": "maybe"}"#).await;
    assert_eq!(refused.refusal().2, "/constraints");
}

#[tokio::test]
async fn a_long_session_goes_through_all_strategies_and_loses_nothing() {
    let app = app_with_stretches(0).await;
    let mut sent = Vec::new();
    for round in 0..8_usize {
        let messages = stretch(round + 1);
        append(&app, &messages).await;
        sent.extend(messages);
        let strategy = STRATEGIES[round % STRATEGIES.len()];
        let before = app.call("GET", SESSION, "").await.json()["usage"]["context_tokens"].as_u64();
        let done = compress(&app, json!({"strategy": strategy})).await;
        assert_eq!(done["status"].as_str(), Some("succeeded"), "{strategy}: {done:#}");
        let after = app.call("GET", SESSION, "").await.json()["usage"]["context_tokens"].as_u64();
        assert!(after < before, "{strategy}: {before:?} to {after:?}");
        assert_eq!(after, done["context_tokens_after"].as_u64(), "{strategy}");
        if strategy != "opaque" {
            assert_eq!(done["critical_failed"], 0, "{strategy}: {done:#}");
        }
        for format in ["openai-chat", "anthropic", "openai-responses"] {
            for budget in ["", "&max_input_tokens=3000"] {
                let path = format!("{SESSION}/context?format={format}{budget}");
                let reply = app.call("GET", &path, "").await;
                assert_eq!(reply.status, 200, "{strategy} {format}: {}", reply.text);
                assert_valid(&reply.json());
            }
        }
        let summary = app.call("GET", &format!("{SESSION}/summary"), "").await.json();
        let files = summary["files_modified"].to_string();
        let anchor = summary["through_seq"].as_i64().expect("a number");
        // Whatever lies before the anchor is in the record, whichever strategy put it there.
        for number in 1..=round {
            for i in 0..14 {
                assert!(
                    files.contains(&format!("stage{number}/part_{i}.rs")),
                    "{strategy} lost {number}/{i} before {anchor}"
                );
            }
            let demand = format!("table_{number}.sql");
            assert!(summary["constraints"].to_string().contains(&demand), "{strategy} lost {demand}");
        }
        assert_eq!(summary["compression_count"], json!(round + 1));
    }
    assert_eq!(originals(&app).await, sent, "originals are untouched");
    // Any of them can be made current again, and the next compression goes on from there.
    for version in 1..=4 {
        app.call("POST", &format!("{SESSION}/summaries/{version}/rollback"), "").await.with(201);
        assert_valid(&context(&app).await);
    }
    let done = compress(&app, json!({"strategy": "regenerative"})).await;
    assert_eq!((done["status"].as_str(), &done["from_seq"]), (Some("succeeded"), &json!(1)), "{done:#}");
    let summary = app.call("GET", &format!("{SESSION}/summary"), "").await.json();
    assert_eq!(summary["files_modified"].as_array().map(Vec::len), Some(112));
}
