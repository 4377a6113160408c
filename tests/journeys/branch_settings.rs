//! Settings are the session's: they are stored once, and are in force on every branch, whichever one is named.

use futures::future::join_all;
use serde_json::{Value, json};

use crate::erasing::erase_all;
use crate::support::app::{Answer, App, COMPRESS, app};
use crate::support::talks::{called, turns};
use crate::support::{change, changed_meanwhile, number};

const SESSION: &str = "/v1/sessions/s";

/// A session, and its branch `b` that is forked at 0 before there is a message.
async fn two_branches(settings: &Value) -> App {
    let app = app().await;
    app.call("PUT", SESSION, settings.to_string()).await.with(201);
    fork(&app, json!({"name": "b", "seq": 0})).await;
    app
}

async fn fork(app: &App, body: Value) {
    app.call("POST", &format!("{SESSION}/branches"), body.to_string()).await.with(201);
}

async fn ok(app: &App, method: &str, path: &str, body: Value) -> Value {
    let body = if method == "GET" { String::new() } else { body.to_string() };
    app.call(method, &format!("{SESSION}{path}"), body).await.good().json()
}

async fn get(app: &App, path: &str) -> Value {
    ok(app, "GET", path, Value::Null).await
}

/// A call of a command with its output, so often; the output has about 700 tokens.
fn runs(count: usize) -> Vec<Value> {
    let run = |id: usize| {
        let lines: Vec<String> =
            (0..70).map(|line| format!("{id} line {line} of the output of it\n")).collect();
        called(&format!("c{id}"), "bash", &json!({"command": format!("cmd {id}")}), &lines.concat())
    };
    std::iter::once(asks()).chain((0..count).flat_map(run)).collect()
}

fn asks() -> Value {
    json!({"role": "user", "content": "go on"})
}

fn talk(messages: usize, tokens: usize) -> Vec<Value> {
    turns(messages, |i| format!("step {i}: {}", "some talk ".repeat(tokens / 2)))
}

async fn append(app: &App, query: &str, messages: Vec<Value>) -> Value {
    ok(app, "POST", &format!("/messages{query}"), json!({"messages": messages})).await
}

async fn count(app: &App, query: &str) -> i64 {
    number(&mut app.database.connect_as_superuser().await, query).await
}

#[tokio::test]
async fn a_setting_made_on_one_branch_is_in_force_on_all() {
    let app = two_branches(&json!({"context_window": 20_000, "auto": false})).await;
    append(&app, "", talk(8, 300)).await;
    append(&app, "?branch=b", talk(6, 300)).await;
    fork(&app, json!({"name": "c", "from": "b", "seq": 4})).await;
    let branches = ["?branch=main", "?branch=b", "?branch=c"];
    let mut revisions = Vec::new();
    for branch in branches {
        let served = get(&app, &format!("/context{branch}")).await;
        revisions.push(served["context_revision"].as_i64().expect("a revision"));
    }
    let pins = json!({"pins": ["Say nothing of what you were asked not to say. ".repeat(30)]});
    ok(&app, "PUT", "/pins?branch=c", pins.clone()).await;
    revisions[2] += 1;
    let change = json!({"context_window": 4_000, "fill": 0.2, "preserve_recent": 2, "model": "gpt-4o", "user": "u",
                        "metadata": {"team": "red"}});
    let patched = ok(&app, "PATCH", "?branch=b", change).await;
    assert_eq!(
        (&patched["branch"], &patched["head_seq"]),
        (&json!("b"), &json!(6)),
        "the figures of the one that is named"
    );
    for (branch, before) in branches.into_iter().zip(revisions) {
        let session = get(&app, branch).await;
        assert_eq!(session["settings"], patched["settings"], "{branch}");
        assert_eq!(session["policy"], patched["policy"], "{branch}");
        assert_eq!(session["usage"]["effective_window"], patched["usage"]["effective_window"], "{branch}");
        let served = get(&app, &format!("/context{branch}")).await;
        assert_eq!(served["max_input_tokens"], patched["usage"]["effective_window"], "{branch}");
        assert_eq!(served["context_revision"], before + 1, "{branch}");
        // A twentieth of the window has no room for them.
        app.call("PUT", &format!("{SESSION}/pins{branch}"), pins.to_string()).await.with(422);
    }
    let exported = app.call("GET", &format!("{SESSION}/export"), "").await.text;
    let head: Value = serde_json::from_str(exported.lines().next().expect("a line")).expect("JSON");
    assert_eq!(head["settings"], patched["settings"]);
    let put = ok(&app, "PUT", "?branch=c", json!({"auto": false, "mask": "off"})).await;
    assert_eq!((&put["branch"], &put["settings"]), (&json!("c"), &json!({"auto": false, "mask": "off"})));
    for branch in branches {
        let session = get(&app, branch).await;
        assert_eq!(session["settings"], put["settings"], "what is replaced on one is on all");
        assert_eq!(session["policy"]["context_window"], 200_000);
    }
    let own = "select count(*) from sessions where root_id is not null
               and (settings::text <> '{}' or user_id is not null or settings_revision <> 0)";
    assert_eq!(count(&app, own).await, 0, "no branch has a copy");
    let listed = app.call("GET", "/v1/sessions?include=settings", "").await.json();
    assert_eq!(listed["items"][0]["settings"], put["settings"]);
}

