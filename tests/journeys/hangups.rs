//! Clients that hang up in the middle of a request, while nothing hinders them and while the database holds them up.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::time::Duration;

use nix::sys::signal::Signal;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::concurrency::stored;
use crate::support::relay::Relay;
use crate::support::service::{Client, Service};
use crate::support::{database, number, until};

const AT_ONCE: usize = 48;
const SESSIONS: usize = 3;

/// The service's connections that are in a transaction or hold a lock, other than the sign of life of
/// its workers.
const NOT_AT_REST: &str = "select count(*) from pg_stat_activity a
    where a.datname = current_database() and a.application_name = 'anchord'
      and (a.state like 'idle in transaction%'
           or exists (select from pg_locks l where l.pid = a.pid and l.locktype <> 'advisory'))";

/// The path and the body of an append of one message, whose text is its key.
fn append(place: usize, key: &str) -> (String, String) {
    let path = format!("/v1/sessions/s{}/messages", place % SESSIONS);
    (path, format!(r#"{{"messages":[{{"role":"user","content":"{key}"}}]}}"#))
}

/// Appends; gives the position of the message when it was acknowledged.
fn acknowledged(client: &Client, place: usize, key: &str) -> Option<i64> {
    let (path, body) = append(place, key);
    let reply = client.call("POST", &path, &[("idempotency-key", key)], &body).ok()?;
    (reply.status == 201).then(|| reply.json()["first_seq"].as_i64().expect("a position"))
}

/// Sends a request, or a part of it, and is gone: at once, or when no reply has begun after a moment.
fn hang_up(client: &Client, request: &str, sent: usize, patience: Duration) {
    let Ok(mut stream) = client.connect() else { return };
    let _ = stream.write_all(request.as_bytes().get(..sent).unwrap_or_default());
    if sent == request.len() && !patience.is_zero() {
        let _ = stream.set_read_timeout(Some(patience));
        let _ = stream.read(&mut [0]);
    }
}

#[tokio::test]
async fn clients_that_hang_up_leave_no_transaction_open_and_no_acknowledged_message_is_lost() {
    let database = database().await;
    // Few connections: one that is lost is missed soon.
    let relay = Relay::to(&database).await;
    let service = Service::on(&relay.url, &["--pool-size", "4"]);
    let client = service.client();
    let mut told: BTreeMap<(usize, String), Option<i64>> = BTreeMap::new();
    for place in 0..AT_ONCE {
        let key = format!("first-{place}");
        let first = acknowledged(&client, place, &key);
        assert!(first.is_some());
        told.insert((place, key), first);
    }
    let (mut look, mut holder) = (database.connect().await, database.connect().await);
    let mut chance = StdRng::seed_from_u64(1);
    for (round, hinders) in ["", "lock", "stand still", "lock", "stand still"].into_iter().enumerate() {
        // Writers are caught in the middle of their transactions, or everybody at the first statement.
        let begin = if hinders == "lock" { "begin; select from sessions for update" } else { "begin" };
        sqlx::raw_sql(begin).execute(&mut holder).await.expect("a lock");
        let still = (hinders == "stand still").then(|| relay.all_still().expect("connections"));
        std::thread::scope(|scope| {
            for place in 0..AT_ONCE {
                let session = format!("/v1/sessions/s{}", place % SESSIONS);
                let request = match place % 4 {
                    0 => client.request("GET", &format!("{session}/context"), &[], ""),
                    1 => client.request("PUT", &session, &[], r#"{"task_id": "small"}"#),
                    _ => {
                        let key = format!("r{round}-{place}");
                        let (path, body) = append(place, &key);
                        let request = client.request("POST", &path, &[("idempotency-key", &key)], &body);
                        told.insert((place, key), None);
                        request
                    }
                };
                let sent = chance.random_range(0..2 * request.len()).min(request.len());
                let patience = Duration::from_micros(chance.random_range(0..15_000));
                let client = &client;
                scope.spawn(move || hang_up(client, &request, sent, patience));
            }
        });
        drop(still);
        sqlx::raw_sql("rollback").execute(&mut holder).await.expect("a rollback");
        let what = format!("an end of all transactions of round {round}");
        until(&what, async || (number(&mut look, NOT_AT_REST).await == 0).then_some(())).await;
    }

    // Every connection of the pool still works, at once.
    std::thread::scope(|scope| {
        for place in 0..16 {
            let client = &client;
            scope.spawn(move || {
                let path = format!("/v1/sessions/s{}", place % SESSIONS);
                assert_eq!(client.get(&format!("{path}/context")).status, 200);
                let put = client.call("PUT", &path, &[], r#"{"task_id": "large"}"#).expect("a reply");
                assert_eq!(put.status, 200);
            });
        }
    });

    // Everybody tries again with the same key: what was stored is not stored a second time.
    let mut expected: BTreeMap<String, i64> = BTreeMap::new();
    for ((place, key), first) in told {
        let again = acknowledged(&client, place, &key).unwrap_or_else(|| panic!("{key} is refused for ever"));
        assert!(first.is_none_or(|first| first == again), "{key} was acknowledged as {first:?}, now {again}");
        expected.insert(key, again);
    }
    for session in 0..SESSIONS {
        for ((seq, message), place) in stored(&client, &format!("s{session}")).into_iter().zip(1..) {
            assert_eq!(seq, place, "s{session} has a gap");
            let key = message.rsplit('"').nth(1).expect("a text").to_owned();
            assert_eq!(expected.remove(&key), Some(seq), "{key} is stored twice, or elsewhere");
        }
    }
    assert!(expected.is_empty(), "acknowledged and not stored: {expected:?}");
    until("rest", async || (number(&mut look, NOT_AT_REST).await == 0).then_some(())).await;
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}
