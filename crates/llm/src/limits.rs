//! Limits of concurrent calls: one for all tenants together, and one for each tenant, so that no tenant uses all.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use anchord_messages::id::TenantId;
use anchord_runtime::cache::{Cache, Expiry};

/// How long the semaphore of an idle tenant is kept.
const EXPIRES_AFTER: Duration = Duration::from_hours(1);
const MAX_TENANTS: u64 = 10_000;

/// The semaphores of a client.
pub(super) struct Limits {
    all: Arc<Semaphore>,
    per_tenant: usize,
    tenants: Cache<TenantId, Arc<Semaphore>>,
}

/// Permission for one call; held while the call runs.
pub(super) struct Permit {
    _tenant: Option<OwnedSemaphorePermit>,
    _all: Option<OwnedSemaphorePermit>,
}

impl Limits {
    pub(super) fn new(all: usize, per_tenant: usize) -> Self {
        let tenants = Cache::new(MAX_TENANTS, Expiry::Idle(EXPIRES_AFTER));
        Self { all: Arc::new(Semaphore::new(all)), per_tenant, tenants }
    }

    /// Acquires the tenant's permit first: a call that waits for it must not hold one of the shared permits.
    pub(super) async fn acquire(&self, tenant: TenantId) -> Permit {
        let own = self.tenants.get_with(tenant, || Arc::new(Semaphore::new(self.per_tenant)));
        // The semaphores are never closed, so acquiring does not fail.
        let own = own.acquire_owned().await.ok();
        let all = Arc::clone(&self.all).acquire_owned().await.ok();
        Permit { _tenant: own, _all: all }
    }
}
