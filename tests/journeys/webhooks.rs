//! Webhooks: who is told, where, with which secret, and for how long.

use anchord_runtime::clock::Clock;
use anchord_store::Store;
use anchord_store::secrets::SecretKeys;
use anchord_webhooks::signature::sign;
use anchord_webhooks::target::Reach;
use anchord_worker::webhook_client::WebhookClient;
use anchord_worker::webhook_dispatcher::WebhookDispatcher;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::erasing::erase_all;
use crate::events::{append, compress, session};
use crate::support::app::COMPRESS;
use crate::support::app::{App, OPERATOR, THEIRS, app, app_with_webhooks};
use crate::support::branches::{branch_of, fork, switch};
use crate::support::number;
use crate::support::receiver::{Answer, Message, Receiver};

/// Makes a webhook; its path and its secret.
pub(crate) async fn webhook(app: &App, body: Value) -> (String, String) {
    let made = app.call("POST", "/v1/webhooks", body.to_string()).await.with(201);
    let made = made.json();
    let id = made["webhook"]["id"].as_str().unwrap();
    assert!(id.starts_with("whk_"), "{id}");
    (format!("/v1/webhooks/{id}"), made["secret"].as_str().unwrap().to_owned())
}

/// A webhook's deliveries, newest first.
pub(crate) async fn log(app: &App, webhook: &str) -> Vec<Value> {
    let listed = app.call("GET", &format!("{webhook}/deliveries"), "").await.json();
    listed["items"].as_array().unwrap_or_else(|| panic!("{listed}")).clone()
}

pub(crate) async fn test(app: &App, webhook: &str) -> Value {
    app.call("POST", &format!("{webhook}/test"), "").await.with(202).json()
}

/// Changes rows as the owner of the database.
pub(crate) async fn change(app: &App, statement: &'static str) {
    let mut owner = app.database.connect().await;
    sqlx::raw_sql(statement).execute(&mut owner).await.unwrap();
}

/// Lets the waits of what is pending pass.
pub(crate) async fn pass(app: &App) {
    change(app, "update webhook_deliveries set due_at = now() where status = 'pending'").await;
}

/// What the standard says of a message's signature.
pub(crate) fn signed(message: &Message, secret: &str) -> String {
    let secret = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let timestamp = message.header("webhook-timestamp").parse().unwrap();
    sign([secret.as_slice()], message.header("webhook-id"), timestamp, &message.body)
}