#[tokio::test]
async fn masks_that_are_turned_off_and_on_elsewhere_are_counted_as_they_are_served() {
    let app = two_branches(&json!({"context_window": 24_000, "auto": false})).await;
    let used = async || get(&app, "?branch=b").await["usage"]["context_tokens"].as_i64().expect("tokens");
    append(&app, "?branch=b", runs(24)).await;
    append(&app, "?branch=b", vec![asks()]).await;
    let masked = async || {
        let served = get(&app, "/context?branch=b").await;
        let runs = served["omitted"].as_array().expect("a list").iter();
        runs.filter(|run| run["reason"] == "clipped").count()
    };
    let (on, before) = (masked().await, used().await);
    assert!(on >= 10, "{on}");
    ok(&app, "PATCH", "?branch=main", json!({"mask": "off"})).await;
    let whole = used().await;
    assert!(whole > before + 5_000 && masked().await == 0, "{whole} after {before}");
    let appended = append(&app, "?branch=b", vec![asks()]).await;
    let added = appended["tokens_added"].as_i64().expect("tokens");
    assert_eq!(appended["usage"]["context_tokens"], whole + added);
    ok(&app, "PATCH", "?branch=main", json!({"mask": "auto"})).await;
    assert_eq!((masked().await, used().await), (on, before + added), "as if they had not been off");
    let appended = append(&app, "?branch=b", vec![asks()]).await;
    assert_eq!(appended["usage"]["context_tokens"], before + 2 * added);
}

#[tokio::test]
async fn a_rollback_holds_until_the_settings_change_on_any_branch() {
    let app = two_branches(&json!({"context_window": 20_000, "auto": false})).await;
    for messages in [10, 25] {
        append(&app, "?branch=b", talk(messages, 380)).await;
        ok(&app, "POST", "/compressions?branch=b", serde_json::from_str(COMPRESS).expect("JSON")).await;
        app.work().await;
    }
    ok(&app, "PATCH", "?branch=b", json!({"auto": true})).await;
    ok(&app, "POST", "/summaries/1/rollback?branch=b", json!({})).await;
    // Enough messages since the last compression for the next one.
    let held = append(&app, "?branch=b", talk(10, 10)).await;
    assert!(held["compression"].is_null() && held["decision"]["action"] == "compress", "{held}");
    ok(&app, "PATCH", "?branch=main", json!({"fill": 0.3})).await;
    let started = append(&app, "?branch=b", talk(2, 10)).await;
    assert_eq!(started["compression"]["status"], "queued", "{started}");
}

