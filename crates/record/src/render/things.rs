//! Things as lines: those of one kind with the same properties as a table, the others one to a line.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::rc::Rc;

use super::super::summary::Summary;
use super::content::{ENTRY_CHARS, origin};
use super::entries::{Entries, Line};
use super::escape::{self, short};
use anchord_facts::thing::{NOTE, Property, Thing};

/// The fewest things that make a table.
const FEWEST_ROWS: usize = 3;
/// A value with more bytes stands behind the others.
const SHORT_VALUE: usize = 60;
/// The most characters of a value.
const LONGEST_VALUE: usize = 360;
/// The most characters of a value in a cell; things with longer ones are shown one to a line.
const LONGEST_CELL: usize = 280;

/// The lines of things, the most needed first, those of one table together.
pub(super) fn things(summary: &Summary) -> Entries<'_> {
    let mut ranked: Vec<&Thing> = summary.things.iter().collect();
    // What a thing names that somebody named is needed with it: the flights of a reservation.
    let named: HashSet<&str> = ranked
        .iter()
        .filter(|thing| thing.need().0 > 0)
        .flat_map(|thing| thing.properties.iter().flat_map(|property| property.value.split(is_between)))
        .collect();
    ranked.sort_by_key(|thing| {
        let (count, seq) = thing.need();
        std::cmp::Reverse((thing.note().is_some(), count, named.contains(thing.id.as_str()), seq))
    });
    let mut groups: Vec<Vec<(usize, &Thing)>> = Vec::new();
    let mut at: HashMap<(&str, Vec<&str>), usize> = HashMap::new();
    for (rank, thing) in ranked.into_iter().enumerate() {
        let slot = if is_row(thing) {
            let names = thing.properties.iter().map(|property| property.name.as_str()).collect();
            *at.entry((thing.kind.as_str(), names)).or_insert(groups.len())
        } else {
            groups.len()
        };
        match groups.get_mut(slot) {
            Some(group) => group.push((rank, thing)),
            None => groups.push(vec![(rank, thing)]),
        }
    }
    let mut lines: Vec<(usize, usize, &Thing, Place)> = Vec::with_capacity(summary.things.len());
    for group in groups {
        let opens = lines.len();
        let columns = (group.len() >= FEWEST_ROWS).then(|| Rc::new(Columns::of(&group)));
        for (number, (rank, thing)) in group.into_iter().enumerate() {
            let place = match (&columns, number) {
                (Some(columns), 0) => Place::Head(Rc::clone(columns)),
                (Some(columns), _) => Place::Row(opens, Rc::clone(columns)),
                (None, _) => Place::Alone,
            };
            lines.push((rank, lines.len(), thing, place));
        }
    }
    // A row that nobody named waits for the things that somebody did, although it stands in its table.
    lines.sort_unstable_by_key(|(rank, ..)| *rank);
    let count = lines.len();
    let print = lines.into_iter().map(|(_, order, thing, place)| match place {
        Place::Head(columns) => {
            Line::entry(order, format!("{}\n{}", columns.head(&thing.kind), columns.row(thing)))
        }
        Place::Row(opens, columns) => Line::entry(order, columns.row(thing)).behind(opens),
        Place::Alone => Line::entry(order, alone(thing)).clippable(),
    });
    Entries::of(count, count, print)
}

fn is_between(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '-' | '_')
}

