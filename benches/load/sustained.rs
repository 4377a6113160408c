//! What the service keeps up for as long as anybody likes: agents that append, read their context after every append, and
//! have it compressed, each as fast as it goes. An agent goes on when its session's compression is done, so that no
//! backlog grows; what it waits counts.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use sqlx::Row as _;
use tokio::task::JoinSet;

use crate::Flags;
use crate::client::{Connection, request};
use crate::measured::Measured;
use crate::processor::Processor;
use crate::report::{self, Report, rounded};
use crate::servers::Servers;
use crate::transcripts::{self, Transcript};

/// Agents at work at once.
const AGENTS: usize = 16;
/// Messages of an append.
const BATCH: usize = 4;
/// The window of their sessions; the fill is the service's own.
const WINDOW: u32 = 16_000;
/// How often an agent looks whether its compression is done.
const LOOK: Duration = Duration::from_millis(5);
/// How long the last compressions may take.
const REST: Duration = Duration::from_mins(2);

/// What all agents did.
#[derive(Debug, Default)]
struct Done {
    appends: Vec<Duration>,
    contexts: Vec<Duration>,
    /// Waits for compressions.
    waits: Vec<Duration>,
    messages: usize,
    bytes: usize,
    sessions: usize,
    /// The share of the window that a compression fills.
    fill: f64,
}

pub async fn measure(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    let transcripts = match &flags.transcripts {
        Some(folder) => transcripts::of(Path::new(folder), BATCH)?,
        None => transcripts::made(BATCH),
    };
    ensure!(!transcripts.is_empty(), "there are no transcripts");
    let time = Duration::from_secs(flags.seconds * 8);
    report::section(&format!(
        "sustained: {AGENTS} agents, {} transcripts, {BATCH} messages an append, a context after each, a window of {WINDOW}",
        transcripts.len()
    ));
    let (done, before, started) =
        (Rc::new(RefCell::new(Done::default())), Processor::of(servers), Instant::now());
    let transcripts: Rc<[Transcript]> = transcripts.into();
    let mut agents = JoinSet::new();
    for agent in 0..AGENTS {
        let mut connection = Connection::open(servers.address).await?;
        let (transcripts, done) = (Rc::clone(&transcripts), Rc::clone(&done));
        agents.spawn_local(async move {
            let mut turn = agent;
            while started.elapsed() < time {
                let transcript = transcripts.get(turn % transcripts.len()).context("a transcript")?;
                work(&mut connection, &format!("agent-{agent}-{turn}"), (transcript, &done), (started, time))
                    .await?;
                turn += AGENTS;
            }
            anyhow::Ok(())
        });
    }
    let mut live = Vec::new();
    while !agents.is_empty() {
        tokio::select! {
            Some(ended) = agents.join_next() => ended??,
            () = tokio::time::sleep(Duration::from_millis(500)) => live.push(backlog(servers).await?),
        }
    }
    let took = started.elapsed();
    let used = before.used();
    servers.rest(REST).await?;
    let told = tell(servers, &done.take(), (took, used), &live).await?;
    report.add("sustained", told);
    report.memory(servers, "sustained");
    Ok(())
}

