//! Merges errors: one entry per normalised message; a fix sets its status to resolved.

use std::collections::{HashMap, HashSet};

use super::super::summary::{ErrorEntry, ErrorStatus};
use anchord_facts::key::{self, Key};
use anchord_facts::ledger::{ErrorFact, Facts, TestOutcome};
use anchord_facts::wording::{self, join_seqs};
use anchord_messages::id::Seq;

/// The most characters of a location. A longer command is cut: it shows the place, and nobody runs it again.
const LOCATION_MAX_CHARS: usize = 160;

/// Merges the span's errors.
pub(super) fn merge(record: &mut Vec<ErrorEntry>, facts: &Facts, version: i64) {
    if facts.errors.is_empty() {
        resolve_by_passing_command(record, facts, version);
        return;
    }
    let keys: Vec<ErrorKeys> = facts.errors.iter().map(ErrorKeys::of).collect();
    // No more than needed: a doubled vector would leave half of a long record's memory unused.
    record.reserve_exact(keys.len());
    let mut moved = Moved::of(record, &keys);
    let mut at: HashMap<u64, usize> = (0..).zip(record.iter()).map(|(at, entry)| (entry.key(), at)).collect();
    for (fact, keys) in facts.errors.iter().zip(&keys) {
        if fact.message.trim().is_empty() {
            continue;
        }
        let next = record.len();
        let slot = *at.entry(keys.key).or_insert(next);
        if let Some(entry) = record.get_mut(slot) {
            update_entry(entry, fact, version);
        } else {
            moved.resolve(record, (fact, keys), version);
            record.push(new_entry(fact, keys, version));
        }
    }
    resolve_by_passing_command(record, facts, version);
}

/// The keys of an error of the span: with its place, and without.
struct ErrorKeys {
    key: u64,
    without_place: u64,
}

impl ErrorKeys {
    fn of(fact: &ErrorFact) -> Self {
        Self {
            key: key::of_error(fact.kind.as_deref(), &fact.message),
            without_place: key::of_normalized(&wording::normalized_error_anywhere(&fact.message)),
        }
    }
}

/// Open errors of earlier spans that this span does not show at their place. When the same message appears at
/// another place, the code has moved, and the error at the old place is resolved.
struct Moved(HashMap<u64, Vec<usize>>);

impl Moved {
    fn of(record: &[ErrorEntry], keys: &[ErrorKeys]) -> Self {
        let places: HashSet<u64> = keys.iter().map(|keys| keys.key).collect();
        let anywhere: HashSet<u64> = keys.iter().map(|keys| keys.without_place).collect();
        let mut gone: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, entry) in record.iter().enumerate().rev() {
            let is_open = entry.status != ErrorStatus::Resolved;
            if is_open && anywhere.contains(&entry.key_anywhere()) && !places.contains(&entry.key()) {
                gone.entry(entry.key_anywhere()).or_default().push(at);
            }
        }
        Self(gone)
    }

    /// Resolves the oldest open error that this one replaces at another place.
    fn resolve(&mut self, record: &mut [ErrorEntry], (fact, keys): (&ErrorFact, &ErrorKeys), version: i64) {
        let places = self.0.get_mut(&keys.without_place);
        if let Some(entry) = places.and_then(Vec::pop).and_then(|at| record.get_mut(at)) {
            entry.status = ErrorStatus::Resolved;
            entry.resolution =
                Some(format!("met again as: {}", wording::clip_chars(&fact.message, LOCATION_MAX_CHARS)));
            entry.resolved_in_version = Some(version);
        }
    }
}

fn location(fact: &ErrorFact) -> Option<String> {
    let shown = fact.location.as_deref().or(fact.command.as_deref())?;
    Some(wording::clip_chars(shown.trim(), LOCATION_MAX_CHARS).to_owned()).filter(|l| !l.is_empty())
}

fn new_entry(fact: &ErrorFact, keys: &ErrorKeys, version: i64) -> ErrorEntry {
    ErrorEntry {
        location: location(fact),
        resolved_in_version: fact.resolution.is_some().then_some(version),
        key: keys.key.into(),
        key_anywhere: keys.without_place.into(),
        ..ErrorEntry::of(fact)
    }
}

