//! One compression without I/O, step by step: facts → proposal → draft → checked draft.
//!
//! Each step takes the value of the one before; the caller measures the time between. The worker and the
//! command line call the same steps.

use super::changes::Board;
use super::digest;
use super::merge::{MergeContext, Merged, merge, merge_since, requests};
use super::proposal::Proposal;
use super::summary::{ErrorEntry, ErrorStatus, Summary};
use super::{extractive, gate, redacted};
use crate::phase::Phase;
use anchord_facts::ledger::TestOutcome;
use anchord_facts::ledger::constraints::ConstraintMode;
use anchord_facts::ledger::reading::Reading;
use anchord_facts::ledger::{self, EarlierNames, Facts, LedgerState, TestRunFact};
use anchord_facts::todo;

mod check;
mod material;
pub mod sample;

pub use check::{CheckedDraft, check, check_by_code, recap};
pub use material::{Base, Draft, Material, Proposed};

/// The facts of the span, without secrets.
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
        let shown = todo::ToolEvidence { written: facts.todos.as_ref(), failed_at };
        let followed = todo::follow(&material.todos, &span, shown);
        facts.todos = Some(followed.list());
        facts.followed = Some(followed);
    }
    redacted::redact_facts(&mut facts);
    if material.constraint_mode == ConstraintMode::Propose {
        facts.propose_constraints();
    }
    facts
}

/// The facts of the messages after the span.
fn read_tail(material: &Material, carry: &LedgerState) -> Facts {
    let mut facts = ledger::read_from(&Reading::each(&material.tail), carry, &EarlierNames::default());
    redacted::redact_facts(&mut facts);
    facts
}

/// Merges the deterministic engine's proposal into the current summary.
pub fn draft(material: &Material, facts: &Facts) -> Draft {
    merge_proposal(material, facts, propose(material, facts))
}

/// The deterministic engine's narrative of the span. A strategy without a narrative gets only the intent,
/// because the task must stay in the summary.
pub fn propose(material: &Material, facts: &Facts) -> Proposed {
    let base = material.base.as_ref().map(|base| &base.summary);
    let requests = requests::after(base, &facts.requests, &material.dropped_entries);
    let mut whole = extractive::propose(&material.span, facts, base, &requests);
    if material.phase == Some(Phase::Planning) {
        whole.things.extend(extractive::contracts::things(&material.span));
    }
    let proposal = if material.strategy.asks_an_engine() {
        whole
    } else {
        Proposal { intent: whole.intent, ..Proposal::default() }
    };
    Proposed::by_code(proposal)
}

/// What code proposes when a model reads the span: decisions from tool calls, things, and an intent that
/// stands until the model writes one. State, steps and what is stated in messages are the model's to write.
pub fn propose_beside(material: &Material, facts: &Facts) -> Proposal {
    let Proposal { intent, things, .. } = propose(material, facts).proposal;
    let decisions = extractive::answered(&material.span);
    let has_intent =
        material.base.as_ref().is_some_and(|base| !base.summary.session_intent.trim().is_empty());
    let intent = intent.filter(|_| !has_intent);
    Proposal { intent, decisions, things, is_beside: true, ..Proposal::default() }
}

/// The summary after code merged the span: the model is shown it, and its changes apply to it.
pub fn record_beside(material: &Material, facts: &Facts) -> Summary {
    let proposal = propose_beside(material, facts);
    let proposed = Proposed::by_code(proposal);
    let record = material.base.as_ref().map(|base| base.summary.clone());
    merge_facts(record, material, facts, proposed).1.summary
}

/// Merges an engine's proposal into a copy of the current summary.
pub fn merge_proposal(material: &Material, facts: &Facts, proposed: Proposed) -> Draft {
    let record = material.base.as_ref().map(|base| base.summary.clone());
    merge_into(record, material, facts, proposed)
}

/// Merges an engine's proposal into the current summary itself and takes it out of the material, which cannot
/// be used for another merge then. A record grows with its session, and copying it was a fourth of a late
/// merge.
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
        merged.gone.constraints.extend(board.take_withdrawn());
        merged.summary = board.finish();
        let ended = |error: &&mut ErrorEntry| error.status == ErrorStatus::Resolved;
        for error in merged.summary.errors.iter_mut().filter(ended) {
            error.resolved_in_version.get_or_insert(material.version);
        }
        // A model was asked for what the span does not state, so these warnings are wrong.
        merged.warnings.retain(|warning| !warning.starts_with("the messages name no "));
    }
    let later = read_tail(material, &facts.carry);
    merge_since(&mut merged.summary, &later, (material.version, proposed.proposal.is_beside));
    digest::grow(&mut merged.summary.digest, &material.span);
    digest::forget(&mut merged.summary.digest, &material.dropped_entries);
    // No model opens again what the caller closed.
    requests::close(&mut merged.summary.requests, &material.dropped_entries);
    Draft { proposed, merged, before }
}

/// Merges the facts and what code proposes from them.
fn merge_facts(
    record: Option<Summary>,
    material: &Material,
    facts: &Facts,
    mut proposed: Proposed,
) -> (Proposed, Merged) {
    if let Some(followed) = facts.followed.as_ref().filter(|_| material.strategy.asks_an_engine()) {
        proposed.proposal.follow(followed);
    }
    // The summary and the ledger's facts have no secrets any more, so only the new texts are redacted: the
    // cost of a compression follows its span and not the session.
    redacted::redact_proposal(&mut proposed.proposal);
    let pins = redacted::redacted_constraints(&material.pins);
    let context = MergeContext {
        version: material.version,
        anchor: material.span.first().map_or(material.from_seq, |first| first.seq) - 1,
        through_seq: material.through_seq,
        pins: &pins,
        dropped_entries: &material.dropped_entries,
    };
    let merged = merge(record, facts, &proposed.proposal, context);
    (proposed, merged)
}

#[cfg(test)]
mod chain;
#[cfg(test)]
mod tests;
