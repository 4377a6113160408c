//! Which critical probes of earlier spans are asked again, so that drift over many compressions shows.

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashSet};

use super::super::file_history::path_key;
use super::super::merge::Gone;
use super::super::section::Section;
use super::super::summary::{ErrorEntry, ErrorStatus, Summary};
use super::generate::fact;
use super::question::Probe;
use anchord_facts::wording;

/// The most probes of earlier spans that are asked again.
pub const MAX_CARRIED: usize = 32;

/// The caller's own probes and the earlier critical ones that the candidate must still answer, the latest
/// last.
///
/// A probe is retired when a rule of the merge replaced or removed its fact: an error that was resolved, a
/// state that moved on, an intent that changed, and what is in `gone`: a file that was renamed or withdrawn,
/// a constraint that the caller removed, what is above the record's bounds. A fact that is merely missing is
/// asked for, and its probe fails.
pub fn carry_over(previous: &[Probe], candidate: &Summary, gone: &Gone) -> Vec<Probe> {
    let errors: LazyCell<Vec<(String, &ErrorEntry)>, _> = LazyCell::new(|| {
        candidate.errors.iter().map(|e| (wording::normalized_error(&e.message), e)).collect()
    });
    // For each message, whether an error with it is open.
    let open: LazyCell<BTreeMap<&str, bool>, _> = LazyCell::new(|| {
        let mut open = BTreeMap::new();
        for error in &candidate.errors {
            *open.entry(error.message.as_str()).or_default() |= error.status != ErrorStatus::Resolved;
        }
        open
    });
    let intent = wording::normalized(&candidate.session_intent);
    // A demand may be stated again in other letters, and a path with other spaces.
    let folded = |text: &str| fact(text).map(|text| wording::normalized(&text));
    let still_held =
        || -> HashSet<String> { candidate.constraints.iter().filter_map(|c| folded(&c.text)).collect() };
    let held = if gone.constraints.is_empty() { HashSet::new() } else { still_held() };
    let taken_back = gone.constraints.iter().filter_map(|c| folded(&c.text));
    let taken_back: HashSet<String> = taken_back.filter(|text| !held.contains(text)).collect();
    let errors_gone: HashSet<String> = gone.errors.iter().filter_map(|message| fact(message)).collect();
    let files_gone: HashSet<String> =
        gone.files.iter().map(|path| path_key(&wording::one_line(path))).collect();
    let is_retired = |probe: &Probe| match probe.section {
        Some(Section::FilesModified) => {
            probe.expected.iter().any(|path| !files_gone.is_empty() && files_gone.contains(&path_key(path)))
        }
        // Retired when the error is resolved, or was reported again with other figures, which the summary
        // then has.
        Some(Section::Errors) => probe.expected.iter().any(|message| {
            let as_it_was =
                open.range(message.as_str()..).take_while(|(known, _)| known.starts_with(message));
            if let Some(is_open) = as_it_was.map(|(_, is_open)| *is_open).reduce(|a, b| a || b) {
                return !is_open;
            }
            if errors_gone.contains(message) {
                return true;
            }
            let wanted = wording::normalized_error(message);
            let known = errors.iter().find(|(key, _)| key.starts_with(&wanted));
            known.is_some_and(|(_, e)| {
                e.status == ErrorStatus::Resolved || fact(&e.message).as_ref() != Some(message)
            })
        }),
        Some(Section::Constraints) => {
            probe.expected.iter().any(|text| taken_back.contains(&wording::normalized(text)))
        }
        // A different intent was set by a change of scope, or by reading the whole history again.
        Some(Section::SessionIntent) => {
            !intent.is_empty()
                && !probe.expected.iter().all(|text| intent.starts_with(&wording::normalized(text)))
        }
        // Every span that states them replaces them.
        Some(
            Section::CurrentState
            | Section::NextSteps
            | Section::Blockers
            | Section::OpenQuestions
            | Section::TestResults,
        ) => true,
        // Never critical, or the caller's own.
        Some(
            Section::DecisionsMade
            | Section::Things
            | Section::FilesRead
            | Section::Requests
            | Section::Findings
            | Section::Notes,
        )
        | None => false,
    };
    let mut seen = HashSet::new();
    let mut room = MAX_CARRIED;
    // Of equal probes the latest counts, and the oldest are dropped when there are too many.
    let mut kept: Vec<Probe> = previous
        .iter()
        .rev()
        .filter(|p| p.is_callers() || (p.critical && !is_retired(p)))
        .filter(|p| seen.insert(p.asks()))
        .filter(|p| {
            let fits = p.is_callers() || room > 0;
            room = room.saturating_sub(usize::from(!p.is_callers()));
            fits
        })
        .cloned()
        .collect();
    kept.reverse();
    kept
}
