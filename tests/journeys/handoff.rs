//! Several agents at one task: what they hand off, and what comes back.

use anchord_messages::id::{SessionName, SessionRef};
use anchord_runtime::clock::Clock;
use anchord_store::merges::{Merge, MergeRequest};
use serde_json::{Value, json};

use crate::support::app::COMPRESS;
use crate::support::app::{App, THEIRS, app};

fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]})
}

fn result(id: &str, text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]})
}

/// A session that writes a file, decides something, and has enough talk to be compressed.
async fn work_on(app: &App, session: &str, parent: Option<&str>, (task, file, decision): (&str, &str, &str)) {
    let settings =
        json!({"context_window": 12_000, "auto": false, "task_id": "shop", "parent_session_id": parent});
    app.call("PUT", &format!("/v1/sessions/{session}"), settings.to_string()).await;
    grow(app, session, (task, file, decision)).await;
}

async fn grow(app: &App, session: &str, (task, file, decision): (&str, &str, &str)) {
    let mut messages = vec![
        json!({"role": "user", "content": task}),
        json!({"role": "assistant", "content": [{"type": "text", "text": decision},
            {"type": "tool_use", "id": format!("w-{file}"), "name": "Write",
             "input": {"file_path": file, "content": "pub fn run() {}\n"}}]}),
        result(&format!("w-{file}"), "File created successfully"),
    ];
    for i in 0..14 {
        let id = format!("r-{file}-{i}");
        messages.push(call(&id, "Bash", &json!({"command": format!("echo step {i}")})));
        messages.push(result(&id, &format!("step {i} {}", "of the long way ".repeat(30))));
    }
    messages.push(json!({"role": "assistant", "content": format!("{file} is written and holds run().")}));
    let body = json!({"format": "anthropic", "messages": messages}).to_string();
    let reply = app.call("POST", &format!("/v1/sessions/{session}/messages"), body).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
}

async fn compress(app: &App, session: &str) {
    let reply = app.call("POST", &format!("/v1/sessions/{session}/compressions"), COMPRESS).await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    app.work().await;
    let id = reply.json()["id"].as_str().unwrap().to_owned();
    let ended = app.call("GET", &format!("/v1/sessions/{session}/compressions/{id}"), "").await.json();
    assert_eq!(ended["status"], "succeeded", "{ended}");
}

async fn summary(app: &App, session: &str) -> Value {
    app.call("GET", &format!("/v1/sessions/{session}/summary"), "").await.json()
}

fn file<'a>(summary: &'a Value, path: &str) -> &'a Value {
    let files = summary["files_modified"].as_array().unwrap();
    files.iter().find(|file| file["path"].as_str().unwrap().ends_with(path)).unwrap_or(&Value::Null)
}

async fn merge(app: &App, parent: &str, child: &str) -> (u16, Value) {
    let body = json!({"session_id": child}).to_string();
    let reply = app.call("POST", &format!("/v1/sessions/{parent}/merge"), body).await;
    (reply.status.as_u16(), reply.json())
}

const PARENT: (&str, &str, &str) = (
    "Build the shop for the summer sale.",
    "src/shop.rs",
    "I decided to use Postgres because orders need transactions.",
);
const CHILD: (&str, &str, &str) =
    ("Write the cart of the shop.", "src/cart.rs", "I decided to keep prices in cents because floats round.");
const GRANDCHILD: (&str, &str, &str) = (
    "Write the tax table of the cart.",
    "src/tax.rs",
    "I decided to use a table because rates change by law.",
);

