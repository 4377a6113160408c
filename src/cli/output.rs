//! Output of commands: tables for people, fields separated by tabs for programs, and JSON.
//!
//! On a terminal, lists are tables with a header, as wide as the terminal. In a pipe or a file they are lines of fields
//! separated by tabs, whole and without a header, as `gh` prints them: `cut` and `awk` read them as they are, and what is
//! shown to a person may change without breaking a script.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal as _, Write as _};

use anstyle::Style;
use anyhow::Result;
use chrono::{DateTime, SecondsFormat, Utc};
use clap::Args;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width};
use indicatif::{HumanCount, HumanDuration};
use serde_json::Value;

use super::failure::OutputClosed;
use anchord_runtime::clock::Clock;

/// The narrowest terminal that a table is fitted to.
const MIN_WIDTH: u16 = 60;
/// The width of a terminal that does not report its own, or says that it is 0.
const USUAL_WIDTH: u16 = 80;
/// A cell of at most so many characters stays in one line: a time, a status. Longer ones break between words.
const SHORT_CELL: usize = 24;
/// Blanks between columns.
const GAP: u16 = 2;

/// How a command prints its result.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct Output {
    /// Print JSON as the service returns it: one document, or one line for each item of a list
    #[arg(long, global = true)]
    pub(super) json: bool,
}

/// Whether standard output is a terminal.
pub(super) fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Prints text. Its colours are left out where nobody sees them, and where `NO_COLOR` is set.
pub(super) fn print(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints text that is somebody else's: as it is into a pipe or a file, without control characters on a terminal.
pub(super) fn print_foreign(text: &str) -> Result<()> {
    let shown = if is_terminal() { visible(text) } else { Cow::Borrowed(text) };
    let end = if shown.ends_with('\n') { "" } else { "\n" };
    let mut out = std::io::stdout().lock();
    closed(
        out.write_all(shown.as_bytes())
            .and_then(|()| out.write_all(end.as_bytes()))
            .and_then(|()| out.flush()),
    )
}

/// Prints a JSON document.
pub(super) fn print_json(value: &Value) -> Result<()> {
    print_foreign(&serde_json::to_string_pretty(value)?)
}

/// Prints a JSON document in one line, as an item of a list.
pub(super) fn print_json_line(value: &Value) -> Result<()> {
    print_foreign(&value.to_string())
}

/// Tells a person something beside the result, on standard error.
#[expect(clippy::print_stderr, reason = "standard output belongs to the result")]
pub(super) fn note(text: &str) {
    eprintln!("{}", visible(text));
}

/// A pipe whose reader has gone ends the command quietly.
fn closed(written: std::io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(OutputClosed.into()),
        other => Ok(other?),
    }
}

/// Text for a terminal: a control character could move the cursor, or make other text look like the command's.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let hides = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if text.contains(hides) { Cow::Owned(text.replace(hides, "\u{fffd}")) } else { Cow::Borrowed(text) }
}

/// The same in one line.
pub(super) fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// A value of a table or a list, for people and for programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    person: String,
    program: String,
    is_number: bool,
    /// Whether it is copied as a whole, as an id is, so that it must not be broken over lines.
    is_id: bool,
}

impl Cell {
    /// A text; nothing is a dash for people and an empty field for programs.
    pub(super) fn text(text: Option<&str>) -> Self {
        let program = one_line(text.unwrap_or_default());
        let person = if program.is_empty() { "–".to_owned() } else { program.clone() };
        Self { person, program, ..Self::default() }
    }

    /// An id, a name that other commands take, or a key: never broken over lines.
    pub(super) fn id(text: Option<&str>) -> Self {
        Self { is_id: true, ..Self::text(text) }
    }

    /// Two spellings of one value.
    pub(super) fn spelled(person: &str, program: &str) -> Self {
        Self { person: one_line(person), program: one_line(program), ..Self::default() }
    }

    /// A whole number.
    pub(super) fn count(count: Option<u64>) -> Self {
        let Some(count) = count else { return Self { is_number: true, ..Self::text(None) } };
        Self {
            person: HumanCount(count).to_string(),
            program: count.to_string(),
            is_number: true,
            ..Self::default()
        }
    }

    /// A share: per cent for people, three decimals for programs.
    pub(super) fn share(share: Option<f64>) -> Self {
        let Some(share) = share else { return Self { is_number: true, ..Self::text(None) } };
        Self {
            person: format!("{:.1} %", share * 100.0),
            program: decimal(share),
            is_number: true,
            ..Self::default()
        }
    }

    /// A figure with three decimals.
    pub(super) fn figure(figure: Option<f64>) -> Self {
        Self { is_number: true, ..Self::text(figure.map(decimal).as_deref()) }
    }

