//! Hand-off between agents: what a sub-agent is told of an earlier session, and how a finished one's
//! record comes back to its parent.
//!
//! A record that comes from another session says so: files and decisions name it in `session_id`, and
//! their `seqs` are that session's. What has no place for an origin brings no `seqs`, because they would
//! point at the wrong messages.

use std::collections::BTreeSet;

use super::extractive;
use super::file_history::{compose, path_key};
use super::ledger::{self, Carry, FileFact, KnownPaths};
use super::message::Numbered;
use super::probe::{CRITICAL_ERRORS, CRITICAL_FILES, Match, Probe, ProbeKind};
use super::redact::redact;
use super::render::{self, FACT_CHARS, Subject};
use super::section::Section;
use super::summary::{
    Blocker, Constraint, Decision, ErrorEntry, ErrorStatus, ModifiedFile, ReadFile, Summary, TechnicalFact,
};
use super::wording::{self, clip_words, join_seqs, one_line};

/// The levels of a hand-off, in tokens.
pub const LEVELS: [u32; 3] = [500, 1_500, 3_000];
/// The level when nobody names one.
pub const DEFAULT_LEVEL: u32 = 1_500;

/// What a finished session leaves in one line, in characters.
const OUTCOME_CHARS: usize = 400;
/// Steps and blockers that a finished session leaves behind.
const LEFT_BEHIND: usize = 5;

/// A session with its current record.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The caller's name of it.
    pub name: &'a str,
    /// Its record.
    pub summary: &'a Summary,
}

/// Renders a record for a sub-agent's prompt within `level` tokens, to be put under a level-2 heading.
#[must_use]
pub fn render(origin: &str, subject: &Subject<'_>, level: u32, count: impl Fn(&str) -> u32) -> String {
    let shown = with_origins(subject.summary);
    let subject = Subject { summary: &shown, ..*subject };
    render::handed_off(origin, &subject, level, count).text
}

/// The record as a reader is told it: what comes from another session says so in words.
fn with_origins(summary: &Summary) -> Summary {
    let mut shown = summary.clone();
    for file in &mut shown.files_modified {
        if let Some(origin) = &file.session_id {
            file.changes.push(format!("by session {origin}"));
        }
    }
    for decision in &mut shown.decisions_made {
        if let Some(origin) = &decision.session_id {
            decision.decision = format!("{} (session {origin})", decision.decision);
        }
    }
    shown
}

