//! Asking earlier spans' critical probes again, so that drift over many compressions shows.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use super::super::file_history::path_key;
use super::super::merge::Gone;
use super::super::section::Section;
use super::super::summary::{ErrorEntry, ErrorStatus, Summary};
use super::generate::fact;
use super::{MAX_CARRIED, Probe};
use anchord_facts::glance::{Glance, end_sum};
use anchord_facts::wording;

/// The caller's own probes and the earlier critical ones that the candidate must still answer, the
/// latest last.
///
/// A probe is retired when a rule of the merge replaced or retired its fact: an error that was
/// resolved, a state that moved on, an intent that changed, and what is `gone`: a file that was
/// renamed or taken back, a constraint that the caller took back. A fact that is simply not there is
/// asked for, and fails.
#[must_use]
pub fn carry_over(previous: &[Probe], candidate: &Summary, gone: &Gone) -> Vec<Probe> {
    let errors: LazyCell<Vec<(String, &ErrorEntry)>, _> =
        LazyCell::new(|| candidate.errors.iter().map(|e| (wording::error_key(&e.message), e)).collect());
    let standing = LazyCell::new(|| standing(previous, candidate));
    let intent = wording::key(&candidate.session_intent);
    let still_held =
        || -> HashSet<String> { candidate.constraints.iter().filter_map(|c| fact(&c.text)).collect() };
    let held = if gone.constraints.is_empty() { HashSet::new() } else { still_held() };
    let taken_back: HashSet<String> =
        gone.constraints.iter().filter_map(|c| fact(&c.text)).filter(|text| !held.contains(text)).collect();
    let is_retired = |probe: &Probe| match probe.section {
        Some(Section::FilesModified) => {
            probe.expected.iter().any(|path| !gone.files.is_empty() && gone.files.contains(&path_key(path)))
        }
        // Resolved; or met again with other numbers, which the record then has.
        Some(Section::Errors) => probe.expected.iter().any(|message| {
            // Most errors stay in the record as they were, and are found without folding all of it.
            if let Some(open) = standing.get(message.as_str()) {
                return !open;
            }
            let wanted = wording::error_key(message);
            let known = errors.iter().find(|(key, _)| key.starts_with(&wanted));
            known.is_some_and(|(_, e)| {
                e.status == ErrorStatus::Resolved || fact(&e.message).as_ref() != Some(message)
            })
        }),
        Some(Section::Constraints) => probe.expected.iter().any(|text| taken_back.contains(text)),
        // An intent that is there and another was set by a change of scope, or by reading all anew.
        Some(Section::SessionIntent) => {
            !intent.is_empty() && !probe.expected.iter().all(|text| intent.starts_with(&wording::key(text)))
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

/// The messages of errors that probes expect and the record has as they are, each with whether such an error
/// is open.
fn standing<'a>(previous: &'a [Probe], candidate: &Summary) -> HashMap<&'a str, bool> {
    /// So much of a message is looked up; the rest is compared.
    const START: usize = 12;
    let is_about_errors = |probe: &&Probe| probe.critical && probe.section == Some(Section::Errors);
    let mut asked: HashSet<&str> =
        previous.iter().filter(is_about_errors).flat_map(|p| &p.expected).map(String::as_str).collect();
    let mut standing = HashMap::new();
    // Most are open as they were asked for, and among the latest.
    let sums: Glance = asked.iter().map(|message| end_sum(message)).collect();
    for error in candidate.errors.iter().rev() {
        if asked.is_empty() {
            return standing;
        }
        let may_be = error.status != ErrorStatus::Resolved && sums.may_hold(end_sum(&error.message));
        if may_be && let Some(message) = asked.take(error.message.as_str()) {
            standing.insert(message, true);
        }
    }
    let mut by_start: HashMap<&[u8], Vec<&'a str>> = HashMap::new();
    for message in asked {
        by_start.entry(message.as_bytes().get(..START).unwrap_or_default()).or_default().push(message);
    }
    // Those that are shorter may be the start of any.
    let short = by_start.remove(&[][..]).unwrap_or_default();
    // A bit for each start tells most of a long record at a glance.
    let bit = |start: &[u8]| 1_u128 << (start.iter().fold(0_u8, |sum, byte| sum.rotate_left(3) ^ byte) & 127);
    let glance = by_start.keys().fold(0, |bits, start| bits | bit(start));
    for error in &candidate.errors {
        let start = error.message.as_bytes().get(..START).filter(|start| glance & bit(start) != 0);
        let alike = start.and_then(|start| by_start.get(start));
        for message in alike.into_iter().flatten().chain(&short) {
            if error.message.starts_with(message) {
                *standing.entry(*message).or_insert(false) |= error.status != ErrorStatus::Resolved;
            }
        }
    }
    standing
}

/// A caller's own probe names no section; it is asked for as long as the caller keeps it.
fn is_callers(probe: &Probe) -> bool {
    probe.section.is_none()
}
