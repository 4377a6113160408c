//! The tokens that arrived within the last minutes.

use serde::{Deserialize, Serialize};

/// How many minutes count.
const MINUTES: usize = 5;

/// Tokens by minute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::trigger) struct Growth {
    /// The newest minute, in minutes since 1970.
    #[serde(rename = "m")]
    minute: i64,
    /// Tokens by minute, the newest first.
    #[serde(rename = "t")]
    tokens: Vec<u64>,
}

impl Growth {
    pub(in crate::trigger) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    pub(in crate::trigger) fn push(&mut self, tokens: u32, now: i64) {
        let minute = now.div_euclid(60);
        let passed = if self.tokens.is_empty() { 1 } else { minute.saturating_sub(self.minute) };
        // When the clock goes back, tokens are counted in the newest minute.
        for _ in 0..passed.clamp(0, 5) {
            self.tokens.insert(0, 0);
        }
        self.tokens.truncate(MINUTES);
        self.minute = self.minute.max(minute);
        if let Some(newest) = self.tokens.first_mut() {
            *newest += u64::from(tokens);
        }
    }

    /// Tokens of the last five minutes, the current one included.
    pub(in crate::trigger) fn within(&self, now: i64) -> u64 {
        let passed = usize::try_from(now.div_euclid(60).saturating_sub(self.minute)).unwrap_or(0);
        self.tokens.iter().take(MINUTES.saturating_sub(passed)).sum()
    }

    pub(in crate::trigger) fn newest(&self) -> i64 {
        self.minute.saturating_mul(60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_five_minutes_count_and_no_more_is_kept() {
        let mut growth = Growth::default();
        for minute in 0..100 {
            growth.push(10, minute * 60);
        }
        assert_eq!(growth.within(99 * 60), 50);
        assert_eq!(growth.within(102 * 60), 20);
        assert_eq!(growth.within(1_000 * 60), 0);
        assert_eq!(growth.tokens.len(), MINUTES);
    }

    #[test]
    fn a_clock_that_jumps_loses_no_tokens_of_now() {
        let mut growth = Growth::default();
        growth.push(10, 6_000);
        growth.push(10, 0);
        assert_eq!(growth.within(6_000), 20);
        growth.push(10, i64::MAX);
        assert_eq!(growth.within(i64::MAX), 10);
    }
}
