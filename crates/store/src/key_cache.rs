//! Cached look-ups of API keys, and the notifications that drop them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use moka::future::Cache;
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, broadcast};

use anchord_messages::id::{KeyId, TenantId};
use anchord_session::quota::Quotas;

/// How long a look-up is cached, and so how long a revoked key may still pass in a process that has lost its
/// connection to the database.
const KEY_CACHE_TIME: Duration = Duration::from_secs(5);
/// The most cached look-ups, unknown keys included.
const KEY_CACHE_SIZE: u64 = 10_000;
/// How many look-ups run at once, so that keys that nobody has made cannot take the connections of requests.
const LOOK_UPS: usize = 4;
/// How many changes are buffered for those who watch a tenant; a slower one is only notified that it missed some.
const CHANGES: usize = 256;

/// SHA-256 of an API key; the key itself is never stored.
pub type KeyDigest = [u8; 32];

/// Digests an API key.
#[must_use]
pub fn digest_key(key: &str) -> KeyDigest {
    Sha256::digest(key.as_bytes()).into()
}

/// The rights of a valid key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The tenant of the key.
    pub tenant: TenantId,
    /// The key's id.
    pub key: KeyId,
    /// Its scopes.
    pub scopes: Vec<String>,
    /// When it ends.
    pub expires_at: Option<DateTime<Utc>>,
    /// Whether the operator has suspended its tenant.
    pub suspended: bool,
    /// The quotas of its tenant.
    pub quotas: Quotas,
}

/// The cached look-ups, and the keys that were used since their last use was stored.
#[derive(Clone, Debug)]
pub(super) struct KeyCache {
    grants: Cache<KeyDigest, Option<Grant>>,
    pub(super) used: moka::sync::Cache<KeyId, TenantId>,
    /// How often look-ups were dropped.
    dropped: Arc<AtomicU64>,
    changes: broadcast::Sender<Option<TenantId>>,
    /// Look-ups wait here for each other, and find what the one before has cached.
    pub(super) look_ups: Arc<Semaphore>,
}

impl KeyCache {
    pub(super) fn new() -> Self {
        Self {
            grants: Cache::builder().max_capacity(KEY_CACHE_SIZE).time_to_live(KEY_CACHE_TIME).build(),
            used: moka::sync::Cache::new(KEY_CACHE_SIZE),
            dropped: Arc::default(),
            changes: broadcast::channel(CHANGES).0,
            look_ups: Arc::new(Semaphore::new(LOOK_UPS)),
        }
    }

    pub(super) async fn find(&self, digest: &KeyDigest) -> Option<Option<Grant>> {
        self.grants.get(digest).await
    }

    /// A moment to compare with in [`Self::keep`], from before a look-up.
    pub(super) fn moment(&self) -> u64 {
        self.dropped.load(Ordering::SeqCst)
    }

    /// Caches a look-up, unless others were dropped since it began: it may be from before the change.
    pub(super) async fn keep(&self, digest: KeyDigest, found: Option<Grant>, moment: u64) {
        if self.moment() == moment {
            self.grants.insert(digest, found).await;
        }
    }

    /// Drops the look-up of one key.
    pub(super) async fn forget_key(&self, digest: &KeyDigest) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
        self.grants.invalidate(digest).await;
    }

    /// Drops the look-ups of a tenant's keys, so that its changes cost the other tenants no look-up, and notifies those
    /// who watch the tenant. `None` stands for all tenants.
    pub(super) async fn forget(&self, tenant: Option<TenantId>) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
        match tenant {
            Some(tenant) => {
                let theirs =
                    |grant: &Option<Grant>| grant.as_ref().is_some_and(|grant| grant.tenant == tenant);
                let digests: Vec<Arc<KeyDigest>> =
                    self.grants.iter().filter(|(_, grant)| theirs(grant)).map(|(digest, _)| digest).collect();
                for digest in digests {
                    self.grants.invalidate(&*digest).await;
                }
            }
            None => self.grants.invalidate_all(),
        }
        // An error means that nobody watches.
        let _ = self.changes.send(tenant);
    }

    /// Hears of changes of a tenant and its keys from now on.
    pub(super) fn watch(&self, tenant: TenantId) -> Changes {
        Changes { tenant, heard: self.changes.subscribe() }
    }
}

/// The changes of one tenant and its keys.
#[derive(Debug)]
pub struct Changes {
    tenant: TenantId,
    heard: broadcast::Receiver<Option<TenantId>>,
}

impl Changes {
    /// Waits until the tenant or one of its keys may have changed.
    pub async fn next(&mut self) {
        loop {
            match self.heard.recv().await {
                Ok(Some(tenant)) if tenant != self.tenant => {}
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return,
                // Never closed: the store holds the sender as long as the process lives.
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use uuid::Uuid;

    use super::*;

    fn grant(tenant: TenantId) -> Grant {
        let quotas = Quotas::default();
        let key = KeyId(Uuid::from_u128(9));
        Grant { tenant, key, scopes: Vec::new(), expires_at: None, suspended: false, quotas }
    }

    #[tokio::test]
    async fn a_change_drops_the_look_ups_of_its_tenant_alone() {
        let keys = KeyCache::new();
        let [ours, theirs] = [1, 2].map(|id| TenantId(Uuid::from_u128(id)));
        keys.keep([1; 32], Some(grant(ours)), keys.moment()).await;
        keys.keep([2; 32], Some(grant(theirs)), keys.moment()).await;
        let mut changes = keys.watch(ours);
        keys.forget(Some(theirs)).await;
        assert!(changes.next().now_or_never().is_none());
        assert!(keys.find(&[1; 32]).await.is_some() && keys.find(&[2; 32]).await.is_none());
        keys.forget(None).await;
        assert!(changes.next().now_or_never().is_some());
        assert!(keys.find(&[1; 32]).await.is_none());
    }

    #[tokio::test]
    async fn a_look_up_from_before_a_change_is_not_kept() {
        let keys = KeyCache::new();
        let tenant = TenantId(Uuid::from_u128(1));
        let moment = keys.moment();
        keys.forget(Some(tenant)).await;
        keys.keep([1; 32], Some(grant(tenant)), moment).await;
        assert!(keys.find(&[1; 32]).await.is_none());
    }
}
