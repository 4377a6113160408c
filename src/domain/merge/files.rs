//! Files: the record's history, then the span's, by the rules of `file_history`.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::file_history::{FileHistory, identity, path_key};
use super::super::handoff;
use super::super::id::Seq;
use super::super::ledger::{Facts, FileFact, TestRunFact};
use super::super::summary::{FileAction, FileStatus, ModifiedFile, ReadFile, Summary, TestOutcome};

/// An entry of the record while a span is merged into it.
enum Place {
    Modified(ModifiedFile),
    Read(ReadFile),
    /// The span touches it: its history tells what it is.
    Touched(usize),
}

/// Merges the span's files into both file sections; returns the identities of those that are no longer
/// among the changed ones.
pub(super) fn merge(summary: &mut Summary, facts: &Facts) -> BTreeSet<String> {
    // A record grows with its session, so what the span does not touch is moved and not looked at.
    let named = facts.files.iter().flat_map(|f| [Some(&f.path), f.renamed_from.as_ref()]).flatten();
    let touched: HashSet<String> = named.chain(&facts.taken_back).map(|path| path_key(path)).collect();
    let Opened { mut places, record, mut earlier } = open(summary, &touched);
    let of_record = record.len();
    let mut history = FileHistory::of(record);
    for copy in &facts.taken_back {
        history.withdraw(copy);
    }
    let changed_at: HashMap<String, Seq> = facts
        .files
        .iter()
        .filter(|f| f.action.is_some())
        .map(|f| (path_key(&f.path), f.seqs.last().copied().unwrap_or(Seq::MAX)))
        .collect();
    history.extend(facts.files.clone());
    let mut left = history.left().clone();
    let mut told = history.into_places();
    places.extend((of_record..told.len()).map(Place::Touched));
    let before = latest_run(&facts.test_runs, None);
    for place in places {
        let file = match place {
            Place::Modified(mut file) => {
                if let Some(status) = before.filter(|_| file.action != FileAction::Deleted) {
                    file.status = status;
                }
                summary.files_modified.push(file);
                continue;
            }
            Place::Read(file) => {
                summary.files_read.push(file);
                continue;
            }
            Place::Touched(at) => match told.get_mut(at).and_then(Option::take) {
                Some(file) => file,
                None => continue,
            },
        };
        let key = path_key(&file.path);
        let before_span = earlier
            .remove(&key)
            .or_else(|| earlier.remove(&path_key(file.renamed_from.as_deref()?)))
            .unwrap_or_default();
        let (file, session_id) = with_origin(file, before_span.origin);
        let Some(action) = file.action else {
            let FileFact { path, reason, seqs, .. } = file;
            summary.files_read.push(ReadFile { path, reason, seqs, session_id });
            continue;
        };
        let status = match latest_run(&facts.test_runs, changed_at.get(&key).copied()) {
            Some(outcome) => outcome,
            None if changed_at.contains_key(&key) => FileStatus::Unknown,
            None => before_span.status,
        };
        left.remove(&key);
        summary.files_modified.push(ModifiedFile {
            path: file.path,
            action,
            renamed_from: file.renamed_from,
            changes: file.changes,
            status: if action == FileAction::Deleted { FileStatus::Unknown } else { status },
            overwrite_possible: file.overwrite_possible,
            transient: file.transient,
            seqs: file.seqs,
            session_id,
        });
    }
    left
}

/// The record's files, taken out of their sections.
struct Opened {
    /// Every entry, in order.
    places: Vec<Place>,
    /// Those that the span touches.
    record: Vec<FileFact>,
    /// What is known of them besides.
    earlier: HashMap<String, Known>,
}

/// What the record knows of a file besides its history.
#[derive(Default)]
struct Known {
    status: FileStatus,
    origin: Option<Origin>,
}

/// The other session that an entry came from.
struct Origin {
    session_id: String,
    seqs: Vec<Seq>,
    /// How many of the changes are its own.
    changes: usize,
}

impl Origin {
    /// Takes the other session's numbers off an entry, so that none of this one's is joined to them.
    fn take(session_id: Option<String>, seqs: &mut Vec<Seq>, changes: usize) -> Option<Self> {
        Some(Self { session_id: session_id?, seqs: std::mem::take(seqs), changes })
    }
}

/// An entry of another session stays its own until this session's messages tell of the file; then it is
/// this session's, and what the other one changed is told in words.
fn with_origin(mut file: FileFact, origin: Option<Origin>) -> (FileFact, Option<String>) {
    let Some(origin) = origin else { return (file, None) };
    if file.seqs.is_empty() {
        file.seqs = origin.seqs;
        return (file, Some(origin.session_id));
    }
    for change in file.changes.iter_mut().take(origin.changes) {
        *change = handoff::told_of(change, &origin.session_id);
    }
    (file, None)
}

fn open(summary: &mut Summary, touched: &HashSet<String>) -> Opened {
    let mut earlier: HashMap<String, Known> = HashMap::new();
    let mut record = Vec::new();
    let mut places = Vec::with_capacity(summary.files_modified.len() + summary.files_read.len());
    for mut file in summary.files_modified.drain(..) {
        let key = identity(&file.path);
        if !touched.contains(key.as_ref()) {
            places.push(Place::Modified(file));
            continue;
        }
        let key = key.into_owned();
        let origin = Origin::take(file.session_id.take(), &mut file.seqs, file.changes.len());
        earlier.insert(key, Known { status: file.status, origin });
        places.push(Place::Touched(record.len()));
        record.push(FileFact {
            path: file.path,
            action: Some(file.action),
            overwrite_possible: file.overwrite_possible,
            renamed_from: file.renamed_from,
            transient: file.transient,
            changes: file.changes,
            reason: None,
            seqs: file.seqs,
        });
    }
    for mut file in summary.files_read.drain(..) {
        if !touched.contains(identity(&file.path).as_ref()) {
            places.push(Place::Read(file));
            continue;
        }
        let origin = Origin::take(file.session_id.take(), &mut file.seqs, 0);
        earlier.insert(path_key(&file.path), Known { status: FileStatus::Unknown, origin });
        places.push(Place::Touched(record.len()));
        record.push(FileFact {
            path: file.path,
            action: None,
            overwrite_possible: false,
            renamed_from: None,
            transient: false,
            changes: Vec::new(),
            reason: file.reason,
            seqs: file.seqs,
        });
    }
    Opened { places, record, earlier }
}

/// What the latest decisive run after a change says; a run that cannot tell decides nothing.
fn latest_run(runs: &[TestRunFact], changed_at: Option<Seq>) -> Option<FileStatus> {
    let last = runs.iter().rev().find(|r| r.outcome != TestOutcome::Unknown)?;
    let ran_at = last.seqs.last().copied()?;
    if changed_at.is_some_and(|changed| changed >= ran_at) {
        return None;
    }
    match last.outcome {
        TestOutcome::Pass => Some(FileStatus::Pass),
        TestOutcome::Fail | TestOutcome::Error => Some(FileStatus::Fail),
        TestOutcome::Unknown => None,
    }
}
