//! The load bench: how close the service comes to the database below it.
//!
//! What lives here: one run that starts a durable Postgres of its own, drives it with `pgbench` (the
//! ceiling) and then through the service's own release binary, on the same server and in turns, so
//! that both see the same machine. Ratios are the result; absolute figures are the machine's.
//! Invariant: every reply is checked, and nothing here asserts on time.
//! Must not know: the service's internals; it is a client, and reads the database only to check.

mod ceiling;
mod client;
mod closed;
mod duel;
mod footprint;
mod length;
mod machine;
mod measured;
mod processor;
mod quantile;
mod random;
mod report;
mod servers;
mod service;
mod sessions;
mod sizes;
mod sustained;
mod takeover;
mod texts;
mod transcripts;

use std::path::PathBuf;

use clap::{Parser, ValueEnum as _};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::report::Report;
use crate::servers::Servers;

/// Runs the service and pgbench under the same load and prints ratios
#[derive(Debug, Parser)]
struct Flags {
    /// Seconds of each measurement
    #[arg(long, default_value_t = 4)]
    seconds: u64,
    /// How often everything takes its turn
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Connections
    #[arg(long, value_delimiter = ',', default_value = "1,4,16,64")]
    connections: Vec<usize>,
    /// Parts to run; all without it
    #[arg(long, value_delimiter = ',')]
    parts: Vec<Part>,
    /// A look in about two minutes: short measurements, two rounds, fewer connections, shorter sessions
    #[arg(long)]
    quick: bool,
    /// Messages of the longest session
    #[arg(long, default_value_t = 100_000)]
    long: usize,
    /// A folder of transcripts for the agents of the part `sustained`; without it they are made up
    #[arg(long)]
    transcripts: Option<PathBuf>,
    /// Further flags of `anchord serve`, such as "--log warn"
    #[arg(long, allow_hyphen_values = true, default_value = "")]
    serve: String,
    /// Another binary of the service, to compare with
    #[arg(long, default_value = env!("CARGO_BIN_EXE_anchord"))]
    binary: PathBuf,
    /// A file that the line of JSON is added to, for the document
    #[arg(long)]
    json: Option<PathBuf>,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Append,
    Context,
    Sustained,
    Length,
    Takeover,
    Footprint,
}

impl Flags {
    fn read() -> Self {
        let mut flags = Self::parse();
        if flags.quick {
            (flags.seconds, flags.rounds, flags.connections) = (1, 2, vec![1, 64]);
            flags.long = 10_000;
        }
        if flags.parts.is_empty() {
            flags.parts = Part::value_variants().to_vec();
        }
        flags
    }

    /// Whether every part is run.
    fn is_complete(&self) -> bool {
        Part::value_variants().iter().all(|part| self.parts.contains(part))
    }

    /// Whether what is measured is less than the document wants.
    fn is_quick(&self) -> bool {
        let has_all = [1, 4, 16, 64].iter().all(|wanted| self.connections.contains(wanted));
        self.seconds < 4 || self.rounds < 3 || self.long < 100_000 || !has_all
    }
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::read();
    // One thread: the load must cost little beside what it measures, and moves no task about.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut report = Report::default();
    report.add("bench", json!("load"));
    report.add("is_complete", json!(flags.is_complete()));
    report.add("is_quick", json!(flags.is_quick()));
    report.add("rounds", json!(flags.rounds));
    report.add("seconds", json!(flags.seconds));
    let measured = measure(&flags, &runtime, &mut report);
    if measured.is_err() {
        // What was measured until then is told, and is not for the document.
        report.add("is_complete", json!(false));
    }
    report.print(flags.json.as_deref())?;
    measured
}

/// Runs the parts, each on servers of its own, so that none pays for what another has stored.
fn measure(flags: &Flags, runtime: &Runtime, report: &mut Report) -> anyhow::Result<()> {
    for (place, part) in flags.parts.iter().enumerate() {
        let servers = Servers::start(&flags.binary, &flags.serve)?;
        let run = async {
            if place == 0 {
                machine::tell(&servers, report).await?;
            }
            match part {
                Part::Append => duel::append(flags, &servers, report).await,
                Part::Context => duel::context(flags, &servers, report).await,
                Part::Sustained => sustained::measure(flags, &servers, report).await,
                Part::Length => length::measure(flags, &servers, report).await,
                Part::Takeover => takeover::measure(flags, &servers, report).await,
                Part::Footprint => footprint::measure(flags, report).await,
            }
        };
        runtime.block_on(tokio::task::LocalSet::new().run_until(run))?;
        servers.stop()?;
    }
    Ok(())
}
