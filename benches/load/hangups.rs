//! Clients that vanish in the middle of a request.
//!
//! Three rounds, because what they can break breaks now and then: a connection that goes back to the
//! pool inside an open transaction keeps its locks and swallows what others write into it.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use serde_json::json;
use sqlx::Row as _;
use tokio::io::AsyncWriteExt as _;
use tokio::task::JoinSet;

use crate::Flags;
use crate::client::{Connection, request};
use crate::random::Random;
use crate::report::{self, Report};
use crate::servers::Servers;
use crate::texts::message;

/// How often the clients come.
const ROUNDS: usize = 3;
/// Sessions that they share: few, so that a lock which stays is met again.
const SESSIONS: usize = 20;
/// Clients at once.
const AT_ONCE: usize = 64;
/// How long what was under way may take to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// Connections of the service that are still inside a transaction, or hold or await a lock. A
/// worker's presence is an advisory lock that it keeps on purpose.
const STUCK: &str = "
select a.pid, a.state, a.query from pg_stat_activity a
where a.application_name = 'anchord' and a.pid <> pg_backend_pid() and (
  a.state like 'idle in transaction%'
  or exists (select from pg_locks l where l.pid = a.pid and l.locktype <> 'advisory')
)";

/// Sessions whose rows are not exactly what the session counts.
const GAPS: &str = "
select s.name, s.head_seq, count(m.seq) as rows, max(m.seq) as last from sessions s
left join messages m on m.tenant_id = s.tenant_id and m.session_id = s.id
where s.name like 'hangup-%' group by s.tenant_id, s.id
having count(m.seq) <> s.head_seq or coalesce(max(m.seq), 0) <> s.head_seq";

/// When a client goes away.
#[derive(Clone, Copy, Debug)]
enum Leaves {
    /// In the middle of the body.
    InTheBody,
    /// As soon as everything is sent.
    AfterTheBody,
    /// While the service works on it.
    Waiting(Duration),
    /// Never: it reads its reply, which must then be true.
    Stays,
}

/// Has clients hang up, and looks at what they leave.
pub async fn check(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    report::section(&format!("hang-ups: {ROUNDS} rounds of {} clients", flags.clients));
    let mut random = Random::new(23);
    let mut acknowledged: Vec<Acknowledged> = Vec::new();
    let mut slowest = Duration::ZERO;
    for round in 0..ROUNDS {
        let mut clients = JoinSet::new();
        for client in 0..flags.clients {
            if clients.len() >= AT_ONCE {
                acknowledged.extend(clients.join_next().await.transpose()?.transpose()?.flatten());
            }
            let leaves = match random.below(8) {
                0 | 1 => Leaves::InTheBody,
                2 | 3 => Leaves::AfterTheBody,
                4..7 => Leaves::Waiting(Duration::from_micros(random.below(6_000) as u64)),
                _ => Leaves::Stays,
            };
            let session = format!("hangup-{}", random.below(SESSIONS));
            let number = round * flags.clients + client;
            let bytes = some_request(&session, number, leaves, &mut random);
            let asked = Acknowledged { session, number, last: 0 };
            clients.spawn_local(visit(servers.address, asked, bytes, leaves));
        }
        while let Some(ended) = clients.join_next().await {
            acknowledged.extend(ended??);
        }
        slowest = slowest.max(wait_until_free(servers).await?);
    }
    let stayed = acknowledged.len();
    let mut connection = Connection::open(servers.address).await?;
    for session in 0..SESSIONS {
        let (session, number) = (format!("hangup-{session}"), ROUNDS * flags.clients + session);
        let bytes = append(&session, number, &mut random);
        acknowledged.push(Acknowledged { last: last_seq(&connection.json(&bytes).await?), session, number });
    }
    let gaps = servers.look(GAPS).await?;
    ensure!(gaps.is_empty(), "{} sessions lack messages", gaps.len());
    let lost = servers.look(&lost(&acknowledged)).await?;
    ensure!(lost.is_empty(), "{} of {} acknowledged appends are lost", lost.len(), acknowledged.len());
    let all = ROUNDS * flags.clients;
    let slowest = slowest.as_millis();
    report::line(&format!(
        "{} hung up, {stayed} stayed and were answered; no lock, no open transaction (after {slowest} ms), no \
         acknowledged message lost, every later append works",
        all - stayed
    ));
    report.add("hangups", json!({ "clients": all, "stayed": stayed, "free_after_ms": slowest }));
    report.memory(servers, "hangups");
    Ok(())
}

