//! Errors: one per normalised message; a fix flips the status.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash as _, Hasher as _};

use fnv::FnvHasher;
use memchr::memmem;

use super::super::summary::{ErrorEntry, ErrorStatus};
use anchord_facts::glance::{Glance, end_sum};
use anchord_facts::ledger::TestOutcome;
use anchord_facts::ledger::{ErrorFact, Facts};
use anchord_facts::wording::{self, join_seqs};
use anchord_messages::id::Seq;

/// Longer commands are cut: a location is to find the place, not to run it again.
const LOCATION_MAX_CHARS: usize = 160;

/// Merges the span's errors.
pub(super) fn merge(record: &mut Vec<ErrorEntry>, facts: &Facts, version: i64) {
    if facts.errors.is_empty() {
        resolve_by_passing_command(record, facts, version);
        return;
    }
    let mut folded = Folded::default();
    let met: Vec<Met> = facts.errors.iter().map(|fact| Met::of(fact, &mut folded)).collect();
    let alike = Alike::to(&met);
    let known: Vec<(usize, u64)> = (0..)
        .zip(record.iter())
        .filter(|(_, entry)| alike.may_hold(entry))
        .map(|(at, entry)| (at, folded.key(entry.kind.as_deref(), &entry.message)))
        .collect();
    // Doubled, a long record would be copied for each span, and half of the room left empty.
    record.reserve_exact(met.len());
    let mut moved = Moved::of(record, &known, &met, &mut folded);
    let mut at: HashMap<u64, usize> = known.into_iter().map(|(at, key)| (key, at)).collect();
    for (fact, met) in facts.errors.iter().zip(&met) {
        if fact.message.trim().is_empty() {
            continue;
        }
        let next = record.len();
        let slot = *at.entry(met.key).or_insert(next);
        if let Some(entry) = record.get_mut(slot) {
            meet_again(entry, fact, version);
        } else {
            moved.resolve(record, (fact, met), version);
            record.push(first_met(fact, version));
        }
    }
    resolve_by_passing_command(record, facts, version);
}

/// What an error of the span is recognised by, folded once.
struct Met {
    key: u64,
    placeless: u64,
    /// The letters of its message, and those of its kind.
    letters: (u16, u16),
}

impl Met {
    fn of(fact: &ErrorFact, folded: &mut Folded) -> Self {
        let key = folded.key(fact.kind.as_deref(), &fact.message);
        let kind = fact.kind.as_deref().map_or(0, |kind| letters(&kind.trim().to_lowercase()));
        let placeless = folded.placeless(&fact.message);
        Self { key, placeless, letters: (letters(&folded.message), kind) }
    }
}

/// Open errors of earlier spans that this span does not show at their place: when one of them is met
/// at another place, it has moved with its lines, and the old place is done with.
struct Moved(HashMap<u64, Vec<usize>>);

impl Moved {
    fn of(record: &[ErrorEntry], known: &[(usize, u64)], met: &[Met], folded: &mut Folded) -> Self {
        let met: HashSet<u64> = met.iter().map(|met| met.key).collect();
        let mut gone: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, key) in known.iter().rev() {
            let Some(entry) = record.get(*at) else { continue };
            let is_own = entry.session_id.is_none();
            if is_own && entry.status != ErrorStatus::Resolved && !met.contains(key) {
                gone.entry(folded.placeless(&entry.message)).or_default().push(*at);
            }
        }
        Self(gone)
    }

    /// Resolves the oldest open error that the fact has moved from.
    fn resolve(&mut self, record: &mut [ErrorEntry], (fact, met): (&ErrorFact, &Met), version: i64) {
        let places = self.0.get_mut(&met.placeless);
        if let Some(entry) = places.and_then(Vec::pop).and_then(|at| record.get_mut(at)) {
            entry.status = ErrorStatus::Resolved;
            entry.resolution =
                Some(format!("met again as: {}", wording::clip_chars(&fact.message, LOCATION_MAX_CHARS)));
            entry.resolved_in_version = Some(version);
        }
    }
}

/// What tells most entries of a record apart from the errors of a span without folding them: a record grows
/// with its session, and few of its errors are met again.
struct Alike {
    sums: HashSet<u16>,
    glance: Glance,
    /// What an address begins with.
    address: memmem::Finder<'static>,
}

impl Alike {
    fn to(met: &[Met]) -> Self {
        let mut alike =
            Self { sums: HashSet::new(), glance: Glance::default(), address: memmem::Finder::new("0x") };
        for Met { letters: (message, kind), .. } in met {
            // The kind may stand in front of the one and not of the other.
            for sum in [*message, message.wrapping_add(*kind), message.wrapping_sub(*kind)] {
                alike.glance.note(u64::from(sum));
                alike.sums.insert(sum);
            }
        }
        alike
    }

    /// Whether an entry may be one of the errors, in this place or another.
    fn may_hold(&self, entry: &ErrorEntry) -> bool {
        let message = wording::error_start(&entry.message);
        let sum = letters(message);
        // Without any letter there is nothing to go by.
        sum == 0
            || (self.glance.may_hold(u64::from(sum)) && self.sums.contains(&sum))
            // An address has other letters, and those of other scripts fold in ways of their own.
            || !message.is_ascii()
            || self.address.find(message.as_bytes()).is_some()
    }
}

/// A sum of the letters of a text that no number and no hash has, which folding leaves as they are. In few bits, so
/// that many bytes are taken at once.
fn letters(text: &str) -> u16 {
    text.bytes().map(weight).fold(0, u16::wrapping_add)
}

