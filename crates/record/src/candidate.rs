//! One compression's pure part, step by step: facts → proposal → draft → checked draft.
//!
//! Each step takes the last one's value; the caller measures the time between. The worker and
//! the command line call the same steps.

use super::changes::{Account, Board};
use super::digest;
use super::merge::{MergeContext, Merged, merge, requests};
use super::proposal::Proposal;
use super::strategy::Engine;
use super::summary::Summary;
use super::{extractive, gate, redacted};
use crate::phase::Phase;
use anchord_facts::ledger::TestOutcome;
use anchord_facts::ledger::reading::Reading;
use anchord_facts::ledger::{self, Facts, LedgerState, TestRunFact};
use anchord_facts::todo;

mod check;
mod material;
pub mod sample;

pub use check::{CheckedDraft, check, expand, recap};
pub use material::{Base, Draft, Material, Proposed};

/// Reads the facts out of the span, without its secrets.
#[must_use]
pub fn read(material: &Material) -> Facts {
    let base = material.base.as_ref();
    let (none, known) = (LedgerState::default(), base.map(|base| base.summary.known()));
    let carry = base.map_or(&none, |base| &base.carry);
    let span = Reading::each(&material.span);
    let mut facts = ledger::read_from(&span, carry, &known.unwrap_or_default());
    if !material.todos.is_empty() {
        let failed = |run: &&TestRunFact| matches!(run.outcome, TestOutcome::Fail | TestOutcome::Error);
        let latest = facts.test_runs.iter().rev().find(|run| run.outcome != TestOutcome::Unknown);
        let failed_at = latest.filter(failed).and_then(|run| run.seqs.last().copied());
        let shown = todo::Shown { written: facts.todos.as_ref(), failed_at };
        let followed = todo::follow(&material.todos, &span, shown);
        facts.todos = Some(followed.list());
        facts.followed = Some(followed);
    }
    redacted::redact_facts(&mut facts);
    facts
}

/// Merges the deterministic engine's proposal into the current summary.
#[must_use]
pub fn draft(material: &Material, facts: &Facts) -> Draft {
    merge_proposal(material, facts, propose(material, facts))
}

/// Asks the deterministic engine for the narrative of the span; a strategy without a narrative gets the
/// intent alone, because the task must stay reachable.
#[must_use]
pub fn propose(material: &Material, facts: &Facts) -> Proposed {
    let base = material.base.as_ref().map(|base| &base.summary);
    let mut whole = extractive::propose(&material.span, facts, base, &requests::after(base, &facts.requests));
    if material.phase == Some(Phase::Planning) {
        whole.things.extend(extractive::contracts::things(&material.span));
    }
    let proposal = if material.strategy.asks_an_engine() {
        whole
    } else {
        Proposal { intent: whole.intent, ..Proposal::default() }
    };
    Proposed {
        proposal,
        changes: Vec::new(),
        account: Account::default(),
        engine: Engine::Extractive,
        model: None,
    }
}

/// What code finds where a model reads the span: the choices that tools carried, things, and an intent until the model
/// writes one. State and steps are the model's to write.
#[must_use]
pub fn propose_beside(material: &Material, facts: &Facts) -> Proposal {
    let Proposal { intent, decisions, things, .. } = propose(material, facts).proposal;
    let has_intent =
        material.base.as_ref().is_some_and(|base| !base.summary.session_intent.trim().is_empty());
    let intent = intent.filter(|_| !has_intent);
    Proposal { intent, decisions, things, is_beside: true, ..Proposal::default() }
}

/// The summary as code merges the span into it: what a model is shown, and what its changes are made upon.
#[must_use]
pub fn record_beside(material: &Material, facts: &Facts) -> Summary {
    let proposal = propose_beside(material, facts);
    let proposed = Proposed {
        proposal,
        changes: Vec::new(),
        account: Account::default(),
        engine: Engine::Extractive,
        model: None,
    };
    let record = material.base.as_ref().map(|base| base.summary.clone());
    merge_facts(record, material, facts, proposed).1.summary
}

/// Merges an engine's proposal into a copy of the current summary.
#[must_use]
pub fn merge_proposal(material: &Material, facts: &Facts, proposed: Proposed) -> Draft {
    let record = material.base.as_ref().map(|base| base.summary.clone());
    merge_into(record, material, facts, proposed)
}

/// Merges an engine's proposal into the current summary itself, which the material has no longer: for whoever
/// makes nothing else of it. A summary grows with its session, and so does a copy.
/// makes nothing else of it. A record grows with its session, and copying it was a fourth of a late merge.
#[must_use]
pub fn merge_last(material: &mut Material, facts: &Facts, proposed: Proposed) -> Draft {
    let record = material.base.as_mut().map(|base| std::mem::take(&mut base.summary));
    merge_into(record, material, facts, proposed)
}

fn merge_into(record: Option<Summary>, material: &Material, facts: &Facts, proposed: Proposed) -> Draft {
    let before = record.as_ref().map(gate::published);
    let (proposed, mut merged) = merge_facts(record, material, facts, proposed);
    if !proposed.changes.is_empty() {
        let mut board = Board::new(std::mem::take(&mut merged.summary));
        for changes in &proposed.changes {
            board.apply(changes);
        }
        merged.summary = board.finish();
        // What the span leaves unsaid the model was asked for.
        merged.warnings.retain(|warning| !warning.contains(": the span states none"));
    }
    digest::grow(&mut merged.summary.digest, &material.span);
    digest::forget(&mut merged.summary.digest, &material.removed_constraints);
    Draft { proposed, merged, before }
}

/// Merges facts and what code proposes of them.
fn merge_facts(
    record: Option<Summary>,
    material: &Material,
    facts: &Facts,
    mut proposed: Proposed,
) -> (Proposed, Merged) {
    if let Some(followed) = facts.followed.as_ref().filter(|_| material.strategy.asks_an_engine()) {
        proposed.proposal.follow(followed);
    }
    // What the summary has and what the ledger read are without secrets already, so only what is new
    // is read for them: the cost of a compression follows its span and not the session.
    redacted::redact_proposal(&mut proposed.proposal);
    let pins = redacted::redacted_constraints(&material.pins);
    let context = MergeContext {
        version: material.version,
        anchor: material.span.first().map_or(material.from_seq, |first| first.seq) - 1,
        through_seq: material.through_seq,
        pins: &pins,
        removed_constraints: &material.removed_constraints,
    };
    let merged = merge(record, facts, &proposed.proposal, context);
    (proposed, merged)
}

#[cfg(test)]
mod chain;
#[cfg(test)]
mod tests;
