//! Processes that are killed: a worker in the middle of a compression, and everything at once under load.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::mpsc;

use nix::sys::signal::{Signal, kill};
use rstest::rstest;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row as _};

use crate::concurrency::stored;
use crate::support::app::COMPRESS;
use crate::support::app::{App, app};
use crate::support::relay::Relay;
use crate::support::service::{Client, Service, data_folder, pid};
use crate::support::{number, until};

/// Connections of the services that wait for a lock.
const WAITING: &str = "select count(*) from pg_stat_activity
    where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0";

/// An API with a session that is worth a compression, and one queued.
async fn app_with_a_queued_compression() -> (App, String) {
    let app = app().await;
    let messages: Vec<Value> = (0..40)
        .map(|i| {
            let role = if i % 2 == 0 { "user" } else { "assistant" };
            json!({"role": role, "content": format!("Step {i}: {}", "we look at src/main.rs again. ".repeat(20))})
        })
        .collect();
    let reply = app.call("POST", "/v1/sessions/s/messages", json!({"messages": messages}).to_string()).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    let queued = app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await;
    assert_eq!(queued.status, 202, "{}", queued.text);
    let location = queued.headers["location"].to_str().expect("text").to_owned();
    (app, location)
}

/// The lock is what holds the first worker in the middle. The server does not notice that it was
/// killed: its transaction goes on waiting, in the way of the worker that takes over.
#[rstest]
#[case::before_it_publishes("select from sessions where name = 's' for update")]
#[case::as_it_publishes("lock table summaries in share mode")]
#[case::after_it_has_published("lock table evaluations in share mode")]
#[tokio::test]
async fn a_compression_whose_worker_is_killed_in_the_middle_is_finished_once_by_another(#[case] lock: &str) {
    let (app, location) = app_with_a_queued_compression().await;
    let mut look = app.database.connect().await;
    let mut holder = app.database.connect().await;
    sqlx::raw_sql(AssertSqlSafe(format!("begin; {lock}"))).execute(&mut holder).await.expect("a lock");

    let first = Service::worker(&app.database.url);
    until("the first worker in the middle", async || (number(&mut look, WAITING).await == 1).then_some(()))
        .await;
    let begun = app.call("GET", &location, "").await.json();
    assert_eq!((&begun["status"], &begun["attempts"]), (&json!("running"), &json!(1)));
    let leased = sqlx::raw_sql("select lease_until::text from compressions").fetch_one(&mut look).await;
    let lease: String = leased.expect("a row").get(0);
    let second = Service::worker(&app.database.url);
    assert_eq!(first.end(Signal::SIGKILL), None);

    until("both transactions at the lock", async || (number(&mut look, WAITING).await == 2).then_some(()))
        .await;
    let early = format!("select count(*) from compressions where attempt = 2 and now() < '{lease}'");
    assert_eq!(
        number(&mut look, &early).await,
        1,
        "the second worker waited for the first one's lease to end"
    );
    assert_eq!(number(&mut look, "select count(*) from summaries").await, 0);
    sqlx::raw_sql("rollback").execute(&mut holder).await.expect("a rollback");

    let ended = until("the end of the compression", async || {
        let compression = app.call("GET", &location, "").await.json();
        compression["finished_at"].is_string().then_some(compression)
    })
    .await;
    assert_eq!((&ended["status"], &ended["attempts"]), (&json!("succeeded"), &json!(2)), "{ended}");
    let versions = app.call("GET", "/v1/sessions/s/summaries", "").await.json();
    assert_eq!(versions["items"].as_array().map(Vec::len), Some(1), "{versions}");
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.json()["compression_count"], 1);
    for (table, rows) in [("summaries", 1), ("evaluations", 1), ("compressions where kind = 'compress'", 1)] {
        assert_eq!(number(&mut look, &format!("select count(*) from {table}")).await, rows, "{table}");
    }
    assert_eq!(number(&mut look, "select count(*) from compressions where crashes = 1").await, 1);
    assert_eq!(second.end(Signal::SIGTERM), Some(0));
}

