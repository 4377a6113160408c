//! The sessions of a process that wait to be queued for vectors.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::prelude::*;

/// The sessions, by tenant and id.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks(Arc<Mutex<HashSet<(TenantId, Uuid)>>>);

impl Marks {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashSet<(TenantId, Uuid)>> {
        // The set is valid at every point.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
