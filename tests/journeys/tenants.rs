//! Tenants over the operator's API: made, bounded, suspended, erased, each with its entry in the audit log.

use serde_json::{Value, json};

use crate::support::app::COMPRESS;
use crate::support::app::{App, OPERATOR, OURS, app};
use crate::support::talks::turns;

/// Makes a tenant and a key of it.
pub async fn tenant(app: &App, name: &str) -> (String, String) {
    let made = app.call_as(OPERATOR, "POST", "/v1/admin/tenants", json!({"name": name}).to_string()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/admin/tenants/{id}/keys");
    let key = app.call_as(OPERATOR, "POST", &path, r#"{"scopes": ["read", "write", "admin"]}"#).await;
    assert_eq!(key.status, 201, "{}", key.text);
    (id, key.json()["key"].as_str().unwrap().to_owned())
}

fn actions(log: &Value) -> Vec<String> {
    let items = log["items"].as_array().cloned().unwrap_or_default();
    items.iter().filter_map(|item| item["action"].as_str().map(str::to_owned)).collect()
}

const HELLO: &str = r#"{"messages": [{"role": "user", "content": "hello"}]}"#;

#[tokio::test]
async fn a_tenant_is_made_listed_changed_and_erased_with_all_that_it_owns() {
    let app = app().await;
    let (id, key) = tenant(&app, "acme").await;
    let path = format!("/v1/admin/tenants/{id}");
    assert_eq!(app.call_as(&key, "POST", "/v1/sessions/s/messages", HELLO).await.status, 201);

    let first = app.call_as(OPERATOR, "GET", "/v1/admin/tenants?limit=2", "").await.json();
    assert_eq!(first["items"].as_array().unwrap().len(), 2);
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = app.call_as(OPERATOR, "GET", &format!("/v1/admin/tenants?limit=2&cursor={cursor}"), "").await;
    assert_eq!(rest.json()["items"][0]["name"], "acme");

    let change = json!({"name": "acme two", "quotas": {"messages_per_day": 10}}).to_string();
    let changed = app.call_as(OPERATOR, "PATCH", &path, change).await.json();
    assert_eq!((&changed["name"], &changed["status"]), (&json!("acme two"), &json!("active")));
    assert_eq!(app.call_as(OPERATOR, "GET", &path, "").await.json(), changed);

    assert_eq!(app.call_as(OPERATOR, "DELETE", &path, "").await.status, 204);
    assert_eq!(app.call_as(OPERATOR, "DELETE", &path, "").await.refusal().1, "tenant-not-found");
    assert_eq!(app.call_as(&key, "GET", "/v1/sessions/s", "").await.status, 401);
    let log = app.call_as(OPERATOR, "GET", "/v1/admin/audit", "").await.json();
    assert_eq!(&actions(&log)[..4], ["tenant.deleted", "tenant.changed", "key.created", "tenant.created"]);
    assert!(log["items"].as_array().unwrap().iter().take(4).all(|item| item["actor"] == "operator"));
}

#[tokio::test]
async fn what_was_counted_of_an_erased_tenant_goes_with_it() {
    let app = app().await;
    let (id, key) = tenant(&app, "acme").await;
    assert_eq!(app.call_as(&key, "POST", "/v1/sessions/s/messages", HELLO).await.status, 201);
    assert_eq!(app.call("POST", "/v1/sessions/s/messages", HELLO).await.status, 201);
    // Before the ledger is written, which happens once a second.
    assert_eq!(app.call_as(OPERATOR, "DELETE", &format!("/v1/admin/tenants/{id}"), "").await.status, 204);
    app.store.flush_usage(None).await.expect("nothing is left to fail at");
    app.store.flush_usage(None).await.expect("nor later");
    let usage = app.call("GET", "/v1/usage", "").await;
    assert_eq!(usage.json()["total"]["appends"], 1, "others are written: {}", usage.text);
}

#[tokio::test]
async fn a_suspended_tenants_keys_open_nothing_its_work_rests_and_nothing_is_lost() {
    let app = app().await;
    let (id, key) = tenant(&app, "acme").await;
    let path = format!("/v1/admin/tenants/{id}");
    let messages = turns(12, |n| format!("message {n}"));
    let appended = json!({"messages": messages}).to_string();
    app.call_as(&key, "POST", "/v1/sessions/s/messages", appended).await;
    app.call_as(&key, "POST", "/v1/sessions/s/compressions", COMPRESS).await.with(202);

    app.call_as(OPERATOR, "PATCH", &path, r#"{"status": "suspended"}"#).await;
    app.call_as(&key, "GET", "/v1/sessions/s", "").await.refused_as(403, "tenant-suspended");
    app.work().await;

    app.call_as(OPERATOR, "PATCH", &path, r#"{"status": "active"}"#).await;
    let compressions = "/v1/sessions/s/compressions";
    let rested = app.call_as(&key, "GET", compressions, "").await.json();
    assert_eq!(rested["items"][0]["status"], "queued", "nobody worked while it was suspended");
    app.work().await;
    let done = app.call_as(&key, "GET", compressions, "").await.json();
    assert_ne!(done["items"][0]["status"], "queued");
    assert_eq!(app.call_as(&key, "GET", "/v1/sessions/s", "").await.json()["head_seq"], 12);
}

#[tokio::test]
async fn the_same_call_with_an_idempotency_key_makes_one_tenant() {
    let app = app().await;
    let token = format!("Bearer {OPERATOR}");
    let headers = [("authorization", token.as_str()), ("idempotency-key", "first-try")];
    let post = async |name: &str| {
        app.call_with("POST", "/v1/admin/tenants", json!({"name": name}).to_string(), &headers).await
    };
    let (one, two) = (post("acme").await, post("acme").await);
    assert_eq!((one.status.as_u16(), two.status.as_u16()), (201, 201));
    assert_eq!(one.json()["id"], two.json()["id"]);
    assert_eq!(post("other").await.refusal().1, "idempotency-mismatch");
    let twice = app.call_as(OPERATOR, "POST", "/v1/admin/tenants", r#"{"name": "acme"}"#).await;
    assert_eq!(twice.refusal().1, "conflict");
}

#[tokio::test]
async fn a_tenant_that_could_not_be_made_with_its_quotas_is_not_there_and_a_retry_makes_it_with_them() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    // A database that fails after the tenant's row is written.
    let failing = "create function fail() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
                   create trigger fail before update on tenants for each row execute function fail();
                   create trigger fail before insert on idempotency_keys for each row execute function fail()";
    sqlx::raw_sql(failing).execute(&mut owner).await.unwrap();
    let token = format!("Bearer {OPERATOR}");
    let headers = [("authorization", token.as_str()), ("idempotency-key", "first-try")];
    let new = json!({"name": "acme", "quotas": {"messages_per_day": 5}}).to_string();
    let post = async |body: &str| app.call_with("POST", "/v1/admin/tenants", body.to_owned(), &headers).await;
    assert_eq!(post(&new).await.status, 500);
    let listed = app.call_as(OPERATOR, "GET", "/v1/admin/tenants", "").await.json();
    assert!(listed["items"].as_array().unwrap().iter().all(|tenant| tenant["name"] != "acme"), "{listed}");
    let mended = "drop trigger fail on tenants; drop trigger fail on idempotency_keys";
    sqlx::raw_sql(mended).execute(&mut owner).await.unwrap();
    let made = post(&new).await;
    assert_eq!((made.status.as_u16(), &made.json()["quotas"]), (201, &json!({"messages_per_day": 5})));
    assert_eq!(post(&new).await.text, made.text);
    let other = json!({"name": "acme", "quotas": {"messages_per_day": 6}}).to_string();
    assert_eq!(post(&other).await.refusal().1, "idempotency-mismatch");
}

#[tokio::test]
async fn the_same_call_with_an_idempotency_key_makes_one_key_and_shows_it_once() {
    let app = app().await;
    let (id, key) = tenant(&app, "acme").await;
    let count = async || {
        let keys = app.call_as(OPERATOR, "GET", &format!("/v1/admin/tenants/{id}/keys"), "").await.json();
        keys["items"].as_array().unwrap().len()
    };
    let own =
        app.call_as(&key, "GET", "/v1/keys", "").await.json()["items"][0]["id"].as_str().unwrap().to_owned();
    let cases = [
        (OPERATOR, format!("/v1/admin/tenants/{id}/keys"), r#"{"scopes": ["read"]}"#),
        (OPERATOR, format!("/v1/admin/tenants/{id}/keys/{own}/rotate"), "{}"),
        (key.as_str(), "/v1/keys".to_owned(), r#"{"scopes": ["read"]}"#),
        (key.as_str(), format!("/v1/keys/{own}/rotate"), "{}"),
    ];
    for (caller, path, body) in cases {
        let before = count().await;
        let token = format!("Bearer {caller}");
        let headers = [("authorization", token.as_str()), ("idempotency-key", "first-try")];
        let first = app.call_with("POST", &path, body, &headers).await;
        let again = app.call_with("POST", &path, body, &headers).await;
        assert_eq!((first.status.as_u16(), again.status.as_u16()), (201, 201), "{path} {}", again.text);
        let (first, again) = (first.json(), again.json());
        assert!(first["key"].as_str().unwrap().starts_with("anchord_"), "{path}");
        assert_eq!((&again["key"], &again["id"]), (&Value::Null, &first["id"]), "{path}");
        assert_eq!(count().await, before + 1, "{path}");
        let other = app.call_with("POST", &path, body.replace('}', " }"), &headers).await;
        assert_eq!(other.refusal().1, "idempotency-mismatch", "{path}");
    }
    let mut owner = app.database.connect().await;
    let stored = "select count(*) from idempotency_keys where reply like '%anchord\\_%' and reply not like '%\"key\":null%'";
    let shown = sqlx::raw_sql(stored).fetch_one(&mut owner).await.unwrap();
    assert_eq!(sqlx::Row::get::<i64, _>(&shown, 0), 0, "no kept reply has a key");
}

#[tokio::test]
async fn a_wrong_tenant_is_refused_with_its_field() {
    let app = app().await;
    for (body, pointer) in [
        (json!({"name": ""}), "/name"),
        (json!({"name": "a\nb"}), "/name"),
        (json!({"name": "x".repeat(101)}), "/name"),
        (json!({"name": "a", "quotas": {"requests_per_second": 0}}), "/quotas/requests_per_second"),
        (json!({"name": "a", "quotas": {"request": 1}}), "/quotas/request"),
        (json!({"name": "a", "plan": "gold"}), "/plan"),
    ] {
        app.call_as(OPERATOR, "POST", "/v1/admin/tenants", body.to_string()).await.refused_at(422, pointer);
    }
    let (id, _) = tenant(&app, "acme").await;
    tenant(&app, "other").await;
    let path = format!("/v1/admin/tenants/{id}");
    assert_eq!(app.call_as(OPERATOR, "PATCH", &path, r#"{"name": "other"}"#).await.refusal().1, "conflict");
    assert_eq!(app.call_as(OPERATOR, "GET", "/v1/admin/tenants/x", "").await.refusal().2, "/tenant_id");
}

#[tokio::test]
async fn the_operators_routes_take_the_operator_token_alone() {
    let app = app().await;
    let document = anchord_http::openapi();
    let mut walked = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        if !path.starts_with("/v1/admin") {
            continue;
        }
        for method in item.as_object().unwrap().keys() {
            let url = path
                .replace("{tenant_id}", "ten_00000000000000000000000000000001")
                .replace("{key_id}", "key_00000000000000000000000000000001");
            let reply = app.call_as(OURS, &method.to_uppercase(), &url, "{}").await;
            assert_eq!(reply.status, 401, "{method} {path}");
            walked += 1;
        }
    }
    assert!(walked > 10, "only {walked} operations");
}

#[tokio::test]
async fn a_tenants_own_bound_of_rate_holds_over_all_of_its_keys() {
    let app = app().await;
    let (id, key) = tenant(&app, "acme").await;
    let path = format!("/v1/admin/tenants/{id}");
    let more = app.call_as(OPERATOR, "POST", &format!("{path}/keys"), r#"{"scopes": ["read"]}"#).await.json();
    app.call_as(OPERATOR, "PATCH", &path, r#"{"quotas": {"requests_per_second": 2}}"#).await;
    let keys = [key.as_str(), more["key"].as_str().unwrap()];
    let mut refused = None;
    for i in 0..20 {
        let reply = app.call_as(keys[i % 2], "GET", "/v1/sessions", "").await;
        if reply.status == 429 {
            refused = Some(reply);
            break;
        }
    }
    let refused = refused.expect("a refusal");
    assert_eq!(refused.refusal().1, "rate-limited");
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(refused.headers["ratelimit-policy"], r#""tenant";q=2;w=1"#);
    assert_eq!(app.call("GET", "/v1/sessions", "").await.status, 200, "others are not bound");
}

#[tokio::test]
async fn the_operator_sets_a_tenants_defaults() {
    let app = app().await;
    let (id, key) = tenant(&app, "acme").await;
    let path = format!("/v1/admin/tenants/{id}/settings");
    let put = app.call_as(OPERATOR, "PUT", &path, r#"{"context_window": 50000}"#).await;
    assert_eq!(put.json()["policy"]["context_window"], 50_000, "{}", put.text);
    assert_eq!(app.call_as(&key, "GET", "/v1/settings", "").await.json(), put.json());
    assert_eq!(app.call_as(OPERATOR, "GET", &path, "").await.json(), put.json());
    let log = app.call_as(&key, "GET", "/v1/audit", "").await.json();
    assert_eq!(actions(&log)[0], "settings.changed");
}
