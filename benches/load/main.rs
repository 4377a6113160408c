//! The load bench: how close the service comes to the database below it.
//!
//! What lives here: one run that starts a durable Postgres of its own, drives it with `pgbench` (the
//! ceiling) and then through the service's own release binary, on the same server and in turns, so
//! that both see the same machine. Ratios are the result; absolute figures are the machine's.
//! Invariant: every reply is checked, and nothing here asserts on time.
//! Must not know: the service's internals; it is a client, and reads the database only to check.

mod ceiling;
mod client;
mod duel;
mod hangups;
mod length;
mod processor;
mod queue;
mod random;
mod report;
mod servers;
mod texts;

use std::path::PathBuf;

use clap::Parser;

use crate::report::Report;
use crate::servers::Servers;

/// Runs the service and pgbench under the same load and prints ratios
#[derive(Debug, Parser)]
struct Flags {
    /// Seconds of each measurement
    #[arg(long, default_value_t = 4)]
    seconds: u64,
    /// How often service and ceiling take turns
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Connections
    #[arg(long, value_delimiter = ',', default_value = "16,64")]
    connections: Vec<usize>,
    /// Parts to run
    #[arg(long, value_delimiter = ',', default_value = "append,read,length,queue,hangups")]
    parts: Vec<Part>,
    /// Context window of the sessions that are appended to; a small one makes compressions frequent
    #[arg(long)]
    window: Option<u32>,
    /// Messages of the long session
    #[arg(long, default_value_t = 100_000)]
    long: usize,
    /// Clients that hang up, per round of three
    #[arg(long, default_value_t = 400)]
    clients: usize,
    /// Further flags of `anchord serve`, such as "--log warn"
    #[arg(long, allow_hyphen_values = true, default_value = "")]
    serve: String,
    /// Another binary of the service, to compare with
    #[arg(long, default_value = env!("CARGO_BIN_EXE_anchord"))]
    binary: PathBuf,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Append,
    Read,
    Length,
    Queue,
    Hangups,
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    // One thread: the load must cost little beside what it measures, and moves no task about.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let servers = Servers::start(&flags.binary, &flags.serve)?;
    let mut report = Report::default();
    let run = async {
        report.machine(&servers);
        for part in &flags.parts {
            match part {
                Part::Append => duel::append(&flags, &servers, &mut report).await?,
                Part::Read => duel::read(&flags, &servers, &mut report).await?,
                Part::Length => length::measure(&flags, &servers, &mut report).await?,
                Part::Queue => queue::measure(&flags, &servers, &mut report).await?,
                Part::Hangups => hangups::check(&flags, &servers, &mut report).await?,
            }
        }
        anyhow::Ok(())
    };
    runtime.block_on(tokio::task::LocalSet::new().run_until(run))?;
    servers.stop()?;
    report.print();
    Ok(())
}
