//! Cached look-ups of API keys, and the notifications that drop them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sha2::{Digest, Sha256};
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

use crate::notifier::Notifier;
use crate::prelude::*;
use anchord_messages::id::KeyId;
use anchord_runtime::cache::{Cache, Expiry};
use anchord_session::quota::Quotas;

/// How long a look-up is cached, and so how long a revoked key may still pass in a process that has lost its
/// connection to the database.
const KEY_CACHE_TIME: Duration = Duration::from_secs(5);
/// The most cached look-ups of keys.
const KEY_CACHE_SIZE: u64 = 10_000;
/// The most cached unknown keys. They have a cache of their own, so that invented ones displace no key.
const UNKNOWN_CACHE_SIZE: u64 = 1_000;
/// How many look-ups of keys in use run at once, and of new keys, so that they do not take the connections of requests.
const LOOK_UPS: usize = 4;
/// How many look-ups of new keys run at once from addresses that fail.
const SUSPECT_LOOK_UPS: usize = 1;

/// SHA-256 of an API key; the key itself is never stored.
pub type KeyDigest = [u8; 32];

/// Digests an API key.
pub fn digest_key(key: &str) -> KeyDigest {
    Sha256::digest(key.as_bytes()).into()
}

/// The line in which a look-up waits for its turn. Invented keys wait in the two last lines only, so that no key in use
/// waits behind one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// The key was good a short time ago.
    InUse,
    /// It is new, and comes from an address without failures.
    New,
    /// It is new, and comes from an address that has sent wrong keys.
    Suspect,
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
    /// Whether its tenant is a copy that counts only once no other cell has the tenant.
    pub is_arriving: bool,
}

/// The most refused keys that are counted each by itself within a minute; further ones are counted together.
const REFUSED_KEYS: usize = 100;

/// Refused credentials since they were last recorded. A flood of them takes no more memory than this, and no more entries of
/// the audit log.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// Refusals by key.
    pub(super) keys: HashMap<KeyDigest, i64>,
    /// Refusals of further keys.
    pub(super) others: i64,
    /// Refusals of operator tokens.
    pub(super) operators: i64,
}

impl Refused {
    pub(super) fn count(&mut self, digest: KeyDigest) {
        if self.keys.len() < REFUSED_KEYS || self.keys.contains_key(&digest) {
            *self.keys.entry(digest).or_default() += 1;
        } else {
            self.others += 1;
        }
    }
}

/// The cached look-ups, the keys that were used since their last use was stored, and what was refused.
#[derive(Clone, Debug)]
pub(super) struct KeyCache {
    pub(super) refused: Arc<Mutex<Refused>>,
    grants: Cache<KeyDigest, Grant>,
    unknown: Cache<KeyDigest, ()>,
    pub(super) used: Cache<KeyId, TenantId>,
    /// How often look-ups were dropped.
    dropped: Arc<AtomicU64>,
    pub(super) changes: Notifier<TenantId>,
    lines: Arc<Lines>,
}

/// Look-ups wait here for each other, and find what the one before has cached.
#[derive(Debug)]
struct Lines {
    in_use: Semaphore,
    new: Semaphore,
    suspect: Semaphore,
}

impl KeyCache {
    pub(super) fn new() -> Self {
        Self {
            refused: Arc::default(),
            grants: Cache::new(KEY_CACHE_SIZE, Expiry::After(KEY_CACHE_TIME)),
            unknown: Cache::new(UNKNOWN_CACHE_SIZE, Expiry::After(KEY_CACHE_TIME)),
            used: Cache::new(KEY_CACHE_SIZE, Expiry::Never),
            dropped: Arc::default(),
            changes: Notifier::new(),
            lines: Arc::new(Lines {
                in_use: Semaphore::new(LOOK_UPS),
                new: Semaphore::new(LOOK_UPS),
                suspect: Semaphore::new(SUSPECT_LOOK_UPS),
            }),
        }
    }

    #[expect(clippy::option_option, reason = "a key that is known to be unknown needs no look-up")]
    pub(super) fn find(&self, digest: &KeyDigest) -> Option<Option<Grant>> {
        match self.grants.get(digest) {
            Some(grant) => Some(Some(grant)),
            None => self.unknown.get(digest).map(|()| None),
        }
    }

