//! The lines of each section's entries, the most important first.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::fmt::Write as _;
use std::rc::Rc;

use super::super::section::Section;
use super::super::summary::{
    Blocker, Decision, ErrorEntry, ErrorStatus, ReadFile, Remark, RequestEntry, RequestState, Summary,
    TestResult,
};
use super::entries::{Entries, Line};
use super::escape::{self, short};
use crate::critical::CRITICAL_ERRORS;
use crate::merge::is_blocked_by;
use anchord_facts::ledger::constraints::{Constraint, ConstraintSource};
use anchord_facts::ledger::errors::PLANTED;
use anchord_facts::ledger::requests::only_asks;
use anchord_facts::wording::{self, clip_words};

/// The most characters of an error's message.
pub(super) const ERROR_CHARS: usize = 300;
/// The most characters of a fact; probes search for no more.
pub const FACT_CHARS: usize = 160;
/// The most characters of a rationale, a reason, or what is known of an open error.
const REASON_CHARS: usize = 400;
/// The most characters of how an error was resolved.
const FIX_CHARS: usize = 120;
/// The most characters of an earlier request.
const REQUEST_CHARS: usize = 200;
/// An open error is old when it was last reported this many messages before the anchor.
const LONG_AGO: i64 = 150;
/// An error that was not met for so many messages is not called open.
const A_WHILE_AGO: i64 = 24;
/// From this number on, open errors of one shape share a line.
const ALIKE: usize = 3;
/// The most errors of such a line that are named.
const ALIKE_NAMED: usize = 8;
/// The most characters of an entry that a model may write.
pub(super) const ENTRY_CHARS: usize = 1_600;

/// The style of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListShape {
    /// With dashes.
    Bullets,
    /// With the entry's number in the summary.
    Numbers,
}

/// One line for each entry.
fn in_order<'a, T: 'a>(ranked: Vec<(usize, T)>, print: impl Fn(usize, T) -> String + 'a) -> Entries<'a> {
    let all = ranked.len();
    let lines = ranked.into_iter().map(move |(order, e)| Line::entry(order, print(order, e)));
    Entries::of(all, all, lines)
}

/// Lines that several entries share; `all` is the number of entries in the summary.
fn shared<'a>(lines: Vec<Shared>, all: usize, print: impl Fn(&[usize]) -> String + 'a) -> Entries<'a> {
    let print = move |Shared { order, of }| Line::entry(order, print(&of)).telling(of.len());
    Entries::of(lines.len(), all, lines.into_iter().map(print))
}

/// Entries that share a line, as indexes into a list.
struct Shared {
    order: usize,
    of: Vec<usize>,
}

fn latest(seqs: &[i64]) -> i64 {
    seqs.last().copied().unwrap_or(0)
}

/// Constraints: pins first, then the latest of a person or the operator, each word for word.
pub(super) fn constraints(summary: &Summary) -> Entries<'_> {
    let is_pin = |c: &Constraint| c.source == ConstraintSource::Pin;
    let pinned: HashSet<String> =
        summary.constraints.iter().filter(|c| is_pin(c)).map(|c| wording::normalized(&c.text)).collect();
    // A pin of the same text shows it.
    let mut ranked: Vec<(usize, &Constraint)> = summary
        .constraints
        .iter()
        .enumerate()
        .filter(|(_, c)| is_pin(c) || pinned.is_empty() || !pinned.contains(&wording::normalized(&c.text)))
        .collect();
    ranked.sort_by_key(|(order, c)| match c.source {
        ConstraintSource::Pin => (0, i64::try_from(*order).unwrap_or(i64::MAX)),
        ConstraintSource::User | ConstraintSource::System => (1, -latest(&c.seqs)),
    });
    in_order(ranked, |_, c| {
        let source = match c.source {
            ConstraintSource::Pin => "pin",
            ConstraintSource::User => "user",
            ConstraintSource::System => "system",
        };
        let text = escape::block(&c.text, "  ");
        if c.replaces.is_empty() {
            return format!("- [{source}] {text}");
        }
        let replaced: Vec<String> =
            c.replaces.iter().map(|old| format!("\"{}\"", escape::block(old, "  "))).collect();
        format!("- [{source}] {text} (replaces {})", replaced.join(", "))
    })
}

/// How many constraints are pins.
pub(super) fn pins(summary: &Summary) -> usize {
    summary.constraints.iter().filter(|c| c.source == ConstraintSource::Pin).count()
}