/// An append that was acknowledged.
#[derive(Debug)]
struct Acknowledged {
    session: String,
    number: usize,
    last: i64,
}

/// The statement that finds what was acknowledged and is not there.
fn lost(acknowledged: &[Acknowledged]) -> String {
    let mut rows = String::new();
    for Acknowledged { session, number, last } in acknowledged {
        let comma = if rows.is_empty() { "" } else { ", " };
        // Writing to a String cannot fail.
        let _ = write!(rows, "{comma}('{session}', {last}, '%\"client {number}\"%')");
    }
    format!(
        "select from (values {rows}) as a (session, last, body) where not exists (
           select from sessions s join messages m on m.tenant_id = s.tenant_id and m.session_id = s.id
           where s.name = a.session and m.seq = a.last and m.body like a.body)"
    )
}

fn last_seq(reply: &serde_json::Value) -> i64 {
    reply.get("last_seq").and_then(serde_json::Value::as_i64).unwrap_or_default()
}

/// An append whose last message names its client.
fn append(session: &str, number: usize, random: &mut Random) -> Vec<u8> {
    let first = message(0, random);
    let body = format!(r#"{{"messages":[{first},{{"role":"assistant","content":"client {number}"}}]}}"#);
    request("POST", format_args!("/v1/sessions/{session}/messages"), &body)
}

/// A request of one of the kinds that take a transaction; who stays appends.
fn some_request(session: &str, number: usize, leaves: Leaves, random: &mut Random) -> Vec<u8> {
    let kind = if matches!(leaves, Leaves::Stays) { 0 } else { random.below(8) };
    match kind {
        0..4 => append(session, number, random),
        4 => {
            let pins = format!(r#"{{"pins":["keep number {number}"]}}"#);
            request("PUT", format_args!("/v1/sessions/{session}/pins"), &pins)
        }
        5 => {
            let settings = format!(r#"{{"metadata":{{"number":{number}}}}}"#);
            request("PUT", format_args!("/v1/sessions/{session}"), &settings)
        }
        6 => request("POST", format_args!("/v1/sessions/{session}/compressions"), r#"{"target":0.1}"#),
        _ => request("GET", format_args!("/v1/sessions/{session}/context"), ""),
    }
}

/// Sends a request and goes away; returns what was acknowledged to who stays.
async fn visit(
    address: SocketAddr,
    asked: Acknowledged,
    bytes: Vec<u8>,
    leaves: Leaves,
) -> anyhow::Result<Option<Acknowledged>> {
    let mut connection = Connection::open(address).await?;
    // Seven eighths are past the head of every request that has a body of some length.
    let half = bytes.len() - bytes.len() / 8 - 1;
    match leaves {
        Leaves::InTheBody => connection.stream.write_all(bytes.get(..half).unwrap_or_default()).await?,
        Leaves::AfterTheBody => connection.stream.write_all(&bytes).await?,
        Leaves::Waiting(time) => {
            connection.stream.write_all(&bytes).await?;
            tokio::time::sleep(time).await;
        }
        Leaves::Stays => {
            let last = last_seq(&connection.json(&bytes).await?);
            return Ok(Some(Acknowledged { last, ..asked }));
        }
    }
    drop(connection);
    Ok(None)
}

/// Waits until nothing of the service is inside a transaction or holds a lock, twice in a row.
async fn wait_until_free(servers: &Servers) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let mut free = 0;
    while free < 2 {
        let stuck = servers.look(STUCK).await?;
        free = if stuck.is_empty() { free + 1 } else { 0 };
        if started.elapsed() > PATIENCE {
            let told = |row: &sqlx::postgres::PgRow| {
                let word = |name: &str| row.try_get::<String, _>(name).unwrap_or_default();
                format!("{} in `{}`", word("state"), word("query"))
            };
            bail!("{} connections are stuck: {:?}", stuck.len(), stuck.iter().map(told).collect::<Vec<_>>());
        }
    }
    Ok(started.elapsed())
}
