//! Messages to webhooks: what is told when, and what comes of one that does not arrive.

use anchord_runtime::clock::Clock;
use anchord_store::deliveries::queue::AttemptOutcome;
use anchord_webhooks::Failure;
use anchord_webhooks::target::Reach;
use anchord_worker::webhook_client::WebhookClient;
use anchord_worker::webhook_dispatcher::WebhookDispatcher;
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::time::Duration;

use crate::events::{append, compress, session};
use crate::support::app::{THEIRS, app_with_webhooks};
use crate::support::receiver::{Answer, Message, Receiver};
use crate::support::service::Service;
use crate::support::{number, until};
use crate::webhooks::{change, log, pass, signed, test, webhook};

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
    assert_eq!((&body["type"], &body["session_id"]), (&json!("summary.published"), &json!("s")));
    assert_eq!(body["data"]["version"], 1);
    assert!(body["id"].as_i64().unwrap() > 0);

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
    let failed = AttemptOutcome {
        status_code: Some(410),
        failure: Some(Failure::Status),
        gone: true,
        took: Duration::ZERO,
        again_after: None,
    };
    let settled = app.store.settle_delivery(&late, &failed).await.unwrap();
    assert_eq!((settled.status, settled.disabled), (None, None));
    assert_eq!(app.call("GET", &path, "").await.json()["enabled"], true);
    let good = AttemptOutcome { status_code: Some(200), failure: None, gone: false, ..failed };
    assert!(app.store.settle_delivery(&next, &good).await.unwrap().status.is_some());
    assert!(!format!("{next:?}").contains(&receiver.url), "a URL may hold a token");
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
    let client = WebhookClient::new(Reach::Any).unwrap();
    let dispatcher = WebhookDispatcher::new(app.store.clone(), Clock::system(), client);
    let (store, stop) = (app.store.clone(), app.stop.clone());
    let watching = app.store.tracker().spawn(async move { store.watch_keys(&stop).await });
    let running = app.store.tracker().spawn(dispatcher.run(app.stop.clone()));
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
