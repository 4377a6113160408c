//! For tests: compresses a session again and again, without server and database.

use std::collections::BTreeMap;

use chrono::DateTime;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::*;
use crate::parts::{Parts, StoredSummary};
use crate::probe::Probe;
use anchord_messages::id::Seq;
use anchord_messages::message::{Message, Numbered};
use anchord_messages::tokens::TokenCounter;

/// The state after the last version, from which the next one is made.
pub(super) struct Chain {
    counter: TokenCounter,
    base: Option<Base>,
    probes: Vec<Probe>,
    next: Seq,
    version: i64,
    bound: u32,
    least_tokens: u32,
    /// The stored parts of the records.
    stored: BTreeMap<i64, String>,
}

impl Chain {
    /// An empty session whose summaries have at most `bound` tokens.
    pub(super) fn within(bound: u32) -> Self {
        Self {
            counter: TokenCounter::default(),
            base: None,
            probes: Vec::new(),
            next: 1,
            version: 1,
            bound,
            least_tokens: 0,
            stored: BTreeMap::new(),
        }
    }

    /// Overstates the size of every span, so that a small one is worth a version.
    pub(super) fn of_large_spans(mut self) -> Self {
        self.least_tokens = 50_000;
        self
    }

    /// The input of the compression of these messages.
    pub(super) fn material(&self, messages: Vec<Message>) -> Material {
        let span: Vec<Numbered> =
            (self.next..).zip(messages).map(|(seq, message)| Numbered { seq, message }).collect();
        let span_tokens: u32 = span.iter().map(|n| self.counter.count_message(&n.message)).sum();
        Material {
            version: self.version,
            compression_count: self.version - 1,
            base: self.base.clone(),
            probes: self.probes.clone(),
            bound: self.bound,
            ..Material::first(span, span_tokens.max(self.least_tokens), self.counter, DateTime::UNIX_EPOCH)
        }
    }

    /// Publishes the result, as the service would.
    pub(super) fn publish(&mut self, material: &Material, facts: Facts, checked: CheckedDraft) {
        let kept = (0..).zip(&material.probes).filter(|(at, _)| !checked.retired.contains(at));
        self.probes = kept.map(|(_, probe)| probe.clone()).collect();
        self.probes.extend(checked.new_probes.into_iter().filter(|probe| probe.critical));
        self.next = material.through_seq + 1;
        // A process that caches the summary must build on it in the same way as one that reads it back.
        let (summary, parts) = self.store(&checked.summary);
        assert_eq!(summary, checked.summary);
        assert_eq!(read_back(&facts.carry), facts.carry);
        self.base = Some(Base {
            version: self.version,
            summary: checked.summary,
            parts,
            carry: facts.carry,
            served_tokens: u32::try_from(checked.meta.tokens_after).unwrap_or(u32::MAX),
        });
        self.version += 1;
    }

    /// Stores a summary in parts and reads it back.
    fn store(&mut self, summary: &Summary) -> (Summary, Parts) {
        let base = self.base.as_ref().map(|base| base.parts.clone()).unwrap_or_default();
        let written = base.write(summary, self.version).unwrap();
        for (id, text) in written.new {
            assert!(self.stored.insert(id, text).is_none(), "part {id} is there already");
        }
        let texts = written.parts.iter().map(|id| self.stored[id].clone()).collect();
        StoredSummary { document: written.head, parts: written.parts, texts }.read().unwrap()
    }

    /// The summary of the last version.
    pub(super) fn record(&self) -> &Summary {
        &self.base.as_ref().unwrap().summary
    }

    /// The earlier probes that the next version must answer.
    pub(super) fn probes(&self) -> &[Probe] {
        &self.probes
    }
}

fn read_back<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}