/// Decisions: valid ones first, the latest of them first.
pub(super) fn decisions(summary: &Summary, shape: ListShape) -> Entries<'_> {
    let mut ranked: Vec<(usize, &Decision)> = summary.decisions_made.iter().enumerate().collect();
    ranked.sort_by_key(|(order, d)| (d.superseded_by.is_some(), Reverse(*order)));
    in_order(ranked, move |order, d| decision(d, order, shape))
}

fn decision(d: &Decision, order: usize, shape: ListShape) -> String {
    let mut text = match shape {
        ListShape::Bullets => "- ".to_owned(),
        ListShape::Numbers => format!("{}. ", order + 1),
    };
    let most = if d.superseded_by.is_some() { FACT_CHARS } else { ENTRY_CHARS };
    text.push_str(&short(&d.decision, most));
    // A sentence often contains its reason and what it rejects, which are not repeated then.
    let said = wording::normalized(&d.decision);
    let is_new = |part: &str| !part.trim().is_empty() && !said.contains(&wording::normalized(part));
    if is_new(&d.rationale) {
        text.push_str(": ");
        text.push_str(&short(&d.rationale, REASON_CHARS));
    }
    let unsaid = d.alternatives.iter().filter(|a| is_new(a.trim_end_matches('…')));
    let unsaid: Vec<String> = unsaid.take(6).map(|a| short(a, 80)).collect();
    if !unsaid.is_empty() {
        let _ = write!(text, " (instead of: {})", unsaid.join(", "));
    }
    if let Some(later) = &d.superseded_by {
        let _ = write!(text, " [superseded by: {}]", short(later, FACT_CHARS));
    }
    text
}

/// The state: phase and task, then the description; only that may be cut.
pub(super) fn state<'a>(summary: &Summary, [before_phase, before_task, before]: [&str; 3]) -> Entries<'a> {
    let state = &summary.current_state;
    let mut lines = Vec::new();
    if let Some(task) = state.task.as_ref().filter(|t| !t.trim().is_empty()) {
        lines.push(Line::entry(1, format!("{before_task}{}", short(task, ENTRY_CHARS))).clippable());
    }
    if let Some(phase) = state.phase.as_ref().filter(|t| !t.trim().is_empty()) {
        lines.push(Line::entry(0, format!("{before_phase}{}", short(phase, 80))));
    }
    if !state.text.trim().is_empty() {
        let indent = " ".repeat(before.len());
        let text = format!("{before}{}", escape::block(&state.text, &indent));
        lines.push(Line::entry(2, text).clippable());
    }
    if !state.since.is_empty() {
        let told = state.since.iter().map(|one| format!("{}{}", short(&one.text, FACT_CHARS), at(one)));
        let told: Vec<String> = told.collect();
        lines.push(Line::entry(
            3 + state.shown_done().len(),
            format!("{before}After that, as far as it was known when this was written: {}", told.join("; ")),
        ));
    }
    for (number, one) in state.shown_done().iter().enumerate().rev() {
        let text = format!("{before}Done{}: {}", at(one), short(&one.text, FACT_CHARS));
        lines.push(Line::entry(3 + number, text));
    }
    Entries::printed(lines)
}

/// The message of a remark.
fn at(remark: &Remark) -> String {
    remark.seqs.last().map(|seq| format!(" (#{seq})")).unwrap_or_default()
}

/// The next steps in order: the first one matters most.
pub(super) fn next_steps(summary: &Summary) -> Entries<'_> {
    let ranked = summary.next_steps.iter().enumerate().collect();
    in_order(ranked, |i, step: &String| format!("{}. {}", i + 1, short(step, ENTRY_CHARS)))
}

/// In the order of the summary.
pub(super) fn blockers(summary: &Summary) -> Entries<'_> {
    let ranked = summary.blockers.iter().enumerate().collect();
    in_order(ranked, |_, b: &Blocker| {
        format!("- {}{}", short(&b.text, ENTRY_CHARS), origin(b.session_id.as_ref()))
    })
}

/// Whether an error is shown in a version; a resolved one in the version that resolved it and the next.
fn is_told(error: &ErrorEntry, version: i64) -> bool {
    // An error that moved is shown at its new place.
    let moved = error.resolution.as_deref().is_some_and(|fix| fix.starts_with("met again as: "));
    // What tests print was no error.
    let planted = error.resolution.as_deref() == Some(PLANTED);
    error.status != ErrorStatus::Resolved
        || !moved && !planted && error.resolved_in_version.is_none_or(|v| version <= v.saturating_add(1))
}

/// Open errors, the latest first.
pub(super) fn open_errors(summary: &Summary) -> Vec<&ErrorEntry> {
    let mut open: Vec<&ErrorEntry> =
        summary.errors.iter().filter(|e| e.status != ErrorStatus::Resolved).collect();
    open.sort_by_key(|e| Reverse(latest(&e.seqs)));
    open
}

