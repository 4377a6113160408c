//! Circuit breakers: after repeated failures a model is not called for a while.
//!
//! There is one breaker for each pair of tenant and model, because the input of a tenant may be what fails, and one
//! for each model, which opens only when calls of several tenants failed in a row.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anchord_messages::id::TenantId;
use anchord_runtime::cache::{Cache, Expiry};

/// The consecutive failures that open a breaker.
const OPENS_AFTER: u32 = 5;
/// How long a breaker stays open; then one trial call is allowed.
const OPEN_FOR: Duration = Duration::from_secs(30);
/// How long an unused breaker is kept.
const EXPIRES_AFTER: Duration = Duration::from_hours(1);
const MAX_BREAKERS: u64 = 10_000;

/// The breakers of a process: one for each tenant and model, and one for each model.
pub(super) struct Breakers {
    by_tenant: Cache<(TenantId, String), Arc<Mutex<Breaker>>>,
    by_model: Cache<String, Arc<Mutex<Breaker>>>,
}

#[derive(Default)]
struct Breaker {
    failures: u32,
    /// The tenant whose call failed first.
    first_failed: Option<TenantId>,
    /// Whether calls of more than one tenant failed since the last success.
    several_failed: bool,
    open_until: Option<Instant>,
}

impl Breakers {
    pub(super) fn new() -> Self {
        let by_tenant = Cache::new(MAX_BREAKERS, Expiry::Idle(EXPIRES_AFTER));
        let by_model = Cache::new(MAX_BREAKERS, Expiry::Idle(EXPIRES_AFTER));
        Self { by_tenant, by_model }
    }

    pub(super) fn allows(&self, tenant: TenantId, model: &str) -> bool {
        let now = Instant::now();
        let both = self.both(tenant, model);
        // Check both first: a breaker that rejects the call must not use up the trial call of the other.
        both.iter().all(|breaker| locked(breaker, |b| b.open_until.is_none_or(|until| now >= until)))
            && both.iter().all(|breaker| locked(breaker, |b| b.allows(now)))
    }

    pub(super) fn record(&self, tenant: TenantId, model: &str, good: bool) {
        let now = Instant::now();
        let [by_tenant, by_model] = self.both(tenant, model);
        locked(&by_tenant, |b| b.record(tenant, good, 1, now));
        locked(&by_model, |b| b.record(tenant, good, 2, now));
    }

    fn both(&self, tenant: TenantId, model: &str) -> [Arc<Mutex<Breaker>>; 2] {
        let by_tenant = self.by_tenant.get_with((tenant, model.to_owned()), Arc::default);
        [by_tenant, self.by_model.get_with(model.to_owned(), Arc::default)]
    }
}

/// Runs `work` under the lock. A poisoned lock is ignored: the counts are valid at every point.
fn locked<T>(breaker: &Mutex<Breaker>, work: impl FnOnce(&mut Breaker) -> T) -> T {
    work(&mut breaker.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Breaker {
    fn allows(&mut self, now: Instant) -> bool {
        match self.open_until {
            Some(until) if now < until => false,
            Some(_) => {
                // One trial call is allowed; the others still have to wait.
                self.open_until = Some(now + OPEN_FOR);
                true
            }
            None => true,
        }
    }

    /// Counts a call. Failures open the breaker when they come from at least `tenants` tenants (1, or 2 for several).
    fn record(&mut self, tenant: TenantId, good: bool, tenants: u32, now: Instant) {
        if good {
            *self = Self::default();
            return;
        }
        self.failures = self.failures.saturating_add(1);
        self.several_failed |= self.first_failed.is_some_and(|first| first != tenant);
        self.first_failed = self.first_failed.or(Some(tenant));
        if self.failures >= OPENS_AFTER && (tenants == 1 || self.several_failed) {
            self.open_until = Some(now + OPEN_FOR);
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const US: TenantId = TenantId(Uuid::from_u128(1));
    const THEM: TenantId = TenantId(Uuid::from_u128(2));

    #[test]
    fn an_open_breaker_rejects_calls_and_then_allows_one_trial_call() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        for _ in 0..OPENS_AFTER {
            assert!(breaker.allows(now));
            breaker.record(US, false, 1, now);
        }
        assert!(!breaker.allows(now));
        let later = now + OPEN_FOR;
        assert!(breaker.allows(later));
        assert!(!breaker.allows(later), "only one trial call is allowed");
        breaker.record(US, true, 1, later);
        assert!(breaker.allows(later));
    }

    #[test]
    fn failures_of_one_tenant_open_the_breaker_of_that_tenant_and_model_only() {
        let breakers = Breakers::new();
        for _ in 0..OPENS_AFTER {
            breakers.record(US, "forbidden", false);
        }
        let open = [(US, "forbidden"), (US, "small"), (THEM, "forbidden"), (THEM, "small")]
            .map(|(tenant, model)| !breakers.allows(tenant, model));
        assert_eq!(open, [true, false, false, false]);
    }

    #[test]
    fn failures_of_several_tenants_in_a_row_open_the_breaker_of_the_model() {
        let breakers = Breakers::new();
        for tenant in [US, THEM, US, THEM] {
            breakers.record(tenant, "small", false);
        }
        assert!(breakers.allows(US, "small"));
        breakers.record(US, "small", true);
        for tenant in [US, THEM, US, THEM, US] {
            breakers.record(tenant, "small", false);
        }
        let another = TenantId(Uuid::from_u128(3));
        assert!(!breakers.allows(another, "small"), "a success resets the count");
        assert!(breakers.allows(another, "large"));
    }
}
