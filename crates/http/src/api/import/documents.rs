//! Checks the documents of an import: each is parsed into the type that reads it later.

use std::collections::BTreeSet;

use serde_json::value::RawValue;

use crate::api::evaluations::StoredScores;
use crate::api::export::ExportLine;
use crate::api::pins::read_pins;
use crate::api::prelude::*;
use crate::api::probes::NewProbe;
use crate::api::todos::read_todos;
use crate::extract::json::parse;
use anchord_context::note::{self, MAX_NOTES};
use anchord_facts::ledger::{CommandFact, LedgerState, TestRunFact};
use anchord_facts::redact::redact;
use anchord_record::probe::{Probe, ProbeResult};
use anchord_record::version::VersionMeta;
use anchord_session::compression::{Report, Request};
use anchord_store::compressions::Kind as JobKind;
use anchord_store::dump::{
    CompressionDump, EvaluationDump, FactDump, FactKind, NoteDump, ProbeDump, TodosDump, VersionDump,
};
use anchord_store::import::{Brings, Own};
use anchord_store::notes::MAX_PAST;

/// The most ids of dropped constraints in an import.
const MAX_DROPPED_ENTRIES: usize = 1_000;
/// The most facts or probes of one line.
const MAX_ROWS: usize = 1_000;
/// The most smaller forms of a version.
const MAX_SMALLER: usize = 20;
/// The most changes of a todo list: each item before it and each one after it.
const MAX_TODO_CHANGES: usize = 2 * anchord_facts::todo::MAX_TODOS;
/// The most characters of the name of what asked for a compression.
const MAX_TRIGGER_BYTES: usize = 64;

/// Reads what a branch has of its own beside messages and versions.
pub(super) fn read_own(line: ExportLine) -> Result<Own> {
    let dropped_entries = line.dropped_entries.unwrap_or_default();
    if dropped_entries.len() > MAX_DROPPED_ENTRIES {
        let detail = format!("must hold at most {MAX_DROPPED_ENTRIES}");
        return Err(ApiError::invalid("/dropped_entries", detail));
    }
    if dropped_entries.iter().any(|id| id.contains('\0') || id.len() > 200) {
        return Err(ApiError::invalid("/dropped_entries", "must hold ids of constraints"));
    }
    Ok(Own {
        pins: read_pins(line.pins.unwrap_or_default())?,
        notes: read_notes(line.notes.unwrap_or_default())?,
        todos: line.todos.map(read_todo_list).transpose()?,
        dropped_entries,
    })
}

/// Checks the notes of an export. What was stored had no secrets; a file may.
fn read_notes(mut notes: Vec<NoteDump>) -> Result<Vec<NoteDump>> {
    let most = MAX_NOTES + usize::try_from(MAX_PAST).unwrap_or_default();
    if notes.len() > most {
        return Err(ApiError::invalid("/notes", format!("must hold at most {most} texts")));
    }
    let mut places = BTreeSet::new();
    for (at, note) in notes.iter_mut().enumerate() {
        check_number(&format!("/notes/{at}/id"), note.id, 1)?;
        check_number(&format!("/notes/{at}/seq"), note.seq, 0)?;
        check_time(&format!("/notes/{at}/created_at"), note.created_at)?;
        if !places.insert((note.id, note.seq)) {
            return Err(ApiError::invalid(
                format!("/notes/{at}"),
                "must have one text for each `id` and `seq`",
            ));
        }
        if let Some(text) = &mut note.text {
            *text = redact(text).into_owned();
            if let Some(detail) = note::refused(text) {
                return Err(ApiError::invalid(format!("/notes/{at}/text"), detail));
            }
        }
    }
    Ok(notes)
}

fn read_todo_list(todos: TodosDump) -> Result<TodosDump> {
    let items = todos.items.iter().cloned().map(Into::into).collect();
    read_todos(items).map_err(|refused| {
        let ApiError::Invalid(mut errors) = refused else { return refused };
        for error in &mut errors {
            error.pointer = error.pointer.replacen("/todos", "/todos/items", 1);
        }
        ApiError::Invalid(errors)
    })?;
    if todos.changes.len() > MAX_TODO_CHANGES {
        return Err(ApiError::invalid("/todos/changes", format!("must hold at most {MAX_TODO_CHANGES}")));
    }
    if let Some(version) = todos.version {
        check_number("/todos/version", version, 1)?;
    }
    check_number("/todos/revision", todos.revision, 1)?;
    check_time("/todos/updated_at", todos.updated_at)?;
    Ok(todos)
}

pub(super) fn read_version(version: VersionDump) -> Result<(VersionMeta, VersionDump)> {
    let mut meta: VersionMeta = read_raw("/meta", &version.meta)?;
    meta.imported = true;
    read_raw::<LedgerState>("/carry", &version.carry)?;
    if !version.document.get().starts_with('{') {
        return Err(ApiError::invalid("/document", "must be an object"));
    }
    let VersionDump { rendering, smaller, digest, recap, .. } = &version;
    if smaller.len() > MAX_SMALLER {
        return Err(ApiError::invalid("/smaller", format!("must hold at most {MAX_SMALLER}")));
    }
    let smaller = smaller.iter().enumerate().map(|(at, text)| (format!("/smaller/{at}"), text));
    let texts = [("/rendering".to_owned(), rendering)].into_iter().chain(smaller);
    for (place, text) in texts.chain(digest.iter().map(|digest| ("/digest".to_owned(), digest))) {
        check_text(&format!("{place}/text"), &text.text)?;
        if text.tokens < 0 {
            return Err(ApiError::invalid(format!("{place}/tokens"), "must be at least 0"));
        }
    }
    check_text("/recap", recap)?;
    check_time("/created_at", version.created_at)?;
    Ok((meta, version))
}

