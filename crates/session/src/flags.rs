//! Flags: figures of a compression that are outside their targets.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::compression::Report;

/// Below this share of passed probes a version is suspect.
const PROBES_RED: f64 = 0.70;
/// The share of probes that should pass.
const PROBES_TARGET: f64 = 0.90;
/// Above these shares of saved tokens a span has rarely kept what it must.
const SAVED_CAUTION: f64 = 0.80;
const SAVED_RED: f64 = 0.95;

/// A figure outside its target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = QualityFlag)]
pub struct Flag {
    /// Which figure.
    pub metric: Metric,
    /// How far outside.
    pub level: Level,
    /// The figure and its target, as a sentence.
    pub detail: String,
}

/// A figure that has a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = QualityMetric)]
pub enum Metric {
    /// The share of probes that passed.
    ProbePassRate,
    /// Critical probes that failed.
    CriticalProbes,
    /// The share of the span's tokens that was saved.
    SpanCompression,
    /// The share of an exam's questions that the context answers.
    LowExam,
}

/// How far a figure is outside its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = QualityFlagLevel)]
pub enum Level {
    /// Worth a look.
    Caution,
    /// Worth a look, and red only together with failed probes.
    Advisory,
    /// Something is wrong.
    Red,
}

/// The flags of a compression's result.
#[must_use]
pub fn of(report: &Report) -> Vec<Flag> {
    let mut flags = Vec::new();
    let mut raise = |metric, level, detail| flags.push(Flag { metric, level, detail });
    if let Some(score) = report.probe_score.filter(|score| *score < PROBES_TARGET) {
        let level = if score < PROBES_RED { Level::Red } else { Level::Caution };
        let detail = format!("{:.1} % of the probes passed; the target is at least 90 %", score * 100.0);
        raise(Metric::ProbePassRate, level, detail);
    }
    if report.critical_failed > 0 {
        let detail = format!("critical probes failed: {}; the target is none", report.critical_failed);
        raise(Metric::CriticalProbes, Level::Red, detail);
    }
    if let Some(saved) = report.compression_ratio.filter(|saved| *saved > SAVED_CAUTION) {
        let level = match (saved > SAVED_RED, report.probes_failed > 0) {
            (true, true) => Level::Red,
            (true, false) => Level::Advisory,
            (false, _) => Level::Caution,
        };
        let detail =
            format!("{:.1} % of the span's tokens were saved; the target is 60 to 80 %", saved * 100.0);
        raise(Metric::SpanCompression, level, detail);
    }
    if let Some(exam) = report.exam.filter(|exam| exam.low) {
        let detail =
            format!("of {} questions about the messages the context answers {}", exam.asked, exam.passed);
        raise(Metric::LowExam, Level::Caution, detail);
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(report: &Report) -> Vec<(Metric, Level)> {
        of(report).into_iter().map(|flag| (flag.metric, flag.level)).collect()
    }

    #[test]
    fn figures_on_target_raise_nothing() {
        let good = Report { probe_score: Some(0.95), compression_ratio: Some(0.7), ..Report::default() };
        assert!(levels(&good).is_empty());
        assert!(levels(&Report::default()).is_empty());
    }

    #[test]
    fn a_very_small_summary_is_red_only_when_probes_fail() {
        let mut report = Report { compression_ratio: Some(0.97), ..Report::default() };
        assert_eq!(levels(&report), [(Metric::SpanCompression, Level::Advisory)]);
        report.probes_failed = 1;
        assert_eq!(levels(&report), [(Metric::SpanCompression, Level::Red)]);
        report.compression_ratio = Some(0.9);
        assert_eq!(levels(&report), [(Metric::SpanCompression, Level::Caution)]);
    }

    #[test]
    fn failed_probes_are_told_by_share_and_by_weight() {
        let report = Report { probe_score: Some(0.5), critical_failed: 2, ..Report::default() };
        assert_eq!(
            levels(&report),
            [(Metric::ProbePassRate, Level::Red), (Metric::CriticalProbes, Level::Red)]
        );
    }
}
