//! Joins the summaries of several sessions, entry by entry, each with its origin.
//!
//! A number without the session that counts it points at a wrong message, so every entry from another session names
//! it. An entry that both have stays the parent's, and so does one of the child's once the parent's own messages
//! mention it. A child's constraints do not bind its parent: its "person" is mostly the agent above it, constraints
//! are never dropped, and "touch nothing but cart.rs" would bind the parent for good. A task's hand-off does unite
//! them, because its reader is one more child.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use utoipa::ToSchema;

use super::origin::Origin;
use crate::file_history::{compose, path_key};
use crate::section::Section;
use crate::summary::{
    Blocker, Decision, ErrorEntry, ErrorStatus, ModifiedFile, ReadFile, Remark, RequestEntry, RequestState,
    StepOrigin, Summary, TestResult, session_mark, with_session,
};
use anchord_facts::ledger::FileFact;
use anchord_facts::ledger::constraints::Constraint;
use anchord_facts::thing::{Property, Thing};
use anchord_facts::wording::{self, clip_words, join_seqs, one_line};
use anchord_messages::id::Seq;

/// The most characters of the line that says how a finished session ended.
const OUTCOME_CHARS: usize = 400;
/// The most steps and the most blockers that are taken from a finished session.
const LEFT_BEHIND: usize = 5;

/// Entries of a finished session that did not come along, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = MergeOmission)]
pub struct LeftOut {
    /// The section.
    pub section: Section,
    /// How many entries.
    pub entries: usize,
    /// Why.
    pub reason: &'static str,
}

/// A parent's record after the merge of a finished session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedBack {
    /// The record.
    pub summary: Summary,
    /// The entries of the finished session's record that were not taken.
    pub left_out: Vec<LeftOut>,
}

impl MergedBack {
    fn leave_out(&mut self, section: Section, entries: usize, reason: &'static str) {
        if entries > 0 {
            self.left_out.push(LeftOut { section, entries, reason });
        }
    }
}

/// An entry that may be from another session.
trait Entry: Clone {
    /// The key of the same entry in another record.
    fn identity(&self) -> String;
    fn origin(&self) -> Option<&str>;
    fn set_origin(&mut self, session: String);
}

