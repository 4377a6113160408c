//! What the run prints: a table while it goes, and one line of JSON at the end.

#![expect(clippy::print_stdout, reason = "printing is what a bench is for")]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::processor::memory;
use crate::servers::Servers;

/// Collects what is measured.
#[derive(Debug, Default)]
pub struct Report(serde_json::Map<String, Value>);

impl Report {
    /// Adds a figure to the JSON line.
    pub fn add(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// Tells the service's memory at the end of a part.
    pub fn memory(&mut self, servers: &Servers, part: &str) {
        let (now, most) = memory(servers.service_pid());
        line(&format!("resident memory of the service: {now:.0} MB now, {most:.0} MB at most"));
        self.add(&format!("memory_{part}"), json!({ "now_mb": now.round(), "most_mb": most.round() }));
    }

    /// Prints the JSON line, and adds it to a file.
    pub fn print(self, file: Option<&Path>) -> anyhow::Result<()> {
        let line = Value::Object(self.0).to_string();
        println!("\n{line}");
        if let Some(file) = file {
            writeln!(OpenOptions::new().create(true).append(true).open(file)?, "{line}")?;
        }
        Ok(())
    }
}

/// Begins a part.
pub fn section(title: &str) {
    println!("\n{title}");
}

/// Prints a line.
pub fn line(text: &str) {
    println!("  {text}");
}

/// A figure with the digits that mean something.
pub fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The middle of some figures, and the least and the most of them.
pub fn spread(values: Vec<f64>) -> Value {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    json!({ "median": rounded(median(values)), "min": rounded(least), "max": rounded(most) })
}

/// Some figures of a row with their spread, for a person to read.
pub fn brief(row: &Value, names: &[&str]) -> String {
    let told = names.iter().map(|name| {
        let of =
            |part: &str| row.pointer(&format!("/{name}/{part}")).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let digits = if of("median") < 100.0 { 2 } else { 0 };
        format!("{name} {:.digits$} ({:.digits$}–{:.digits$})", of("median"), of("min"), of("max"))
    });
    told.collect::<Vec<_>>().join(", ")
}

/// The middle of some figures; the mean of the two middle ones when there are as many on either side.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = values.get(middle).copied().unwrap_or(f64::NAN);
    if values.len().is_multiple_of(2) {
        let lower = middle.checked_sub(1).and_then(|place| values.get(place)).copied().unwrap_or(f64::NAN);
        f64::midpoint(lower, upper)
    } else {
        upper
    }
}
