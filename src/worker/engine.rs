//! The engine that writes a span's narrative: the one place where a compression asks for it.
//!
//! Whoever asks has read the facts already and merges, proves and publishes what comes back; an engine
//! sees a span, and nothing of strategies, versions or the queue.

use std::sync::Arc;

use super::{JobError, blocking};
use crate::domain::candidate::{self, Material, Proposed};
use crate::domain::ledger::Facts;

/// A span with the facts that were read out of it.
#[derive(Debug)]
pub(super) struct Digest {
    /// The span and what its candidate is made from.
    pub(super) material: Material,
    /// Its facts.
    pub(super) facts: Facts,
}

impl Digest {
    /// Reads the facts.
    pub(super) async fn read(material: Material) -> Result<Arc<Self>, JobError> {
        let read = move || {
            let facts = candidate::read(&material);
            Arc::new(Self { material, facts })
        };
        blocking(read).await
    }

    /// Gives back what was read; nobody else holds it any more once an engine has answered.
    pub(super) fn into_parts(self: Arc<Self>) -> (Material, Facts) {
        match Arc::try_unwrap(self) {
            Ok(Self { material, facts }) => (material, facts),
            Err(shared) => (shared.material.clone(), shared.facts.clone()),
        }
    }
}

/// Asks for the narrative of a span.
pub(super) async fn propose(digest: &Arc<Digest>) -> Result<Proposed, JobError> {
    let digest = Arc::clone(digest);
    blocking(move || candidate::propose(&digest.material, &digest.facts)).await
}
