//! Branches of a session: what they share, and what is their own.

mod erased;
mod many;

use serde_json::{Value, json};

use crate::support::app::{Answer, App, app};
use crate::support::{number, text};

const SESSION: &str = "/v1/sessions/s";

/// Appends messages, a person's and the agent's in turn, to a branch; `query` names it.
async fn say(app: &App, query: &str, texts: &[String]) -> Value {
    let roles = ["user", "assistant"].iter().cycle();
    let messages: Vec<Value> =
        texts.iter().zip(roles).map(|(text, role)| json!({"role": role, "content": text})).collect();
    let body = json!({"messages": messages}).to_string();
    app.call("POST", &format!("{SESSION}/messages{query}"), body).await.with(201).json()
}

fn words(of: &str, count: usize) -> Vec<String> {
    (0..count).map(|place| format!("{of}-{place}")).collect()
}

/// What the messages of a branch say, in their order, which has no gaps.
async fn contents(app: &App, query: &str) -> Vec<String> {
    let page = app.call("GET", &format!("{SESSION}/messages{query}"), "").await.with(200);
    let page = page.json();
    assert!(page["next_cursor"].is_null());
    let items = page["items"].as_array().expect("items");
    for (item, seq) in items.iter().zip(1..) {
        assert_eq!(item["seq"], seq);
    }
    items.iter().map(|item| item["message"]["content"].as_str().expect("a text").to_owned()).collect()
}

async fn fork(app: &App, body: Value) -> Answer {
    app.call("POST", &format!("{SESSION}/branches"), body.to_string()).await
}

async fn forked(app: &App, body: Value) -> Value {
    fork(app, body).await.with(201).json()
}

async fn context(app: &App, query: &str) -> Value {
    app.call("GET", &format!("{SESSION}/context{query}"), "").await.with(200).json()
}

async fn count(app: &App, query: &str) -> i64 {
    number(&mut app.database.connect_as_superuser().await, query).await
}

#[tokio::test]
async fn a_branch_shares_what_came_before_and_goes_on_by_itself() {
    let app = app().await;
    say(&app, "", &words("shared", 4)).await;
    let branch = forked(&app, json!({"name": "b", "seq": 2})).await;
    assert_eq!(
        (&branch["from"], &branch["seq"], &branch["head_seq"]),
        (&json!("main"), &json!(2), &json!(2))
    );
    assert_eq!((&branch["messages"], &branch["is_current"]), (&json!(0), &json!(false)));

    let reply = say(&app, "?branch=b", &words("other", 3)).await;
    assert_eq!((&reply["first_seq"], &reply["branch"]), (&json!(3), &json!("b")));
    let reply = say(&app, "", &words("main", 1)).await;
    assert_eq!((&reply["first_seq"], &reply["branch"]), (&json!(5), &Value::Null));
    assert!(reply.to_string().len() < 300);

    let own = ["shared-0", "shared-1", "other-0", "other-1", "other-2"];
    assert_eq!(contents(&app, "?branch=b").await, own);
    assert_eq!(contents(&app, "").await, ["shared-0", "shared-1", "shared-2", "shared-3", "main-0"]);
    let served = context(&app, "?branch=b").await;
    assert_eq!((&served["branch"], &served["head_seq"]), (&json!("b"), &json!(5)));
    let served = served["messages"].to_string();
    assert!(served.contains("shared-1") && served.contains("other-2"), "{served}");
    assert!(!served.contains("shared-2") && !served.contains("main"), "{served}");
    let served = context(&app, "").await;
    assert!(served.get("branch").is_none());
    assert!(!served.to_string().contains("other"), "{served}");
    // Both ends of the seam, and a range across it.
    let page = app.call("GET", &format!("{SESSION}/messages?branch=b&from_seq=2&to_seq=3"), "").await.json();
    assert_eq!(page["items"][0]["message"]["content"], "shared-1");
    assert_eq!(page["items"][1]["message"]["content"], "other-0");
    // A retry with its key is answered for its branch, and the same key to another one is another request.
    let keyed = [("idempotency-key", "once")];
    let body = r#"{"messages": [{"role": "user", "content": "once"}]}"#;
    for (query, seq, status) in [("?branch=b", 6, 201), ("?branch=b", 6, 201), ("", 6, 201)] {
        let reply = app.call_with("POST", &format!("{SESSION}/messages{query}"), body, &keyed).await;
        assert_eq!((reply.status.as_u16(), &reply.json()["first_seq"]), (status, &json!(seq)));
    }
    assert_eq!((contents(&app, "?branch=b").await.len(), contents(&app, "").await.len()), (6, 6));
}

