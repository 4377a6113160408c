//! Makes probes from a span's facts and proposal.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::super::file_history::{PathSet, path_key};
use super::super::proposal::Proposal;
use super::super::render::FACT_CHARS;
use super::super::section::Section;
use super::super::summary::{ErrorStatus, ModifiedFile, Summary};
use super::question::{Match, Probe, ProbeKind};
use super::score::gives_away;
use crate::critical::{CRITICAL_ERRORS, CRITICAL_FILES};
use anchord_facts::ledger::constraints::{self, Constraint, ConstraintSource};
use anchord_facts::ledger::{Facts, FileAction, FileFact, TestOutcome, TestRunFact, TodoStatus};
use anchord_facts::thing::Thing;
use anchord_facts::wording;
use anchord_messages::id::Seq;

/// The most probes of one span.
pub const MAX_PROBES: usize = 56;
/// The most facts that one probe expects.
pub const MAX_EXPECTED: usize = 200;
/// The most characters of constraints that are critical, the latest first; about a hundred tokens.
const CRITICAL_CONSTRAINT_CHARS: usize = 400;

/// Makes the probes of a span: limited in number, each once, the critical ones first.
///
/// `base` and the candidate only decide which of the span's facts still hold (an unchanged intent, pins); the
/// expected facts come from `facts` and `proposal`. No question holds a fact that its answer needs: a reader that only
/// repeats the question must not pass.
pub fn generate(
    facts: &Facts,
    proposal: &Proposal,
    base: Option<&Summary>,
    candidate: &Summary,
) -> Vec<Probe> {
    let mut probes = Vec::new();
    artifacts(facts, candidate, &mut probes);
    constraints(facts, candidate, &mut probes);
    recalls(facts, candidate, &mut probes);
    continuation(facts, proposal, base, &mut probes);
    decisions(proposal, &mut probes);
    blockers(proposal, &mut probes);
    for probe in &mut probes {
        let expected = std::mem::take(&mut probe.expected);
        probe.expected = expected.into_iter().filter(|fact| !gives_away(probe, fact)).collect();
    }
    probes.retain(|p| !p.expected.is_empty());
    let mut seen = HashSet::new();
    let is_first: Vec<bool> = probes.iter().map(|p| seen.insert(p.asks())).collect();
    let mut is_first = is_first.into_iter();
    probes.retain(|_| is_first.next().unwrap_or_default());
    probes.sort_by_key(|p| !p.critical);
    probes.truncate(MAX_PROBES);
    probes
}

/// A fact as it is searched for: on one line, its first words.
pub(super) fn fact(text: &str) -> Option<String> {
    let line = wording::one_line(text);
    let clipped = wording::clip_words(&line, FACT_CHARS);
    (!clipped.is_empty()).then(|| clipped.to_owned())
}

/// A fact that must match exactly; `None` when it is too long to be rendered whole.
fn exact(text: &str) -> Option<String> {
    let line = wording::one_line(text);
    (!line.is_empty() && line.len() <= 300).then_some(line)
}

fn latest(seqs: &[Seq]) -> Seq {
    seqs.last().copied().unwrap_or(0)
}

fn probe(kind: ProbeKind, section: Section, question: String, expected: Vec<String>, seqs: &[Seq]) -> Probe {
    Probe {
        kind,
        question,
        expected,
        mode: Match::All,
        section: Some(section),
        exact: false,
        critical: false,
        seqs: seqs.to_vec(),
        reference: None,
    }
}

