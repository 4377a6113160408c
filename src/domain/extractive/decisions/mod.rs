//! Choices that were made: by marker phrases in speech, by answers to the model's questions, by
//! plans approved or rejected, by actions that tools carried out.

mod answer;
mod markers;
mod speech;
mod tools;

use std::collections::BTreeSet;

use super::super::ledger::line::squash;
use super::super::message::Numbered;
use super::super::summary::Decision;
use super::phrases::Phrases;
use super::{Turns, Voice, clip, is_placeholder};

/// The most decisions of one span.
const MAX_DECISIONS: usize = 40;
/// The longest decision, rationale or alternative, in characters.
const MAX_TEXT: usize = 320;

/// Finds the decisions of a span, oldest first.
pub(super) fn find(span: &[Numbered], turns: &Turns, phrases: &Phrases) -> Vec<Decision> {
    let mut all: Vec<Decision> = tools::find(span, phrases);
    for (at, turn) in turns.all.iter().enumerate() {
        if turn.voice == Voice::Person
            && let Some(before) = at.checked_sub(1).and_then(|b| turns.all.get(b))
            && let Some(answer) = answer::find(before, turn)
        {
            all.push(answer);
            continue;
        }
        all.extend(speech::find(turn, turns.conversation));
    }
    all.sort_by_key(|d| d.seqs.last().copied().unwrap_or_default());
    let mut seen = BTreeSet::new();
    all.retain(|d| !is_placeholder(&d.decision) && seen.insert(normal(&d.decision)));
    if all.len() > MAX_DECISIONS {
        // With a reason before without, and among equals the later ones: those still hold.
        let mut order: Vec<usize> = (0..all.len()).collect();
        order
            .sort_by_key(|at| (all.get(*at).is_some_and(|d| d.rationale.is_empty()), std::cmp::Reverse(*at)));
        let keep: BTreeSet<usize> = order.into_iter().take(MAX_DECISIONS).collect();
        let mut at = 0;
        all.retain(|_| {
            at += 1;
            keep.contains(&(at - 1))
        });
    }
    all
}

fn normal(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn decision(text: &str, rationale: &str, alternatives: Vec<String>, seqs: Vec<i64>) -> Decision {
    Decision {
        decision: clip(&squash(text), MAX_TEXT),
        rationale: clip(&squash(rationale), MAX_TEXT),
        alternatives: alternatives
            .into_iter()
            .map(|a| clip(&squash(&a), 120))
            .filter(|a| !is_placeholder(a))
            .collect(),
        superseded_by: None,
        seqs,
        session_id: None,
    }
}
