//! Corrects the windows of a session by the token counts that the provider reports.
//!
//! The service always counts with the session's tokenizer, so that every figure that it stores, serves and reports has one
//! basis. A provider counts more than that for two reasons: it sees what the service does not (a system prompt and tool
//! definitions that the caller keeps), and its tokenizer is another one. So its count of a context is
//! `offset + factor × ours`, and a window of the provider's has room for `(window − offset) / factor` of our tokens.
//!
//! Both are fitted to the newest reports, by medians, so that a few odd ones have no say (Theil and Sen's estimator):
//!
//! - A report counts when it is about a context of at least [`LEAST_SERVED`] tokens; a smaller one is not kept, and the caller
//!   is told. What is counted more than a few tokens says nothing of the window: a caller that reports the running total of its
//!   calls would have it halved.
//! - Fewer than [`LEAST_REPORTS`] of them change nothing.
//! - Then the offset is the median of what the provider counted more. The factor stays 1, because reports about contexts of one
//!   size, or about a few tokens, cannot tell the two apart.
//! - A factor above 1 needs [`LEAST_FOR_FACTOR`] reports about contexts whose sizes differ enough. It is the median of the slopes
//!   between them, and the offset is the median of what remains.
//! - A factor below 1 gives room, so it is taken only as the plain ratio of the counts, without an offset.
//!
//! The offset is at most half of what the contexts had, so that a prompt that grows with its session can show a large one, and a
//! total that belongs to no context cannot take the window.
//!
//! The line never lies above every report, and its offset is never negative. So the window never shrinks below what
//! the report with the largest ratio says of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A factor of one, in thousandths.
const ONE: i64 = 1_000;
/// The least and the largest factor, in thousandths: tokenizers do not differ by more.
const LEAST: i64 = 500;
const MOST: i64 = 2_000;
/// The largest offset, in tokens.
const MOST_OFFSET: i64 = 200_000;
/// The tokens that a context must have for its report to count: tool definitions and a system prompt usually take as many, so
/// that below it nothing tells them from a count of something else.
const LEAST_SERVED: i64 = 4_000;
/// The offset is at most one part in so many of the median context.
const OFFSET_PARTS: i64 = 2;
/// The most tokens of one report.
const MOST_TOKENS: u64 = 100_000_000;
/// The reports below which nothing is corrected, and those below which there is no factor.
const LEAST_REPORTS: usize = 3;
const LEAST_FOR_FACTOR: usize = 5;
/// The sizes of the contexts must differ by this many tokens, and by a fifth of the largest; the largest and the smallest
/// size are not asked, because each may be odd.
const LEAST_SPREAD: i64 = 4_000;
const SPREAD_PARTS: i64 = 5;
/// The reports that are kept: the newest of each size class, and the newest otherwise.
const KEPT: usize = 16;
/// The correction in force changes when the fitted one differs from it by this many thousandths.
const STEP: i64 = 20;
/// A report with a count below a quarter of ours, or above four times ours and the largest offset, is about something
/// other than the context.
const IMPLAUSIBLE: i64 = 4;

/// The difference between the provider's count and the service's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Correction {
    /// Tokens that the service does not see.
    offset: i64,
    /// The provider's tokens for each of ours, in thousandths.
    factor: i64,
}

const NONE: Correction = Correction { offset: 0, factor: ONE };

impl Default for Correction {
    fn default() -> Self {
        NONE
    }
}

impl Correction {
    fn is_none(&self) -> bool {
        *self == NONE
    }

    /// The provider's expected count for a context.
    fn predicted(self, counted: i64) -> i64 {
        self.offset + counted * self.factor / ONE
    }
}

/// The reports of a session, and the correction that is in force because of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Calibration {
    /// The newest reports, oldest first: what the service counted, and what the provider counted.
    reports: Vec<(i64, i64)>,
    /// How many reports were taken.
    taken: u32,
    #[serde(skip_serializing_if = "Correction::is_none")]
    applied: Correction,
}