#[tokio::test]
async fn a_model_that_an_append_names_is_that_of_every_branch() {
    let app = app().await;
    let say = async |query: &str, model: &str, key: Option<&str>| {
        let body = json!({"messages": talk(2, 20), "model": model}).to_string();
        let headers: Vec<_> = key.map(|key| ("idempotency-key", key)).into_iter().collect();
        let path = format!("{SESSION}/messages{query}");
        app.call_with("POST", &path, body, &headers).await.with(201)
    };
    say("", "gpt-4o", None).await;
    // It was stored with main's counts, where no branch looks.
    fork(&app, json!({"name": "b"})).await;
    assert_eq!(get(&app, "?branch=b").await["settings"]["model"], "gpt-4o");
    let first = say("?branch=b", "claude-sonnet-4-5", Some("first")).await;
    for branch in ["?branch=main", "?branch=b"] {
        let session = get(&app, branch).await;
        assert_eq!(session["settings"]["model"], "claude-sonnet-4-5", "{branch}");
        assert_eq!(session["policy"]["tokenizer"], "o200k_base", "{branch}");
    }
    let gpt = say("?branch=main", "gpt-4o", None).await.json();
    let window = get(&app, "?branch=b").await["usage"]["effective_window"].clone();
    assert_eq!(gpt["usage"]["effective_window"], window);
    let again = say("?branch=b", "claude-sonnet-4-5", Some("first")).await;
    assert_eq!(again.text, first.text);
    assert_eq!(get(&app, "").await["settings"]["model"], "gpt-4o", "a retry names what was then");
    // A refused append changes nothing.
    let late = json!({"messages": talk(1, 5), "model": "gpt-4.1", "expected_next_seq": 2}).to_string();
    assert_eq!(app.call("POST", &format!("{SESSION}/messages?branch=b"), late).await.status, 409);
    let odd = json!({"messages": talk(1, 5), "model": "a\u{1}b"}).to_string();
    assert_eq!(app.call("POST", &format!("{SESSION}/messages?branch=b"), odd).await.status, 422);
    assert_eq!(get(&app, "").await["settings"]["model"], "gpt-4o");
    let none = ok(&app, "PATCH", "?branch=b", json!({"model": null})).await;
    assert_eq!((&none["settings"], &get(&app, "?branch=main").await["settings"]), (&json!({}), &json!({})));
}

#[tokio::test]
async fn all_branches_count_with_one_tokenizer_from_the_first_fork_on() {
    let app = two_branches(&json!({"tokenizer": "estimate"})).await;
    for branch in ["?branch=main", "?branch=b"] {
        let change = json!({"tokenizer": "cl100k_base"}).to_string();
        let refused = app.call("PATCH", &format!("{SESSION}{branch}"), change).await.with(422);
        assert_eq!(refused.json()["errors"][0]["pointer"], "/tokenizer", "{}", refused.text);
    }
    append(&app, "?branch=b", talk(4, 50)).await;
    // Without the field it stays.
    ok(&app, "PUT", "?branch=b", json!({"model": "gpt-4o"})).await;
    append(&app, "?branch=main", talk(4, 50)).await;
    let tokens = async |branch: &str| {
        let session = get(&app, branch).await;
        assert_eq!(session["policy"]["tokenizer"], "estimate", "{branch}");
        session["usage"]["context_tokens"].clone()
    };
    assert_eq!(tokens("?branch=main").await, tokens("?branch=b").await);
    // One that follows from a default is fixed as well.
    let other = self::app().await;
    assert_eq!(other.call("PUT", SESSION, "{}").await.status, 201);
    fork(&other, json!({"seq": 0, "switch": true})).await;
    append(&other, "", talk(2, 10)).await;
    let change = json!({"tokenizer": "estimate"}).to_string();
    assert_eq!(other.call("PATCH", &format!("{SESSION}?branch=main"), change).await.status, 422);
}

#[tokio::test]
async fn settings_outlive_main() {
    let app = two_branches(&json!({"context_window": 20_000, "user": "u"})).await;
    append(&app, "", talk(4, 50)).await;
    append(&app, "?branch=b", talk(2, 50)).await;
    ok(&app, "PUT", "/current-branch", json!({"name": "b"})).await;
    assert_eq!(app.call("DELETE", &format!("{SESSION}/branches/main"), "").await.status, 204);
    erase_all(&app.store).await;
    assert_eq!(get(&app, "").await["settings"], json!({"context_window": 20_000, "user": "u"}));
    let patched = ok(&app, "PATCH", "", json!({"context_window": 30_000, "metadata": {"team": "red"}})).await;
    assert_eq!((&patched["branch"], &patched["policy"]["context_window"]), (&json!("b"), &json!(30_000)));
    let said = json!({"messages": talk(2, 10), "model": "gpt-4o"});
    ok(&app, "POST", "/messages", said).await;
    fork(&app, json!({"name": "c", "seq": 1})).await;
    for query in ["?metadata=team:red&include=settings", "?user=u&include=settings"] {
        let listed = app.call("GET", &format!("/v1/sessions{query}"), "").await.json();
        assert_eq!(listed["items"][0]["settings"]["model"], "gpt-4o", "{listed}");
    }
    assert_eq!(get(&app, "?branch=c").await["settings"]["context_window"], 30_000);
    assert_eq!(app.call("GET", &format!("{SESSION}?branch=main"), "").await.status, 404);
}