/// The record of a task: the newest session's intent and state, everything else united. `sessions` come
/// newest first.
#[must_use]
pub fn together(sessions: &[Origin<'_>]) -> Summary {
    let Some((newest, earlier)) = sessions.split_first() else { return Summary::default() };
    let mut all = newest.summary.clone();
    for file in &mut all.files_modified {
        file.session_id.get_or_insert_with(|| newest.name.to_owned());
    }
    for decision in &mut all.decisions_made {
        decision.session_id.get_or_insert_with(|| newest.name.to_owned());
    }
    for one in earlier {
        unite(&mut all, one);
        add_constraints(&mut all.constraints, &one.summary.constraints);
    }
    all
}

/// Merges a finished session's record into its parent's: the parent's intent, state and constraints stay.
#[must_use]
pub fn merge(parent: &Summary, child: &Origin<'_>) -> Summary {
    let mut merged = parent.clone();
    unite(&mut merged, child);
    let outcome = outcome(child.summary);
    if !outcome.is_empty() {
        let key = format!("session {}", child.name);
        merged.technical_context.retain(|fact| fact.key != key);
        merged.technical_context.push(TechnicalFact { key, value: outcome, seqs: Vec::new() });
    }
    let mut steps: BTreeSet<String> = merged.next_steps.iter().map(|step| wording::key(step)).collect();
    let left =
        child.summary.next_steps.iter().filter(|step| steps.insert(wording::key(step))).take(LEFT_BEHIND);
    merged.next_steps.extend(left.cloned());
    let mut known: BTreeSet<String> = merged.blockers.iter().map(|b| wording::key(&b.text)).collect();
    for blocker in child.summary.blockers.iter().take(LEFT_BEHIND) {
        let text = format!("{} (session {})", blocker.text, child.name);
        if known.insert(wording::key(&text)) {
            merged.blockers.push(Blocker { text, seqs: Vec::new() });
        }
    }
    merged
}

/// The record of a parent that has no version yet: the intent that its first messages state, else the
/// child's.
#[must_use]
pub fn opening(span: &[Numbered], child: &Summary) -> Summary {
    let facts = ledger::read(span, &Carry::default(), &KnownPaths::default());
    let intent =
        extractive::propose(span, &facts, None).intent.filter(|intent| !intent.text.trim().is_empty());
    let (session_intent, session_intent_seqs) = match intent {
        Some(intent) => (redact(&intent.text).into_owned(), intent.seqs),
        None => (child.session_intent.clone(), Vec::new()),
    };
    Summary { session_intent, session_intent_seqs, ..Summary::default() }
}

/// What a session was for and where it ended, in one line.
fn outcome(summary: &Summary) -> String {
    let state = &summary.current_state;
    let end =
        if state.text.trim().is_empty() { state.task.as_deref().unwrap_or_default() } else { &state.text };
    let (aim, end) = (one_line(&summary.session_intent), one_line(end));
    let aim = clip_words(&aim, OUTCOME_CHARS / 2);
    let end = clip_words(&end, OUTCOME_CHARS / 2);
    match (aim.is_empty(), end.is_empty()) {
        (false, false) => format!("{aim} → {end}"),
        _ => format!("{aim}{end}"),
    }
}

/// Unites what two records list: files, decisions, errors, test runs, technical context.
fn unite(all: &mut Summary, from: &Origin<'_>) {
    unite_files(all, from);
    unite_decisions(&mut all.decisions_made, from);
    unite_errors(&mut all.errors, from);
    let commands: BTreeSet<String> = all.test_results.iter().map(|run| one_line(&run.command)).collect();
    let runs = from.summary.test_results.iter().filter(|run| !commands.contains(&one_line(&run.command)));
    all.test_results.extend(runs.cloned().map(|mut run| {
        run.seqs.clear();
        run
    }));
    let known: BTreeSet<(String, String)> =
        all.technical_context.iter().map(|fact| (fact.key.clone(), fact.value.clone())).collect();
    let new = from.summary.technical_context.iter();
    let new = new.filter(|fact| !known.contains(&(fact.key.clone(), fact.value.clone())));
    all.technical_context.extend(new.cloned().map(|fact| TechnicalFact { seqs: Vec::new(), ..fact }));
}

fn unite_files(all: &mut Summary, from: &Origin<'_>) {
    let mut at: std::collections::BTreeMap<String, usize> =
        all.files_modified.iter().enumerate().map(|(i, file)| (path_key(&file.path), i)).collect();
    for file in &from.summary.files_modified {
        let origin = file.session_id.clone().unwrap_or_else(|| from.name.to_owned());
        let key = path_key(&file.path);
        let earlier = at.get(&key).or_else(|| at.get(&path_key(file.renamed_from.as_deref()?))).copied();
        if let Some(known) = earlier.and_then(|slot| all.files_modified.get_mut(slot)) {
            *known = overlay(known, file, &origin);
            if let Some(slot) = earlier {
                at.insert(key, slot);
            }
        } else {
            at.insert(key, all.files_modified.len());
            all.files_modified.push(ModifiedFile { session_id: Some(origin), ..file.clone() });
        }
    }
    all.files_read.retain(|file| !at.contains_key(&path_key(&file.path)));
    let mut read: BTreeSet<String> = all.files_read.iter().map(|file| path_key(&file.path)).collect();
    for file in &from.summary.files_read {
        let key = path_key(&file.path);
        if !at.contains_key(&key) && read.insert(key) {
            let reason = file.reason.clone().or_else(|| Some(format!("by session {}", from.name)));
            all.files_read.push(ReadFile { path: file.path.clone(), reason, seqs: Vec::new() });
        }
    }
}

/// A file that both sessions changed: one entry, the later session's changes under its name.
fn overlay(known: &ModifiedFile, later: &ModifiedFile, origin: &str) -> ModifiedFile {
    let is_same = known.session_id.as_deref() == Some(origin);
    let fact = |file: &ModifiedFile, changes| FileFact {
        path: file.path.clone(),
        action: Some(file.action),
        overwrite_possible: file.overwrite_possible,
        renamed_from: file.renamed_from.clone(),
        transient: file.transient,
        changes,
        reason: None,
        seqs: Vec::new(),
    };
    let told =
        |change: &String| if is_same { change.clone() } else { format!("{change} (session {origin})") };
    let changes: Vec<String> = later.changes.iter().map(told).collect();
    // The same session's later version holds all of its earlier one.
    let whole = if is_same && known.changes.iter().all(|change| changes.contains(change)) {
        fact(later, changes)
    } else {
        compose(fact(known, known.changes.clone()), fact(later, changes))
    };
    let mut seqs = known.seqs.clone();
    if is_same {
        join_seqs(&mut seqs, &later.seqs);
    }
    ModifiedFile {
        path: whole.path,
        action: whole.action.unwrap_or(known.action),
        renamed_from: whole.renamed_from,
        changes: whole.changes,
        status: later.status,
        overwrite_possible: whole.overwrite_possible,
        transient: whole.transient,
        seqs,
        session_id: known.session_id.clone(),
    }
}

fn unite_decisions(all: &mut Vec<Decision>, from: &Origin<'_>) {
    for decision in &from.summary.decisions_made {
        let key = wording::key(&decision.decision);
        let known = all.iter_mut().find(|known| wording::key(&known.decision) == key);
        let Some(known) = known else {
            let origin = decision.session_id.clone().unwrap_or_else(|| from.name.to_owned());
            all.push(Decision { session_id: Some(origin), ..decision.clone() });
            continue;
        };
        if known.rationale.trim().is_empty() {
            known.rationale.clone_from(&decision.rationale);
        }
        if known.session_id.as_deref() == Some(from.name) {
            known.superseded_by.clone_from(&decision.superseded_by);
            join_seqs(&mut known.seqs, &decision.seqs);
        }
    }
}

/// Open errors come along; what a session has resolved is its own affair.
fn unite_errors(all: &mut Vec<ErrorEntry>, from: &Origin<'_>) {
    let known: BTreeSet<String> = all.iter().map(|error| wording::error_key(&error.message)).collect();
    for error in from.summary.errors.iter().filter(|error| error.status != ErrorStatus::Resolved) {
        if !known.contains(&wording::error_key(&error.message)) {
            let place = error.location.clone().map(|place| format!("{place}, session {}", from.name));
            let location = Some(place.unwrap_or_else(|| format!("session {}", from.name)));
            all.push(ErrorEntry { location, seqs: Vec::new(), ..error.clone() });
        }
    }
}

fn add_constraints(all: &mut Vec<Constraint>, more: &[Constraint]) {
    let mut known: BTreeSet<String> = all.iter().map(|one| wording::key(&one.text)).collect();
    for one in more {
        if known.insert(wording::key(&one.text)) {
            all.push(Constraint { seqs: Vec::new(), ..one.clone() });
        }
    }
}

/// What later versions of the parent are asked about a merged session: its latest files and open errors.
#[must_use]
pub fn probes(child: &Origin<'_>) -> Vec<Probe> {
    let probe = |kind, section, question: String, fact: String, exact| Probe {
        kind,
        question,
        expected: vec![fact],
        mode: Match::All,
        section: Some(section),
        exact,
        critical: true,
        seqs: Vec::new(),
    };
    let mut probes = Vec::new();
    let mut files: Vec<&ModifiedFile> =
        child.summary.files_modified.iter().filter(|f| !f.transient).collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.seqs.last().copied()));
    for file in files.into_iter().take(CRITICAL_FILES) {
        let path = one_line(&file.path);
        if path.len() <= 300 && !path.is_empty() {
            let question = format!("What happened to {path} in session {}?", child.name);
            probes.push(probe(ProbeKind::Artifact, Section::FilesModified, question, path, true));
        }
    }
    let open = child.summary.errors.iter().rev().filter(|error| error.status != ErrorStatus::Resolved);
    for error in open.take(CRITICAL_ERRORS) {
        let line = one_line(&error.message);
        let message = clip_words(&line, FACT_CHARS);
        if !message.is_empty() {
            let question = format!("Which error did session {} leave open?", child.name);
            probes.push(probe(ProbeKind::Recall, Section::Errors, question, message.to_owned(), false));
        }
    }
    probes
}

#[cfg(test)]
mod tests;
