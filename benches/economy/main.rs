//! The economy bench: what all prompts of sessions cost, and what they know, one way of managing the context beside another.
//!
//! Here, recorded sessions are played back. Before each of the agent's messages a prompt is made, as each way
//! would make it. A prompt costs its tokens, those that it begins with like the prompt before it a tenth; writing a summary
//! costs what it reads and five times what it says. The service is its domain: `replay` calls the same functions in the same
//! order as appends and workers do, and the context of an append is served before the compression that it started ends. With
//! `--model` a fake one writes its records.
//!
//! Cost says nothing without what is known for it, so every prompt is searched for what the agent needs next: the newest
//! outputs; the names in its next message that stand in the past, but in none of the newest ten messages; the texts that
//! its next edit replaces; and, in made sessions, conclusions and wishes. Names of the parameters of tools do not count as
//! needed, nor as known: an agent has them in its tools' definitions. The summaries of other ways have no words here, so
//! they know what they keep word for word.
//! Invariant: every way answers the same calls of the same sessions, and tokens are bytes by one ratio for each session.
//! Must not know: store, server, providers of models.

mod crowded;
mod history;
mod known;
mod look;
mod made;
mod model;
mod piece;
mod plot;
#[path = "../load/random.rs"]
#[expect(dead_code, reason = "the load bench uses the rest")]
mod random;
#[expect(dead_code, reason = "the other benches use the rest")]
mod replay;
mod served;
mod sessions;
mod svg;
mod tally;
mod ways;

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anchord_session::settings::Settings;
use anyhow::Context as _;
use clap::Parser;

use crate::known::Share;
use crate::made::Kind;
use crate::model::Shapes;
use crate::piece::count;
use crate::sessions::{Session, sessions_in};
use crate::tally::{ANSWER_PRICE, Tally};
use crate::ways::Way;

