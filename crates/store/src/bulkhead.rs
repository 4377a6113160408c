//! Limits how many of the connections for requests one tenant may hold, so that other tenants always find some.
//! Workers have connections and limits of their own.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::PgConnection;
use super::{Result, StoreError};
use anchord_messages::id::TenantId;
use anchord_runtime::cache::{Cache, Expiry};
use anchord_runtime::fair;

/// A tenant may hold this fraction of the connections: one in three.
const PART: u32 = 3;
/// Changes may hold this part of a tenant's connections, and half of all: they may wait for a lock, and reads, which wait
/// for none, must not wait for them.
const PART_OF_CHANGES: (usize, usize) = (2, 3);
/// How long a request waits when its tenant holds all the connections that it may.
const WAIT: Duration = Duration::from_secs(1);
/// How long a change waits for its place. Longer than a statement waits for a lock, so that a change behind one that waits
/// in vain gets its turn; meanwhile it holds no connection.
const WAIT_TO_CHANGE: Duration = Duration::from_secs(3);
/// A tenant does one search at a time for each three of its connections, or as many as it has turns to compute when those are
/// more. What a search takes is turns: with more searches at once, all of them would end later, and together.
const CONNECTIONS_PER_SEARCH: usize = 3;
/// How long a search waits for its place, and for each connection: it holds nothing that others need meanwhile.
const WAIT_TO_SEARCH: Duration = Duration::from_secs(5);
/// How long the state of an idle tenant is kept.
const FORGET_AFTER: Duration = Duration::from_hours(1);
const MOST_TENANTS: u64 = 10_000;

/// The limits of all tenants.
#[derive(Clone, Debug)]
pub(super) struct Bulkhead {
    share: usize,
    /// How long a read, a change and a search wait.
    waits: [Duration; 3],
    tenants: Cache<TenantId, Places>,
    /// The places of changes, of all tenants together.
    changes: Arc<Semaphore>,
}

/// The places of one tenant.
#[derive(Clone, Debug)]
struct Places {
    all: Arc<Semaphore>,
    changes: Arc<Semaphore>,
    searches: Arc<Semaphore>,
}

/// A place that a tenant has, among its connections, its changes or its searches; empty where none are limited.
#[derive(Debug, Default)]
pub(super) struct Share {
    _places: Vec<OwnedSemaphorePermit>,
}

impl Bulkhead {
    pub(super) fn new(connections: u32) -> Self {
        Self::waiting(connections, [WAIT, WAIT_TO_CHANGE, WAIT_TO_SEARCH])
    }

    fn waiting(connections: u32, waits: [Duration; 3]) -> Self {
        let share = usize::try_from(connections / PART).unwrap_or(usize::MAX).max(1);
        let tenants = Cache::new(MOST_TENANTS, Expiry::Idle(FORGET_AFTER));
        let half = usize::try_from(connections / 2).unwrap_or(usize::MAX).max(1);
        Self { share, waits, tenants, changes: Arc::new(Semaphore::new(half)) }
    }

    /// Waits up to [`WAIT`] for a place among the tenant's connections.
    pub(super) async fn enter(&self, tenant: TenantId) -> Result<Share> {
        let [wait, ..] = self.waits;
        wait_for([self.places(tenant).all], wait).await
    }

    /// Waits up to [`WAIT_TO_CHANGE`] for a place among the tenant's connections for something that may wait for a lock.
    pub(super) async fn enter_to_change(&self, tenant: TenantId) -> Result<Share> {
        let Places { all, changes, .. } = self.places(tenant);
        let [_, wait, _] = self.waits;
        // The tenant's own first, so that what waits for it takes nothing from others.
        wait_for([changes, Arc::clone(&self.changes), all], wait).await
    }

    /// Waits up to [`WAIT_TO_SEARCH`] for a place among the tenant's connections, for a page of a search: one that was refused
    /// would have to begin again.
    pub(super) async fn enter_for_a_page(&self, tenant: TenantId) -> Result<Share> {
        let [.., wait] = self.waits;
        wait_for([self.places(tenant).all], wait).await
    }

    /// Waits up to [`WAIT_TO_SEARCH`] for a place among the tenant's searches, which is none among its connections.
    pub(super) async fn enter_to_search(&self, tenant: TenantId) -> Result<Share> {
        let [.., wait] = self.waits;
        wait_for([self.places(tenant).searches], wait).await
    }

