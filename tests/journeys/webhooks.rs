//! Webhooks: what happens is told to who wants to hear it, signed, at least once, and to nobody else.

use anchord::clock::Clock;
use anchord::domain::webhook::Failure;
use anchord::domain::webhook::signature::sign;
use anchord::domain::webhook::target::Reach;
use anchord::store::deliveries::queue::Ended;
use anchord::worker::courier::Courier;
use anchord::worker::outbound::Outbound;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::time::Duration;

use crate::events::{append, compress, session};
use crate::support::app::{App, OPERATOR, THEIRS, app, app_with_webhooks};
use crate::support::receiver::{Answer, Message, Receiver};
use crate::support::service::Service;
use crate::support::{number, until};

/// Makes a webhook; its path and its secret.
async fn webhook(app: &App, body: Value) -> (String, String) {
    let made = app.call("POST", "/v1/webhooks", body.to_string()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    let id = made["webhook"]["id"].as_str().unwrap();
    assert!(id.starts_with("whk_"), "{id}");
    (format!("/v1/webhooks/{id}"), made["secret"].as_str().unwrap().to_owned())
}

/// A webhook's deliveries, newest first.
async fn log(app: &App, webhook: &str) -> Vec<Value> {
    let listed = app.call("GET", &format!("{webhook}/deliveries"), "").await.json();
    listed["items"].as_array().unwrap_or_else(|| panic!("{listed}")).clone()
}

async fn test(app: &App, webhook: &str) -> Value {
    let made = app.call("POST", &format!("{webhook}/test"), "").await;
    assert_eq!(made.status, 202, "{}", made.text);
    made.json()
}

/// Changes rows as the owner of the database.
async fn change(app: &App, statement: &'static str) {
    let mut owner = app.database.connect().await;
    sqlx::raw_sql(statement).execute(&mut owner).await.unwrap();
}

/// Lets the waits of what is pending pass.
async fn pass(app: &App) {
    change(app, "update webhook_deliveries set due_at = now() where status = 'pending'").await;
}

/// What the standard says of a message's signature.
fn signed(message: &Message, secret: &str) -> String {
    let secret = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let timestamp = message.header("webhook-timestamp").parse().unwrap();
    sign([secret.as_slice()], message.header("webhook-id"), timestamp, &message.body)
}

#[tokio::test]
async fn a_compression_is_told_once_signed_and_only_to_who_wants_to_hear_it() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(204)]).await;
    let some = json!({"url": format!("{}/some", receiver.url), "events": ["summary.published", "summary.published"]});
    let (some, secret) = webhook(&app, some).await;
    session(&app).await;
    append(&app, 60).await;
    compress(&app).await;
    assert_eq!(app.deliver().await, 1);
    assert_eq!(app.deliver().await, 0, "it is told once");

    let [message] = receiver.seen().try_into().unwrap();
    assert_eq!(message.path, "/some");
    assert_eq!(message.header("webhook-signature"), signed(&message, &secret));
    assert_eq!(message.header("content-type"), "application/json");
    let timestamp: i64 = message.header("webhook-timestamp").parse().unwrap();
    assert!((Clock::system().now().timestamp() - timestamp).abs() < 60);
    let body = message.json();
    assert_eq!((&body["type"], &body["data"]["session_id"]), (&json!("summary.published"), &json!("s")));
    assert_eq!(body["data"]["version"], 1);
    assert!(body["data"]["event_id"].as_i64().unwrap() > 0);

    let [delivery] = log(&app, &some).await.try_into().unwrap();
    assert_eq!(delivery["id"], message.header("webhook-id"));
    let told =
        ["status", "attempts", "last_status_code", "last_error", "next_attempt_at", "session_id", "event"];
    let told: Vec<&Value> = told.iter().map(|name| &delivery[*name]).collect();
    assert_eq!(json!(told), json!(["succeeded", 1, 204, null, null, "s", "summary.published"]));
    assert!(delivery["finished_at"].is_string() && delivery["last_duration_ms"].is_i64());
    let path = format!("{some}/deliveries/{}", delivery["id"].as_str().unwrap());
    assert_eq!(app.call("GET", &path, "").await.json()["message"], body, "the log has what was sent");

    let (_, _) = webhook(&app, json!({"url": format!("{}/all", receiver.url)})).await;
    append(&app, 60).await;
    compress(&app).await;
    assert_eq!(app.deliver().await, 4);
    let mut all: Vec<String> =
        receiver.seen().iter().filter(|m| m.path == "/all").map(Message::kind).collect();
    all.sort();
    assert_eq!(all, ["compression.started", "compression.succeeded", "summary.published"]);
    let published: Vec<Message> =
        receiver.seen().into_iter().skip(1).filter(|m| m.kind() == "summary.published").collect();
    assert_eq!(published.len(), 2);
    assert_eq!(published[0].header("webhook-id"), published[1].header("webhook-id"), "one event has one id");
    assert_eq!(published[0].body, published[1].body);
}

