//! The content fuzzer: a runner for the targets that needs no nightly compiler, which libFuzzer does.
//!
//! It makes inputs out of the pieces that parsers trip over, changes and joins the ones it has, and
//! keeps those that take long for their size. libFuzzer, which sees what code an input reaches, runs the
//! same targets from the crate beside this file.

mod pieces;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Parser;

use crate::pieces::Maker;
use crate::targets::{ALL, Target};

/// Feeds every parser of message content with made inputs; a find is written to a file
#[derive(Debug, Parser)]
struct Flags {
    /// Seconds for each target
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Only this target
    #[arg(long)]
    target: Option<String>,
    /// Where the inputs begin; another number makes others
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Runs one file, such as a find, and nothing else
    #[arg(long)]
    input: Option<PathBuf>,
    /// Where finds go
    #[arg(long, default_value = "target/fuzz-content")]
    finds: PathBuf,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let mut finds = 0;
    for target in ALL.iter().filter(|(name, _)| flags.target.as_deref().is_none_or(|only| only == *name)) {
        match &flags.input {
            Some(file) => (target.1)(&std::fs::read(file)?),
            None => finds += run(&flags, *target)?,
        }
    }
    anyhow::ensure!(finds == 0, "{finds} finds in {}", flags.finds.display());
    Ok(())
}

/// Runs a target for its time; returns how many inputs made it panic.
fn run(flags: &Flags, (name, target): Target) -> anyhow::Result<usize> {
    let mut maker = Maker::new(flags.seed);
    let begun = Instant::now();
    let (mut runs, mut bytes, mut finds) = (0_u64, 0, 0);
    let mut slowest = (Duration::ZERO, 0);
    while begun.elapsed() < Duration::from_secs(flags.seconds) {
        let input = maker.next();
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&input)));
        let took = started.elapsed();
        runs += 1;
        bytes += input.len();
        if outcome.is_err() {
            finds += 1;
            std::fs::create_dir_all(&flags.finds)?;
            std::fs::write(flags.finds.join(format!("{name}-{}-{runs}", flags.seed)), &input)?;
        }
        // The first runs compile patterns and load vocabularies.
        if runs > 300 && took > slowest.0 {
            slowest = (took, input.len());
            // What is slow for its size may be slower still when it grows.
            maker.keep(input);
        }
    }
    say(&format!(
        "{name}: {runs} runs, {bytes} bytes, {finds} finds; the slowest took {} ms for {} bytes",
        slowest.0.as_millis(),
        slowest.1
    ));
    Ok(finds)
}

#[expect(clippy::print_stdout, reason = "printing is what a runner is for")]
fn say(line: &str) {
    println!("{line}");
}
