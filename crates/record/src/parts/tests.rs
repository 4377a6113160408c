use super::cut::ENTRIES;
use super::*;
use crate::changes::List;
use crate::ids::{Held, Ids};
use crate::section::Section;
use crate::summary::{
    Blocker, CurrentState, Decision, ErrorEntry, ModifiedFile, ReadFile, Remark, RequestEntry,
};
use crate::summary::{ErrorStatus, FileStatus, RequestState};
use crate::testing;
use anchord_facts::ledger::FileAction;
use anchord_facts::thing::Property;
use anchord_facts::thing::Thing;
use std::collections::BTreeMap;

fn error(number: usize) -> ErrorEntry {
    ErrorEntry {
        kind: Some("E0308".to_owned()),
        seqs: vec![1, 2],
        ..testing::error(&format!("mismatched types \u{0} \"{number}\""), 1)
    }
}

/// A summary with something in every section, and with so many errors.
fn record(errors: usize) -> Summary {
    let seqs = vec![3];
    let text = || "text \u{1F600}".to_owned();
    Summary {
        session_intent: text(),
        session_intent_seqs: seqs.clone(),
        requests: vec![RequestEntry {
            text: text(),
            state: RequestState::Done,
            seqs: seqs.clone(),
            ..RequestEntry::default()
        }],
        files_modified: vec![ModifiedFile {
            renamed_from: Some("b.rs".to_owned()),
            status: FileStatus::Pass,
            overwrite_possible: true,
            ..testing::modified("a.rs", FileAction::Renamed, &[&text()], 3)
        }],
        files_read: vec![ReadFile { path: text(), reason: None, seqs: seqs.clone(), session_id: None }],
        decisions_made: vec![Decision {
            decision: text(),
            alternatives: vec![text(), text()],
            seqs: seqs.clone(),
            ..Decision::default()
        }],
        current_state: CurrentState { text: text(), seqs: seqs.clone(), ..CurrentState::default() },
        errors: (0..errors).map(error).collect(),
        test_results: Vec::new(),
        blockers: vec![Blocker { text: text(), seqs: seqs.clone(), session_id: None }],
        next_steps: vec![text()],
        next_steps_seqs: seqs.clone(),
        open_questions: vec![Remark { text: text(), seqs: seqs.clone(), session_id: None }],
        findings: Vec::new(),
        things: vec![Thing {
            kind: text(),
            id: text(),
            properties: vec![Property::new("name", text())],
            seqs: seqs.clone(),
            ..Thing::default()
        }],
        notes: Vec::new(),
        left_out: BTreeMap::from([(Section::Things, 3)]),
        constraints: Vec::new(),
        proposed_constraints: Vec::new(),
        digest: Vec::new(),
        ids: Ids {
            last: BTreeMap::from([(List::Errors, 9)]),
            held: vec![Held { id: 7, list: List::Errors, key: 1, settled: true }],
        },
    }
}

/// What is stored of a session, version by version.
#[derive(Default)]
struct Shelf {
    texts: HashMap<i64, String>,
    stored: Vec<StoredSummary>,
}

impl Shelf {
    /// Stores a version on top of others, and tells how many parts it brought.
    fn store(&mut self, base: Parts, summary: &Summary) -> usize {
        let version = i64::try_from(self.stored.len()).unwrap() + 1;
        let written = base.write(summary, version).unwrap();
        let new = written.new.len();
        for (id, text) in written.new {
            assert!(self.texts.insert(id, text).is_none(), "part {id} is there already");
        }
        let texts = written.parts.iter().map(|id| self.texts[id].clone()).collect();
        self.stored.push(StoredSummary { document: written.head, parts: written.parts, texts });
        new
    }

    fn read(&self, version: usize) -> (Summary, Parts) {
        self.stored[version - 1].read().unwrap()
    }
}

#[test]
fn a_version_brings_what_changed_and_every_version_reads_back() {
    let mut shelf = Shelf::default();
    let first = record(ENTRIES * 5 + 3);
    // Errors in six parts, and one of each other list that is not empty.
    assert_eq!(shelf.store(Parts::default(), &first), 14);
    let mut second = first.clone();
    second.errors[ENTRIES].status = ErrorStatus::Resolved;
    second.errors.push(error(999));
    second.current_state.text.push('!');
    let new = shelf.store(shelf.read(1).1, &second);
    assert_eq!(new, 2, "the part with the resolved one, and the last");
    assert_eq!(shelf.store(shelf.read(2).1, &second), 0);
    // What goes at the front moves all that is behind it.
    let mut fifth = second.clone();
    fifth.errors.insert(0, error(1000));
    assert_eq!(shelf.store(shelf.read(3).1, &fifth), 6);
    for (version, record) in [(1, &first), (2, &second), (3, &second), (4, &fifth)] {
        assert_eq!(&shelf.read(version).0, record, "version {version}");
    }
}

#[test]
fn a_list_that_is_gone_or_says_the_same_in_another_place_costs_nothing() {
    let mut shelf = Shelf::default();
    let first = record(ENTRIES * 2);
    shelf.store(Parts::default(), &first);
    let mut second = first.clone();
    let (front, back) = second.errors.split_at(ENTRIES);
    second.errors = [back, front, front].concat();
    second.blockers.clear();
    assert_eq!(shelf.store(shelf.read(1).1, &second), 0);
    assert_eq!(shelf.read(2).0, second);
}

#[test]
fn lists_with_the_same_entries_are_told_apart() {
    let mut summary = Summary::default();
    summary.findings.push(Remark { text: "t".to_owned(), seqs: vec![1], session_id: None });
    let mut shelf = Shelf::default();
    shelf.store(Parts::default(), &summary);
    summary.findings.clear();
    summary.notes.push(Remark { text: "t".to_owned(), seqs: vec![1], session_id: None });
    assert_eq!(shelf.store(shelf.read(1).1, &summary), 1);
    assert_eq!(shelf.read(2).0, summary);
}

#[test]
fn keys_are_stored_read_back_and_never_served() {
    let (record, mut shelf) = (record(2), Shelf::default());
    shelf.store(Parts::default(), &record);
    let key = record.errors[1].key();
    let (stored, entry) = (serde_json::to_string(&shelf.texts).unwrap(), format!("\\\"key\\\":{key}"));
    assert!(stored.contains(&entry), "{entry} in {stored}");
    let read = shelf.read(1).0;
    assert_eq!(read.errors[1].key.get(|| 0), key);
    assert_eq!(read.requests[0].key.get(|| 0), read.decisions_made[0].key.get(|| 1));
    let served = serde_json::to_value(&read).unwrap();
    for list in ["requests", "decisions_made", "errors"] {
        assert!(served[list][0].is_object() && served[list][0].get("key").is_none(), "{served}");
    }
}

#[test]
fn a_part_that_is_gone_or_is_none_is_an_error() {
    let mut shelf = Shelf::default();
    shelf.store(Parts::default(), &record(40));
    let mut stored = shelf.stored.remove(0);
    stored.texts.pop();
    assert!(stored.read().unwrap_err().to_string().contains("10 of 11 parts are there"));
    stored.texts.push(r#"{"error":[]}"#.to_owned());
    assert!(stored.read().is_err());
}
