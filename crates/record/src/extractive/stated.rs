//! Adds what a person or the agent stated in so many words to a proposal.

use super::super::proposal::Proposal;
use super::super::summary::{Blocker, Decision, Remark};
use super::{MOST_STEPS, clip, is_placeholder};
use anchord_facts::ledger::Facts;
use anchord_facts::ledger::statements::{Stated, Statement};
use anchord_messages::id::Seq;

/// The longest step, in characters.
const LONGEST_STEP: usize = super::LONGEST_STEP;

/// Adds the statements of a span.
pub(super) fn add(proposal: &mut Proposal, facts: &Facts) {
    for one in
        facts.statements.iter().filter(|one| one.section == Stated::Unblocked || !is_placeholder(&one.text))
    {
        match one.section {
            Stated::Decision => proposal.decisions.push(decision(one)),
            Stated::Blocker => {
                proposal.blockers.push(Blocker { text: said(one), seqs: one.seqs.clone(), session_id: None });
            }
            Stated::Unblocked => {
                proposal.blockers.clear();
                proposal.blockers_resolved = true;
            }
            Stated::OpenQuestion if facts.carry.open_questions.contains(&one.text) => {
                let seqs = one.seqs.clone();
                proposal.open_questions.push(Remark { text: one.text.clone(), seqs, session_id: None });
            }
            Stated::OpenQuestion | Stated::NextStep | Stated::Reason => {}
        }
    }
    proposal.decisions.sort_by_key(|decision| decision.seqs.last().copied());
    steps(proposal, facts);
}

/// The next steps that were stated last, unless a todo list was written after them.
fn steps(proposal: &mut Proposal, facts: &Facts) {
    let stated = || facts.statements.iter().filter(|one| one.section == Stated::NextStep);
    let at = |one: &Statement| one.seqs.last().copied();
    let Some(last) = stated().filter_map(at).max() else { return };
    let listed: Option<Seq> = facts.todos.as_ref().and_then(|list| list.seqs.last().copied());
    if listed.is_some_and(|listed| listed > last) {
        return;
    }
    let steps = stated().filter(|one| at(one) == Some(last)).map(|one| clip(&one.text, LONGEST_STEP));
    let steps: Vec<String> = steps.filter(|step| !is_placeholder(step)).take(MOST_STEPS).collect();
    if !steps.is_empty() {
        (proposal.next_steps, proposal.next_steps_seqs) = (steps, vec![last]);
    }
}

fn decision(one: &Statement) -> Decision {
    Decision {
        decision: said(one),
        rationale: one.reason.clone(),
        alternatives: Some(&one.rejected).filter(|text| !text.is_empty()).cloned().into_iter().collect(),
        seqs: one.seqs.clone(),
        ..Decision::default()
    }
}

/// A statement, with the name of who made it unless that is the agent.
fn said(one: &Statement) -> String {
    match &one.by {
        Some(by) => format!("{by}: {}", one.text),
        None => one.text.clone(),
    }
}
