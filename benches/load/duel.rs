//! Service and ceiling in turns under the same load.

use std::rc::Rc;
use std::time::Duration;

use serde_json::json;

use crate::Flags;
use crate::ceiling::{self, SESSIONS, Script};
use crate::client::{self, Connection, Measured, request, write_request};
use crate::processor::{Processor, Used};
use crate::random::Random;
use crate::report::{self, Report, median, rounded};
use crate::servers::Servers;
use crate::texts::batch;

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
    report::line(
        "conns   pgbench/s  service/s   ratio  p50 ms  p99 ms | others | µs of processor per request",
    );
    for &connections in &flags.connections {
        let mut rounds = Vec::with_capacity(flags.rounds);
        for _ in 0..flags.rounds {
            servers.settle().await?;
            let before = Processor::of(servers);
            let (done, most) = ceiling::run(servers, script, connections, time)?;
            let ceiling = Side { rate: most, done, used: before.used() };
            servers.settle().await?;
            let before = Processor::of(servers);
            let measured = client::closed_loop(servers.address, connections, time, make.clone()).await?;
            let service = Side { rate: measured.rate, done: measured.replies, used: before.used() };
            let round = Round { ceiling, service, measured };
            report::line(&round.row(connections));
            rounds.push(round);
        }
        let of = |pick: fn(&Round) -> f64| median(rounds.iter().map(pick).collect());
        // Of neighbours in time, because what others use changes over a run.
        let (ratio, by_time) = (of(Round::ratio), of(Round::ratio_of_time));
        report::line(&format!("{connections:>5}   median ratio {ratio:.2}; by processor time {by_time:.2}"));
        report.add(
            &format!("{name}_{connections}"),
            json!({
                "pgbench_per_s": of(|r| r.ceiling.rate).round(),
                "service_per_s": of(|r| r.service.rate).round(),
                "ratio": rounded(ratio), "ratio_by_processor_time": rounded(by_time),
                "p50_ms": rounded(of(|r| r.measured.quantile(0.5))),
                "p99_ms": rounded(of(|r| r.measured.quantile(0.99))),
                "others": rounded(of(|r| r.service.used.others)),
            }),
        );
    }
    let jobs = servers.look("select from compressions where status = 'succeeded'").await?.len();
    report::line(&format!("background jobs done so far: {jobs}"));
    report.memory(servers, &format!("memory_{name}"));
    Ok(())
}

/// What one of the two did.
#[derive(Debug)]
struct Side {
    rate: f64,
    done: f64,
    used: Used,
}

impl Side {
    /// Microseconds of processor for each of what was done, the load's own included.
    fn cost(&self, used: f64) -> f64 {
        used / self.done * 1e6
    }
}

#[derive(Debug)]
struct Round {
    ceiling: Side,
    service: Side,
    measured: Measured,
}

impl Round {
    fn ratio(&self) -> f64 {
        self.service.rate / self.ceiling.rate
    }

    /// What the ratio would be if nobody else used the processors: the scheduler gives a neighbour
    /// less beside the many processes of the ceiling than beside the few threads of the service.
    fn ratio_of_time(&self) -> f64 {
        self.ceiling.cost(self.ceiling.used.ours) / self.service.cost(self.service.used.ours)
    }

    fn row(&self, connections: usize) -> String {
        let Self { ceiling, service, measured } = self;
        format!(
            "{connections:>5}   {:>9.0}  {:>9.0}  {:>6.2}  {:>6.1}  {:>6.1} | {:>2.0}, {:>2.0} % | ceiling {:.0}; service \
             {:.0} + Postgres {:.0} + load {:.0}",
            ceiling.rate,
            service.rate,
            self.ratio(),
            measured.quantile(0.5),
            measured.quantile(0.99),
            ceiling.used.others * 100.0,
            service.used.others * 100.0,
            ceiling.cost(ceiling.used.ours),
            service.cost(service.used.service),
            service.cost(service.used.postgres),
            service.cost(service.used.ours - service.used.service - service.used.postgres),
        )
    }
}