pub(super) fn read_facts(facts: Vec<FactDump>) -> Result<Brings> {
    check_rows("/facts", facts.len())?;
    for (at, fact) in facts.iter().enumerate() {
        let place = format!("/facts/{at}/value");
        match fact.kind {
            FactKind::Command => drop(read_raw::<CommandFact>(&place, &fact.value)?),
            FactKind::TestRun => drop(read_raw::<TestRunFact>(&place, &fact.value)?),
        }
    }
    Ok(Brings::Facts(facts))
}

pub(super) fn read_probes(mut probes: Vec<ProbeDump>) -> Result<Brings> {
    check_rows("/probes", probes.len())?;
    for (at, dump) in probes.iter_mut().enumerate() {
        let place = format!("/probes/{at}/probe");
        let mut probe: Probe = read_raw(&place, &dump.probe)?;
        if dump.version.is_none() {
            probe = NewProbe::from(probe).checked().map_err(|refused| under(&place, refused))?;
        }
        dump.probe = serde_json::value::to_raw_value(&probe).map_err(ApiError::internal)?;
        check_time(&format!("/probes/{at}/created_at"), dump.created_at)?;
    }
    Ok(Brings::Probes(probes))
}

pub(super) fn read_evaluation(evaluation: EvaluationDump) -> Result<Brings> {
    read_raw::<StoredScores>("/scores", &evaluation.scores)?;
    let results = serde_json::from_str::<Vec<ProbeResult>>(evaluation.results.get());
    results.map_err(|refused| ApiError::invalid("/results", refused.to_string()))?;
    check_time("/created_at", evaluation.created_at)?;
    Ok(Brings::Evaluation(Box::new(evaluation)))
}

pub(super) fn read_compression(compression: CompressionDump) -> Result<Brings> {
    if compression.kind == JobKind::Index {
        return Err(ApiError::invalid("/kind", "must be `compress` or `evaluate`"));
    }
    if compression.status.is_live() {
        return Err(ApiError::invalid("/status", "must have ended"));
    }
    let trigger = compression.trigger.as_bytes();
    if trigger.len() > MAX_TRIGGER_BYTES || trigger.iter().any(|byte| !byte.is_ascii_graphic()) {
        return Err(ApiError::invalid("/trigger", "must be the name of a signal"));
    }
    read_raw::<Request>("/request", &compression.request)?;
    if let Some(report) = &compression.report {
        read_raw::<Report>("/report", report)?;
    }
    check_number("/attempts", compression.attempts.into(), 0)?;
    check_time("/created_at", compression.created_at)?;
    for (place, time) in [("/started_at", compression.started_at), ("/finished_at", compression.finished_at)]
    {
        time.map_or(Ok(()), |time| check_time(place, time))?;
    }
    Ok(Brings::Compression(Box::new(compression)))
}

/// Parses a document as it is read later.
fn read_raw<'a, T: Deserialize<'a>>(place: &str, raw: &'a RawValue) -> Result<T> {
    parse(raw.get().as_bytes()).map_err(|refused| under(place, refused))
}

fn check_text(place: &str, text: &str) -> Result<()> {
    if text.contains('\0') { Err(ApiError::invalid(place, "must not contain NUL")) } else { Ok(()) }
}

/// Checks a number that grows by one: there is always a next one.
fn check_number(place: &str, number: i64, least: i64) -> Result<()> {
    let most = 1 << 53;
    if (least..=most).contains(&number) {
        return Ok(());
    }
    Err(ApiError::invalid(place, format!("must be from {least} to {most}")))
}

fn check_rows(place: &str, rows: usize) -> Result<()> {
    if rows <= MAX_ROWS {
        return Ok(());
    }
    Err(ApiError::invalid(place, format!("must hold at most {MAX_ROWS}")))
}

/// Checks that a time is one that the database has.
pub(super) fn check_time(place: &str, at: DateTime<Utc>) -> Result<()> {
    if (0..253_402_300_800).contains(&at.timestamp()) {
        return Ok(());
    }
    Err(ApiError::invalid(place, "must be a time from 1970 to 9999"))
}

/// Adds a place before the pointers of an error.
pub(super) fn under(place: &str, refused: ApiError) -> ApiError {
    let deeper = |error: FieldError| FieldError { pointer: format!("{place}{}", error.pointer), ..error };
    if let ApiError::Invalid(errors) = refused {
        ApiError::Invalid(errors.into_iter().map(deeper).collect())
    } else if let ApiError::MalformedJson(detail) = refused {
        ApiError::MalformedJson(format!("line {place}: {detail}"))
    } else {
        refused
    }
}
