//! Limits how many of the requests' connections one tenant may hold at once, so that others always find some. Workers have
//! connections and shares of their own.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use sqlx::{PgConnection, Postgres, Transaction};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::StoreError;
use anchord_messages::id::TenantId;

/// A tenant's share is this part of the connections.
const PART: u32 = 3;
/// How long a tenant that holds its share waits for one of its own requests to end.
const WAIT: Duration = Duration::from_secs(1);
/// A tenant that has not asked for so long is forgotten.
const FORGET_AFTER: Duration = Duration::from_hours(1);
const MOST_TENANTS: u64 = 10_000;

/// The shares of all tenants.
#[derive(Clone, Debug)]
pub(super) struct Bulkhead {
    share: usize,
    wait: Duration,
    tenants: Cache<TenantId, Arc<Semaphore>>,
}

/// Held while a connection is; nothing where connections are not shared out.
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

    /// Waits, a little, for a place in the tenant's share.
    pub(super) async fn enter(&self, tenant: TenantId) -> Result<Share, StoreError> {
        let places = self.tenants.get_with(tenant, || Arc::new(Semaphore::new(self.share)));
        match tokio::time::timeout(self.wait, places.acquire_owned()).await {
            Ok(Ok(place)) => Ok(Share { _place: Some(place) }),
            // It is never closed.
            Ok(Err(_)) => Err(sqlx::Error::PoolClosed.into()),
            Err(_) => {
                metrics::counter!("anchord_tenant_connections_refused_total").increment(1);
                Err(StoreError::TenantBusy)
            }
        }
    }
}

/// A transaction of one tenant, with its place in the tenant's share.
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
    /// When the database does not.
    pub async fn commit(self) -> Result<(), sqlx::Error> {
        self.inner.commit().await
    }

    /// Rolls back.
    ///
    /// # Errors
    /// When the database does not answer; it is rolled back all the same.
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