    /// Waits for the turn of a look-up.
    pub(super) async fn turn(&self, line: Line) -> Result<SemaphorePermit<'_>, AcquireError> {
        match line {
            Line::InUse => self.lines.in_use.acquire().await,
            Line::New => self.lines.new.acquire().await,
            Line::Suspect => self.lines.suspect.acquire().await,
        }
    }

    /// A moment to compare with in [`Self::keep`], from before a look-up.
    pub(super) fn moment(&self) -> u64 {
        self.dropped.load(Ordering::SeqCst)
    }

    /// Caches a look-up, unless others were dropped since it began: it may be from before the change.
    pub(super) fn keep(&self, digest: KeyDigest, found: Option<Grant>, moment: u64) {
        if self.moment() != moment {
            return;
        }
        match found {
            Some(grant) => self.grants.insert(digest, grant),
            None => self.unknown.insert(digest, ()),
        }
    }

    /// Drops the look-up of one key.
    pub(super) fn forget_key(&self, digest: &KeyDigest) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
        self.grants.invalidate(digest);
        self.unknown.invalidate(digest);
    }

    /// Drops the look-ups of a tenant's keys, so that its changes cost the other tenants no look-up, and notifies those
    /// who watch the tenant. `None` stands for all tenants.
    pub(super) fn forget(&self, tenant: Option<TenantId>) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
        if let Some(tenant) = tenant {
            for (digest, _) in self.grants.entries().iter().filter(|(_, grant)| grant.tenant == tenant) {
                self.grants.invalidate(digest);
            }
        } else {
            self.grants.invalidate_all();
            self.unknown.invalidate_all();
        }
        self.changes.notify(tenant);
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
        Grant {
            tenant,
            key,
            scopes: Vec::new(),
            expires_at: None,
            suspended: false,
            quotas,
            is_arriving: false,
        }
    }

    #[test]
    fn a_change_drops_the_look_ups_of_its_tenant_alone() {
        let keys = KeyCache::new();
        let [ours, theirs] = [1, 2].map(|id| TenantId(Uuid::from_u128(id)));
        keys.keep([1; 32], Some(grant(ours)), keys.moment());
        keys.keep([2; 32], Some(grant(theirs)), keys.moment());
        let mut changes = keys.changes.listen_to(ours);
        keys.forget(Some(theirs));
        assert!(changes.rung().now_or_never().is_none());
        assert!(keys.find(&[1; 32]).is_some() && keys.find(&[2; 32]).is_none());
        keys.forget(None);
        assert!(changes.rung().now_or_never().is_some());
        assert!(keys.find(&[1; 32]).is_none());
    }

    #[test]
    fn a_look_up_from_before_a_change_is_not_kept() {
        let keys = KeyCache::new();
        let tenant = TenantId(Uuid::from_u128(1));
        let moment = keys.moment();
        keys.forget(Some(tenant));
        keys.keep([1; 32], Some(grant(tenant)), moment);
        assert!(keys.find(&[1; 32]).is_none());
    }

    #[tokio::test]
    async fn a_key_in_use_does_not_wait_behind_invented_ones() {
        let keys = KeyCache::new();
        let _running = futures::future::join_all((0..LOOK_UPS).map(|_| keys.turn(Line::New))).await;
        let _last = keys.turn(Line::Suspect).await;
        assert!(
            keys.turn(Line::Suspect).now_or_never().is_none()
                && keys.turn(Line::New).now_or_never().is_none()
        );
        assert!(keys.turn(Line::InUse).now_or_never().is_some());
    }

    #[test]
    fn invented_keys_displace_no_key() {
        let keys = KeyCache::new();
        let tenant = TenantId(Uuid::from_u128(1));
        keys.keep([1; 32], Some(grant(tenant)), keys.moment());
        for n in 0..2 * KEY_CACHE_SIZE {
            keys.keep(digest_key(&n.to_string()), None, keys.moment());
        }
        keys.unknown.run_pending_tasks();
        assert!(keys.unknown.entry_count() <= UNKNOWN_CACHE_SIZE);
        assert!(keys.find(&[1; 32]).is_some_and(|found| found.is_some()));
    }

    #[test]
    fn a_flood_of_wrong_keys_takes_bounded_memory_and_loses_no_count() {
        let mut refused = Refused::default();
        for n in 0..100_000u32 {
            refused.count(digest_key(&n.to_string()));
        }
        refused.count(digest_key("0"));
        assert_eq!(refused.keys.len(), REFUSED_KEYS);
        assert_eq!(refused.keys.values().sum::<i64>() + refused.others, 100_001);
        assert_eq!(refused.keys[&digest_key("0")], 2);
    }
}