macro_rules! entry {
    ($type:ty, |$entry:ident| $key:expr) => {
        impl Entry for $type {
            fn identity(&self) -> String {
                let $entry = self;
                $key
            }
            fn origin(&self) -> Option<&str> {
                self.session_id.as_deref()
            }
            fn set_origin(&mut self, session: String) {
                self.session_id.get_or_insert(session);
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

/// A record without the entries of one session: what a child took from its parent is in the parent already,
/// under the parent's own message numbers.
#[must_use]
pub fn without(mut record: Summary, session: &str) -> Summary {
    fn drop_of<T: Entry>(entries: &mut Vec<T>, session: &str) {
        entries.retain(|entry| entry.origin() != Some(session));
    }
    drop_of(&mut record.files_modified, session);
    drop_of(&mut record.files_read, session);
    drop_of(&mut record.decisions_made, session);
    drop_of(&mut record.errors, session);
    drop_of(&mut record.test_results, session);
    drop_of(&mut record.blockers, session);
    drop_of(&mut record.requests, session);
    drop_of(&mut record.things, session);
    drop_of(&mut record.open_questions, session);
    drop_of(&mut record.findings, session);
    drop_of(&mut record.notes, session);
    drop_of(&mut record.constraints, session);
    drop_of(&mut record.proposed_constraints, session);
    let (steps, origins) = (&mut record.next_steps, &mut record.next_steps_origins);
    steps.retain(|step| !origins.iter().any(|o| o.session_id == session && o.step == *step));
    origins.retain(|origin| origin.session_id != session);
    record
}

/// The record of a task, from sessions that come newest first. Intent, state, blockers and next steps are the
/// newest session's; everything else is joined, and later sessions replace entries of earlier ones.
#[must_use]
pub fn together(sessions: &[Origin<'_>]) -> Summary {
    let Some(newest) = sessions.first() else { return Summary::default() };
    let mut all = Summary::default();
    for one in sessions.iter().rev() {
        let theirs = owned(one.summary, one.name);
        unite_files(&mut all, &theirs, one.name);
        unite_read(&mut all, &theirs, one.name);
        unite_decisions(&mut all.decisions_made, theirs.decisions_made, one.name);
        let errors = keyed(&theirs.errors);
        all.errors.retain(|error| !errors.contains(&error.identity()));
        all.errors.extend(theirs.errors);
        let runs = keyed(&theirs.test_results);
        all.test_results.retain(|run| !runs.contains(&run.identity()));
        all.test_results.extend(theirs.test_results);
        take(&mut all.things, theirs.things);
        take(&mut all.findings, theirs.findings);
        take(&mut all.notes, theirs.notes);
        let held = keyed(&all.constraints);
        all.constraints.extend(theirs.constraints.into_iter().filter(|one| !held.contains(&one.identity())));
    }
    let last = owned(newest.summary, newest.name);
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
fn take<T: Entry>(all: &mut Vec<T>, theirs: Vec<T>) {
    let keys = keyed(&theirs);
    all.retain(|entry| !keys.contains(&Entry::identity(entry)));
    all.extend(theirs);
}

fn keyed<T: Entry>(entries: &[T]) -> BTreeSet<String> {
    entries.iter().map(Entry::identity).collect()
}

/// A record whose entries name their session.
fn owned(record: &Summary, name: &str) -> Summary {
    fn own<T: Entry>(entries: &mut [T], name: &str) {
        for entry in entries {
            entry.set_origin(name.to_owned());
        }
    }
    let mut record = record.clone();
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
    own(&mut record.proposed_constraints, name);
    record
}

/// Merges a finished session's record into its parent's. The parent's intent, state and constraints stay.
///
/// Entries from an earlier version of the same session are replaced. `version` is the new version of the
/// parent.
#[must_use]
pub fn merge(parent: &Summary, child: &Origin<'_>, version: i64) -> MergedBack {
    let mut merged = MergedBack { summary: parent.clone(), left_out: Vec::new() };
    let mut theirs = owned(child.summary, child.name);
    let all = &mut merged.summary;
    unite_files(all, &theirs, child.name);
    unite_read(all, &theirs, child.name);
    let decided =
        unite_decisions(&mut all.decisions_made, std::mem::take(&mut theirs.decisions_made), child.name);

    let open = |error: &ErrorEntry| error.status != ErrorStatus::Resolved;
    let known: BTreeSet<(Option<String>, String)> = all.errors.iter().map(of_origin).collect();
    // An error that the parent has as open must become resolved there; any other resolved one stays with its
    // own session.
    let told = |error: &ErrorEntry| open(error) || known.contains(&of_origin(error));
    let (mut errors, resolved): (Vec<_>, Vec<_>) = theirs.errors.into_iter().partition(told);
    for error in &mut errors {
        error.resolved_in_version = (!open(error)).then_some(version);
    }
    let same = replace(&mut all.errors, errors, child.name, |_| true);
    // The run of each session is kept, because it is unknown which of two ran last.
    replace(&mut all.test_results, theirs.test_results, child.name, |_| false);
    theirs.things.extend(outcome(child));
    replace(&mut all.things, theirs.things, child.name, |_| true);
    replace(&mut all.findings, theirs.findings, child.name, |_| true);
    replace(&mut all.notes, theirs.notes, child.name, |_| true);
    replace(&mut all.open_questions, theirs.open_questions, child.name, |_| true);
    let kept = theirs.blockers.len().min(LEFT_BEHIND);
    let cut_blockers = theirs.blockers.split_off(kept);
    replace(&mut all.blockers, theirs.blockers, child.name, |_| true);
    let cut_steps = take_steps(all, child);
    let held = keyed(&all.constraints);
    let unbound = theirs.constraints.iter().filter(|one| !held.contains(&one.identity())).count();

    merged.leave_out(Section::DecisionsMade, decided, "decided in this session too");
    merged.leave_out(Section::Errors, resolved.len(), "resolved in their own session");
    merged.leave_out(Section::Errors, same, "met in this session too");
    merged.leave_out(Section::Blockers, cut_blockers.len(), "only the first 5 come along");
    merged.leave_out(Section::NextSteps, cut_steps, "only the first 5 come along");
    merged.leave_out(Section::Constraints, unbound, "constraints bind the session that they were set in");
    merged.leave_out(
        Section::Requests,
        child.summary.requests.iter().filter(|request| request.state != RequestState::Open).count(),
        "requests stay with their session",
    );
    merged
}

fn of_origin<T: Entry>(entry: &T) -> (Option<String>, String) {
    (entry.origin().map(str::to_owned), entry.identity())
}

/// Replaces the entries that a session added before by its present ones. An entry of another session with the
/// same key stays when `stands` says so; returns how many were left out because of that.
fn replace<T: Entry>(all: &mut Vec<T>, theirs: Vec<T>, child: &str, stands: impl Fn(&T) -> bool) -> usize {
    let coming: BTreeSet<(Option<String>, String)> = theirs.iter().map(of_origin).collect();
    all.retain(|entry| entry.origin() != Some(child) || coming.contains(&of_origin(entry)));
    let mut at: BTreeMap<(Option<String>, String), usize> =
        all.iter().enumerate().map(|(slot, entry)| (of_origin(entry), slot)).collect();
    let others: BTreeSet<String> = all.iter().filter(|entry| stands(entry)).map(Entry::identity).collect();
    let mut same = 0;
    for entry in theirs {
        let identity = of_origin(&entry);
        match at.get(&identity).and_then(|slot| all.get_mut(*slot)) {
            Some(earlier) => *earlier = entry,
            None if others.contains(&identity.1) => same += 1,
            None => {
                at.insert(identity, all.len());
                all.push(entry);
            }
        }
    }
    same
}

/// The aim of a session and how it ended, in one line.
fn outcome(child: &Origin<'_>) -> Option<Thing> {
    let Summary { session_intent, session_intent_seqs, current_state: state, .. } = child.summary;
    let end =
        if state.text.trim().is_empty() { state.task.as_deref().unwrap_or_default() } else { &state.text };
    let (aim, end) = (one_line(session_intent), one_line(end));
    let aim = clip_words(&aim, OUTCOME_CHARS / 2);
    let end = clip_words(&end, OUTCOME_CHARS / 2);
    let told = [("aim", aim), ("end", end)].into_iter().filter(|(_, text)| !text.is_empty());
    let properties: Vec<Property> = told.map(|(name, text)| Property::new(name, text)).collect();
    if properties.is_empty() {
        return None;
    }
    let mut seqs = session_intent_seqs.clone();
    join_seqs(&mut seqs, &state.seqs);
    Some(Thing {
        kind: "session".to_owned(),
        id: child.name.to_owned(),
        properties,
        seqs,
        session_id: Some(child.name.to_owned()),
        ..Thing::default()
    })
}

/// Replaces the next steps that a session added before by its present ones; returns how many are above the
/// limit.
fn take_steps(all: &mut Summary, child: &Origin<'_>) -> usize {
    let theirs = child.summary;
    let left: BTreeSet<String> = all
        .next_steps_origins
        .iter()
        .filter(|origin| origin.session_id == child.name)
        .map(|origin| origin.step.clone())
        .collect();
    all.next_steps.retain(|step| !left.contains(step));
    all.next_steps_origins.retain(|origin| origin.session_id != child.name);
    let mut known: BTreeSet<String> = all.next_steps.iter().map(|step| wording::normalized(step)).collect();
    let new = theirs.next_steps.iter().filter(|step| known.insert(wording::normalized(step)));
    let mut cut = 0;
    for (index, step) in new.enumerate() {
        if index >= LEFT_BEHIND {
            cut += 1;
            continue;
        }
        let from = theirs.next_steps_origins.iter().find(|origin| origin.step == *step);
        let (session_id, seqs): (&str, &[Seq]) = match from {
            Some(from) => (&from.session_id, &from.seqs),
            None => (child.name, &theirs.next_steps_seqs),
        };
        all.next_steps.push(step.clone());
        all.next_steps_origins.push(StepOrigin {
            step: step.clone(),
            session_id: session_id.to_owned(),
            seqs: seqs.to_vec(),
        });
    }
    cut
}

fn unite_files(all: &mut Summary, from: &Summary, child: &str) {
    let mut at: BTreeMap<String, usize> =
        all.files_modified.iter().enumerate().map(|(slot, file)| (file.identity(), slot)).collect();
    let mut told = BTreeSet::new();
    for file in &from.files_modified {
        let key = file.identity();
        let earlier = at.get(&key).or_else(|| at.get(&path_key(file.renamed_from.as_deref()?))).copied();
        let slot = earlier.unwrap_or(all.files_modified.len());
        match all.files_modified.get_mut(slot) {
            Some(known) => *known = overlay(known, file),
            None => all.files_modified.push(file.clone()),
        }
        at.insert(key, slot);
        told.insert(slot);
    }
    // Removes the files of an earlier version of the session that this one lacks, unless a third session
    // changed them too.
    let mut slot = 0;
    all.files_modified.retain(|file| {
        slot += 1;
        let is_shared = file.changes.iter().any(|change| is_marked(change));
        told.contains(&(slot - 1)) || is_shared || file.session_id.as_deref() != Some(child)
    });
}

/// Whether a change names the session that made it.
fn is_marked(change: &str) -> bool {
    change.ends_with(')') && change.contains(" (session ")
}

fn unite_read(all: &mut Summary, from: &Summary, child: &str) {
    let changed = keyed(&all.files_modified);
    all.files_read.retain(|file| !changed.contains(&file.identity()));
    let read: Vec<ReadFile> =
        from.files_read.iter().filter(|file| !changed.contains(&file.identity())).cloned().collect();
    replace(&mut all.files_read, read, child, |_| true);
}

/// One entry for a file that two sessions changed, or one session in two of its versions.
fn overlay(known: &ModifiedFile, later: &ModifiedFile) -> ModifiedFile {
    let fact = |file: &ModifiedFile, changes| FileFact {
        path: file.path.clone(),
        action: Some(file.action),
        overwrite_possible: file.overwrite_possible,
        renamed_from: file.renamed_from.clone(),
        transient: file.transient,
        changes,
        reason: None,
        seqs: Vec::new(),
    };
    if known.session_id == later.session_id {
        // A session's later version includes its earlier one; changes by other sessions stay.
        let mut whole = later.clone();
        for change in known.changes.iter().filter(|change| is_marked(change)) {
            if !whole.changes.contains(change) {
                whole.changes.push(change.clone());
            }
        }
        return whole;
    }
    let origin = later.session_id.as_deref().unwrap_or_default();
    let of_origin = session_mark(origin);
    // The changes of the earlier version are in the later one, or were taken back.
    let kept = known.changes.iter().filter(|change| !change.ends_with(&of_origin)).cloned().collect();
    let theirs = later
        .changes
        .iter()
        .map(|change| if is_marked(change) { change.clone() } else { with_session(change, origin) });
    let whole = compose(fact(known, kept), fact(later, theirs.collect()));
    ModifiedFile {
        purpose: None,
        path: whole.path,
        action: whole.action.unwrap_or(known.action),
        renamed_from: whole.renamed_from,
        changes: whole.changes,
        status: later.status,
        overwrite_possible: whole.overwrite_possible,
        transient: whole.transient,
        seqs: known.seqs.clone(),
        session_id: known.session_id.clone(),
    }
}

/// Joins the decisions; returns how many the record has already, from another session.
fn unite_decisions(all: &mut Vec<Decision>, theirs: Vec<Decision>, child: &str) -> usize {
    let mut reasons: BTreeMap<String, &str> = BTreeMap::new();
    for decision in &theirs {
        reasons.insert(decision.identity(), &decision.rationale);
    }
    for known in all.iter_mut().filter(|known| known.rationale.trim().is_empty()) {
        if let Some(reason) = reasons.get(&known.identity()) {
            (*reason).clone_into(&mut known.rationale);
        }
    }
    replace(all, theirs, child, |_| true)
}
