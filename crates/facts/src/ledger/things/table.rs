//! Extracts things from tables and key-value lines in programs' output.

use std::collections::HashSet;

use super::identity::{Subject, identifies, is_secret};
use super::shown::{ExtractedThings, Found, MOST_PROPERTIES, REDACTED};
use super::value::clipped;
use crate::ledger::line::is_rule;
use crate::wording::words_of;

/// The most rows of a table that are parsed.
const MOST_ROWS: usize = 256;
/// The most columns of a table.
const MOST_COLUMNS: usize = 24;
/// The fewest lines of a block of keys and values.
const FEWEST_KEYS: usize = 3;
/// The longest key of such a line, in characters.
const LONGEST_KEY: usize = 40;

/// Adds the things in a text that is not JSON to `shown`.
pub(super) fn read(text: &str, subject: &Subject, shown: &mut ExtractedThings) {
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while let Some(rest) = lines.get(at..).filter(|rest| !rest.is_empty()) {
        let taken = ruled(rest, subject, shown)
            .or_else(|| aligned(rest, subject, shown))
            .or_else(|| tabbed(rest, subject, shown))
            .or_else(|| keys(rest, subject, shown));
        at += taken.unwrap_or(1);
    }
}

/// Parses a table with cells between bars, below a header and a rule: Markdown, psql, mysql.
fn ruled(lines: &[&str], subject: &Subject, shown: &mut ExtractedThings) -> Option<usize> {
    let (above, lines) = match lines {
        [first, rest @ ..] if is_rule(first) => (1, rest),
        lines => (0, lines),
    };
    let [header, rule, rows @ ..] = lines else { return None };
    if !header.contains('|') || !is_rule(rule) {
        return None;
    }
    let names = cells(header);
    let rows = rows.iter().take_while(|row| row.contains('|') && cells(row).len() == names.len());
    let rows: Vec<Vec<&str>> = rows.map(|row| cells(row)).collect();
    let count = rows.len();
    table(&names, rows.into_iter(), count, subject, shown);
    Some(above + 2 + count)
}

fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    line.split('|').map(str::trim).collect()
}

/// Parses columns below names in capitals, as kubectl and docker print them.
fn aligned(lines: &[&str], subject: &Subject, shown: &mut ExtractedThings) -> Option<usize> {
    let (header, rows) = lines.split_first()?;
    let names = spaced(header);
    let is_name = |name: &&str| {
        name.chars().any(char::is_alphabetic)
            && !name.chars().any(char::is_lowercase)
            && name.len() <= LONGEST_KEY
    };
    if !(2..=MOST_COLUMNS).contains(&names.len()) || !names.iter().all(is_name) || !header.is_ascii() {
        return None;
    }
    let starts: Vec<usize> =
        names.iter().map(|name| name.as_ptr() as usize - header.as_ptr() as usize).collect();
    let rows: Vec<Vec<&str>> = rows
        .iter()
        .take_while(|row| !row.trim().is_empty())
        .map_while(|row| {
            let found = spaced(row);
            if found.len() == names.len() { Some(found) } else { columns(row, &starts) }
        })
        .collect();
    let count = rows.len();
    (count > 0).then(|| {
        table(&names, rows.into_iter(), count, subject, shown);
        count + 1
    })
}

/// The cells of a line, separated by two spaces or a tab.
fn spaced(line: &str) -> Vec<&str> {
    line.split("  ")
        .flat_map(|cell| cell.split('\t'))
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect()
}

/// A row, split at the offsets of the column names.
fn columns<'l>(row: &'l str, starts: &[usize]) -> Option<Vec<&'l str>> {
    let mut found = Vec::with_capacity(starts.len());
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).map_or(row.len(), |end| (*end).min(row.len()));
        found.push(row.get((*start).min(row.len())..end)?.trim());
    }
    found.first().as_ref().is_some_and(|first| !first.is_empty()).then_some(found)
}

/// Parses rows of equally many cells between tabs. `gh` prints no column names when its output is not a terminal.
fn tabbed(lines: &[&str], subject: &Subject, shown: &mut ExtractedThings) -> Option<usize> {
    let names: Vec<&str> = lines.first()?.split('\t').map(str::trim).collect();
    let width = names.len();
    if !(3..=MOST_COLUMNS).contains(&width) {
        return None;
    }
    if is_header(&names) {
        let rows = lines.iter().skip(1).map(|line| line.split('\t').map(str::trim).collect::<Vec<_>>());
        let rows: Vec<Vec<&str>> = rows.take_while(|cells| cells.len() == width).collect();
        let count = rows.len();
        table(&names, rows.into_iter(), count, subject, shown);
        return Some(count + 1);
    }
    let rows: Vec<Vec<&str>> = lines
        .iter()
        .map(|line| line.split('\t').map(str::trim).collect::<Vec<_>>())
        .take_while(|cells| cells.len() == width && cells.first().is_some_and(|first| identifies(first)))
        .collect();
    if rows.len() < 2 || rows.iter().flatten().any(|cell| is_logged(cell)) {
        return None;
    }
    let count = rows.len();
    for row in rows.iter().take(MOST_ROWS) {
        let Some((id, rest)) = row.split_first() else { continue };
        let values: Vec<&str> = rest.iter().copied().filter(|cell| !cell.is_empty()).collect();
        shown.push(Found {
            kind: subject.own_kind(),
            id: (*id).to_owned(),
            properties: vec![(String::new(), clipped(&values.join(", ")))],
            more: 0,
        });
    }
    shown.left_out += count.saturating_sub(MOST_ROWS);
    Some(count)
}

