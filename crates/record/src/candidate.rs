//! One compression's pure part, step by step: facts → proposal → draft → checked draft.
//!
//! Each step takes the last one's value; the caller measures the time between. The worker and
//! the command line call the same steps.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use chrono::{DateTime, Utc};

use super::changes::{Account, Board, Changes};
use super::digest;
use super::merge::{MergeContext, Merged, merge, requests};
use super::parts::Parts;
use super::probe::Probe;
use super::proposal::{Proposal, ProposedIntent};
use super::render;
use super::strategy::{Engine, Strategy};
use super::summary::Summary;
use super::{extractive, gate, redacted};
use crate::fill::{DEFAULT_FILL, MAX_DEFAULT_FILL_TOKENS, share_of};
use crate::phase::Phase;
use anchord_facts::ledger::TestOutcome;
use anchord_facts::ledger::constraints::Constraint;
use anchord_facts::ledger::{self, Carry, Facts, TestRunFact};
use anchord_facts::todo::{self, Todo};
use anchord_messages::id::Seq;
use anchord_messages::message::Numbered;
use anchord_messages::tokens::TokenCounter;

mod check;
mod sample;

pub use check::{CheckedDraft, check, expand, recap};
pub use sample::warm_up;

/// What a compression is made from.
#[derive(Clone, Debug)]
pub struct Material {
    /// How the version is made.
    pub strategy: Strategy,
    /// The caller's name of the session.
    pub session_id: String,
    /// The caller's name of the task.
    pub task_id: Option<String>,
    /// The span's messages, ascending.
    pub span: Vec<Numbered>,
    /// The first message that the version was made from: the span's first, or the session's when its
    /// whole history was read afresh.
    pub from_seq: Seq,
    /// The span's last message.
    pub through_seq: Seq,
    /// Tokens of the span as it would be served.
    pub span_tokens: u32,
    /// The current version; `None` before the first.
    pub base: Option<Base>,
    /// The number that the new version gets.
    pub version: i64,
    /// Versions published by compressions so far.
    pub compression_count: i64,
    /// The phase of the work, which decides how the version is rendered.
    pub phase: Option<Phase>,
    /// The todo list that the caller keeps; empty for none.
    pub todos: Vec<Todo>,
    /// The pins, in order.
    pub pins: Vec<Constraint>,
    /// Ids of extracted constraints that the caller dropped.
    pub removed_constraints: BTreeSet<String>,
    /// Probes of earlier spans and of the caller that are still asked.
    pub probes: Vec<Probe>,
    /// The most tokens of the rendering of what code words.
    pub bound: u32,
    /// The same of what a model worded: meaning is worth more room than facts, where the caller set no bound.
    pub told_bound: u32,
    /// How large a summary a model is to aim at, in tokens, whatever one version has room for.
    pub aim: u32,
    /// The most tokens of rendering and digest together.
    pub room: u32,
    /// When the version is made.
    pub now: DateTime<Utc>,
    /// Counts tokens.
    pub counter: TokenCounter,
}

impl Material {
    /// What the first version of a session is made from, anchored and within the default bound; a
    /// caller names only where it differs.
    #[must_use]
    pub fn first(span: Vec<Numbered>, span_tokens: u32, counter: TokenCounter, now: DateTime<Utc>) -> Self {
        Self {
            strategy: Strategy::Anchored,
            session_id: "transcript".to_owned(),
            task_id: None,
            from_seq: span.first().map_or(1, |first| first.seq),
            through_seq: span.last().map_or(0, |last| last.seq),
            span,
            span_tokens,
            base: None,
            version: 1,
            compression_count: 0,
            phase: None,
            todos: Vec::new(),
            pins: Vec::new(),
            removed_constraints: BTreeSet::new(),
            probes: Vec::new(),
            bound: render::DEFAULT_BOUND_TOKENS,
            told_bound: render::DEFAULT_BOUND_TOKENS,
            aim: render::DEFAULT_BOUND_TOKENS,
            room: share_of(span_tokens, DEFAULT_FILL)
                .clamp(render::DEFAULT_BOUND_TOKENS, MAX_DEFAULT_FILL_TOKENS),
            now,
            counter,
        }
    }
}

/// The current version, as the next one builds on it.
#[derive(Clone, Debug)]
pub struct Base {
    /// Its number.
    pub version: i64,
    /// Its summary.
    pub summary: Summary,
    /// Where that is stored.
    pub parts: Parts,
    /// What its ledger hands on.
    pub carry: Carry,
    /// Tokens of its rendering and its digest as contexts serve them.
    pub served_tokens: u32,
}

/// What an engine made of a span.
#[derive(Clone, Debug)]
pub struct Proposed {
    /// What code found: the narrative of the span, or what a model's changes are made upon.
    pub proposal: Proposal,
    /// What a model changes then, piece by piece.
    pub changes: Vec<Changes>,
    /// How much of what it told that is.
    pub account: Account,
    /// Who wrote it.
    pub engine: Engine,
    /// The model that wrote it.
    pub model: Option<String>,
}

/// A candidate: merged, not yet trusted.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What the engine proposed.
    pub proposed: Proposed,
    /// The summary and its warnings.
    pub merged: Merged,
    /// What an engine wrote of the summary that it was merged into; `None` before the first.
    pub before: Option<Summary>,
}

/// Reads the facts out of the span, without its secrets.
#[must_use]
pub fn read(material: &Material) -> Facts {
    let base = material.base.as_ref();
    let (none, known) = (Carry::default(), base.map(|base| base.summary.known()));
    let carry = base.map_or(&none, |base| &base.carry);
    let mut facts = ledger::read(&material.span, carry, &known.unwrap_or_default());
    if !material.todos.is_empty() {
        let failed = |run: &&TestRunFact| matches!(run.outcome, TestOutcome::Fail | TestOutcome::Error);
        let latest = facts.test_runs.iter().rev().find(|run| run.outcome != TestOutcome::Unknown);
        let failed_at = latest.filter(failed).and_then(|run| run.seqs.last().copied());
        let shown = todo::Shown { written: facts.todos.as_ref(), failed_at };
        let followed = todo::follow(&material.todos, &material.span, shown);
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

impl Proposed {
    /// The narrative that was proposed, of a summary that holds it: what a model wrote, or code.
    #[must_use]
    pub fn told(&self, record: &Summary) -> Cow<'_, Proposal> {
        if self.changes.is_empty() {
            return Cow::Borrowed(&self.proposal);
        }
        let texts = || self.changes.iter().flat_map(Changes::texts);
        let told: HashSet<&str> = texts().collect();
        let intent = self.changes.iter().any(|changes| !changes.intent.is_empty()).then(|| ProposedIntent {
            text: record.session_intent.clone(),
            changes_scope: true,
            seqs: record.session_intent_seqs.clone(),
        });
        Cow::Owned(Proposal {
            intent: intent.or_else(|| self.proposal.intent.clone()),
            decisions: record
                .decisions_made
                .iter()
                .filter(|decision| told.contains(decision.decision.as_str()))
                .chain(&self.proposal.decisions)
                .cloned()
                .collect(),
            current_state: record.current_state.clone(),
            blockers: record.blockers.iter().filter(|b| told.contains(b.text.as_str())).cloned().collect(),
            next_steps: record
                .next_steps
                .iter()
                .filter(|step| told.contains(step.as_str()))
                .cloned()
                .collect(),
            next_steps_seqs: record.next_steps_seqs.clone(),
            ..self.proposal.clone()
        })
    }
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
