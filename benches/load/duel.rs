//! Service and ceiling in turns under the same load.

use std::rc::Rc;
use std::time::Duration;

use serde_json::json;

use crate::Flags;
use crate::ceiling::{self, SESSIONS, Script};
use crate::client::{self, Connection, Measured, request, write_request};
use crate::processor::Processor;
use crate::report::{self, Report, median, rounded};
use crate::servers::Servers;
use crate::texts::{Random, batch};

/// Bodies to choose from, so that no two appends in a row are the same.
const BODIES: usize = 64;
/// The session's messages at which the recall index is renewed: the service does so every 200.
const INDEX_EVERY: usize = 200;
/// Messages after the anchor of the sessions that are read.
const TAIL: usize = 20;
/// How long the background may take to finish what a part left to do.
const REST: Duration = Duration::from_mins(3);

/// Appends of two messages of 1 KB.
pub async fn append(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    report::section("append: 2 messages of 1 KB to one of 1,000 sessions");
    let mut connection = Connection::open(servers.address).await?;
    let mut random = Random::new(11);
    for session in 0..SESSIONS {
        if let Some(window) = flags.window {
            let settings = format!(r#"{{"context_window":{window}}}"#);
            let put = request("PUT", format_args!("/v1/sessions/append-{session}"), &settings);
            connection.json(&put).await?;
        }
        // From 10 to 209 messages, so that at any time as many of them become due for the recall
        // index as over a long run: indexing is part of what an append costs.
        let body = batch(10 + session % INDEX_EVERY, &mut random);
        let warm = request("POST", format_args!("/v1/sessions/append-{session}/messages"), &body);
        connection.json(&warm).await?;
    }
    let bodies: Rc<[String]> = (0..BODIES).map(|_| batch(2, &mut random)).collect();
    let make = move |random: &mut Random, into: &mut Vec<u8>| {
        let session = random.below(SESSIONS);
        let body = bodies.get(random.below(BODIES)).map_or("", String::as_str);
        write_request(into, "POST", format_args!("/v1/sessions/append-{session}/messages"), body);
    };
    duel(flags, servers, report, (Script::Append, "append"), make).await
}

/// Contexts with a tail of twenty messages of 1 KB.
pub async fn read(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    report::section("read: the context of one of 1,000 sessions, 20 messages of 1 KB");
    let mut connection = Connection::open(servers.address).await?;
    let mut random = Random::new(13);
    // Two by two, so that a session's rows lie as far apart as real traffic leaves them.
    for _ in 0..TAIL / 2 {
        for session in 0..SESSIONS {
            let body = batch(2, &mut random);
            let warm = request("POST", format_args!("/v1/sessions/read-{session}/messages"), &body);
            connection.json(&warm).await?;
        }
    }
    servers.look("vacuum analyze messages").await?;
    let make = |random: &mut Random, into: &mut Vec<u8>| {
        let session = random.below(SESSIONS);
        write_request(into, "GET", format_args!("/v1/sessions/read-{session}/context"), "");
    };
    duel(flags, servers, report, (Script::Read, "read"), make).await
}

/// Lets ceiling and service take turns, and tells the medians and their ratio.
async fn duel(
    flags: &Flags,
    servers: &Servers,
    report: &mut Report,
    (script, name): (Script, &str),
    make: impl Fn(&mut Random, &mut Vec<u8>) + Clone + 'static,
) -> anyhow::Result<()> {
    servers.rest(REST).await?;
    ceiling::prepare(servers).await?;
    let time = Duration::from_secs(flags.seconds);
    // Once unmeasured: plans, caches and connections.
    client::closed_loop(servers.address, 16, Duration::from_millis(500), make.clone()).await?;
    report::line("connections  pgbench/s (others)   service/s (others)   ratio   p50 ms   p99 ms");
    for &connections in &flags.connections {
        let mut rounds: Vec<(f64, Measured)> = Vec::with_capacity(flags.rounds);
        for _ in 0..flags.rounds {
            servers.settle().await?;
            let before = Processor::now();
            let most = ceiling::run(servers, script, connections, time)?;
            let beside_most = before.others_since();
            servers.settle().await?;
            let before = Processor::now();
            let measured = client::closed_loop(servers.address, connections, time, make.clone()).await?;
            let beside = before.others_since();
            report::line(&row(connections, (most, beside_most), &measured, beside));
            rounds.push((most, measured));
        }
        let of = |pick: &dyn Fn(&(f64, Measured)) -> f64| median(rounds.iter().map(pick).collect());
        let (most, rate) = (of(&|round| round.0), of(&|round| round.1.rate));
        // Of neighbours in time, because what others use changes over a run.
        let ratio = of(&|(most, measured)| measured.rate / most);
        let (p50, p99) = (of(&|round| round.1.quantile(0.5)), of(&|round| round.1.quantile(0.99)));
        report::line(&format!(
            "{connections:>11}  {most:>9.0}  median     {rate:>9.0}  median    {ratio:>6.2} {p50:>8.1} {p99:>8.1}"
        ));
        report.add(
            &format!("{name}_{connections}"),
            json!({
                "pgbench_per_s": most.round(), "service_per_s": rate.round(), "ratio": rounded(ratio),
                "p50_ms": rounded(p50), "p99_ms": rounded(p99),
            }),
        );
    }
    let jobs = servers.look("select from compressions where status = 'succeeded'").await?.len();
    report::line(&format!("background jobs done so far: {jobs}"));
    report.memory(servers, &format!("memory_{name}"));
    Ok(())
}

fn row(connections: usize, (most, beside_most): (f64, f64), measured: &Measured, beside: f64) -> String {
    let (rate, ratio) = (measured.rate, measured.rate / most);
    let (p50, p99) = (measured.quantile(0.5), measured.quantile(0.99));
    format!(
        "{connections:>11}  {most:>9.0}  ({:>4.0} %)   {rate:>9.0}  ({:>4.0} %)   {ratio:>6.2} {p50:>8.1} {p99:>8.1}",
        beside_most * 100.0,
        beside * 100.0
    )
}
