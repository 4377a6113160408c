//! Cached look-ups of API keys.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use moka::future::Cache;
use sha2::{Digest, Sha256};

use anchord_messages::id::{KeyId, TenantId};
use anchord_session::quota::Quotas;

/// How long a look-up is cached, and so how long a revoked key may still pass in a process that has lost its
/// connection to the database.
const KEY_CACHE_TIME: Duration = Duration::from_secs(5);
/// The most cached look-ups, unknown keys included.
const KEY_CACHE_SIZE: u64 = 10_000;

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
    pub(super) grants: Cache<KeyDigest, Option<Grant>>,
    pub(super) used: moka::sync::Cache<KeyId, TenantId>,
}

impl KeyCache {
    pub(super) fn new() -> Self {
        Self {
            refused: Arc::default(),
            grants: Cache::builder().max_capacity(KEY_CACHE_SIZE).time_to_live(KEY_CACHE_TIME).build(),
            used: moka::sync::Cache::new(KEY_CACHE_SIZE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