/// The backends that hold a worker's sign of life.
const PRESENCE: &str = "from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and l.classid = 1633772132 and l.granted and a.datname = current_database()";

/// The first worker is in the middle of a job, with a second one ready to take over, when its sign of life ends:
/// its backend is terminated, or nothing comes through to it any more.
#[rstest]
#[case::by_a_terminated_backend(false)]
#[case::by_a_connection_that_says_nothing(true)]
#[tokio::test]
async fn a_worker_whose_sign_of_life_is_cut_off_goes_on_with_its_job(#[case] is_silent: bool) {
    let (app, location) = app_with_a_queued_compression().await;
    let relay = Relay::to(&app.database).await;
    let mut look = app.database.connect().await;
    let mut holder = app.database.connect().await;
    sqlx::raw_sql("begin; select from sessions where name = 's' for update")
        .execute(&mut holder)
        .await
        .expect("a lock");
    let first = Service::worker(&relay.url);
    until("the first worker in the middle", async || (number(&mut look, WAITING).await == 1).then_some(()))
        .await;
    let cut = number(&mut look, &format!("select a.pid::bigint {PRESENCE}")).await;
    let second = Service::worker(&app.database.url);
    let alive = format!("select count(*) {PRESENCE}");
    until("both signs of life", async || (number(&mut look, &alive).await == 2).then_some(())).await;
    let mut still = None;
    if is_silent {
        still = Some(until("a used sign of life", async || relay.signs_of_life_still()).await);
    } else {
        assert_eq!(number(&mut look, &format!("select pg_terminate_backend({cut})::int::bigint")).await, 1);
    }
    let anew = format!("select count(distinct l.objid) {PRESENCE} and a.pid <> {cut}");
    until("a new sign of life", async || (number(&mut look, &anew).await == 2).then_some(())).await;
    drop(still);
    // Longer than a job is in doubt before it is taken: the second worker looks so often meanwhile.
    let last_look = format!("select max(extract(epoch from a.state_change) * 1000000)::bigint {PRESENCE}");
    let mut looks = BTreeSet::new();
    until("many looks", async || {
        looks.insert(number(&mut look, &last_look).await);
        (looks.len() > 30).then_some(())
    })
    .await;
    let running = app.call("GET", &location, "").await.json();
    assert_eq!((&running["status"], &running["attempts"]), (&json!("running"), &json!(1)));
    sqlx::raw_sql("rollback").execute(&mut holder).await.expect("a rollback");
    let ended = until("the end of the compression", async || {
        let compression = app.call("GET", &location, "").await.json();
        compression["finished_at"].is_string().then_some(compression)
    })
    .await;
    assert_eq!((&ended["status"], &ended["attempts"]), (&json!("succeeded"), &json!(1)), "{ended}");
    assert_eq!(
        number(&mut look, "select count(*) from compressions where crashes > 0 or attempt > 1").await,
        0
    );
    assert_eq!(first.end(Signal::SIGTERM), Some(0));
    assert_eq!(second.end(Signal::SIGTERM), Some(0));
}

