//! What the run prints: a table while it goes, and one line of JSON at the end.

#![expect(clippy::print_stdout, reason = "printing is what a bench is for")]

use serde_json::{Value, json};

use crate::processor::memory;
use crate::servers::Servers;

/// Collects what is measured.
#[derive(Debug, Default)]
pub struct Report(serde_json::Map<String, Value>);

impl Report {
    /// Tells what the run stands on.
    pub fn machine(&mut self, servers: &Servers) {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        println!("{processors} processors; pgbench is {}", servers.pgbench.display());
        println!(
            "others = share of all processors that neither the bench, nor the service, nor Postgres used"
        );
        self.add("processors", json!(processors));
    }

    /// Adds a figure to the JSON line.
    pub fn add(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// Tells the service's memory.
    pub fn memory(&mut self, servers: &Servers, name: &str) {
        let (now, most) = memory(servers.service_pid());
        line(&format!("resident memory of the service: {now:.0} MB now, {most:.0} MB at most so far"));
        self.add(name, json!({ "now_mb": now.round(), "most_mb": most.round() }));
    }

    /// Prints the JSON line.
    pub fn print(self) {
        println!("\n{}", Value::Object(self.0));
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
