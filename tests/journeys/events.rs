//! Following a session: what happens in it is told once, in order, and again to whoever comes back.

use std::time::Duration;

use axum::body::BodyDataStream;
use futures::StreamExt as _;
use serde_json::{Value, json};

use crate::examples::faults;
use crate::support::app::COMPRESS;
use crate::support::app::{App, THEIRS, app};
use crate::support::branches::{branch_of, fork, switch};
use crate::support::talks::turns;
use crate::support::{change, number};

/// A stream that is being read.
struct Following {
    body: BodyDataStream,
    text: String,
}

/// An event as it comes: id, type, data.
type Told = (i64, String, Value);

impl Following {
    async fn of(app: &App, query: &str, headers: &[(&str, &str)]) -> Self {
        let reply = app.open(&format!("/v1/sessions/s/events{query}"), headers).await;
        assert_eq!(reply.status(), 200);
        assert_eq!(reply.headers()["content-type"], "text/event-stream");
        Self { body: reply.into_body().into_data_stream(), text: String::new() }
    }

    /// The next event; `None` when the stream has ended.
    async fn next(&mut self) -> Option<Told> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let fields: Vec<(&str, &str)> =
                    block.lines().filter_map(|line| line.split_once(": ")).collect();
                let field =
                    |name| fields.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
                let told = field("data").map(|data| {
                    let data = serde_json::from_str(&data).unwrap();
                    (field("id").unwrap().parse().unwrap(), field("event").unwrap(), data)
                });
                let rest = rest.to_owned();
                self.text = rest;
                if told.is_some() {
                    return told;
                }
            }
            let more =
                tokio::time::timeout(Duration::from_secs(10), self.body.next()).await.expect("in time");
            self.text.push_str(std::str::from_utf8(&more?.unwrap()).unwrap());
        }
    }
}

/// Requires that an event is what the OpenAPI document says of one, with no field of its data undeclared.
fn require_declared(event: &Value) {
    let document = anchord_http::openapi();
    let schemas = &document["components"]["schemas"];
    assert_eq!(faults(&document, &schemas["Event"], event), [""; 0], "{event}");
    let data = event["data"].as_object().expect("an object");
    let undeclared: Vec<&String> =
        data.keys().filter(|field| schemas["EventData"]["properties"][field.as_str()].is_null()).collect();
    assert!(undeclared.is_empty(), "{undeclared:?} of {event}");
}

/// Appends twelve messages of so many words each to the session.
pub async fn append(app: &App, words: usize) -> Value {
    let messages = turns(12, |i| format!("{i} {}", "talk ".repeat(words)));
    app.call("POST", "/v1/sessions/s/messages", json!({"messages": messages}).to_string()).await.json()
}

/// Makes a session that is compressed on request alone.
pub async fn session(app: &App) {
    let settings = json!({"context_window": 10_000, "auto": false, "mask": "off"});
    app.call("PUT", "/v1/sessions/s", settings.to_string()).await;
}

/// Compresses the session.
pub async fn compress(app: &App) {
    app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await;
    app.work().await;
}

#[tokio::test]
async fn a_compression_is_told_in_order_and_again_after_any_event() {
    let app = app().await;
    session(&app).await;
    append(&app, 60).await;
    compress(&app).await;
    let mut all = Following::of(&app, "?after=0", &[]).await;
    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(all.next().await.unwrap());
    }
    let kinds: Vec<&str> = told.iter().map(|(_, kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["compression.started", "compression.succeeded", "summary.published"]);
    assert!(told.windows(2).all(|pair| pair[0].0 < pair[1].0));
    for (_, _, event) in &told {
        require_declared(event);
    }
    assert_eq!(told[2].2["data"]["version"], 1);
    assert_eq!(told[0].2["data"]["compression_id"], told[1].2["data"]["compression_id"]);

    let after = told[0].0.to_string();
    let mut again = Following::of(&app, "?after=0", &[("last-event-id", &after)]).await;
    assert_eq!(again.next().await.as_ref(), Some(&told[1]));

    compress(&app).await;
    let (_, kind, data) = all.next().await.unwrap();
    require_declared(&data);
    assert_eq!(kind, "compression.skipped", "nothing is left to compress");
    assert_eq!(data["data"]["status"], "skipped");

    app.stop.cancel();
    assert_eq!(all.next().await, None, "a stop is not held up by who follows");
}

