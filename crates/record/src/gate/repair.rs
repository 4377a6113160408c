//! Repairs a refused candidate from the facts and the messages, without a model.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::super::file_history::{identity, restored};
use super::super::section::Section;
use super::super::summary::{ModifiedFile, Summary};
use super::reason::stated_reason;
use super::refusal::Refusal;
use anchord_facts::ledger::{Facts, FileFact};
use anchord_messages::message::{Numbered, Role};

/// Repairs what needs no model: adds missing files from the ledger and stated reasons from the span, removes
/// placeholders. Returns whether anything changed.
pub fn repair(refusals: &[Refusal], facts: &Facts, span: &[Numbered], summary: &mut Summary) -> bool {
    if refusals.iter().all(Refusal::is_skip) {
        return false;
    }
    let before = summary.clone();
    restore_files(refusals, facts, summary);
    for refusal in refusals {
        match refusal {
            Refusal::RationaleMissing { decision } => {
                for d in summary.decisions_made.iter_mut().filter(|d| d.decision == *decision) {
                    if let Some(reason) = stated_reason(d, span) {
                        d.rationale = reason;
                    }
                }
            }
            Refusal::Placeholder { section, text } | Refusal::ErrorText { section, text } => {
                remove_text(*section, text, summary);
            }
            Refusal::IntentEmpty | Refusal::IntentVague { .. } => {
                if let Some((text, seq)) = first_demand(span) {
                    summary.session_intent = text;
                    summary.session_intent_seqs = vec![seq];
                }
            }
            Refusal::FileMissing { .. } | Refusal::Empty | Refusal::NotSmaller { .. } => {}
        }
    }
    *summary != before
}

fn first_demand(span: &[Numbered]) -> Option<(String, i64)> {
    span.iter()
        .filter(|n| n.message.role == Role::User)
        .map(|n| (n.message.text().trim().to_owned(), n.seq))
        .find(|(text, _)| !text.is_empty())
}

/// Adds the missing files all at once, because a span may have changed thousands.
fn restore_files(refusals: &[Refusal], facts: &Facts, summary: &mut Summary) {
    let missing = refusals.iter().filter_map(|refusal| {
        if let Refusal::FileMissing { path } = refusal { Some(path.as_str()) } else { None }
    });
    let missing: Vec<&str> = missing.collect();
    if missing.is_empty() {
        return;
    }
    let facts: HashMap<&str, &FileFact> = facts.files.iter().rev().map(|f| (f.path.as_str(), f)).collect();
    let restored: Vec<ModifiedFile> =
        missing.into_iter().filter_map(|path| facts.get(path).copied().and_then(restored)).collect();
    let keys: HashSet<Cow<'_, str>> = restored.iter().map(|file| identity(&file.path)).collect();
    summary.files_read.retain(|file| !keys.contains(&identity(&file.path)));
    drop(keys);
    summary.files_modified.extend(restored);
}

fn remove_text(section: Section, text: &str, summary: &mut Summary) {
    match section {
        Section::SessionIntent => summary.session_intent.clear(),
        Section::DecisionsMade => summary.decisions_made.retain(|d| d.decision != text),
        Section::CurrentState => {
            if summary.current_state.text == text {
                summary.current_state.text.clear();
            }
            summary.current_state.task.take_if(|t| t == text);
        }
        Section::Blockers => summary.blockers.retain(|b| b.text != text),
        Section::NextSteps => summary.next_steps.retain(|s| s != text),
        Section::OpenQuestions => summary.open_questions.retain(|question| question.text != text),
        Section::Findings => summary.findings.retain(|finding| finding.text != text),
        Section::Requests
        | Section::FilesModified
        | Section::FilesRead
        | Section::Errors
        | Section::TestResults
        | Section::Things
        | Section::Notes
        | Section::Constraints => {}
    }
}
