//! A span together with the facts that code read out of it: what every later step of a compression works on.

use std::sync::Arc;

use super::job::{JobError, in_turn};
use anchord_facts::ledger::Facts;
use anchord_messages::group;
use anchord_messages::id::Seq;
use anchord_record::candidate::{self, Draft, Material, Proposed};
use anchord_record::strategy;
use anchord_session::outline::Outline;

/// A span and its facts.
#[derive(Debug)]
pub(super) struct SpanFacts {
    /// The span and everything else that a candidate is made from.
    pub(super) material: Material,
    /// The facts of the span.
    pub(super) facts: Facts,
    /// The last message of each group, ascending.
    pub(super) ends: Arc<[Seq]>,
}

impl SpanFacts {
    /// Reads the facts out of the span.
    pub(super) async fn read(material: Material, ends: Arc<[Seq]>) -> Result<Arc<Self>, JobError> {
        let read = move || {
            let facts = candidate::read(&material);
            Arc::new(Self { material, facts, ends })
        };
        in_turn(read).await
    }

    /// Merges the proposal of an engine. The record itself is changed when no other candidate can follow; a copy is
    /// changed when the gate may still reject a model's narrative or a strategy that has a fallback.
    pub(super) fn merge(self: Arc<Self>, proposed: Proposed) -> (Arc<Self>, Draft) {
        let is_last = proposed.engine != strategy::Engine::Llm && self.material.strategy.fallback().is_none();
        let mut span_facts = self;
        let draft = match Arc::get_mut(&mut span_facts).filter(|_| is_last) {
            Some(own) => candidate::merge_last(&mut own.material, &own.facts, proposed),
            None => candidate::merge_proposal(&span_facts.material, &span_facts.facts, proposed),
        };
        (span_facts, draft)
    }

    /// Returns the parts; once an engine has answered, no other reference is left and nothing is copied.
    pub(super) fn into_parts(self: Arc<Self>) -> (Material, Facts) {
        match Arc::try_unwrap(self) {
            Ok(Self { material, facts, .. }) => (material, facts),
            Err(shared) => (shared.material.clone(), shared.facts.clone()),
        }
    }
}

/// The last message of each group of the span that ends with `through`.
pub(super) fn group_ends(messages: &[Outline], through: Seq) -> Arc<[Seq]> {
    let covered = messages.get(..messages.partition_point(|m| m.seq <= through)).unwrap_or_default();
    let last = |group: &group::Group| covered.get(group.range.clone())?.last().map(|m| m.seq);
    group::groups(covered).iter().filter_map(last).collect()
}