#[tokio::test]
async fn going_back_loses_nothing_and_the_session_goes_on_there() {
    let app = app().await;
    say(&app, "", &words("first", 6)).await;
    let back = async |seq: i64| {
        let reply = app.call("POST", &format!("{SESSION}/truncate"), json!({"seq": seq}).to_string()).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    };
    assert_eq!(back(6).await["name"], "main", "nothing to go back from");
    let there = back(3).await;
    assert_eq!((&there["head_seq"], &there["is_current"]), (&json!(3), &json!(true)));
    assert_eq!(contents(&app, "").await, words("first", 3));
    assert_eq!(contents(&app, "?branch=main").await, words("first", 6));
    assert_eq!(back(3).await["name"], there["name"]);
    // Further back, and forward again by name; the empty branch is used again.
    assert_eq!(back(1).await["from"], "main");
    let body = json!({"name": "main"}).to_string();
    let switched = app.call("PUT", &format!("{SESSION}/current-branch"), body).await;
    assert_eq!((switched.status.as_u16(), &switched.json()["is_current"]), (200, &json!(true)));
    assert_eq!(contents(&app, "").await, words("first", 6));
    assert_eq!(back(3).await["name"], there["name"], "an empty branch at the same message");
    let reply = say(&app, "", &words("again", 2)).await;
    assert_eq!((&reply["first_seq"], &reply["branch"]), (&json!(4), &there["name"]));
    assert_eq!(contents(&app, "").await.concat(), "first-0first-1first-2again-0again-1");
    // From 0 on it is a session of its own.
    assert_eq!(back(0).await["head_seq"], 0);
    say(&app, "", &words("new", 2)).await;
    assert_eq!(contents(&app, "").await, words("new", 2));
    let served = context(&app, "").await;
    assert!(!served.to_string().contains("first"), "{served}");
    let events = text(
        &mut app.database.connect_as_superuser().await,
        "select string_agg(payload ->> 'to', ' ' order by id) from events where kind = 'session.branch_switched'",
    )
    .await;
    assert_eq!(events.split(' ').count(), 5, "{events}");
}