/// Errors: open ones first, the latest first, those of one cause on one line; then those resolved recently.
pub(super) fn errors(summary: &Summary, (version, through): (i64, i64)) -> Entries<'_> {
    let place = |(order, e): (usize, &ErrorEntry)| {
        Reverse((e.status == ErrorStatus::Resolved, Reverse(latest(&e.seqs)), order))
    };
    let told = || summary.errors.iter().enumerate().filter(|(_, e)| is_told(e, version));
    // Sorted step by step, because few of many have room.
    let mut ranked: BinaryHeap<_> = told().map(place).collect();
    let all = ranked.len();
    let mut alike = Alike::among(told());
    let mut told_lines = 0;
    let next = move || {
        loop {
            let Reverse((_, _, order)) = ranked.pop()?;
            let entry = summary.errors.get(order)?;
            // An error that was not reported for long is mostly gone; the summary has it.
            told_lines += 1;
            let is_old = entry.status == ErrorStatus::Open && latest(&entry.seqs) < through - LONG_AGO;
            if is_old && told_lines > CRITICAL_ERRORS {
                continue;
            }
            let Some(others) = alike.take(order) else { continue };
            let mut text = error(entry, through);
            if !others.is_empty() {
                let names = others
                    .iter()
                    .filter_map(|at| distinct(&entry.message, &summary.errors.get(*at)?.message));
                let mut names: Vec<&str> = names.collect();
                names.sort_unstable();
                names.dedup();
                names.truncate(ALIKE_NAMED);
                let _ = write!(text, "; {} more like it", others.len());
                if !names.is_empty() {
                    let _ = write!(text, ": {}", short(&names.join(", "), REASON_CHARS));
                }
            }
            // A part of an open error's long first line is better than nothing.
            return Some(
                Line::entry(order, text).telling(1 + others.len()).shortening(others.len()).clippable(),
            );
        }
    };
    Entries::of(all, all, std::iter::from_fn(next))
}

/// Open errors that are the same except for names, paths and figures.
struct Alike {
    /// The index of an error's group.
    group: HashMap<usize, usize>,
    /// The errors of each group; empty once they are shown.
    groups: Vec<Vec<usize>>,
}

impl Alike {
    fn among<'e>(errors: impl Iterator<Item = (usize, &'e ErrorEntry)>) -> Self {
        let mut by_shape: HashMap<String, Vec<usize>> = HashMap::new();
        for (order, error) in errors.filter(|(_, error)| error.status != ErrorStatus::Resolved) {
            if let Some(shape) = wording::error_shape(error.kind.as_deref(), &error.message) {
                by_shape.entry(shape).or_default().push(order);
            }
        }
        let mut groups: Vec<Vec<usize>> =
            by_shape.into_values().filter(|group| group.len() >= ALIKE).collect();
        groups.sort_unstable();
        let members =
            groups.iter().enumerate().flat_map(|(at, group)| group.iter().map(move |order| (*order, at)));
        Self { group: members.collect(), groups }
    }

    /// The other errors of an error's group, once; `None` when they are shown already.
    fn take(&mut self, order: usize) -> Option<Vec<usize>> {
        let Some(group) = self.group.get(&order).and_then(|at| self.groups.get_mut(*at)) else {
            return Some(Vec::new());
        };
        let mut all = std::mem::take(group);
        if all.is_empty() {
            return None;
        }
        all.retain(|at| *at != order);
        Some(all)
    }
}

/// The first word of `other` that `told` lacks.
fn distinct<'m>(told: &str, other: &'m str) -> Option<&'m str> {
    let known: HashSet<&str> = told.split_whitespace().collect();
    other.split_whitespace().find(|word| !known.contains(word))
}

/// The session of an entry from another one, so that the reader does not look for it in this session.
pub(super) fn origin(session_id: Option<&String>) -> String {
    session_id.map(|name| format!(" (session {})", escape::line(name))).unwrap_or_default()
}

