//! Counts of what tenants have, cached in this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anchord_messages::id::TenantId;
use anchord_runtime::cache::{Cache, Expiry};

/// The most tenants whose counts are cached.
const MAX_TENANTS: u64 = 10_000;
/// How long a count is used.
const EXPIRES_AFTER: Duration = Duration::from_mins(2);

/// Counts of a resource by tenant, as far as this process knows.
#[derive(Clone, Debug)]
pub(super) struct Counts(pub(super) Cache<TenantId, Arc<Count>>);

#[derive(Debug)]
pub(super) struct Count {
    pub(super) limit: i64,
    pub(super) used: AtomicI64,
}

impl Counts {
    pub(super) fn new() -> Self {
        Self(Cache::new(MAX_TENANTS, Expiry::After(EXPIRES_AFTER)))
    }

    /// Adds to a count that is cached; one that is not will be made.
    pub(super) fn add(&self, tenant: TenantId, more: i64) {
        if let Some(count) = self.0.get(&tenant) {
            count.used.fetch_add(more, Ordering::Relaxed);
        }
    }
}