fn artifacts(facts: &Facts, candidate: &Summary, probes: &mut Vec<Probe>) {
    // The path is spelt as in the summary; one that the summary lost, as in the facts.
    let of_span = PathSet::of(facts.files.iter().map(|f| f.path.as_str()));
    let in_span = |path: &&str| of_span.contains(path);
    let told: Vec<&ModifiedFile> =
        candidate.files_modified.iter().filter(|f| in_span(&f.path.as_str())).collect();
    let spelling: HashMap<String, &str> = told
        .iter()
        .map(|f| f.path.as_str())
        .chain(candidate.files_read.iter().map(|f| f.path.as_str()).filter(in_span))
        .map(|path| (path_key(path), path))
        .collect();
    let spell = |f: &FileFact| exact(spelling.get(&path_key(&f.path)).copied().unwrap_or(f.path.as_str()));
    // The old name of a renamed file is not a separate file.
    let sources: HashSet<String> =
        facts.files.iter().filter_map(|f| f.renamed_from.as_deref().map(path_key)).collect();
    let moved_away = |f: &FileFact| {
        f.action == Some(FileAction::Deleted) && !f.transient && sources.contains(&path_key(&f.path))
    };
    let mut changed: Vec<&FileFact> = facts
        .files
        .iter()
        .filter(|f| f.action.is_some() && !moved_away(f) && exact(&f.path).is_some())
        .collect();
    // Only the summary knows that a file which this span removed was created by an earlier one.
    let passing: HashSet<String> = told.iter().filter(|f| f.transient).map(|f| path_key(&f.path)).collect();
    let is_transient = |f: &FileFact| f.transient || passing.contains(&path_key(&f.path));
    changed.sort_by_key(|f| (is_transient(f), Reverse(latest(&f.seqs))));
    for (i, file) in changed.iter().take(CRITICAL_FILES).enumerate() {
        let Some(path) = spell(file) else { continue };
        probes.push(Probe {
            exact: true,
            critical: !is_transient(file),
            ..probe(
                ProbeKind::Artifact,
                Section::FilesModified,
                format!("Which files in {} were created, changed, renamed or deleted?", folder(&path)),
                vec![path.clone()],
                &file.seqs,
            )
        });
        // What a model says of a file takes the place of its changes.
        let explained = told.iter().find(|known| known.path == path && known.purpose.is_some());
        let is_listed = |change: &&String| explained.is_none_or(|known| known.changes.contains(change));
        if let Some(change) = file
            .changes
            .last()
            .filter(is_listed)
            .and_then(|c| fact(c))
            .filter(|_| i < 6 && !is_transient(file))
        {
            let question = format!("What changed last in {path}?");
            probes.push(probe(
                ProbeKind::Artifact,
                Section::FilesModified,
                question,
                vec![change],
                &file.seqs,
            ));
        }
    }
    let paths: Vec<String> = changed.iter().take(MAX_EXPECTED).filter_map(|f| spell(f)).collect();
    if paths.len() > 1 {
        probes.push(Probe {
            exact: true,
            mode: Match::Ratio(0.95),
            ..probe(
                ProbeKind::Artifact,
                Section::FilesModified,
                "Which files were changed?".to_owned(),
                paths,
                &[],
            )
        });
    }
    // A file that was changed before and only read here stays among the changed files.
    let before = told.iter().map(|f| path_key(&f.path));
    let changed: HashSet<String> =
        changed.iter().map(|f| path_key(&f.path)).chain(sources).chain(before).collect();
    let mut read: Vec<&FileFact> =
        facts.files.iter().filter(|f| f.action.is_none() && !changed.contains(&path_key(&f.path))).collect();
    read.sort_by_key(|f| Reverse(latest(&f.seqs)));
    let paths: Vec<String> = read.iter().take(12).filter_map(|f| spell(f)).collect();
    if !paths.is_empty() {
        probes.push(Probe {
            exact: true,
            mode: Match::Ratio(0.8),
            ..probe(ProbeKind::Artifact, Section::FilesRead, "Which files were read?".to_owned(), paths, &[])
        });
    }
}

/// The folder of a path, in words for a question.
fn folder(path: &str) -> &str {
    match path.rfind(['/', '\\']) {
        Some(at) if at > 0 => path.get(..at).unwrap_or_default(),
        _ => "the root folder",
    }
}

fn constraints(facts: &Facts, candidate: &Summary, probes: &mut Vec<Probe>) {
    let ask = |c: &Constraint, critical: bool| {
        let expected: Vec<String> = fact(&c.text).into_iter().collect();
        let question = "Which rules were set for the work, word for word?".to_owned();
        Probe { critical, ..probe(ProbeKind::Constraint, Section::Constraints, question, expected, &c.seqs) }
    };
    // The caller sets pins, so the candidate has them as they were given.
    for pin in candidate.constraints.iter().filter(|c| c.source == ConstraintSource::Pin) {
        probes.push(ask(pin, true));
    }
    // What the span itself ended is not asked for, and a permission demands nothing.
    let mut found = facts.constraints.clone();
    constraints::end_replaced(&mut found, |_| true);
    // Nor is what a model saw ended by a person's words.
    let ended: HashSet<&str> =
        candidate.constraints.iter().flat_map(|held| &held.replaces).map(String::as_str).collect();
    found.retain(|one| {
        !one.permits && !ended.iter().any(|text| !text.is_empty() && one.text.starts_with(text))
    });
    found.sort_by_key(|c| Reverse(latest(&c.seqs)));
    let mut room = CRITICAL_CONSTRAINT_CHARS;
    for constraint in found.into_iter().take(10) {
        let critical = constraint.text.len() <= room;
        if critical {
            room -= constraint.text.len();
        }
        probes.push(ask(&constraint, critical));
    }
}

