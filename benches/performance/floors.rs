//! What must be kept, what came of it, and whether that is enough: computed, never written by hand.

use serde_json::Value;

use crate::Runs;

/// The side of a bound that is wanted.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

/// One floor and its figure.
#[derive(Debug)]
pub struct Floor {
    pub what: String,
    pub bound: Bound,
    pub unit: &'static str,
    /// The middle of the rounds, their least and their most; `None` where it was not measured.
    pub figure: Option<[f64; 3]>,
}

impl Floor {
    /// Whether it is kept, by the middle of the rounds, and whether the rounds agree.
    pub fn verdict(&self) -> &'static str {
        let Some([median, least, most]) = self.figure else { return "not measured" };
        let holds = |value: f64| match self.bound {
            Bound::AtLeast(bound) => value >= bound,
            Bound::AtMost(bound) => value <= bound,
        };
        match (holds(median), holds(least) && holds(most), holds(least) || holds(most)) {
            (true, true, _) => "kept",
            (true, false, _) => "kept, not in every round",
            (false, _, true) => "missed, kept in some rounds",
            (false, _, false) => "**missed**",
        }
    }
}

/// A figure with its spread, or a single one.
pub fn figure(of: Option<&Value>) -> Option<[f64; 3]> {
    let of = of?;
    if let Some(one) = of.as_f64() {
        return Some([one; 3]);
    }
    let part = |name: &str| of.get(name).and_then(Value::as_f64);
    Some([part("median")?, part("min")?, part("max")?])
}

/// Every floor, in the order of the document.
pub fn all(runs: &Runs) -> Vec<Floor> {
    let load = |pointer: &str| figure(runs.load.pointer(pointer));
    let mut floors = Vec::new();
    let mut add = |what: &str, bound, unit, figure| {
        floors.push(Floor { what: what.to_owned(), bound, unit, figure });
    };
    for (part, what, connections, least) in [
        ("append", "append, of the one-statement ceiling; the aim is 0.5", 16, 0.35),
        ("append", "append, of the one-statement ceiling; the aim is 0.8", 64, 0.65),
        ("append_then_context", "append, then the context, of two statements", 16, 0.25),
        ("append_then_context", "append, then the context, of two statements", 64, 0.25),
    ] {
        let rows = runs.load.get(part).and_then(Value::as_array).into_iter().flatten();
        let row =
            rows.into_iter().find(|row| row.get("connections").and_then(Value::as_u64) == Some(connections));
        let ratio = row.and_then(|row| figure(row.get("ratio")));
        add(&format!("{connections} connections: {what}"), Bound::AtLeast(least), "×", ratio);
    }
    let rows = runs.load.pointer("/length/rows").and_then(Value::as_array).into_iter().flatten();
    for row in rows {
        let what = row.get("what").and_then(Value::as_str).unwrap_or_default();
        if !["append", "context"].contains(&what) {
            continue;
        }
        let state = if row.get("is_summarised") == Some(&Value::Bool(true)) {
            "summarised"
        } else {
            "not summarised"
        };
        let last = row.get("by_length").and_then(Value::as_array).and_then(|lengths| lengths.last());
        let messages = last.and_then(|last| last.get("messages")).and_then(Value::as_u64).unwrap_or_default();
        let ratio = last.and_then(|last| figure(last.get("ratio")));
        let what = format!("{what} at {messages} messages, of 1000, {state}");
        add(&what, Bound::AtMost(1.1), "×", ratio);
    }
    add("takeover after a kill", Bound::AtMost(1000.0), " ms", load("/takeover/takeover_ms"));
    add("resident memory, idle", Bound::AtMost(80.0), " MB", load("/footprint/idle_mb"));
    add("binary", Bound::AtMost(40.0), " MB", load("/footprint/binary_mb"));
    add(
        "start to first reply on an existing data folder",
        Bound::AtMost(1000.0),
        " ms",
        load("/footprint/cold_start_ms"),
    );
    add(
        "all of the deterministic part on one core, digest included",
        Bound::AtLeast(9.0),
        " MB/s",
        figure(runs.digest.pointer("/sessions/all")),
    );
    floors
}