/// The correction in force.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = Calibration)]
pub struct CalibrationView {
    /// Tokens of each call that the provider counts and the service does not see: a system prompt that the caller keeps,
    /// tool definitions. 0 until three reports about contexts of at least 4,000 tokens were taken; at most half of such a context.
    pub offset_tokens: u32,
    /// The provider's tokens for each token that the service counts. 1 until five reports about contexts of
    /// different sizes were taken.
    pub factor: f64,
    /// Reports whose verdict was `used`.
    pub reports: u32,
}

/// The use of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
// The schema's name differs, because schemas share one name space and a probe's verdict has this one.
#[schema(as = UsageReportVerdict)]
pub enum Verdict {
    /// It counts with the other reports.
    Used,
    /// It is about a context of fewer than 4,000 tokens, which says nothing of the window: no correction follows from it.
    TooSmall,
    /// Nothing was counted or reported, or the two counts cannot be of the same context: it changes nothing.
    Ignored,
}

impl Calibration {
    /// Whether no report was taken yet.
    pub fn is_none(&self) -> bool {
        self.taken == 0
    }

    /// Whether reports could have made it: what an import brings is a caller's text.
    pub fn is_sound(&self) -> bool {
        let most = i64::try_from(MOST_TOKENS).unwrap_or(i64::MAX);
        let is_count = |tokens: &i64| (1..=most).contains(tokens);
        let Correction { offset, factor } = self.applied;
        self.reports.len() <= KEPT
            && self.reports.len() <= usize::try_from(self.taken).unwrap_or(usize::MAX)
            && self.reports.iter().all(|(counted, reported)| is_count(counted) && is_count(reported))
            && (0..=MOST_OFFSET).contains(&offset)
            && (LEAST..=MOST).contains(&factor)
    }

    /// The correction in force; `None` without reports.
    pub fn view(&self) -> Option<CalibrationView> {
        (!self.is_none()).then(|| CalibrationView {
            offset_tokens: self.offset(),
            factor: thousandths(self.applied.factor),
            reports: self.taken,
        })
    }

    /// Tokens of each call that the service does not see.
    pub fn offset(&self) -> u32 {
        u32::try_from(self.applied.offset).unwrap_or_default()
    }

    /// The correction without its factor, for another model of the same caller.
    pub fn offset_alone(&self) -> Self {
        Self { applied: Correction { factor: ONE, ..self.applied }, ..Self::default() }
    }

    /// A window of the provider's, in tokens of ours, rounded down.
    pub fn window(&self, tokens: u32) -> u32 {
        let ours = i64::from(tokens) * ONE / self.applied.factor.max(1);
        u32::try_from(ours).unwrap_or(u32::MAX)
    }

    /// Whether another state corrects windows in another way.
    pub fn corrects_otherwise(&self, other: &Self) -> bool {
        self.applied != other.applied
    }

    /// Takes a report: the provider counted `reported` tokens for a context in which the service counted `counted`.
    pub fn take(&mut self, counted: u64, reported: u64) -> Verdict {
        let whole = |tokens: u64| i64::try_from(tokens.min(MOST_TOKENS)).unwrap_or(i64::MAX);
        let (counted, reported) = (whole(counted), whole(reported));
        let is_plausible = counted > 0
            && reported * IMPLAUSIBLE >= counted
            && reported <= counted * IMPLAUSIBLE + MOST_OFFSET;
        if reported == 0 || !is_plausible {
            return Verdict::Ignored;
        }
        if counted < LEAST_SERVED {
            return Verdict::TooSmall;
        }
        self.taken = self.taken.saturating_add(1);
        self.keep((counted, reported));
        let fitted = fit(&self.reports);
        // In steps, because every change is a new revision of the context, and most reports only confirm the others.
        let largest = self.reports.iter().map(|(counted, _)| *counted).max().unwrap_or_default();
        let (now, then) = (self.applied.predicted(largest), fitted.predicted(largest));
        if (then - now).abs() * ONE >= now * STEP || fitted.is_none() {
            self.applied = fitted;
        }
        Verdict::Used
    }