    /// A time (RFC 3339): how long ago it was for people, the time itself for programs.
    pub(super) fn time(time: Option<&str>) -> Self {
        let Some(time) = time else { return Self::text(None) };
        let person = read_time(time).map_or_else(|| time.to_owned(), |at| ago(at, Clock::system().now()));
        Self::spelled(&person, time)
    }

    /// The narrowest column that the cell is readable in.
    fn least_width(&self) -> usize {
        let width = self.person.chars().count();
        if self.is_id || self.is_number || width <= SHORT_CELL { width } else { SHORT_CELL }
    }

    /// The spelling for programs.
    #[cfg(test)]
    pub(super) fn program(&self) -> &str {
        &self.program
    }
}

/// A figure with three decimals at most, without zeros at its end.
pub(super) fn decimal(figure: f64) -> String {
    let text = format!("{figure:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A score from 0 to 1: with one decimal at least, so that it is not read as a count, and three at most.
pub(super) fn score(score: f64) -> String {
    let text = decimal(score);
    if text.contains('.') { text } else { format!("{text}.0") }
}

/// A count with its noun: "1 message", "2,000 messages".
pub(super) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", HumanCount(count))
}

/// A time in UTC to the second.
pub(super) fn second(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Parses a time of the service.
pub(super) fn read_time(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.with_timezone(&Utc))
}

/// How long before `now` a time was, or how long after it the time will be.
fn ago(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let Ok(past) = (now - at).to_std() else {
        return (at - now).to_std().map_or_else(|_| second(at), |left| format!("in {}", HumanDuration(left)));
    };
    if past.as_secs() < 2 { "now".to_owned() } else { format!("{} ago", HumanDuration(past)) }
}

/// A list with a header.
#[derive(Debug)]
pub(super) struct Table {
    header: &'static [&'static str],
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub(super) const fn new(header: &'static [&'static str]) -> Self {
        Self { header, rows: Vec::new() }
    }

    /// Adds a row with a cell for each column.
    pub(super) fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    /// Prints the rows; on a terminal, `nothing` is said when there are none.
    pub(super) fn print(&self, nothing: &str) -> Result<()> {
        if !is_terminal() {
            return print(&self.lines());
        }
        if self.rows.is_empty() {
            note(nothing);
            return Ok(());
        }
        let told = console::Term::stdout().size_checked().map(|(_, columns)| columns);
        print(&self.drawn(width_of(told)))
    }

    /// The rows for programs.
    fn lines(&self) -> String {
        let mut lines = String::new();
        for row in &self.rows {
            let fields: Vec<&str> = row.iter().map(|cell| cell.program.as_str()).collect();
            lines.push_str(&fields.join("\t"));
            lines.push('\n');
        }
        lines
    }

    /// The table for people.
    fn drawn(&self, width: u16) -> String {
        let mut table = comfy_table::Table::new();
        table.load_preset(comfy_table::presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        table.set_header(self.header.iter().copied());
        for row in &self.rows {
            table.add_row(row.iter().map(|cell| cell.person.as_str()));
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, GAP));
            // Wide columns give way first; where not even that is enough, the table is wider than the terminal.
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            let header = self.header.get(index).map_or(0, |name| name.chars().count());
            let least = cells.map(Cell::least_width).chain([header]).max().unwrap_or_default();
            let least = u16::try_from(least).unwrap_or(u16::MAX).saturating_add(GAP);
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
            if self.rows.iter().all(|row| row.get(index).is_some_and(|cell| cell.is_number)) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let bold = Style::new().bold();
        let mut drawn = String::new();
        for (index, line) in table.lines().enumerate() {
            let line = line.trim_end();
            // Infallible: a String is written to.
            let _ =
                if index == 0 { writeln!(drawn, "{bold}{line}{bold:#}") } else { writeln!(drawn, "{line}") };
        }
        drawn
    }
}

/// The width to fit a table to, from the width that the terminal reports.
fn width_of(told: Option<u16>) -> u16 {
    told.filter(|columns| *columns > 0).unwrap_or(USUAL_WIDTH).max(MIN_WIDTH)
}

/// The fields of one thing: a line for each, with its name.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<(&'static str, Cell)>);

impl Fields {
    /// Adds a field.
    pub(super) fn push(&mut self, name: &'static str, cell: Cell) {
        self.0.push((name, cell));
    }