    fn places(&self, tenant: TenantId) -> Places {
        self.tenants.get_with(tenant, || {
            let (part, of) = PART_OF_CHANGES;
            let changes = (self.share * part / of).max(1);
            let searches = (self.share / CONNECTIONS_PER_SEARCH).max(fair::most_of_one()).min(self.share);
            let [all, changes, searches] =
                [self.share, changes, searches].map(|places| Arc::new(Semaphore::new(places)));
            Places { all, changes, searches }
        })
    }
}

/// Takes the places in order.
async fn wait_for<const N: usize>(places: [Arc<Semaphore>; N], wait: Duration) -> Result<Share> {
    let waiting = async {
        let mut taken = Vec::with_capacity(N);
        for place in places {
            // The semaphores are never closed.
            taken.push(place.acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?);
        }
        Ok(Share { _places: taken })
    };
    tokio::time::timeout(wait, waiting).await.unwrap_or_else(|_| {
        metrics::counter!("anchord_tenant_connections_refused_total").increment(1);
        Err(StoreError::TenantBusy)
    })
}

/// A transaction of one tenant, with its place among the tenant's connections.
#[derive(Debug)]
pub struct Tx {
    inner: PgConnection,
    is_snapshot: bool,
    _share: Share,
}

impl Tx {
    pub(super) fn new(inner: PgConnection, share: Share) -> Self {
        Self { inner, is_snapshot: false, _share: share }
    }

    /// The same as a snapshot, whose commit changes nothing.
    pub(super) fn snapshot(self) -> Self {
        Self { is_snapshot: true, ..self }
    }

    /// Commits.
    ///
    /// # Errors
    /// When the database does not commit; [`StoreError::OutcomeUnknown`] when it does not say whether it has.
    pub async fn commit(mut self) -> Result<()> {
        let ended = self.inner.end("COMMIT").await.map_err(StoreError::from);
        if self.is_snapshot { ended } else { ended.map_err(StoreError::of_a_commit) }
    }

    /// Rolls back.
    ///
    /// # Errors
    /// When the database does not answer; the transaction is rolled back all the same.
    pub async fn rollback(mut self) -> Result<()> {
        Ok(self.inner.end("ROLLBACK").await?)
    }
}

impl Deref for Tx {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.inner
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.inner
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn a_tenant_that_holds_its_share_is_refused_alone() {
        let bulkhead = Bulkhead::waiting(7, [Duration::ZERO; 3]);
        let [us, them] = [1, 2].map(|id| TenantId(Uuid::from_u128(id)));
        let held = [bulkhead.enter(us).await.unwrap(), bulkhead.enter(us).await.unwrap()];
        assert!(matches!(bulkhead.enter(us).await, Err(StoreError::TenantBusy)));
        assert!(bulkhead.enter(them).await.is_ok());
        drop(held);
        assert!(bulkhead.enter(us).await.is_ok());
    }

    #[tokio::test]
    async fn searches_leave_all_connections_to_other_requests() {
        let bulkhead = Bulkhead::waiting(18, [Duration::ZERO; 3]);
        let [us, them] = [1, 2].map(|id| TenantId(Uuid::from_u128(id)));
        let mut searches = Vec::new();
        while let Ok(search) = bulkhead.enter_to_search(us).await {
            searches.push(search);
        }
        assert_eq!(searches.len(), fair::most_of_one().clamp(2, 6));
        assert!(bulkhead.enter_to_search(them).await.is_ok());
        let mut reads = Vec::new();
        while let Ok(read) = bulkhead.enter(us).await {
            reads.push(read);
        }
        assert_eq!(reads.len(), 6);
    }

    #[tokio::test]
    async fn changes_leave_connections_for_reads() {
        let bulkhead = Bulkhead::waiting(18, [Duration::ZERO; 3]);
        let tenants = [1, 2, 3].map(|id| TenantId(Uuid::from_u128(id)));
        let mut changes = Vec::new();
        for tenant in tenants {
            while let Ok(change) = bulkhead.enter_to_change(tenant).await {
                changes.push(change);
            }
        }
        assert_eq!(changes.len(), 9, "half of all, and four of one tenant");
        for tenant in tenants {
            assert!(bulkhead.enter(tenant).await.is_ok(), "a read waits for changes");
        }
    }

    #[tokio::test]
    async fn of_the_fewest_connections_one_is_everybodys() {
        let bulkhead = Bulkhead::new(2);
        drop(bulkhead.enter(TenantId(Uuid::nil())).await.unwrap());
        assert!(bulkhead.enter_to_change(TenantId(Uuid::nil())).await.is_ok());
    }
}