#[tokio::test]
async fn another_tenant_sees_no_webhook_and_its_events_reach_none() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(200)]).await;
    let (path, _) = webhook(&app, json!({"url": receiver.url})).await;
    let delivery = test(&app, &path).await["id"].as_str().unwrap().to_owned();
    for (method, path) in [
        ("GET", path.clone()),
        ("PATCH", path.clone()),
        ("DELETE", path.clone()),
        ("POST", format!("{path}/rotate")),
        ("POST", format!("{path}/test")),
        ("GET", format!("{path}/deliveries")),
        ("GET", format!("{path}/deliveries/{delivery}")),
        ("POST", format!("{path}/deliveries/{delivery}/redeliver")),
    ] {
        let reply = app.call_as(THEIRS, method, &path, "{}").await;
        assert_eq!(reply.status, 404, "{method} {path}: {}", reply.text);
    }
    let listed = app.call_as(THEIRS, "GET", "/v1/webhooks", "").await.json();
    assert_eq!(listed["items"], json!([]));
    app.deliver().await;
    app.call_as(THEIRS, "PUT", "/v1/sessions/t", r#"{"auto": false}"#).await;
    let messages: Vec<Value> =
        (0..20).map(|i| json!({"role": "user", "content": format!("{i} {}", "talk ".repeat(100))})).collect();
    app.call_as(THEIRS, "POST", "/v1/sessions/t/messages", json!({"messages": messages}).to_string()).await;
    app.call_as(THEIRS, "POST", "/v1/sessions/t/compressions", COMPRESS).await;
    app.work().await;
    assert_eq!(app.deliver().await, 0);
    assert_eq!(receiver.kinds(), ["webhook.test"]);

    let reader = app.call("POST", "/v1/keys", r#"{"scopes": ["read", "write"]}"#).await.json();
    let reader = reader["key"].as_str().unwrap();
    assert_eq!(app.call_as(reader, "GET", "/v1/webhooks", "").await.refusal().1, "forbidden");
}

#[tokio::test]
async fn a_private_address_is_refused_when_it_is_given_and_when_it_is_called() {
    let strict = app().await;
    for url in [
        "http://example.com/", "https://127.0.0.1/", "https://10.1.2.3/hook", "https://2130706433/",
        "https://[::1]/", "https://[::ffff:169.254.169.254]/", "https://localhost/",
        "https://metadata.google.internal/", "https://user:password@example.com/", "no address",
    ] {
        let refused = strict.call("POST", "/v1/webhooks", json!({"url": url}).to_string()).await;
        assert_eq!(refused.refusal(), (422, "invalid-request".into(), "/url".into()), "{url}");
    }
    let (path, _) = webhook(&strict, json!({"url": "https://example.com/hook"})).await;
    let moved = strict.call("PATCH", &path, r#"{"url": "https://192.168.1.1/"}"#).await;
    assert_eq!(moved.refusal().2, "/url");

    // What one operator allowed is not called where another does not.
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(200)]).await;
    let port = receiver.url.rsplit(':').next().unwrap();
    let (number, _) = webhook(&app, json!({"url": receiver.url})).await;
    let (name, _) = webhook(&app, json!({"url": format!("https://localhost:{port}/")})).await;
    for path in [&number, &name] {
        test(&app, path).await;
    }
    let client = WebhookClient::new(Reach::Public).unwrap();
    let strict = WebhookDispatcher::new(app.store.clone(), Clock::system(), client);
    assert_eq!(strict.drain().await.unwrap(), 2);
    for path in [&number, &name] {
        let [refused] = log(&app, path).await.try_into().unwrap();
        let told = json!([refused["status"], refused["last_error"], refused["last_status_code"]]);
        assert_eq!(told, json!(["pending", "address", null]));
    }
    assert_eq!(receiver.seen().len(), 0, "nobody was called");
}

#[tokio::test]
async fn a_disabled_webhook_gets_nothing_and_an_enabled_one_what_comes_from_then_on() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(200)]).await;
    let (path, _) = webhook(&app, json!({"url": receiver.url, "events": ["summary.published"]})).await;
    let pending = test(&app, &path).await;
    let off = app.call("PATCH", &path, r#"{"enabled": false}"#).await.json();
    assert_eq!(json!([off["enabled"], off["disabled_reason"]]), json!([false, "caller"]));
    session(&app).await;
    append(&app, 60).await;
    compress(&app).await;
    assert_eq!(app.deliver().await, 0);
    let [cancelled] = log(&app, &path).await.try_into().unwrap();
    assert_eq!(json!([cancelled["id"], cancelled["status"]]), json!([pending["id"], "cancelled"]));
    let again = format!("{path}/deliveries/{}/redeliver", pending["id"].as_str().unwrap());
    for refused in [format!("{path}/test"), again.clone()] {
        assert_eq!(app.call("POST", &refused, "").await.refusal().1, "conflict");
    }
    assert_eq!(receiver.seen().len(), 0);

    let on =
        app.call("PATCH", &path, r#"{"enabled": true, "events": null, "description": "x"}"#).await.json();
    assert_eq!(json!([on["enabled"], on["disabled_at"], on["events"]]), json!([true, null, null]));
    assert_eq!(app.call("POST", &again, "").await.status, 202);
    append(&app, 60).await;
    compress(&app).await;
    assert_eq!(app.deliver().await, 4);
    let same = app.call("PATCH", &path, "{}").await.json();
    assert_eq!(json!([same["description"], same["url"]]), json!(["x", receiver.url]));
}

#[tokio::test]
async fn what_was_written_in_the_moment_of_disabling_is_taken_back() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(200)]).await;
    let (path, _) = webhook(&app, json!({"url": receiver.url})).await;
    test(&app, &path).await;
    change(&app, "update webhooks set disabled_reason = 'caller', disabled_at = now()").await;
    assert_eq!(app.deliver().await, 0);
    app.store.tidy_deliveries().await.unwrap();
    let [cancelled] = log(&app, &path).await.try_into().unwrap();
    assert_eq!(cancelled["status"], "cancelled");
}

