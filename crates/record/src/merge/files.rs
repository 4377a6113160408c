//! Merges files: the summary's history, then the span's, by the rules of `file_history`.

use std::collections::{BTreeSet, HashMap};

use super::super::changes::List;
use super::super::file_history::{FileHistory, PathSet, path_key};
use super::super::ids::of_file;
use super::super::summary::{FileStatus, ModifiedFile, ReadFile, Summary};
use super::places::remove;
use anchord_facts::ledger::{Facts, FileAction, FileFact, TestOutcome, TestRunFact};
use anchord_messages::id::Seq;

/// Merges the span's files into both file sections; returns the path keys of those that are no longer among
/// the changed ones.
pub(super) fn merge(summary: &mut Summary, facts: &Facts, is_beside: bool) -> BTreeSet<String> {
    // Entries that the span does not touch are not moved, because a summary grows with its session.
    let named = facts.files.iter().flat_map(|f| [Some(&f.path), f.renamed_from.as_ref()]).flatten();
    let touched = PathSet::of(named.chain(&facts.taken_back).map(String::as_str));
    let Opened { modified, read, record, mut earlier } = open(summary, &touched, is_beside);
    let mut history = FileHistory::of(record);
    for copy in &facts.taken_back {
        history.withdraw(copy);
    }
    history.extend(facts.files.clone());
    let mut left = history.left().clone();
    let mut told = history.into_places().into_iter();
    let runs = Runs::of(facts);
    let mut entry = |file: FileFact| {
        let entry = runs.entry(file, &mut earlier);
        if let Entry::Modified(file) = &entry {
            left.remove(&path_key(&file.path));
        }
        entry
    };

    if let Some(status) = latest_run(&facts.test_runs, None) {
        for file in summary.files_modified.iter_mut().filter(|file| file.action != FileAction::Deleted) {
            file.status = status;
        }
    }
    let (mut gone, mut first_reads) = (Vec::new(), Vec::new());
    for ((at, before), file) in modified.into_iter().zip(told.by_ref()) {
        match file.map(&mut entry) {
            Some(Entry::Modified(file)) => {
                summary.ids.rename(List::Files, before, of_file(&file.path));
                put(&mut summary.files_modified, at, file);
            }
            Some(Entry::Read(file)) => {
                gone.push(at);
                first_reads.push(file);
            }
            None => gone.push(at),
        }
    }
    remove(&mut summary.files_modified, &gone);
    gone.clear();
    for (at, file) in read.into_iter().zip(told.by_ref()) {
        match file.map(&mut entry) {
            Some(Entry::Modified(file)) => {
                gone.push(at);
                summary.files_modified.push(file);
            }
            Some(Entry::Read(file)) => put(&mut summary.files_read, at, file),
            None => gone.push(at),
        }
    }
    remove(&mut summary.files_read, &gone);
    summary.files_read.splice(0..0, first_reads);
    for file in told.flatten() {
        match entry(file) {
            Entry::Modified(file) => summary.files_modified.push(file),
            Entry::Read(file) => summary.files_read.push(file),
        }
    }
    left
}

fn put<T>(entries: &mut [T], at: usize, new: T) {
    if let Some(entry) = entries.get_mut(at) {
        *entry = new;
    }
}

/// The entry of a file.
enum Entry {
    Modified(ModifiedFile),
    Read(ReadFile),
}

/// The span's test runs, and the last message that changed each file.
struct Runs<'a> {
    all: &'a [TestRunFact],
    changed_at: HashMap<String, Seq>,
}

impl<'a> Runs<'a> {
    fn of(facts: &'a Facts) -> Self {
        let changed = facts.files.iter().filter(|f| f.action.is_some());
        let changed_at =
            changed.map(|f| (path_key(&f.path), f.seqs.last().copied().unwrap_or(Seq::MAX))).collect();
        Self { all: &facts.test_runs, changed_at }
    }

    /// The entry of a file that the span touches, from its whole history and its entry before.
    fn entry(&self, file: FileFact, earlier: &mut HashMap<String, Known>) -> Entry {
        let key = path_key(&file.path);
        let before_span = earlier
            .remove(&key)
            .or_else(|| earlier.remove(&path_key(file.renamed_from.as_deref()?)))
            .unwrap_or_default();
        let Some(action) = file.action else {
            let FileFact { path, reason, seqs, .. } = file;
            return Entry::Read(ReadFile { path, reason, seqs, session_id: None });
        };
        let status = match latest_run(self.all, self.changed_at.get(&key).copied()) {
            Some(outcome) => outcome,
            None if self.changed_at.contains_key(&key) => FileStatus::Unknown,
            None => before_span.status,
        };
        Entry::Modified(ModifiedFile {
            purpose: before_span.purpose,
            status: if action == FileAction::Deleted { FileStatus::Unknown } else { status },
            ..ModifiedFile::of(file, action)
        })
    }
}

/// The summary's files that the span touches. Their entries are incomplete until they are replaced.
struct Opened {
    /// Their indexes in `files_modified`, with the keys of their ids.
    modified: Vec<(usize, u64)>,
    /// Their indexes in `files_read`.
    read: Vec<usize>,
    /// Their histories, in the same order.
    record: Vec<FileFact>,
    /// The other values of their entries, by path key.
    earlier: HashMap<String, Known>,
}

/// The values of a file's entry besides its history.
#[derive(Default)]
struct Known {
    status: FileStatus,
    /// What a model wrote about it.
    purpose: Option<String>,
}

/// Takes the files that the span touches out of the summary. `is_beside` says that a model writes about files
/// too: what it wrote about a file that was read is kept when the file changes.
fn open(summary: &mut Summary, touched: &PathSet, is_beside: bool) -> Opened {
    let (mut modified, mut read, mut record) = (Vec::new(), Vec::new(), Vec::new());
    let mut earlier: HashMap<String, Known> = HashMap::new();
    for (at, file) in summary.files_modified.iter_mut().enumerate() {
        if !touched.contains(&file.path) {
            continue;
        }
        earlier.insert(path_key(&file.path), Known { status: file.status, purpose: file.purpose.take() });
        modified.push((at, of_file(&file.path)));
        record.push(file.take_history());
    }
    for (at, file) in summary.files_read.iter_mut().enumerate() {
        if !touched.contains(&file.path) {
            continue;
        }
        let purpose = file.reason.clone().filter(|_| is_beside);
        earlier.insert(path_key(&file.path), Known { status: FileStatus::Unknown, purpose });
        read.push(at);
        record.push(FileFact {
            path: std::mem::take(&mut file.path),
            reason: file.reason.take(),
            seqs: std::mem::take(&mut file.seqs),
            ..FileFact::default()
        });
    }
    Opened { modified, read, record, earlier }
}

/// The status by the latest decisive test run after a change; a run of unknown outcome does not count.
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
