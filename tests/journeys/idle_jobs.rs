//! Jobs that have nothing to do end many at once and are never claimed; what is not so any more when they would end
//! is left to whoever claims it.

use std::time::Duration;

use anchord::domain::compression::Report;
use anchord::domain::id::SessionName;
use anchord::store::audit::Actor;
use anchord::store::compressions::{Job, Kind, Seen, Taken};
use anchord::store::settle::idle::IdleEnd;
use nix::sys::signal::Signal;
use rstest::rstest;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::support::app::COMPRESS;
use crate::support::app::{App, THEIRS, app, app_with_webhooks};
use crate::support::receiver::{Answer, Receiver};
use crate::support::service::Service;
use crate::support::{number, text, until};

const WORKER: i64 = 7;
const LEASE_SECONDS: f64 = 60.0;

/// A session with two messages and a compression that waits, and finds nothing to cover.
async fn idle(app: &App, name: &str) {
    idle_as(app, crate::support::app::OURS, name).await;
}

async fn idle_as(app: &App, key: &str, name: &str) {
    let messages =
        json!({"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "yes?"}]});
    let session = format!("/v1/sessions/{name}");
    let appended = app.call_as(key, "POST", &format!("{session}/messages"), messages.to_string()).await;
    assert_eq!(appended.status, 201, "{}", appended.text);
    let queued = app.call_as(key, "POST", &format!("{session}/compressions"), COMPRESS).await;
    assert_eq!(queued.status, 202, "{}", queued.text);
}

/// An indexing that waits; the session is indexed before when it is to have nothing to do.
async fn index(app: &App, name: &str) {
    run(
        app,
        &format!(
            "update sessions set indexed_seq = head_seq where name = '{name}';
             insert into compressions (tenant_id, id, session_id, kind, status, trigger, request)
             select tenant_id, gen_random_uuid(), id, 'index', 'queued', 'recall', '{{}}' from sessions where name = '{name}'"
        ),
    )
    .await;
}

async fn run(app: &App, sql: &str) {
    let mut superuser = app.database.connect_as_superuser().await;
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut superuser).await.unwrap();
}

async fn one(app: &App, sql: &str) -> String {
    text(&mut app.database.connect_as_superuser().await, sql).await
}

async fn count(app: &App, sql: &str) -> i64 {
    number(&mut app.database.connect_as_superuser().await, sql).await
}

async fn look(app: &App) -> Taken {
    app.store.take(WORKER, LEASE_SECONDS, 8, (2, 32)).await.unwrap()
}

/// How the jobs would end, as they were looked at.
async fn ends(app: &App, seen: &Seen) -> Vec<IdleEnd> {
    let mut ends = Vec::new();
    for job in &seen.jobs {
        match job.kind {
            Kind::Index => ends.push(IdleEnd::indexed(job.clone()).unwrap()),
            Kind::Compress | Kind::Evaluate => {
                let mut resting = app.store.look_at(std::slice::from_ref(job)).await.unwrap();
                let resting = resting.remove(0).expect("a session");
                ends.extend(resting.skip(job.clone(), Report::default()).unwrap());
            }
        }
    }
    assert_eq!(ends.len(), seen.jobs.len());
    ends
}

const STATUSES: &str =
    "select coalesce(string_agg(c.status || ' ' || c.attempt, ', ' order by s.name, c.kind), '')
    from compressions c join sessions s on s.tenant_id = c.tenant_id and s.id = c.session_id";

#[tokio::test]
async fn what_has_nothing_to_do_ends_as_it_would_when_it_was_claimed() {
    let app = app().await;
    for name in ["claimed", "unclaimed"] {
        idle(&app, name).await;
        if name == "claimed" {
            // What was tried before is claimed.
            let job = app.store.claim(WORKER, LEASE_SECONDS, 8).await.unwrap().unwrap();
            assert!(app.store.requeue(&job, 0.0).await.unwrap());
        }
    }
    app.work().await;
    assert_eq!(one(&app, STATUSES).await, "skipped 2, skipped 1");
    let shown = async |name: &str| {
        let session: Value = app.call("GET", &format!("/v1/sessions/{name}"), "").await.json();
        let mut list = app.call("GET", &format!("/v1/sessions/{name}/compressions"), "").await.json();
        let of = format!("where session_id = (select id from sessions where name = '{name}')");
        let events = one(
            &app,
            &format!("select string_agg(kind || ' ' || (payload::jsonb - 'compression_id')::text, ', ' order by id) from events {of}"),
        )
        .await;
        let accounting =
            one(&app, &format!("select accounting::text from sessions where name = '{name}'")).await;
        assert!(
            list["items"][0]["started_at"].is_string() && list["items"][0]["finished_at"].is_string(),
            "{list}"
        );
        for own in ["id", "session_id", "attempts", "created_at", "started_at", "finished_at", "timings"] {
            list["items"][0].as_object_mut().unwrap().remove(own);
        }
        (session["usage"].clone(), list, events, accounting)
    };
    let (claimed, unclaimed) = (shown("claimed").await, shown("unclaimed").await);
    assert_eq!(claimed, unclaimed);
    assert!(unclaimed.2.starts_with("compression.skipped {"), "{}", unclaimed.2);
    assert!(unclaimed.1["items"][0]["error"]["type"].is_string(), "{}", unclaimed.1);
}

#[tokio::test]
async fn many_end_in_one_commit_whoever_they_belong_to() {
    let app = app().await;
    for n in 0..4 {
        idle(&app, &format!("a{n}")).await;
        idle_as(&app, THEIRS, &format!("b{n}")).await;
        index(&app, &format!("a{n}")).await;
    }
    app.work().await;
    assert_eq!(
        count(&app, "select count(*) from compressions where status in ('skipped', 'succeeded')").await,
        12
    );
    // The time of a commit's begin, which they share.
    assert_eq!(count(&app, "select count(distinct finished_at) from compressions").await, 1);
    assert_eq!(count(&app, "select count(*) from events where kind = 'compression.skipped'").await, 8);
    assert_eq!(count(&app, "select count(*) from events e join sessions s on s.id = e.session_id where s.tenant_id <> e.tenant_id").await, 0);
}

#[tokio::test]
async fn a_look_leaves_the_job_to_everyone() {
    let app = app().await;
    idle(&app, "s").await;
    index(&app, "s").await;
    // A worker that is killed between its look and the end has done this much.
    let first = look(&app).await;
    assert!(first.claimed.is_empty());
    assert_eq!((first.seen.jobs.len(), one(&app, STATUSES).await.as_str()), (2, "queued 0, queued 0"));
    let late = ends(&app, &first.seen).await;
    app.work().await;
    let ended = one(&app, STATUSES).await;
    assert_eq!(ended, "skipped 1, succeeded 1");
    let (before, events) =
        (one(&app, "select xmin::text from sessions").await, "select count(*) from events");
    assert_eq!(app.store.end_idle(first.seen.at(), &late).await.unwrap(), []);
    assert_eq!(
        (one(&app, STATUSES).await, one(&app, "select xmin::text from sessions").await),
        (ended, before)
    );
    assert_eq!(count(&app, events).await, 1, "it is told once");
}

#[rstest]
#[case::messages_came("", "queued 0")]
#[case::it_was_cancelled("update compressions set status = 'cancelled'", "cancelled 0")]
#[case::it_was_claimed("update compressions set status = 'running', attempt = 1", "running 1")]
#[case::it_was_tried("update compressions set attempt = 1", "queued 1")]
#[case::the_tenant_has_other_settings("update tenants set settings = '{\"preserve_recent\": 0}'", "queued 0")]
#[case::the_session_has_other_settings(
    "update sessions set settings = '{\"preserve_recent\": 0}'",
    "queued 0"
)]
#[case::the_session_was_erased("delete from sessions", "")]
#[tokio::test]
async fn what_is_not_as_it_was_looked_at_does_not_end(#[case] meanwhile: &str, #[case] left: &str) {
    let app = app().await;
    idle(&app, "s").await;
    let seen = look(&app).await.seen;
    let end = ends(&app, &seen).await;
    if meanwhile.is_empty() {
        let body = json!({"messages": [{"role": "user", "content": "and more"}]}).to_string();
        assert_eq!(app.call("POST", "/v1/sessions/s/messages", body).await.status, 201);
    } else {
        run(&app, meanwhile).await;
    }
    assert_eq!(app.store.end_idle(seen.at(), &end).await.unwrap(), []);
    assert_eq!(one(&app, STATUSES).await, left);
    if meanwhile.is_empty() {
        app.work().await;
        assert_eq!(one(&app, STATUSES).await, "skipped 1");
        assert_eq!(one(&app, "select accounting ->> 'settled_head' from sessions").await, "3");
    }
}

