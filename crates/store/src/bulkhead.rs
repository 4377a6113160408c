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

/// What a place is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Need {
    /// A read waits up to [`WAIT`] for a place among the tenant's connections.
    Read,
    /// What may wait for a lock waits up to [`WAIT_TO_CHANGE`] for one.
    Change,
    /// A page of a search waits up to [`WAIT_TO_SEARCH`] for one: if it were refused, the search would have to begin again.
    Page,
    /// A search waits as long for a place among the tenant's searches, which is none among its connections.
    Search,
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

    /// Waits for a place of a tenant; without limits there always is one.
    pub(super) async fn share(limits: Option<&Self>, tenant: TenantId, need: Need) -> Result<Share> {
        let Some(limits) = limits else { return Ok(Share::default()) };
        let [to_read, to_change, to_search] = limits.waits;
        let Places { all, changes, searches } = limits.places(tenant);
        match need {
            Need::Read => wait_for([all], to_read).await,
            // The tenant's own first, so that what waits for it takes nothing from others.
            Need::Change => wait_for([changes, Arc::clone(&limits.changes), all], to_change).await,
            Need::Page => wait_for([all], to_search).await,
            Need::Search => wait_for([searches], to_search).await,
        }
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

    async fn share(bulkhead: &Bulkhead, tenant: TenantId, need: Need) -> Result<Share> {
        Bulkhead::share(Some(bulkhead), tenant, need).await
    }

    #[tokio::test]
    async fn a_tenant_that_holds_its_share_is_refused_alone() {
        let bulkhead = Bulkhead::waiting(7, [Duration::ZERO; 3]);
        let [us, them] = [1, 2].map(|id| TenantId(Uuid::from_u128(id)));
        let held = [
            share(&bulkhead, us, Need::Read).await.unwrap(),
            share(&bulkhead, us, Need::Read).await.unwrap(),
        ];
        assert!(matches!(share(&bulkhead, us, Need::Read).await, Err(StoreError::TenantBusy)));
        assert!(share(&bulkhead, them, Need::Read).await.is_ok());
        drop(held);
        assert!(share(&bulkhead, us, Need::Read).await.is_ok());
    }

    #[tokio::test]
    async fn searches_leave_all_connections_to_other_requests() {
        let bulkhead = Bulkhead::waiting(18, [Duration::ZERO; 3]);
        let [us, them] = [1, 2].map(|id| TenantId(Uuid::from_u128(id)));
        let mut searches = Vec::new();
        while let Ok(search) = share(&bulkhead, us, Need::Search).await {
            searches.push(search);
        }
        assert_eq!(searches.len(), fair::most_of_one().clamp(2, 6));
        assert!(share(&bulkhead, them, Need::Search).await.is_ok());
        let mut reads = Vec::new();
        while let Ok(read) = share(&bulkhead, us, Need::Read).await {
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
            while let Ok(change) = share(&bulkhead, tenant, Need::Change).await {
                changes.push(change);
            }
        }
        assert_eq!(changes.len(), 9, "half of all, and four of one tenant");
        for tenant in tenants {
            assert!(share(&bulkhead, tenant, Need::Read).await.is_ok(), "a read waits for changes");
        }
    }

    #[tokio::test]
    async fn of_the_fewest_connections_one_is_everybodys() {
        let bulkhead = Bulkhead::new(2);
        drop(share(&bulkhead, TenantId(Uuid::nil()), Need::Read).await.unwrap());
        assert!(share(&bulkhead, TenantId(Uuid::nil()), Need::Change).await.is_ok());
    }
}