#[tokio::test]
async fn a_receiver_that_is_gone_or_fails_for_days_is_left_alone() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(410)]).await;
    let (path, _) = webhook(&app, json!({"url": receiver.url})).await;
    test(&app, &path).await;
    change(&app, "update webhook_deliveries set due_at = now() + interval '1 hour'").await;
    test(&app, &path).await;
    assert_eq!(app.deliver().await, 1);
    let gone = app.call("GET", &path, "").await.json();
    assert_eq!(json!([gone["enabled"], gone["disabled_reason"]]), json!([false, "gone"]));
    let statuses: Vec<Value> = log(&app, &path).await.iter().map(|d| d["status"].clone()).collect();
    assert_eq!(statuses, ["failed", "cancelled"]);

    receiver.play([Answer::Status(500)]);
    app.call("PATCH", &path, r#"{"enabled": true}"#).await;
    test(&app, &path).await;
    app.deliver().await;
    change(&app, "update webhooks set failing_since = now() - interval '4 days'").await;
    pass(&app).await;
    app.deliver().await;
    assert_eq!(app.call("GET", &path, "").await.json()["enabled"], true);
    change(&app, "update webhooks set failing_since = now() - interval '6 days'").await;
    pass(&app).await;
    app.deliver().await;
    let failing = app.call("GET", &path, "").await.json();
    assert_eq!(json!([failing["enabled"], failing["disabled_reason"]]), json!([false, "failing"]));
    let on = app.call("PATCH", &path, r#"{"enabled": true}"#).await.json();
    assert_eq!(json!([on["enabled"], on["failing_since"]]), json!([true, null]), "a clean slate");
}

#[tokio::test]
async fn both_secrets_sign_while_one_replaces_the_other() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(200)]).await;
    let (path, old) = webhook(&app, json!({"url": receiver.url})).await;
    let rotate = async |body: &str| {
        app.call("POST", &format!("{path}/rotate"), body.to_owned()).await.with(200).json()
    };
    let rotated = rotate(r#"{"overlap_seconds": 3600}"#).await;
    let new = rotated["secret"].as_str().unwrap().to_owned();
    assert_ne!(old, new);
    assert!(rotated["webhook"]["previous_secret_until"].is_string());
    let latest = async || {
        test(&app, &path).await;
        app.deliver().await;
        receiver.seen().pop().unwrap()
    };
    let message = latest().await;
    let both = format!("{} {}", signed(&message, &new), signed(&message, &old));
    assert_eq!(message.header("webhook-signature"), both);

    change(&app, "update webhooks set previous_secret_until = now() - interval '1 s'").await;
    let message = latest().await;
    assert_eq!(message.header("webhook-signature"), signed(&message, &new), "the overlap is over");
    assert!(app.call("GET", &path, "").await.json()["previous_secret_until"].is_null());
    app.store.tidy_deliveries().await.unwrap();
    let mut look = app.database.connect().await;
    assert_eq!(number(&mut look, "select count(previous_secret) from webhooks").await, 0, "it is forgotten");

    let leaked = rotate(r#"{"overlap_seconds": 0}"#).await;
    let message = latest().await;
    assert_eq!(message.header("webhook-signature"), signed(&message, leaked["secret"].as_str().unwrap()));
    let refused = app.call("POST", &format!("{path}/rotate"), r#"{"overlap_seconds": 999999}"#).await;
    assert_eq!(refused.refusal().2, "/overlap_seconds");
}

/// Keys of one repeated byte each, the first of which encrypts.
fn secret_keys(bytes: &[u8]) -> SecretKeys {
    let keys: Vec<String> = bytes.iter().map(|byte| STANDARD.encode([*byte; 32])).collect();
    SecretKeys::parse(&keys.join(",").into()).unwrap()
}

#[tokio::test]
async fn the_database_holds_no_secret_and_a_new_key_takes_over() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(200)]).await;
    let with = |bytes: &[u8]| app.store.clone().with_secret_keys(secret_keys(bytes));
    let stored = async || {
        let mut owner = app.database.connect().await;
        let query = "select unnest(array[secret, previous_secret]) from webhooks order by id";
        let rows = sqlx::raw_sql(query).fetch_all(&mut owner).await.unwrap();
        rows.iter().map(|row| sqlx::Row::get(row, 0)).collect::<Vec<Vec<u8>>>()
    };
    let sent_by = async |store: &Store| {
        pass(&app).await;
        let client = WebhookClient::new(Reach::Any).unwrap();
        WebhookDispatcher::new(store.clone(), Clock::system(), client).drain().await.unwrap();
        receiver.seen().pop()
    };
    // A webhook from before there was a key.
    let (path, plain) = webhook(&app, json!({"url": receiver.url})).await;
    let bytes = STANDARD.decode(plain.strip_prefix("whsec_").unwrap()).unwrap();
    change(
        &app,
        "update webhooks set previous_secret = secret, previous_secret_until = now() + interval '1 h'",
    )
    .await;
    assert_eq!(stored().await, [bytes.clone(), bytes.clone()]);

    let first = with(&[1]);
    assert_eq!(first.encrypt_secrets_again().await.unwrap(), (1, 0));
    assert_eq!(first.encrypt_secrets_again().await.unwrap(), (0, 0), "nothing is left to do");
    let encrypted = stored().await;
    assert!(encrypted.iter().all(|stored| !stored.windows(8).any(|part| part == &bytes[..8])));
    test(&app, &path).await;
    let message = sent_by(&first).await.unwrap();
    let signature = signed(&message, &plain);
    assert_eq!(message.header("webhook-signature"), format!("{signature} {signature}"));

    let both = with(&[2, 1]);
    test(&app, &path).await;
    assert_eq!(sent_by(&both).await.unwrap().header("webhook-id").len(), message.header("webhook-id").len());
    assert_eq!(both.encrypt_secrets_again().await.unwrap(), (1, 0));
    let second = with(&[2]);
    assert_eq!(second.encrypt_secrets_again().await.unwrap(), (0, 0));

    // The wrong key: the attempt fails with its reason, is tried again, and succeeds when the key is back.
    let sent = receiver.seen().len();
    let delivery = test(&app, &path).await["id"].as_str().unwrap().to_owned();
    let wrong = with(&[3]);
    assert!(sent_by(&wrong).await.is_some());
    assert_eq!(receiver.seen().len(), sent, "nothing is sent unsigned");
    assert_eq!(wrong.encrypt_secrets_again().await.unwrap(), (1, 1));
    let found = app.call("GET", &format!("{path}/deliveries/{delivery}"), "").await.json();
    assert_eq!(
        json!([found["delivery"]["status"], found["delivery"]["last_error"]]),
        json!(["pending", "secret"]),
        "{found}"
    );
    let message = sent_by(&second).await.unwrap();
    assert_eq!(message.header("webhook-id"), delivery);
    let found = app.call("GET", &format!("{path}/deliveries/{delivery}"), "").await.json();
    assert_eq!(found["delivery"]["status"], "succeeded", "{found}");
}

