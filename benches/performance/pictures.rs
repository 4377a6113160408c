//! Which figures are drawn, and how.

use crate::charts::{Kind, Panel, Scale, Series, draw};
use crate::figures::{Beside, Duel, Load, Rates, Spread};

/// A file's name and its picture.
pub type Picture = (&'static str, String);

/// Every picture that there are figures for.
pub fn all(load: &Load) -> Vec<Picture> {
    let throughput = [
        ("appends a second", &load.append),
        ("contexts a second, unchanged", &load.read_unchanged),
        ("append and context, pairs a second", &load.read_after_append),
    ];
    let throughput =
        throughput.into_iter().filter_map(|(title, rows)| Some(by_connections(title, rows.as_deref()?)));
    let rates = [("append, ms", &load.rates_append), ("context, ms", &load.rates_context)];
    let rates = rates.into_iter().filter_map(|(title, rates)| Some(by_rate(title, rates.as_ref()?)));
    let beside = [
        ("while 200 sessions compress, ms", &load.compressing),
        ("beside 4 MiB a second, ms", &load.large_paced),
        ("beside 4 MiB back to back, ms", &load.large),
    ];
    let beside = beside.into_iter().filter_map(|(title, beside)| Some(beside_work(title, beside.as_ref()?)));
    let pictures = [
        ("performance-throughput.svg", throughput.collect::<Vec<_>>()),
        ("performance-rates.svg", rates.collect()),
        ("performance-length.svg", by_length(load)),
        ("performance-beside.svg", beside.collect()),
    ];
    let drawn = pictures.into_iter().filter(|(_, panels)| !panels.is_empty());
    drawn.map(|(name, panels)| (name, draw(&panels))).collect()
}

fn series<T>(name: &str, rows: &[T], pick: impl Fn(&T) -> Spread) -> Series {
    Series { name: name.to_owned(), points: rows.iter().map(pick).collect() }
}

fn by_connections(title: &str, rows: &[Duel]) -> Panel {
    Panel {
        title: title.to_owned(),
        steps_are: "connections",
        steps: rows.iter().map(|row| row.connections.to_string()).collect(),
        series: vec![
            series("service", rows, |row| row.service_per_s),
            series("ceiling (pgbench)", rows, |row| row.ceiling_per_s),
        ],
        kind: Kind::Lines,
        scale: Scale::FromZero,
    }
}

fn by_rate(title: &str, rates: &Rates) -> Panel {
    Panel {
        title: title.to_owned(),
        steps_are: "rate, as a share of the most",
        steps: rates.steps.iter().map(|step| format!("{:.0} %", step.share * 100.0)).collect(),
        series: vec![
            series("p50", &rates.steps, |step| step.p50_ms),
            series("p99", &rates.steps, |step| step.p99_ms),
        ],
        kind: Kind::Lines,
        scale: Scale::Logarithmic,
    }
}

fn by_length(load: &Load) -> Vec<Panel> {
    let rows = load.length.as_ref().map(|length| length.rows.as_slice()).unwrap_or_default();
    let panel = |is_summarised: bool, title: &str| {
        let rows = rows.iter().filter(|row| row.is_summarised == is_summarised);
        let rows: Vec<_> = rows.filter(|row| ["append", "context"].contains(&row.what.as_str())).collect();
        let first = rows.first()?;
        Some(Panel {
            title: title.to_owned(),
            steps_are: "messages in the session",
            steps: first.by_length.iter().map(|at| at.messages.to_string()).collect(),
            series: rows.iter().map(|row| series(&row.what, &row.by_length, |at| at.p50_ms)).collect(),
            kind: Kind::Lines,
            scale: Scale::FromZero,
        })
    };
    [panel(false, "p50 without a summary, ms"), panel(true, "p50 with a summary, ms")]
        .into_iter()
        .flatten()
        .collect()
}

fn beside_work(title: &str, beside: &Beside) -> Panel {
    let rows = [&beside.append, &beside.context];
    let points = |name: &str, picks: [fn(&crate::figures::Compared) -> Spread; 2]| Series {
        name: name.to_owned(),
        points: rows.iter().flat_map(|row| picks.map(|pick| pick(row))).collect(),
    };
    Panel {
        title: title.to_owned(),
        steps_are: "at the same fixed rate",
        steps: ["append p50", "append p99", "context p50", "context p99"].map(str::to_owned).into(),
        series: vec![
            points("idle", [|row| row.idle.p50_ms, |row| row.idle.p99_ms]),
            points("beside computing", [|row| row.computing.p50_ms, |row| row.computing.p99_ms]),
            points("beside the work", [|row| row.busy.p50_ms, |row| row.busy.p99_ms]),
        ],
        kind: Kind::Bars,
        scale: Scale::Logarithmic,
    }
}