#[tokio::test]
async fn names_and_bounds_are_told_apart() {
    let app = app().await;
    assert_eq!(fork(&app, json!({})).await.status, 404, "no session");
    say(&app, "", &words("first", 2)).await;
    let refusal = async |method: &str, path: &str, body: Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let reply = app.call(method, &format!("{SESSION}{path}"), body).await;
        let (status, kind, _) = reply.refusal();
        (status, kind, reply.json()["detail"].as_str().unwrap_or_default().to_owned())
    };
    let (status, kind, _) = refusal("POST", "/branches", json!({"name": "main"})).await;
    assert_eq!((status, kind.as_str()), (409, "branch-exists"));
    let branch = forked(&app, json!({})).await;
    let generated = branch["name"].as_str().expect("a name").to_owned();
    let (status, ..) = refusal("POST", "/branches", json!({"name": generated})).await;
    assert_eq!(status, 409);
    for (body, pointer) in [
        (json!({"seq": 3}), "/seq"),
        (json!({"seq": -1}), "/seq"),
        (json!({"name": "a b"}), "/name"),
        (json!({"name": "x".repeat(101)}), "/name"),
        (json!({"title": "x"}), "/title"),
    ] {
        let refused = fork(&app, body).await.with(422);
        assert_eq!(refused.json()["errors"][0]["pointer"], pointer);
    }
    let (status, kind, _) = refusal("POST", "/branches", json!({"from": "nobody"})).await;
    assert_eq!((status, kind.as_str()), (404, "branch-not-found"));
    let long = "x".repeat(100);
    assert_eq!(fork(&app, json!({"name": long})).await.status, 201);
    // An unknown branch is named, on every operation, and an append makes none.
    for (method, path, body) in [
        ("GET", "/messages?branch=nobody", Value::Null),
        ("GET", "/context?branch=nobody&format=anthropic", Value::Null),
        ("GET", "/pins?branch=nobody", Value::Null),
        ("PUT", "?branch=nobody", json!({})),
        ("POST", "/messages?branch=nobody", json!({"messages": [{"role": "user", "content": "x"}]})),
        ("PUT", "/transcript?branch=nobody", json!({"messages": [{"role": "user", "content": "x"}]})),
    ] {
        let (status, kind, detail) = refusal(method, path, body).await;
        assert_eq!((status, kind.as_str()), (404, "session-not-found"), "{method} {path}");
        assert!(detail.contains("no branch nobody"), "{detail}");
    }
    for path in ["/messages?branch=a%20b", "/messages?branch=", "/messages?branch=a&branch=b"] {
        let refused = app.call("GET", &format!("{SESSION}{path}"), "").await.with(422);
        assert_eq!(refused.json()["errors"][0]["pointer"], "/branch");
    }
    // What an operation does not know is refused, and so is a branch for one that is of all of them.
    for (method, path, body, pointer) in [
        ("GET", "/branches?lmit=1", Value::Null, "/lmit"),
        ("GET", "/branches?branch=main", Value::Null, "/branch"),
        ("POST", "/branches?nme=x", json!({}), "/nme"),
        ("GET", "/branches/main?x=1", Value::Null, "/x"),
        ("GET", "/branches/main?branch=main", Value::Null, "/branch"),
        ("DELETE", "/branches/main?x=1", Value::Null, "/x"),
        ("PUT", "/current-branch?x=1", json!({"name": "main"}), "/x"),
        ("PUT", "/current-branch?branch=main", json!({"name": "main"}), "/branch"),
        ("POST", "/truncate?sq=1", json!({"seq": 1}), "/sq"),
    ] {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let refused = app.call(method, &format!("{SESSION}{path}"), body).await;
        assert_eq!(refused.status, 422, "{method} {path}: {}", refused.text);
        assert_eq!(refused.json()["errors"][0]["pointer"], pointer, "{method} {path}");
    }
    // No name of a caller is that of a branch's row.
    assert_eq!(app.call("GET", "/v1/sessions/%02x/messages", "").await.status, 422);
    let listed = app.call("GET", &format!("{SESSION}/branches?limit=2"), "").await.json();
    assert_eq!((&listed["items"][0]["name"], &listed["items"][1]["name"]), (&json!("main"), &branch["name"]));
    let cursor = listed["next_cursor"].as_str().expect("a cursor");
    let rest = app.call("GET", &format!("{SESSION}/branches?limit=2&cursor={cursor}"), "").await.json();
    assert_eq!((&rest["items"][0]["name"], &rest["next_cursor"]), (&json!(long), &Value::Null));
    let one = app.call("GET", &format!("{SESSION}/branches/{long}"), "").await.json();
    assert_eq!(one, rest["items"][0]);
    // The current one stays, and who names a branch does not mean the session.
    let (status, kind, _) = refusal("DELETE", "/branches/main", Value::Null).await;
    assert_eq!((status, kind.as_str()), (409, "branch-is-current"));
    let (status, ..) = refusal("DELETE", "?branch=main", Value::Null).await;
    assert_eq!(status, 422);
    let body = json!({"name": "nobody"});
    assert_eq!(refusal("PUT", "/current-branch", body).await.0, 404);
}

