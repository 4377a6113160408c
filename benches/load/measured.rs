//! What a load came to: how many replies, and how long each of them took.

use std::time::Duration;

/// The times of a load's replies.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Replies.
    pub replies: f64,
    /// Replies per second.
    pub rate: f64,
    /// Every reply's time, ascending.
    latencies: Vec<Duration>,
}

impl Measured {
    /// Times in any order, of replies that took so long together.
    pub fn of(mut latencies: Vec<Duration>, took: Duration) -> Self {
        latencies.sort_unstable();
        #[expect(clippy::cast_precision_loss, reason = "replies of a run are far below 2^52")]
        let replies = latencies.len() as f64;
        Self { replies, rate: replies / took.as_secs_f64(), latencies }
    }

    /// Counts as another program told them, which told no times.
    pub fn told(replies: f64, rate: f64) -> Self {
        Self { replies, rate, latencies: Vec::new() }
    }

    /// The time in milliseconds that a share of the replies stayed within.
    pub fn quantile(&self, share: f64) -> f64 {
        quantile(&self.latencies, share)
    }
}

/// The time in milliseconds that a share of ascending times stays within.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a list"
)]
pub fn quantile(ascending: &[Duration], share: f64) -> f64 {
    let place = (ascending.len().saturating_sub(1) as f64 * share).round() as usize;
    ascending.get(place).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}
