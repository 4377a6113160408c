//! Puts the facts that a candidate lost back into it, word for word.

use super::super::file_history::{identity, restored};
use super::super::proposal::Proposal;
use super::super::section::Section;
use super::super::summary::{ErrorEntry, ReadFile, Remark, Summary, TestResult};
use super::question::{ProbeResult, Verdict};
use super::quote::Lines;
use super::report::ProbeReport;
use anchord_facts::ledger::{ErrorFact, Facts, TestRunFact};
use anchord_facts::thing::Thing;
use anchord_facts::wording;
use anchord_messages::message::Numbered;

/// The most facts of callers' probes that one repair looks for in the messages.
const MOST_QUOTED: usize = 64;

/// Adds the missing facts of failed probes to their sections; returns whether anything changed, so that the
/// probes should be scored again. For a caller's probe, whose facts no section is made for, the span is quoted among
/// the findings.
pub fn repair(
    report: &ProbeReport,
    facts: &Facts,
    proposal: &Proposal,
    span: &[Numbered],
    summary: &mut Summary,
) -> bool {
    let mut changed = false;
    let mut unknown = Vec::new();
    for result in report.results.iter().filter(|r| r.verdict == Verdict::Fail) {
        for missing in &result.missing {
            let is_restored = restore(result, missing, facts, proposal, summary);
            changed |= is_restored;
            if !is_restored && result.probe.is_callers() {
                unknown.push((&result.probe, missing));
            }
        }
    }
    if unknown.is_empty() {
        return changed;
    }
    let lines = Lines::of(span, &summary.digest);
    let quotes: Vec<Remark> =
        unknown.iter().take(MOST_QUOTED).filter_map(|(probe, fact)| lines.quote(probe, fact)).collect();
    for quote in quotes {
        if !summary.findings.iter().any(|finding| finding.text == quote.text) {
            summary.findings.push(quote);
            changed = true;
        }
    }
    changed
}

fn restore(
    result: &ProbeResult,
    missing: &str,
    facts: &Facts,
    proposal: &Proposal,
    summary: &mut Summary,
) -> bool {
    let about = |text: &str| {
        let (whole, part) = (wording::normalized(text), wording::normalized(missing));
        !part.is_empty() && whole.contains(&part)
    };
    match result.probe.section {
        Some(Section::FilesModified) | None if restore_file(missing, facts, summary) => true,
        Some(Section::FilesModified) => restore_change(result, missing, facts, summary),
        Some(Section::FilesRead) => restore_file(missing, facts, summary),
        Some(Section::Errors) => {
            let Some(fact) = facts.errors.iter().find(|e| about(&e.message)) else { return false };
            restore_error(fact, summary)
        }
        Some(Section::Things) => {
            let is_it = |thing: &&Thing| {
                result.probe.seqs == thing.seqs && thing.properties.iter().any(|p| about(&p.value))
            };
            let Some(fact) = facts.things.iter().find(is_it) else { return false };
            if summary.things.iter().any(|thing| thing.key() == fact.key()) {
                return false;
            }
            summary.things.push(fact.clone());
            true
        }
        Some(Section::DecisionsMade) => {
            let Some(decision) =
                proposal.decisions.iter().find(|d| about(&d.decision) || about(&d.rationale))
            else {
                return false;
            };
            match summary.decisions_made.iter_mut().find(|d| d.key() == decision.key()) {
                Some(known) if known.rationale == decision.rationale => return false,
                Some(known) => known.rationale.clone_from(&decision.rationale),
                None => summary.decisions_made.push(decision.clone()),
            }
            true
        }
        Some(Section::Constraints) => {
            let Some(lost) = facts.constraints.iter().find(|c| about(&c.text)) else { return false };
            if summary.constraints.iter().any(|c| about(&c.text)) {
                return false;
            }
            summary.constraints.push(lost.clone());
            true
        }
        Some(Section::SessionIntent) => {
            let Some(intent) = proposal.intent.as_ref().filter(|i| about(&i.text)) else { return false };
            if summary.session_intent == intent.text {
                return false;
            }
            summary.session_intent.clone_from(&intent.text);
            summary.session_intent_seqs.clone_from(&intent.seqs);
            true
        }
        Some(Section::CurrentState) => {
            if summary.current_state.task.as_deref().is_some_and(about) || about(&summary.current_state.text)
            {
                return false;
            }
            if about(&proposal.current_state.text) {
                summary.current_state.text.clone_from(&proposal.current_state.text);
            } else {
                summary.current_state.task = Some(missing.to_owned());
            }
            true
        }
        Some(Section::NextSteps) => {
            if summary.next_steps.iter().any(|s| about(s)) {
                return false;
            }
            let whole = proposal.next_steps.iter().find(|s| about(s)).cloned();
            summary.next_steps.push(whole.unwrap_or_else(|| missing.to_owned()));
            true
        }
        Some(Section::Blockers) => {
            let Some(blocker) = proposal.blockers.iter().find(|b| about(&b.text)) else { return false };
            if summary.blockers.contains(blocker) {
                return false;
            }
            summary.blockers.push(blocker.clone());
            true
        }
        Some(Section::TestResults) => {
            let is_it = |run: &&TestRunFact| run.seqs == result.probe.seqs;
            let Some(run) = facts.test_runs.iter().rev().find(is_it) else { return false };
            restore_run(run, summary)
        }
        Some(Section::Requests | Section::OpenQuestions | Section::Findings | Section::Notes) | None => false,
    }
}

fn restore_run(run: &TestRunFact, summary: &mut Summary) -> bool {
    if summary.test_results.iter().any(|t| t.command == run.command) {
        return false;
    }
    summary.test_results.push(TestResult::from(run));
    true
}

fn restore_file(path: &str, facts: &Facts, summary: &mut Summary) -> bool {
    let key = identity(path);
    let Some(fact) = facts.files.iter().find(|f| identity(&f.path) == key) else { return false };
    if summary.files_modified.iter().any(|f| identity(&f.path) == key) {
        return false;
    }
    match restored(fact) {
        Some(file) => {
            summary.files_read.retain(|f| identity(&f.path) != key);
            summary.files_modified.push(file);
        }
        None if summary.files_read.iter().any(|f| identity(&f.path) == key) => return false,
        None => summary.files_read.push(ReadFile {
            path: fact.path.clone(),
            reason: fact.reason.clone(),
            seqs: fact.seqs.clone(),
            session_id: None,
        }),
    }
    true
}

/// Adds a lost change to its file, which the probe's question names.
fn restore_change(result: &ProbeResult, missing: &str, facts: &Facts, summary: &mut Summary) -> bool {
    let part = wording::normalized(missing);
    let is_it = |change: &String| wording::normalized(change).contains(&part);
    let Some(fact) = facts
        .files
        .iter()
        .find(|f| f.seqs == result.probe.seqs && f.changes.iter().any(is_it) && !part.is_empty())
    else {
        return false;
    };
    let key = identity(&fact.path);
    let Some(file) = summary.files_modified.iter_mut().find(|f| identity(&f.path) == key) else {
        return false;
    };
    match fact.changes.iter().find(|c| is_it(c)) {
        Some(change) if !file.changes.contains(change) => {
            file.changes.push(change.clone());
            true
        }
        Some(_) | None => false,
    }
}

fn restore_error(fact: &ErrorFact, summary: &mut Summary) -> bool {
    let key = wording::normalized_error(&fact.message);
    if summary.errors.iter().any(|e| wording::normalized_error(&e.message) == key) {
        return false;
    }
    summary.errors.push(ErrorEntry::of(fact));
    true
}