/// Takes a transcript through a session of its own, as far as the time goes.
async fn work(
    connection: &mut Connection,
    session: &str,
    (transcript, done): (&Transcript, &RefCell<Done>),
    (started, time): (Instant, Duration),
) -> anyhow::Result<()> {
    let settings = format!(r#"{{"context_window":{WINDOW}}}"#);
    let made = connection.json(&request("PUT", format_args!("/v1/sessions/{session}"), &settings)).await?;
    done.borrow_mut().fill = made.pointer("/policy/fill").and_then(Value::as_f64).context("a fill")?;
    let context = request("GET", format_args!("/v1/sessions/{session}/context"), "");
    let look = request("GET", format_args!("/v1/sessions/{session}"), "");
    done.borrow_mut().sessions += 1;
    for batch in &transcript.batches {
        let append = request("POST", format_args!("/v1/sessions/{session}/messages"), &batch.body);
        let sent = Instant::now();
        let appended = connection.json(&append).await?;
        let took = sent.elapsed();
        {
            let mut done = done.borrow_mut();
            done.appends.push(took);
            done.messages += batch.messages;
            done.bytes += batch.body.len();
        }
        if appended.get("compression").is_some_and(|live| !live.is_null()) {
            let waits = Instant::now();
            while connection.json(&look).await?.get("compression").is_some_and(|live| !live.is_null()) {
                tokio::time::sleep(LOOK).await;
            }
            done.borrow_mut().waits.push(waits.elapsed());
        }
        let sent = Instant::now();
        connection.done(&context).await?;
        done.borrow_mut().contexts.push(sent.elapsed());
        if started.elapsed() >= time {
            return Ok(());
        }
    }
    Ok(())
}

/// How many compressions wait or run.
async fn backlog(servers: &Servers) -> anyhow::Result<i64> {
    let rows = servers
        .look("select count(*) from compressions where kind = 'compress' and status in ('queued', 'running')")
        .await?;
    Ok(rows.first().context("a count")?.try_get(0)?)
}

#[expect(clippy::cast_precision_loss, reason = "messages and bytes of a run")]
async fn tell(
    servers: &Servers,
    done: &Done,
    (took, used): (Duration, crate::processor::Used),
    live: &[i64],
) -> anyhow::Result<Value> {
    let rows = servers
        .look(
            "select c.status, count(*) as jobs, coalesce(sum(c.through_seq - c.from_seq + 1), 0)::float8 as messages
             from compressions c where c.kind = 'compress' group by c.status",
        )
        .await?;
    let count = |status: &str, column: &str| -> f64 {
        let row = rows.iter().find(|row| row.get::<&str, _>("status") == status);
        row.map_or(
            0.0,
            |row| if column == "jobs" { row.get::<i64, _>("jobs") as f64 } else { row.get(column) },
        )
    };
    ensure!(count("failed", "jobs") + count("rejected", "jobs") == 0.0, "a compression did not end well");
    ensure!(count("succeeded", "jobs") > 0.0, "nothing was compressed");
    let seconds = took.as_secs_f64();
    let share = |of: f64| rounded(of / used.ours);
    let load = used.ours - used.service - used.postgres;
    let of = |times: &[Duration]| Measured::of(times.to_vec(), took);
    let (appends, contexts, waits) = (of(&done.appends), of(&done.contexts), of(&done.waits));
    let (earlier, later) = live.split_at(live.len() / 2);
    let mean = |live: &[i64]| live.iter().sum::<i64>() as f64 / live.len().max(1) as f64;
    let times = |measured: &Measured| json!({ "p50_ms": rounded(measured.quantile(0.5)), "p99_ms": rounded(measured.quantile(0.99)) });
    let told = json!({
        "agents": AGENTS, "window": WINDOW, "batch": BATCH, "fill": done.fill, "reads_per_append": 1, "seconds": rounded(seconds),
        "sessions": done.sessions,
        "messages_per_s": (done.messages as f64 / seconds).round(),
        "mb_per_s": rounded(done.bytes as f64 / 1e6 / seconds),
        "appends_per_s": appends.rate.round(),
        "compressions_per_s": rounded(count("succeeded", "jobs") / seconds),
        "messages_per_compression": rounded(count("succeeded", "messages") / count("succeeded", "jobs")),
        "skipped_per_s": rounded(count("skipped", "jobs") / seconds),
        "append": times(&appends), "context": times(&contexts), "wait_for_compression": times(&waits),
        "backlog_first_half": rounded(mean(earlier)), "backlog_second_half": rounded(mean(later)),
        "share_of_time": { "service": share(used.service), "postgres": share(used.postgres), "load": share(load) },
        "others": rounded(used.others),
    });
    report::line(&format!(
        "{:.0} messages/s, {:.2} MB/s, {:.0} appends/s, {:.1} compressions/s; append p99 {:.1} ms, context p99 {:.1} ms, \
         compression p50 {:.0} ms; backlog {:.1}, then {:.1}; of the processor time service {:.2}, Postgres {:.2}, load {:.2}",
        done.messages as f64 / seconds,
        done.bytes as f64 / 1e6 / seconds,
        appends.rate,
        count("succeeded", "jobs") / seconds,
        appends.quantile(0.99),
        contexts.quantile(0.99),
        waits.quantile(0.5),
        mean(earlier),
        mean(later),
        share(used.service),
        share(used.postgres),
        share(load),
    ));
    Ok(told)
}