#[tokio::test]
async fn an_append_tells_of_the_warn_level_in_its_own_commit() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(200)]).await;
    let (path, _) = webhook(&app, json!({"url": receiver.url})).await;
    session(&app).await;
    let mut told = 0;
    for _ in 0..20 {
        append(&app, 50).await;
        told = log(&app, &path).await.len();
        if told > 0 {
            break;
        }
    }
    assert_eq!(told, 1);
    app.deliver().await;
    assert_eq!(receiver.kinds(), ["trigger.warned"]);
}

#[tokio::test]
async fn what_fails_is_tried_again_with_the_same_id_and_bytes_until_it_arrives() {
    let app = app_with_webhooks().await;
    let busy = Answer::With(503, "retry-after", "90".to_owned());
    let receiver = Receiver::start([Answer::Status(500), busy, Answer::Status(200)]).await;
    let (path, secret) = webhook(&app, json!({"url": receiver.url})).await;
    test(&app, &path).await;
    assert_eq!(app.deliver().await, 1);
    assert_eq!(app.deliver().await, 0, "it waits");
    let [first] = log(&app, &path).await.try_into().unwrap();
    assert_eq!(
        json!([first["status"], first["attempts"], first["last_status_code"], first["last_error"]]),
        json!(["pending", 1, 500, "status"])
    );
    let mut look = app.database.connect().await;
    let wait = "select extract(epoch from due_at - last_attempt_at)::bigint from webhook_deliveries";
    assert!((5..=7).contains(&number(&mut look, wait).await));
    pass(&app).await;
    assert_eq!(app.deliver().await, 1);
    // The second wait of its own would be a minute.
    assert!((90..=91).contains(&number(&mut look, wait).await), "the receiver asked for more");
    assert!(app.call("GET", &path, "").await.json()["failing_since"].is_string());
    pass(&app).await;
    assert_eq!(app.deliver().await, 1);

    let [a, b, c] = receiver.seen().try_into().unwrap();
    for message in [&a, &b, &c] {
        assert_eq!(message.header("webhook-id"), a.header("webhook-id"));
        assert_eq!(message.body, a.body);
        assert_eq!(message.header("webhook-signature"), signed(message, &secret));
    }
    let [last] = log(&app, &path).await.try_into().unwrap();
    assert_eq!(json!([last["status"], last["attempts"], last["last_error"]]), json!(["succeeded", 3, null]));
    assert!(app.call("GET", &path, "").await.json()["failing_since"].is_null());
}