#[tokio::test]
async fn a_secret_is_shown_once_and_what_is_done_is_in_the_audit_log() {
    let app = app_with_webhooks().await;
    let (path, secret) = webhook(&app, json!({"url": "http://127.0.0.1:1/?token=hunter2"})).await;
    assert_eq!(STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap().len(), 32);
    let plain = secret.trim_start_matches("whsec_");
    test(&app, &path).await;
    app.deliver().await;
    for shown in
        ["/v1/webhooks".to_owned(), path.clone(), format!("{path}/deliveries"), "/v1/audit".to_owned()]
    {
        assert!(!app.call("GET", &shown, "").await.text.contains(plain), "{shown}");
    }
    let [refused] = log(&app, &path).await.try_into().unwrap();
    assert_eq!(refused["last_error"], "connection");
    app.call("PATCH", &path, r#"{"description": "x"}"#).await;
    app.call("POST", &format!("{path}/rotate"), "").await;
    assert_eq!(app.call("DELETE", &path, "").await.status, 204);
    assert_eq!(app.call("DELETE", &path, "").await.refusal().1, "webhook-not-found");
    let audit = app.call("GET", "/v1/audit", "").await;
    assert!(!audit.text.contains("hunter2"), "addresses are no ids");
    let audit = audit.json();
    let actions: Vec<&str> =
        audit["items"].as_array().unwrap().iter().filter_map(|e| e["action"].as_str()).collect();
    assert_eq!(actions[..4], ["webhook.deleted", "webhook.rotated", "webhook.changed", "webhook.created"]);
    let mut look = app.database.connect().await;
    assert_eq!(number(&mut look, "select count(*) from webhook_deliveries").await, 0);
}

#[tokio::test]
async fn a_wrong_webhook_is_refused_with_its_field_and_a_tenant_has_so_many() {
    let app = app_with_webhooks().await;
    let url = "http://127.0.0.1:1/";
    for (body, pointer) in [
        (json!({}), "/url"),
        (json!({"url": format!("https://example.com/{}", "a".repeat(3_000))}), "/url"),
        (json!({"url": url, "events": []}), "/events"),
        (json!({"url": url, "events": ["session.created"]}), "/events/0"),
        (json!({"url": url, "events": vec!["trigger.warned"; 8]}), "/events"),
        (json!({"url": url, "description": "x".repeat(501)}), "/description"),
        (json!({"url": url, "secret": "whsec_"}), "/secret"),
    ] {
        app.call("POST", "/v1/webhooks", body.to_string()).await.refused_at(422, pointer);
    }
    for _ in 0..20 {
        webhook(&app, json!({"url": url, "enabled": false})).await;
    }
    let refused = app.call("POST", "/v1/webhooks", json!({"url": url}).to_string()).await;
    assert_eq!(refused.refusal().1, "conflict");
    let page = app.call("GET", "/v1/webhooks?limit=15", "").await.json();
    let rest = format!("/v1/webhooks?limit=15&cursor={}", page["next_cursor"].as_str().unwrap());
    let rest = app.call("GET", &rest, "").await.json();
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next_cursor"]), (5, &Value::Null));
}

#[tokio::test]
async fn the_log_is_read_in_pages_by_status_and_is_forgotten_after_a_month() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(500), Answer::Status(200)]).await;
    let (path, _) = webhook(&app, json!({"url": receiver.url})).await;
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(test(&app, &path).await["id"].clone());
        app.deliver().await;
    }
    made.reverse();
    let first = app.call("GET", &format!("{path}/deliveries?limit=2"), "").await.json();
    let ids = |page: &Value| -> Vec<Value> {
        page["items"].as_array().unwrap().iter().map(|d| d["id"].clone()).collect()
    };
    assert_eq!(ids(&first), made[..2]);
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = app.call("GET", &format!("{path}/deliveries?limit=2&cursor={cursor}"), "").await.json();
    assert_eq!((ids(&rest), &rest["next_cursor"]), (made[2..].to_vec(), &Value::Null));
    let pending = app.call("GET", &format!("{path}/deliveries?status=pending"), "").await.json();
    assert_eq!(ids(&pending), made[2..]);
    let other = app.call("GET", &format!("{path}/deliveries?status=failed&cursor={cursor}"), "").await;
    assert_eq!(other.refusal().2, "/cursor");

    assert_eq!(app.store.tidy_deliveries().await.unwrap(), 0);
    change(&app, "update webhook_deliveries set created_at = now() - interval '31 days'").await;
    assert_eq!(app.store.tidy_deliveries().await.unwrap(), 3);
    assert!(log(&app, &path).await.is_empty());
}