fn update_entry(entry: &mut ErrorEntry, fact: &ErrorFact, version: i64) {
    entry.count = entry.count.saturating_add(fact.count);
    join_seqs(&mut entry.seqs, &fact.seqs);
    if fact.count > 0 {
        // The latest wording, because its line numbers and figures are current.
        entry.message.clone_from(&fact.message);
        entry.key_anywhere = Key::default();
        entry.location = location(fact).or_else(|| entry.location.take());
    }
    if fact.resolution.is_some() {
        if entry.status != ErrorStatus::Resolved || fact.count > 0 {
            entry.resolved_in_version = Some(version);
        }
        entry.status = ErrorStatus::Resolved;
        entry.resolution.clone_from(&fact.resolution);
    } else if fact.count > 0 && entry.status == ErrorStatus::Resolved {
        entry.resolution = None;
        entry.resolved_in_version = None;
        entry.status = ErrorStatus::Open;
    }
}

/// Resolves open errors whose location is a command that has passed since.
pub(super) fn resolve_by_passing_command(record: &mut [ErrorEntry], facts: &Facts, version: i64) {
    let mut latest: HashMap<&str, (bool, Seq)> = HashMap::new();
    for command in &facts.commands {
        let passed = match (command.exit_code, command.failed) {
            (Some(code), failed) => Some(code == 0 && failed != Some(true)),
            (None, Some(failed)) => Some(!failed),
            (None, None) => None,
        };
        if let (Some(passed), Some(&seq)) = (passed, command.seqs.last()) {
            latest.insert(wording::clip_chars(command.command.trim(), LOCATION_MAX_CHARS), (passed, seq));
        }
    }
    for run in &facts.test_runs {
        let passed = match run.outcome {
            TestOutcome::Pass => true,
            TestOutcome::Fail | TestOutcome::Error => false,
            TestOutcome::Unknown => continue,
        };
        if let Some(&seq) = run.seqs.last() {
            latest.insert(wording::clip_chars(run.command.trim(), LOCATION_MAX_CHARS), (passed, seq));
        }
    }
    latest.retain(|_, (passed, _)| *passed);
    let is_open = |e: &&mut ErrorEntry| e.status != ErrorStatus::Resolved;
    for entry in record.iter_mut().filter(is_open) {
        let Some(place) = entry.location.as_deref() else { continue };
        if let Some(&(_, seq)) = latest.get(place)
            && entry.seqs.last().is_none_or(|last| *last < seq)
        {
            entry.status = ErrorStatus::Resolved;
            entry.resolution = Some(format!("`{place}` passed"));
            entry.resolved_in_version = Some(version);
            join_seqs(&mut entry.seqs, &[seq]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message() -> impl Strategy<Value = String> {
        let words = prop::sample::select(vec![
            "error", "Error:", "cannot", "open", "0x1f", "0X1F", "a0xb", "A0XB", "deadbeef1", "DEADBEEF2",
            "481516", "12", "E0308", "\u{212a}", "k", "é", "…", "--", "(at", "x:9)", "TypeError", "İ",
        ]);
        prop::collection::vec(words, 0..6).prop_map(|words| words.join(" "))
    }

    fn kind() -> impl Strategy<Value = Option<String>> {
        prop::sample::select(vec![
            None,
            Some("error"),
            Some(" Error "),
            Some("E0308"),
            Some("TypeError"),
            Some("k"),
        ])
        .prop_map(|kind| kind.map(str::to_owned))
    }

    fn fact(kind: Option<String>, message: String) -> ErrorFact {
        let seqs = vec![1];
        ErrorFact { kind, message, location: None, command: None, resolution: None, count: 1, seqs }
    }

    proptest! {
        #[test]
        fn what_is_kept_of_a_record_is_the_same_with_and_without_others(
            old in prop::collection::vec((kind(), message()), 0..8),
            new in prop::collection::vec((kind(), message()), 1..4),
        ) {
            let facts = |from: Vec<(Option<String>, String)>| Facts {
                errors: from.into_iter().map(|(kind, message)| fact(kind, message)).collect(),
                ..Facts::default()
            };
            let mut record = Vec::new();
            merge(&mut record, &facts(old), 1);
            // An unrelated error in the record does not change how the others are merged.
            let stranger = fact(None, "nothing like that was ever printed".to_owned());
            let stranger = new_entry(&stranger, &ErrorKeys::of(&stranger), 1);
            let mut crowded: Vec<ErrorEntry> =
                record.iter().flat_map(|entry| [stranger.clone(), entry.clone()]).collect();
            let facts = facts(new);
            merge(&mut record, &facts, 2);
            merge(&mut crowded, &facts, 2);
            crowded.retain(|entry| entry.message != stranger.message);
            prop_assert_eq!(record, crowded);
        }
    }
}