fn error(e: &ErrorEntry, through: i64) -> String {
    // Nobody says that an error is gone, so that an old one claims no more than when it was met.
    let met = e.seqs.last().filter(|_| e.session_id.is_none());
    let status = match (e.status, met) {
        (ErrorStatus::Open, Some(seq)) if *seq < through - A_WHILE_AGO => {
            format!("not met since message {seq}")
        }
        (ErrorStatus::Open, Some(seq)) => format!("open, last met in message {seq}"),
        (ErrorStatus::Open, None) => "open".to_owned(),
        (ErrorStatus::Investigating, _) => "investigating".to_owned(),
        (ErrorStatus::Resolved, _) => "resolved".to_owned(),
    };
    let mut text = format!("- [{status}] ");
    let message = short(&e.message, ERROR_CHARS);
    if let Some(kind) = e.kind.as_ref().filter(|k| !message.starts_with(k.as_str())) {
        let _ = write!(text, "{}: ", short(kind, 80));
    }
    text.push_str(&message);
    let is_open = e.status != ErrorStatus::Resolved;
    if let Some(place) = e.location.as_ref().filter(|place| is_open && !place.trim().is_empty()) {
        let _ = write!(text, " (at {})", short(place, FACT_CHARS));
    }
    if e.count > 1 {
        let _ = write!(text, " ×{}", e.count);
    }
    text.push_str(&origin(e.session_id.as_ref()));
    // That a command passes by now says nothing of how.
    if let Some(fix) = e.resolution.as_ref().filter(|r| !r.trim().is_empty() && !r.ends_with(" succeeded")) {
        let (told, most) = if is_open { ("", REASON_CHARS) } else { ("resolved: ", FIX_CHARS) };
        let _ = write!(text, "; {told}{}", short(fix, most));
    }
    text
}

/// Test runs, the latest first.
pub(super) fn test_results(summary: &Summary) -> Entries<'_> {
    let mut ranked: Vec<(usize, &TestResult)> = summary.test_results.iter().enumerate().collect();
    // A run that a later one covers is not shown.
    ranked.retain(|(_, t): &(usize, &TestResult)| t.superseded_by.is_none());
    ranked.sort_by_key(|(order, t)| Reverse((latest(&t.seqs), *order)));
    in_order(ranked, |_, t| {
        let is_named = summary.blockers.iter().any(|blocker| is_blocked_by(&blocker.text, t));
        test_result(t, is_named)
    })
}

/// A run; the failing tests that a blocker names are not named again.
fn test_result(t: &TestResult, is_named: bool) -> String {
    let outcome = t.outcome.as_str();
    let mut text = format!("- {}: {outcome}", escape::code(&short(&t.command, FACT_CHARS)));
    match (t.passed, t.failed) {
        (Some(p), Some(f)) => {
            let _ = write!(text, " ({p} passed, {f} failed)");
        }
        (Some(p), None) => {
            let _ = write!(text, " ({p} passed)");
        }
        (None, Some(f)) => {
            let _ = write!(text, " ({f} failed)");
        }
        (None, None) => {}
    }
    text.push_str(&origin(t.session_id.as_ref()));
    if !t.failing.is_empty() && !is_named {
        const NAMED: usize = 8;
        let named: Vec<String> = t.failing.iter().take(NAMED).map(|n| short(n, FACT_CHARS)).collect();
        let _ = write!(text, "; failing: {}", named.join(", "));
        if t.failing.len() > NAMED {
            let _ = write!(text, " (+{} more)", t.failing.len() - NAMED);
        }
    }
    text
}

/// The files that were read with their indexes in the summary, the latest first.
pub(super) fn ranked_reads(summary: &Summary) -> Rc<[(usize, &ReadFile)]> {
    let mut ranked: Vec<_> =
        summary.files_read.iter().enumerate().map(|(order, f)| (latest(&f.seqs), order, f)).collect();
    // Those first of which something is known.
    ranked.sort_unstable_by_key(|(latest, order, f)| Reverse((f.reason.is_some(), *latest, *order)));
    ranked.into_iter().map(|(_, order, f)| (order, f)).collect()
}

/// The most files of one folder on a line.
const FILES_TO_A_LINE: usize = 8;

/// How many files may be shown in this many lines.
pub(super) fn files_taken(ranked: &[(usize, &ReadFile)], lines: usize) -> usize {
    let are_grouped = ranked.len() >= super::files::GROUP_FROM;
    if are_grouped { ranked.len().min(lines.saturating_mul(FILES_TO_A_LINE)) } else { ranked.len() }
}

/// Files read, the latest first; when there are many, the first `taken` of them by folder.
pub(super) fn files_read<'a>(ranked: &Rc<[(usize, &'a ReadFile)]>, taken: usize) -> Entries<'a> {
    if ranked.len() >= super::files::GROUP_FROM {
        return by_folder(Rc::clone(ranked), taken);
    }
    in_order(ranked.to_vec(), |_, f: &ReadFile| {
        let path = escape::code(&f.path);
        match f.reason.as_ref().filter(|r| !r.trim().is_empty()) {
            Some(reason) => format!("- {path}: {}", short(reason, ENTRY_CHARS)),
            None => format!("- {path}"),
        }
    })
}

