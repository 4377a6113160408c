//! The input of a compression, an engine's proposal, and the draft that is merged from both.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use chrono::{DateTime, Utc};

use super::super::changes::{Account, Changes};
use super::super::merge::Merged;
use super::super::parts::Parts;
use super::super::probe::Probe;
use super::super::proposal::{Proposal, ProposedIntent};
use super::super::render;
use super::super::strategy::{Engine, Strategy};
use super::super::summary::Summary;
use crate::fill::{DEFAULT_FILL, MAX_DEFAULT_FILL_TOKENS, share_of};
use crate::phase::Phase;
use anchord_facts::ledger::LedgerState;
use anchord_facts::ledger::constraints::{Constraint, ConstraintMode};
use anchord_facts::todo::Todo;
use anchord_messages::id::Seq;
use anchord_messages::message::Numbered;
use anchord_messages::tokens::TokenCounter;

/// The input of a compression.
#[derive(Clone, Debug)]
pub struct Material {
    /// How the version is made.
    pub strategy: Strategy,
    /// The session's name, as the caller chose it.
    pub session_id: String,
    /// The task's name, as the caller chose it.
    pub task_id: Option<String>,
    /// The span's messages, ascending.
    pub span: Vec<Numbered>,
    /// The messages after the span, which the version does not cover.
    pub tail: Vec<Numbered>,
    /// The first message that the version was made from: the span's first, or the session's when the whole
    /// history was read again.
    pub from_seq: Seq,
    /// The span's last message.
    pub through_seq: Seq,
    /// Tokens of the span as it would be served.
    pub span_tokens: u32,
    /// The current version; `None` before the first.
    pub base: Option<Base>,
    /// The number of the new version.
    pub version: i64,
    /// How many versions compressions published so far.
    pub compression_count: i64,
    /// The phase of the work, which orders and bounds the renderings.
    pub phase: Option<Phase>,
    /// The caller's todo list; empty for none.
    pub todos: Vec<Todo>,
    /// The pins, in order.
    pub pins: Vec<Constraint>,
    /// Ids of extracted constraints and of requests that the caller dropped.
    pub dropped_entries: BTreeSet<String>,
    /// Treatment of the user's demands in the span.
    pub constraint_mode: ConstraintMode,
    /// Probes of earlier spans and of the caller that may be asked again.
    pub probes: Vec<Probe>,
    /// The most tokens of a rendering whose narrative code wrote.
    pub bound: u32,
    /// The most tokens of a rendering whose narrative a model wrote. It is larger where the caller set no
    /// bound, because meaning needs more room than facts.
    pub model_bound: u32,
    /// The size of the summary that a model should aim at, in tokens, whatever room one version has.
    pub aim: u32,
    /// The most tokens of rendering and digest together.
    pub room: u32,
    /// Whether a later version goes on from this one, so that its digest leaves room for lines to come.
    pub goes_on: bool,
    /// When the version is made.
    pub now: DateTime<Utc>,
    /// The session's token counter.
    pub counter: TokenCounter,
}

impl Material {
    /// The input of a session's first version, anchored and within the default bound; a caller sets only what
    /// differs.
    pub fn first(span: Vec<Numbered>, span_tokens: u32, counter: TokenCounter, now: DateTime<Utc>) -> Self {
        Self {
            strategy: Strategy::Anchored,
            session_id: "transcript".to_owned(),
            task_id: None,
            from_seq: span.first().map_or(1, |first| first.seq),
            through_seq: span.last().map_or(0, |last| last.seq),
            span,
            tail: Vec::new(),
            span_tokens,
            base: None,
            version: 1,
            compression_count: 0,
            phase: None,
            todos: Vec::new(),
            pins: Vec::new(),
            dropped_entries: BTreeSet::new(),
            constraint_mode: ConstraintMode::Bind,
            probes: Vec::new(),
            bound: render::DEFAULT_BOUND_TOKENS,
            model_bound: render::DEFAULT_BOUND_TOKENS,
            aim: render::DEFAULT_BOUND_TOKENS,
            room: share_of(span_tokens, DEFAULT_FILL)
                .clamp(render::DEFAULT_BOUND_TOKENS, MAX_DEFAULT_FILL_TOKENS),
            goes_on: true,
            now,
            counter,
        }
    }
}

/// The current version, on which the next one builds.
#[derive(Clone, Debug)]
pub struct Base {
    /// Its number.
    pub version: i64,
    /// Its summary.
    pub summary: Summary,
    /// The stored parts of the summary.
    pub parts: Parts,
    /// The ledger's state at its end.
    pub carry: LedgerState,
    /// Tokens of its rendering and its digest in contexts.
    pub served_tokens: u32,
}

/// The result of an engine for a span.
#[derive(Clone, Debug)]
pub struct Proposed {
    /// The proposal of code: the narrative of the span, or what a model's changes apply to.
    pub proposal: Proposal,
    /// The changes that a model makes after that, piece by piece.
    pub changes: Vec<Changes>,
    /// How many entries the model's answers had, and how many of them are published.
    pub account: Account,
    /// Which engine wrote it.
    pub engine: Engine,
    /// The model that wrote it.
    pub model: Option<String>,
}

/// A candidate: merged, not yet trusted.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The engine's proposal.
    pub proposed: Proposed,
    /// The summary and its warnings.
    pub merged: Merged,
    /// What an engine wrote of the summary that it was merged into; `None` for the first version.
    pub before: Option<Summary>,
}

impl Proposed {
    /// A proposal of code.
    pub(super) fn by_code(proposal: Proposal) -> Self {
        Self {
            proposal,
            changes: Vec::new(),
            account: Account::default(),
            engine: Engine::Extractive,
            model: None,
        }
    }

    /// The proposed narrative, whether code or a model wrote it; `record` is the summary that contains it.
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
