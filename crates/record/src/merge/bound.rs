//! The bounds of a record: the most bytes of each section that grows with its session.
//!
//! They are above what work makes: thousands of files, a thousand errors. Without them, prepared messages would make a
//! record that every later version loads, copies and renders. The messages of what is removed stay, and recall finds
//! them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::file_history::path_key;
use super::super::section::Section;
use super::super::summary::{
    Blocker, Decision, ErrorEntry, ErrorStatus, ModifiedFile, ReadFile, Remark, RequestEntry, RequestState,
    Summary, TestResult,
};
use super::{Gone, leave_out};
use anchord_facts::ledger::FileAction;
use anchord_facts::ledger::constraints::{Constraint, ConstraintSource};
use anchord_messages::id::Seq;

/// The most bytes of the files that were changed.
const MOST_OF_FILES: usize = 2 << 20;
/// The most bytes of the files that were read.
const MOST_OF_READ: usize = 1 << 20;
/// The most bytes of each other section.
const MOST: usize = 512 * 1024;
/// The most next steps: as many as a todo list may have items.
const MOST_STEPS: usize = 200;
/// The most changes of a file, and the most bytes of them: the latest.
const MOST_CHANGES: usize = 256;
const MOST_OF_CHANGES: usize = 32 * 1024;

/// Removes what is above the bounds, the oldest first. What came from messages after `anchor` stays up to twice the
/// bounds, because the version is asked for it.
pub(super) fn keep(summary: &mut Summary, anchor: Seq, gone: &mut Gone) {
    for file in &mut summary.files_modified {
        latest_changes(&mut file.changes);
    }
    let mut bounds = Bounds { anchor, left_out: &mut summary.left_out };
    let files = bounds.keep(Section::FilesModified, &mut summary.files_modified, MOST_OF_FILES);
    bounds.keep(Section::FilesRead, &mut summary.files_read, MOST_OF_READ);
    bounds.keep(Section::DecisionsMade, &mut summary.decisions_made, MOST);
    let errors = bounds.keep(Section::Errors, &mut summary.errors, MOST);
    bounds.keep(Section::TestResults, &mut summary.test_results, MOST);
    bounds.keep(Section::Blockers, &mut summary.blockers, MOST);
    bounds.keep(Section::OpenQuestions, &mut summary.open_questions, MOST);
    bounds.keep(Section::Findings, &mut summary.findings, MOST);
    bounds.keep(Section::Notes, &mut summary.notes, MOST);
    let constraints = bounds.keep(Section::Constraints, &mut summary.constraints, MOST);
    bounds.keep(Section::Requests, &mut summary.requests, MOST);
    let steps = summary.next_steps.len().saturating_sub(MOST_STEPS);
    summary.next_steps.truncate(MOST_STEPS);
    bounds.leave_out(Section::NextSteps, steps);
    let paths = files.iter().flat_map(|file| [Some(&file.path), file.renamed_from.as_ref()]).flatten();
    gone.files.extend(paths.map(|path| path_key(path)));
    gone.errors = errors.into_iter().map(|error| error.message).collect();
    gone.constraints.extend(constraints);
}

/// Bounds the sections of a summary, and counts what is removed of each.
struct Bounds<'a> {
    anchor: Seq,
    left_out: &'a mut BTreeMap<Section, u32>,
}

impl Bounds<'_> {
    fn keep<T: Entry>(&mut self, section: Section, entries: &mut Vec<T>, most: usize) -> Vec<T> {
        let removed = bound(entries, most, self.anchor);
        self.leave_out(section, removed.len());
        removed
    }

    fn leave_out(&mut self, section: Section, removed: usize) {
        leave_out(self.left_out, section, u32::try_from(removed).unwrap_or(u32::MAX));
    }
}

fn size<T: Entry>(entries: &[T]) -> usize {
    entries.iter().map(Entry::size).sum()
}

