//! The validity bench: what would be served of every prefix of every session, held against the rules of
//! the providers.
//!
//! What lives here: sessions are fed to the domain as the economy bench feeds them, at four windows. At
//! every prefix the context of that moment is assembled in three formats, within the window's budget and
//! within a quarter of it; and once more as if nothing had ever been compressed.
//! Invariant: what is wrong is decided by a checker that knows JSON and the providers' rules, and nothing
//! of the service. Fails when anything is wrong.
//! Must not know: store, server, models.

mod contexts;
mod named;
#[path = "../load/random.rs"]
mod random;
#[path = "../digest/sessions.rs"]
#[expect(dead_code, reason = "the digest bench uses the rest")]
mod sessions;
#[path = "../digest/texts.rs"]
mod texts;
#[path = "../../crates/context/src/context/validity.rs"]
#[expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a checker of tests fails where a reply is not even shaped like one"
)]
mod validity;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anchord_economy::replay::{Replay, Transcript};
use anchord_messages::tokens::TokenCounter;
use clap::Parser;

use crate::contexts::Tally;

/// Assembles the contexts of every prefix of transcripts and checks them
#[derive(Debug, Parser)]
struct Flags {
    /// A folder of transcripts (.json); without it the bench makes its own
    folder: Option<PathBuf>,
    /// Only every so many messages
    #[arg(long, default_value_t = 1)]
    stride: usize,
    /// Context windows, in tokens
    #[arg(long, value_delimiter = ',', default_values_t = [4_000, 8_000, 32_000, 200_000])]
    windows: Vec<u32>,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let flags = Flags::parse();
    let counter = TokenCounter::default();
    let stride = flags.stride.max(1);
    let mut all = Tally::default();
    say("| session | messages | contexts | too small | invalid | over budget | omitted | seconds |");
    say("|---|---|---|---|---|---|---|---|");
    for (name, session) in named::named(flags.folder.as_deref())? {
        let begun = Instant::now();
        let transcript = Transcript::read(&session.raw, counter)?;
        let mut tally = Tally::default();
        for window in &flags.windows {
            let mut replay = Replay::new(&transcript, *window, counter);
            let mut at = 0;
            while replay.step() {
                at += 1;
                if at % stride == 0 || at == transcript.entries.len() {
                    contexts::check(&replay, counter, &mut tally);
                }
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        say(&format!("| {name} | {} | {} | {seconds:.1} |", transcript.entries.len(), tally.row()));
        for example in &tally.examples {
            say(&format!("    {example}"));
        }
        all.add(&tally);
    }
    say(&format!("| all | | {} | |", all.row()));
    Ok(if all.invalid + all.over_budget == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
