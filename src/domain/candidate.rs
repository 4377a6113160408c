//! One compression's pure part, step by step: facts → proposal → candidate → proof.
//!
//! Each step takes the last one's value; who calls them measures the time between. The worker and
//! the command line call the same steps.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::digest;
use super::id::Seq;
use super::ledger::{self, Carry, Facts, Known, TestRunFact};
use super::merge::{MergeContext, Merged, merge};
use super::message::Numbered;
use super::parts::Parts;
use super::probe::Probe;
use super::proposal::Proposal;
use super::render;
use super::settings::{DEFAULT_FILL, MAX_DEFAULT_FILL_TOKENS, Phase, share_of};
use super::strategy::{Engine, Strategy};
use super::summary::{Constraint, Summary, TestOutcome};
use super::todo::{self, Todo};
use super::tokens::TokenCounter;
use super::{extractive, gate, redact};

mod proof;
mod sample;

pub use proof::{Proof, expand, prove, recap};
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
    /// The most tokens of the rendering.
    pub bound: u32,
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
    /// Its record.
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
    /// The narrative.
    pub proposal: Proposal,
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
    /// The record and its warnings.
    pub merged: Merged,
    /// What an engine wrote of the record that it was merged into; `None` before the first.
    pub before: Option<Summary>,
}

/// Reads the facts out of the span, without its secrets.
#[must_use]
pub fn read(material: &Material) -> Facts {
    let base = material.base.as_ref();
    let (none, known) = (Carry::default(), base.map(|base| Known::of(&base.summary)));
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
    redact::redact_facts(&mut facts);
    facts
}

/// Merges the deterministic engine's proposal into the current record.
#[must_use]
pub fn draft(material: &Material, facts: &Facts) -> Draft {
    merge_proposal(material, facts, propose(material, facts))
}

/// Asks the deterministic engine for the narrative of the span; a strategy without a narrative gets the
/// intent alone, because the task must stay reachable.
#[must_use]
pub fn propose(material: &Material, facts: &Facts) -> Proposed {
    let base = material.base.as_ref().map(|base| &base.summary);
    let mut whole = extractive::propose(&material.span, facts, base);
    if material.phase == Some(Phase::Planning) {
        whole.things.extend(extractive::contracts::things(&material.span));
    }
    let proposal = if material.strategy.asks_an_engine() {
        whole
    } else {
        Proposal { intent: whole.intent, ..Proposal::default() }
    };
    Proposed { proposal, engine: Engine::Extractive, model: None }
}

/// Merges an engine's proposal into a copy of the current record.
#[must_use]
pub fn merge_proposal(material: &Material, facts: &Facts, proposed: Proposed) -> Draft {
    let record = material.base.as_ref().map(|base| base.summary.clone());
    merge_into(record, material, facts, proposed)
}

/// Merges an engine's proposal into the current record itself, which the material has no longer: for whoever
/// makes nothing else of it. A record grows with its session, and so does a copy.
#[must_use]
pub fn merge_last(material: &mut Material, facts: &Facts, proposed: Proposed) -> Draft {
    let record = material.base.as_mut().map(|base| std::mem::take(&mut base.summary));
    merge_into(record, material, facts, proposed)
}

fn merge_into(record: Option<Summary>, material: &Material, facts: &Facts, mut proposed: Proposed) -> Draft {
    if let Some(followed) = facts.followed.as_ref().filter(|_| material.strategy.asks_an_engine()) {
        followed.propose(&mut proposed.proposal);
    }
    // What the record has and what the ledger read are without secrets already, so only what is new
    // is read for them: the cost of a compression follows its span and not the session.
    redact::redact_proposal(&mut proposed.proposal);
    let pins = redact::redacted_constraints(&material.pins);
    let context = MergeContext {
        version: material.version,
        anchor: material.span.first().map_or(material.from_seq, |first| first.seq) - 1,
        through_seq: material.through_seq,
        pins: &pins,
        removed_constraints: &material.removed_constraints,
    };
    let before = record.as_ref().map(gate::published);
    let mut merged = merge(record, facts, &proposed.proposal, context);
    digest::grow(&mut merged.summary.digest, &material.span);
    digest::forget(&mut merged.summary.digest, &material.removed_constraints);
    Draft { proposed, merged, before }
}

#[cfg(test)]
mod chain;
#[cfg(test)]
mod tests;