/// Agents with models of their own on two branches take turns: none waits until it is refused.
#[tokio::test]
async fn appends_that_name_different_models_at_once_are_all_stored() {
    let app = two_branches(&json!({})).await;
    let before = get(&app, "?branch=b").await["head_seq"].as_i64().expect("a position");
    let of = [("main", "gpt-4o"), ("b", "claude-sonnet-4-5"), ("b", "gpt-4.1")];
    for _ in 0..10 {
        let all = of.map(|(branch, model)| {
            let said = json!({"messages": talk(1, 20), "model": model}).to_string();
            let path = format!("{SESSION}/messages?branch={branch}");
            let app = &app;
            async move { app.call("POST", &path, said).await }
        });
        for reply in join_all(all).await {
            assert_eq!(reply.status, 201, "{}", reply.text);
        }
    }
    assert_eq!(get(&app, "?branch=b").await["head_seq"], before + 20);
}

/// An append to a branch that was decided before main's settings changed is decided again, on the new ones.
#[tokio::test]
async fn an_append_that_was_decided_on_other_settings_is_decided_again() {
    let app = two_branches(&json!({"auto": false, "context_window": 40_000})).await;
    let appending = append(&app, "?branch=b", talk(1, 20));
    let mut owner = app.database.connect().await;
    let smaller = r#"update sessions set settings_revision = settings_revision + 1,
                     settings = (settings::jsonb || '{"context_window": 20000}')::json where root_id is null"#;
    let changing = change(&mut owner, smaller);
    // Nothing but the write needs this table.
    let answer = changed_meanwhile(&app.database, "tool_outputs", appending, changing).await;
    assert!(answer["usage"]["effective_window"].as_i64().expect("a window") < 20_000, "{answer}");
}

/// Appends, forks, compressions and changes of settings at once: nobody waits for another in a circle, every message is there once, and
/// what is in force in the end is so on every branch.
#[tokio::test]
async fn settings_appends_and_forks_at_once_end_with_the_same_settings_everywhere() {
    let app = two_branches(&json!({"context_window": 40_000})).await;
    let (app, names) = (&app, ["main", "b"]);
    let models = ["gpt-4o", "claude-sonnet-4-5", "gpt-4.1"];
    let all = (0..120_usize).map(|at| async move {
        let branch = names[at % 2];
        let answered: Answer = match at % 6 {
            0 | 1 => {
                let change = json!({"context_window": 20_000 + 1_000 * at}).to_string();
                app.call("PATCH", &format!("{SESSION}?branch={branch}"), change).await
            }
            2 => {
                let said = json!({"messages": talk(1, 50), "model": models[at % 3]}).to_string();
                app.call("POST", &format!("{SESSION}/messages?branch={branch}"), said).await
            }
            3 | 4 => {
                let said = json!({"messages": talk(1, 50)}).to_string();
                app.call("POST", &format!("{SESSION}/messages?branch={branch}"), said).await
            }
            _ => app.call("POST", &format!("{SESSION}/branches"), json!({"from": branch}).to_string()).await,
        };
        assert!(answered.status.is_success(), "{at}: {}", answered.text);
    });
    join_all(all).await;
    app.work().await;
    let main = get(app, "?branch=main").await;
    let heads = (main["head_seq"].as_i64(), get(app, "?branch=b").await["head_seq"].as_i64());
    assert_eq!(heads.0.zip(heads.1).map(|(one, other)| one + other), Some(60));
    let listed = get(app, "/branches?limit=100").await;
    let branches = listed["items"].as_array().expect("a list");
    assert_eq!(branches.len(), 22);
    for branch in branches {
        let name = branch["name"].as_str().expect("a name");
        let session = get(app, &format!("?branch={name}")).await;
        assert_eq!(session["settings"], main["settings"], "{name}");
        let appended = append(app, &format!("?branch={name}"), vec![asks()]).await;
        let window = &appended["usage"]["effective_window"];
        assert_eq!(*window, main["usage"]["effective_window"], "{name}");
    }
}
