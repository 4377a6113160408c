//! The digest bench: how fast the deterministic part reads transcripts, and whether hostile ones slow it.
//!
//! What lives here: ledger, extractive engine, merge and probes on one thread, over spans cut as the
//! service would cut them, each building on the last; what makes messages ready to be found; then inputs
//! made to hurt. The same bytes go through simple passes in the same run, so that ratios to those are the result.
//! Invariant: nothing here asserts on time; what a run prints is for people to judge.
//! Must not know: the store, HTTP, the worker.

mod chain;
mod cpu;
mod hostile;
mod limit;
mod recall;
mod sessions;
mod texts;
mod told;

#[path = "../load/random.rs"]
mod random;

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::chain::Step;
use crate::sessions::Session;

/// The service's own, because a good part of the work is texts that are made and dropped.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the deterministic part over transcripts and hostile inputs and prints MB/s and ratios
#[derive(Debug, Parser)]
struct Flags {
    /// A folder of transcripts (.json); without it the bench makes its own
    folder: Option<PathBuf>,
    /// Context window that the spans are cut for, in tokens
    #[arg(long, default_value_t = 200_000)]
    window: u32,
    /// How often every transcript is read; the fastest counts, since other programs only add to it
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Bytes of each hostile input
    #[arg(long, default_value_t = 1_000_000)]
    bytes: usize,
    /// Only hostile inputs whose name or seat contains this
    #[arg(long)]
    only: Option<String>,
    /// A folder to write what every compression makes to, so that two builds can be compared
    #[arg(long)]
    write: Option<PathBuf>,
    /// Parts to run
    #[arg(long, value_delimiter = ',', default_value = "sessions,length,recall,hostile")]
    parts: Vec<Part>,
    /// A file that a line of JSON is added to, for the document; measured on its own, after the parts
    #[arg(long)]
    json: Option<PathBuf>,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Sessions,
    Length,
    Recall,
    Hostile,
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    anchord_record::candidate::sample::warm_up();
    for part in &flags.parts {
        match part {
            Part::Sessions => speed(&flags)?,
            Part::Length => length(&flags),
            Part::Recall => recall(&flags)?,
            Part::Hostile => hostile::run(flags.bytes, flags.only.as_deref()),
        }
    }
    flags.json.as_deref().map_or(Ok(()), |file| told::write(&flags, file))
}

fn transcripts(flags: &Flags) -> anyhow::Result<Vec<Session>> {
    flags.folder.as_ref().map_or_else(|| Ok(sessions::made()), |folder| sessions::read(folder))
}

/// MB/s over all transcripts, and the same of simple passes over the same bytes.
fn speed(flags: &Flags) -> anyhow::Result<()> {
    let sessions = transcripts(flags)?;
    say("transcripts, one thread; MB of message JSON");
    say("     MB   spans    ledger    engine     checked  ledger+engine      all");
    if let Some(folder) = &flags.write {
        std::fs::create_dir_all(folder)?;
        for (at, session) in sessions.iter().enumerate() {
            let made = chain::made(session, flags.window).join("\n");
            std::fs::write(folder.join(format!("{at:02}.jsonl")), made)?;
        }
    }
    let (mut bytes, mut total) = (0, Step::default());
    for session in &sessions {
        let mut rounds: Vec<Vec<Step>> =
            (0..flags.rounds.max(1)).map(|_| chain::run(session, flags.window)).collect();
        rounds.sort_by_key(|steps| chain::sum(steps).whole());
        let steps = rounds.swap_remove(0);
        let sum = chain::sum(&steps);
        row(&sum, steps.len(), "");
        bytes += sum.bytes;
        total = chain::add(total, &sum);
    }
    row(&total, sessions.len(), " all");
    say(&format!("fingerprint of all that was made: {:016x}", total.fingerprint));
    let own = rate(bytes, total.digest());
    for (name, time) in limit::passes(&sessions) {
        let all: usize = sessions.iter().map(Session::bytes).sum();
        let simple = rate(all, time);
        say(&format!("{name:<34} {simple:8.1} MB/s; ledger+engine runs at {:.3} of it", own / simple));
    }
    Ok(())
}

