//! The tasks bench: what a whole task costs in prompt tokens, one way of keeping the context beside another.
//!
//! What lives here: transcripts are played back as an agent's loop. Before each of the agent's recorded
//! messages a prompt is made, as each way would make it, and its tokens are counted on one basis; what a
//! provider finds in its prompt cache is told apart. The service's ways go through its release binary.
//! Invariant: every way answers the same calls of the same sessions. The steps are those that were
//! recorded, so nothing is fetched a second time: this measures prompts, not how well an agent does.
//! Must not know: the service's internals; it is a client.

mod chat;
#[path = "../load/client.rs"]
mod client;
mod plot;
#[path = "../load/random.rs"]
mod random;
mod replay;
#[path = "../load/servers.rs"]
#[expect(dead_code, reason = "the load bench uses the rest")]
mod servers;
#[path = "../load/service.rs"]
mod service;
#[path = "../digest/sessions.rs"]
#[expect(dead_code, reason = "the digest bench uses the rest")]
mod sessions;
#[expect(dead_code, reason = "the exams bench uses the rest")]
mod svg;
mod tally;
#[path = "../digest/texts.rs"]
mod texts;
mod ways;

use std::path::PathBuf;

use clap::Parser;
use serde_json::json;

use crate::replay::Stage;
use crate::servers::Servers;
use crate::sessions::Session;
use crate::tally::{Prices, Tally};
use crate::ways::Way;

/// Plays transcripts back as an agent's loop and prints what each way of keeping the context costs
#[derive(Debug, Parser)]
struct Flags {
    /// A folder of transcripts (.json) in chat format; without it the bench makes its own
    folder: Option<PathBuf>,
    /// Context window of the model, in tokens
    #[arg(long, default_value_t = 32_000)]
    window: u32,
    /// What a compression fills, as a share of the effective window; the default when it is not named
    #[arg(long)]
    fill: Option<f64>,
    /// Price of a cached prompt token; one that is not cached costs 1
    #[arg(long, default_value_t = 0.1)]
    cached_price: f64,
    /// A file to write a plot to (SVG)
    #[arg(long)]
    plot: Option<PathBuf>,
    /// Another binary of the service, to compare with
    #[arg(long, default_value = env!("CARGO_BIN_EXE_anchord"))]
    binary: PathBuf,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let sessions = match &flags.folder {
        Some(folder) => sessions::read(folder)?,
        None => written_out()?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let servers = Servers::start(&flags.binary, "")?;
    let stage = Stage { window: flags.window, fill: flags.fill, address: servers.address };
    let tallies: anyhow::Result<Vec<(Way, Tally)>> = runtime.block_on(async {
        let mut tallies = Vec::new();
        for way in Way::ALL {
            let mut tally = Tally::default();
            for (number, session) in sessions.iter().enumerate() {
                stage.play(way, number, session, &mut tally).await?;
            }
            tallies.push((way, tally));
        }
        Ok(tallies)
    });
    let tallies = tallies?;
    servers.stop()?;
    print(&flags, &tallies);
    if let Some(file) = &flags.plot {
        std::fs::write(file, plot::bars(&tallies, Prices { cached: flags.cached_price }))?;
    }
    Ok(())
}

/// Made-up sessions as chat messages, as they would be sent.
fn written_out() -> anyhow::Result<Vec<Session>> {
    let write = |session: Session| {
        Session::of_raw(session.messages.iter().flat_map(|message| chat::as_chat(&message.message)).collect())
    };
    sessions::made().into_iter().map(write).collect()
}

fn print(flags: &Flags, tallies: &[(Way, Tally)]) {
    let prices = Prices { cached: flags.cached_price };
    let whole = tallies.first().map_or(f64::NAN, |(_, tally)| tally.tokens());
    let full_cost = tallies.first().map_or(f64::NAN, |(_, tally)| tally.cost(prices));
    say(&format!("window {}; a cached token costs {} of another", flags.window, flags.cached_price));
    say(
        "| way | calls | prompt tokens, million | of all | cached | cost, million | of all | largest prompt | calls above the window |",
    );
    say("|---|---|---|---|---|---|---|---|---|");
    for (way, tally) in tallies {
        say(&format!(
            "| {} | {} | {:.2} | {:.2} | {:.0} % | {:.2} | {:.2} | {} | {} |",
            way.name(),
            tally.calls,
            tally.tokens() / 1e6,
            tally.tokens() / whole,
            tally.cached_share() * 100.0,
            tally.cost(prices) / 1e6,
            tally.cost(prices) / full_cost,
            tally.largest,
            tally.above_window,
        ));
    }
    let ways: serde_json::Map<_, _> =
        tallies.iter().map(|(way, tally)| (way.name().to_owned(), json!(tally))).collect();
    say(&format!("\n{}", serde_json::Value::Object(ways)));
}

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
