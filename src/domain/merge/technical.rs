//! Technical context: the latest value per key, save for keys that name one of many.

use std::collections::{HashMap, HashSet};

use super::super::glance::{Glance, end_sum};
use super::super::ledger::IdentifierFact;
use super::super::summary::TechnicalFact;
use super::super::wording::join_seqs;
use super::remove;

/// Words of a key whose values are many at a time: a session has several reservations, commits and
/// addresses, and a new one does not replace the others.
const ONE_OF_MANY: [&str; 40] = [
    "id",
    "ids",
    "uuid",
    "guid",
    "identifier",
    "commit",
    "commits",
    "sha",
    "hash",
    "url",
    "urls",
    "uri",
    "link",
    "endpoint",
    "route",
    "email",
    "ticket",
    "issue",
    "pr",
    "order",
    "reservation",
    "booking",
    "flight",
    "ref",
    "reference",
    "account",
    "user",
    "customer",
    "invoice",
    "transaction",
    "payment",
    "tracking",
    "phone",
    "number",
    "figure",
    "amount",
    "price",
    "date",
    "ip",
    "name",
];

/// Merges the span's identifiers; the latest mention goes last.
pub(super) fn merge(record: &mut Vec<TechnicalFact>, found: &[IdentifierFact]) {
    if found.is_empty() {
        return;
    }
    // Most of a long record has other keys than a span brings, and is not looked at any closer.
    let brought = Brought::of(found.iter().map(|fact| fact.key.as_str()));
    let mut at: HashMap<String, usize> = record
        .iter()
        .enumerate()
        .filter(|(_, fact)| brought.holds(&fact.key))
        .map(|(i, fact)| (identity(&fact.key, &fact.value), i))
        .collect();
    // What is met again moves behind what is not, which stays where it is.
    let (mut gone, mut latest): (Vec<usize>, Vec<Option<TechnicalFact>>) = (Vec::new(), Vec::new());
    // Facts come in the order of first appearance; which value holds is decided by the last one.
    let mut found: Vec<&IdentifierFact> = found.iter().collect();
    found.sort_by_key(|fact| fact.seqs.last().copied());
    for fact in found {
        if fact.value.trim().is_empty() {
            continue;
        }
        let identity = identity(&fact.key, &fact.value);
        let earlier = at.get(&identity).and_then(|&i| match i.checked_sub(record.len()) {
            None => {
                gone.push(i);
                record.get_mut(i).map(hollow)
            }
            Some(i) => latest.get_mut(i)?.take(),
        });
        let seqs = match earlier {
            Some(earlier) if earlier.value == fact.value && earlier.session_id.is_none() => {
                let mut seqs = earlier.seqs;
                join_seqs(&mut seqs, &fact.seqs);
                seqs
            }
            // The messages of a value that no longer holds are not the new value's, nor are another session's.
            Some(_) | None => fact.seqs.clone(),
        };
        at.insert(identity, record.len() + latest.len());
        latest.push(Some(TechnicalFact {
            key: fact.key.clone(),
            value: fact.value.clone(),
            seqs,
            session_id: None,
        }));
    }
    gone.sort_unstable();
    remove(record, &gone);
    record.extend(latest.into_iter().flatten());
}

/// Takes what a fact says, and leaves its place.
fn hollow(fact: &mut TechnicalFact) -> TechnicalFact {
    TechnicalFact {
        key: std::mem::take(&mut fact.key),
        value: std::mem::take(&mut fact.value),
        seqs: std::mem::take(&mut fact.seqs),
        session_id: fact.session_id.take(),
    }
}

/// The keys that a span brings, whatever their case; tells most other keys at a glance.
struct Brought {
    keys: HashSet<String>,
    ends: Glance,
}

impl Brought {
    fn of<'a>(keys: impl Iterator<Item = &'a str>) -> Self {
        let keys: HashSet<String> = keys.map(|key| key.trim().to_lowercase()).collect();
        let ends = keys.iter().map(|key| end_sum(key)).collect();
        Self { keys, ends }
    }

    fn holds(&self, key: &str) -> bool {
        let key = key.trim();
        let is_lower = key.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase());
        if is_lower {
            self.ends.may_hold(end_sum(key)) && self.keys.contains(key)
        } else {
            self.keys.contains(key.to_lowercase().as_str())
        }
    }
}

/// Adds what was said: every note once, the latest last.
pub(super) fn merge_notes(record: &mut Vec<TechnicalFact>, notes: &[TechnicalFact]) {
    if notes.is_empty() {
        return;
    }
    let said: HashSet<(&str, &str)> = notes.iter().map(|n| (n.key.as_str(), n.value.as_str())).collect();
    let values: Glance = notes.iter().map(|note| end_sum(&note.value)).collect();
    let is_said = |f: &&TechnicalFact| {
        values.may_hold(end_sum(&f.value)) && said.contains(&(f.key.as_str(), f.value.as_str()))
    };
    let mut known: HashSet<(&str, &str)> =
        record.iter().filter(is_said).map(|f| (f.key.as_str(), f.value.as_str())).collect();
    let new: Vec<TechnicalFact> = notes
        .iter()
        .filter(|n| !n.value.trim().is_empty() && known.insert((n.key.as_str(), n.value.as_str())))
        .cloned()
        .collect();
    record.extend(new);
}

/// What makes two facts one: for one of many the key and the value; else the key and whatever the
/// value names besides its figures (`django 4.2` replaces `django 4.1`, not `numpy 1.26`).
fn identity(key: &str, value: &str) -> String {
    let key = key.trim().to_lowercase();
    let many = key.split(|c: char| !c.is_alphanumeric()).any(|word| ONE_OF_MANY.contains(&word));
    if many {
        return format!("{key}={}", value.trim());
    }
    let is_figure = |w: &&str| {
        w.trim_start_matches(['v', '=', '^', '~', '<', '>']).starts_with(|c: char| c.is_ascii_digit())
    };
    let mut words = value.split([' ', '@', '=', ':', '/']).filter(|w| !w.is_empty());
    match words.next().filter(|w| !is_figure(w) && words.any(|later| is_figure(&later))) {
        Some(name) => format!("{key}={}", name.to_lowercase()),
        None => key,
    }
}