#[tokio::test]
async fn what_is_copied_is_the_branchs_own_since_and_the_rest_is_the_sessions() {
    let app = app().await;
    say(&app, "", &words("first", 2)).await;
    app.call("PUT", &format!("{SESSION}/pins"), r#"{"pins": [{"text": "Answer in English."}]}"#).await;
    app.call("PATCH", SESSION, r#"{"task_id": "one", "fill": 0.3}"#).await;
    let todos = json!({"todos": [{"content": "Deploy", "status": "pending"}]}).to_string();
    app.call("PUT", &format!("{SESSION}/todos"), todos).await;
    forked(&app, json!({"name": "b", "switch": true})).await;
    let pins = app.call("GET", &format!("{SESSION}/pins"), "").await.json();
    assert_eq!(pins["pins"][0]["text"], "Answer in English.");
    let list = app.call("GET", &format!("{SESSION}/todos"), "").await.json();
    assert_eq!(list["todos"][0]["content"], "Deploy");
    app.call("PUT", &format!("{SESSION}/pins"), r#"{"pins": []}"#).await;
    let patched = app.call("PATCH", SESSION, r#"{"task_id": "two", "fill": 0.2}"#).await.with(200);
    assert_eq!(patched.json()["branch"], "b");
    let main = app.call("GET", &format!("{SESSION}?branch=main"), "").await.json();
    assert_eq!((&main["settings"]["task_id"], &main["settings"]["fill"]), (&json!("two"), &json!(0.2)));
    let branch = app.call("GET", SESSION, "").await.json();
    assert_eq!((&branch["settings"]["task_id"], &branch["settings"]["fill"]), (&json!("two"), &json!(0.2)));
    let pins = app.call("GET", &format!("{SESSION}/pins?branch=main"), "").await.json();
    assert_eq!(pins["pins"].as_array().map(Vec::len), Some(1));
    let tasks = "select count(*) from sessions where task_id = 'two' and root_id is null";
    assert_eq!((count(&app, tasks).await, count(&app, "select count(task_id) from sessions").await), (1, 1));
}

/// A long stretch of work with a word of its own in its commands, files and sayings.
async fn work(app: &App, query: &str, word: &str) {
    let mut messages = vec![json!({"role": "user", "content": format!("Port {word} to the new tables.")})];
    for step in 0..8 {
        let id = format!("call_{word}_{step}");
        let arguments = json!({"command": format!("cargo test --test {word}_{step}")}).to_string();
        let function = json!({"name": "bash", "arguments": arguments});
        messages.push(json!({"role": "assistant", "content": format!("Step {step} of {word}."),
                             "tool_calls": [{"id": id, "type": "function", "function": function}]}));
        let output = format!(
            "{}error[E0308]: mismatched types\n --> src/{word}_{step}.rs:3:5\ntest result: FAILED. 3 passed; 1 failed",
            format!("running the tests of {word} one by one\n").repeat(40)
        );
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": output}));
    }
    messages.push(json!({"role": "assistant", "content": format!("Next, I will fix {word}.")}));
    let body = json!({"messages": messages}).to_string();
    app.call("POST", &format!("{SESSION}/messages{query}"), body).await.with(201);
}

/// Everything that is read of a branch, as one text.
async fn all_of(app: &App, query: &str) -> String {
    let mut all = String::new();
    let sign = if query.is_empty() { '?' } else { '&' };
    let ledger = ["command", "test_run", "error", "file"]
        .map(|kind| format!("/ledger{query}{sign}kind={kind}&limit=1000"));
    let reads = [
        "/context", "/summary", "/summaries", "/summaries/1", "/summaries/2", "/state", "/handoff", "/probes",
    ]
    .map(|path| format!("{path}{query}"));
    for path in reads.into_iter().chain(ledger) {
        let reply = app.call("GET", &format!("{SESSION}{path}"), "").await.with(200);
        all.push_str(&reply.text);
    }
    all
}

#[tokio::test]
async fn both_sides_compress_what_they_share_and_neither_shows_the_others() {
    let app = app().await;
    app.call("PUT", SESSION, r#"{"context_window": 16000, "auto": false}"#).await;
    work(&app, "", "parser").await;
    work(&app, "", "lexer").await;
    app.compress("s", "").await;
    let head = app.call("GET", SESSION, "").await.json();
    let branch = forked(&app, json!({"name": "b"})).await;
    assert_eq!(branch["version"], 1);
    let twin = app.call("GET", &format!("{SESSION}?branch=b"), "").await.json();
    assert_eq!(twin["usage"]["context_tokens"], head["usage"]["context_tokens"]);
    assert_eq!(twin["anchor_seq"], head["anchor_seq"]);
    assert_eq!(context(&app, "?branch=b").await["messages"], context(&app, "").await["messages"]);
    work(&app, "", "printer").await;
    work(&app, "?branch=b", "linker").await;
    app.compress("s", "").await;
    app.compress("s", "?branch=b").await;
    for (query, own, others) in [("", "printer", "linker"), ("?branch=b", "linker", "printer")] {
        let all = all_of(&app, query).await;
        assert!(all.contains("parser") && all.contains("lexer") && all.contains(own), "{query}");
        assert!(
            !all.contains(others),
            "{query}: {:?}",
            all.find(others).map(|at| &all[at.saturating_sub(200)..at + 50])
        );
        let versions = app.call("GET", &format!("{SESSION}/summaries{query}"), "").await.json();
        let numbers: Vec<&Value> =
            versions["items"].as_array().expect("items").iter().map(|item| &item["version"]).collect();
        assert_eq!(numbers, [2, 1]);
    }
    // The placeholder of a shared output, and of an own one, lead to it.
    let served = context(&app, "?branch=b").await;
    if let Some(reference) = served["masked"][0]["ref"].as_str() {
        app.call("GET", &format!("{SESSION}/tool-outputs/{reference}?branch=b"), "").await.with(200);
    }
    // What a branch takes back, or removes, stays as it is on the other.
    let before = app.call("GET", &format!("{SESSION}/summary"), "").await.text;
    let rolled = app.call("POST", &format!("{SESSION}/summaries/1/rollback?branch=b"), "{}").await.with(201);
    assert_eq!(rolled.headers["location"], "/v1/sessions/s/summaries/3?branch=b");
    assert_eq!(app.call("GET", &format!("{SESSION}/summary"), "").await.text, before);
    app.compress("s", "?branch=b").await;
    let all = all_of(&app, "?branch=b").await;
    assert!(all.contains("linker") && !all.contains("printer"));
    // Before the anchor there is no version to begin with.
    let early = forked(&app, json!({"name": "early", "seq": 3, "from": "b"})).await;
    assert_eq!((&early["version"], &early["from"]), (&Value::Null, &json!("main")));
    let early = context(&app, "?branch=early").await;
    assert_eq!(early["anchor_seq"], 0);
}

/// After a rollback, versions whose anchor is before the fork come after one that tells what the fork does not share.
#[tokio::test]
async fn a_fork_has_no_version_that_tells_what_comes_later() {
    let app = app().await;
    app.call("PUT", SESSION, r#"{"context_window": 16000, "auto": false}"#).await;
    for word in ["parser", "lexer", "linker"] {
        work(&app, "", word).await;
        app.compress("s", "").await;
    }
    let anchors = app.call("GET", &format!("{SESSION}/summaries"), "").await.json();
    let anchors: Vec<_> =
        anchors["items"].as_array().expect("items").iter().map(|v| v["through_seq"].clone()).collect();
    app.call("POST", &format!("{SESSION}/summaries/1/rollback"), "").await.with(201);
    let [_, second, first] = anchors.as_slice() else { panic!("three versions: {anchors:?}") };
    let seq = second.as_i64().expect("a seq") - 1;
    assert!(first.as_i64() < Some(seq), "{anchors:?}");
    let branch = forked(&app, json!({"name": "b", "seq": seq})).await;
    assert_eq!(branch["version"], 1, "{branch}");
    let shown = app.call("GET", &format!("{SESSION}/summaries?branch=b"), "").await.text;
    assert!(!shown.contains("linker"), "{shown}");
    assert_eq!(app.call("GET", &format!("{SESSION}/summaries/2?branch=b"), "").await.status, 404);
    assert_eq!(app.call("GET", &format!("{SESSION}/summaries/4?branch=b"), "").await.status, 404);
}

#[tokio::test]
async fn a_location_leads_to_the_same_thing_when_another_branch_is_current() {
    let app = app().await;
    app.call("PUT", SESSION, r#"{"context_window": 16000, "auto": false}"#).await;
    work(&app, "", "parser").await;
    forked(&app, json!({"name": "b"})).await;
    let compress = r#"{"reason": "now", "target": 0.1}"#;
    let switch = async |to: &str| {
        let body = json!({"name": to}).to_string();
        assert_eq!(app.call("PUT", &format!("{SESSION}/current-branch"), body).await.status, 200);
    };
    for (query, named) in [("", "main"), ("?branch=main", "main"), ("?branch=b", "b")] {
        switch("main").await;
        let of = |rest: &str| format!("{SESSION}/{rest}{query}");
        let compressed = app.call("POST", &of("compressions"), compress).await;
        // The second finds too little that is new.
        assert!([200, 202].contains(&compressed.status.into()), "{}", compressed.text);
        app.work().await;
        let rolled_back = app.call("POST", &of("summaries/1/rollback"), "").await.with(201);
        switch("b").await;
        for reply in [compressed, rolled_back] {
            let location = reply.headers["location"].to_str().expect("a text").to_owned();
            assert!(location.ends_with(&format!("?branch={named}")), "{location}");
            let there = app.call("GET", &location, "").await.json();
            let told = reply.json();
            let key = if told["id"].is_string() { "id" } else { "version" };
            assert_eq!(there[key], told[key], "{there} at {location}");
        }
    }
}

/// What a fork copies decides whether an empty branch is used again, not counters that may happen to be equal.
#[tokio::test]
async fn going_back_again_has_the_pins_and_todos_of_the_branch_that_it_leaves() {
    let app = app().await;
    let messages: Vec<Value> = (0..6).map(|i| json!({"role": "user", "content": format!("m{i}")})).collect();
    app.call("POST", "/v1/sessions/s/messages", json!({"messages": messages}).to_string()).await;
    let back = async || {
        let reply = app.call("POST", "/v1/sessions/s/truncate", r#"{"seq": 3}"#).await.with(200);
        reply.json()["name"].as_str().expect("a name").to_owned()
    };
    let to_main = async || {
        app.call("PUT", "/v1/sessions/s/current-branch", r#"{"name": "main"}"#).await.with(200);
    };
    let first = back().await;
    to_main().await;
    assert_eq!(back().await, first, "nothing has changed");
    app.call("PUT", "/v1/sessions/s/pins", r#"{"pins": ["of the first"]}"#).await;
    to_main().await;
    app.call("PUT", "/v1/sessions/s/pins", r#"{"pins": ["of main"]}"#).await;
    let second = back().await;
    assert_ne!(second, first);
    let pins = app.call("GET", "/v1/sessions/s/pins", "").await.json();
    assert_eq!(pins["pins"][0]["text"], "of main", "{pins}");
    to_main().await;
    app.call("PUT", "/v1/sessions/s/todos", r#"{"todos": [{"content": "new", "status": "pending"}]}"#).await;
    assert_ne!(back().await, second);
    let todos = app.call("GET", "/v1/sessions/s/todos", "").await.json();
    assert_eq!(todos["todos"][0]["content"], "new", "{todos}");
}
