//! The metrics of a finished compression.

use anchord_session::compression::{Report, Status};

/// Records the metrics of a compression, labelled with its final status.
pub fn record(report: &Report, status: Status) {
    let strategy = report.strategy_used.map_or("none", <&str>::from);
    let engine = report.engine.map_or("none", <&str>::from);
    let ended: &str = status.into();
    metrics::counter!("anchord_compressions_total", "status" => ended, "strategy" => strategy, "engine" => engine)
        .increment(1);
    if let Some(score) = report.probe_score {
        metrics::histogram!("anchord_compression_probe_score", "strategy" => strategy, "engine" => engine, "status" => ended)
            .record(score);
    }
    if let Some(score) = report.exam.and_then(|exam| exam.score) {
        metrics::histogram!("anchord_compression_exam_score", "strategy" => strategy, "engine" => engine, "status" => ended)
            .record(score);
    }
    if status != Status::Succeeded {
        return;
    }
    if let Some((before, after)) = report.tokens_before.zip(report.tokens_after) {
        let (before, after) = (u64::from(before), u64::from(after));
        metrics::counter!("anchord_compression_tokens_total", "side" => "before").increment(before);
        metrics::counter!("anchord_compression_tokens_total", "side" => "after").increment(after);
        metrics::counter!("anchord_compression_saved_tokens_total").increment(before.saturating_sub(after));
    }
    if let Some(ratio) = report.reduction {
        metrics::histogram!("anchord_compression_reduction_ratio", "strategy" => strategy, "engine" => engine)
            .record(ratio);
    }
}