#[tokio::test]
async fn what_always_fails_is_given_up_and_comes_again_on_request() {
    let app = app_with_webhooks().await;
    let elsewhere = Receiver::start([Answer::Status(200)]).await;
    let receiver = Receiver::start([Answer::With(302, "location", elsewhere.url.clone())]).await;
    let (path, _) = webhook(&app, json!({"url": receiver.url})).await;
    let delivery = test(&app, &path).await;
    let again = format!("{path}/deliveries/{}/redeliver", delivery["id"].as_str().unwrap());
    for _ in 0..9 {
        assert_eq!(app.deliver().await, 1);
        pass(&app).await;
    }
    assert_eq!(app.deliver().await, 0);
    let [failed] = log(&app, &path).await.try_into().unwrap();
    assert_eq!(
        json!([failed["status"], failed["attempts"], failed["last_status_code"], failed["next_attempt_at"]]),
        json!(["failed", 9, 302, null])
    );
    assert_eq!(elsewhere.seen().len(), 0, "no redirect is followed");

    receiver.play([Answer::Status(500), Answer::Status(200)]);
    let key = [("idempotency-key", "once")];
    let queued = app.call_with("POST", &again, "", &key).await;
    assert_eq!((queued.status.as_u16(), &queued.json()["status"]), (202, &json!("pending")));
    assert_eq!(app.deliver().await, 1);
    let [pending] = log(&app, &path).await.try_into().unwrap();
    assert_eq!(pending["status"], "pending", "its waits begin anew");
    let replayed = app.call_with("POST", &again, "", &key).await;
    assert_eq!((replayed.status.as_u16(), replayed.text), (202, queued.text));
    assert_eq!(app.deliver().await, 0, "the same request does it once");
    assert_eq!(app.call("POST", &again, "").await.status, 202, "what waits can be hurried");
    assert_eq!(app.deliver().await, 1);
    let [arrived] = log(&app, &path).await.try_into().unwrap();
    assert_eq!(json!([arrived["status"], arrived["attempts"]]), json!(["succeeded", 11]));
    let ids: std::collections::BTreeSet<String> =
        receiver.seen().iter().map(|m| m.header("webhook-id").to_owned()).collect();
    assert_eq!(ids.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_whose_worker_dies_before_it_is_written_down_comes_again_under_the_same_id() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Held]).await;
    let (path, _) = webhook(&app, json!({"url": receiver.url})).await;
    let delivery = test(&app, &path).await;
    let words = ["worker", "--database-url", &app.database.url, "--webhook-targets", "any"];
    let worker = Service::start(&words);
    receiver.arrivals(1).await;
    let running = log(&app, &path).await;
    assert_eq!(json!([running[0]["status"], running[0]["next_attempt_at"]]), json!(["pending", null]));
    let again = format!("{path}/deliveries/{}/redeliver", delivery["id"].as_str().unwrap());
    assert_eq!(app.call("POST", &again, "").await.refusal().0, 409, "it is being tried");
    assert_eq!(worker.end(Signal::SIGKILL), None);

    receiver.play([Answer::Status(200)]);
    assert_eq!(app.deliver().await, 0, "its lease still runs");
    let end = "update webhook_deliveries set leased_until = now(), due_at = now() where status = 'pending'";
    change(&app, end).await;
    assert_eq!(app.deliver().await, 1);
    let [lost, arrived] = receiver.seen().try_into().unwrap();
    assert_eq!(lost.header("webhook-id"), arrived.header("webhook-id"));
    assert_eq!(lost.body, arrived.body);
    let [after] = log(&app, &path).await.try_into().unwrap();
    assert_eq!(json!([after["status"], after["attempts"]]), json!(["succeeded", 2]));
}

