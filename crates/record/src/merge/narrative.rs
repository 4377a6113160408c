//! Merges the narrative: intent, state, blockers and next steps.

use std::collections::HashSet;

use super::super::changes::List;
use super::super::proposal::{Proposal, ProposedIntent};
use super::super::summary::{CurrentState, RequestEntry, RequestState, Summary};
use anchord_facts::key;
use anchord_facts::ledger::statements::Stated;
use anchord_facts::ledger::{Facts, TodoItem, TodoStatus};
use anchord_facts::wording::{self, join_seqs};
use anchord_messages::id::Seq;

/// Merges the span's narrative. What the span does not mention keeps its value, with a warning.
pub(super) fn merge(summary: &mut Summary, facts: &Facts, proposal: &Proposal, warnings: &mut Vec<String>) {
    if let Some(intent) = proposal.intent.as_ref().filter(|i| !i.text.trim().is_empty()) {
        merge_intent(summary, intent);
    }
    if summary.session_intent.trim().is_empty() {
        warnings.push("session_intent: no message states one".to_owned());
    }
    merge_state(summary, facts, proposal, warnings);
    merge_next_steps(summary, facts, proposal, warnings);
    if !proposal.blockers.is_empty() || proposal.blockers_resolved {
        summary.blockers.clone_from(&proposal.blockers);
    }
}

fn merge_intent(summary: &mut Summary, new: &ProposedIntent) {
    let current = wording::normalized(&summary.session_intent);
    if current.is_empty() {
        summary.session_intent.clone_from(&new.text);
        summary.session_intent_seqs.clone_from(&new.seqs);
    } else if current == wording::normalized(&new.text) {
        join_seqs(&mut summary.session_intent_seqs, &new.seqs);
    } else if new.changes_scope {
        let text = std::mem::replace(&mut summary.session_intent, new.text.clone());
        let seqs = std::mem::replace(&mut summary.session_intent_seqs, new.seqs.clone());
        // An intent in a person's words is among the requests already. One in other words is added to them, so that it
        // is not lost.
        let is_a_request =
            summary.requests.iter().any(|request| seqs.iter().any(|seq| request.seqs.contains(seq)));
        if !is_a_request {
            let (state, superseded_by) = (RequestState::Superseded, None);
            let at = summary.requests.partition_point(|request| request.seqs.first() < seqs.first());
            summary
                .requests
                .insert(at, RequestEntry { text, state, superseded_by, seqs, ..RequestEntry::default() });
        }
    }
}

fn todos(facts: &Facts, status: TodoStatus) -> impl Iterator<Item = &TodoItem> {
    let items = facts.todos.iter().flat_map(|list| &list.items);
    items.filter(move |item| item.status == status && !item.content.trim().is_empty())
}

fn non_blank(text: Option<&String>) -> Option<&String> {
    text.filter(|t| !t.trim().is_empty())
}

fn merge_state(summary: &mut Summary, facts: &Facts, proposal: &Proposal, warnings: &mut Vec<String>) {
    let new = &proposal.current_state;
    let doing = todos(facts, TodoStatus::InProgress).next().map(|item| item.content.clone());
    let task = non_blank(new.task.as_ref()).cloned().or(doing);
    let state = &mut summary.current_state;
    if new.text.trim().is_empty() {
        if let Some(phase) = non_blank(new.phase.as_ref()) {
            state.phase = Some(phase.clone());
        }
        match task {
            Some(task) => {
                state.task = Some(task);
                // A text that somebody wrote is as old as it is.
                if !state.text.trim().is_empty() {
                    return;
                }
                let from_todos = facts.todos.iter().flat_map(|t| t.seqs.iter().copied());
                let seqs: Vec<_> = new.seqs.iter().copied().chain(from_todos).collect();
                join_seqs(&mut state.seqs, &seqs);
            }
            // The list was gone through, and nothing of it is in hand any more.
            None if facts.todos.is_some() => state.task = None,
            None => warnings.push("the messages name no current state; the earlier one is kept".to_owned()),
        }
        return;
    }
    let phase = non_blank(new.phase.as_ref()).cloned().or_else(|| state.phase.take());
    *state = CurrentState { phase, task, done: std::mem::take(&mut state.done), ..new.clone() };
}

fn merge_next_steps(summary: &mut Summary, facts: &Facts, proposal: &Proposal, warnings: &mut Vec<String>) {
    let proposed: Vec<String> =
        proposal.next_steps.iter().filter(|s| !s.trim().is_empty()).cloned().collect();
    if !proposed.is_empty() {
        summary.next_steps = proposed;
        summary.next_steps_seqs.clone_from(&proposal.next_steps_seqs);
        return;
    }
    if let Some(list) = facts.todos.as_ref().filter(|_| proposal.is_beside) {
        join_steps(summary, facts, &list.seqs);
        return;
    }
    let Some(list) = &facts.todos else {
        // A strategy without a narrative leaves out what is stated.
        if facts.statements.iter().any(|one| one.section == Stated::NextStep) {
            return;
        }
        if summary.next_steps.is_empty() {
            warnings.push("the messages name no next steps".to_owned());
        } else {
            warnings.push("the messages name no next steps; the earlier ones are kept".to_owned());
        }
        return;
    };
    let mut steps: Vec<String> = todos(facts, TodoStatus::Pending).map(|t| t.content.clone()).collect();
    if steps.is_empty() {
        steps.extend(todos(facts, TodoStatus::InProgress).map(|t| t.content.clone()));
    }
    if steps.is_empty() {
        // Every item of the list is done, so the steps that it names are removed.
        let done: HashSet<String> =
            todos(facts, TodoStatus::Completed).map(|t| wording::normalized(&t.content)).collect();
        summary.next_steps.retain(|step| !done.contains(&wording::normalized(step)));
    } else {
        summary.next_steps = steps;
        summary.next_steps_seqs.clone_from(&list.seqs);
    }
}

/// Adds the open items of the todo list to the steps that a model wrote, and removes the steps whose item is
/// done.
fn join_steps(summary: &mut Summary, facts: &Facts, seqs: &[Seq]) {
    // A model may have added detail after the item's text.
    let is_step_of = |step: &str, item: &TodoItem| {
        wording::normalized(step).starts_with(&wording::normalized(&item.content))
    };
    summary.next_steps.retain(|step| !todos(facts, TodoStatus::Completed).any(|item| is_step_of(step, item)));
    // An agent repeats its list: a step that a model ended does not come back with it.
    let over = summary.ids.settled(List::Next);
    let open = todos(facts, TodoStatus::InProgress).chain(todos(facts, TodoStatus::Pending));
    for item in open.filter(|item| !over.contains(&key::of_text(&item.content))) {
        if !summary.next_steps.iter().any(|step| is_step_of(step, item)) {
            summary.next_steps.push(item.content.clone());
            join_seqs(&mut summary.next_steps_seqs, seqs);
        }
    }
}
