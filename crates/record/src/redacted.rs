//! Removes secrets from the texts of facts, proposals and summaries.

use std::borrow::Cow;

use super::proposal::Proposal;
use super::summary::{Decision, RequestEntry, Summary};
use anchord_facts::key::Key;
use anchord_facts::ledger::Facts;
use anchord_facts::ledger::constraints::Constraint;
use anchord_facts::redact::{may_hold_secret, redact};
use anchord_facts::thing::Thing;

fn clean(text: &mut String) {
    if let Cow::Owned(replaced) = redact(text) {
        *text = replaced;
    }
}

fn clean_some(text: &mut Option<String>) {
    text.iter_mut().for_each(clean);
}

/// Redacts every text of a summary in place, verbatim sections included.
pub fn redact_summary(summary: &mut Summary) {
    clean(&mut summary.session_intent);
    for file in &mut summary.files_modified {
        clean(&mut file.path);
        clean_some(&mut file.renamed_from);
        file.changes.iter_mut().for_each(clean);
    }
    for file in &mut summary.files_read {
        clean(&mut file.path);
        clean_some(&mut file.reason);
    }
    summary.decisions_made.iter_mut().for_each(clean_decision);
    clean_some(&mut summary.current_state.phase);
    clean_some(&mut summary.current_state.task);
    clean(&mut summary.current_state.text);
    let state = &mut summary.current_state;
    state.done.iter_mut().chain(&mut state.since).for_each(|remark| clean(&mut remark.text));
    for error in &mut summary.errors {
        clean(&mut error.message);
        (error.key, error.key_anywhere) = Default::default();
        clean_some(&mut error.resolution);
        clean_some(&mut error.location);
    }
    for run in &mut summary.test_results {
        clean(&mut run.command);
        run.failing.iter_mut().for_each(clean);
    }
    summary.blockers.iter_mut().for_each(|b| clean(&mut b.text));
    summary.next_steps.iter_mut().for_each(clean);
    summary.requests.iter_mut().for_each(clean_request);
    summary.things.iter_mut().for_each(clean_thing);
    let remarks = summary.open_questions.iter_mut().chain(&mut summary.findings).chain(&mut summary.notes);
    remarks.for_each(|remark| clean(&mut remark.text));
    let constraints = summary.constraints.iter_mut().chain(&mut summary.proposed_constraints);
    constraints.for_each(|constraint| {
        clean(&mut constraint.text);
        constraint.replaces.iter_mut().for_each(clean);
    });
}

/// The caller's constraints without their secrets.
pub fn redacted_constraints(constraints: &[Constraint]) -> Vec<Constraint> {
    let mut redacted = constraints.to_vec();
    for constraint in &mut redacted {
        clean(&mut constraint.text);
    }
    redacted
}

/// Redacts every text of a proposal in place.
pub fn redact_proposal(proposal: &mut Proposal) {
    proposal.intent.iter_mut().for_each(|i| clean(&mut i.text));
    proposal.decisions.iter_mut().for_each(clean_decision);
    clean_some(&mut proposal.current_state.phase);
    clean_some(&mut proposal.current_state.task);
    clean(&mut proposal.current_state.text);
    proposal.blockers.iter_mut().for_each(|b| clean(&mut b.text));
    proposal.next_steps.iter_mut().for_each(clean);
    proposal.open_questions.iter_mut().for_each(|question| clean(&mut question.text));
    proposal.things.iter_mut().for_each(clean_thing);
    proposal.warnings.iter_mut().for_each(clean);
}

fn clean_request(request: &mut RequestEntry) {
    clean(&mut request.text);
    request.key = Key::default();
    clean_some(&mut request.superseded_by);
}

fn clean_thing(thing: &mut Thing) {
    clean_value(&thing.kind, &mut thing.id);
    for property in &mut thing.properties {
        clean_value(&property.name, &mut property.value);
        if let Some(was) = &mut property.was {
            clean_value(&property.name, was);
        }
    }
}

fn clean_decision(decision: &mut Decision) {
    clean(&mut decision.decision);
    decision.key = Key::default();
    clean(&mut decision.rationale);
    decision.alternatives.iter_mut().for_each(clean);
    clean_some(&mut decision.superseded_by);
}

/// Redacts every text of a span's facts in place, including the ledger's state for the next span.
pub fn redact_facts(facts: &mut Facts) {
    for file in &mut facts.files {
        clean(&mut file.path);
        clean_some(&mut file.renamed_from);
        file.changes.iter_mut().for_each(clean);
        clean_some(&mut file.reason);
    }
    facts.commands.iter_mut().for_each(|c| clean(&mut c.command));
    facts.actions.iter_mut().for_each(|action| clean(&mut action.arguments));
    for run in &mut facts.test_runs {
        clean(&mut run.command);
        run.failing.iter_mut().for_each(clean);
    }
    for error in &mut facts.errors {
        clean(&mut error.message);
        clean_some(&mut error.location);
        clean_some(&mut error.command);
        clean_some(&mut error.resolution);
    }
    facts.things.iter_mut().for_each(clean_thing);
    facts.requests.iter_mut().for_each(|request| clean(&mut request.text));
    facts.questions.iter_mut().for_each(|(text, _)| clean(text));
    for statement in &mut facts.statements {
        clean(&mut statement.text);
        clean(&mut statement.reason);
        clean(&mut statement.rejected);
    }
    facts.constraints.iter_mut().for_each(|c| clean(&mut c.text));
    if let Some(todos) = &mut facts.todos {
        todos.items.iter_mut().for_each(|t| clean(&mut t.content));
    }
    let carry = &mut facts.carry;
    clean_some(&mut carry.asked_leave);
    clean_some(&mut carry.question);
    carry.todos.iter_mut().for_each(|(_, t)| clean(&mut t.content));
    carry.open_questions.iter_mut().for_each(clean);
    for (message, command) in &mut carry.open_errors {
        clean(message);
        clean(command);
    }
}

/// Redacts a value that is stored apart from its key, judged together with it.
fn clean_value(key: &str, value: &mut String) {
    // No secret's fixed part contains `=`: if neither text has one, the two joined have none.
    if !may_hold_secret(key) && !may_hold_secret(value) {
        return;
    }
    clean(value);
    let together = format!("{key}={value}");
    if let Cow::Owned(replaced) = redact(&together)
        && let Some(rest) = replaced.strip_prefix(key).and_then(|r| r.strip_prefix('='))
    {
        rest.clone_into(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redacted_entry_is_found_by_what_is_left_of_it() {
        let secret = format!("token ghp_{}", "aB3dE5gH7jK9".repeat(3));
        let decision = |text: &str| Decision { decision: text.to_owned(), ..Decision::default() };
        let mut summary = Summary { decisions_made: vec![decision(&secret)], ..Summary::default() };
        let before = summary.decisions_made[0].key();
        redact_summary(&mut summary);
        let [redacted] = &summary.decisions_made[..] else { panic!("{summary:?}") };
        assert_eq!(redacted.key(), decision(&redacted.decision).key());
        assert_ne!(redacted.key(), before);
    }

    #[test]
    fn a_summary_is_redacted_everywhere() {
        let mut summary =
            Summary { session_intent: "use password='abcd1234'".to_owned(), ..Summary::default() };
        summary.next_steps.push(format!("call with ghp_{}", "aB3dE5gH7jK9".repeat(3)));
        redact_summary(&mut summary);
        let text = serde_json::to_string(&summary).unwrap();
        assert!(!text.contains("abcd1234") && !text.contains("ghp_"), "{text}");
    }
}