#[tokio::test]
async fn a_session_that_somebody_holds_is_left_and_holds_up_no_other() {
    let app = app().await;
    for name in ["a", "b", "c"] {
        idle(&app, name).await;
    }
    let seen = look(&app).await.seen;
    let end = ends(&app, &seen).await;
    let mut holder = app.database.connect_as_superuser().await;
    let hold = "begin; select from sessions where name = 'b' for update;
                select from compressions c join sessions s on s.id = c.session_id where s.name = 'c' for update of c";
    sqlx::raw_sql(hold).execute(&mut holder).await.unwrap();
    let ended = app.store.end_idle(seen.at(), &end);
    let ended =
        tokio::time::timeout(Duration::from_secs(10), ended).await.expect("no wait for a lock").unwrap();
    assert_eq!(ended.len(), 1);
    assert_eq!(one(&app, STATUSES).await, "skipped 1, queued 0, queued 0");
    sqlx::raw_sql("rollback").execute(&mut holder).await.unwrap();
    app.work().await;
    assert_eq!(one(&app, STATUSES).await, "skipped 1, skipped 1, skipped 1");
}

#[tokio::test]
async fn a_job_that_fails_fails_alone() {
    let app = app().await;
    for name in ["a", "b", "c", "d"] {
        idle(&app, name).await;
    }
    run(
        &app,
        "update sessions set accounting = '{\"tail_tokens\": \"many\"}' where name = 'b';
         update compressions set request = '[1]' where session_id = (select id from sessions where name = 'c')",
    )
    .await;
    app.work().await;
    // One is given back to be tried again; the other does not read back and is left to its lease.
    assert_eq!(one(&app, STATUSES).await, "skipped 1, queued 1, running 1, skipped 1");
}

