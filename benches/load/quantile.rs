//! A quantile of measured times.

/// The time that a share of times, in any order, stays within; not a number where there are none.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a list"
)]
pub fn quantile(times: &[f64], share: f64) -> f64 {
    let mut ascending = times.to_vec();
    ascending.sort_by(f64::total_cmp);
    let place = (ascending.len().saturating_sub(1) as f64 * share).round() as usize;
    ascending.get(place).copied().unwrap_or(f64::NAN)
}