/// A client that appends until the service is gone, and tells each acknowledgement.
fn append_until_the_end(client: &Client, name: &str, told: &mpsc::Sender<(String, i64, String)>) {
    for number in 0.. {
        // A session that all share, and one of its own.
        let session = if number % 2 == 0 { "shared" } else { name };
        let message = |part| {
            let text = format!("{name} {number} {part} {}", "went on with the work at hand ".repeat(10));
            json!({"role": if part == 0 { "user" } else { "assistant" }, "content": text}).to_string()
        };
        let messages = [message(0), message(1)];
        let body = format!(r#"{{"messages":[{}]}}"#, messages.join(","));
        let path = format!("/v1/sessions/{session}/messages");
        // Without a whole reply it is not acknowledged: it may be stored or not.
        let Ok(reply) = client.call("POST", &path, &[], &body) else { return };
        if reply.status != 201 {
            return;
        }
        let first = reply.json()["first_seq"].as_i64().expect("a position");
        for (seq, message) in (first..).zip(messages) {
            told.send((session.to_owned(), seq, message)).expect("someone who listens");
        }
    }
}

/// Kills a service and its Postgres with all that belongs to them, so that nobody can tidy up.
fn kill_everything(service: Service, data: &Path) {
    let file = fs::read_to_string(data.join("postgres/cluster/postmaster.pid")).expect("a running server");
    let postmaster: u32 = file.lines().next().and_then(|line| line.parse().ok()).expect("a process id");
    let mut all = vec![postmaster];
    all.extend(children(postmaster));
    all.extend(children(service.id()).into_iter().filter(|child| *child != postmaster));
    // Stopped first: none of them sees another one die.
    for signal in [Signal::SIGSTOP, Signal::SIGKILL] {
        let _ = kill(pid(service.id()), signal);
        for process in &all {
            // A child may have ended meanwhile.
            let _ = kill(pid(*process), signal);
        }
    }
    drop(service);
}

/// The processes that a process has started. Where there is no /proc it finds none: then the
/// server's children end by themselves when they miss it.
pub fn children(parent: u32) -> Vec<u32> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let started_by_it = |process: &u32| {
        let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
        // The name, in brackets, may hold anything; state and parent follow it.
        let parent_of_it = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        parent_of_it == Some(parent)
    };
    let ids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(started_by_it).collect()
}

#[test]
fn every_acknowledged_message_is_there_after_service_and_database_were_killed_under_load() {
    /// Acknowledged messages before each kill.
    const BEFORE: usize = 200;
    let folder = data_folder();
    let mut acknowledged: BTreeMap<(String, i64), String> = BTreeMap::new();
    for life in 0..3 {
        let service = Service::own(folder.path());
        let client = service.client();
        verify(&client, &acknowledged);
        let put = client.call("PUT", "/v1/sessions/shared", &[], r#"{"context_window": 4000}"#);
        assert!([200, 201].contains(&put.expect("a reply").status));
        let (tell, told) = mpsc::channel();
        std::thread::scope(|scope| {
            for writer in 0..6 {
                let (client, tell) = (&client, tell.clone());
                scope.spawn(move || append_until_the_end(client, &format!("w{life}-{writer}"), &tell));
            }
            drop(tell);
            let mut keep = |(session, seq, message): (String, i64, String)| {
                let earlier = acknowledged.insert((session, seq), message);
                assert_eq!(earlier, None, "one position was given twice");
            };
            told.iter().take(BEFORE).for_each(&mut keep);
            kill_everything(service, folder.path());
            told.iter().for_each(&mut keep);
        });
    }
    let service = Service::own(folder.path());
    let client = service.client();
    verify(&client, &acknowledged);
    // And the work goes on: what was compressed when it was killed is finished by the next life.
    let one = r#"{"messages":[{"role":"user","content":"go on"}]}"#;
    let head = client.get("/v1/sessions/shared").json()["head_seq"].as_i64().expect("a head");
    let reply = client.call("POST", "/v1/sessions/shared/messages", &[], one).expect("a reply");
    assert_eq!((reply.status, reply.json()["first_seq"].as_i64()), (201, Some(head + 1)));
    let compress = [("prefer", "wait=30")];
    let ended = client.call("POST", "/v1/sessions/shared/compressions", &compress, "{}").expect("a reply");
    assert_eq!(ended.status, 200, "{}", ended.text);
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

/// Every acknowledged message is where it was said to be, as it was sent, and there are no gaps.
fn verify(client: &Client, acknowledged: &BTreeMap<(String, i64), String>) {
    let mut sessions: Vec<&str> = acknowledged.keys().map(|(session, _)| session.as_str()).collect();
    sessions.dedup();
    for session in sessions {
        let stored: BTreeMap<i64, String> = stored(client, session).into_iter().collect();
        assert!(stored.keys().zip(1..).all(|(seq, place)| *seq == place), "{session} has a gap");
        assert_eq!(stored.len() % 2, 0, "half a batch of {session} was stored");
        for ((_, seq), message) in acknowledged.iter().filter(|((of, _), _)| of == session) {
            assert_eq!(stored.get(seq), Some(message), "{session} {seq} was acknowledged");
        }
    }
}