#[tokio::test]
async fn a_chain_of_three_agents_hands_down_and_merges_back() {
    let app = app().await;
    let fresh = app.call("GET", "/v1/tasks/shop/handoff", "").await;
    assert_eq!((fresh.status.as_u16(), fresh.text.as_str()), (204, ""));
    work_on(&app, "parent", None, PARENT).await;
    assert_eq!(app.call("GET", "/v1/sessions/parent/handoff", "").await.status, 204);
    compress(&app, "parent").await;

    for level in [500, 1500, 3000] {
        let down = app.call("GET", &format!("/v1/sessions/parent/handoff?level={level}"), "").await.json();
        let text = down["markdown"].as_str().unwrap();
        assert!(down["tokens"].as_u64().unwrap() <= level, "{down}");
        assert!(text.contains("src/shop.rs") && text.contains("summer sale"), "{text}");
        assert!(text.lines().all(|line| !line.starts_with("## ")), "{text}");
        assert_eq!(text.contains("### Digest of session parent\n\n[Digest of"), level > 500, "{text}");
    }
    let short = app.call("GET", "/v1/sessions/parent/handoff?words=100", "").await.json();
    let short = short["markdown"].as_str().unwrap();
    assert!(short.split_whitespace().count() <= 100 && short.contains("summer sale"), "{short}");
    work_on(&app, "child", Some("parent"), CHILD).await;
    compress(&app, "child").await;
    work_on(&app, "grandchild", Some("child"), GRANDCHILD).await;
    compress(&app, "grandchild").await;

    let task = app.call("GET", "/v1/tasks/shop/handoff?level=3000", "").await.json();
    let text = task["markdown"].as_str().unwrap();
    for fact in ["src/shop.rs", "src/cart.rs", "src/tax.rs", "session child"] {
        assert!(text.contains(fact), "{fact}: {text}");
    }
    assert_eq!(task["sessions"].as_array().unwrap().len(), 3);

    let (status, up) = merge(&app, "child", "grandchild").await;
    assert_eq!((status, &up["merged"], &up["version"]), (201, &json!(true), &json!(2)));
    let (status, up) = merge(&app, "parent", "child").await;
    assert_eq!((status, &up["version"]), (201, &json!(2)));
    let (status, again) = merge(&app, "parent", "child").await;
    assert_eq!((status, &again["merged"], &again["version"]), (200, &json!(false), &json!(2)));

    let merged = summary(&app, "parent").await;
    assert!(merged["session_intent"].as_str().unwrap().contains("summer sale"));
    assert_eq!((&merged["strategy"], &merged["compression_count"]), (&json!("anchored"), &json!(1)));
    assert_eq!(file(&merged, "src/cart.rs")["session_id"], "child");
    assert_eq!(file(&merged, "src/tax.rs")["session_id"], "grandchild");
    assert_eq!(file(&merged, "src/shop.rs")["session_id"], Value::Null);
    let origins: Vec<&str> =
        merged["things"].as_array().unwrap().iter().filter_map(|d| d["session_id"].as_str()).collect();
    assert!(origins.contains(&"child") && origins.contains(&"grandchild"), "{merged}");
    let context = app.call("GET", "/v1/sessions/parent/context", "").await;
    assert!(context.text.contains("src/tax.rs"), "{}", context.text);

    grow(
        &app,
        "parent",
        ("Now the checkout, please.", "src/checkout.rs", "I decided to use one page because it is faster."),
    )
    .await;
    compress(&app, "parent").await;
    let later = summary(&app, "parent").await;
    assert_eq!((&later["version"], &later["parent_version"]), (&json!(3), &json!(2)));
    assert_eq!(file(&later, "src/cart.rs")["session_id"], "child");
    assert_eq!(file(&later, "src/tax.rs")["session_id"], "grandchild");
    let asked = app.call("GET", "/v1/sessions/parent/probes?limit=200", "").await.text;
    assert!(asked.contains("in session child?"), "{asked}");
}

