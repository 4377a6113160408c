//! The thrash bench: how often sessions are compressed, beside the least number that the thresholds imply.
//!
//! What lives here: every session of a folder is fed to the domain message by message, at several windows.
//! Invariant: nothing of the service's decisions is made anew here; `replay` calls the same functions in
//! the same order as appends and workers do. Fails when a session is compressed more than half as often
//! again as it had to be.
//! Must not know: store, server, models.

mod named;
#[path = "../load/random.rs"]
mod random;
#[expect(dead_code, reason = "the validity bench uses the rest")]
mod replay;
#[path = "../digest/sessions.rs"]
#[expect(dead_code, reason = "the digest bench uses the rest")]
mod sessions;
#[path = "../digest/texts.rs"]
mod texts;

use std::path::PathBuf;
use std::process::ExitCode;

use anchord_messages::tokens::TokenCounter;
use clap::Parser;

use crate::replay::{Replay, Transcript, is_thrash, least};

/// Feeds transcripts in and compares how often they are compressed with how often they had to be
#[derive(Debug, Parser)]
struct Flags {
    /// A folder of transcripts (.json); without it the bench makes its own
    folder: Option<PathBuf>,
    /// Context windows, in tokens
    #[arg(long, value_delimiter = ',', default_values_t = [4_000, 8_000, 32_000, 200_000])]
    windows: Vec<u32>,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let flags = Flags::parse();
    let named = named::named(flags.folder.as_deref())?;
    say(
        "| session | window | appended tokens | compressions | least | ratio | above target | no span | not smaller | refused |",
    );
    say("|---|---|---|---|---|---|---|---|---|---|");
    let (mut thrashing, mut total, mut total_least) = (0, 0, 0);
    let counter = TokenCounter::default();
    for (name, session) in &named {
        let transcript = Transcript::read(&session.raw, counter)?;
        for window in &flags.windows {
            let mut replay = Replay::new(&transcript, *window, counter);
            while replay.step() {}
            let (made, least) = (replay.outcomes, least(&replay));
            let thrashes = is_thrash(made.published, least);
            thrashing += u32::from(thrashes);
            total += u64::from(made.published);
            total_least += least;
            say(&format!(
                "| {name} | {window} | {} | {} | {least} | {}{} | {} | {} | {} | {} |",
                replay.counts.appended_tokens,
                made.published,
                ratio(u64::from(made.published), least),
                if thrashes { " !" } else { "" },
                made.above_target,
                made.without_span,
                made.not_smaller,
                made.refused,
            ));
        }
    }
    say(&format!(
        "\n{total} compressions, {total_least} at least: {}; {thrashing} replays above 1.5",
        ratio(total, total_least)
    ));
    Ok(if thrashing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[expect(clippy::cast_precision_loss, reason = "counts of compressions are small")]
fn ratio(made: u64, least: u64) -> String {
    if least == 0 { "–".to_owned() } else { format!("{:.2}", made as f64 / least as f64) }
}

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