#[tokio::test]
async fn an_erased_session_takes_its_messages_along_and_they_are_sent_no_more() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(500)]).await;
    let (path, _) = webhook(&app, json!({"url": receiver.url})).await;
    session(&app).await;
    append(&app, 60).await;
    compress(&app).await;
    test(&app, &path).await;
    assert_eq!(app.deliver().await, 4);
    assert_eq!(log(&app, &path).await.len(), 4);
    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 204);
    let [left] = log(&app, &path).await.try_into().unwrap();
    assert_eq!(json!([left["event"], left["session_id"]]), json!(["webhook.test", null]));
    pass(&app).await;
    assert_eq!(app.deliver().await, 1);
}

#[tokio::test]
async fn an_erased_tenant_takes_its_webhooks_along() {
    let app = app_with_webhooks().await;
    let (path, _) = webhook(&app, json!({"url": "http://127.0.0.1:1/"})).await;
    session(&app).await;
    append(&app, 60).await;
    compress(&app).await;
    test(&app, &path).await;
    let tenant = format!("/v1/admin/tenants/{}", app.tenant);
    app.call_as(OPERATOR, "DELETE", &tenant, "").await.with(204);
    erase_all(&app.store).await;
    let mut look = app.database.connect().await;
    for table in ["webhooks", "webhook_deliveries"] {
        assert_eq!(number(&mut look, &format!("select count(*) from {table}")).await, 0, "{table}");
    }
}

