//! The document of what the other benches measured.
//!
//! What lives here: reading their lines of JSON, judging goals, drawing, writing. Data goes one way: benches
//! print, this reads.
//! Invariant: no figure and no verdict in the document is written by hand.
//! Must not know: how anything is measured.

mod charts;
mod document;
mod figures;
mod goals;
mod pictures;
mod sections;
mod svg;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Parser;
use serde_json::Value;

use crate::figures::{Digest, Load};

/// Writes docs/performance.md and its plots out of what the benches printed
#[derive(Debug, Parser)]
struct Flags {
    /// The file of JSON lines
    lines: PathBuf,
    /// A folder to write to; without it docs, or for a quick run a folder of the build
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let text = std::fs::read_to_string(&flags.lines).unwrap_or_default();
    let line = |bench: &str| {
        let lines = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.into_iter().find(|line| line.get("bench").and_then(Value::as_str) == Some(bench))
    };
    let load = line("load").context("the load bench printed nothing")?;
    let load: Load = serde_json::from_value(load).context("the load bench's line")?;
    let digest = line("digest").map(serde_json::from_value).transpose().context("the digest bench's line")?;
    let digest = digest.unwrap_or(Digest { sessions: None, length: None });
    let folder = match flags.folder {
        Some(folder) => folder,
        None if !load.is_complete => {
            say("not every part was run: nothing is written");
            return Ok(());
        }
        None if load.is_quick => Path::new(env!("CARGO_TARGET_TMPDIR")).join("performance"),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("docs"),
    };
    std::fs::create_dir_all(&folder)?;
    for (name, picture) in pictures::all(&load) {
        std::fs::write(folder.join(name), picture)?;
    }
    std::fs::write(folder.join("performance.md"), document::write(&load, &digest))?;
    say(&format!("written: {}", folder.join("performance.md").display()));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