/// A weight for each letter from `g` on, so spread that texts of other letters mostly come to other sums; 0 for the
/// rest. Without branches and tables, for the same reason.
fn weight(byte: u8) -> u16 {
    let letter = (byte | 0x20).wrapping_sub(b'g');
    let place = if letter <= b'z' - b'g' { u16::from(letter) + 1 } else { 0 };
    place * place * place
}

/// Texts that are folded again and again: a record may hold thousands of errors, and every span asks
/// which of them it shows.
#[derive(Default)]
struct Folded {
    message: String,
    kind: String,
}

impl Folded {
    /// The identity of an error.
    fn key(&mut self, kind: Option<&str>, message: &str) -> u64 {
        wording::error_key_into(&mut self.message, message);
        let mut rest = self.message.as_str();
        self.kind.clear();
        if let Some(kind) = kind.map(str::trim).filter(|k| !k.is_empty()) {
            self.kind.extend(kind.chars().flat_map(char::to_lowercase));
            // Some outputs repeat the kind in front of the message, some do not.
            rest = rest.strip_prefix(self.kind.as_str()).unwrap_or(rest).trim_start();
        }
        let mut hasher = FnvHasher::default();
        (self.kind.as_str(), rest).hash(&mut hasher);
        hasher.finish()
    }

    /// What an error is called wherever it stands.
    fn placeless(&mut self, message: &str) -> u64 {
        wording::placeless_error_key_into(&mut self.message, message);
        let mut hasher = FnvHasher::default();
        self.message.hash(&mut hasher);
        hasher.finish()
    }
}

fn location(fact: &ErrorFact) -> Option<String> {
    let shown = fact.location.as_deref().or(fact.command.as_deref())?;
    Some(wording::clip_chars(shown.trim(), LOCATION_MAX_CHARS).to_owned()).filter(|l| !l.is_empty())
}

fn first_met(fact: &ErrorFact, version: i64) -> ErrorEntry {
    let resolved = fact.resolution.is_some();
    ErrorEntry {
        kind: fact.kind.clone(),
        message: fact.message.clone(),
        status: if resolved { ErrorStatus::Resolved } else { ErrorStatus::Open },
        resolution: fact.resolution.clone(),
        location: location(fact),
        count: fact.count.max(1),
        resolved_in_version: resolved.then_some(version),
        seqs: fact.seqs.clone(),
        session_id: None,
    }
}

fn meet_again(entry: &mut ErrorEntry, fact: &ErrorFact, version: i64) {
    entry.count = entry.count.saturating_add(fact.count);
    if entry.session_id.take().is_some() {
        // Its numbers were the other session's.
        entry.seqs.clear();
    }
    join_seqs(&mut entry.seqs, &fact.seqs);
    if fact.count > 0 {
        // The latest spelling: its numbers are the ones that hold now.
        entry.message.clone_from(&fact.message);
        entry.location = location(fact).or_else(|| entry.location.take());
    }
    if fact.resolution.is_some() {
        if entry.status != ErrorStatus::Resolved || fact.count > 0 {
            entry.resolved_in_version = Some(version);
        }
        entry.status = ErrorStatus::Resolved;
        entry.resolution.clone_from(&fact.resolution);
    } else if fact.count > 0 {
        entry.resolution = None;
        entry.resolved_in_version = None;
        if entry.status == ErrorStatus::Resolved {
            entry.status = ErrorStatus::Open;
        }
    }
}

/// Resolves an open error that names a command as its place when that command passed since.
fn resolve_by_passing_command(record: &mut [ErrorEntry], facts: &Facts, version: i64) {
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
    let passed: Glance = latest.keys().map(|place| end_sum(place)).collect();
    // When another session met its error, its numbers do not tell: a run here may have been before.
    let is_open = |e: &&mut ErrorEntry| e.status != ErrorStatus::Resolved && e.session_id.is_none();
    for entry in record.iter_mut().filter(is_open) {
        let Some(place) = entry.location.as_deref() else { continue };
        if passed.may_hold(end_sum(place))
            && let Some(&(_, seq)) = latest.get(place)
            && entry.seqs.last().is_none_or(|met| *met < seq)
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
            "error",
            "Error:",
            "cannot",
            "open",
            "0x1f",
            "0X1F",
            "a0xb",
            "A0XB",
            "deadbeef1",
            "DEADBEEF2",
            "481516",
            "12",
            "E0308",
            "\u{212a}",
            "k",
            "é",
            "…",
            "--",
            "(at",
            "x:9)",
            "TypeError",
            "İ",
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
        fn what_a_span_shows_is_never_passed_over(
            (old_kind, old) in (kind(), message()), (new_kind, new) in (kind(), message()),
        ) {
            let mut folded = Folded::default();
            let same = folded.key(old_kind.as_deref(), &old) == folded.key(new_kind.as_deref(), &new);
            let moved = folded.placeless(&old) == folded.placeless(&new);
            let alike = Alike::to(&[Met::of(&fact(new_kind, new), &mut folded)]);
            let entry = first_met(&fact(old_kind, old), 1);
            prop_assert!(alike.may_hold(&entry) || !(same || moved));
        }

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
            // Errors that no span ever shows change nothing of what is made of the others.
            let stranger = first_met(&fact(None, "nothing like that was ever printed".to_owned()), 1);
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