#[tokio::test]
async fn the_warn_level_is_told_once_when_it_is_reached() {
    let app = app().await;
    session(&app).await;
    let mut warned = 0;
    let mut reached = false;
    for _ in 0..20 {
        let reply = append(&app, 50).await;
        let is_warned = reply["usage"]["effective_utilization"].as_f64().unwrap() >= 0.7;
        warned += usize::from(is_warned);
        reached |= is_warned;
        if warned > 2 {
            break;
        }
    }
    assert!(reached);
    app.call("DELETE", "/v1/sessions/other", "").await;
    let mut all = Following::of(&app, "?after=0", &[]).await;
    let (_, kind, data) = all.next().await.unwrap();
    require_declared(&data);
    assert_eq!(kind, "trigger.warned");
    assert!(data["data"]["effective_utilization"].as_f64().unwrap() > 0.5);
    compress(&app).await;
    let mut rest = Following::of(&app, "?after=0", &[]).await;
    rest.next().await.unwrap();
    assert_eq!(rest.next().await.unwrap().1, "compression.started", "one warning, however many appends");
}

#[tokio::test]
async fn a_stream_begins_with_the_id_to_resume_after() {
    let app = app().await;
    session(&app).await;
    append(&app, 60).await;
    compress(&app).await;
    let mut all = Following::of(&app, "?after=0", &[]).await;
    let mut newest = 0;
    for _ in 0..3 {
        newest = all.next().await.unwrap().0;
    }
    for (query, id) in [("", newest), ("?after=0", 0)] {
        let mut new = Following::of(&app, query, &[]).await;
        let first = new.body.next().await.unwrap().unwrap();
        let first = std::str::from_utf8(&first).unwrap();
        assert!(first.contains(&format!("id: {id}\n")) && !first.contains("data"), "{first}");
    }
    app.stop.cancel();
}

#[tokio::test]
async fn many_follow_through_one_listener_and_hear_at_once() {
    let app = app().await;
    session(&app).await;
    append(&app, 60).await;
    let store = app.store.clone();
    let stop = app.stop.clone();
    let watching = app.store.tracker().spawn(async move { store.watch_keys(&stop).await });
    let mut followers = Vec::new();
    for _ in 0..20 {
        let mut follower = Following::of(&app, "", &[]).await;
        // Until the stream is being read, nobody listens.
        let first = follower.body.next().await.unwrap().unwrap();
        assert!(
            first.starts_with(b": following")
                || first.starts_with(b":following")
                || first.starts_with(b"retry")
        );
        followers.push(follower);
    }
    compress(&app).await;
    for follower in &mut followers {
        // Well before a stream looks again by itself.
        assert_eq!(follower.next().await.unwrap().1, "compression.started");
    }
    app.stop.cancel();
    watching.await.unwrap();
}

