//! Merges decisions: appends them, one per wording, and marks those that a later one reverses.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use regex::Regex;

use super::super::summary::Decision;
use anchord_facts::pattern;
use anchord_facts::wording::{self, join_seqs};
use anchord_messages::stop_words::is_stop_word;

/// The most alternatives of a decision.
const MOST_ALTERNATIVES: usize = 24;

/// Appends the span's decisions.
pub(super) fn merge(record: &mut Vec<Decision>, proposed: &[Decision]) {
    if proposed.is_empty() {
        return;
    }
    let mut at: HashMap<u64, usize> = record.iter().enumerate().map(|(i, d)| (d.key(), i)).collect();
    // Computed only when needed: most decisions reverse nothing.
    let mut subjects: Vec<Option<Subject>> = Vec::new();
    for new in proposed.iter().filter(|new| !new.decision.trim().is_empty()) {
        let key = new.key();
        let (slot, subject) = if let Some(&slot) = at.get(&key) {
            let Some(old) = record.get_mut(slot) else { continue };
            let subject = Subject::of(old);
            repeat(old, new);
            (slot, subject)
        } else {
            at.insert(key, record.len());
            record.push(new.clone());
            (record.len() - 1, Subject::of(new))
        };
        if subject.rejected.is_empty() && subject.purpose.is_none() {
            continue;
        }
        subjects.resize_with(record.len(), || None);
        for (i, (old, before)) in record.iter_mut().zip(&mut subjects).enumerate() {
            if i != slot
                && old.superseded_by.is_none()
                && subject.reverses(before.get_or_insert_with(|| Subject::of(old)))
            {
                old.superseded_by = Some(new.decision.clone());
            }
        }
    }
}

/// Merges a repeated decision: it is valid again, and missing fields are filled in.
fn repeat(old: &mut Decision, new: &Decision) {
    old.superseded_by.clone_from(&new.superseded_by);
    if old.rationale.trim().is_empty() {
        old.rationale.clone_from(&new.rationale);
    }
    for alternative in &new.alternatives {
        if old.alternatives.len() < MOST_ALTERNATIVES && !old.alternatives.contains(alternative) {
            old.alternatives.push(alternative.clone());
        }
    }
    join_seqs(&mut old.seqs, &new.seqs);
}

/// The words of what a decision chooses and of what it rejects.
struct Subject {
    chosen: BTreeSet<String>,
    rejected: Vec<BTreeSet<String>>,
    purpose: Option<(BTreeSet<String>, BTreeSet<String>)>,
}

static REJECTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:instead of|rather than|no longer|replac(?:e|es|ed|ing)|drop(?:s|ped|ping)?|switch(?:ed|ing)?(?: away)? from|mov(?:e|ed|ing) away from|revert(?:ed|ing)?|abandon(?:ed|ing)?)\s+([^.,;:()\n]{1,80})",
    )
});
static END_OF_PHRASE: LazyLock<Regex> =
    LazyLock::new(|| pattern::unicode(r"(?i)\s(?:to|with|by|because|since|as|so|and|for|in favou?r)\b"));
static PURPOSE: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:use|using|chose|choose|pick|picked|adopt|adopted|go with|going with|keep)\s+([^.,;:()\n]{1,60}?)\s+(?:for|as)\s+([^.,;:()\n]{1,60})",
    )
});

impl Subject {
    fn of(decision: &Decision) -> Self {
        // Longer than any sensible decision; limits the work on hostile text.
        let text = wording::clip_chars(&decision.decision, 1000);
        let mut chosen = words(text);
        let mut rejected: Vec<BTreeSet<String>> = decision.alternatives.iter().map(|a| words(a)).collect();
        for found in REJECTED.captures_iter(text) {
            let phrase = found.get(1).map_or("", |m| m.as_str());
            let cut = END_OF_PHRASE.find(phrase).map_or(phrase.len(), |m| m.start());
            let phrase = words(phrase.get(..cut).unwrap_or(phrase));
            chosen.retain(|w| !phrase.contains(w));
            rejected.push(phrase);
        }
        rejected.retain(|r| !r.is_empty() && r.is_disjoint(&chosen));
        let purpose = PURPOSE.captures(text).and_then(|found| {
            let (what, why) = (words(found.get(1)?.as_str()), words(found.get(2)?.as_str()));
            (!what.is_empty() && !why.is_empty()).then_some((what, why))
        });
        Self { chosen, rejected, purpose }
    }

    /// Whether this later decision reverses `before`.
    fn reverses(&self, before: &Self) -> bool {
        // The rejected words must be a good part of the other's choice, not mentioned in passing.
        let turned_away =
            |r: &BTreeSet<String>| r.is_subset(&before.chosen) && r.len() * 3 >= before.chosen.len();
        if self.rejected.iter().any(turned_away) {
            return true;
        }
        match (&self.purpose, &before.purpose) {
            (Some((what, why)), Some((was, why_before))) => why == why_before && what.is_disjoint(was),
            _ => false,
        }
    }
}

/// The words of a text without stop words and verbs of deciding.
fn words(text: &str) -> BTreeSet<String> {
    const OF_DECIDING: [&str; 16] = [
        "use", "using", "used", "uses", "chose", "choose", "decided", "decide", "go", "going", "let",
        "instead", "rather", "no", "longer", "keep",
    ];
    let folded = wording::normalized(text);
    let is_empty = |word: &str| word.is_empty() || is_stop_word(word) || OF_DECIDING.contains(&word);
    folded.split(' ').filter(|word| !is_empty(word)).map(str::to_owned).collect()
}
