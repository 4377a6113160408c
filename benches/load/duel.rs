//! Service and ceiling in turns under the same load, at several numbers of connections.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Flags;
use crate::ceiling::{self, Script};
use crate::closed::{Turn, closed_loop};
use crate::measured::Measured;
use crate::processor::{Processor, Used};
use crate::random::Random;
use crate::report::{self, Report, spread};
use crate::servers::Servers;
use crate::sessions::{self, Appends};

/// How long the background may take to finish what a part left to do.
const REST: Duration = Duration::from_mins(3);

/// Appends of two messages of 1 KB.
pub async fn append(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    report::section("append: 2 messages of 1 KB to one of 1,000 sessions");
    sessions::to_append(&name(0), servers).await?;
    let (appends, round) = (Appends::new(2), Rc::new(Cell::new(0)));
    let at = Rc::clone(&round);
    let make = move |random: &mut Random, turn: &mut Turn| {
        appends.add(&name(at.get()), random, turn);
    };
    servers.rest(REST).await?;
    ceiling::prepare(servers, 0).await?;
    let rows = duel(flags, servers, (Script::Append, &round), make).await?;
    report.add("append", Value::Array(rows));
    report.memory(servers, "append");
    Ok(())
}

/// The sessions of a round of appends.
fn name(round: usize) -> String {
    format!("append-{round}")
}

/// Contexts of sessions with a summary and a tail of twenty messages of 1 KB.
pub async fn context(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    report::section("context: that of one of 1,000 sessions, a summary and 20 messages of 1 KB");
    let shape = sessions::to_read(servers).await?;
    report::line(&format!(
        "a summary of {:.0} bytes and {:.1} messages after it, on average",
        shape.summary, shape.tail
    ));
    report.add("context_shape", json!({ "summary_bytes": shape.summary.round(), "tail": shape.tail }));
    ceiling::prepare(servers, shape.summary_bytes()).await?;
    let make = |random: &mut Random, turn: &mut Turn| {
        turn.add("GET", format_args!("/v1/sessions/read-{}/context", sessions::any(random)), "");
    };
    let rows = duel(flags, servers, (Script::Read, &Cell::default()), make).await?;
    report.add("context", Value::Array(rows));
    report::line("a message is appended, then the context is read, counted as one:");
    let appends = Appends::new(1);
    let make = move |random: &mut Random, turn: &mut Turn| {
        let session = appends.add("read", random, turn);
        turn.add("GET", format_args!("/v1/sessions/read-{session}/context"), "");
    };
    let rows = duel(flags, servers, (Script::Pair, &Cell::default()), make).await?;
    report.add("append_then_context", Value::Array(rows));
    report.memory(servers, "context");
    Ok(())
}

/// Lets ceiling and service take turns, and tells the medians and their ratio.
async fn duel(
    flags: &Flags,
    servers: &Servers,
    (script, round): (Script, &Cell<usize>),
    make: impl Fn(&mut Random, &mut Turn) + Clone + 'static,
) -> anyhow::Result<Vec<Value>> {
    let time = Duration::from_secs(flags.seconds);
    // Once unmeasured: plans, caches and connections.
    closed_loop(servers.address, 16, Duration::from_millis(500), make.clone()).await?;
    report::line("conns  pgbench/s  service/s  ratio  p50 ms  p99 ms | others | µs of processor per request");
    let mut rows = Vec::new();
    for &connections in &flags.connections {
        let mut rounds = Vec::with_capacity(flags.rounds);
        for _ in 0..flags.rounds {
            round.set(round.get() + 1);
            if script == Script::Append {
                // What earlier turns appended would make them due for a summary.
                sessions::to_append(&name(round.get()), servers).await?;
                servers.rest(REST).await?;
            }
            if script == Script::Pair {
                // What earlier turns appended would make the next ones read more.
                sessions::shorten_tails(servers).await?;
                ceiling::shorten_tails(servers).await?;
            }
            servers.settle().await?;
            let before = Processor::of(servers);
            let measured = ceiling::run(servers, script, (connections, time))?;
            let ceiling = Side { measured, used: before.used() };
            servers.settle().await?;
            let before = Processor::of(servers);
            let measured = closed_loop(servers.address, connections, time, make.clone()).await?;
            let service = Side { measured, used: before.used() };
            let round = Round { ceiling, service };
            report::line(&round.row(connections));
            rounds.push(round);
        }
        let row = told(connections, &rounds);
        report::line(&format!("{connections:>5}  {}", report::brief(&row, &["ratio"])));
        rows.push(row);
    }
    Ok(rows)
}

/// The rounds at one number of connections, as JSON.
fn told(connections: usize, rounds: &[Round]) -> Value {
    let of = |pick: fn(&Round) -> f64| spread(rounds.iter().map(pick).collect());
    json!({
        "connections": connections,
        "ceiling_per_s": of(|r| r.ceiling.measured.rate),
        "service_per_s": of(|r| r.service.measured.rate),
        // Of neighbours in time, because what others use changes over a run.
        "ratio": of(|r| r.service.measured.rate / r.ceiling.measured.rate),
        "p50_ms": of(|r| r.service.measured.quantile(0.5)),
        "p99_ms": of(|r| r.service.measured.quantile(0.99)),
        "others": of(|r| f64::midpoint(r.ceiling.used.others, r.service.used.others)),
        // Microseconds of processor for each of what was done.
        "ceiling_us": of(|r| r.ceiling.cost(r.ceiling.used.ours)),
        "service_us": of(|r| r.service.cost(r.service.used.service)),
        "postgres_us": of(|r| r.service.cost(r.service.used.postgres)),
        "load_us": of(|r| r.service.cost(r.service.used.ours - r.service.used.service - r.service.used.postgres)),
    })
}

/// What one of the two did.
#[derive(Debug)]
struct Side {
    measured: Measured,
    used: Used,
}

impl Side {
    /// Microseconds of processor for each of what was done, the load's own included.
    fn cost(&self, used: f64) -> f64 {
        used / self.measured.replies * 1e6
    }
}

#[derive(Debug)]
struct Round {
    ceiling: Side,
    service: Side,
}

impl Round {
    fn row(&self, connections: usize) -> String {
        let Self { ceiling, service, .. } = self;
        format!(
            "{connections:>5}  {:>9.0}  {:>9.0}  {:>5.2}  {:>6.2}  {:>6.2} | {:>2.0}, {:>2.0} % | ceiling {:.0}; service \
             {:.0} + Postgres {:.0} + load {:.0}",
            ceiling.measured.rate,
            service.measured.rate,
            service.measured.rate / ceiling.measured.rate,
            service.measured.quantile(0.5),
            service.measured.quantile(0.99),
            ceiling.used.others * 100.0,
            service.used.others * 100.0,
            ceiling.cost(ceiling.used.ours),
            service.cost(service.used.service),
            service.cost(service.used.postgres),
            service.cost(service.used.ours - service.used.service - service.used.postgres),
        )
    }
}
