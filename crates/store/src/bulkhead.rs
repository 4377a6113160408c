//! Limits how many of the connections for requests one tenant may hold, so that other tenants always find some.
//! Workers have connections and limits of their own.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use sqlx::{PgConnection, Postgres, Transaction};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::StoreError;
use anchord_messages::id::TenantId;

/// A tenant may hold this fraction of the connections: one in three.
const PART: u32 = 3;
/// How long a request waits when its tenant holds all the connections that it may.
const WAIT: Duration = Duration::from_secs(1);
/// How long the state of an idle tenant is kept.
const FORGET_AFTER: Duration = Duration::from_hours(1);
const MOST_TENANTS: u64 = 10_000;

/// The limits of all tenants.
#[derive(Clone, Debug)]
pub(super) struct Bulkhead {
    share: usize,
    wait: Duration,
    tenants: Cache<TenantId, Arc<Semaphore>>,
}

/// A place among a tenant's connections, held as long as the connection; empty where connections are not limited by
/// tenant.
#[derive(Debug, Default)]
pub(super) struct Share {
    _place: Option<OwnedSemaphorePermit>,
}

impl Bulkhead {
    pub(super) fn new(connections: u32) -> Self {
        Self::waiting(connections, WAIT)
    }

    fn waiting(connections: u32, wait: Duration) -> Self {
        let share = usize::try_from(connections / PART).unwrap_or(usize::MAX).max(1);
        let tenants = Cache::builder().max_capacity(MOST_TENANTS).time_to_idle(FORGET_AFTER).build();
        Self { share, wait, tenants }
    }

    /// Waits up to [`WAIT`] for a place among the tenant's connections.
    pub(super) async fn enter(&self, tenant: TenantId) -> Result<Share, StoreError> {
        let places = self.tenants.get_with(tenant, || Arc::new(Semaphore::new(self.share)));
        match tokio::time::timeout(self.wait, places.acquire_owned()).await {
            Ok(Ok(place)) => Ok(Share { _place: Some(place) }),
            // The semaphore is never closed.
            Ok(Err(_)) => Err(sqlx::Error::PoolClosed.into()),
            Err(_) => {
                metrics::counter!("anchord_tenant_connections_refused_total").increment(1);
                Err(StoreError::TenantBusy)
            }
        }
    }
}

/// A transaction of one tenant, with its place among the tenant's connections.
#[derive(Debug)]
pub struct Tx {
    inner: Transaction<'static, Postgres>,
    _share: Share,
}

impl Tx {
    pub(super) fn new(inner: Transaction<'static, Postgres>, share: Share) -> Self {
        Self { inner, _share: share }
    }

    /// Commits.
    ///
    /// # Errors
    /// When the database does not commit.
    pub async fn commit(self) -> Result<(), sqlx::Error> {
        self.inner.commit().await
    }

    /// Rolls back.
    ///
    /// # Errors
    /// When the database does not answer; the transaction is rolled back all the same.
    pub async fn rollback(self) -> Result<(), sqlx::Error> {
        self.inner.rollback().await
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
        let bulkhead = Bulkhead::waiting(7, Duration::ZERO);
        let [us, them] = [1, 2].map(|id| TenantId(Uuid::from_u128(id)));
        let held = [bulkhead.enter(us).await.unwrap(), bulkhead.enter(us).await.unwrap()];
        assert!(matches!(bulkhead.enter(us).await, Err(StoreError::TenantBusy)));
        assert!(bulkhead.enter(them).await.is_ok());
        drop(held);
        assert!(bulkhead.enter(us).await.is_ok());
    }

    #[tokio::test]
    async fn of_the_fewest_connections_one_is_everybodys() {
        assert!(Bulkhead::new(2).enter(TenantId(Uuid::nil())).await.is_ok());
    }
}
