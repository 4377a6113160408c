//! Rate limits: of each API key, and of each tenant that has one of its own.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::Clock as _;
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::problem::{ApiError, Result};
use anchord_messages::id::{KeyId, TenantId};
use anchord_runtime::cache::{Cache, Expiry};

/// The most tenants whose counts are kept.
const MAX_TENANTS: u64 = 10_000;
/// How long the count of an idle tenant is kept.
const EXPIRES_AFTER: Duration = Duration::from_mins(1);

/// The rate limit of API keys; each key has its own count.
#[derive(Clone, Debug)]
pub struct RateLimit {
    limiter: Arc<DefaultKeyedRateLimiter<KeyId>>,
    per_second: NonZeroU32,
    burst: NonZeroU32,
}

impl RateLimit {
    /// Allows a burst that is refilled at a rate.
    pub fn new(per_second: NonZeroU32, burst: NonZeroU32) -> Self {
        let quota = Quota::per_second(per_second).allow_burst(burst);
        Self { limiter: Arc::new(RateLimiter::keyed(quota)), per_second, burst }
    }

    /// Counts a request of a key, or rejects it.
    pub(crate) fn check(&self, key: KeyId) -> Result<()> {
        self.limiter.check_key(&key).map_err(|refused| ApiError::RateLimited {
            of: "key",
            retry_after: refused.wait_time_from(self.limiter.clock().now()),
            per_second: self.per_second.get(),
            burst: self.burst.get(),
        })
    }

    /// Drops the counts of keys whose burst is full again.
    pub fn shrink(&self) {
        self.limiter.retain_recent();
    }
}

/// The rate limits of tenants that have their own, over all keys of a tenant.
#[derive(Clone, Debug)]
pub struct TenantRates(Cache<(TenantId, u32), Arc<DefaultDirectRateLimiter>>);

impl Default for TenantRates {
    fn default() -> Self {
        Self(Cache::new(MAX_TENANTS, Expiry::Idle(EXPIRES_AFTER)))
    }
}

impl TenantRates {
    /// Counts a request of a tenant, or rejects it.
    pub(crate) fn check(&self, tenant: TenantId, per_second: u32) -> Result<()> {
        let rate = NonZeroU32::new(per_second).unwrap_or(NonZeroU32::MIN);
        // A changed rate gets a new limiter, which starts with a full burst.
        let limiter =
            self.0.get_with((tenant, per_second), || Arc::new(RateLimiter::direct(Quota::per_second(rate))));
        limiter.check().map_err(|refused| ApiError::RateLimited {
            of: "tenant",
            retry_after: refused.wait_time_from(limiter.clock().now()),
            per_second,
            burst: per_second,
        })
    }
}