    /// Keeps a report, and forgets the oldest of which there is a newer one of about the same size.
    fn keep(&mut self, report: (i64, i64)) {
        self.reports.push(report);
        if self.reports.len() > KEPT {
            let class = |(counted, _): &(i64, i64)| counted.ilog2();
            let has_newer = |at: usize, report: &(i64, i64)| {
                self.reports.iter().skip(at + 1).any(|newer| class(newer) == class(report))
            };
            let old = self.reports.iter().enumerate().position(|(at, report)| has_newer(at, report));
            self.reports.remove(old.unwrap_or_default());
        }
    }
}

fn fit(reports: &[(i64, i64)]) -> Correction {
    if reports.len() < LEAST_REPORTS {
        return NONE;
    }
    let most_offset =
        MOST_OFFSET.min(lower_median(reports.iter().map(|(counted, _)| *counted)) / OFFSET_PARTS);
    let slope = slope(reports);
    if let Some(slope) = slope.filter(|slope| *slope > ONE) {
        let factor = slope.min(MOST);
        let rest = |(counted, reported): &(i64, i64)| reported - counted * factor / ONE;
        let offset = lower_median(reports.iter().map(rest));
        if offset >= 0 {
            return Correction { offset: offset.min(most_offset), factor };
        }
        return Correction { offset: 0, factor: ratio(reports).clamp(ONE, MOST) };
    }
    let ratio = ratio(reports);
    if slope.is_some() && ratio < ONE {
        return Correction { offset: 0, factor: ratio.max(LEAST) };
    }
    let more = lower_median(reports.iter().map(|(counted, reported)| reported - counted));
    Correction { offset: more.clamp(0, most_offset), factor: ONE }
}

/// The median slope between reports, in thousandths; `None` when there are too few reports, or their sizes are too close.
fn slope(reports: &[(i64, i64)]) -> Option<i64> {
    if reports.len() < LEAST_FOR_FACTOR {
        return None;
    }
    let mut sizes: Vec<i64> = reports.iter().map(|(counted, _)| *counted).collect();
    sizes.sort_unstable();
    // Two of the ends each, so that no single report decides.
    let (low, high) = (*sizes.get(1)?, *sizes.get(sizes.len() - 2)?);
    let spread = high - low;
    if spread < LEAST_SPREAD || spread * SPREAD_PARTS < high {
        return None;
    }
    let apart = spread / 4;
    let slopes = reports.iter().enumerate().flat_map(|(at, one)| {
        reports.iter().skip(at + 1).filter_map(move |other| {
            let (wide, high) = (other.0 - one.0, other.1 - one.1);
            (wide.abs() >= apart).then(|| high * ONE / wide)
        })
    });
    Some(lower_median(slopes))
}

/// The median of the ratios of the counts, in thousandths.
fn ratio(reports: &[(i64, i64)]) -> i64 {
    lower_median(reports.iter().map(|(counted, reported)| reported * ONE / (*counted).max(1)))
}

