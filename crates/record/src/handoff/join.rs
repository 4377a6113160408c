//! Joins the summaries of a task's sessions, entry by entry, each with its origin.
//!
//! The same entry of two sessions is found by its wording, and the later session has the last word. A number without the
//! session that counts it points at a wrong message, so every entry names its session.

use std::collections::{BTreeMap, BTreeSet};

use super::origin::Origin;
use crate::file_history::{compose, path_key};
use crate::summary::{
    Blocker, Decision, ErrorEntry, ModifiedFile, ReadFile, Remark, RequestEntry, Summary, TestResult,
    with_session,
};
use anchord_facts::ledger::FileFact;
use anchord_facts::ledger::constraints::Constraint;
use anchord_facts::thing::Thing;
use anchord_facts::wording::{self, one_line};

/// An entry that may be from another session.
trait Entry: Clone {
    /// The key of the same entry in another record.
    fn identity(&self) -> String;
    fn set_origin(&mut self, session: &str);
}

macro_rules! entry {
    ($type:ty, |$entry:ident| $key:expr) => {
        impl Entry for $type {
            fn identity(&self) -> String {
                let $entry = self;
                $key
            }
            fn set_origin(&mut self, session: &str) {
                self.session_id = Some(session.to_owned());
            }
        }
    };
}

entry!(ModifiedFile, |file| path_key(&file.path));
entry!(ReadFile, |file| path_key(&file.path));
entry!(Decision, |decision| wording::normalized(&decision.decision));
entry!(ErrorEntry, |error| wording::normalized_error(&error.message));
entry!(TestResult, |run| one_line(&run.command));
entry!(Blocker, |blocker| wording::normalized(&blocker.text));
entry!(RequestEntry, |request| wording::normalized(&request.text));
entry!(Remark, |remark| wording::normalized(&remark.text));
entry!(Thing, |thing| thing.key());
entry!(Constraint, |constraint| wording::normalized(&constraint.text));

/// The record of a task, from sessions that come newest first. Intent, state, blockers and next steps are the
/// newest session's; everything else is joined, and later sessions replace entries of earlier ones.
pub fn together(sessions: &[Origin<'_>]) -> Summary {
    let Some(newest) = sessions.first() else { return Summary::default() };
    let mut all = Summary::default();
    for one in sessions.iter().rev() {
        let theirs = owned(one);
        join_files(&mut all.files_modified, &theirs.files_modified);
        let changed = keyed(&all.files_modified);
        all.files_read.extend(theirs.files_read);
        all.files_read.retain(|file| !changed.contains(&file.identity()));
        keep_first(&mut all.files_read);
        join_decisions(&mut all.decisions_made, theirs.decisions_made);
        replace(&mut all.errors, theirs.errors);
        replace(&mut all.test_results, theirs.test_results);
        replace(&mut all.things, theirs.things);
        replace(&mut all.findings, theirs.findings);
        replace(&mut all.notes, theirs.notes);
        all.constraints.extend(theirs.constraints);
        keep_first(&mut all.constraints);
    }
    let last = owned(newest);
    Summary {
        files_modified: all.files_modified,
        files_read: all.files_read,
        decisions_made: all.decisions_made,
        errors: all.errors,
        test_results: all.test_results,
        things: all.things,
        findings: all.findings,
        notes: all.notes,
        constraints: all.constraints,
        ..last
    }
}

/// Replaces entries by a later session's with the same keys, and adds the others.
fn replace<T: Entry>(all: &mut Vec<T>, theirs: Vec<T>) {
    let keys = keyed(&theirs);
    all.retain(|entry| !keys.contains(&Entry::identity(entry)));
    all.extend(theirs);
}

/// Keeps the first entry of each key.
fn keep_first<T: Entry>(all: &mut Vec<T>) {
    let mut seen = BTreeSet::new();
    all.retain(|entry| seen.insert(Entry::identity(entry)));
}

fn keyed<T: Entry>(entries: &[T]) -> BTreeSet<String> {
    entries.iter().map(Entry::identity).collect()
}

/// A record whose entries name their session.
fn owned(session: &Origin<'_>) -> Summary {
    fn own<T: Entry>(entries: &mut [T], name: &str) {
        for entry in entries {
            entry.set_origin(name);
        }
    }
    let (mut record, name) = (session.summary.clone(), session.name);
    own(&mut record.files_modified, name);
    own(&mut record.files_read, name);
    own(&mut record.decisions_made, name);
    own(&mut record.errors, name);
    own(&mut record.test_results, name);
    own(&mut record.blockers, name);
    own(&mut record.requests, name);
    own(&mut record.things, name);
    own(&mut record.open_questions, name);
    own(&mut record.findings, name);
    own(&mut record.notes, name);
    own(&mut record.constraints, name);
    record
}

fn join_files(all: &mut Vec<ModifiedFile>, theirs: &[ModifiedFile]) {
    let mut at: BTreeMap<String, usize> =
        all.iter().enumerate().map(|(slot, file)| (file.identity(), slot)).collect();
    for file in theirs {
        let key = file.identity();
        let earlier = at.get(&key).or_else(|| at.get(&path_key(file.renamed_from.as_deref()?))).copied();
        let slot = earlier.unwrap_or(all.len());
        match all.get_mut(slot) {
            Some(known) => *known = overlay(known, file),
            None => all.push(file.clone()),
        }
        at.insert(key, slot);
    }
}

/// One entry for a file that two sessions changed: the earlier session's, with the later one's changes under its name.
fn overlay(known: &ModifiedFile, later: &ModifiedFile) -> ModifiedFile {
    let origin = later.session_id.as_deref().unwrap_or_default();
    let theirs = later.changes.iter().map(|change| with_session(change, origin)).collect();
    let later_history = FileFact { changes: theirs, ..later.clone().take_history() };
    let whole = compose(known.clone().take_history(), later_history);
    let action = whole.action.unwrap_or(known.action);
    ModifiedFile {
        status: later.status,
        seqs: known.seqs.clone(),
        session_id: known.session_id.clone(),
        ..ModifiedFile::of(whole, action)
    }
}

/// Joins the decisions: the earlier one of the same wording stays, with the later one's reason when it has none.
fn join_decisions(all: &mut Vec<Decision>, theirs: Vec<Decision>) {
    let mut reasons: BTreeMap<String, &str> = BTreeMap::new();
    for decision in &theirs {
        reasons.insert(decision.identity(), &decision.rationale);
    }
    for known in all.iter_mut().filter(|known| known.rationale.trim().is_empty()) {
        if let Some(reason) = reasons.get(&known.identity()) {
            (*reason).clone_into(&mut known.rationale);
        }
    }
    all.extend(theirs);
    keep_first(all);
}
