//! Circuit breakers: a server in trouble is left alone for a while, and so is a session whose summaries
//! the model cannot write.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use moka::sync::Cache;

use crate::domain::id::SessionId;

/// Failures in a row that open the provider's breaker.
const PROVIDER_FAILURES: u32 = 5;
/// How long it stays open; then one call is let through to see.
const PROVIDER_REST: Duration = Duration::from_secs(30);
/// Summaries in a row that came to nothing, after which a session is summarised by code.
const SESSION_FAILURES: u32 = 3;
/// How long a session is summarised by code after its last failure.
const SESSION_REST: Duration = Duration::from_mins(15);
const MOST_SESSIONS: u64 = 100_000;

pub(super) struct Breakers {
    provider: Mutex<Breaker>,
    sessions: Cache<SessionId, u32>,
}

#[derive(Default)]
struct Breaker {
    failures: u32,
    open_until: Option<Instant>,
}

impl Breakers {
    pub(super) fn new() -> Self {
        let sessions = Cache::builder().max_capacity(MOST_SESSIONS).time_to_live(SESSION_REST).build();
        Self { provider: Mutex::default(), sessions }
    }

    fn provider(&self) -> MutexGuard<'_, Breaker> {
        // Counts stay counts, whoever broke off.
        self.provider.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn provider_lets_through(&self) -> bool {
        self.provider().lets_through(Instant::now())
    }

    pub(super) fn note_provider(&self, good: bool) {
        self.provider().note(good, Instant::now());
    }

    pub(super) fn session_is_closed(&self, session: SessionId) -> bool {
        self.sessions.get(&session).unwrap_or_default() < SESSION_FAILURES
    }

    pub(super) fn note_session(&self, session: SessionId, good: bool) {
        if good {
            self.sessions.invalidate(&session);
        } else {
            let failures = self.sessions.get(&session).unwrap_or_default();
            self.sessions.insert(session, failures.saturating_add(1));
        }
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
