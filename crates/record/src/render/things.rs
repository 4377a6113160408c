//! Things as lines: those of one kind with the same properties as a table, the others one to a line.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::super::summary::Summary;
use super::content::{ENTRY_CHARS, origin};
use super::entries::{Entries, Line};
use super::escape::{self, short};
use anchord_facts::thing::{NOTE, Property, Thing};

/// The fewest things that make a table.
const FEWEST_ROWS: usize = 3;
/// The most characters of a value.
const LONGEST_VALUE: usize = 360;
/// The most characters of a value in a cell; things with longer ones are shown one to a line.
const LONGEST_CELL: usize = 160;

/// The lines of things, the most needed first, those of one table together.
pub(super) fn things(summary: &Summary) -> Entries<'_> {
    let all = &summary.things;
    let mut ranked: Vec<&Thing> = all.iter().collect();
    ranked.sort_by_key(|thing| std::cmp::Reverse((thing.note().is_some(), thing.need())));
    let mut groups: Vec<Vec<&Thing>> = Vec::new();
    let mut at: HashMap<(&str, Vec<&str>), usize> = HashMap::new();
    for thing in ranked {
        let slot = if is_row(thing) {
            let names = thing.properties.iter().map(|property| property.name.as_str()).collect();
            *at.entry((thing.kind.as_str(), names)).or_insert(groups.len())
        } else {
            groups.len()
        };
        match groups.get_mut(slot) {
            Some(group) => group.push(thing),
            None => groups.push(vec![thing]),
        }
    }
    let mut lines: Vec<(&Thing, Place)> = Vec::with_capacity(all.len());
    for group in groups {
        let opens = lines.len();
        let is_table = group.len() >= FEWEST_ROWS;
        for (number, thing) in group.into_iter().enumerate() {
            let place = match (is_table, number) {
                (true, 0) => Place::Head,
                (true, _) => Place::Row(opens),
                (false, _) => Place::Alone,
            };
            lines.push((thing, place));
        }
    }
    let count = lines.len();
    let print = lines.into_iter().enumerate().map(|(order, (thing, place))| match place {
        Place::Head => Line::entry(order, format!("{}\n{}", head(thing), row(thing))),
        Place::Row(opens) => Line::entry(order, row(thing)).behind(opens),
        Place::Alone => Line::entry(order, alone(thing)).clippable(),
    });
    Entries::of(count, count, print)
}

enum Place {
    /// The first row of a table, with the table's head.
    Head,
    /// Another row of the table with this head.
    Row(usize),
    /// A line without a table.
    Alone,
}

fn is_row(thing: &Thing) -> bool {
    let fits =
        |property: &Property| !property.name.is_empty() && property.value.chars().count() <= LONGEST_CELL;
    !thing.properties.is_empty()
        && thing.note().is_none()
        && thing.more == 0
        && thing.session_id.is_none()
        && thing.properties.iter().all(fits)
}

fn head(thing: &Thing) -> String {
    let kind = if thing.kind.is_empty() { "id" } else { &thing.kind };
    let mut names = format!("\n| {} |", escape::cell(kind));
    let mut rule = "|---|".to_owned();
    for property in &thing.properties {
        let _ = write!(names, " {} |", escape::cell(&property.name));
        rule.push_str("---|");
    }
    format!("{names}\n{rule}")
}

fn row(thing: &Thing) -> String {
    let mut text = format!("| {} |", escape::cell(&thing.id));
    for property in &thing.properties {
        let _ = write!(text, " {} |", escape::cell(&value(property)));
    }
    text
}

fn value(property: &Property) -> String {
    let now = short(&property.value, LONGEST_VALUE);
    match &property.was {
        Some(was) => format!("{now} (was {})", short(was, LONGEST_CELL)),
        None => now,
    }
}

fn alone(thing: &Thing) -> String {
    let name = format!("{} {}", thing.kind, thing.id);
    let mut text = format!("- {}", short(&name, LONGEST_VALUE));
    text.push_str(&origin(thing.session_id.as_ref()));
    let note = thing.note();
    if let Some(note) = note {
        let _ = write!(text, ": {}", short(note, ENTRY_CHARS));
    }
    // A model's note says what of a thing matters: beside it stands only what has changed. The record has everything.
    let is_told = |property: &&Property| match note {
        Some(note) => {
            let is_time = chrono::DateTime::parse_from_rfc3339(&property.value).is_ok();
            property.name != NOTE
                && property.was.is_some()
                && !is_time
                && !note.contains(property.value.as_str())
        }
        None => true,
    };
    for (number, property) in thing.properties.iter().filter(is_told).enumerate() {
        text.push_str(if number == 0 && note.is_none() { ": " } else { "; " });
        if property.name.is_empty() {
            text.push_str(&value(property));
        } else if property.value.contains("; ") {
            // Quoted if it could be read as another property.
            let _ = write!(text, "{} \"{}\"", short(&property.name, 60), value(property));
        } else {
            let _ = write!(text, "{} {}", short(&property.name, 60), value(property));
        }
    }
    if thing.more > 0 && note.is_none() {
        let _ = write!(text, " (+{} more properties)", thing.more);
    }
    text
}