    /// Prints the fields.
    pub(super) fn print(&self) -> Result<()> {
        let width = self.0.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        let (bold, is_terminal) = (Style::new().bold(), is_terminal());
        let mut text = String::new();
        for (name, cell) in &self.0 {
            // Infallible: a String is written to.
            let _ = if is_terminal {
                writeln!(text, "{bold}{name:<width$}{bold:#}  {}", cell.person)
            } else {
                writeln!(text, "{name}\t{}", cell.program)
            };
        }
        print(&text)
    }
}

/// A member of a JSON value as a text, by a pointer.
pub(super) fn text_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// A member of a JSON value as a whole number.
pub(super) fn count_at(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}

/// A member of a JSON value as a figure.
pub(super) fn figure_at(value: &Value, pointer: &str) -> Option<f64> {
    value.pointer(pointer).and_then(Value::as_f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["SESSION", "MESSAGES", "USED"]);
        table.push(vec![
            Cell::text(Some("planner")),
            Cell::count(Some(12_345)),
            Cell::share(Some(0.889_399_63)),
        ]);
        table.push(vec![Cell::text(Some("cart\tagent\n")), Cell::count(Some(7)), Cell::share(None)]);
        table
    }

    #[test]
    fn programs_get_fields_and_people_a_table() {
        assert_eq!(table().lines(), "planner\t12345\t0.889\ncart agent\t7\t\n");
        let drawn = anstream::adapter::strip_str(&table().drawn(80)).to_string();
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(
            lines,
            ["SESSION     MESSAGES    USED", "planner       12,345  88.9 %", "cart agent         7       –"]
        );
    }

    #[test]
    fn a_table_is_no_wider_than_the_terminal() {
        let mut table = Table::new(&["ROLE", "TEXT"]);
        table.push(vec![Cell::text(Some("user")), Cell::text(Some(&"many words ".repeat(40)))]);
        let drawn = anstream::adapter::strip_str(&table.drawn(70)).to_string();
        assert!(drawn.lines().count() > 5, "{drawn}");
        assert!(drawn.lines().all(|line| line.chars().count() <= 70), "{drawn}");
    }

    #[test]
    fn an_id_is_never_broken_and_a_short_cell_stays_in_its_line() {
        let mut table = Table::new(&["ID", "STATUS", "LAST USED", "NAME"]);
        let id = "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10";
        let row = [Cell::id(Some(id)), Cell::text(Some("active")), Cell::spelled("36 seconds ago", "t")];
        table.push(row.into_iter().chain([Cell::text(Some(&"a long name ".repeat(9)))]).collect());
        for width in [60, 80, 200] {
            let drawn = anstream::adapter::strip_str(&table.drawn(width)).to_string();
            let row = drawn.lines().nth(1).expect("a row");
            for whole in [id, "active", "36 seconds ago"] {
                assert!(row.contains(whole), "{width}: {drawn}");
            }
        }
        let long = "x".repeat(200);
        let mut table = Table::new(&["SESSION", "MESSAGES"]);
        table.push(vec![Cell::id(Some(&long)), Cell::count(Some(7))]);
        assert!(table.drawn(80).contains(&long), "{}", table.drawn(80));
    }

    #[test]
    fn a_terminal_that_tells_no_width_has_the_usual_one() {
        let widths = [None, Some(0), Some(20), Some(132)].map(width_of);
        assert_eq!(widths, [USUAL_WIDTH, USUAL_WIDTH, MIN_WIDTH, 132]);
    }

    #[test]
    fn a_text_cannot_move_the_cursor() {
        assert_eq!(visible("a\u{1b}[2Jb\u{9b}c\u{202e}d\n\te"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\n\te");
        assert!(matches!(visible("plain 文字"), Cow::Borrowed(_)));
        assert_eq!(one_line(" a\r\n\u{7}b "), "a \u{fffd}b");
    }

    #[test]
    fn figures_and_times_are_readable() {
        assert_eq!(decimal(0.889_399_630_024_104_5), "0.889");
        assert_eq!(
            (decimal(1.0), decimal(0.5), decimal(0.0)),
            ("1".to_owned(), "0.5".to_owned(), "0".to_owned())
        );
        assert_eq!((score(1.0), score(0.5), score(0.889_4)), ("1.0".into(), "0.5".into(), "0.889".into()));
        assert_eq!(
            (counted(1, "message"), counted(2_000, "message")),
            ("1 message".into(), "2,000 messages".into())
        );
        let now = read_time("2026-01-01T12:00:00Z").expect("a time");
        let at = |text| ago(read_time(text).expect("a time"), now);
        assert_eq!(at("2026-01-01T11:59:59.5Z"), "now");
        assert_eq!(at("2026-01-01T11:57:00Z"), "3 minutes ago");
        assert_eq!(at("2026-01-02T12:00:00Z"), "in 24 hours");
    }
}
