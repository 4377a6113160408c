//! The circuit breakers: a model whose server is in trouble is left alone for a while.
//!
//! Failures count by tenant and model first, because what a tenant sends may be what fails. A model is left alone by
//! everybody when calls of several tenants failed in a row.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use moka::sync::Cache;

use anchord_messages::id::TenantId;

/// Failures in a row that open a breaker.
const OPENS_AFTER: u32 = 5;
/// How long it stays open; then one call is let through to see.
const REST: Duration = Duration::from_secs(30);
/// A breaker that nobody has asked for so long is forgotten.
const FORGET_AFTER: Duration = Duration::from_hours(1);
const MOST_BREAKERS: u64 = 10_000;

/// The breakers of a process: one for each tenant and model, and one for each model.
pub(super) struct Breakers {
    own: Cache<(TenantId, String), Arc<Mutex<Breaker>>>,
    of_all: Cache<String, Arc<Mutex<Breaker>>>,
}

#[derive(Default)]
struct Breaker {
    failures: u32,
    /// Whose call failed first, and whether another's failed since.
    failed: Option<TenantId>,
    several_failed: bool,
    open_until: Option<Instant>,
}

impl Breakers {
    pub(super) fn new() -> Self {
        let own = Cache::builder().max_capacity(MOST_BREAKERS).time_to_idle(FORGET_AFTER).build();
        let of_all = Cache::builder().max_capacity(MOST_BREAKERS).time_to_idle(FORGET_AFTER).build();
        Self { own, of_all }
    }

    pub(super) fn lets_through(&self, tenant: TenantId, model: &str) -> bool {
        let now = Instant::now();
        let both = self.both(tenant, model);
        // One that keeps it back does not use up the call of the other that sees whether it is over.
        both.iter().all(|breaker| locked(breaker, |b| b.open_until.is_none_or(|until| now >= until)))
            && both.iter().all(|breaker| locked(breaker, |b| b.lets_through(now)))
    }

    pub(super) fn note(&self, tenant: TenantId, model: &str, good: bool) {
        let now = Instant::now();
        let [own, of_all] = self.both(tenant, model);
        locked(&own, |b| b.note(tenant, good, 1, now));
        locked(&of_all, |b| b.note(tenant, good, 2, now));
    }

    fn both(&self, tenant: TenantId, model: &str) -> [Arc<Mutex<Breaker>>; 2] {
        let own = self.own.get_with((tenant, model.to_owned()), Arc::default);
        [own, self.of_all.get_with_by_ref(model, Arc::default)]
    }
}

/// Counts stay counts, whoever broke off.
fn locked<T>(breaker: &Mutex<Breaker>, work: impl FnOnce(&mut Breaker) -> T) -> T {
    work(&mut breaker.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Breaker {
    fn lets_through(&mut self, now: Instant) -> bool {
        match self.open_until {
            Some(until) if now < until => false,
            Some(_) => {
                // One call sees whether it is over; the others go on waiting.
                self.open_until = Some(now + REST);
                true
            }
            None => true,
        }
    }

    /// Counts a call; failures open the breaker when they are of so many tenants.
    fn note(&mut self, tenant: TenantId, good: bool, tenants: u32, now: Instant) {
        if good {
            *self = Self::default();
            return;
        }
        self.failures = self.failures.saturating_add(1);
        self.several_failed |= self.failed.is_some_and(|first| first != tenant);
        self.failed = self.failed.or(Some(tenant));
        if self.failures >= OPENS_AFTER && (tenants == 1 || self.several_failed) {
            self.open_until = Some(now + REST);
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
    fn a_server_in_trouble_is_left_alone_and_then_tried_by_one_call() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        for _ in 0..OPENS_AFTER {
            assert!(breaker.lets_through(now));
            breaker.note(US, false, 1, now);
        }
        assert!(!breaker.lets_through(now));
        let later = now + REST;
        assert!(breaker.lets_through(later));
        assert!(!breaker.lets_through(later), "one call sees whether it is over");
        breaker.note(US, true, 1, later);
        assert!(breaker.lets_through(later));
    }

    #[test]
    fn a_tenant_s_failures_keep_that_tenant_from_that_model_alone() {
        let breakers = Breakers::new();
        for _ in 0..OPENS_AFTER {
            breakers.note(US, "forbidden", false);
        }
        let open = [(US, "forbidden"), (US, "small"), (THEM, "forbidden"), (THEM, "small")]
            .map(|(tenant, model)| !breakers.lets_through(tenant, model));
        assert_eq!(open, [true, false, false, false]);
    }

    #[test]
    fn failures_of_several_tenants_in_a_row_keep_everybody_from_the_model() {
        let breakers = Breakers::new();
        for tenant in [US, THEM, US, THEM] {
            breakers.note(tenant, "small", false);
        }
        assert!(breakers.lets_through(US, "small"));
        breakers.note(US, "small", true);
        for tenant in [US, THEM, US, THEM, US] {
            breakers.note(tenant, "small", false);
        }
        let another = TenantId(Uuid::from_u128(3));
        assert!(!breakers.lets_through(another, "small"), "what answered well in between counts from there");
        assert!(breakers.lets_through(another, "large"));
    }
}
