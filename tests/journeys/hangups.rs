//! Clients that hang up in the middle of a request, hundreds of times.

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

const ROUNDS: [Round; 8] = [
    Round::Free,
    Round::Still,
    Round::Locked,
    Round::Still,
    Round::Free,
    Round::Locked,
    Round::Still,
    Round::Free,
];
const AT_ONCE: usize = 48;
const SESSIONS: usize = 3;

/// The service's connections that are in a transaction or hold a lock, other than the sign of life of
/// its workers.
const NOT_AT_REST: &str = "select count(*) from pg_stat_activity a
    where a.datname = current_database() and a.application_name = 'anchord'
      and (a.state like 'idle in transaction%'
           or exists (select from pg_locks l where l.pid = a.pid and l.locktype <> 'advisory'))";

/// What the clients of a round meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    /// Nothing that hinders them.
    Free,
    /// Rows that someone else has locked: writers are caught in the middle of their transactions.
    Locked,
    /// A database that stands still: everybody is caught at the first statement, most of all at the
    /// begin of a transaction.
    Still,
}

/// When a client hangs up.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// After so many bytes of the request, or all of them.
    After(usize),
    /// When the reply has not begun after so long; what has come of it is not read.
    Impatient(Duration),
    /// Not at all.
    Never,
}

/// An append of one message under a key of its own.
struct Append {
    path: String,
    key: String,
    body: String,
}

impl Append {
    fn new(session: usize, name: &str) -> Self {
        Self {
            path: format!("/v1/sessions/s{session}/messages"),
            key: name.to_owned(),
            body: format!(r#"{{"messages":[{{"role":"user","content":"{name}"}}]}}"#),
        }
    }

    /// Sends it; the position that it was given, when it was acknowledged.
    fn send(&self, client: &Client) -> Option<i64> {
        let reply = client.call("POST", &self.path, &[("idempotency-key", &self.key)], &self.body);
        let reply = reply.ok().filter(|reply| reply.status == 201)?;
        reply.json()["first_seq"].as_i64()
    }
}

/// Sends a request up to its cut. A reply that does not come is no failure here.
fn hang_up(client: &Client, request: &str, cut: Cut) {
    let Ok(mut stream) = client.connect() else { return };
    let sent = match cut {
        Cut::After(bytes) => request.as_bytes().get(..bytes),
        Cut::Impatient(_) | Cut::Never => None,
    };
    let _ = stream.write_all(sent.unwrap_or(request.as_bytes()));
    match cut {
        Cut::After(_) => {}
        Cut::Impatient(patience) => {
            let _ = stream.set_read_timeout(Some(patience));
            let _ = stream.read(&mut [0]);
        }
        Cut::Never => {
            let _ = stream.read_to_end(&mut Vec::new());
        }
    }
}

/// Where requests are held up nobody waits for a reply: it would not come before the round's end.
fn cut(chance: &mut StdRng, length: usize, round: Round) -> Cut {
    match chance.random_range(0..if round == Round::Free { 8 } else { 7 }) {
        0 | 1 => Cut::After(chance.random_range(0..length)),
        2 | 3 => Cut::After(length),
        // Mostly while the request is being worked on.
        4..=6 => Cut::Impatient(Duration::from_micros(chance.random_range(1..15_000))),
        _ => Cut::Never,
    }
}

/// One round: clients that append, read and change sessions, most of which hang up. Returns every
/// append, with the position of those that were acknowledged.
fn round(client: &Client, round: usize, kind: Round) -> Vec<(Append, Option<i64>)> {
    let mut chance = StdRng::seed_from_u64(round as u64);
    std::thread::scope(|scope| {
        let mut appends = Vec::new();
        for place in 0..AT_ONCE {
            let session = place % SESSIONS;
            let path = format!("/v1/sessions/s{session}");
            match place % 4 {
                0 => {
                    let request = client.request("GET", &format!("{path}/context"), &[], "");
                    let cut = cut(&mut chance, request.len(), kind);
                    scope.spawn(move || hang_up(client, &request, cut));
                }
                1 => {
                    let request = client.request("PUT", &path, &[], r#"{"task_id": "small"}"#);
                    let cut = cut(&mut chance, request.len(), kind);
                    scope.spawn(move || hang_up(client, &request, cut));
                }
                _ => {
                    let append = Append::new(session, &format!("r{round}-{place}"));
                    let headers = [("idempotency-key", append.key.as_str())];
                    let request = client.request("POST", &append.path, &headers, &append.body);
                    let cut = cut(&mut chance, request.len(), kind);
                    appends.push(scope.spawn(move || {
                        if matches!(cut, Cut::Never) {
                            let told = append.send(client);
                            return (append, told);
                        }
                        hang_up(client, &request, cut);
                        (append, None)
                    }));
                }
            }
        }
        appends.into_iter().map(|append| append.join().expect("a client")).collect()
    })
}

#[tokio::test]
async fn clients_that_hang_up_leave_no_transaction_open_and_no_acknowledged_message_is_lost() {
    let database = database().await;
    // Few connections: one that is lost is missed soon.
    let relay = Relay::to(&database).await;
    let service = Service::on(&relay.url, &["--pool-size", "4"]);
    let client = service.client();
    for session in 0..SESSIONS {
        let first = Append::new(session, &format!("first-{session}"));
        assert_eq!(first.send(&client), Some(1));
    }
    let (mut look, mut holder) = (database.connect().await, database.connect().await);
    let mut appends = Vec::new();
    for (round_number, kind) in ROUNDS.into_iter().enumerate() {
        let begin = if kind == Round::Locked { "begin; select from sessions for update" } else { "begin" };
        sqlx::raw_sql(begin).execute(&mut holder).await.expect("a lock");
        let still = (kind == Round::Still).then(|| relay.all_still().expect("connections"));
        appends.extend(round(&client, round_number, kind));
        drop(still);
        sqlx::raw_sql("rollback").execute(&mut holder).await.expect("a rollback");
        let what = format!("an end of all transactions of round {round_number}");
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

    let told = appends.iter().filter(|(_, told)| told.is_some()).count();
    assert!(told > 0 && told < appends.len() / 2, "{told} of {} appends were acknowledged", appends.len());
    // Everybody tries again with the same key: what was stored is not stored a second time.
    let mut expected: BTreeMap<String, i64> = BTreeMap::new();
    for (append, first) in &appends {
        let again = append.send(&client);
        assert!(again.is_some(), "{} is refused for ever", append.key);
        assert!(
            first.is_none() || *first == again,
            "{} was acknowledged as {first:?}, now {again:?}",
            append.key
        );
        expected.insert(append.key.clone(), again.unwrap_or_default());
    }
    for session in 0..SESSIONS {
        let stored = stored(&client, &format!("s{session}"));
        assert!(stored.iter().zip(1..).all(|((seq, _), place)| *seq == place), "s{session} has a gap");
        for (seq, message) in stored.into_iter().skip(1) {
            let key = message.rsplit('"').nth(1).expect("a text").to_owned();
            assert_eq!(expected.remove(&key), Some(seq), "{key} is stored twice, or elsewhere");
        }
    }
    assert!(expected.is_empty(), "acknowledged and not stored: {expected:?}");
    until("rest", async || (number(&mut look, NOT_AT_REST).await == 0).then_some(())).await;
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}