#[tokio::test]
async fn a_late_worker_says_nothing_about_an_attempt_that_is_no_longer_its_own() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(200)]).await;
    let (path, _) = webhook(&app, json!({"url": receiver.url})).await;
    test(&app, &path).await;
    let claim = async || app.store.claim_deliveries(Duration::from_secs(30), 9, (4, 16)).await.unwrap();
    let [late] = claim().await.try_into().unwrap();
    assert!(claim().await.is_empty(), "one that is being tried is nobody else's");
    change(&app, "update webhook_deliveries set leased_until = now(), due_at = now()").await;
    let [next] = claim().await.try_into().unwrap();
    assert_eq!((late.attempt, next.attempt), (1, 2));
    let failed = Ended {
        status_code: Some(410),
        failure: Some(Failure::Status),
        gone: true,
        took: Duration::ZERO,
        again_after: None,
    };
    let settled = app.store.settle_delivery(&late, &failed).await.unwrap();
    assert_eq!((settled.status, settled.disabled), (None, None));
    assert_eq!(app.call("GET", &path, "").await.json()["enabled"], true);
    let good = Ended { status_code: Some(200), failure: None, gone: false, ..failed };
    assert!(app.store.settle_delivery(&next, &good).await.unwrap().status.is_some());
    assert!(!format!("{next:?}").contains(&receiver.url), "a URL may hold a token");
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
    app.call_as(THEIRS, "POST", "/v1/sessions/t/compressions", "").await;
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
        "http://example.com/",
        "https://127.0.0.1/",
        "https://10.1.2.3/hook",
        "https://2130706433/",
        "https://[::1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://localhost/",
        "https://metadata.google.internal/",
        "https://user:password@example.com/",
        "no address",
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
    let outbound = Outbound::new(Reach::Public).unwrap();
    let strict = Courier::new(app.store.clone(), Clock::system(), outbound);
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
        let rotated = app.call("POST", &format!("{path}/rotate"), body.to_owned()).await;
        assert_eq!(rotated.status, 200, "{}", rotated.text);
        rotated.json()
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
        (json!({"url": url, "events": vec!["trigger.warned"; 7]}), "/events"),
        (json!({"url": url, "description": "x".repeat(501)}), "/description"),
        (json!({"url": url, "secret": "whsec_"}), "/secret"),
    ] {
        let refused = app.call("POST", "/v1/webhooks", body.to_string()).await;
        assert_eq!((refused.status.as_u16(), refused.refusal().2.as_str()), (422, pointer), "{body}");
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_receiver_holds_up_no_other_and_who_waits_hears_at_once() {
    let app = app_with_webhooks().await;
    let slow = Receiver::start([Answer::Held]).await;
    let quick = Receiver::start([Answer::Status(200)]).await;
    let (slow_path, _) = webhook(&app, json!({"url": slow.url})).await;
    let (quick_path, _) = webhook(&app, json!({"url": quick.url})).await;
    for _ in 0..20 {
        test(&app, &slow_path).await;
    }
    let outbound = Outbound::new(Reach::Any).unwrap();
    let courier = Courier::new(app.store.clone(), Clock::system(), outbound);
    let (store, stop) = (app.store.clone(), app.stop.clone());
    let watching = app.store.tracker().spawn(async move { store.watch_keys(&stop).await });
    let running = app.store.tracker().spawn(courier.run(app.stop.clone()));
    slow.arrivals(4).await;
    for _ in 0..30 {
        test(&app, &quick_path).await;
    }
    quick.arrivals(30).await;
    assert_eq!((slow.seen().len(), slow.most_at_once()), (4, 4), "a webhook has its share");
    slow.release(20);
    slow.arrivals(16).await;
    until("the end of all", async || {
        let open = app.call("GET", &format!("{slow_path}/deliveries?status=pending"), "").await.json();
        open["items"].as_array().unwrap().is_empty().then_some(())
    })
    .await;
    assert!(slow.most_at_once() <= 4);
    app.stop.cancel();
    running.await.unwrap();
    watching.await.unwrap();
}

#[tokio::test]
async fn no_event_waits_for_who_erases_a_webhook() {
    let app = app_with_webhooks().await;
    let (path, _) = webhook(&app, json!({"url": "http://127.0.0.1:1/"})).await;
    session(&app).await;
    append(&app, 60).await;
    let mut owner = app.database.connect().await;
    sqlx::raw_sql("begin; select from webhooks for update").execute(&mut owner).await.unwrap();
    compress(&app).await;
    assert_eq!(app.call("GET", "/v1/sessions/s/summary", "").await.status, 200);
    sqlx::raw_sql("rollback").execute(&mut owner).await.unwrap();
    assert!(log(&app, &path).await.is_empty());
    assert_eq!(app.call("DELETE", &path, "").await.status, 204);
    append(&app, 60).await;
    compress(&app).await;
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.json()["compression_count"], 2);
}

#[tokio::test]
async fn of_two_tenants_that_wait_each_gets_its_turn_and_a_suspended_one_none() {
    let app = app_with_webhooks().await;
    let url = json!({"url": "http://127.0.0.1:1/"});
    let (busy, _) = webhook(&app, url.clone()).await;
    for _ in 0..12 {
        test(&app, &busy).await;
    }
    let theirs = app.call_as(THEIRS, "POST", "/v1/webhooks", url.to_string()).await.json();
    let theirs = format!("/v1/webhooks/{}/test", theirs["webhook"]["id"].as_str().unwrap());
    assert_eq!(app.call_as(THEIRS, "POST", &theirs, "").await.status, 202);
    let claim = async |limit| {
        let claimed = app.store.claim_deliveries(Duration::from_secs(30), limit, (4, 16)).await.unwrap();
        claimed.iter().filter(|attempt| attempt.tenant == app.tenant).count() * 10 + claimed.len()
    };
    assert_eq!(claim(2).await, 12, "one of each, although ours has twelve that are older");
    assert_eq!(claim(64).await, 33, "up to four at once for a webhook");
    assert_eq!(claim(64).await, 0);
    let end = "update webhook_deliveries set leased_until = null, due_at = now() where status = 'pending'";
    change(&app, end).await;
    change(&app, "update tenants set suspended_at = now() where name = 'ours'").await;
    assert_eq!(claim(64).await, 1, "what is suspended rests");
    assert!(app.store.oldest_due_delivery().await.unwrap().abs() < f64::EPSILON);
    change(&app, "update tenants set suspended_at = null").await;
    assert!(app.store.oldest_due_delivery().await.unwrap() > 0.0);
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
    let erased = app.call_as(OPERATOR, "DELETE", &tenant, "").await;
    assert_eq!(erased.status, 204, "{}", erased.text);
    let mut look = app.database.connect().await;
    for table in ["webhooks", "webhook_deliveries"] {
        assert_eq!(number(&mut look, &format!("select count(*) from {table}")).await, 0, "{table}");
    }
}
