//! Numbers that look random and are the same in every run, and words to pick by them; shared by the benches.

/// Words of texts about work on code.
pub const WORDS: [&str; 40] = [
    "parser", "rejects", "an", "empty", "header", "so", "the", "worker", "retries", "until", "its", "lease",
    "expires", "I", "looked", "at", "trace", "and", "moved", "validation", "before", "allocation", "which",
    "keeps", "order", "stable", "under", "load", "please", "update", "documentation", "for", "users", "that",
    "upgrade", "from", "older", "releases", "then", "rerun",
];

/// A generator of pseudo-random numbers (xorshift): cheap, and the same for the same seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The upper half: the lowest bits of a xorshift repeat soonest.
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound.max(1)
    }
}
