//! Faults of the database and of the way to it: connections that say nothing any more, answers that are lost, locks
//! that are held, processes that stand still, a full disk.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::concurrency::stored;
use crate::support::app::app;
use crate::support::relay::Relay;
use crate::support::service::{Client, Service};
use crate::support::{database, number, until};

/// How long the service may take to work again once the cause of a fault has ended.
const RECOVERY: Duration = Duration::from_secs(10);

fn message(text: &str) -> String {
    json!({"messages": [{"role": "user", "content": text}]}).to_string()
}

/// The problem's type, without its beginning.
fn problem(body: &Value) -> &str {
    body["type"].as_str().unwrap_or_default().trim_start_matches("/problems/")
}

/// The texts of a session's messages.
fn texts(client: &Client, session: &str) -> Vec<String> {
    let text = |(_, message): (i64, String)| message.rsplit('"').nth(1).expect("a text").to_owned();
    stored(client, session).into_iter().map(text).collect()
}

/// Reads and writes at once until all succeed; returns how long that took.
fn until_all_work(client: &Client, session: &str, limit: Duration) -> Duration {
    let began = Instant::now();
    loop {
        let all = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..12)
                .map(|place| {
                    scope.spawn(move || {
                        let path = format!("/v1/sessions/{session}");
                        let reply = match place % 3 {
                            0 => client.call("GET", &format!("{path}/context"), &[], ""),
                            1 => client.call("PUT", &path, &[], r#"{"task_id": "t"}"#),
                            _ => client.call("POST", &format!("{path}/messages"), &[], &message("again")),
                        };
                        println!("{place} {:?} {:?}", began.elapsed(), reply.as_ref().map(|r| (r.status, r.text.get(..60).map(str::to_owned))));
                        reply.is_ok_and(|reply| reply.status < 300)
                    })
                })
                .collect();
            calls.into_iter().all(|call| call.join().expect("a client"))
        });
        if all || began.elapsed() > limit {
            return began.elapsed();
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_say_nothing_any_more_are_given_up_and_replaced() {
    let database = database().await;
    let relay = Relay::to(&database).await;
    let service = Service::on(&relay.url, &["--pool-size", "4"]);
    let client = service.client();
    assert!(until_all_work(&client, "s", RECOVERY) < RECOVERY);
    // They never go on: what was a server is gone without a word, and new connections reach another one.
    let still = relay.all_still().expect("connections");
    let took = until_all_work(&client, "s", 3 * RECOVERY);
    assert!(took < 2 * RECOVERY, "the service worked again after {took:?}");
    // Nothing of the old connections is left that the new ones would miss.
    let took = until_all_work(&client, "s", RECOVERY);
    assert!(took < Duration::from_secs(5), "a second round took {took:?}");
    assert_eq!(client.get("/readyz").status, 200);
    drop(still);
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_is_lost_is_an_unknown_outcome_that_a_repetition_settles() {
    let database = database().await;
    let relay = Relay::to(&database).await;
    let service = Service::on(&relay.url, &["--pool-size", "4"]);
    let client = service.client();
    let append = |headers: &[(&str, &str)], body: &str| {
        client.call("POST", "/v1/sessions/s/messages", headers, body).expect("a reply")
    };
    assert_eq!(append(&[], &message("first")).status, 201);

    relay.lose_the_answer_to("the second");
    let lost = append(&[("idempotency-key", "k")], &message("the second"));
    assert!(relay.has_lost_it());
    assert_eq!((lost.status, problem(&lost.json())), (500, "outcome-unknown"), "{}", lost.text);
    assert!(lost.text.contains("Idempotency-Key"), "{}", lost.text);
    // The same key: it is answered, and stored once.
    let again = append(&[("idempotency-key", "k")], &message("the second"));
    assert_eq!((again.status, &again.json()["first_seq"]), (201, &json!(2)), "{}", again.text);

    relay.lose_the_answer_to("the third");
    let expecting = json!({"expected_next_seq": 3, "messages": [{"role": "user", "content": "the third"}]});
    let lost = append(&[], &expecting.to_string());
    assert_eq!((lost.status, problem(&lost.json())), (500, "outcome-unknown"), "{}", lost.text);
    let again = append(&[], &expecting.to_string());
    assert_eq!((again.status, &again.json()["next_seq"]), (409, &json!(4)), "{}", again.text);
    assert_eq!(texts(&client, "s"), ["first", "the second", "the third"]);

    // Every other write, too, such as one in a transaction of several statements.
    for (method, path, body) in [
        ("PUT", "/v1/sessions/s/pins", r#"{"pins": ["stay"]}"#),
        ("PUT", "/v1/sessions/t", r#"{"task_id": "t"}"#),
        ("DELETE", "/v1/sessions/t", ""),
    ] {
        relay.lose_the_answer_to("COMMIT");
        let lost = client.call(method, path, &[], body).expect("a reply");
        assert!(relay.has_lost_it(), "{method} {path} commits nothing");
        assert_eq!((lost.status, problem(&lost.json())), (500, "outcome-unknown"), "{}", lost.text);
    }
    assert_eq!(client.get("/v1/sessions/s/pins").json()["items"][0]["text"], "stay");
    assert_eq!(client.get("/v1/sessions/t").status, 404);
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_that_wait_for_a_session_leave_connections_for_reads() {
    let app = app().await;
    for session in ["s", "t"] {
        let path = format!("/v1/sessions/{session}/messages");
        assert_eq!(app.call("POST", &path, message("first")).await.status, 201);
    }
    let mut holder = app.database.connect().await;
    sqlx::raw_sql("begin; select from sessions where name = 's' for update")
        .execute(&mut holder)
        .await
        .expect("a lock");
    let writes = futures::future::join_all((0..20).map(|_| async {
        let began = Instant::now();
        (app.call("PUT", "/v1/sessions/s/pins", r#"{"pins": ["stay"]}"#).await, began.elapsed())
    }));
    let mut look = app.database.connect().await;
    let waiting = "select count(*) from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0";
    let reads = async {
        until("writes that wait", async || (number(&mut look, waiting).await > 0).then_some(())).await;
        let mut reads = Vec::new();
        for _ in 0..10 {
            let began = Instant::now();
            for path in ["/v1/sessions/t/context", "/v1/sessions/t/pins", "/v1/sessions"] {
                reads.push((app.call("GET", path, "").await.status.as_u16(), began.elapsed()));
            }
        }
        reads
    };
    let (writes, reads) = tokio::join!(writes, reads);
    let slowest = reads.iter().map(|(_, took)| *took).max().expect("reads");
    println!("the slowest read took {slowest:?}");
    assert!(reads.iter().all(|(status, _)| *status == 200), "{reads:?}");
    for (write, took) in writes {
        assert_eq!(write.refusal().0, 503, "{}", write.text);
        assert!(write.headers.contains_key("retry-after"), "{}", write.text);
        assert!(took < Duration::from_secs(8), "a write waited for {took:?}");
    }
    sqlx::raw_sql("rollback").execute(&mut holder).await.expect("a rollback");
    assert_eq!(app.call("PUT", "/v1/sessions/s/pins", r#"{"pins": ["stay"]}"#).await.status, 200);
}
