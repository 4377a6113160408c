//! Flags: figures of a compression that are outside their targets.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::compression::{MANUAL, Report, Request};
use super::settings::Settings;

/// Below this share of passed probes a version is suspect.
const PROBES_RED: f64 = 0.70;
/// The share of probes that should pass.
const PROBES_TARGET: f64 = 0.90;
/// Above these shares of saved tokens a span has rarely kept what it must.
const SAVED_CAUTION: f64 = 0.80;
const SAVED_RED: f64 = 0.95;
/// The longest that a compression should take, and what is too long, in milliseconds.
const LATENCY_TARGET_MS: u64 = 2_000;
const LATENCY_RED_MS: u64 = 5_000;

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
    /// The caller's own probes that failed.
    CallersProbes,
    /// The share of the span's tokens that was saved.
    SpanCompression,
    /// The time from the request to the end.
    Latency,
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
    /// Worth a look: red together with failed probes, or where a caller waits.
    Advisory,
    /// Something is wrong.
    Red,
}

/// The request of a compression, as far as it decides which figures are unusual.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    /// A caller asked for it, and may wait for it. Nobody waits for one that a signal started.
    pub by_caller: bool,
    /// The request or the settings choose how much is left of the span.
    pub own_size: bool,
}

impl Asked {
    /// The request that follows from trigger, request and settings.
    pub fn of(trigger: &str, request: &Request, settings: &Settings) -> Self {
        let named = request.target.is_some() || request.through_seq.is_some() || request.strategy.is_some();
        let set =
            settings.fill.is_some() || settings.strategy.is_some() || settings.max_summary_tokens.is_some();
        Self { by_caller: trigger == MANUAL, own_size: named || set }
    }
}

/// The flags of a compression's result.
pub fn of(report: &Report, asked: Asked) -> Vec<Flag> {
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
    if report.callers_failed > 0 {
        let detail = format!("the caller's own probes failed: {}; the target is none", report.callers_failed);
        raise(Metric::CallersProbes, Level::Caution, detail);
    }
    if let Some(saved) = report.reduction.filter(|saved| *saved > SAVED_CAUTION) {
        let level = match (saved > SAVED_RED, report.probes_failed > 0) {
            (true, true) => Some(Level::Red),
            (true, false) => Some(Level::Advisory),
            // Where nobody chose the size, it follows from the window, and the larger the window the more is saved.
            (false, _) => asked.own_size.then_some(Level::Caution),
        };
        let detail =
            format!("{:.1} % of the span's tokens were saved; the target is 60 to 80 %", saved * 100.0);
        if let Some(level) = level {
            raise(Metric::SpanCompression, level, detail);
        }
    }
    let took = report.timings.queued_ms.saturating_add(report.timings.total_ms);
    if took > LATENCY_RED_MS {
        let level = if asked.by_caller { Level::Red } else { Level::Advisory };
        let (seconds, tenths) = (took / 1_000, took % 1_000 / 100);
        let target = LATENCY_TARGET_MS / 1_000;
        let detail =
            format!("it took {seconds}.{tenths} s from the request to the end; the target is {target} s");
        raise(Metric::Latency, level, detail);
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
        levels_of(report, Asked { own_size: true, ..Asked::default() })
    }

    fn levels_of(report: &Report, asked: Asked) -> Vec<(Metric, Level)> {
        of(report, asked).into_iter().map(|flag| (flag.metric, flag.level)).collect()
    }

    #[test]
    fn a_compression_by_default_is_no_caution_however_much_it_saves() {
        let asked = Asked::of("utilization", &Request::default(), &Settings::default());
        let mut report = Report { reduction: Some(0.93), ..Report::default() };
        assert!(levels_of(&report, asked).is_empty());
        report.reduction = Some(0.96);
        assert_eq!(levels_of(&report, asked), [(Metric::SpanCompression, Level::Advisory)]);
        report.reduction = Some(0.93);
        let chosen = [
            Asked::of(MANUAL, &Request { target: Some(0.1), ..Request::default() }, &Settings::default()),
            Asked::of(
                "utilization",
                &Request::default(),
                &Settings { fill: Some(0.1), ..Settings::default() },
            ),
        ];
        for asked in chosen {
            assert_eq!(levels_of(&report, asked), [(Metric::SpanCompression, Level::Caution)]);
        }
    }

    #[test]
    fn more_than_five_seconds_are_red_where_a_caller_waits() {
        let mut report = Report::default();
        (report.timings.queued_ms, report.timings.total_ms) = (1_000, 4_000);
        let waiting = Asked::of(MANUAL, &Request::default(), &Settings::default());
        assert!(levels_of(&report, waiting).is_empty());
        report.timings.total_ms = 6_250;
        assert_eq!(levels_of(&report, waiting), [(Metric::Latency, Level::Red)]);
        assert_eq!(levels_of(&report, Asked::default()), [(Metric::Latency, Level::Advisory)]);
        let detail = &of(&report, waiting)[0].detail;
        assert_eq!(detail, "it took 7.2 s from the request to the end; the target is 2 s");
    }

    #[test]
    fn figures_on_target_raise_nothing() {
        let good = Report { probe_score: Some(0.95), reduction: Some(0.7), ..Report::default() };
        assert!(levels(&good).is_empty());
        assert!(levels(&Report::default()).is_empty());
    }

    #[test]
    fn a_very_small_summary_is_red_only_when_probes_fail() {
        let mut report = Report { reduction: Some(0.97), ..Report::default() };
        assert_eq!(levels(&report), [(Metric::SpanCompression, Level::Advisory)]);
        report.probes_failed = 1;
        assert_eq!(levels(&report), [(Metric::SpanCompression, Level::Red)]);
        report.reduction = Some(0.9);
        assert_eq!(levels(&report), [(Metric::SpanCompression, Level::Caution)]);
    }

    #[test]
    fn failed_probes_are_told_by_share_and_by_weight() {
        let report =
            Report { probe_score: Some(0.5), critical_failed: 2, callers_failed: 1, ..Report::default() };
        assert_eq!(
            levels(&report),
            [
                (Metric::ProbePassRate, Level::Red),
                (Metric::CriticalProbes, Level::Red),
                (Metric::CallersProbes, Level::Caution)
            ]
        );
    }
}
