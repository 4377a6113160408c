//! What the calls of one way come to.

use serde::Serialize;

/// Fewer tokens at the start of a prompt are not looked up in a provider's cache.
const LEAST_CACHED: u64 = 1_024;
/// Beyond them, what is cached grows in steps of so many tokens.
const CACHE_STEP: u64 = 128;

/// What a token costs when the provider has it in its cache; another costs 1.
#[derive(Clone, Copy, Debug)]
pub struct Prices {
    /// Of a cached token.
    pub cached: f64,
}

/// Sums over all calls.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Tally {
    /// Calls of the model.
    pub calls: u64,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Those of them that the call before had begun with as well.
    pub cached_tokens: u64,
    /// Tokens of the largest prompt.
    pub largest: u64,
    /// Calls whose prompt was more than the window, so that the model would have refused it.
    pub above_window: u64,
}

impl Tally {
    /// Counts a call: its tokens, and how many of them at its start are those of the call before.
    pub fn add(&mut self, tokens: u64, same: u64, window: u32) {
        self.calls += 1;
        self.prompt_tokens += tokens;
        if same >= LEAST_CACHED {
            self.cached_tokens += same / CACHE_STEP * CACHE_STEP;
        }
        self.largest = self.largest.max(tokens);
        self.above_window += u64::from(tokens > u64::from(window));
    }

    #[expect(clippy::cast_precision_loss, reason = "tokens of a bench are far below 2^52")]
    pub fn tokens(&self) -> f64 {
        self.prompt_tokens as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "tokens of a bench are far below 2^52")]
    pub fn cached_share(&self) -> f64 {
        self.cached_tokens as f64 / self.tokens().max(1.0)
    }

    /// What all prompts cost, in prices of a token that is not cached.
    pub fn cost(&self, prices: Prices) -> f64 {
        self.tokens() * (1.0 - self.cached_share() * (1.0 - prices.cached))
    }
}
