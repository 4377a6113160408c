//! The metrics of a finished compression.

use anchord_session::compression::{Report, Status};

/// The figures of a compression, copied before its report is moved.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    strategy: &'static str,
    engine: &'static str,
    tokens: Option<(u32, u32)>,
    ratio: Option<f64>,
    probe_score: Option<f64>,
    exam_score: Option<f64>,
}

impl Figures {
    /// Copies the figures from a report.
    pub fn of(report: &Report) -> Self {
        let Report { strategy_used, engine, tokens_before, tokens_after, .. } = report;
        Self {
            strategy: strategy_used.map_or("none", <&str>::from),
            engine: engine.map_or("none", <&str>::from),
            tokens: tokens_before.zip(*tokens_after),
            ratio: report.reduction,
            probe_score: report.probe_score,
            exam_score: report.exam.and_then(|exam| exam.score),
        }
    }

    /// Records the metrics, labelled with the final status.
    pub fn record(&self, status: Status) {
        let Self { strategy, engine, .. } = *self;
        let ended: &str = status.into();
        metrics::counter!("anchord_compressions_total", "status" => ended, "strategy" => strategy, "engine" => engine)
            .increment(1);
        if let Some(score) = self.probe_score {
            metrics::histogram!("anchord_compression_probe_score", "strategy" => strategy, "engine" => engine, "status" => ended)
                .record(score);
        }
        if let Some(score) = self.exam_score {
            metrics::histogram!("anchord_compression_exam_score", "strategy" => strategy, "engine" => engine, "status" => ended)
                .record(score);
        }
        if status != Status::Succeeded {
            return;
        }
        if let Some((before, after)) = self.tokens {
            let (before, after) = (u64::from(before), u64::from(after));
            metrics::counter!("anchord_compression_tokens_total", "side" => "before").increment(before);
            metrics::counter!("anchord_compression_tokens_total", "side" => "after").increment(after);
            metrics::counter!("anchord_compression_saved_tokens_total")
                .increment(before.saturating_sub(after));
        }
        if let Some(ratio) = self.ratio {
            metrics::histogram!("anchord_compression_reduction_ratio", "strategy" => strategy, "engine" => engine)
                .record(ratio);
        }
    }
}