/// Paths by folder, several to a line, the folder read latest first.
fn by_folder(ranked: Rc<[(usize, &ReadFile)]>, taken: usize) -> Entries<'_> {
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut lines: Vec<Shared> = Vec::new();
    for (at, (_, file)) in ranked.iter().enumerate().take(taken) {
        let (folder, _) = super::files::split(&file.path);
        let slot = open.get(folder).and_then(|slot| lines.get_mut(*slot));
        if let Some(line) = slot.filter(|line| line.of.len() < FILES_TO_A_LINE) {
            line.of.push(at);
        } else {
            open.insert(folder, lines.len());
            lines.push(Shared { order: lines.len(), of: vec![at] });
        }
    }
    shared(lines, ranked.len(), move |of| {
        let mut text = String::new();
        for (_, file) in of.iter().filter_map(|at| ranked.get(*at)) {
            let (folder, name) = super::files::split(&file.path);
            if text.is_empty() {
                let _ = write!(text, "- {}: {}", escape::code(folder), escape::line(name));
            } else {
                text.push_str("; ");
                text.push_str(&escape::line(name));
            }
        }
        text
    })
}

/// How many requests are open.
pub(super) fn open_requests(summary: &Summary) -> usize {
    summary.requests.iter().filter(|request| request.state == RequestState::Open).count()
}

/// Requests that the intent does not show, open ones first, the latest of them first, each with its state.
pub(super) fn requests(summary: &Summary) -> Entries<'_> {
    let intent = wording::normalized(&summary.session_intent);
    let is_told = |request: &RequestEntry| {
        matches!(request.state, RequestState::Open | RequestState::Done)
            && request.outcome.is_none()
            && intent.contains(&wording::normalized(clip_words(&request.text, 80)))
    };
    // A question that the person went on from was answered, and is one of many.
    let was_answered = |request: &RequestEntry| {
        request.state == RequestState::Done && request.outcome.is_none() && only_asks(&request.text)
    };
    let mut ranked: Vec<(usize, &RequestEntry)> = summary
        .requests
        .iter()
        .enumerate()
        .rev()
        .filter(|(order, request)| !is_told(request) && (*order == 0 || !was_answered(request)))
        .collect();
    // The open ones, then what the session began with, which later words refer to.
    ranked.sort_by_key(|(order, request)| (request.state != RequestState::Open, *order != 0));
    in_order(ranked, |_, request| {
        let state = match (&request.superseded_by, &request.outcome) {
            (_, Some(outcome)) => format!("{}: {}", request.state.as_str(), short(outcome, REASON_CHARS)),
            (Some(later), None) => format!("superseded by: {}", short(later, 80)),
            // The person went on: whether it was all done, only who understood it knows.
            (None, None) if request.state == RequestState::Done => "past".to_owned(),
            (None, None) => request.state.as_str().to_owned(),
        };
        format!("- [{state}] {}{}", ends(&request.text), origin(request.session_id.as_ref()))
    })
}

/// The beginning and end of a request, because the question often follows a pasted text.
fn ends(text: &str) -> String {
    let line = escape::line(text);
    if line.chars().count() <= REQUEST_CHARS {
        return line;
    }
    let (head, tail) =
        (clip_words(&line, REQUEST_CHARS / 2), wording::clip_words_tail(&line, REQUEST_CHARS / 2));
    format!("{} … {}", head.trim_end(), tail.trim_start())
}

/// In the order of the summary.
pub(super) fn remarks(remarks: &[Remark]) -> Entries<'_> {
    let ranked = remarks.iter().enumerate().collect();
    in_order(ranked, |_, remark: &Remark| {
        format!("- {}{}", short(&remark.text, ENTRY_CHARS), origin(remark.session_id.as_ref()))
    })
}

/// A section's name in texts for readers.
pub(super) fn title(section: Section) -> &'static str {
    match section {
        Section::SessionIntent => "Session Intent",
        Section::Requests => "Earlier Requests",
        Section::FilesModified => "Files Modified",
        Section::FilesRead => "Files Read",
        Section::DecisionsMade => "Decisions Made",
        Section::CurrentState => "Current State",
        Section::Errors => "Errors",
        Section::TestResults => "Test Results",
        Section::Blockers => "Blockers",
        Section::OpenQuestions => "Open Questions",
        Section::Findings => "Findings",
        Section::NextSteps => "Next Steps",
        Section::Things => "Things",
        Section::Notes => "Notes",
        Section::Constraints => "Constraints",
    }
}