fn row(step: &Step, spans: usize, name: &str) {
    say(&format!(
        "{:7.3} {spans:7} {:9.1} {:9.1} {:9.1} {:9.1} {:9.1} MB/s{name}",
        mega(step.bytes),
        rate(step.bytes, step.ledger),
        rate(step.bytes, step.engine),
        rate(step.bytes, step.checked),
        rate(step.bytes, step.digest()),
        rate(step.bytes, step.whole()),
    ));
}

/// What one compression costs early and late in one session; the fastest of some rounds each, since other
/// programs only add to it.
fn length(flags: &Flags) {
    let session = sessions::long();
    let mut best = chain::run(&session, flags.window);
    let made = chain::sum(&best).fingerprint;
    for _ in 0..flags.rounds.max(1) * 4 {
        for (best, step) in best.iter_mut().zip(chain::run(&session, flags.window)) {
            best.keep_fastest(&step);
        }
    }
    say(&format!("\none long session, {} compressions; ms, means with both neighbours", best.len()));
    say(
        "compression span KB  record KB  tokens  ledger  engine   checked     all  /MB span  /MB span+record  record written",
    );
    let mut costs = Vec::new();
    for at in [1, 2, 4, 10, 20, 30, 40] {
        let near = chain::near(&best, at);
        let (sum, count) = (chain::sum(near), near.len().max(1));
        let ms = |time: Duration| time.as_secs_f64() * 1000.0 / of(count);
        let (of_span, of_both) = (
            ms(sum.whole()) * of(count) / mega(sum.bytes),
            ms(sum.whole()) * of(count) / mega(sum.bytes + sum.record),
        );
        say(&format!(
            "{at:11} {:7.0} {:10.0} {:7.0} {:7.2} {:7.2} {:7.2} {:7.2} {of_span:9.1} {of_both:16.1} {:14.2}",
            mega(sum.bytes) * 1000.0 / of(count),
            mega(sum.record) * 1000.0 / of(count),
            f64::from(sum.tokens) / of(count),
            ms(sum.ledger),
            ms(sum.engine),
            ms(sum.checked),
            ms(sum.whole()),
            ms(sum.stored),
        ));
        costs.push((at, of_span, of_both));
    }
    let cost = |at: usize| costs.iter().find(|cost| cost.0 == at).copied().unwrap_or_default();
    let (early, late) = (cost(4), cost(40));
    say(&format!(
        "the 40th costs {:.2} of the 4th by bytes of span, {:.2} by bytes of span and record",
        late.1 / early.1,
        late.2 / early.2
    ));
    say(&format!("fingerprint of all that was made: {made:016x}"));
}

/// MB/s of what makes messages ready to be found again; of each transcript the fastest round.
fn recall(flags: &Flags) -> anyhow::Result<()> {
    let (mut bytes, mut read, mut written, mut made) = (0, Duration::ZERO, Duration::ZERO, 0_u64);
    for session in &transcripts(flags)? {
        let rounds: Vec<_> = (0..flags.rounds.max(1)).map(|_| recall::run(session)).collect();
        bytes += session.bytes();
        read += rounds.iter().map(|round| round.read).min().unwrap_or_default();
        written += rounds.iter().map(|round| round.written).min().unwrap_or_default();
        made = rounds.iter().fold(made, |made, round| made.rotate_left(7) ^ round.fingerprint);
    }
    say("\nrecall, one thread; MB of message JSON");
    say(&format!(
        "words read {:.1} MB/s, written for the index {:.1} MB/s, both {:.1} MB/s",
        rate(bytes, read),
        rate(bytes, written),
        rate(bytes, read + written)
    ));
    say(&format!("fingerprint of all that was made: {made:016x}"));
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a handful")]
fn of(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "bytes of a bench are far below 2^52")]
fn mega(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn rate(bytes: usize, time: Duration) -> f64 {
    mega(bytes) / time.as_secs_f64().max(1e-9)
}

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
