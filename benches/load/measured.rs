//! What a load came to: how many replies, and how long each of them took.

use std::time::Duration;

use crate::quantile::quantile;

/// The times of a load's replies.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Replies.
    pub replies: f64,
    /// Replies per second.
    pub rate: f64,
    /// Every reply's time, in milliseconds.
    latencies: Vec<f64>,
}

impl Measured {
    /// Times of replies that took so long together.
    pub fn of(latencies: Vec<Duration>, took: Duration) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "replies of a run are far below 2^52")]
        let replies = latencies.len() as f64;
        let latencies = latencies.into_iter().map(milliseconds).collect();
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

/// A time in milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
