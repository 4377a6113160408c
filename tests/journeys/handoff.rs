//! Several agents at one task: what they hand off, and how it comes back.

use serde_json::{Value, json};

use crate::support::app::{App, app};

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
    app.call("POST", &format!("/v1/sessions/{session}/messages"), body).await.with(201);
}

async fn summary(app: &App, session: &str) -> Value {
    app.call("GET", &format!("/v1/sessions/{session}/summary"), "").await.json()
}

fn file<'a>(summary: &'a Value, path: &str) -> &'a Value {
    let files = summary["files_modified"].as_array().unwrap();
    files.iter().find(|file| file["path"].as_str().unwrap().ends_with(path)).unwrap_or(&Value::Null)
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
async fn a_chain_of_three_agents_hands_down_and_a_result_comes_back_as_a_call_s() {
    let app = app().await;
    let fresh = app.call("GET", "/v1/tasks/shop/handoff", "").await;
    assert_eq!((fresh.status.as_u16(), fresh.text.as_str()), (204, ""));
    work_on(&app, "parent", None, PARENT).await;
    assert_eq!(app.call("GET", "/v1/sessions/parent/handoff", "").await.status, 204);
    app.compress("parent", "").await;

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
    app.compress("child", "").await;
    work_on(&app, "grandchild", Some("child"), GRANDCHILD).await;
    app.compress("grandchild", "").await;

    let task = app.call("GET", "/v1/tasks/shop/handoff?level=3000", "").await.json();
    let text = task["markdown"].as_str().unwrap();
    for fact in ["src/shop.rs", "src/cart.rs", "src/tax.rs", "session child"] {
        assert!(text.contains(fact), "{fact}: {text}");
    }
    assert_eq!(task["sessions"].as_array().unwrap().len(), 3);

    // The way back: the child's hand-off answers the call that started it.
    let up = app.call("GET", "/v1/sessions/child/handoff?level=1500", "").await.json();
    let text = up["markdown"].as_str().unwrap();
    let messages = [
        call("start", "start_agent", &json!({"session": "child", "task": CHILD.0})),
        result("start", text),
        json!({"role": "assistant", "content": "The cart is there; on to the checkout."}),
    ];
    let body = json!({"format": "anthropic", "messages": messages}).to_string();
    assert_eq!(app.call("POST", "/v1/sessions/parent/messages", body).await.status, 201);
    let context = app.call("GET", "/v1/sessions/parent/context", "").await.text;
    assert!(context.contains("src/cart.rs"), "{context}");
    grow(
        &app,
        "parent",
        ("Now the checkout, please.", "src/checkout.rs", "I decided to use one page because it is faster."),
    )
    .await;
    app.compress("parent", "").await;
    let after = summary(&app, "parent").await;
    let asked = after["requests"].to_string();
    assert!(
        asked.contains("checkout") && !asked.contains("cart of the shop"),
        "no request of a person: {after}"
    );
    assert_eq!(after["constraints"], json!([]), "{after}");
    let found = app.call("GET", "/v1/sessions/parent/recall?q=cart", "").await.text;
    assert!(found.contains("src/cart.rs"), "{found}");
}

#[tokio::test]
async fn a_hand_off_of_another_size_is_refused() {
    let app = app().await;
    work_on(&app, "s", None, PARENT).await;
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
    app.compress("s", "").await;
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
    app.compress("s", "").await;

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
    let written = app.call("PUT", "/v1/sessions/s/todos", after.to_string()).await.with(200);
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
    app.compress("s", "").await;
    let shown = app.call("GET", "/v1/sessions/s/context", "").await.text;
    assert!(shown.contains("## Problem") && shown.contains("## Findings"), "{shown}");
    put("implementation").await;
    grow(&app, "s", ("Now build it.", "src/build.rs", "I decided to use make because it is there.")).await;
    app.compress("s", "").await;
    let shown = app.call("GET", "/v1/sessions/s/context", "").await.text;
    assert!(shown.contains("## Session Intent") && !shown.contains("## Problem"), "{shown}");
    let summary = summary(&app, "s").await;
    assert!(file(&summary, "src/shop.rs").is_object() && file(&summary, "src/build.rs").is_object());
}
