//! How long the agent's messages are, and whether the last ones brought anything new.

use serde::{Deserialize, Serialize};

use super::super::news::BloomFilter;

/// How many of the last messages are compared with the session's median.
pub(in crate::trigger) const LAST: usize = 5;
/// The session's median is not used before this many messages.
const LEAST_MESSAGES: u32 = 12;
/// Buckets of length: two per doubling, up to 65,536 characters.
const STEPS: usize = 32;
/// When a bucket's count exceeds this, all are halved, so that the median follows the session.
const FULL: u16 = 500;

/// How long the agent's messages are, and whether they bring something new.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::trigger) struct Lengths {
    /// The last messages: length in characters, and 1 if anything new came with it.
    #[serde(rename = "l")]
    pub(in crate::trigger) last: Vec<(u32, u8)>,
    /// Messages by length, in buckets of half a doubling.
    #[serde(rename = "s")]
    steps: Vec<u16>,
    /// Whether something new came since the agent's last message.
    #[serde(rename = "n")]
    is_news: bool,
    #[serde(rename = "k", skip_serializing_if = "BloomFilter::is_empty")]
    known: BloomFilter,
}

impl Lengths {
    pub(in crate::trigger) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds the names of a message, and whether it brings something else that is new; returns whether
    /// anything is new.
    pub(in crate::trigger) fn learn(&mut self, is_news: bool, facts: &[u32]) -> bool {
        let named = !facts.is_empty() && self.known.learn(facts);
        self.is_news |= is_news | named;
        is_news | named
    }

    /// Adds the length of a message of the agent.
    pub(in crate::trigger) fn push(&mut self, weight: u32) {
        if self.last.len() >= LAST {
            self.last.remove(0);
        }
        self.last.push((weight, u8::from(std::mem::take(&mut self.is_news))));
        let step = step_of(weight);
        if self.steps.len() <= step {
            self.steps.resize(step + 1, 0);
        }
        if let Some(count) = self.steps.get_mut(step) {
            *count += 1;
            if *count >= FULL {
                self.steps.iter_mut().for_each(|count| *count /= 2);
            }
        }
    }

    /// The state after a version is published: the last messages are cleared, the usual length stays.
    pub(in crate::trigger) fn after_publication(&self) -> Self {
        Self { steps: self.steps.clone(), ..Self::default() }
    }

    /// The session's median length, to half a doubling; `None` while there are few messages.
    pub(in crate::trigger) fn median(&self) -> Option<u32> {
        let all: u32 = self.steps.iter().copied().map(u32::from).sum();
        if all < LEAST_MESSAGES {
            return None;
        }
        let mut left = all / 2;
        for (step, count) in self.steps.iter().enumerate() {
            if left < u32::from(*count) {
                return Some(length_of(step));
            }
            left -= u32::from(*count);
        }
        None
    }
}

/// The bucket of a length: two per doubling.
fn step_of(weight: u32) -> usize {
    let doublings = weight.max(1).ilog2();
    let half = u64::from(weight.max(1)).pow(2) >= 1u64 << (2 * doublings + 1);
    (doublings as usize * 2 + usize::from(half)).min(STEPS - 1)
}

/// The middle of a bucket, in characters, on a logarithmic scale.
fn length_of(step: usize) -> u32 {
    let base = 1u32 << (step / 2).min(30);
    let thousandths: u32 = if step.is_multiple_of(2) { 1_189 } else { 1_682 };
    u32::try_from(u64::from(base) * u64::from(thousandths) / 1_000).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_holds_the_lengths_around_its_middle() {
        assert_eq!((step_of(0), step_of(1), step_of(2), step_of(3), step_of(4)), (0, 0, 2, 3, 4));
        assert_eq!(step_of(u32::MAX), STEPS - 1);
        for weight in [1u32, 10, 100, 1_000, 10_000] {
            let middle = f64::from(length_of(step_of(weight)));
            assert!((middle / f64::from(weight)).log2().abs() <= 0.6, "{weight} {middle}");
        }
    }
}
