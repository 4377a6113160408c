//! Writes a summary as lines, for prompts.

use std::borrow::Cow;

use super::super::summary::{RequestState, Summary, TestResult};
use super::board::Board;
use super::list::{List, Number};
use anchord_facts::thing::NOTE;
use anchord_facts::wording::clip_words;
use anchord_messages::id::Seq;

/// The most runs, errors and files read that are shown: the latest.
const MOST_RUNS: usize = 10;
const MOST_ERRORS: usize = 15;
const MOST_READ: usize = 60;
/// The most characters of an open request's text, so that the items of a list stand in it; of what closed or code quotes; and of
/// a request that is closed and of which is told what came, and of code's part of a thing that a model wrote about.
const OPEN_CHARS: usize = 600;
const QUOTED_CHARS: usize = 300;
pub(super) const CLOSED_CHARS: usize = 160;
/// The mark behind a text that is shown in part.
const CUT: &str = " … (cut here, stored whole)";

/// An entry as a line: what code found, then what was written about it.
pub(super) fn entry(board: &Board, number: Number) -> String {
    let summary = board.summary();
    let Some(at) = board.at(number) else { return String::new() };
    let text = board.text(number).unwrap_or_default();
    match number.list {
        List::Requests => summary.requests.get(at).map_or(text, |request| {
            let state = match &request.outcome {
                Some(outcome) => format!("{}: {outcome}", request.state.as_str()),
                None => request.state.as_str().to_owned(),
            };
            // Code only takes a request for done: a model may have to open it again.
            let is_told = request.state != RequestState::Open && request.outcome.is_some();
            let most = if is_told { CLOSED_CHARS } else { OPEN_CHARS };
            format!("[{state}] {} {}", first(&request.seqs), cut(&request.text, most))
        }),
        List::Decisions => summary.decisions_made.get(at).map_or(text.clone(), |decision| {
            let over = decision.superseded_by.as_ref().map(|by| format!("[over: {by}] ")).unwrap_or_default();
            format!("{over}{text}")
        }),
        List::Things => summary.things.get(at).map_or(text, |thing| {
            let named = thing.properties.iter().filter(|property| property.name != NOTE);
            let own: Vec<String> =
                named.map(|p| format!("{} {}", p.name, p.value).trim().to_owned()).collect();
            let name = format!("{} {}", thing.kind, thing.id);
            match thing.note() {
                Some(note) if own.is_empty() => format!("{} | {note}", name.trim()),
                Some(note) => {
                    format!("{}: {} | {note}", name.trim(), cut(&own.join("; "), CLOSED_CHARS))
                }
                None => format!("{}: {}", name.trim(), own.join("; ")),
            }
        }),
        List::Files => summary.files_modified.get(at).map_or(text, |file| {
            let changes = file.changes.join(", ");
            let told = match &file.purpose {
                Some(purpose) if changes.is_empty() => format!(": {purpose}"),
                Some(purpose) => format!(": {purpose} | since: {changes}"),
                None if changes.is_empty() => String::new(),
                None => format!(": | {changes}"),
            };
            format!("{} ({}){told}", file.path, file.action.as_str())
        }),
        List::Errors => summary.errors.get(at).map_or(text.clone(), |error| {
            let told = if text.is_empty() { String::new() } else { format!(" | {text}") };
            format!("[open] {} {}{told}", first(&error.seqs), cut(&error.message, QUOTED_CHARS))
        }),
        List::Tests => summary
            .test_results
            .get(at)
            .map_or(text, |run| format!("{} {}", first(&run.seqs), self::run(run))),
        List::Constraints => summary
            .constraints
            .get(at)
            .map_or(text, |one| format!("{} {}", first(&one.seqs), one.text).trim().to_owned()),
        List::Findings | List::Questions | List::Blockers | List::Next => text,
    }
}

fn first(seqs: &[Seq]) -> String {
    seqs.first().map(|first| format!("(#{first})")).unwrap_or_default()
}

/// A text as far as there is room, with a mark where it is cut.
pub(super) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    let shown = clip_words(text, most);
    if shown.len() < text.trim_end().len() { format!("{shown}{CUT}").into() } else { text.into() }
}

fn run(run: &TestResult) -> String {
    let counts = match (run.passed, run.failed) {
        (None, None) => String::new(),
        (passed, failed) => {
            format!(" ({} passed, {} failed)", passed.unwrap_or_default(), failed.unwrap_or_default())
        }
    };
    let failing =
        if run.failing.is_empty() { String::new() } else { format!(": {}", run.failing.join(", ")) };
    let text = format!("{} {}{counts}{failing}", run.command, run.outcome.as_str());
    cut(&text, QUOTED_CHARS).into_owned()
}

/// Whether a prompt shows an entry of a list that only code adds to: the latest runs and errors of which something is open.
pub(super) fn is_shown(board: &Board, number: Number, newer: usize) -> bool {
    let most = if number.list == List::Errors { MOST_ERRORS } else { MOST_RUNS };
    !matches!(number.list, List::Errors | List::Tests) || newer < most && !board.is_closed(number)
}

/// The files that were read, the latest first.
pub(super) fn read(summary: &Summary) -> impl Iterator<Item = String> + '_ {
    summary.files_read.iter().rev().take(MOST_READ).map(|file| {
        let reason = file.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        format!("file read: {}{reason}", file.path)
    })
}