/// Removes the least needed entries until the others have at most `most` bytes, and twice that with those that came
/// from messages after `anchor`; returns them.
fn bound<T: Entry>(entries: &mut Vec<T>, most: usize, anchor: Seq) -> Vec<T> {
    let mut size = size(entries);
    if size <= most {
        return Vec::new();
    }
    let mut order: Vec<(bool, bool, Seq, usize)> = entries
        .iter()
        .zip(0..)
        .filter(|(entry, _)| entry.may_go())
        .map(|(entry, at)| (entry.age() > anchor, !entry.goes_first(), entry.age(), at))
        .collect();
    order.sort_unstable();
    let mut goes = BTreeSet::new();
    for (is_new, _, _, at) in order {
        if size <= if is_new { 2 * most } else { most } {
            continue;
        }
        size = size.saturating_sub(entries.get(at).map_or(0, Entry::size));
        goes.insert(at);
    }
    let mut at = 0..;
    entries.extract_if(.., |_| at.next().is_some_and(|at| goes.contains(&at))).collect()
}

/// Keeps the latest changes of a file.
fn latest_changes(changes: &mut Vec<String>) {
    let mut room = MOST_OF_CHANGES;
    let fits = |change: &&String| {
        room = room.saturating_sub(change.len());
        room > 0
    };
    let kept = changes.iter().rev().take(MOST_CHANGES).take_while(fits).count().max(1);
    let surplus = changes.len().saturating_sub(kept);
    changes.drain(..surplus);
}

/// An entry of a section, as its bound counts it.
trait Entry: Sized {
    /// The bytes of its texts.
    fn texts(&self) -> usize;
    fn seqs(&self) -> &[Seq];
    /// Whether the work is done with it, or it matters less than others of the section.
    fn goes_first(&self) -> bool {
        false
    }
    fn may_go(&self) -> bool {
        true
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.texts() + size_of_val(self.seqs())
    }

    /// Its last message.
    fn age(&self) -> Seq {
        self.seqs().last().copied().unwrap_or_default()
    }
}

fn len(text: Option<&String>) -> usize {
    text.map_or(0, String::len)
}

/// Each text of a list has a `String` of its own.
fn all(texts: &[String]) -> usize {
    texts.iter().map(|text| size_of::<String>() + text.len()).sum()
}

macro_rules! entry {
    ($type:ty, |$entry:ident| $texts:expr $(, $rule:ident: $holds:expr)*) => {
        impl Entry for $type {
            fn texts(&self) -> usize {
                let $entry = self;
                $texts
            }
            fn seqs(&self) -> &[Seq] {
                &self.seqs
            }
            $(fn $rule(&self) -> bool {
                let $entry = self;
                $holds
            })*
        }
    };
}

entry!(
    ModifiedFile,
    |file| file.path.len() + len(file.renamed_from.as_ref()) + len(file.purpose.as_ref()) + all(&file.changes),
    goes_first: file.transient || file.action == FileAction::Deleted
);
entry!(ReadFile, |file| file.path.len() + len(file.reason.as_ref()));
entry!(
    Decision,
    |one| one.decision.len() + one.rationale.len() + len(one.superseded_by.as_ref()) + all(&one.alternatives),
    goes_first: one.superseded_by.is_some()
);
entry!(
    ErrorEntry,
    |error| error.message.len()
        + len(error.kind.as_ref())
        + len(error.resolution.as_ref())
        + len(error.location.as_ref()),
    goes_first: error.status == ErrorStatus::Resolved
);
entry!(
    TestResult,
    |run| run.command.len() + len(run.superseded_by.as_ref()) + all(&run.failing),
    goes_first: run.superseded_by.is_some()
);
entry!(Blocker, |blocker| blocker.text.len());
entry!(Remark, |remark| remark.text.len());
entry!(
    RequestEntry,
    |one| one.text.len() + len(one.outcome.as_ref()) + len(one.superseded_by.as_ref()),
    goes_first: one.state != RequestState::Open
);
// What the caller pinned is bounded where it is set. A harness may repeat its own in other words at every turn; what a
// person demanded stays longer.
entry!(
    Constraint,
    |one| one.id.len() + one.text.len(),
    goes_first: one.source == ConstraintSource::System,
    may_go: one.source != ConstraintSource::Pin
);
