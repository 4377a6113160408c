//! How much of a window is filled after a compression by default.

/// The share of the effective window that summary, digest and newest messages take unless a setting says
/// otherwise: the largest that keeps the cost of a task within 1.3 of the cost with a nearly empty window
/// (docs/quality.md).
pub const DEFAULT_FILL: f64 = 0.20;
/// The most tokens that they take unless a setting says otherwise.
pub const MAX_DEFAULT_FILL_TOKENS: u32 = 24_000;

/// A share of a number of tokens, rounded down.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share from 0 to 1 of a u32 fits a u32"
)]
pub fn share_of(tokens: u32, share: f64) -> u32 {
    (f64::from(tokens) * share.clamp(0.0, 1.0)) as u32
}
