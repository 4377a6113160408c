//! A worker that is told to end while another one is there, as in a rolling restart.

use nix::sys::signal::{Signal, kill};
use serde_json::json;

use crate::support::app::COMPRESS;
use crate::support::app::app;
use crate::support::provider::{Act, FakeProvider};
use crate::support::service::{Service, pid};
use crate::support::talks::turns;
use crate::support::{number, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_told_to_end_in_the_middle_of_a_job_ends_it_and_nobody_takes_it_over() {
    let fake = FakeProvider::start([Act::Held, Act::Good]).await;
    let app = app().await;
    let messages = turns(40, |i| format!("Step {i}: {}", "we look at src/main.rs again. ".repeat(20)));
    app.call("POST", "/v1/sessions/s/messages", json!({"messages": messages}).to_string()).await.with(201);
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