#[tokio::test]
async fn what_happens_in_a_branch_names_session_and_branch_in_messages_and_lists() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start(vec![Answer::Status(200); 12]).await;
    let (path, _) = webhook(&app, json!({"url": receiver.url})).await;
    session(&app).await;
    append(&app, 60).await;
    fork(&app.store, app.tenant, &branch_of("s", "main"), "retry", 12).await;
    app.call("POST", "/v1/sessions/s/compressions?branch=retry", COMPRESS).await;
    app.work().await;
    switch(&app.store, app.tenant, "s", "retry").await;
    app.deliver().await;
    let mut told: Vec<Value> = receiver.seen().iter().map(Message::json).collect();
    told.sort_by_key(|event| event["id"].as_i64());
    let told: Vec<Value> =
        told.iter().map(|event| json!([event["type"], event["session_id"], event["branch"]])).collect();
    let listed: Vec<Value> = log(&app, &path)
        .await
        .iter()
        .rev()
        .map(|item| json!([item["event"], item["session_id"], item["branch"]]))
        .collect();
    let expected = [
        json!(["compression.started", "s", "retry"]),
        json!(["compression.succeeded", "s", "retry"]),
        json!(["summary.published", "s", "retry"]),
        json!(["session.branch_switched", "s", null]),
    ];
    assert_eq!(told, expected);
    assert_eq!(listed, expected);
    let [newest, ..] = &log(&app, &path).await[..] else { panic!("nothing is listed") };
    let one =
        app.call("GET", &format!("{path}/deliveries/{}", newest["id"].as_str().unwrap()), "").await.json();
    assert_eq!(one["message"]["data"], json!({"from": "main", "to": "retry"}), "{one}");
    // A webhook may name all events of the document, and as many as it says.
    let document = app.call("GET", "/openapi.json", "").await.json();
    let every = &document["components"]["schemas"]["WebhookEventType"]["enum"];
    let all = app.call("PATCH", &path, json!({"events": every}).to_string()).await;
    assert_eq!((all.status.as_u16(), &all.json()["events"]), (200, every), "{}", all.text);
    for schema in ["CreateWebhook", "WebhookPatch"] {
        let most = &document["components"]["schemas"][schema]["properties"]["events"]["maxItems"];
        assert_eq!(most.as_u64(), every.as_array().map(|events| events.len() as u64), "{schema}");
    }
    // Or switches alone.
    app.call("PATCH", &path, json!({"events": ["session.branch_switched"]}).to_string()).await.with(200);
}