#[tokio::test]
async fn a_stream_ends_with_its_session_and_is_no_one_else_s() {
    let app = app().await;
    session(&app).await;
    let reply = app.call_as(THEIRS, "GET", "/v1/sessions/s/events", "").await;
    assert_eq!(reply.refusal().1, "session-not-found");
    let wrong = app.call_with("GET", "/v1/sessions/s/events", "", &[("last-event-id", "x")]).await;
    assert_eq!(wrong.refusal(), (422, "invalid-parameter".into(), "/Last-Event-ID".into()));
    let mut stream = Following::of(&app, "?after=0", &[]).await;
    app.call("DELETE", "/v1/sessions/s", "").await;
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn old_events_are_forgotten() {
    let app = app().await;
    session(&app).await;
    append(&app, 60).await;
    compress(&app).await;
    assert_eq!(app.store.forget_old_events().await.unwrap(), 0);
    let mut owner = app.database.connect().await;
    change(&mut owner, "update events set created_at = now() - interval '8 days'").await;
    assert_eq!(app.store.forget_old_events().await.unwrap(), 3);
}

/// What an event tells of where it happened, for short.
fn place((_, kind, event): &Told) -> String {
    let kind = kind.rsplit('.').next().unwrap();
    event["branch"].as_str().map_or_else(|| kind.to_owned(), |branch| format!("{branch}: {kind}"))
}

#[tokio::test]
async fn a_stream_follows_the_current_branch_across_switches_and_goes_on_behind_any_event() {
    let app = app().await;
    session(&app).await;
    append(&app, 60).await;
    let mut live = Following::of(&app, "", &[]).await;
    compress(&app).await;
    fork(&app.store, app.tenant, &branch_of("s", "main"), "b", 12).await;
    // What happens in a branch that is not current is told to those who follow that one.
    let talk = |n: usize| {
        json!({"messages": (0..12).map(|i| json!({"role": "user", "content": format!("{n} {i} {}", "talk ".repeat(60))})).collect::<Vec<_>>()}).to_string()
    };
    app.call("POST", "/v1/sessions/s/messages?branch=b", talk(0)).await;
    app.call("POST", "/v1/sessions/s/compressions?branch=b", COMPRESS).await;
    app.work().await;
    switch(&app.store, app.tenant, "s", "b").await;
    app.call("POST", "/v1/sessions/s/messages", talk(1)).await;
    compress(&app).await;
    switch(&app.store, app.tenant, "s", "main").await;
    compress(&app).await;

    let expected = [
        "started", "succeeded", "published", "branch_switched", "b: started", "b: succeeded", "b: published",
        "branch_switched", "skipped",
    ];
    let mut told = Vec::new();
    for _ in expected {
        told.push(live.next().await.unwrap());
    }
    assert_eq!(told.iter().map(place).collect::<Vec<_>>(), expected);
    for (_, _, event) in &told {
        require_declared(event);
        assert_eq!(event["session_id"], "s");
    }
    assert_eq!(told[3].2["data"], json!({"from": "main", "to": "b"}));
    assert_eq!(told[7].2["data"], json!({"from": "b", "to": "main"}));
    for (at, (id, ..)) in told.iter().enumerate() {
        let mut rest = Following::of(&app, &format!("?after={id}"), &[]).await;
        for one in &told[at + 1..] {
            assert_eq!(rest.next().await.as_ref(), Some(one), "behind {}", place(&told[at]));
        }
    }
    let mut named = Following::of(&app, "?after=0&branch=b", &[]).await;
    for kind in ["started", "succeeded", "published", "started", "succeeded", "published"] {
        assert_eq!(place(&named.next().await.unwrap()), format!("b: {kind}"));
    }
    let mut named = Following::of(&app, "?after=0&branch=main", &[]).await;
    for kind in ["started", "succeeded", "published", "skipped"] {
        assert_eq!(place(&named.next().await.unwrap()), kind);
    }
    // A new one begins behind the newest event of whichever branch is current.
    switch(&app.store, app.tenant, "s", "b").await;
    let mut new = Following::of(&app, "", &[]).await;
    compress(&app).await;
    assert_eq!(place(&new.next().await.unwrap()), "b: skipped");
    app.stop.cancel();
}

/// A number of a sequence of the installation would tell each tenant how many events all others have.
#[tokio::test]
async fn the_id_of_an_event_is_the_time_and_behind_those_before_it_also_when_the_clock_goes_back() {
    let app = app().await;
    session(&app).await;
    append(&app, 60).await;
    fork(&app.store, app.tenant, &branch_of("s", "main"), "b", 12).await;
    app.call("POST", "/v1/sessions/s/compressions?branch=b", COMPRESS).await.with(202);
    app.work().await;
    // As if the clock had been an hour ahead.
    let ahead = "with gone as (delete from events returning *)
                 insert into events (tenant_id, session_id, id, kind, payload, created_at)
                 select tenant_id, session_id, id + 3600000000, kind, payload, created_at from gone";
    sqlx::raw_sql(ahead).execute(&mut app.database.connect_as_superuser().await).await.expect("a superuser");
    let mut main = Following::of(&app, "?after=0", &[]).await;
    compress(&app).await;
    switch(&app.store, app.tenant, "s", "b").await;
    compress(&app).await;
    let expected = ["started", "succeeded", "published", "branch_switched", "b: skipped"];
    let mut told = Vec::new();
    for _ in expected {
        told.push(main.next().await.unwrap());
    }
    assert_eq!(told.iter().map(place).collect::<Vec<_>>(), expected);
    let ids: Vec<i64> = told.iter().map(|(id, ..)| *id).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    let times = "select (extract(epoch from now()) * 1000000)::bigint";
    let now = number(&mut app.database.connect_as_superuser().await, times).await;
    assert!((ids[0] - now).abs() < 60_000_000, "{} at {now}", ids[0]);
    app.stop.cancel();
}
