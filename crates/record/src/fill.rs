//! How much of a window is filled after a compression by default.

/// The share of the effective window that record, digest and newest messages take unless a setting says
/// otherwise: with more a task costs more than with plain compaction, with less its context knows too little
/// (docs/tokens-per-task.md).
pub const DEFAULT_FILL: f64 = 0.20;
/// In a small window they take so many tokens, at most [`MOST_DEFAULT_FILL`] of it, because fewer hold too little.
pub const LEAST_DEFAULT_FILL_TOKENS: u32 = 5_000;
const MOST_DEFAULT_FILL: f64 = 0.40;
/// The most tokens that they take unless a setting says otherwise.
pub const MAX_DEFAULT_FILL_TOKENS: u32 = 24_000;

/// The share that is filled of an effective window unless a setting says otherwise.
pub fn default_fill(effective_window: u32) -> f64 {
    let window = f64::from(effective_window.max(1));
    let least = (f64::from(LEAST_DEFAULT_FILL_TOKENS) / window).min(MOST_DEFAULT_FILL);
    DEFAULT_FILL.max(least).min(f64::from(MAX_DEFAULT_FILL_TOKENS) / window)
}

/// A share of a number of tokens, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share from 0 to 1 of a u32 fits a u32"
)]
pub fn share_of(tokens: u32, share: f64) -> u32 {
    (f64::from(tokens) * share.clamp(0.0, 1.0)) as u32
}
