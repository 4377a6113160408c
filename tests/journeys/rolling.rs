//! Two processes with the API and two with workers on one database, each restarted while clients append and
//! compressions run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};

use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};

use crate::concurrency::stored;
use crate::support::app::COMPRESS;
use crate::support::app::app;
use crate::support::provider::{Act, FakeProvider};
use crate::support::service::{Client, Service, pid};
use crate::support::{TestDatabase, database, number, until};

const WRITERS: usize = 4;
const SESSIONS: usize = 3;
/// Acknowledged appends between two restarts.
const BETWEEN: usize = 25;

const RUNNING: &str = "select count(*) from compressions where kind = 'compress' and status = 'running'";
const LIVE: &str = "select count(*) from compressions where status in ('queued', 'running')";

/// The way to the processes that are up.
struct Front {
    clients: [Mutex<Client>; 2],
    over: AtomicBool,
    told: AtomicUsize,
}

/// An append that was acknowledged: its session, its position and its message.
type Told = (String, i64, String);

/// Appends until it is over; what is not acknowledged is tried again under its key, elsewhere.
fn write(front: &Front, writer: usize, tell: &mpsc::Sender<Told>) {
    for turn in 0.. {
        if front.over.load(Ordering::Relaxed) {
            return;
        }
        let session = format!("s{}", (writer + turn) % SESSIONS);
        let name = format!("{writer}-{turn}");
        let text = format!("{name} {}", "went on with the work at hand ".repeat(12));
        let message =
            json!({"role": if turn % 2 == 0 { "user" } else { "assistant" }, "content": text}).to_string();
        let (path, body) =
            (format!("/v1/sessions/{session}/messages"), format!(r#"{{"messages":[{message}]}}"#));
        let first = (0..).find_map(|attempt| {
            let client = front.clients[(writer + attempt) % 2].lock().unwrap().clone();
            let reply = client.call("POST", &path, &[("idempotency-key", &name)], &body).ok()?;
            assert!([201, 409, 503].contains(&reply.status), "{}", reply.text);
            (reply.status == 201).then(|| reply.json()["first_seq"].as_i64().expect("a position"))
        });
        tell.send((session, first.expect("an end"), message)).expect("someone who listens");
        front.told.fetch_add(1, Ordering::Relaxed);
    }
}

/// Restarts every process in turn, each while compressions run and appends come.
async fn restart_all(database: &TestDatabase, front: &Front, apis: &mut [Option<Service>; 2]) {
    let mut look = database.connect().await;
    let mut workers = [0, 1].map(|_| Some(Service::worker(&database.url)));
    for place in 0..4 {
        let before = front.told.load(Ordering::Relaxed);
        until("appends between restarts", async || {
            (front.told.load(Ordering::Relaxed) >= before + BETWEEN).then_some(())
        })
        .await;
        until("a compression that runs", async || (number(&mut look, RUNNING).await > 0).then_some(())).await;
        if let Some(api) = apis.get_mut(place) {
            let old = api.take().expect("a process");
            let code = tokio::task::spawn_blocking(|| old.end(Signal::SIGTERM)).await.expect("an end");
            assert_eq!(code, Some(0), "the API was cut short");
            let new = Service::on(&database.url, &["--roles", "api"]);
            *front.clients[place].lock().unwrap() = new.client();
            *api = Some(new);
        } else {
            let old = workers[place - 2].take().expect("a process");
            let code = tokio::task::spawn_blocking(|| old.end(Signal::SIGTERM)).await.expect("an end");
            assert_eq!(code, Some(0), "the worker was cut short");
            workers[place - 2] = Some(Service::worker(&database.url));
        }
    }
    front.over.store(true, Ordering::Relaxed);
    until("the end of the work", async || (number(&mut look, LIVE).await == 0).then_some(())).await;
    for worker in workers.into_iter().flatten() {
        assert_eq!(worker.end(Signal::SIGTERM), Some(0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_under_load_loses_and_doubles_neither_message_nor_compression() {
    let database = database().await;
    let mut apis = [0, 1].map(|_| Some(Service::on(&database.url, &["--roles", "api"])));
    let clients = apis.each_ref().map(|api| Mutex::new(api.as_ref().expect("a process").client()));
    for session in 0..SESSIONS {
        let settings = r#"{"context_window": 4000}"#;
        let put = clients[0].lock().unwrap().call("PUT", &format!("/v1/sessions/s{session}"), &[], settings);
        assert_eq!(put.expect("a reply").status, 201);
    }
    let front = Front { clients, over: AtomicBool::new(false), told: AtomicUsize::new(0) };
    let (tell, told) = mpsc::channel();
    let mut acknowledged: BTreeMap<(String, i64), String> = BTreeMap::new();
    let runtime = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (front, tell) = (&front, tell.clone());
                scope.spawn(move || write(front, writer, &tell));
            }
            drop(tell);
            // Should it fail, the writers must not go on for ever.
            let restarted = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                runtime.block_on(restart_all(&database, &front, &mut apis));
            }));
            front.over.store(true, Ordering::Relaxed);
            for (session, seq, message) in told {
                let earlier = acknowledged.insert((session, seq), message);
                assert_eq!(earlier, None, "one position was given twice");
            }
            restarted.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        });
    });

    let client = front.clients[0].lock().unwrap().clone();
    let mut look = database.connect().await;
    for session in (0..SESSIONS).map(|session| format!("s{session}")) {
        let stored = stored(&client, &session);
        assert!(stored.iter().zip(1..).all(|((seq, _), place)| *seq == place), "{session} has a gap");
        let expected = acknowledged.iter().filter(|((of, _), _)| *of == session);
        let expected = expected.map(|((_, seq), message)| (*seq, message.clone()));
        assert!(expected.eq(stored), "{session}: a message was lost, doubled or moved");
        let versions = client.get(&format!("/v1/sessions/{session}/summaries?limit=1000")).json();
        let mut versions: Vec<Value> = versions["items"].as_array().expect("items").clone();
        versions.reverse();
        let mut from = 1;
        for (entry, number) in versions.iter().zip(1..) {
            assert_eq!((&entry["version"], &entry["from_seq"]), (&json!(number), &json!(from)), "{entry}");
            from = entry["through_seq"].as_i64().expect("a position") + 1;
        }
    }
    let published = number(&mut look, "select count(*) from summaries").await;
    let succeeded = "select count(*) from compressions where kind = 'compress' and status = 'succeeded'";
    assert!(published > 4, "only {published} compressions ran");
    assert_eq!(number(&mut look, succeeded).await, published, "a version for each compression");
    // A worker that is told to end finishes what it has: nothing was taken over and begun again.
    assert_eq!(
        number(&mut look, "select count(*) from compressions where attempt > 1 or crashes > 0").await,
        0
    );
    assert_eq!(number(&mut look, LIVE).await, 0);
    for api in apis.into_iter().flatten() {
        assert_eq!(api.end(Signal::SIGTERM), Some(0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_told_to_end_in_the_middle_of_a_job_ends_it_and_nobody_takes_it_over() {
    let fake = FakeProvider::start([Act::Held, Act::Good]).await;
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
    let location = queued.headers["location"].to_str().expect("text").to_owned();
    let url = format!("{}/v1", fake.url);
    let words = ["worker", "--database-url", &app.database.url, "--metrics-listen", "127.0.0.1:0"];
    let model = ["--llm-provider", "openai", "--llm-base-url", &url, "--llm-model", "small"];
    let words = [words.as_slice(), &model].concat();
    let first = Service::start(&words);
    fake.arrivals(1).await;
    let second = Service::start(&words);
    kill(pid(first.id()), Signal::SIGTERM).expect("a process of ours");
    until("an address that is closed", async || first.metrics().connect().is_err().then_some(())).await;
    let mut another = app.store.hold_presence(7).await.expect("a connection");
    let mut look = app.database.connect().await;
    for _ in 0..50 {
        // What every worker does now and then.
        assert_eq!(another.look_after_workers().await.expect("an answer"), 0, "it was taken for dead");
        let in_doubt = "select count(*) from compressions where doubted_at is not null";
        assert_eq!(number(&mut look, in_doubt).await, 0, "it was doubted");
    }
    fake.release();
    let ended = tokio::task::spawn_blocking(|| first.end(Signal::SIGCONT)).await.expect("an end");
    assert_eq!(ended, Some(0));
    let compression = app.call("GET", &location, "").await.json();
    assert_eq!(
        (&compression["status"], &compression["attempts"]),
        (&json!("succeeded"), &json!(1)),
        "{compression}"
    );
    assert_eq!(compression["engine"], "llm", "{compression}");
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.json()["compression_count"], 1);
    assert_eq!(second.end(Signal::SIGTERM), Some(0));
}