#[tokio::test]
async fn a_parent_without_a_version_takes_a_child_and_keeps_its_own_aim() {
    let app = app().await;
    work_on(&app, "parent", None, PARENT).await;
    work_on(&app, "child", Some("parent"), CHILD).await;
    assert_eq!(merge(&app, "parent", "child").await.0, 404, "the child has no version yet");
    compress(&app, "child").await;
    assert_eq!(merge(&app, "parent", "child").await.0, 201);
    let first = summary(&app, "parent").await;
    assert!(first["session_intent"].as_str().unwrap().contains("summer sale"), "{first}");
    assert_eq!((&first["through_seq"], &first["version"]), (&json!(0), &json!(1)));
    let context = app.call("GET", "/v1/sessions/parent/context?max_tokens=9000", "").await.json();
    assert_eq!(context["anchor_seq"], 0);
    compress(&app, "parent").await;
    let next = summary(&app, "parent").await;
    assert_eq!(file(&next, "src/cart.rs")["session_id"], "child");
    assert!(file(&next, "src/shop.rs").is_object(), "{next}");
}

#[tokio::test]
async fn a_merge_takes_the_place_of_live_work_and_a_rollback_takes_it_back() {
    let app = app().await;
    work_on(&app, "parent", None, PARENT).await;
    compress(&app, "parent").await;
    work_on(&app, "child", None, CHILD).await;
    compress(&app, "child").await;
    grow(&app, "parent", ("Go on.", "src/b.rs", "I decided to go on because it works.")).await;
    let live = app.call("POST", "/v1/sessions/parent/compressions", COMPRESS).await.json();
    assert_eq!(merge(&app, "parent", "child").await.0, 201);
    let path = format!("/v1/sessions/parent/compressions/{}", live["id"].as_str().unwrap());
    assert_eq!(app.call("GET", &path, "").await.json()["status"], "cancelled");
    app.work().await;
    let after = summary(&app, "parent").await;
    assert_eq!(after["version"], 3, "the work started over on the merged version");
    assert_eq!(file(&after, "src/cart.rs")["session_id"], "child");

    app.call("POST", "/v1/sessions/parent/summaries/1/rollback", "").await;
    assert_eq!(file(&summary(&app, "parent").await, "src/cart.rs"), &Value::Null);
    assert_eq!(merge(&app, "parent", "child").await.0, 201, "what a rollback took back can be merged again");
}

