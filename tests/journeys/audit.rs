//! The audit log: what is erased and exported, and keys that are refused.

use serde_json::{Value, json};

use crate::support::app::{App, OPERATOR, OURS, app};
use crate::tenants::tenant;

const HELLO: &str = r#"{"messages": [{"role": "user", "content": "hello"}]}"#;

/// The entries of an action, newest first.
fn of<'a>(log: &'a Value, action: &str) -> Vec<&'a Value> {
    log["items"].as_array().unwrap().iter().filter(|item| item["action"] == action).collect()
}

async fn ours(app: &App) -> Value {
    app.call("GET", "/v1/audit", "").await.json()
}

#[tokio::test]
async fn who_erases_or_exports_a_session_is_in_the_log() {
    let app = app().await;
    app.call("POST", "/v1/sessions/s/messages", HELLO).await;
    assert_eq!(app.call("GET", "/v1/sessions/s/export", "").await.status, 200);
    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 204);
    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 404);
    assert_eq!(app.call("GET", "/v1/sessions/s/export", "").await.status, 404);
    let log = ours(&app).await;
    let (exported, deleted) = (of(&log, "session.exported"), of(&log, "session.deleted"));
    assert_eq!((exported.len(), deleted.len()), (1, 1), "{log}");
    let key = app.call("GET", "/v1/keys", "").await.json()["items"][0]["id"].clone();
    for entry in [exported[0], deleted[0]] {
        assert_eq!(entry["actor"], key, "{entry}");
        assert_eq!(entry["subject"], exported[0]["subject"], "the id, which is the same");
    }
}

#[tokio::test]
async fn a_flood_of_refused_keys_is_counted_and_adds_few_entries() {
    let app = app().await;
    let (id, key) = tenant(&app, "acme").await;
    let spare = json!({"scopes": ["read"]}).to_string();
    let spare = app.call_as(&key, "POST", "/v1/keys", spare).await.json();
    let (spare, spare_id) = (spare["key"].as_str().unwrap(), spare["id"].as_str().unwrap());
    assert_eq!(app.call_as(&key, "DELETE", &format!("/v1/keys/{spare_id}"), "").await.status, 204);
    for _ in 0..3 {
        assert_eq!(app.call_as(spare, "GET", "/v1/sessions", "").await.status, 401);
    }
    for n in 0..300 {
        let wrong = format!("wrong-{n}");
        assert_eq!(app.call_as(&wrong, "GET", "/v1/sessions", "").await.status, 401);
    }
    for _ in 0..5 {
        assert_eq!(app.call_as(OURS, "GET", "/v1/admin/tenants", "").await.status, 401);
    }
    app.record_refusals().await;
    app.record_refusals().await;
    let all = app.call_as(OPERATOR, "GET", "/v1/admin/audit?limit=1000", "").await.json();
    let subjects = |action| of(&all, action).iter().map(|entry| entry["subject"].clone()).collect::<Vec<_>>();
    assert_eq!(subjects("unknown_key.refused"), [json!("300")]);
    assert_eq!(subjects("operator_token.refused"), [json!("5")]);
    let log = app.call_as(&key, "GET", "/v1/audit", "").await.json();
    let refused = of(&log, "key.refused");
    assert_eq!(refused.len(), 1, "{log}");
    assert_eq!((&refused[0]["actor"], &refused[0]["subject"]), (&json!(spare_id), &json!("3")));
    assert!(of(&ours(&app).await, "key.refused").is_empty(), "others see nothing of {id}");
    assert!(
        !all.to_string().contains("anc_wrong") && !all.to_string().contains("anchord_"),
        "no key is in the log"
    );
}
