//! Sessions, their settings and their pins over HTTP.

use std::slice::from_ref;

use serde_json::{Value, json};

use crate::support::app::{App, app};
use crate::support::branches::{branch_of, fork, switch};
use crate::support::{change, text};

const PATH: &str = "/v1/sessions/s";

#[tokio::test]
async fn put_replaces_all_settings_and_patch_changes_those_that_it_names() {
    let app = app().await;
    let made = app.call("PUT", PATH, r#"{"context_window": 32000, "task_id": "t1"}"#).await.with(201);
    assert_eq!(made.json()["policy"]["effective_window"], 25_600);
    let changed = app.call("PATCH", PATH, r#"{"policy": "combined"}"#).await.with(200);
    assert_eq!(changed.json()["settings"]["context_window"], 32_000);
    assert_eq!(changed.json()["context_revision"], 2);
    let same = app.call("PATCH", PATH, "{}").await.json();
    assert_eq!(same["context_revision"], 2, "nothing changed");
    let reset = app.call("PATCH", PATH, r#"{"context_window": null}"#).await.json();
    assert_eq!(reset["policy"]["effective_window"], 160_000);
    assert_eq!(app.call("GET", PATH, "").await.json(), reset);
    assert_eq!(reset["settings"], json!({"policy": "combined", "task_id": "t1"}));

    let replaced = app.call("PUT", PATH, r#"{"phase": "planning"}"#).await.with(200);
    assert_eq!(replaced.json()["settings"], json!({"phase": "planning"}), "what is not named is gone");
    let listed = app.call("GET", "/v1/sessions?task_id=t1", "").await.json();
    assert_eq!(listed["items"], json!([]), "it has left its task");
    // What was read can be written back.
    let again = app.call("PUT", PATH, replaced.json()["settings"].to_string()).await.json();
    assert_eq!(again["context_revision"], replaced.json()["context_revision"]);

    assert_eq!(app.call("PATCH", "/v1/sessions/nowhere", "{}").await.refusal().1, "session-not-found");
    assert_eq!(app.call("GET", "/v1/sessions/nowhere", "").await.status, 404, "a patch makes no session");
    assert_eq!(app.call("PATCH", PATH, r#"{"phse": null}"#).await.refusal().2, "/phse");
}

#[tokio::test]
async fn wrong_settings_are_refused_with_their_name() {
    let app = app().await;
    for (body, pointer) in [
        (r#"{"context_windw": 1}"#, "/context_windw"),
        (r#"{"fill": 0.9}"#, "/fill"),
        (r#"{"metadata": {"a": 1, "a": 2}}"#, "/metadata/a"),
        (r#"{"task_id": "a\u0000b"}"#, "/task_id"),
    ] {
        assert_eq!(
            app.call("PUT", PATH, body).await.refusal(),
            (422, "invalid-request".to_owned(), pointer.to_owned())
        );
    }
    assert_eq!(app.call("PUT", PATH, "{").await.refusal().0, 400);
    assert_eq!(app.call("GET", PATH, "").await.status, 404, "a refused put made the session");
}

#[tokio::test]
async fn sessions_are_listed_by_task_and_parent_in_pages() {
    let app = app().await;
    for i in 0..5 {
        let body = json!({"task_id": format!("t{}", i % 2), "parent_session_id": "root"});
        app.call("PUT", &format!("/v1/sessions/s{i}"), body.to_string()).await;
    }
    let names = |page: serde_json::Value| -> Vec<String> {
        let items = page["items"].as_array().cloned().unwrap_or_default();
        items.iter().filter_map(|item| item["session_id"].as_str().map(str::to_owned)).collect()
    };
    let task = app.call("GET", "/v1/sessions?task_id=t0", "").await.json();
    assert_eq!(names(task), ["s4", "s2", "s0"]);
    let first = app.call("GET", "/v1/sessions?parent_session_id=root&limit=3", "").await.json();
    let cursor = first["next_cursor"].as_str().expect("a cursor").to_owned();
    assert_eq!(names(first), ["s4", "s3", "s2"]);
    let path = format!("/v1/sessions?parent_session_id=root&limit=3&cursor={cursor}");
    assert_eq!(names(app.call("GET", &path, "").await.json()), ["s1", "s0"]);
    assert_eq!(
        names(app.call("GET", "/v1/sessions?updated_since=2999-01-01T00:00:00Z", "").await.json()),
        [""; 0]
    );
    assert_eq!(
        app.call("GET", "/v1/sessions?updated_since=yesterday", "").await.refusal().2,
        "/updated_since"
    );
    // A year that the parser knows and the database does not.
    for far in ["-4713-01-01T00:00:00Z", "%2B262142-12-31T23:59:59Z"] {
        let refused = app.call("GET", &format!("/v1/sessions?updated_since={far}"), "").await.refusal();
        assert_eq!((refused.0, refused.2.as_str()), (422, "/updated_since"), "{far}");
    }
}

#[tokio::test]
async fn pins_are_served_bounded_and_change_the_revision() {
    let app = app().await;
    app.call("PUT", PATH, r#"{"context_window": 2000}"#).await;
    app.call("POST", &format!("{PATH}/messages"), r#"{"messages":[{"role":"user","content":"hi"}]}"#).await;
    let pins = format!("{PATH}/pins");
    let put = app.call("PUT", &pins, r#"{"pins": ["Never push to main."]}"#).await.with(200);
    assert_eq!(app.call("GET", &pins, "").await.json()["pins"], put.json()["pins"]);
    let context = app.call("GET", &format!("{PATH}/context"), "").await.json();
    assert_eq!(context["context_revision"], 2);
    assert!(context["messages"].to_string().contains("Never push to main."));
    let session = app.call("GET", PATH, "").await.json();
    assert_eq!(session["usage"]["context_tokens"], context["tokens"]["total"]);
    let long = json!({"pins": ["word ".repeat(300)]}).to_string();
    assert_eq!(app.call("PUT", &pins, long).await.refusal().2, "/pins");
    assert_eq!(app.call("GET", &pins, "").await.json()["pins"], put.json()["pins"]);
    app.call("PUT", &pins, r#"{"pins": []}"#).await;
    let session = app.call("GET", PATH, "").await.json();
    assert_eq!(session["usage"]["components"]["system"], 0);
}

#[tokio::test]
async fn tokens_are_counted_as_sessions_count_them() {
    let app = app().await;
    let messages = r#"[{"role":"user","content":"hello there"},{"role":"assistant","content":"hi"}]"#;
    let counted = app.call("POST", "/v1/tokens", format!(r#"{{"messages":{messages}}}"#)).await.json();
    let appended =
        app.call("POST", &format!("{PATH}/messages"), format!(r#"{{"messages":{messages}}}"#)).await.json();
    assert_eq!(counted["tokens"], appended["tokens_added"]);
    assert_eq!(counted["per_message"].as_array().map(Vec::len), Some(2));
    assert_eq!(app.call("POST", "/v1/tokens", r#"{"text":"hello"}"#).await.json(), json!({"tokens": 1}));
    assert_eq!(app.call("POST", "/v1/tokens", "{}").await.refusal().0, 422);
}

async fn say(app: &App, path: &str, texts: &[&str]) {
    let messages: Vec<Value> = texts.iter().map(|text| json!({"role": "user", "content": text})).collect();
    app.call("POST", path, json!({"messages": messages}).to_string()).await.with(201);
}

#[tokio::test]
async fn a_session_is_one_in_lists_with_the_figures_of_its_current_branch() {
    let app = app().await;
    let main = branch_of("s", "main");
    let settings = json!({"user": "u", "task_id": "t", "metadata": {"team": "x"}, "parent_session_id": "p"});
    app.call("PUT", PATH, settings.to_string()).await;
    say(&app, "/v1/sessions/s/messages", &["a", "b", "c"]).await;
    say(&app, "/v1/sessions/later/messages", &["a"]).await;
    for (branch, seq) in [("b", 2), ("c", 1)] {
        fork(&app.store, app.tenant, &main, branch, seq).await;
    }
    say(&app, "/v1/sessions/s/messages?branch=b", &["1", "2", "3", "4"]).await;
    let listed = async |query: &str| {
        let listed = app.call("GET", &format!("/v1/sessions{query}"), "").await.json();
        let items = listed["items"].as_array().unwrap_or_else(|| panic!("{listed}")).clone();
        items
            .iter()
            .map(|item| json!([item["session_id"], item["branch"], item["head_seq"]]))
            .collect::<Vec<_>>()
    };
    let later = json!(["later", null, 1]);
    assert_eq!(listed("").await, [later.clone(), json!(["s", null, 3])]);
    switch(&app.store, app.tenant, "s", "b").await;
    let current = json!(["s", "b", 6]);
    assert_eq!(listed("").await, [later.clone(), current.clone()]);
    for filter in ["user=u", "task_id=t", "metadata=team:x", "parent_session_id=p", "user=u&metadata=team:x"]
    {
        assert_eq!(listed(&format!("?{filter}")).await, from_ref(&current), "{filter}");
    }
    // The pages follow the sessions, whichever of their branches are current.
    let first = app.call("GET", "/v1/sessions?limit=1", "").await.json();
    let cursor = first["next_cursor"].as_str().expect("a second page");
    assert_eq!(listed(&format!("?limit=1&cursor={cursor}")).await, from_ref(&current));

    // A write to any branch is one to the session.
    let mut owner = app.database.connect().await;
    change(&mut owner, "update sessions set updated_at = now() - interval '2 days'").await;
    let hour_ago =
        r#"select to_char(now() at time zone 'UTC' - interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"#;
    let since = text(&mut owner, hour_ago).await;
    assert_eq!(listed(&format!("?updated_since={since}")).await, [json!(null); 0]);
    say(&app, "/v1/sessions/s/messages?branch=c", &["again"]).await;
    for filter in ["", "&metadata=team:x"] {
        assert_eq!(listed(&format!("?updated_since={since}{filter}")).await, from_ref(&current));
    }
}
