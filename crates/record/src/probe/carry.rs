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

/// The most probes that earlier spans hand on.
pub const MAX_CARRIED: usize = 32;

/// The caller's own probes and the earlier critical ones that the candidate must still answer, the
/// latest last.
///
/// A probe is retired when a rule of the merge replaced or retired its fact: an error that was
/// resolved, a state that moved on, an intent that changed, and what is `gone`: a file that was
/// renamed or taken back, a constraint that the caller took back. A fact that is simply not there is
/// asked for, and fails.
#[must_use]
pub fn carry_over(previous: &[Probe], candidate: &Summary, gone: &Gone) -> Vec<Probe> {
    let errors: LazyCell<Vec<(String, &ErrorEntry)>, _> = LazyCell::new(|| {
        candidate.errors.iter().map(|e| (wording::normalized_error(&e.message), e)).collect()
    });
    // Whether one of a message is open.
    let open: LazyCell<BTreeMap<&str, bool>, _> = LazyCell::new(|| {
        let mut open = BTreeMap::new();
        for error in &candidate.errors {
            *open.entry(error.message.as_str()).or_default() |= error.status != ErrorStatus::Resolved;
        }
        open
    });
    let intent = wording::normalized(&candidate.session_intent);
    let still_held =
        || -> HashSet<String> { candidate.constraints.iter().filter_map(|c| fact(&c.text)).collect() };
    let held = if gone.constraints.is_empty() { HashSet::new() } else { still_held() };
    let taken_back: HashSet<String> =
        gone.constraints.iter().filter_map(|c| fact(&c.text)).filter(|text| !held.contains(text)).collect();
    let is_retired = |probe: &Probe| match probe.section {
        Some(Section::FilesModified) => {
            probe.expected.iter().any(|path| !gone.files.is_empty() && gone.files.contains(&path_key(path)))
        }
        // Resolved; or met again with other numbers, which the summary then has.
        Some(Section::Errors) => probe.expected.iter().any(|message| {
            let as_it_was =
                open.range(message.as_str()..).take_while(|(known, _)| known.starts_with(message));
            if let Some(is_open) = as_it_was.map(|(_, is_open)| *is_open).reduce(|a, b| a || b) {
                return !is_open;
            }
            let wanted = wording::normalized_error(message);
            let known = errors.iter().find(|(key, _)| key.starts_with(&wanted));
            known.is_some_and(|(_, e)| {
                e.status == ErrorStatus::Resolved || fact(&e.message).as_ref() != Some(message)
            })
        }),
        Some(Section::Constraints) => probe.expected.iter().any(|text| taken_back.contains(text)),
        // An intent that is there and another was set by a change of scope, or by reading all anew.
        Some(Section::SessionIntent) => {
            !intent.is_empty()
                && !probe.expected.iter().all(|text| intent.starts_with(&wording::normalized(text)))
        }
        // Replaced by every span that states them.
        Some(
            Section::CurrentState
            | Section::NextSteps
            | Section::Blockers
            | Section::OpenQuestions
            | Section::TestResults,
        ) => true,
        Some(Section::DecisionsMade) => candidate
            .decisions_made
            .iter()
            .any(|d| d.superseded_by.is_some() && fact(&d.decision).as_ref() == probe.expected.first()),
        // What is asked of one of few things is not asked for ever.
        Some(
            Section::Things | Section::FilesRead | Section::Requests | Section::Findings | Section::Notes,
        )
        | None => false,
    };
    let mut seen = HashSet::new();
    let mut room = MAX_CARRIED;
    // The latest asking of a probe counts, so that the oldest go when there are too many.
    let mut kept: Vec<Probe> = previous
        .iter()
        .rev()
        .filter(|p| is_callers(p) || (p.critical && !is_retired(p)))
        .filter(|p| seen.insert((p.section, p.question.as_str())))
        .filter(|p| {
            let fits = is_callers(p) || room > 0;
            room = room.saturating_sub(usize::from(!is_callers(p)));
            fits
        })
        .cloned()
        .collect();
    kept.reverse();
    kept
}

/// A caller's own probe names no section; it is asked for as long as the caller keeps it.
fn is_callers(probe: &Probe) -> bool {
    probe.section.is_none()
}
