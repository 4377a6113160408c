//! Whether a long session costs more than a short one.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::json;

use crate::Flags;
use crate::client::{Connection, quantile, request};
use crate::processor::Processor;
use crate::random::Random;
use crate::report::{self, Report, rounded};
use crate::servers::Servers;
use crate::texts::batch;

/// Messages of the short session, and of each batch that fills the long one.
const SHORT: usize = 1_000;
/// Requests to each session, in turns, and the time after which fewer must do.
const REQUESTS: usize = 300;
const ENOUGH: Duration = Duration::from_secs(5);
/// How long the background may take to index or to summarise the long session.
const REST: Duration = Duration::from_mins(5);

/// The sessions that are compared.
const SESSIONS: [&str; 2] = ["length-short", "length-long"];

/// Fills both sessions and compares appends and reads, first without and then with a summary.
pub async fn measure(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    let long = flags.long.max(SHORT);
    report::section(&format!("length: a session with {SHORT} messages and one with {long}"));
    let mut connection = Connection::open(servers.address).await?;
    let mut random = Random::new(17);
    for (session, batches) in SESSIONS.into_iter().zip([1, long / SHORT]) {
        // Summaries come when they are asked for below, not in the middle of a measurement.
        let settings = request("PUT", format_args!("/v1/sessions/{session}"), r#"{"auto":false}"#);
        connection.json(&settings).await?;
        for _ in 0..batches {
            let body = batch(SHORT, &mut random);
            let fill = request("POST", format_args!("/v1/sessions/{session}/messages"), &body);
            connection.json(&fill).await?;
        }
    }
    servers.rest(REST).await?;
    servers.look("vacuum analyze").await?;
    report::line("                         short ms  long ms   ratio  (others)");
    compare_all(servers, report, "no_summary").await?;
    for session in SESSIONS {
        let started = Instant::now();
        // One compression takes a bounded span: both sessions are summarised through the same place
        // before their ends, or the tails that are compared would not be alike.
        let mut anchor = None;
        loop {
            let ask = request("POST", format_args!("/v1/sessions/{session}/compressions"), "{}");
            connection.json(&ask).await?;
            servers.rest(REST).await?;
            let found = connection.json(&request("GET", format_args!("/v1/sessions/{session}"), "")).await?;
            let now = found.get("anchor_seq").cloned();
            if now == anchor {
                break;
            }
            anchor = now;
        }
        let seconds = started.elapsed().as_secs_f64();
        report::line(&format!("a summary of {session} took {seconds:.1} s"));
        report.add(&format!("{session}_summary_s"), json!(rounded(seconds)));
        let read = request("GET", format_args!("/v1/sessions/{session}"), "");
        let found = connection.json(&read).await?;
        let version = found.get("summary_version").filter(|version| !version.is_null());
        ensure!(version.is_some(), "there is no summary of {session}: {found}");
    }
    compare_all(servers, report, "summary").await?;
    report.memory(servers, "memory_length");
    Ok(())
}

async fn compare_all(servers: &Servers, report: &mut Report, state: &str) -> anyhow::Result<()> {
    let mut random = Random::new(19);
    let body = batch(2, &mut random);
    compare(servers, report, &format!("append_{state}"), |session| {
        request("POST", format_args!("/v1/sessions/{session}/messages"), &body)
    })
    .await?;
    for (name, view) in
        [("context", "context"), ("recall", "recall?q=lease.rs+validation"), ("ledger", "ledger")]
    {
        compare(servers, report, &format!("{name}_{state}"), |session| {
            request("GET", format_args!("/v1/sessions/{session}/{view}"), "")
        })
        .await?;
    }
    Ok(())
}

/// Sends the same request to both sessions in turns, so that both see the same machine.
async fn compare(
    servers: &Servers,
    report: &mut Report,
    name: &str,
    make: impl Fn(&str) -> Vec<u8>,
) -> anyhow::Result<()> {
    let mut connection = Connection::open(servers.address).await?;
    let requests = SESSIONS.map(make);
    let mut times = SESSIONS.map(|_| Vec::with_capacity(REQUESTS));
    let before = Processor::of(servers);
    let started = Instant::now();
    for _ in 0..REQUESTS {
        if started.elapsed() > ENOUGH {
            break;
        }
        for (request, times) in requests.iter().zip(&mut times) {
            let sent = Instant::now();
            let status = connection.call(request).await?.status;
            times.push(sent.elapsed());
            ensure!(matches!(status, 200..300), "{name} was answered with {status}");
        }
    }
    let others = before.used().others;
    let [short, long] = times.map(|mut times| {
        times.sort_unstable();
        quantile(&times, 0.5)
    });
    let ratio = long / short;
    report::line(&format!("{name:<22} {short:>10.2} {long:>8.2} {ratio:>7.2}  ({:>4.0} %)", others * 100.0));
    report.add(
        &format!("length_{name}"),
        json!({ "short_ms": rounded(short), "long_ms": rounded(long), "ratio": rounded(ratio) }),
    );
    Ok(())
}