fn recalls(facts: &Facts, candidate: &Summary, probes: &mut Vec<Probe>) {
    // The summary keeps the latest wording of an error.
    let mut errors: Vec<_> = facts.errors.iter().rev().filter(|e| e.count > 0).collect();
    errors.sort_by_key(|e| (e.resolution.is_some(), Reverse(latest(&e.seqs))));
    let mut keys = HashSet::new();
    errors.retain(|e| keys.insert(wording::normalized_error(&e.message)));
    // Errors of one cause share a line, which begins with the latest.
    let mut shapes = HashSet::new();
    errors.retain(|e| {
        wording::error_shape(e.kind.as_deref(), &e.message).is_none_or(|shape| shapes.insert(shape))
    });
    // A model may have seen that one is over.
    let over = candidate.errors.iter().filter(|error| error.status == ErrorStatus::Resolved);
    let over: HashSet<&str> = over.map(|error| error.message.as_str()).collect();
    for (i, error) in errors.into_iter().take(6).enumerate() {
        let Some(message) = fact(&error.message) else { continue };
        let question = format!("Which error did message {} show?", latest(&error.seqs));
        probes.push(Probe {
            critical: error.resolution.is_none()
                && !over.contains(error.message.as_str())
                && i < CRITICAL_ERRORS,
            ..probe(ProbeKind::Recall, Section::Errors, question, vec![message], &error.seqs)
        });
    }
    let mut runs: Vec<_> = facts.test_runs.iter().collect();
    runs.reverse();
    // A run that a later one covers, or that was done again after the span, is not rendered.
    let rendered: HashSet<&[Seq]> = candidate
        .test_results
        .iter()
        .filter(|run| run.superseded_by.is_none())
        .map(|run| run.seqs.as_slice())
        .collect();
    runs.retain(|run| rendered.contains(run.seqs.as_slice()));
    let mut commands = HashSet::new();
    runs.retain(|r| commands.insert(wording::one_line(&r.command)));
    for run in runs.into_iter().take(2) {
        if let Some(command) = fact(&run.command) {
            let question = format!("How did the tests go ({})?", wording::clip_words(&command, 80));
            probes.push(probe(ProbeKind::Recall, Section::TestResults, question, outcome(run), &run.seqs));
        }
    }
    // The latest things that somebody named, by their ids.
    let named: HashSet<&str> =
        facts.named.iter().map(|(id, _)| id.as_str()).filter(|id| !id.trim().is_empty()).collect();
    let mut known: Vec<_> = facts.things.iter().filter(|thing| named.contains(thing.id.as_str())).collect();
    known.sort_by_key(|thing| Reverse(latest(&thing.seqs)));
    let merged: HashMap<String, &Thing> = candidate.things.iter().map(|thing| (thing.key(), thing)).collect();
    for thing in known.into_iter().take(8) {
        let name = wording::one_line(&format!("{} {}", thing.kind, thing.id));
        let question = format!("What is known of {}?", name.trim());
        let probe = probe(ProbeKind::Recall, Section::Things, question, Vec::new(), &thing.seqs);
        let told = property(thing, merged.get(&thing.key()).copied(), &probe);
        probes.push(Probe { expected: told.into_iter().collect(), ..probe });
    }
}

/// What a run of tests came to: its counts, or a word where it has none.
fn outcome(run: &TestRunFact) -> Vec<String> {
    let counts = [(run.passed, "passed"), (run.failed, "failed")];
    let counts: Vec<String> =
        counts.into_iter().filter_map(|(count, what)| count.map(|count| format!("{count} {what}"))).collect();
    if !counts.is_empty() {
        return counts;
    }
    let is_told = run.outcome != TestOutcome::Unknown;
    is_told.then(|| run.outcome.as_str().to_owned()).into_iter().collect()
}

