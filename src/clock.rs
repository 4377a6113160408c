//! The one place that asks what time it is.

use chrono::{DateTime, Utc};

/// A clock that runs, or one that stands still for a test.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Option<DateTime<Utc>>);

impl Clock {
    /// The system's clock.
    #[must_use]
    pub fn system() -> Self {
        Self(None)
    }

    /// A clock that stands still.
    #[must_use]
    pub fn frozen(at: DateTime<Utc>) -> Self {
        Self(Some(at))
    }

    /// The time.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn now(self) -> DateTime<Utc> {
        self.0.unwrap_or_else(Utc::now)
    }
}