#[tokio::test]
async fn what_was_decided_on_a_session_is_not_written_once_it_is_another() {
    let app = app().await;
    work_on(&app, "parent", None, PARENT).await;
    compress(&app, "parent").await;
    work_on(&app, "child", None, CHILD).await;
    compress(&app, "child").await;
    let (parent, child) = (name("parent"), name("child"));
    let wanted = MergeRequest { parent: &parent, child: &child, version: None, now: Clock::system().now() };
    let write = async |body: Option<(&str, &str, &str)>| {
        let decided = Box::pin(app.store.decide_merge(app.tenant, wanted)).await.expect("a decision");
        if let Some((method, path, body)) = body {
            let reply = app.call(method, path, body.to_owned()).await;
            assert!(reply.status.is_success(), "{path}: {}", reply.text);
        }
        let mut tx = app.store.begin(app.tenant).await.expect("a transaction");
        let written = match &decided {
            Merge::Ready(merging) => app.store.merge_session(&mut tx, merging).await.expect("a write"),
            Merge::Unchanged { stands, .. } => stands.holds(&mut tx).await.expect("a look"),
            other @ (Merge::NoSession
            | Merge::Itself
            | Merge::NoSummary
            | Merge::NoVersion
            | Merge::Unverifiable
            | Merge::Rejected(_)) => panic!("{other:?}"),
        };
        tx.commit().await.expect("a commit");
        written
    };
    // Each of these is something that the merge has, or might have, decided on.
    let probe = r#"{"kind": "recall", "question": "which port?", "expected": ["8080"]}"#;
    for change in [
        ("POST", "/v1/sessions/parent/probes", probe),
        ("PUT", "/v1/sessions/parent/pins", r#"{"pins": ["never push"]}"#),
        ("POST", "/v1/sessions/parent/messages", r#"{"messages": [{"role": "user", "content": "and?"}]}"#),
        ("POST", "/v1/sessions/parent/compressions", COMPRESS),
        ("PUT", "/v1/settings", r#"{"critical": false}"#),
    ] {
        assert!(!Box::pin(write(Some(change))).await, "{} was not noticed", change.1);
    }
    assert!(Box::pin(write(None)).await, "nothing came between");
    assert!(Box::pin(write(None)).await, "it was merged before, and still is");
    let back = ("POST", "/v1/sessions/parent/summaries/1/rollback", "{}");
    assert!(!Box::pin(write(Some(back))).await, "what was merged was taken back meanwhile");
}

fn name(name: &str) -> SessionRef {
    SessionRef::from(SessionName::parse(name).expect("a name"))
}

#[tokio::test]
async fn a_merge_is_evaluated_and_tells_what_did_not_come_along() {
    let app = app().await;
    work_on(&app, "parent", None, PARENT).await;
    compress(&app, "parent").await;
    work_on(&app, "child", None, CHILD).await;
    let rule = json!({"messages": [{"role": "user", "content": "Never round a price up. You must keep the old API."}]});
    app.call("POST", "/v1/sessions/child/messages", rule.to_string()).await;
    grow(&app, "child", ("Go on.", "src/price.rs", "I decided to go on because it works.")).await;
    compress(&app, "child").await;
    let (status, made) = merge(&app, "parent", "child").await;
    assert_eq!(status, 201, "{made}");
    assert_eq!(
        (&made["probes"]["failed"], &made["probes"]["critical_failed"]),
        (&json!(0), &json!(0)),
        "{made}"
    );
    assert!(made["probes"]["asked"].as_u64().unwrap() > 2, "{made}");
    let left: Vec<&str> =
        made["left_out"].as_array().unwrap().iter().map(|left| left["section"].as_str().unwrap()).collect();
    assert!(left.contains(&"constraints"), "{made}");
    let evaluations = app.call("GET", "/v1/sessions/parent/evaluations", "").await.json();
    assert_eq!(evaluations["items"][0]["version"], 2, "{evaluations}");
    let summary = summary(&app, "parent").await;
    assert_eq!(summary["probe_score"], made["probes"]["score"]);
    let ledger = app.call("GET", "/v1/sessions/parent/ledger?limit=200", "").await.json();
    let file = ledger["items"].as_array().unwrap().iter().find(|item| item["path"] == "src/cart.rs").unwrap();
    assert_eq!(file["session_id"], "child", "{file}");
}

#[tokio::test]
async fn a_later_version_replaces_and_an_earlier_one_changes_nothing_any_more() {
    let app = app().await;
    work_on(&app, "parent", None, PARENT).await;
    compress(&app, "parent").await;
    work_on(&app, "child", None, CHILD).await;
    compress(&app, "child").await;
    grow(&app, "child", ("Go on.", "src/price.rs", "I decided to store rates because they change.")).await;
    compress(&app, "child").await;
    let to = |version: i64| {
        let body = json!({"session_id": "child", "version": version}).to_string();
        let app = &app;
        async move { app.call("POST", "/v1/sessions/parent/merge", body).await.json() }
    };
    assert_eq!(to(1).await["merged"], true);
    assert_eq!(to(2).await["merged"], true);
    let late = to(1).await;
    assert_eq!((&late["merged"], &late["version"]), (&json!(false), &json!(2)), "{late}");
    let after = summary(&app, "parent").await;
    assert_eq!(after["version"], 3);
    let carts = after["files_modified"].as_array().unwrap();
    let carts = carts.iter().filter(|file| file["path"] == "src/cart.rs").count();
    assert_eq!((carts, &file(&after, "src/price.rs")["session_id"]), (1, &json!("child")));
}

#[tokio::test]
async fn a_critical_session_takes_no_version_back_that_cannot_be_verified() {
    let app = app().await;
    work_on(&app, "parent", None, PARENT).await;
    // An opaque version cannot be verified, and a critical session takes none back.
    work_on(&app, "child", None, CHILD).await;
    let body = json!({"strategy": "opaque", "target": 0.5}).to_string();
    app.call("POST", "/v1/sessions/child/compressions", body).await;
    app.work().await;
    app.call("PATCH", "/v1/sessions/parent", json!({"critical": true}).to_string()).await;
    let body = json!({"session_id": "child"}).to_string();
    let refused = app.call("POST", "/v1/sessions/parent/merge", body).await;
    assert_eq!(refused.refusal(), (422, "refused".into(), "/session_id".into()));
    assert_eq!(app.call("GET", "/v1/sessions/parent/summary", "").await.status, 404);
}

#[tokio::test]
async fn merges_and_compressions_at_once_lose_nothing_of_either() {
    let app = app().await;
    for name in ["c1", "c2", "c3"] {
        let path = format!("src/{name}.rs");
        work_on(&app, name, None, ("Write a part of the shop.", &path, CHILD.2)).await;
        compress(&app, name).await;
    }
    work_on(&app, "parent", None, PARENT).await;
    compress(&app, "parent").await;
    for (round, child) in ["c1", "c2", "c3"].into_iter().enumerate() {
        let path = format!("src/own{round}.rs");
        let decision = format!("I decided to take step {round} because it is next.");
        grow(&app, "parent", ("Go on.", &path, &decision)).await;
        let asked = app.call("POST", "/v1/sessions/parent/compressions", COMPRESS).await;
        assert_eq!(asked.status, 202, "{}", asked.text);
        // Whichever comes first, the other one builds on it.
        let (merged, ()) = tokio::join!(merge(&app, "parent", child), app.work());
        assert_eq!(merged.0, 201, "{}", merged.1);
        app.work().await;
    }
    let after = summary(&app, "parent").await;
    for round in 0..3 {
        assert!(file(&after, &format!("src/own{round}.rs")).is_object(), "{round}: {after}");
    }
    for child in ["c1", "c2", "c3"] {
        assert_eq!(file(&after, &format!("src/{child}.rs"))["session_id"], child);
    }
    assert_eq!(after["version"], 7, "three merges and four compressions: {after}");
}

#[tokio::test]
async fn what_cannot_be_merged_is_refused() {
    let app = app().await;
    work_on(&app, "s", None, PARENT).await;
    compress(&app, "s").await;
    let to = |body: Value| app.call("POST", "/v1/sessions/s/merge", body.to_string());
    assert_eq!(to(json!({"session_id": "s"})).await.refusal(), (422, "refused".into(), "/session_id".into()));
    assert_eq!(to(json!({"session_id": "nobody"})).await.refusal().1, "session-not-found");
    app.call_as(THEIRS, "PUT", "/v1/sessions/theirs", "{}").await;
    assert_eq!(to(json!({"session_id": "theirs"})).await.refusal().1, "session-not-found");
    work_on(&app, "c", None, CHILD).await;
    compress(&app, "c").await;
    assert_eq!(to(json!({"session_id": "c", "version": 9})).await.refusal().1, "version-not-found");
    for query in ["level=700", "words=99", "words=501", "level=500&words=200"] {
        let path = format!("/v1/sessions/s/handoff?{query}");
        assert_eq!(app.call("GET", &path, "").await.refusal().0, 422, "{query}");
    }
}

#[tokio::test]
async fn the_state_is_the_state_rendering_as_a_document() {
    let app = app().await;
    work_on(&app, "s", None, PARENT).await;
    assert_eq!(app.call("GET", "/v1/sessions/s/state", "").await.refusal().1, "no-summary");
    compress(&app, "s").await;
    let state = app.call("GET", "/v1/sessions/s/state", "").await;
    assert_eq!(state.headers["content-type"], "application/json");
    let state = state.json();
    assert_eq!(state["$schema"], "context://session/v1");
    assert_eq!(state, app.call("GET", "/v1/sessions/s/summary?style=state", "").await.json());
}

#[tokio::test]
async fn a_todo_list_feeds_the_summary_and_is_told_what_was_done() {
    let app = app().await;
    work_on(&app, "s", None, PARENT).await;
    let none = app.call("GET", "/v1/sessions/s/todos", "").await.json();
    assert_eq!((&none["todos"], &none["revision"]), (&json!([]), &json!(0)));
    let list = json!({"todos": [
        {"content": "Create the tables", "status": "completed"},
        {"content": "Write the discount rules", "status": "in_progress"},
        {"content": "Translate the labels", "status": "in_progress"},
        {"content": "Deploy to staging", "status": "pending"}]});
    let put = app.call("PUT", "/v1/sessions/s/todos", list.to_string()).await.json();
    assert_eq!(put["changes"].as_array().unwrap().len(), 4);
    let said = "The discount rules are written. I think the labels are translated.";
    let messages: Vec<Value> = std::iter::once(json!({"role": "assistant", "content": said}))
        .chain((0..8).map(|i| json!({"role": "user", "content": format!("go on {i}")})))
        .collect();
    app.call("POST", "/v1/sessions/s/messages", json!({"messages": messages}).to_string()).await;
    compress(&app, "s").await;

    let after = app.call("GET", "/v1/sessions/s/todos", "").await.json();
    let states: Vec<(&str, Option<&str>)> = after["todos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|todo| (todo["status"].as_str().unwrap(), todo["proposed_status"].as_str()))
        .collect();
    let expected =
        [("completed", None), ("completed", None), ("in_progress", Some("completed")), ("pending", None)];
    assert_eq!(states, expected, "{after}");
    assert_eq!((&after["changed_in_version"], &after["revision"]), (&json!(1), &json!(2)));
    assert_eq!(after["changes"].as_array().unwrap().len(), 2);

    let summary = summary(&app, "s").await;
    let decisions = summary["decisions_made"].to_string();
    assert!(
        decisions.contains("Done: Create the tables") && decisions.contains("Done: Write the discount rules")
    );
    assert_eq!(summary["current_state"]["task"], "Translate the labels");
    assert_eq!(summary["next_steps"], json!(["Translate the labels", "Deploy to staging"]));

    // What was read can be written back: the service's own fields are ignored, and the caller's are the same.
    let written = app.call("PUT", "/v1/sessions/s/todos", after.to_string()).await;
    assert_eq!(written.status, 200, "{}", written.text);
    let own = |list: &Value| -> Vec<Value> {
        let todos = list["todos"].as_array().unwrap();
        todos.iter().map(|todo| json!([todo["content"], todo["status"]])).collect()
    };
    assert_eq!(own(&written.json()), own(&after));
}

#[tokio::test]
async fn a_change_of_phase_changes_the_text_and_loses_nothing() {
    let app = app().await;
    work_on(&app, "s", None, PARENT).await;
    let put = |phase: &str| app.call("PATCH", "/v1/sessions/s", json!({"phase": phase}).to_string());
    put("research").await;
    compress(&app, "s").await;
    let shown = app.call("GET", "/v1/sessions/s/context", "").await.text;
    assert!(shown.contains("## Problem") && shown.contains("## Findings"), "{shown}");
    put("implementation").await;
    grow(&app, "s", ("Now build it.", "src/build.rs", "I decided to use make because it is there.")).await;
    compress(&app, "s").await;
    let shown = app.call("GET", "/v1/sessions/s/context", "").await.text;
    assert!(shown.contains("## Session Intent") && !shown.contains("## Problem"), "{shown}");
    let summary = summary(&app, "s").await;
    assert!(file(&summary, "src/shop.rs").is_object() && file(&summary, "src/build.rs").is_object());
}
