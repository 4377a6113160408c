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
    let brought = Brought::of(found);
    let mut at: HashMap<String, usize> = record
        .iter()
        .enumerate()
        .filter(|(_, fact)| brought.may_hold(fact))
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

/// What a span brings; tells most facts of a record at a glance.
struct Brought {
    /// Keys, whatever their case, and whether each names one of many.
    keys: HashMap<String, bool>,
    ends: Glance,
    values: Glance,
}

impl Brought {
    fn of(found: &[IdentifierFact]) -> Self {
        let folded = found.iter().map(|fact| fact.key.trim().to_lowercase());
        let keys: HashMap<String, bool> =
            folded.map(|key| (is_one_of_many(&key), key)).map(|(many, key)| (key, many)).collect();
        let ends = keys.keys().map(|key| end_sum(key)).collect();
        let values = found.iter().map(|fact| end_sum(fact.value.trim())).collect();
        Self { keys, ends, values }
    }

    /// Whether the span may bring the same fact.
    fn may_hold(&self, fact: &TechnicalFact) -> bool {
        let key = fact.key.trim();
        let is_lower = key.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase());
        let is_many = if is_lower {
            self.ends.may_hold(end_sum(key)).then(|| self.keys.get(key)).flatten()
        } else {
            self.keys.get(key.to_lowercase().as_str())
        };
        // Of many, each value is a fact of its own.
        is_many.is_some_and(|many| !many || self.values.may_hold(end_sum(fact.value.trim())))
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
    if is_one_of_many(&key) {
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

/// Whether a folded key names one of many.
fn is_one_of_many(key: &str) -> bool {
    key.split(|c: char| !c.is_alphanumeric()).any(|word| ONE_OF_MANY.contains(&word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_a_span_brings_is_never_passed_over(
            keys in prop::collection::vec(prop::sample::select(vec!["port", " Port", "PORT", "order id", "Order ID ", "url"]), 2),
            values in prop::collection::vec(prop::sample::select(vec!["80", " 80", "django 4.1", "django 4.2", "Django 4.1", ""]), 2),
        ) {
            let [key, old_key] = keys.as_slice() else { unreachable!("two") };
            let [value, old_value] = values.as_slice() else { unreachable!("two") };
            let found = IdentifierFact { key: (*key).to_owned(), value: (*value).to_owned(), seqs: vec![2] };
            let old = TechnicalFact {
                key: (*old_key).to_owned(),
                value: (*old_value).to_owned(),
                seqs: vec![1],
                session_id: None,
            };
            let is_same = identity(&found.key, &found.value) == identity(&old.key, &old.value);
            prop_assert!(Brought::of(&[found]).may_hold(&old) || !is_same);
        }
    }

    #[test]
    fn one_of_many_is_passed_over_unless_its_value_is_brought() {
        let fact =
            |key: &str, value: &str| IdentifierFact { key: key.into(), value: value.into(), seqs: vec![2] };
        let old = |key: &str, value: &str| TechnicalFact {
            key: key.into(),
            value: value.into(),
            seqs: vec![1],
            session_id: None,
        };
        let brought = Brought::of(&[fact("commit", "1f0c"), fact("port", "80")]);
        assert!(!brought.may_hold(&old("commit", "9ab2")));
        assert!(brought.may_hold(&old("commit", "1f0c")));
        assert!(brought.may_hold(&old("port", "8080")));
        assert!(!brought.may_hold(&old("host", "80")));
    }
}
