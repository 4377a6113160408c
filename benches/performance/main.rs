//! The document of what the load bench and the digest bench measured.
//!
//! What lives here: reading their lines of JSON, judging floors, writing. Data goes one way: benches print, this reads.
//! Invariant: no figure and no verdict in the document is written by hand.
//! Must not know: how anything is measured.

mod document;
mod floors;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Parser;
use serde_json::Value;

/// Writes docs/performance.md out of what the benches printed
#[derive(Debug, Parser)]
struct Flags {
    /// The file of JSON lines
    lines: PathBuf,
    /// A file to write to; without it docs/performance.md, or for a quick run one in a folder of the build
    #[arg(long)]
    to: Option<PathBuf>,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// What the benches printed, by their names.
struct Runs {
    load: Value,
    digest: Value,
}

impl Runs {
    /// A figure by its place; NaN where it was not measured.
    fn figure(&self, pointer: &str) -> f64 {
        self.load.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN)
    }

    /// Whether something is so; false where nothing says it.
    fn is(&self, pointer: &str) -> bool {
        self.load.pointer(pointer).and_then(Value::as_bool).unwrap_or_default()
    }
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let text = std::fs::read_to_string(&flags.lines)?;
    let line = |bench: &str| {
        let lines = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.into_iter().find(|line| line.get("bench").and_then(Value::as_str) == Some(bench))
    };
    let load = line("load").context("the load bench printed nothing")?;
    let runs = Runs { load, digest: line("digest").unwrap_or_default() };
    let to = match flags.to {
        Some(to) => to,
        None if !runs.is("/is_complete") => {
            say("not every part was run: nothing is written");
            return Ok(());
        }
        None if runs.is("/is_quick") => Path::new(env!("CARGO_TARGET_TMPDIR")).join("performance.md"),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/performance.md"),
    };
    std::fs::write(&to, document::write(&runs))?;
    say(&format!("written: {}", to.display()));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
