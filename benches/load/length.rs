//! Whether a long session costs more than a short one.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::{Value, json};

use crate::Flags;
use crate::client::{Connection, request};
use crate::measured::milliseconds;
use crate::processor::Processor;
use crate::quantile::quantile;
use crate::random::Random;
use crate::report::{self, Report, spread};
use crate::servers::Servers;
use crate::sizes;
use crate::texts::batch;

/// Messages of the short session, and of each batch that fills the longer ones.
const SHORT: usize = 1_000;
/// Requests to each session in a round, in turns; fewer must do when a measurement's time is over.
const REQUESTS: usize = 200;
/// How long the background may take to index or to summarise the longest session.
const REST: Duration = Duration::from_mins(5);

/// Fills the sessions and compares what they cost, first without and then with a summary.
pub async fn measure(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    let longest = flags.long.max(SHORT);
    let lengths: Vec<usize> = std::iter::successors(Some(SHORT), |last| last.checked_mul(10))
        .take_while(|n| *n <= longest)
        .collect();
    report::section(&format!("length: sessions of {lengths:?} messages"));
    let mut connection = Connection::open(servers.address).await?;
    let mut random = Random::new(17);
    for length in &lengths {
        // Summaries come when they are asked for below, not in the middle of a measurement.
        let settings = request("PUT", format_args!("/v1/sessions/length-{length}"), r#"{"auto":false}"#);
        connection.done(&settings).await?;
        for _ in 0..length / SHORT {
            let body = batch(SHORT, &mut random);
            let fill = request("POST", format_args!("/v1/sessions/length-{length}/messages"), &body);
            connection.done(&fill).await?;
        }
    }
    servers.rest(REST).await?;
    servers.look("vacuum analyze").await?;
    let mut rows = compare_all(flags, servers, &lengths, false).await?;
    for length in &lengths {
        summarise(servers, &mut connection, *length).await?;
    }
    rows.extend(compare_all(flags, servers, &lengths, true).await?);
    report.add("length", json!({ "messages": lengths, "rows": rows }));
    report.memory(servers, "length");
    sizes::measure(servers, report).await
}

/// Has a session summarised to its end.
async fn summarise(servers: &Servers, connection: &mut Connection, length: usize) -> anyhow::Result<()> {
    let started = Instant::now();
    let mut anchor = None;
    // One compression takes a bounded span: all sessions are summarised through the same place before
    // their ends, or the tails that are compared would not be alike.
    loop {
        let ask =
            request("POST", format_args!("/v1/sessions/length-{length}/compressions"), r#"{"target":0.1}"#);
        connection.done(&ask).await?;
        servers.rest(REST).await?;
        let read = request("GET", format_args!("/v1/sessions/length-{length}"), "");
        let found = connection.json(&read).await?;
        let version = found.get("summary_version").filter(|version| !version.is_null());
        ensure!(version.is_some(), "there is no summary of {length} messages: {found}");
        let now = found.get("anchor_seq").cloned();
        if now == anchor {
            break;
        }
        anchor = now;
    }
    report::line(&format!("a summary of {length} messages took {:.1} s", started.elapsed().as_secs_f64()));
    Ok(())
}

async fn compare_all(
    flags: &Flags,
    servers: &Servers,
    lengths: &[usize],
    is_summarised: bool,
) -> anyhow::Result<Vec<Value>> {
    let body = batch(2, &mut Random::new(19));
    let mut rows = Vec::new();
    for what in ["append", "context", "recall", "ledger"] {
        let requests: Vec<Vec<u8>> = lengths
            .iter()
            .map(|length| match what {
                "append" => request("POST", format_args!("/v1/sessions/length-{length}/messages"), &body),
                "recall" => {
                    let path = format_args!("/v1/sessions/length-{length}/recall?q=lease.rs+validation");
                    request("GET", path, "")
                }
                _ => request("GET", format_args!("/v1/sessions/length-{length}/{what}"), ""),
            })
            .collect();
        let mut rounds = Vec::with_capacity(flags.rounds);
        for _ in 0..flags.rounds {
            rounds.push(round(servers, &requests, Duration::from_secs(flags.seconds)).await?);
        }
        let state = if is_summarised { "summarised" } else { "not summarised" };
        let columns = lengths.iter().enumerate().map(|(place, length)| {
            let of = |pick: fn(&Times) -> f64| {
                spread(rounds.iter().filter_map(|round| round.times.get(place)).map(pick).collect())
            };
            let ratios = rounds
                .iter()
                .filter_map(|round| Some(round.times.get(place)?.p50 / round.times.first()?.p50));
            let column = json!({
                "messages": length, "p50_ms": of(|times| times.p50), "p99_ms": of(|times| times.p99),
                "ratio": spread(ratios.collect()),
            });
            let told = report::brief(&column, &["p50_ms", "p99_ms", "ratio"]);
            report::line(&format!("{what}, {state}, {length} messages: {told}"));
            column
        });
        let columns: Vec<Value> = columns.collect();
        let others = spread(rounds.iter().map(|round| round.others).collect());
        rows.push(json!({
            "what": what, "is_summarised": is_summarised, "by_length": columns, "others": others
        }));
    }
    Ok(rows)
}

/// Milliseconds.
#[derive(Clone, Copy, Debug)]
struct Times {
    p50: f64,
    p99: f64,
}

#[derive(Debug)]
struct Round {
    times: Vec<Times>,
    others: f64,
}

/// Sends each session its request in turns, so that all see the same machine.
async fn round(servers: &Servers, requests: &[Vec<u8>], most: Duration) -> anyhow::Result<Round> {
    let mut connection = Connection::open(servers.address).await?;
    let mut times: Vec<Vec<f64>> = requests.iter().map(|_| Vec::with_capacity(REQUESTS)).collect();
    let before = Processor::of(servers);
    let started = Instant::now();
    for _ in 0..REQUESTS {
        if started.elapsed() > most {
            break;
        }
        for (request, times) in requests.iter().zip(&mut times) {
            let sent = Instant::now();
            connection.done(request).await?;
            times.push(milliseconds(sent.elapsed()));
        }
    }
    let times =
        times.into_iter().map(|times| Times { p50: quantile(&times, 0.5), p99: quantile(&times, 0.99) });
    Ok(Round { times: times.collect(), others: before.used().others })
}
