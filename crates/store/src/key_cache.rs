//! Cached look-ups of API keys.

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

/// The cached look-ups, and the keys that were used since their last use was stored.
#[derive(Clone, Debug)]
pub(super) struct KeyCache {
    pub(super) grants: Cache<KeyDigest, Option<Grant>>,
    pub(super) used: moka::sync::Cache<KeyId, TenantId>,
}

impl KeyCache {
    pub(super) fn new() -> Self {
        Self {
            grants: Cache::builder().max_capacity(KEY_CACHE_SIZE).time_to_live(KEY_CACHE_TIME).build(),
            used: moka::sync::Cache::new(KEY_CACHE_SIZE),
        }
    }
}