/// Whether a cell is a line of a log: a time, and then words.
fn is_logged(cell: &str) -> bool {
    let Some((time, words)) = cell.split_once(' ') else { return false };
    let (day, hour) = time.split_once('T').unwrap_or_default();
    let is_of_digits = |text: &str, sign: char| text.chars().all(|c| c.is_ascii_digit() || c == sign);
    !words.is_empty()
        && day.len() == 10
        && is_of_digits(day, '-')
        && hour.starts_with(|c: char| c.is_ascii_digit())
}

fn table<'l>(
    names: &[&str],
    rows: impl Iterator<Item = Vec<&'l str>>,
    count: usize,
    subject: &Subject,
    shown: &mut ExtractedThings,
) {
    if names.len() < 2 || names.len() > MOST_COLUMNS {
        return;
    }
    let own = own_column(names);
    for row in rows.take(MOST_ROWS) {
        let Some(id) = row.get(own).filter(|id| identifies(id)) else { continue };
        let properties = names.iter().zip(&row).enumerate().filter(|(column, (_, value))| {
            *column != own && !value.is_empty() && !matches!(**value, "-" | "<none>" | "NULL" | "null")
        });
        shown.push(Found {
            kind: subject.own_kind(),
            id: (*id).to_owned(),
            properties: properties
                .map(|(_, (name, value))| (name.to_lowercase(), shown_value(name, value)))
                .collect(),
            more: 0,
        });
    }
    shown.left_out += count.saturating_sub(MOST_ROWS);
}

fn shown_value(name: &str, value: &str) -> String {
    if is_secret(name) { REDACTED.to_owned() } else { clipped(value) }
}

fn own_column(names: &[&str]) -> usize {
    names.iter().position(|name| names_id(name)).unwrap_or(0)
}

/// Whether cells are column names: words without digits, one of them for an id.
fn is_header(cells: &[&str]) -> bool {
    let is_name = |cell: &&str| {
        (1..=LONGEST_KEY).contains(&cell.len())
            && cell.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '_' | '-' | '.'))
    };
    cells.iter().all(is_name) && cells.iter().any(|cell| names_id(cell))
}

fn names_id(column: &str) -> bool {
    matches!(
        words_of(&column.to_lowercase()).last().map(String::as_str),
        Some("id" | "name" | "number" | "key" | "code" | "uuid" | "sku" | "identifier")
    )
}

/// Parses lines with a key and a value each; one of the keys identifies the thing.
fn keys(lines: &[&str], subject: &Subject, shown: &mut ExtractedThings) -> Option<usize> {
    // A repeated key begins another thing, and an indented line belongs to something else.
    let mut known = HashSet::new();
    let pairs = lines.iter().map_while(|line| pair(line)).take_while(|(key, _)| known.insert(*key));
    let pairs: Vec<(&str, &str)> = pairs.collect();
    let count = pairs.len();
    let next = lines.get(count).copied().unwrap_or_default();
    if next.starts_with([' ', '\t']) && !next.trim().is_empty() {
        return Some(count.max(1));
    }
    if pairs.len() < FEWEST_KEYS {
        return None;
    }
    let named = |wanted: &[&str]| {
        pairs.iter().find(|(key, value)| {
            let words = words_of(&key.to_lowercase());
            words.last().is_some_and(|last| wanted.contains(&last.as_str())) && identifies(value)
        })
    };
    let own = named(&["number", "id", "identifier", "key", "sku"]).or_else(|| named(&["name", "title"]));
    if let Some((own, id)) = own {
        let mut found =
            Found { kind: subject.own_kind(), id: (*id).to_owned(), properties: Vec::new(), more: 0 };
        for (key, value) in pairs.iter().filter(|(key, _)| key != own) {
            if found.properties.len() < MOST_PROPERTIES {
                found.properties.push((key.to_lowercase(), shown_value(key, value)));
            } else {
                found.more += 1;
            }
        }
        shown.push(found);
    }
    Some(count)
}

/// Splits `Key: value`, or a key, a tab and a value; `None` for a time, an address or a location in a file.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(":\t").or_else(|| line.split_once(": "))?;
    if key.starts_with([' ', '\t', '-', '*']) {
        return None;
    }
    let key = key.trim();
    let value = value.trim();
    let is_key = key.chars().count() <= LONGEST_KEY
        && key.chars().next().is_some_and(char::is_alphabetic)
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '(' | ')'))
        && key.split(' ').count() <= 4;
    (is_key && !value.is_empty()).then_some((key, value))
}
