//! Corrects the service's token counts by those that the provider reports.
//!
//! The service always counts with the session's tokenizer, so that every figure that it stores, serves and
//! reports has one basis. A report corrects the size of the windows on that basis: for a provider that counts
//! 1.25 tokens for each of ours, a window of 160,000 has room for 160,000 / 1.25 of ours.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A ratio of one, in thousandths.
const ONE: u64 = 1_000;
/// The least and the largest correction, in thousandths: tokenizers do not differ by more.
const LEAST: u64 = 500;
const MOST: u64 = 2_000;
/// A report whose ratio is outside these is about something other than the context and is ignored.
const PLAUSIBLE: std::ops::RangeInclusive<u64> = 250..=4_000;
/// The weight of a further report against the earlier ones, in tenths.
const WEIGHT: u64 = 3;
/// The correction in force changes when the smoothed reports differ from it by this many thousandths of it.
const STEP: u64 = 30;

/// The correction of a session's counts; ratios are in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Calibration {
    /// The smoothed ratio of the reports.
    smoothed: u64,
    /// The correction in force.
    applied: u64,
    /// How many reports were used.
    reports: u32,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { smoothed: ONE, applied: ONE, reports: 0 }
    }
}

/// What became of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
// The schema's name differs, because schemas share one name space and a probe's verdict has this one.
#[schema(as = UsageReportVerdict)]
pub enum Verdict {
    /// It counts in full.
    Used,
    /// Its ratio is beyond 0.5 to 2 and counts as that bound.
    Clamped,
    /// Nothing was counted or reported, or the ratio is beyond 0.25 to 4: it changes nothing.
    Ignored,
}

impl Calibration {
    /// Whether no report was used yet.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.reports == 0
    }

    /// The provider's tokens for each of ours, as in force; 1 without reports.
    #[must_use]
    pub fn factor(&self) -> f64 {
        thousandths(self.applied)
    }

    /// The smoothed ratio of the reports, whether it is in force yet or not.
    #[must_use]
    pub fn smoothed(&self) -> f64 {
        thousandths(self.smoothed)
    }

    /// A window of the provider's, in tokens of ours, rounded down.
    #[must_use]
    pub fn window(&self, tokens: u32) -> u32 {
        let ours = u64::from(tokens) * ONE / self.applied.max(1);
        u32::try_from(ours).unwrap_or(u32::MAX)
    }

    /// Adds a report: the provider counted `reported` tokens where the service counted `counted`. The first
    /// plausible report counts in full; later ones are smoothed.
    pub fn take(&mut self, counted: u64, reported: u64) -> Verdict {
        if counted == 0 || reported == 0 {
            return Verdict::Ignored;
        }
        let ratio = (u128::from(reported) * u128::from(ONE) / u128::from(counted)).min(u128::from(u64::MAX));
        let ratio = u64::try_from(ratio).unwrap_or(u64::MAX);
        if !PLAUSIBLE.contains(&ratio) {
            return Verdict::Ignored;
        }
        let kept = ratio.clamp(LEAST, MOST);
        self.smoothed = match self.reports {
            0 => kept,
            _ => (self.smoothed * (10 - WEIGHT) + kept * WEIGHT + 5) / 10,
        };
        self.reports = self.reports.saturating_add(1);
        // In steps, because every change is a new revision of the context, and most reports only confirm the
        // last one.
        if self.smoothed.abs_diff(self.applied) * ONE >= self.applied * STEP {
            self.applied = self.smoothed;
        }
        if kept == ratio { Verdict::Used } else { Verdict::Clamped }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
fn thousandths(ratio: u64) -> f64 {
    ratio as f64 / ONE as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn after(reports: &[(u64, u64)]) -> Calibration {
        let mut calibration = Calibration::default();
        for (counted, reported) in reports {
            calibration.take(*counted, *reported);
        }
        calibration
    }

    #[test]
    fn the_first_report_counts_in_full_and_later_ones_are_smoothed() {
        assert!((after(&[(1_000, 1_300)]).factor() - 1.3).abs() < 1e-9);
        let moved = after(&[(1_000, 1_300), (1_000, 1_000)]);
        assert!((moved.factor() - 1.21).abs() < 1e-9, "{moved:?}");
    }

    #[test]
    fn reports_that_agree_within_three_per_cent_change_nothing_in_force() {
        let first = after(&[(1_000, 1_200)]);
        let mut later = first;
        for reported in [1_215, 1_190, 1_205, 1_220, 1_210] {
            assert_eq!(later.take(1_000, reported), Verdict::Used);
        }
        assert_eq!(later.factor().to_bits(), first.factor().to_bits());
        assert_ne!(later, first, "they are remembered");
    }

    #[test]
    fn an_absurd_report_is_ignored_and_an_extreme_one_clamped() {
        let mut calibration = Calibration::default();
        for (counted, reported) in [(1_000, 0), (0, 1_000), (1_000, 10_000), (10_000, 1_000), (1, u64::MAX)] {
            assert_eq!(calibration.take(counted, reported), Verdict::Ignored, "{counted} {reported}");
        }
        assert_eq!(calibration, Calibration::default());
        assert_eq!(calibration.take(1_000, 3_000), Verdict::Clamped);
        assert_eq!(calibration.window(160_000), 80_000);
    }

    #[test]
    fn one_wrong_report_is_outgrown() {
        let calibration =
            after(&[(1_000, 2_000), (1_000, 1_100), (1_000, 1_100), (1_000, 1_100), (1_000, 1_100)]);
        assert!(calibration.factor() < 1.35, "{calibration:?}");
    }

    proptest! {
        #[test]
        fn the_factor_stays_within_its_bounds(reports in prop::collection::vec((any::<u64>(), any::<u64>()), 0..20)) {
            let calibration = after(&reports);
            prop_assert!((0.5..=2.0).contains(&calibration.factor()));
            prop_assert!(calibration.window(100_000) >= 50_000 && calibration.window(100_000) <= 200_000);
        }
    }
}
