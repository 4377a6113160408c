//! The economy bench: what all prompts of sessions cost, and what they know, one way of managing the context beside another.
//!
//! The crate `economy` plays them. Here are recorded sessions and made ones, which have conclusions and wishes to be asked
//! for; settings of the service beside each other; with `--model` a fake one that writes its records; tables and plots.
//! Must not know: store, server, providers of models.

mod choice;
mod crowded;
mod glance;
mod made;
mod model;
mod plot;
#[path = "../load/random.rs"]
#[expect(dead_code, reason = "the load bench uses the rest")]
mod random;
mod sessions;
mod svg;

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anchord_economy::known::Share;
use anchord_economy::piece::count;
use anchord_economy::sessions::Session;
use anchord_economy::tally::{ANSWER_PRICE, Tally};
use anchord_economy::ways::Way;
use anyhow::Context as _;
use clap::Parser;

use crate::choice::Choice;
use crate::made::Kind;
use crate::model::Shapes;
use crate::sessions::{session, sessions_in};

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
    /// A file to write a small picture of the first group and window to (SVG); it plays sending everything, too
    #[arg(long)]
    glance: Option<PathBuf>,
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
    /// The way, and its settings.
    pub choice: Choice,
    /// Sums over its prompts.
    pub tally: Tally,
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let choices = choices(&flags);
    let answers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/answers");
    let shapes = Rc::new(Shapes::read(&answers)?);
    let mut rows = Vec::new();
    for (group, sessions) in groups(&flags)? {
        if !flags.crowded.is_empty() {
            crowded::crowded(&group, &sessions, &flags.crowded);
            continue;
        }
        for window in &flags.windows {
            let played = play(&flags, (&group, &sessions), *window, (&choices, &shapes));
            print(&played, sessions.len());
            rows.extend(played);
        }
    }
    if !flags.crowded.is_empty() {
        return Ok(());
    }
    say("\nWhat each way forgets:");
    for way in std::iter::once(Way::Service).chain(Way::OTHERS) {
        say(&format!("- {}: {}", way.name(), way.forgets()));
    }
    if let Some(path) = &flags.plot {
        fs::write(path, plot::plot(&rows)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &flags.glance {
        fs::write(path, glance::glance(&rows)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The settings of the service that are compared, and the other ways.
fn choices(flags: &Flags) -> Vec<Choice> {
    let named = |values: &[f64]| -> Vec<Option<f64>> {
        if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
    };
    let fills = named(&flags.fill);
    let is_model = flags.model;
    let services = named(&flags.compress).into_iter().flat_map(|compress| {
        fills.iter().map(move |fill| Choice { way: Way::Service, fill: *fill, compress, is_model })
    });
    let everything = flags.glance.is_some().then_some(Way::Everything);
    services.chain(Way::OTHERS.into_iter().chain(everything).map(Choice::plain)).collect()
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
        let session = session(format!("{}, seed {}", kind.name(), flags.seed), &messages, told)?;
        groups.push((session.name.clone(), vec![session]));
    }
    Ok(groups)
}

fn play(
    flags: &Flags,
    (group, sessions): (&str, &[Session]),
    window: u32,
    (choices, shapes): (&[Choice], &Rc<Shapes>),
) -> Vec<Row> {
    let mut rows: Vec<Row> = choices
        .iter()
        .map(|choice| Row { group: group.to_owned(), window, choice: *choice, tally: Tally::default() })
        .collect();
    for session in sessions {
        let tallies: Vec<Tally> = choices.iter().map(|choice| choice.play(session, window, shapes)).collect();
        if flags.each {
            let cost = choices.iter().zip(&tallies).find(|(choice, _)| choice.way == Way::Compact);
            let compact = cost.map_or(f64::NAN, |(_, tally)| tally.cost());
            for (choice, tally) in choices.iter().zip(&tallies) {
                say(&told(&format!("{} {}", session.name, choice.name()), tally, compact));
            }
        }
        for (row, tally) in rows.iter_mut().zip(&tallies) {
            row.tally.add(tally);
        }
    }
    rows
}

fn print(rows: &[Row], sessions: usize) {
    let Some(compared) = rows.iter().find(|row| row.choice.way == Way::Compact) else { return };
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
        say(&told(&row.choice.name(), &row.tally, compact));
    }
    for row in rows.iter().filter(|row| row.tally.model.calls > 0) {
        say(&format!("\n{}: {}", row.choice.name(), shares(&row.tally, compact)));
    }
    for row in rows.iter().filter(|row| row.tally.refused > 0) {
        say(&format!("\n{}: {} calls had no prompt that fits.", row.choice.name(), row.tally.refused));
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
