//! The ids of a record's entries, as models see them: `R12` stays `R12` for the life of its entry and is nobody's after it.
//!
//! Code makes entries again from the messages, and an entry is known again by its key; so ids stand beside the entries, with
//! those that a model changed under their new keys.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::changes::List;
use super::file_history::path_key;
use super::merge::blocked_command;
use super::summary::{Decision, ErrorEntry, RequestEntry, Summary};
use anchord_facts::key;
use anchord_facts::wording::one_line;

/// The most entries that are gone and whose end is remembered.
const MOST_SETTLED: usize = 64;

/// The ids of a record's entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    /// The last one of each list that was given, whether its entry lives or not.
    pub last: BTreeMap<List, u32>,
    /// Each with its entry, by list, ascending.
    pub held: Vec<Held>,
}

/// An id and its entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Held {
    /// The id.
    pub id: u32,
    /// The list of its entry.
    pub list: List,
    /// The entry's key.
    pub key: u64,
    /// Whether a model said how the entry stands, against what code would say: it is open, or it is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settled: bool,
}

impl Ids {
    /// The ids of a list's entries, in their order; a new entry takes the next one.
    pub(super) fn number(&mut self, list: List, keys: &[u64]) -> Vec<u32> {
        let mut known: HashMap<u64, Vec<u32>> = HashMap::new();
        for held in self.held.iter().rev().filter(|held| held.list == list) {
            known.entry(held.key).or_default().push(held.id);
        }
        let next = |key: &u64| {
            known.get_mut(key).and_then(Vec::pop).unwrap_or_else(|| {
                let newest = self.last.entry(list).or_default();
                *newest += 1;
                *newest
            })
        };
        keys.iter().map(next).collect()
    }

    /// Gives the next id to a new entry.
    pub(super) fn give(&mut self, list: List, key: u64) -> u32 {
        let newest = self.last.entry(list).or_default();
        *newest += 1;
        self.held.push(Held { id: *newest, list, key, settled: list == List::Requests });
        *newest
    }

    /// Takes over the ids of a list's entries with their keys; those of other entries go, but for what is settled.
    pub(super) fn hold(&mut self, list: List, ids: &[u32], keys: &[u64]) {
        let (mut own, others): (Vec<Held>, Vec<Held>) =
            self.held.drain(..).partition(|held| held.list == list);
        own.retain(|held| held.settled);
        let settled: BTreeSet<u32> = own.iter().map(|held| held.id).collect();
        own.retain(|held| !ids.contains(&held.id) && !keys.contains(&held.key));
        own.drain(..own.len().saturating_sub(MOST_SETTLED));
        let living = ids.iter().zip(keys);
        own.extend(living.map(|(id, key)| Held { id: *id, list, key: *key, settled: settled.contains(id) }));
        self.held = others;
        self.held.append(&mut own);
        self.held.sort_by_key(|held| (held.list, held.id));
    }

    /// An entry is known by another key from now on.
    pub(super) fn rename(&mut self, list: List, from: u64, to: u64) {
        let held = self.held.iter_mut().filter(|held| held.list == list && held.key == from);
        held.for_each(|held| held.key = to);
    }

    /// Whether a model's word about an entry stands against code's.
    pub(super) fn mark_settled(&mut self, list: List, id: u32, settled: bool) {
        let held = self.held.iter_mut().filter(|held| held.list == list && held.id == id);
        held.for_each(|held| held.settled = settled);
    }

    /// The same of the entries with these keys.
    pub(super) fn settle_all(&mut self, list: List, keys: &BTreeSet<u64>, settled: bool) {
        let held = self.held.iter_mut().filter(|held| held.list == list && keys.contains(&held.key));
        held.for_each(|held| held.settled = settled);
    }

    /// The keys of the entries of which a model's word stands.
    pub(super) fn settled(&self, list: List) -> BTreeSet<u64> {
        self.held.iter().filter(|held| held.list == list && held.settled).map(|held| held.key).collect()
    }
}

/// The keys of a list's entries, in their order.
pub(super) fn keys(record: &Summary, list: List) -> Vec<u64> {
    match list {
        List::Requests => record.requests.iter().map(RequestEntry::key).collect(),
        List::Decisions => record.decisions_made.iter().map(Decision::key).collect(),
        List::Things => record.things.iter().map(|thing| of_thing(&thing.key())).collect(),
        List::Files => record.files_modified.iter().map(|file| of_file(&file.path)).collect(),
        List::Findings => record.findings.iter().map(|finding| key::of_text(&finding.text)).collect(),
        List::Questions => {
            record.open_questions.iter().map(|question| key::of_text(&question.text)).collect()
        }
        List::Blockers => record.blockers.iter().map(|blocker| of_blocker(&blocker.text)).collect(),
        List::Next => record.next_steps.iter().map(|step| key::of_text(step)).collect(),
        List::Errors => record.errors.iter().map(ErrorEntry::key).collect(),
        List::Tests => record.test_results.iter().map(|run| of_run(&run.command)).collect(),
        List::Constraints => record.constraints.iter().map(|one| key::of_normalized(&one.id)).collect(),
    }
}

pub(super) fn of_thing(key: &str) -> u64 {
    key::of_normalized(key)
}

pub(super) fn of_file(path: &str) -> u64 {
    key::of_normalized(&path_key(path))
}

pub(super) fn of_run(command: &str) -> u64 {
    key::of_normalized(&one_line(command))
}

/// A blocker that code writes is known by the command that fails, because its counts change.
fn of_blocker(text: &str) -> u64 {
    blocked_command(text).map_or_else(|| key::of_text(text), key::of_normalized)
}