/// The value of a thing's property that says most: the longest that is shown whole, that the question does not hold, and
/// that is still the latest.
fn property(thing: &Thing, merged: Option<&Thing>, probe: &Probe) -> Option<String> {
    let still_holds = |name: &str, value: &str| {
        let known = merged.and_then(|merged| merged.properties.iter().find(|p| p.name == name));
        known.map_or(merged.is_none_or(|merged| merged.more == 0), |known| known.value == value)
    };
    let values = thing.properties.iter().filter(|p| still_holds(&p.name, &p.value));
    let values = values.map(|p| wording::one_line(&p.value));
    // A table escapes these characters in its cells.
    let fits = |value: &String| !value.is_empty() && value.len() <= FACT_CHARS && !value.contains(['|', '`']);
    values.filter(|value| fits(value) && !gives_away(probe, value)).max_by_key(String::len)
}

fn continuation(facts: &Facts, proposal: &Proposal, base: Option<&Summary>, probes: &mut Vec<Probe>) {
    let known = base.map_or("", |b| b.session_intent.trim());
    if let Some(intent) = proposal.intent.as_ref().filter(|i| known.is_empty() || i.changes_scope) {
        let line = wording::one_line(&intent.text);
        // Only its beginning, because a rendering may cut the end of a long first message.
        let start = wording::clip_words(&line, 80);
        if !start.is_empty() {
            probes.push(Probe {
                critical: true,
                ..probe(
                    ProbeKind::Continuation,
                    Section::SessionIntent,
                    "What is the session for?".to_owned(),
                    vec![start.to_owned()],
                    &intent.seqs,
                )
            });
        }
    }
    let todo = |status| {
        let items = facts.todos.iter().flat_map(|list| &list.items);
        items.filter(move |i| i.status == status).map(|i| i.content.as_str())
    };
    let state = &proposal.current_state;
    let task = state
        .task
        .as_deref()
        .filter(|t| !t.trim().is_empty())
        .or_else(|| todo(TodoStatus::InProgress).next());
    if let Some(task) = task.and_then(fact) {
        probes.push(Probe {
            critical: true,
            ..probe(
                ProbeKind::Continuation,
                Section::CurrentState,
                "What is the task in hand?".to_owned(),
                vec![task],
                &state.seqs,
            )
        });
    }
    if let Some(text) = fact(&state.text) {
        let question = "Where does the work stand?".to_owned();
        probes.push(probe(ProbeKind::Continuation, Section::CurrentState, question, vec![text], &state.seqs));
    }
    let mut steps: Vec<String> = proposal.next_steps.iter().take(4).filter_map(|s| fact(s)).collect();
    if steps.is_empty() {
        steps = todo(TodoStatus::Pending).take(4).filter_map(fact).collect();
    }
    if !steps.is_empty() {
        probes.push(Probe {
            mode: Match::Ratio(0.75),
            ..probe(
                ProbeKind::Continuation,
                Section::NextSteps,
                "What should be done next?".to_owned(),
                steps,
                &proposal.next_steps_seqs,
            )
        });
    }
}

fn decisions(proposal: &Proposal, probes: &mut Vec<Probe>) {
    for decision in proposal.decisions.iter().rev().take(6) {
        let Some(what) = fact(&decision.decision) else { continue };
        let why = format!("Why \"{}\"?", wording::clip_words(&what, 80));
        let why = probe(ProbeKind::Decision, Section::DecisionsMade, why, Vec::new(), &decision.seqs);
        let reason = fact(&decision.rationale).filter(|reason| !gives_away(&why, reason));
        // A decision without a reason of its own is asked for itself.
        let (question, expected) = match reason {
            Some(reason) => (why.question, reason),
            None => ("Which decisions were made?".to_owned(), what),
        };
        probes.push(Probe { question, expected: vec![expected], ..why });
    }
}

fn blockers(proposal: &Proposal, probes: &mut Vec<Probe>) {
    for blocker in proposal.blockers.iter().take(4) {
        let Some(what) = fact(&blocker.text) else { continue };
        let question = "What stands in the way?".to_owned();
        probes.push(probe(ProbeKind::Blocker, Section::Blockers, question, vec![what], &blocker.seqs));
    }
}