#[tokio::test]
async fn a_job_under_another_tenants_name_does_not_end() {
    let app = app().await;
    idle(&app, "s").await;
    index(&app, "s").await;
    let seen = look(&app).await.seen;
    let stranger = app.store.insert_tenant("stranger", Actor::Cli).await.unwrap().unwrap().id;
    let mut under_another = ends(&app, &seen).await;
    for end in &mut under_another {
        end.job.tenant = stranger;
    }
    assert_eq!(app.store.end_idle(seen.at(), &under_another).await.unwrap(), []);
    assert_eq!(one(&app, STATUSES).await, "queued 0, queued 0");
    let strangers: Vec<Job> = under_another.into_iter().map(|end| end.job).collect();
    assert!(app.store.look_at(&strangers).await.unwrap().iter().all(Option::is_none));
}

#[tokio::test]
async fn what_has_work_is_claimed_beside_what_has_none() {
    let app = app().await;
    for n in 0..3 {
        idle(&app, &format!("a{n}")).await;
    }
    let talk: Vec<Value> = (0..30)
        .map(|i| json!({"role": if i % 2 == 0 { "user" } else { "assistant" }, "content": format!("step {i}: {}", "we look at src/main.rs again. ".repeat(20))}))
        .collect();
    app.call("POST", "/v1/sessions/b/messages", json!({"messages": talk}).to_string()).await;
    app.call("POST", "/v1/sessions/b/compressions", COMPRESS).await;
    idle(&app, "c").await;
    let taken = look(&app).await;
    let name = SessionName::parse("b").unwrap();
    let work = app.store.find_session(app.tenant, &name).await.unwrap().unwrap().id;
    assert_eq!(taken.claimed.iter().map(|job| job.session).collect::<Vec<_>>(), [work]);
    assert_eq!(taken.seen.jobs.len(), 4);
    assert!(app.store.requeue(&taken.claimed[0], 0.0).await.unwrap());
    app.work().await;
    assert_eq!(
        one(&app, "select string_agg(distinct status, ', ' order by status) from compressions where kind = 'compress'").await,
        "skipped, succeeded"
    );
}

#[tokio::test]
async fn what_seems_to_have_nothing_to_do_and_has_work_is_done() {
    let app = app().await;
    let settings = json!({"preserve_recent": 0, "context_window": 100_000}).to_string();
    assert_eq!(app.call("PUT", "/v1/sessions/s", settings).await.status, 201);
    let long = "we look at src/main.rs again, and at what it does. ".repeat(400);
    let messages = json!({"messages": [{"role": "user", "content": long}, {"role": "assistant", "content": long},
                                       {"role": "user", "content": "on"}, {"role": "assistant", "content": "so"}]});
    app.call("POST", "/v1/sessions/s/messages", messages.to_string()).await;
    app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await;
    idle(&app, "t").await;
    app.work().await;
    assert_eq!(
        one(
            &app,
            "select string_agg(c.status || ' ' || c.attempt, ', ' order by s.name) from compressions c
                   join sessions s on s.id = c.session_id where c.kind = 'compress'"
        )
        .await,
        "succeeded 1, skipped 1"
    );
}

#[tokio::test]
async fn a_webhook_hears_of_what_ended_unclaimed() {
    let app = app_with_webhooks().await;
    let receiver = Receiver::start([Answer::Status(200), Answer::Status(200)]).await;
    let made = app.call("POST", "/v1/webhooks", json!({"url": receiver.url}).to_string()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    for name in ["a", "b"] {
        idle(&app, name).await;
    }
    app.work().await;
    app.deliver().await;
    assert_eq!(receiver.kinds(), ["compression.skipped", "compression.skipped"]);
    assert_eq!(count(&app, "select count(distinct id) from webhook_deliveries").await, 2);
}

/// A worker that runs on its own claims and ends whatever is told of, however often it is told.
#[tokio::test]
async fn a_worker_ends_what_is_told_of_many_times() {
    let app = app().await;
    let worker = Service::worker(&app.database.url);
    for n in 0..12 {
        idle(&app, &format!("s{n}")).await;
        run(&app, "select pg_notify('anchord_queue', '') from generate_series(1, 3)").await;
    }
    until("the end of all", async || {
        (count(&app, "select count(*) from compressions where status = 'skipped' and attempt = 1").await
            == 12)
            .then_some(())
    })
    .await;
    assert_eq!(worker.end(Signal::SIGTERM), Some(0));
}
