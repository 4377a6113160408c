//! What a tenant sets for all of its sessions: pins and defaults.

use serde_json::{Value, json};

use crate::support::app::COMPRESS;
use crate::support::app::{App, THEIRS, app};
use crate::support::talks::turns;

async fn put(app: &App, path: &str, body: Value) -> Value {
    app.call("PUT", path, body.to_string()).await.good().json()
}

async fn append(app: &App, session: &str, messages: usize, words: usize) -> Value {
    let messages = turns(messages, |i| format!("{i}: {}", "some talk ".repeat(words)));
    let body = json!({"messages": messages}).to_string();
    app.call("POST", &format!("/v1/sessions/{session}/messages"), body).await.with(201).json()
}

async fn context(app: &App, session: &str) -> Value {
    app.call("GET", &format!("/v1/sessions/{session}/context"), "").await.json()
}

#[tokio::test]
async fn a_tenants_pins_hold_in_each_of_its_sessions_from_the_next_read_on() {
    let app = app().await;
    append(&app, "a", 2, 3).await;
    append(&app, "b", 2, 3).await;
    put(&app, "/v1/sessions/b/pins", json!({"pins": ["Use tabs.", "Keep the log."]})).await;
    let before = [context(&app, "a").await, context(&app, "b").await];
    let wide = put(&app, "/v1/pins", json!({"pins": ["Never deploy on a Friday.", "Use tabs."]})).await;
    assert_eq!(app.call("GET", "/v1/pins", "").await.json(), wide);
    for (session, before) in ["a", "b"].into_iter().zip(&before) {
        let after = context(&app, session).await;
        assert!(after["messages"].to_string().contains("Never deploy on a Friday."), "{after}");
        let revision = |context: &Value| context["context_revision"].as_i64().unwrap();
        assert_eq!(revision(&after), revision(before) + 1);
        let view = app.call("GET", &format!("/v1/sessions/{session}"), "").await.json();
        assert_eq!(view["usage"]["context_tokens"], after["tokens"]["total"]);
        assert_eq!(view["context_revision"], after["context_revision"]);
        let reply = append(&app, session, 1, 1).await;
        let total = context(&app, session).await["tokens"]["total"].clone();
        assert_eq!(reply["usage"]["context_tokens"], total, "the append counts them too");
    }
    let text = context(&app, "b").await["messages"].to_string();
    assert_eq!(text.matches("Use tabs.").count(), 1, "a text that both pin comes once: {text}");
    let place = |pin: &str| text.find(pin).unwrap();
    assert!(place("Never deploy") < place("Keep the log."));
    let listed = app.call("GET", "/v1/sessions/b/pins", "").await.json();
    assert_eq!(listed["pins"][1]["text"], "Keep the log.");
    assert_eq!(listed["tenant_pins"], wide["pins"]);

    let theirs = format!("Bearer {THEIRS}");
    let strange = [("authorization", theirs.as_str())];
    assert_eq!(app.call_with("GET", "/v1/pins", "", &strange).await.json(), json!({"pins": []}));

    put(&app, "/v1/pins", json!({"pins": []})).await;
    let after = context(&app, "a").await;
    assert!(!after["messages"].to_string().contains("Friday"));
    assert_eq!(after["context_revision"].as_i64(), before[0]["context_revision"].as_i64().map(|r| r + 2));
}

#[tokio::test]
async fn a_known_context_changes_its_tag_with_the_tenants_pins() {
    let app = app().await;
    append(&app, "a", 2, 3).await;
    let path = "/v1/sessions/a/context";
    let tag = app.call("GET", path, "").await.headers["etag"].to_str().unwrap().to_owned();
    let known = [("if-none-match", tag.as_str())];
    assert_eq!(app.call_with("GET", path, "", &known).await.status, 304);
    put(&app, "/v1/pins", json!({"pins": ["Never deploy on a Friday."]})).await;
    assert_eq!(app.call_with("GET", path, "", &known).await.status, 200);
}

