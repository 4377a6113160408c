//! Writes a summary as lines, for prompts.

use super::super::summary::{ErrorStatus, Summary};
use super::board::{self, Board};
use super::list::{List, Number};
use anchord_facts::thing::NOTE;
use anchord_messages::id::Seq;

/// The most constraints that are shown, [`STEP`] aside; other lists have a part or a multiple of it.
const KEPT_SHOWN: usize = 30;
/// So many of the oldest are left out at once, because those behind them stand elsewhere then.
const STEP: usize = 10;

/// An entry as a line: what code found, then what was written about it.
pub(super) fn entry(board: &Board, number: Number) -> String {
    let (summary, at) = (board.summary(), number.at);
    let text = board.text(number).unwrap_or_default();
    match number.list {
        List::Requests => summary.requests.get(at).map_or(text, |request| {
            let state = match &request.outcome {
                Some(outcome) => format!("{}: {outcome}", request.state.as_str()),
                None => request.state.as_str().to_owned(),
            };
            format!("[{state}]{} {}", seqs(&request.seqs), request.text)
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
            match board::note(thing) {
                Some(note) if own.is_empty() => format!("{} | {note}", name.trim()),
                Some(note) => format!("{}: {} | {note}", name.trim(), own.join("; ")),
                None => format!("{}: {}", name.trim(), own.join("; ")),
            }
        }),
        List::Files => summary.files_modified.get(at).map_or(text, |file| {
            let changes = if file.changes.is_empty() {
                String::new()
            } else {
                format!(": {}", file.changes.join(", "))
            };
            let purpose = file.purpose.as_ref().map(|text| format!(" | {text}")).unwrap_or_default();
            format!("{} ({}){changes}{purpose}", file.path, file.action.as_str())
        }),
        List::Findings | List::Questions | List::Blockers | List::Next => text,
    }
}

fn seqs(seqs: &[Seq]) -> String {
    seqs.first().map(|first| format!(" (#{first})")).unwrap_or_default()
}

/// The constraints, which only code writes, oldest first.
pub(super) fn constraints(summary: &Summary) -> impl Iterator<Item = String> {
    let older = summary.constraints.len().saturating_sub(KEPT_SHOWN) / STEP * STEP;
    summary.constraints.iter().skip(older).map(|c| format!("constraint: {}", c.text))
}

/// Lines of the other sections that only code writes: the latest test runs, open errors, files read.
pub(super) fn kept(summary: &Summary) -> Vec<String> {
    let mut lines = Vec::new();
    for run in
        summary.test_results.iter().filter(|run| run.superseded_by.is_none()).rev().take(KEPT_SHOWN / 3)
    {
        let outcome = format!("{:?}", run.outcome).to_lowercase();
        let counts = match (run.passed, run.failed) {
            (None, None) => String::new(),
            (passed, failed) => {
                format!(" ({} passed, {} failed)", passed.unwrap_or_default(), failed.unwrap_or_default())
            }
        };
        let failing =
            if run.failing.is_empty() { String::new() } else { format!(": {}", run.failing.join(", ")) };
        lines.push(format!("test run: {} {outcome}{counts}{failing}", run.command));
    }
    let open = summary.errors.iter().filter(|error| error.status != ErrorStatus::Resolved);
    lines.extend(open.rev().take(KEPT_SHOWN / 2).map(|error| format!("open error: {}", error.message)));
    lines.extend(summary.files_read.iter().rev().take(2 * KEPT_SHOWN).map(|file| {
        let reason = file.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        format!("file read: {}{reason}", file.path)
    }));
    lines
}
