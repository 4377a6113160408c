//! What is left of a branch that is erased, for those that stand on it.

use serde_json::{Value, json};

use super::{SESSION, contents, count, fork, forked, say, words, work};
use crate::erasing::erase_all;
use crate::support::app::{App, app};

#[tokio::test]
async fn an_erased_branch_leaves_what_others_stand_on_until_they_go() {
    let app = app().await;
    say(&app, "", &words("first", 4)).await;
    forked(&app, json!({"name": "b", "switch": true})).await;
    say(&app, "", &words("second", 6)).await;
    forked(&app, json!({"name": "c", "seq": 7, "switch": true})).await;
    say(&app, "", &words("third", 2)).await;
    let whole = contents(&app, "").await;
    assert_eq!(whole.concat(), "first-0first-1first-2first-3second-0second-1second-2third-0third-1");
    for branch in ["b", "main"] {
        assert_eq!(app.call("DELETE", &format!("{SESSION}/branches/{branch}"), "").await.status, 204);
        assert_eq!(app.call("GET", &format!("{SESSION}/branches/{branch}"), "").await.status, 404);
        assert_eq!(app.call("GET", &format!("{SESSION}/messages?branch={branch}"), "").await.status, 404);
        assert_eq!(app.call("DELETE", &format!("{SESSION}/branches/{branch}"), "").await.status, 404);
    }
    erase_all(&app.store).await;
    assert_eq!(contents(&app, "").await, whole);
    let listed = app.call("GET", &format!("{SESSION}/branches"), "").await.json();
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1));
    assert_eq!((&listed["items"][0]["name"], &listed["items"][0]["from"]), (&json!("c"), &Value::Null));
    assert_eq!(count(&app, "select count(*) from messages").await, 9, "three of b are needed by none");
    assert_eq!(count(&app, "select branch_count::bigint from sessions where root_id is null").await, 2);
    // The names are taken by nobody, but that of main stays its own.
    assert_eq!(fork(&app, json!({"name": "main"})).await.status, 409);
    forked(&app, json!({"name": "b", "seq": 2, "switch": true})).await;
    assert_eq!(contents(&app, "").await, words("first", 2));
    // With the last one that stands on it an erased branch goes, and main keeps what is still needed.
    assert_eq!(app.call("DELETE", &format!("{SESSION}/branches/c"), "").await.status, 204);
    erase_all(&app.store).await;
    assert_eq!(count(&app, "select count(*) from sessions").await, 2);
    assert_eq!(count(&app, "select count(*) from messages").await, 2);
    assert_eq!(count(&app, "select count(*) from erasures").await, 0);
    assert_eq!(contents(&app, "").await, words("first", 2));
    app.store.flush_usage(None).await.expect("a flush");
    let stored = count(&app, "select sum(octet_length(body))::bigint from messages").await;
    assert_eq!(count(&app, "select sum(bytes)::bigint from usage_by_day").await, stored);
}

/// More erased branches than one step erases, each of which only the next one stood on, go with the last.
#[tokio::test]
async fn a_long_line_of_erased_branches_goes_with_the_last_that_stands_on_it() {
    const LENGTH: usize = 110;
    let app = app().await;
    say(&app, "", &words("first", 1)).await;
    for n in 0..LENGTH {
        forked(&app, json!({"name": format!("b{n}"), "switch": true})).await;
        say(&app, "", &words("own", 1)).await;
    }
    app.call("PUT", &format!("{SESSION}/current-branch"), r#"{"name": "main"}"#).await.with(200);
    for n in 0..LENGTH {
        assert_eq!(app.call("DELETE", &format!("{SESSION}/branches/b{n}"), "").await.status, 204);
    }
    erase_all(&app.store).await;
    assert_eq!(count(&app, "select branch_count::bigint from sessions").await, 0);
    assert_eq!(count(&app, "select count(*) from messages").await, 1);
    assert_eq!(count(&app, "select count(*) from erasures").await, 0);
}

#[tokio::test]
async fn an_erased_branch_keeps_the_versions_that_others_began_with_and_no_more() {
    let app = app().await;
    app.call("PUT", SESSION, r#"{"context_window": 16000, "auto": false}"#).await;
    work(&app, "", "parser").await;
    forked(&app, json!({"name": "b", "switch": true})).await;
    work(&app, "", "lexer").await;
    app.compress("s", "").await;
    forked(&app, json!({"name": "c"})).await;
    work(&app, "", "printer").await;
    app.compress("s", "").await;
    let before = all_versions(&app).await;
    let body = json!({"name": "c"}).to_string();
    assert_eq!(app.call("PUT", &format!("{SESSION}/current-branch"), body).await.status, 200);
    let of_c = all_versions(&app).await;
    assert_eq!((before.len(), of_c.len()), (2, 1));
    assert_eq!(app.call("DELETE", &format!("{SESSION}/branches/b"), "").await.status, 204);
    erase_all(&app.store).await;
    assert_eq!(all_versions(&app).await, of_c);
    assert_eq!(count(&app, "select count(*) from summaries").await, 1);
    for (table, word) in [
        ("messages", "body"),
        ("record_parts", "entries"),
        ("ledger_entries", "value"),
        ("summaries", "rendering"),
    ] {
        let left = format!("select count(*) from {table} where {word}::text like '%printer%'");
        assert_eq!(count(&app, &left).await, 0, "{table}");
    }
    work(&app, "", "linker").await;
    app.compress("s", "").await;
    let shown = app.call("GET", &format!("{SESSION}/summary"), "").await.text;
    assert!(shown.contains("lexer") && shown.contains("linker") && !shown.contains("printer"), "{shown}");
}

/// The versions of the current branch, each as it is read.
async fn all_versions(app: &App) -> Vec<String> {
    let listed = app.call("GET", &format!("{SESSION}/summaries"), "").await.json();
    let mut all = Vec::new();
    for item in listed["items"].as_array().expect("items") {
        let read = app.call("GET", &format!("{SESSION}/summaries/{}", item["version"]), "").await.with(200);
        all.push(read.text);
    }
    all
}

/// The index of an erased branch goes with nobody left who reads it; a later fork does not take it for its own.
#[tokio::test]
async fn recall_finds_what_is_shared_with_an_erased_branch_whose_index_is_gone() {
    let app = app().await;
    let settings = json!({"auto": false, "context_window": 10_000}).to_string();
    app.call("PUT", "/v1/sessions/s", settings).await;
    let messages: Vec<Value> = (0..40)
        .map(|i| json!({"role": "user", "content": format!("word{i} {}", "talk ".repeat(60))}))
        .collect();
    app.call("POST", "/v1/sessions/s/messages", json!({"messages": messages}).to_string()).await;
    app.call("POST", "/v1/sessions/s/branches", r#"{"name": "c", "seq": 30}"#).await.with(201);
    app.call("POST", "/v1/sessions/s/compressions", json!({"target": 0.1}).to_string()).await;
    app.work().await;
    app.call("PUT", "/v1/sessions/s/current-branch", r#"{"name": "c"}"#).await;
    assert_eq!(app.call("DELETE", "/v1/sessions/s/branches/main", "").await.status, 204);
    app.call("POST", "/v1/sessions/s/truncate", r#"{"seq": 20}"#).await.with(200);
    let found = app.call("GET", "/v1/sessions/s/recall?q=word7", "").await.json();
    assert_eq!(found["items"][0]["seq"], 8, "{found}");
}