#[tokio::test]
async fn every_summary_carries_the_tenants_pins_and_is_asked_for_each() {
    let app = app().await;
    let pins: Vec<String> =
        (0..20).map(|i| format!("House rule {i}: leave port {} alone.", 9_000 + i)).collect();
    put(&app, "/v1/pins", json!({"pins": pins})).await;
    append(&app, "a", 30, 40).await;
    let done = app.call_with("POST", "/v1/sessions/a/compressions", COMPRESS, &[]).await.json();
    app.work().await;
    let id = done["id"].as_str().unwrap();
    let done = app.call("GET", &format!("/v1/sessions/a/compressions/{id}"), "").await.json();
    assert_eq!(done["status"], "succeeded", "{done}");
    assert_eq!(done["critical_failed"], 0, "{done}");
    let summary = app.call("GET", "/v1/sessions/a/summary", "").await.json();
    let carried: Vec<&str> =
        summary["constraints"].as_array().unwrap().iter().filter_map(|c| c["text"].as_str()).collect();
    let probes = app.call("GET", "/v1/sessions/a/probes?limit=500", "").await.text;
    for pin in &pins {
        assert!(carried.contains(&pin.as_str()), "{pin} is not carried");
        assert!(probes.contains(pin.as_str()), "{pin} has no probe");
    }
    let first = summary["constraints"][0]["id"].as_str().unwrap().to_owned();
    let refused = app.call("DELETE", &format!("/v1/sessions/a/constraints/{first}"), "").await;
    assert_eq!(refused.status, 422, "a pin is no extracted constraint");
}