/// Plays sessions back and prints what each way of managing the context costs, and what it knows
#[derive(Debug, Parser)]
struct Flags {
    /// Sessions (.json, .json.gz), or folders of them; in place of the corpus and the made ones
    #[arg(long, value_delimiter = ',')]
    sessions: Vec<PathBuf>,
    /// Sessions that are made; both kinds when no sessions are named
    #[arg(long, value_delimiter = ',')]
    made: Vec<Kind>,
    /// The seed of the made sessions
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Context windows, in tokens
    #[arg(long, visible_alias = "window", value_delimiter = ',', default_values_t = [16_000, 32_000, 128_000, 200_000])]
    windows: Vec<u32>,
    /// Shares of the effective window that a compression of the service fills; the default when none is named
    #[arg(long, value_delimiter = ',')]
    fill: Vec<f64>,
    /// Shares at which the service compresses; the default when none is named
    #[arg(long, value_delimiter = ',')]
    compress: Vec<f64>,
    /// Have the service's records written by a model: one that answers at a real one's length, in words of the span
    #[arg(long)]
    model: bool,
    /// Only look at contexts of so many tokens, of sessions that are never compressed
    #[arg(long, value_delimiter = ',')]
    crowded: Vec<u32>,
    /// Tell each session apart
    #[arg(long)]
    each: bool,
    /// A file to write a plot of cost over needs to (SVG)
    #[arg(long)]
    plot: Option<PathBuf>,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// One way in one window, over a group of sessions.
pub struct Row {
    /// The group's name.
    pub group: String,
    /// The window, in tokens.
    pub window: u32,
    /// The way.
    pub way: Way,
    /// Sums over its prompts.
    pub tally: Tally,
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let ways = ways(&flags);
    let answers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/answers");
    let shapes = Rc::new(Shapes::read(&answers)?);
    let mut rows = Vec::new();
    for (group, sessions) in groups(&flags)? {
        if !flags.crowded.is_empty() {
            crowded::crowded(&group, &sessions, &flags.crowded);
            continue;
        }
        for window in &flags.windows {
            let played = play(&flags, (&group, &sessions), *window, (&ways, &shapes));
            print(&played, sessions.len());
            rows.extend(played);
        }
    }
    if !flags.crowded.is_empty() {
        return Ok(());
    }
    say("\nWhat each way forgets:");
    let others = ways.iter().filter(|way| Way::OTHERS.contains(way));
    for way in ways.iter().take(1).chain(others) {
        say(&format!("- {}: {}", way.name().split(',').next().unwrap_or_default(), way.forgets()));
    }
    if let Some(path) = &flags.plot {
        fs::write(path, plot::plot(&rows)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The settings of the service that are compared, and the other ways.
fn ways(flags: &Flags) -> Vec<Way> {
    let named = |values: &[f64]| -> Vec<Option<f64>> {
        if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
    };
    let fills = named(&flags.fill);
    let is_model = flags.model;
    let services = named(&flags.compress)
        .into_iter()
        .flat_map(|compress| fills.iter().map(move |fill| Way::Service { fill: *fill, compress, is_model }));
    services.chain(Way::OTHERS).collect()
}

fn groups(flags: &Flags) -> anyhow::Result<Vec<(String, Vec<Session>)>> {
    let mut groups = Vec::new();
    let is_default = flags.sessions.is_empty() && flags.made.is_empty();
    if is_default {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
        let mut sessions = sessions_in(&corpus.join("sessions"))?;
        sessions.extend(sessions_in(&corpus.join("long.json.gz"))?);
        groups.push(("corpus".to_owned(), sessions));
    }
    let mut named = Vec::new();
    for path in &flags.sessions {
        named.extend(sessions_in(path)?);
    }
    if !named.is_empty() {
        groups.push(("sessions".to_owned(), named));
    }
    let kinds = if is_default { &[Kind::Some, Kind::Heavy] } else { flags.made.as_slice() };
    for kind in kinds {
        let (messages, told) = made::made(*kind, flags.seed);
        let session = Session::read(format!("{}, seed {}", kind.name(), flags.seed), &messages, told)?;
        groups.push((session.name.clone(), vec![session]));
    }
    Ok(groups)
}

fn play(
    flags: &Flags,
    (group, sessions): (&str, &[Session]),
    window: u32,
    (ways, shapes): (&[Way], &Rc<Shapes>),
) -> Vec<Row> {
    let settings = Settings { context_window: Some(window), ..Settings::default() };
    let effective = f64::from(settings.policy().effective_window);
    let mut rows: Vec<Row> = ways
        .iter()
        .map(|way| Row { group: group.to_owned(), window, way: *way, tally: Tally::default() })
        .collect();
    for session in sessions {
        let tallies: Vec<Tally> =
            ways.iter().map(|way| way.play(session, window, effective, shapes)).collect();
        if flags.each {
            let cost = ways.iter().zip(&tallies).find(|(way, _)| **way == Way::Compact);
            let compact = cost.map_or(f64::NAN, |(_, tally)| tally.cost());
            for (way, tally) in ways.iter().zip(&tallies) {
                say(&told(&format!("{} {}", session.name, way.name()), tally, compact));
            }
        }
        for (row, tally) in rows.iter_mut().zip(&tallies) {
            row.tally.add(tally);
        }
    }
    rows
}

fn print(rows: &[Row], sessions: usize) {
    let Some(compared) = rows.iter().find(|row| row.way == Way::Compact) else { return };
    let (tally, compact) = (&compared.tally, compared.tally.cost());
    say(&format!(
        "\n{}, window {}: {sessions} sessions, {} calls, {} names needed, {} edits\n",
        compared.group, compared.window, tally.calls, tally.known.needs.of, tally.known.edits.of
    ));
    say(
        "| way | cost, million | of compact | sent, million | cached | breaks | compressions (idle; least) | largest prompt | above | newest, 3, 10 outputs | needs | edits | conclusions | wishes |",
    );
    say("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        say(&told(&row.way.name(), &row.tally, compact));
    }
    for row in rows.iter().filter(|row| row.tally.model.calls > 0) {
        say(&format!("\n{}: {}", row.way.name(), shares(&row.tally, compact)));
    }
    for row in rows.iter().filter(|row| row.tally.refused > 0) {
        say(&format!("\n{}: {} calls had no prompt that fits.", row.way.name(), row.tally.refused));
    }
}

/// Where the cost of a way with a model goes, as multiples of plain compaction's.
fn shares(tally: &Tally, compact: f64) -> String {
    let model = &tally.model;
    let of = |tokens: f64| format!("{:.3}", tokens / compact);
    let span = model.input - model.instructions - model.record - model.later;
    let each = |tokens: f64| tokens / count(model.calls);
    format!(
        "contexts {} (not cached {}, cached {}), its model {} (input not cached {}, cached {}, answers {}); {} calls, each of {:.0} tokens (instructions {:.0}, record {:.0}, span {span:.0}, later {:.0}; cached {:.0}) and {:.0} of answer, {} by code, {} entries did not pass",
        of(tally.cost() - model.cost()),
        of(tally.tokens - tally.cached),
        of(tally.cached / 10.0),
        of(model.cost()),
        of(model.input - model.cached),
        of(model.cached / 10.0),
        of(model.output * ANSWER_PRICE),
        model.calls,
        each(model.input),
        each(model.instructions),
        each(model.record),
        each(model.later),
        each(model.cached),
        each(model.output),
        tally.by_code,
        model.unpublished,
        span = each(span),
    )
}

/// A row of the table.
fn told(name: &str, tally: &Tally, compact: f64) -> String {
    let known = &tally.known;
    let share = |share: Share| match share.of {
        0 => "–".to_owned(),
        of => format!("{:.2}", count(share.found) / count(of)),
    };
    let least = match tally.least {
        0 => format!("({})", tally.idle),
        least => format!("({}; {least})", tally.idle),
    };
    format!(
        "| {name} | {:.3} | {:.2} | {:.2} | {:.0} % | {} | {} {} | {:.0} | {} | {} {} {} | {} | {} | {} | {} |",
        tally.cost() / 1e6,
        tally.cost() / compact,
        tally.tokens / 1e6,
        tally.cached / tally.tokens.max(1.0) * 100.0,
        tally.breaks,
        tally.compressions,
        least,
        tally.largest,
        tally.over,
        share(known.newest),
        share(known.last_three),
        share(known.last_ten),
        share(known.needs),
        share(known.edits),
        share(known.conclusions),
        share(known.wishes),
    )
}

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
