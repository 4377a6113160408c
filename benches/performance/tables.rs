//! Tables of Markdown.

use std::fmt::Write as _;

use crate::figures::Spread;

/// A table row by row.
#[derive(Debug)]
pub struct Table(String);

impl Table {
    /// The head.
    pub fn new(columns: &[&str]) -> Self {
        let mut table = Self(String::new());
        table.row(columns.iter().map(|column| (*column).to_owned()));
        table.row(columns.iter().map(|_| "---".to_owned()));
        table
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        for cell in cells {
            // Writing to a String cannot fail.
            let _ = write!(self.0, "| {cell} ");
        }
        self.0.push_str("|\n");
    }

    /// The table and an empty line.
    pub fn finish(mut self) -> String {
        self.0.push('\n');
        self.0
    }
}

/// A figure with as many digits as mean something.
pub fn figure(value: f64) -> String {
    if !value.is_finite() {
        "–".to_owned()
    } else if value.abs() >= 1_000.0 {
        thousands(value)
    } else if value.abs() >= 100.0 {
        format!("{value:.0}")
    } else if value.abs() >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// Groups of three digits.
pub fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let first = digits.len() % 3;
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && place % 3 == first {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The middle of the rounds, and the least and the most of them.
pub fn spread(of: &Spread) -> String {
    if of.min.to_bits() == of.max.to_bits() {
        return figure(of.median);
    }
    format!("{} ({}–{})", figure(of.median), figure(of.min), figure(of.max))
}

/// A share in percent.
pub fn percent(of: &Spread) -> String {
    format!("{:.0} %", of.median * 100.0)
}
