//! The deterministic engine: makes a proposal from a span and its facts, without a network or a clock.
//!
//! What lives here: the intent, from what people asked; the state; decisions from tool calls; what was stated in so
//! many words; pictures and files.
//! Invariant: every sentence is from the span; nothing is invented, and nothing is a placeholder.
//! Must not know: merging, renderings, budgets.

pub mod contracts;
mod decisions;
mod intent;
mod media;
mod state;
mod stated;
mod text;

use super::proposal::Proposal;
use super::summary::{Decision, RequestEntry, Summary};
use anchord_facts::ledger::line::squash;
use anchord_facts::ledger::{Facts, TodoStatus};
use anchord_messages::id::Seq;
use anchord_messages::message::Numbered;
use text::{clip, is_placeholder};

/// The most next steps, and the longest, in characters.
const MOST_STEPS: usize = 12;
const LONGEST_STEP: usize = 300;

/// Proposes the narrative of a span. `base` is the summary before the span, `requests` its requests with the
/// span's merged into them.
pub fn propose(
    span: &[Numbered],
    facts: &Facts,
    base: Option<&Summary>,
    requests: &[RequestEntry],
) -> Proposal {
    let (next_steps, next_steps_seqs) = steps(facts);
    let mut proposal = Proposal {
        intent: intent::find(span, facts, (base, requests)),
        next_steps,
        next_steps_seqs,
        decisions: answered(span),
        current_state: state::current(span, facts),
        things: media::things(span),
        ..Proposal::default()
    };
    stated::add(&mut proposal, facts);
    proposal
}

/// The decisions in tool calls and their results.
pub fn answered(span: &[Numbered]) -> Vec<Decision> {
    decisions::find(span)
}

/// The open items of the todo list, those in progress first.
fn steps(facts: &Facts) -> (Vec<String>, Vec<Seq>) {
    let Some(list) = &facts.todos else { return Default::default() };
    let open = [TodoStatus::InProgress, TodoStatus::Pending]
        .into_iter()
        .flat_map(|status| list.items.iter().filter(move |item| item.status == status))
        .map(|item| clip(&squash(&item.content), LONGEST_STEP))
        .filter(|step| !is_placeholder(step));
    let steps: Vec<String> = open.take(MOST_STEPS).collect();
    let seqs = if steps.is_empty() { Vec::new() } else { list.seqs.clone() };
    (steps, seqs)
}

#[cfg(test)]
mod tests;
