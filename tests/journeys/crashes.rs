//! A worker that is killed or cut off in the middle of a compression.

use std::collections::BTreeSet;

use nix::sys::signal::Signal;
use rstest::rstest;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row as _};

use crate::support::app::COMPRESS;
use crate::support::app::{App, app};
use crate::support::relay::Relay;
use crate::support::service::Service;
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
