//! How many calls run at the same time: in all, and of one tenant, so that no tenant takes all.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use anchord_messages::id::TenantId;

/// A tenant that has not called for so long is forgotten.
const FORGET_AFTER: Duration = Duration::from_hours(1);
const MOST_TENANTS: u64 = 10_000;

pub(super) struct Limits {
    all: Arc<Semaphore>,
    per_tenant: usize,
    tenants: Cache<TenantId, Arc<Semaphore>>,
}

/// Held while a call runs.
pub(super) struct Permit {
    _tenant: Option<OwnedSemaphorePermit>,
    _all: Option<OwnedSemaphorePermit>,
}

impl Limits {
    pub(super) fn new(all: usize, per_tenant: usize) -> Self {
        let tenants = Cache::builder().max_capacity(MOST_TENANTS).time_to_idle(FORGET_AFTER).build();
        Self { all: Arc::new(Semaphore::new(all)), per_tenant, tenants }
    }

    /// The tenant's own place first: who waits for it must not hold one of everybody's.
    pub(super) async fn acquire(&self, tenant: TenantId) -> Permit {
        let own = self.tenants.get_with(tenant, || Arc::new(Semaphore::new(self.per_tenant)));
        // They are never closed, so that acquiring does not fail.
        let own = own.acquire_owned().await.ok();
        let all = Arc::clone(&self.all).acquire_owned().await.ok();
        Permit { _tenant: own, _all: all }
    }
}