/// The middle value; of an even number of values the lower of the two.
fn lower_median(values: impl Iterator<Item = i64>) -> i64 {
    let mut values: Vec<i64> = values.collect();
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
fn thousandths(factor: i64) -> f64 {
    factor as f64 / ONE as f64
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

    /// The rest of an effective window.
    fn window(calibration: &Calibration, effective: u32) -> u32 {
        calibration.window(effective.saturating_sub(calibration.offset()))
    }

    /// The counts of a provider that sees `offset` tokens more and has `factor` of ours, in thousandths.
    fn provider(offset: u64, factor: u64, counted: u64) -> (u64, u64) {
        (counted, offset + counted * factor / 1_000)
    }

    #[test]
    fn the_offset_waits_for_contexts_of_enough_tokens() {
        let mut calibration = after(&[(30, 4_030); 6]);
        assert_eq!(window(&calibration, 160_000), 160_000, "30 tokens prove nothing");
        calibration.take(8_030, 12_030);
        calibration.take(8_030, 12_030);
        assert_eq!(window(&calibration, 160_000), 160_000, "two reports");
        calibration.take(8_060, 12_060);
        assert_eq!(window(&calibration, 160_000), 156_000, "system prompt and tools");
        assert_eq!(
            calibration.view().unwrap(),
            CalibrationView { offset_tokens: 4_000, factor: 1.0, reports: 3 }
        );
    }

    #[test]
    fn a_report_about_too_few_tokens_is_told_as_one_and_leaves_nothing() {
        let mut calibration = Calibration::default();
        assert_eq!(calibration.take(3_999, 8_000), Verdict::TooSmall);
        assert_eq!((calibration.view(), calibration.is_none()), (None, true));
        assert_eq!(calibration.take(4_000, 8_000), Verdict::Used);
        assert_eq!(calibration.view().unwrap().reports, 1);
    }

    #[test]
    fn a_total_that_is_of_no_context_takes_no_window() {
        assert_eq!(window(&after(&[(10, 60_000); 3]), 111_616), 111_616);
        let totals = after(&[(6_000, 60_000), (6_200, 66_200), (6_400, 72_600)]);
        assert_eq!(totals.view().unwrap().offset_tokens, 3_100, "half of the context at most");
    }

    #[test]
    fn offset_and_factor_of_a_provider_are_found() {
        let mut calibration = Calibration::default();
        for counted in [50, 2_000, 6_000, 11_000, 17_000, 24_000, 9_000, 15_000] {
            let (counted, reported) = provider(4_000, 1_150, counted);
            calibration.take(counted, reported);
        }
        let found = calibration.view().unwrap();
        assert!((found.factor - 1.15).abs() < 0.01 && found.offset_tokens.abs_diff(4_000) < 100, "{found:?}");
        let exact = (160_000 - 4_000) * 1_000 / 1_150;
        assert!(window(&calibration, 160_000).abs_diff(exact) < exact / 50);
    }

    #[test]
    fn a_single_odd_report_changes_nothing_much() {
        let sizes = [1_000, 5_000, 9_000, 14_000, 20_000, 26_000];
        let good: Vec<_> = sizes.iter().map(|counted| provider(3_000, 1_100, *counted)).collect();
        let before = window(&after(&good), 160_000);
        for odd in [(20_000, 5_000), (20_000, 250_000), (100, 200_000), (80_000, 20_000), (1, 200_000)] {
            let mut reports = good.clone();
            reports.push(odd);
            let moved = window(&after(&reports), 160_000);
            assert!(moved.abs_diff(before) * 100 <= before * 2, "{odd:?}: {before} to {moved}");
        }
    }

    #[test]
    fn one_size_of_contexts_says_nothing_about_the_factor() {
        let calibration = after(&[(40_000, 50_000); 10]);
        assert_eq!(
            calibration.view().unwrap(),
            CalibrationView { offset_tokens: 10_000, factor: 1.0, reports: 10 }
        );
    }

    #[test]
    fn a_provider_that_counts_less_gives_room() {
        let calibration = after(&[5_000, 10_000, 20_000, 30_000, 40_000].map(|n| provider(0, 800, n)));
        assert_eq!(window(&calibration, 160_000), 200_000);
        let with_tools = after(&[5_000, 10_000, 20_000, 30_000, 40_000].map(|n| provider(4_000, 900, n)));
        let room = window(&with_tools, 160_000);
        assert!((150_000..=(160_000 - 4_000) * 10 / 9).contains(&room), "rather too little: {room}");
    }

    #[test]
    fn reports_that_agree_change_nothing_in_force() {
        let first = after(&[(10_000, 12_000); 3]);
        let mut later = first.clone();
        for reported in [12_090, 11_950, 12_030, 12_100, 11_980] {
            assert_eq!(later.take(10_000, reported), Verdict::Used);
        }
        assert!(!later.corrects_otherwise(&first));
        assert_ne!(later, first, "they are remembered");
    }

    #[test]
    fn what_cannot_be_about_the_context_is_ignored() {
        let mut calibration = Calibration::default();
        for (counted, reported) in [(1_000, 0), (0, 1_000), (1_000, 204_001), (10_000, 1_000), (1, u64::MAX)]
        {
            assert_eq!(calibration.take(counted, reported), Verdict::Ignored, "{counted} {reported}");
        }
        assert_eq!(calibration, Calibration::default());
    }

    #[test]
    fn the_newest_reports_of_every_size_are_kept() {
        let mut calibration = after(&[(5_000, 5_500), (9_000, 9_900)]);
        for counted in 0..200 {
            calibration.take(40_000 + counted, 44_000);
        }
        assert_eq!(calibration.reports.len(), KEPT);
        assert_eq!(calibration.reports.get(..2).unwrap(), [(5_000, 5_500), (9_000, 9_900)]);
        let again: Calibration = serde_json::from_value(serde_json::to_value(&calibration).unwrap()).unwrap();
        assert_eq!(again, calibration);
    }

    proptest! {
        #[test]
        fn any_reports_at_all_leave_the_correction_within_its_bounds(
            reports in prop::collection::vec((any::<u64>(), any::<u64>()), 0..40),
        ) {
            let calibration = after(&reports);
            if let Some(view) = calibration.view() {
                prop_assert!((0.5..=2.0).contains(&view.factor) && view.offset_tokens <= 200_000);
            }
            prop_assert!(calibration.reports.len() <= KEPT);
        }

        /// The window never shrinks below what the report with the largest ratio says, and never grows beyond what the
        /// one with the smallest says.
        #[test]
        fn no_reports_move_the_window_by_more_than_they_prove(
            reports in prop::collection::vec((1_u64..150_000, 200_u64..3_000, 0_u64..30_000), 0..40),
        ) {
            let effective = 160_000_u32;
            let reports: Vec<(u64, u64)> = reports
                .iter()
                .map(|(counted, factor, offset)| provider(*offset, *factor, *counted))
                .filter(|(_, reported)| *reported <= 160_000)
                .collect();
            let calibration = after(&reports);
            let left = f64::from(window(&calibration, effective));
            #[expect(clippy::cast_precision_loss, reason = "small figures")]
            let ratios = || reports.iter().map(|(counted, reported)| *reported as f64 / *counted as f64);
            let (least, most) = (ratios().fold(1.0, f64::min), ratios().fold(1.0, f64::max));
            // The step in which a correction comes into force is 2 %.
            prop_assert!(left >= f64::from(effective) / most * 0.97 - 2.0, "{left} of {reports:?}");
            prop_assert!(left <= f64::from(effective) / least.max(0.5) * 1.03 + 2.0, "{left} of {reports:?}");
        }

        #[test]
        fn a_simulated_provider_is_found_whatever_the_sizes_and_the_noise(
            sizes in prop::collection::vec(4_000_u64..100_000, 24..40),
            noise in prop::collection::vec(0_u64..200, 40),
            offset in 0_u64..12_000,
            factor in 1_000_u64..1_500,
        ) {
            let mut calibration = Calibration::default();
            for (counted, noise) in sizes.iter().zip(noise) {
                let (counted, reported) = provider(offset, factor, *counted);
                calibration.take(counted, reported + noise);
            }
            let exact = (160_000 - offset) * 1_000 / factor;
            let found = u64::from(window(&calibration, 160_000));
            prop_assert!(found.abs_diff(exact) * 8 <= exact, "{found} for {exact}: {:?}", calibration.view());
        }

        #[test]
        fn one_odd_report_among_those_of_a_provider_moves_the_window_by_little(
            sizes in prop::collection::vec(4_000_u64..100_000, 9..16),
            odd in (1_u64..150_000, 1_u64..150_000),
            at in 0_usize..9,
        ) {
            let good: Vec<_> = sizes.iter().map(|counted| provider(4_000, 1_150, *counted)).collect();
            let mut reports = good.clone();
            reports.insert(at, odd);
            let (before, after) = (window(&after(&good), 160_000), window(&after(&reports), 160_000));
            prop_assert!(after.abs_diff(before) * 100 <= before * 10, "{before} to {after}");
        }
    }
}
