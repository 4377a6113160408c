//! Faults of the database and of the way to it: connections that say nothing any more, answers that are lost, locks
//! that are held, processes that stand still, a full disk.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anchord_runtime::clock::Clock;
use chrono::TimeDelta;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Uid;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::concurrency::stored;
use crate::kills::children;
use crate::support::app::{App, COMPRESS, app};
use crate::support::relay::Relay;
use crate::support::service::{Client, Service, data_folder, pid};
use crate::support::{cells, database, number, until};

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
pub fn texts(client: &Client, session: &str) -> Vec<String> {
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
    for (path, kept, body) in [
        ("/v1/sessions/s/pins", "/pins/0/text", r#"{"pins": ["NEW"]}"#),
        ("/v1/sessions/s", "/settings/task_id", r#"{"task_id": "NEW"}"#),
    ] {
        // The commit that is lost may be another one, such as that of usage figures: then the next try is it.
        let lost = (0..20).find_map(|number| {
            relay.lose_the_answer_to("COMMIT");
            let new = format!("new-{number}");
            let reply = client.call("PUT", path, &[], &body.replace("NEW", &new)).expect("a reply");
            (reply.status != 200).then_some((reply, new))
        });
        let (lost, new) = lost.expect("a commit whose answer is lost");
        assert_eq!((lost.status, problem(&lost.json())), (500, "outcome-unknown"), "{}", lost.text);
        assert_eq!(client.get(path).json().pointer(kept), Some(&json!(new)));
    }
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

/// Sends appends under keys, one after another, and repeats each until it is acknowledged; ends at `stop`.
pub fn append_until(client: &Client, session: &str, stop: &AtomicBool) -> Vec<String> {
    let path = format!("/v1/sessions/{session}/messages");
    let mut acknowledged = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let text = format!("{session}-{}", acknowledged.len());
        let key = [("idempotency-key", text.as_str())];
        while !client.call("POST", &path, &key, &message(&text)).is_ok_and(|reply| reply.status == 201) {
            std::thread::sleep(Duration::from_millis(20));
        }
        acknowledged.push(text);
    }
    acknowledged
}

/// Runs `fault` while clients append, and checks that nothing acknowledged is lost or doubled, and that the service
/// works again in time after it.
fn under_appends(client: &Client, name: &str, fault: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    let acknowledged: Vec<_> = std::thread::scope(|scope| {
        let stop = &stop;
        let appending: Vec<_> = (0..3)
            .map(|place| format!("{name}{place}"))
            .map(|session| (session.clone(), scope.spawn(move || append_until(client, &session, stop))))
            .collect();
        fault();
        let took = until_all_work(client, "s", 2 * RECOVERY);
        stop.store(true, Ordering::Relaxed);
        assert!(took < RECOVERY, "the service worked again after {took:?}");
        appending
            .into_iter()
            .map(|(session, appending)| (session, appending.join().expect("a client")))
            .collect()
    });
    for (session, acknowledged) in acknowledged {
        assert_eq!(texts(client, &session), acknowledged, "{session} has lost or doubled messages");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_every_connection_was_terminated_workers_and_followers_go_on() {
    let database = database().await;
    let service = Service::on(&database.url, &["--pool-size", "6"]);
    let client = service.client();
    assert!(until_all_work(&client, "s", RECOVERY) < RECOVERY);
    // A follower of the session's events, who is notified over the connection that listens.
    let follow = || {
        let mut follower = client.connect().expect("a connection");
        follower.set_read_timeout(Some(RECOVERY)).expect("a timeout");
        let request = client.request("GET", "/v1/sessions/s/events", &[("last-event-id", "0")], "");
        follower.write_all(request.as_bytes()).expect("a request");
        let mut head = [0; 15];
        follower.read_exact(&mut head).expect("a reply");
        assert_eq!(&head, b"HTTP/1.1 200 OK");
        follower
    };
    let mut follower = follow();
    let mut admin = database.connect_as_superuser().await;
    for name in ["a", "b", "c"] {
        // Presence, listeners, pools: all of them.
        let ended = number(
            &mut admin,
            "select count(pg_terminate_backend(pid)) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid()",
        )
        .await;
        assert!(ended > 3, "{ended} connections were ended");
        tokio::task::block_in_place(|| under_appends(&client, name, || {}));
    }
    let presence = "select count(distinct l.objid) from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'advisory' and l.classid = 1633772132 and l.granted and a.datname = current_database()";
    // One in each cell.
    let present = i64::try_from(cells()).expect("few cells");
    until("a sign of life", async || (number(&mut admin, presence).await == present).then_some(())).await;
    // A worker claims what is queued, and the follower gets the event.
    let compress = [("prefer", "wait=10")];
    let path = "/v1/sessions/s/compressions";
    let ended = client.call("POST", path, &compress, COMPRESS).expect("a reply");
    assert_eq!(ended.status, 200, "{}", ended.text);
    let id = ended.json()["id"].as_str().expect("an id").to_owned();
    let mut told = String::new();
    while !told.contains(&id) {
        let mut some = [0; 4096];
        let count = follower.read(&mut some).expect("an event in time");
        told.push_str(&String::from_utf8_lossy(&some[..count]));
        if count == 0 {
            // A stream whose read of the database failed has ended, and its follower comes again.
            follower = follow();
        }
    }
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

/// How long the server stands still.
#[expect(
    clippy::disallowed_methods,
    reason = "a longer time than that of the suite is for who runs one test"
)]
fn standstill() -> Duration {
    let seconds = std::env::var("ANCHORD_TEST_STANDSTILL_SECONDS").ok();
    Duration::from_secs(seconds.and_then(|seconds| seconds.parse().ok()).unwrap_or(2))
}

/// The server of a service with a database of its own, and the processes that it has started.
fn server_processes(data: &Path) -> Vec<u32> {
    let file = fs::read_to_string(data.join("postgres/cluster/postmaster.pid")).expect("a running server");
    let server: u32 = file.lines().next().and_then(|line| line.parse().ok()).expect("a process id");
    let mut all = children(server);
    all.push(server);
    all
}

#[test]
fn after_the_server_has_stood_still_the_service_goes_on() {
    let folder = data_folder();
    let service = Service::own(folder.path());
    let client = service.client();
    assert!(until_all_work(&client, "s", RECOVERY) < RECOVERY);
    under_appends(&client, "f", || {
        let processes = server_processes(folder.path());
        for process in &processes {
            // One of them may have ended meanwhile.
            let _ = kill(pid(*process), Signal::SIGSTOP);
        }
        std::thread::sleep(standstill());
        // Those that were started meanwhile wait for nobody.
        for process in processes {
            let _ = kill(pid(process), Signal::SIGCONT);
        }
    });
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

/// No file of the server may grow: what a write to a table's file meets on a full disk, without a disk to fill. The log
/// of writes still has its segments; a server that cannot write that one ends, and the service with it.
#[cfg(target_os = "linux")]
#[test]
fn while_no_file_can_grow_appends_are_refused_and_afterwards_the_service_goes_on() {
    let folder = data_folder();
    let service = Service::own(folder.path());
    let client = service.client();
    assert!(until_all_work(&client, "s", RECOVERY) < RECOVERY);
    let owner = fs::metadata(folder.path().join("postgres/cluster")).expect("a folder");
    let limit = |bytes: &str| {
        for process in server_processes(folder.path()) {
            // One of them may have ended meanwhile.
            let mut command = Command::new("prlimit");
            command.args(["--pid", &process.to_string(), &format!("--fsize={bytes}:")]);
            // As the server's user: another one, also root, may lack the right.
            if Uid::effective().is_root() {
                command.uid(owner.uid()).gid(owner.gid());
            }
            let _ = command.output().expect("a program that runs");
        }
    };
    // As large as a segment of the log of writes.
    limit("16777216");
    let mut chance = StdRng::seed_from_u64(7);
    let mut stored = Vec::new();
    // Nothing that compresses.
    let long: String = (0..1_000_000).map(|_| char::from(chance.random_range(b'a'..=b'z'))).collect();
    let refused = (0..24).find_map(|number| {
        let text = format!("{number} {long}");
        let reply =
            client.call("POST", "/v1/sessions/large/messages", &[], &message(&text)).expect("a reply");
        if reply.status == 201 {
            stored.push(text);
            return None;
        }
        Some(reply)
    });
    let refused = refused.expect("a file that is as large as it may be");
    assert!([500, 503].contains(&refused.status), "{}", refused.text);
    assert_ne!(problem(&refused.json()), "outcome-unknown", "the server has answered");
    // What needs no more room works meanwhile.
    assert_eq!(client.get("/v1/sessions/s/context").status, 200);
    assert_eq!(client.get("/readyz").status, 200);
    under_appends(&client, "f", || limit("unlimited"));
    let reply =
        client.call("POST", "/v1/sessions/large/messages", &[], &message("the end")).expect("a reply");
    assert_eq!(reply.status, 201, "{}", reply.text);
    stored.push("the end".to_owned());
    assert!(texts(&client, "large") == stored, "what was acknowledged is not what is stored");
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

/// The service's clock goes back; that of the database, which leases and retention use, stays.
#[tokio::test]
async fn a_clock_that_goes_back_an_hour_changes_no_order_and_no_key() {
    let mut app = app().await;
    let now = Clock::system().now();
    let append = async |app: &App, text: &str| {
        let key = [("idempotency-key", text)];
        let reply = app.call_with("POST", "/v1/sessions/s/messages", message(text), &key).await.with(201);
        reply.json()["first_seq"].clone()
    };
    app.set_clock(Clock::frozen(now));
    assert_eq!(append(&app, "first").await, 1);
    let key = app.call("POST", "/v1/keys", r#"{"scopes": ["read"]}"#).await.with(201);
    app.set_clock(Clock::frozen(now - TimeDelta::hours(1)));
    assert_eq!(append(&app, "second").await, 2);
    assert_eq!(append(&app, "first").await, 1, "a repetition");
    assert_eq!(app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await.status.as_u16() / 100, 2);
    app.work().await;
    let read =
        app.call_as(key.json()["key"].as_str().expect("a key"), "GET", "/v1/sessions/s/context", "").await;
    assert_eq!((read.status.as_u16(), &read.json()["head_seq"]), (200, &json!(2)), "{}", read.text);
    let figures = app.store.flush_usage(None).await;
    figures.expect("figures that are written");
}
