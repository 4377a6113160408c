//! The exams bench: what a reader knows who has only the context, and what that context costs.
//!
//! What lives here: every session that has an exam is fed to the domain message by message, at several windows and
//! fills. At its end the exam is asked of what is served, and of two controls of equal size; on the way, what an agent
//! would pay for its prompts is counted, with what a provider finds in its cache at a tenth.
//! Invariant: nothing of the service's decisions is made anew here. A session that never was summarised says nothing and
//! is left out.
//! Must not know: store, server, models.

#[path = "../../tests/journeys/corpus/exam.rs"]
mod exam;
mod plot;
mod prompts;
#[path = "../economy/svg.rs"]
mod svg;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anchord_economy::replay::{Replay, Transcript};
use anchord_messages::tokens::TokenCounter;
use anchord_session::settings::Settings;
use anyhow::Context as _;
use clap::Parser;
use serde_json::Value;

use crate::prompts::Prompts;

/// Asks exams of what is served at the end of sessions, and counts what it cost on the way
#[derive(Debug, Parser)]
struct Flags {
    /// A folder of sessions (.json)
    #[arg(long, default_value = "tests/corpus/sessions")]
    sessions: PathBuf,
    /// A folder of exams, each with the name of its session
    #[arg(long, default_value = "tests/corpus/exams")]
    exams: PathBuf,
    /// Context windows, in tokens
    #[arg(long, value_delimiter = ',', default_values_t = [8_000, 16_000, 32_000, 128_000])]
    windows: Vec<u32>,
    /// Shares of the effective window that a compression fills; the default when none is named
    #[arg(long, value_delimiter = ',')]
    fills: Vec<f64>,
    /// Tell each session apart
    #[arg(long)]
    each: bool,
    /// A file to write a plot of the curves to (SVG)
    #[arg(long)]
    plot: Option<PathBuf>,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// A session and its exam.
struct Sitting {
    name: String,
    transcript: Transcript,
    messages: Vec<Value>,
    exam: Value,
}

/// What came of some sittings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// The window and the fill.
    pub window: u32,
    /// The share that was filled; `None` for the default.
    pub fill: Option<f64>,
    sessions: usize,
    /// What was known of so many questions: by the context, by the newest messages, by rare words.
    pub known: exam::Known,
    compressions: u32,
    served: u64,
    /// Prompt tokens of the whole way, those that were cached at a tenth.
    pub cost: f64,
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let counter = TokenCounter::default();
    let sittings = read(&flags, counter)?;
    let fills: Vec<Option<f64>> =
        if flags.fills.is_empty() { vec![None] } else { flags.fills.iter().copied().map(Some).collect() };
    say(
        "| window | fill | sessions | context | newest messages | rare words | served | compressions | cost |",
    );
    say("|---|---|---|---|---|---|---|---|---|");
    let mut outcomes = Vec::new();
    for window in &flags.windows {
        for fill in &fills {
            let mut all = Outcome { window: *window, fill: *fill, ..Outcome::default() };
            for sitting in &sittings {
                let one = sit(sitting, (*window, *fill), counter);
                if flags.each && one.sessions > 0 {
                    say(&format!("{} {}", one.row(), sitting.name));
                }
                all.add(&one);
            }
            say(&all.row());
            outcomes.push(all);
        }
    }
    if let Some(path) = &flags.plot {
        fs::write(path, plot::plot(&outcomes)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn read(flags: &Flags, counter: TokenCounter) -> anyhow::Result<Vec<Sitting>> {
    let mut names: Vec<PathBuf> = fs::read_dir(&flags.exams)
        .with_context(|| format!("cannot read {}", flags.exams.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
        .collect();
    names.sort();
    let mut sittings = Vec::new();
    for path in names {
        let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        let document = json(&flags.sessions.join(format!("{name}.json")))?;
        let messages = document.get("messages").and_then(Value::as_array).cloned().unwrap_or_default();
        let raw: Vec<String> = messages.iter().map(Value::to_string).collect();
        let transcript = Transcript::read(&raw, counter).with_context(|| name.to_owned())?;
        sittings.push(Sitting { name: name.to_owned(), transcript, messages, exam: json(&path)? });
    }
    Ok(sittings)
}

fn json(path: &Path) -> anyhow::Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))
}

fn sit(sitting: &Sitting, (window, fill): (u32, Option<f64>), counter: TokenCounter) -> Outcome {
    let settings = Settings { context_window: Some(window), fill, ..Settings::default() };
    let mut replay = Replay::under(&sitting.transcript, settings, counter);
    let mut prompts = Prompts::new(counter);
    while replay.step() {
        prompts.look(&replay);
    }
    if replay.outcomes.published == 0 {
        return Outcome::default();
    }
    replay.finish();
    let (context, tokens) = prompts::context(&replay, counter);
    Outcome {
        window,
        fill,
        sessions: 1,
        known: exam::known(&sitting.exam, &context, &sitting.messages),
        compressions: replay.outcomes.published,
        served: u64::from(tokens),
        cost: prompts.cost(),
    }
}

impl Outcome {
    fn add(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.known.questions += other.known.questions;
        self.known.context += other.known.context;
        self.known.tail += other.known.tail;
        self.known.words += other.known.words;
        self.compressions += other.compressions;
        self.served += other.served;
        self.cost += other.cost;
    }

    fn row(&self) -> String {
        let mut row = String::new();
        let fill = self.fill.map_or_else(|| "default".to_owned(), |fill| format!("{fill:.2}"));
        let known = |count: usize| format!("{count} of {}", self.known.questions);
        let _infallible = write!(
            row,
            "| {} | {fill} | {} | {} | {} | {} | {} | {} | {:.0} |",
            self.window,
            self.sessions,
            known(self.known.context),
            known(self.known.tail),
            known(self.known.words),
            self.served,
            self.compressions,
            self.cost
        );
        row
    }
}

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