enum Place {
    /// The first row of a table, with the table's head.
    Head(Rc<Columns>),
    /// Another row of the table with this head.
    Row(usize, Rc<Columns>),
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

/// The columns of a table. What its values share stands once, in the head.
struct Columns {
    /// The properties that all things have alike, in words.
    alike: Vec<String>,
    /// The others: the place of each among a thing's properties, its name, and what its values share.
    own: Vec<(usize, String, Shared)>,
}

/// What the values of a column share besides.
enum Shared {
    Nothing,
    /// The names within a value (`economy: 10, business: 20`).
    Names(Vec<String>),
    /// The names in front of the rows of a value (`(origin, price) SEA, 10; JFK, 20`).
    Front(String),
}

impl Columns {
    fn of(group: &[(usize, &Thing)]) -> Self {
        let (mut alike, mut own) = (Vec::new(), Vec::new());
        let names = group.first().map(|(_, thing)| thing.properties.as_slice()).unwrap_or_default();
        for (at, Property { name, value: first, .. }) in names.iter().enumerate() {
            let values = || group.iter().filter_map(|(_, thing)| thing.properties.get(at));
            let share =
                |what: &dyn Fn(&str) -> bool| values().all(|one| one.was.is_none() && what(&one.value));
            if share(&|value| value == first) {
                alike.push(format!("{name} {}", short(first, LONGEST_CELL)));
                continue;
            }
            let names =
                fields(first).map(|fields| fields.into_iter().map(|(name, _)| name.to_owned()).collect());
            let has = |names: &Vec<String>| {
                share(&|value| {
                    fields(value).is_some_and(|own| own.iter().map(|(name, _)| *name).eq(names.iter()))
                })
            };
            let front = front(first).filter(|front| share(&|value| value.starts_with(*front)));
            let shared = match (names.filter(has), front) {
                (Some(names), _) => Shared::Names(names),
                (None, Some(front)) => Shared::Front(front.to_owned()),
                (None, None) => Shared::Nothing,
            };
            own.push((at, name.clone(), shared));
        }
        Self { alike, own }
    }

    fn head(&self, kind: &str) -> String {
        let mut first = if kind.is_empty() { "id".to_owned() } else { kind.to_owned() };
        if !self.alike.is_empty() {
            let _ = write!(first, " (all: {})", self.alike.join("; "));
        }
        let mut names = format!("\n| {} |", escape::cell(&first));
        let mut rule = "|---|".to_owned();
        for (_, name, shared) in &self.own {
            let _infallible = match shared {
                Shared::Nothing => write!(names, " {} |", escape::cell(name)),
                Shared::Names(within) => {
                    write!(names, " {}: {} |", escape::cell(name), escape::cell(&within.join("/")))
                }
                Shared::Front(front) => write!(names, " {} {} |", escape::cell(name), escape::cell(front)),
            };
            rule.push_str("---|");
        }
        format!("{names}\n{rule}")
    }

    fn row(&self, thing: &Thing) -> String {
        let mut text = format!("| {} |", escape::cell(&thing.id));
        for (at, _, shared) in &self.own {
            let Some(property) = thing.properties.get(*at) else { continue };
            let whole = || value(property);
            let shown = match shared {
                Shared::Nothing => whole(),
                Shared::Names(_) => fields(&property.value).map_or_else(whole, |fields| {
                    fields.into_iter().map(|(_, value)| value).collect::<Vec<_>>().join("/")
                }),
                Shared::Front(front) => {
                    let rows = property.value.strip_prefix(front.as_str()).unwrap_or(&property.value);
                    short(rows, LONGEST_VALUE)
                }
            };
            let _ = write!(text, " {} |", escape::cell(&shown));
        }
        text
    }
}

/// The names and values within a value; `None` when it is no list of them, or could not be read without the names.
fn fields(value: &str) -> Option<Vec<(&str, &str)>> {
    let fields: Vec<(&str, &str)> =
        value.split(", ").map(|one| one.split_once(": ")).collect::<Option<_>>()?;
    (fields.len() > 1 && !value.contains(['/', '{', '[', '('])).then_some(fields)
}

/// The names in front of a value's rows, with the space behind them.
fn front(value: &str) -> Option<&str> {
    let end = value.strip_prefix('(')?.find(") ")?;
    value.get(..end + 3)
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
    // Where the line is cut, a long list goes and not the short values behind it.
    let mut told: Vec<&Property> = thing.properties.iter().filter(is_told).collect();
    told.sort_by_key(|property| property.value.len() > SHORT_VALUE);
    for (number, property) in told.into_iter().enumerate() {
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
