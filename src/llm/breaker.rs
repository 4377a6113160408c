//! The circuit breaker: a server in trouble is left alone for a while.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Failures in a row that open the provider's breaker.
const PROVIDER_FAILURES: u32 = 5;
/// How long it stays open; then one call is let through to see.
const PROVIDER_REST: Duration = Duration::from_secs(30);

/// The breaker of the one provider that a process has.
#[derive(Default)]
pub(super) struct ProviderBreaker(Mutex<Breaker>);

#[derive(Default)]
struct Breaker {
    failures: u32,
    open_until: Option<Instant>,
}

impl ProviderBreaker {
    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        // Counts stay counts, whoever broke off.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lets_through(&self) -> bool {
        self.breaker().lets_through(Instant::now())
    }

    pub(super) fn note(&self, good: bool) {
        self.breaker().note(good, Instant::now());
    }
}

impl Breaker {
    fn lets_through(&mut self, now: Instant) -> bool {
        match self.open_until {
            Some(until) if now < until => false,
            Some(_) => {
                // One call sees whether it is over; the others go on waiting.
                self.open_until = Some(now + PROVIDER_REST);
                true
            }
            None => true,
        }
    }

    fn note(&mut self, good: bool, now: Instant) {
        if good {
            *self = Self::default();
            return;
        }
        self.failures = self.failures.saturating_add(1);
        if self.failures >= PROVIDER_FAILURES {
            self.open_until = Some(now + PROVIDER_REST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_in_trouble_is_left_alone_and_then_tried_by_one_call() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        for _ in 0..PROVIDER_FAILURES {
            assert!(breaker.lets_through(now));
            breaker.note(false, now);
        }
        assert!(!breaker.lets_through(now));
        let later = now + PROVIDER_REST;
        assert!(breaker.lets_through(later));
        assert!(!breaker.lets_through(later), "one call sees whether it is over");
        breaker.note(true, later);
        assert!(breaker.lets_through(later));
    }
}