#[tokio::test]
async fn pins_that_take_too_much_are_refused_and_change_nothing() {
    let app = app().await;
    put(&app, "/v1/settings", json!({"context_window": 4000})).await;
    put(&app, "/v1/pins", json!({"pins": ["Never deploy on a Friday."]})).await;
    let long = json!({"pins": ["word ".repeat(500)]}).to_string();
    assert_eq!(app.call("PUT", "/v1/pins", long).await.refusal(), (422, "refused".into(), "/pins".into()));
    assert_eq!(app.call("PUT", "/v1/pins", r#"{"pins": [" "]}"#).await.refusal().2, "/pins/0");
    let kept = app.call("GET", "/v1/pins", "").await.json();
    assert_eq!(kept["pins"][0]["text"], "Never deploy on a Friday.");
    // A session's own share is what the tenant's leave.
    append(&app, "a", 1, 1).await;
    let own = |words: usize| json!({"pins": ["word ".repeat(words)]}).to_string();
    assert_eq!(app.call("PUT", "/v1/sessions/a/pins", own(310)).await.status, 422);
    assert_eq!(app.call("PUT", "/v1/sessions/a/pins", own(280)).await.status, 200);
}

#[tokio::test]
async fn a_tenants_defaults_are_in_force_until_a_session_sets_its_own() {
    let app = app().await;
    let set = json!({"context_window": 10_000, "policy": "message_count", "min_messages": 2,
                     "thresholds": {"messages": {"optional": 4, "compress": 6, "force": 9}}});
    let settings = put(&app, "/v1/settings", set).await;
    assert_eq!(settings["policy"]["messages"], json!([4, 6, 9]));
    assert_eq!(app.call("GET", "/v1/settings", "").await.json(), settings);
    put(&app, "/v1/sessions/own", json!({"thresholds": {"messages": {"compress": 8}}})).await;
    let action = |reply: &Value| reply["decision"]["action"].as_str().unwrap().to_owned();
    assert_eq!(action(&append(&app, "plain", 7, 1).await), "compress");
    assert_eq!(action(&append(&app, "own", 7, 1).await), "optional");
    // What is there already follows a change at once, and starts a new revision.
    let before = app.call("GET", "/v1/sessions/own", "").await.json();
    let change = json!({"thresholds": {"messages": {"force": null, "optional": 1}}});
    assert_eq!(app.call("PATCH", "/v1/settings", change.to_string()).await.status, 200);
    let after = app.call("GET", "/v1/sessions/own", "").await.json();
    assert_eq!(after["policy"]["messages"], json!([1, 8, 70]));
    assert_ne!(before["context_revision"], after["context_revision"]);
    assert_eq!(after["settings"], before["settings"], "the tenant's are not the session's own");
    // A PUT replaces the settings, and leaves the pins that are stored beside them.
    put(&app, "/v1/pins", json!({"pins": ["Use tabs."]})).await;
    let replaced = put(&app, "/v1/settings", json!({"min_messages": 3})).await;
    assert_eq!(replaced["settings"], json!({"min_messages": 3}));
    assert_eq!(app.call("GET", "/v1/pins", "").await.json()["pins"][0]["text"], "Use tabs.");
}

#[tokio::test]
async fn one_pin_is_added_and_removed_by_itself_and_what_was_read_can_be_written_back() {
    let app = app().await;
    append(&app, "a", 2, 3).await;
    for (pins, first) in [("/v1/pins", "Never deploy on a Friday."), ("/v1/sessions/a/pins", "Use tabs.")] {
        let body = json!({"text": first}).to_string();
        let added = app.call_with("POST", pins, body.clone(), &[("idempotency-key", "one")]).await.with(201);
        let again = app.call_with("POST", pins, body.clone(), &[("idempotency-key", "one")]).await;
        assert_eq!(added.json(), again.json());
        let second = app.call("POST", pins, json!({"text": "Keep the log."}).to_string()).await.json();
        assert_eq!(app.call("POST", pins, body).await.json(), added.json(), "it is there already");
        let read = app.call("GET", pins, "").await.json();
        assert_eq!(read["pins"], json!([added.json(), second]));

        let written = app.call("PUT", pins, read.to_string()).await;
        assert_eq!(
            (written.status.as_u16(), &written.json()["pins"]),
            (200, &read["pins"]),
            "{}",
            written.text
        );
        for (wrong, pointer) in
            [(json!({"text": " "}), "/text"), (json!({"txt": "x"}), "/txt"), (json!({}), "/text")]
        {
            assert_eq!(app.call("POST", pins, wrong.to_string()).await.refusal().2, pointer, "{wrong}");
        }

        let path = format!("{pins}/{}", second["id"].as_str().unwrap());
        assert_eq!(app.call("DELETE", &path, "").await.status, 204);
        assert_eq!(app.call("DELETE", &path, "").await.refusal().1, "pin-not-found");
        assert_eq!(app.call("GET", pins, "").await.json()["pins"], json!([added.json()]));
    }
    let context = context(&app, "a").await["messages"].to_string();
    assert!(
        context.contains("Friday") && context.contains("Use tabs.") && !context.contains("Keep the log.")
    );
    let theirs = app.call_as(THEIRS, "POST", "/v1/sessions/a/pins", json!({"text": "x"}).to_string()).await;
    assert_eq!(theirs.refusal().1, "session-not-found");
    let many: Vec<String> = (0..200).map(|i| format!("{i}")).collect();
    put(&app, "/v1/sessions/a/pins", json!({"pins": many})).await;
    let full = app.call("POST", "/v1/sessions/a/pins", json!({"text": "one more"}).to_string()).await;
    full.refused_at(422, "/text");
}

#[tokio::test]
async fn wrong_defaults_are_refused_with_their_field_and_change_nothing() {
    let app = app().await;
    let before = app.call("GET", "/v1/settings", "").await.json();
    for (change, pointer) in [
        (json!({"fill": 0.9}), "/fill"),
        (json!({"task_id": "t"}), "/task_id"),
        (json!({"metadata": {}}), "/metadata"),
        (json!({"wide": {"pins": []}}), "/wide"),
        (json!({"engine": "llm"}), "/engine"),
    ] {
        app.call("PUT", "/v1/settings", change.to_string()).await.refused_at(422, pointer);
    }
    assert_eq!(app.call("GET", "/v1/settings", "").await.json(), before);
}
