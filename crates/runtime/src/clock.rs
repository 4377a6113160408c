//! The clock: the only place of the service that reads the time of day, so that tests can freeze it.

use chrono::{DateTime, Utc};

/// A source of the time of day; tests use a frozen one.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Option<DateTime<Utc>>);

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        Self(None)
    }

    /// A clock that always gives the same time.
    pub fn frozen(at: DateTime<Utc>) -> Self {
        Self(Some(at))
    }

    /// The current time.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    pub fn now(&self) -> DateTime<Utc> {
        self.0.unwrap_or_else(Utc::now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frozen_clock_stands_still_and_the_system_clock_does_not_go_back() {
        let at = DateTime::UNIX_EPOCH;
        assert_eq!(Clock::frozen(at).now(), at);
        let clock = Clock::system();
        let first = clock.now();
        assert!(first > at && clock.now() >= first);
    }
}
