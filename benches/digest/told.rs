//! The line of JSON for the document, every figure with its spread over the rounds.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::chain::{self, Step};
use crate::{Flags, mega, rate, sessions};

/// Compressions whose cost is told.
const COMPRESSIONS: [usize; 7] = [1, 2, 4, 10, 20, 30, 40];

/// Runs of one round over the long session: a compression takes a millisecond, in which other programs may take as
/// much again, so the fastest of each counts.
const RUNS: usize = 4;

/// Measures once more, round by round, and adds the line to a file.
pub fn write(flags: &Flags, file: &Path) -> anyhow::Result<()> {
    let transcripts = match &flags.folder {
        Some(folder) => sessions::read(folder)?,
        None => sessions::made(),
    };
    let rounds = 0..flags.rounds.max(1);
    let total = |_| {
        let sums = transcripts.iter().map(|session| chain::sum(&chain::run(session, flags.window)));
        sums.fold(Step::default(), |total, sum| chain::add(total, &sum))
    };
    let totals: Vec<Step> = rounds.clone().map(total).collect();
    let long = sessions::long();
    let compressions: Vec<Vec<Step>> = rounds
        .map(|_| {
            let runs = (0..RUNS).map(|_| chain::run(&long, flags.window));
            runs.reduce(fastest).unwrap_or_default()
        })
        .collect();
    let line = json!({ "bench": "digest", "sessions": speed(&totals), "length": length(&compressions) });
    writeln!(OpenOptions::new().create(true).append(true).open(file)?, "{line}")?;
    Ok(())
}

/// What all transcripts together came to, round by round.
fn speed(totals: &[Step]) -> Value {
    let of = |pick: fn(&Step) -> Duration| spread(totals.iter().map(|t| rate(t.bytes, pick(t))).collect());
    json!({
        "mb": totals.first().map_or(0.0, |total| mega(total.bytes)),
        "ledger": of(|t| t.ledger), "engine": of(|t| t.engine), "checked": of(|t| t.checked), "all": of(whole),
    })
}

/// What compressions of one session cost by their number, round by round.
fn length(rounds: &[Vec<Step>]) -> Value {
    let at = |number: usize, pick: fn(&Step) -> Duration| {
        rounds.iter().map(|steps| per_mega(steps, number, pick)).collect::<Vec<f64>>()
    };
    let rows = COMPRESSIONS.map(|number| {
        json!({
            "compression": number,
            "ledger": spread(at(number, |t| t.ledger)), "engine": spread(at(number, |t| t.engine)),
            "checked": spread(at(number, |t| t.checked)), "all": spread(at(number, whole)),
        })
    });
    let ratios = at(40, whole).into_iter().zip(at(4, whole)).map(|(late, early)| late / early);
    json!({
        "compressions": rounds.first().map_or(0, Vec::len), "rows": rows, "late_to_early": spread(ratios.collect()),
    })
}

/// Each compression as it was fastest.
fn fastest(mut best: Vec<Step>, run: Vec<Step>) -> Vec<Step> {
    for (best, step) in best.iter_mut().zip(run) {
        best.keep_fastest(&step);
    }
    best
}

/// Milliseconds for a MB of span at a compression and its two neighbours.
fn per_mega(steps: &[Step], number: usize, pick: fn(&Step) -> Duration) -> f64 {
    let sum = chain::sum(chain::near(steps, number));
    pick(&sum).as_secs_f64() * 1000.0 / mega(sum.bytes).max(1e-9)
}

fn whole(step: &Step) -> Duration {
    step.digest() + step.checked
}

/// The middle, the least and the most.
fn spread(mut values: Vec<f64>) -> Value {
    values.sort_by(f64::total_cmp);
    let places = [values.len() / 2, 0, values.len().saturating_sub(1)];
    let [median, min, max] = places.map(|place| values.get(place).copied());
    json!({ "median": median, "min": min, "max": max })
}
