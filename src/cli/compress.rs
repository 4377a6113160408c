//! `anchord compress FILE`: compresses a transcript in memory, by the steps of the service, without server and
//! database.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;

use super::transcript::{self, FileFormat};
use crate::app::{self, OfflineResult};
use crate::config::{self, Check as _};
use anchord_messages::format::Format;
use anchord_messages::message::Numbered;
use anchord_messages::tokens::{TokenCounter, Tokenizer};
use anchord_record::candidate::Material;
use anchord_record::probe::Verdict;
use anchord_record::render;
use anchord_record::strategy::Strategy;
use anchord_runtime::clock::Clock;

/// What `compress` takes.
#[derive(Args, Debug)]
pub(super) struct Compress {
    /// Messages (an array, an object with `messages`, or a message a line), or an agent's log; - for standard input
    file: PathBuf,
    /// Format of the file; detected from its contents if not given
    #[arg(long, value_name = "FORMAT")]
    format: Option<FileFormat>,
    /// Most tokens of the summary
    #[arg(long, value_name = "TOKENS", default_value_t = render::DEFAULT_BOUND_TOKENS)]
    #[arg(value_parser = clap::value_parser!(u32).range(i64::from(render::LEAST_BOUND_TOKENS)..))]
    max_summary_tokens: u32,
    /// How the summary is made; a transcript is one span, so regenerative and anchored read the same messages
    #[arg(long, value_name = "STRATEGY", default_value = "anchored")]
    strategy: NamedStrategy,
    #[command(flatten)]
    llm: config::Llm,
    /// Print the record, the figures and the probes as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum NamedStrategy {
    Anchored,
    Regenerative,
    Opaque,
    #[value(alias = "sliding_window")]
    SlidingWindow,
}

impl From<NamedStrategy> for Strategy {
    fn from(named: NamedStrategy) -> Self {
        match named {
            NamedStrategy::Anchored => Self::Anchored,
            NamedStrategy::Regenerative => Self::Regenerative,
            NamedStrategy::Opaque => Self::Opaque,
            NamedStrategy::SlidingWindow => Self::SlidingWindow,
        }
    }
}

impl Compress {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        self.llm.check()?;
        // Only drawn on a terminal.
        let progress = ProgressBar::new_spinner();
        progress.enable_steady_tick(Duration::from_millis(100));
        progress.set_message("reading the transcript");
        let read = transcript::read(&self.file, self.format)?;
        let (format, left_out) = (read.format, read.left_out.clone());
        let told = read.told_left_out();
        let span = (1..).zip(read.messages).map(|(seq, logged)| Numbered { seq, message: logged.message });
        progress.set_message("counting tokens");
        let material = self.material(span.collect());
        progress.set_message("writing the summary");
        let made = app::compress(&self.llm, material, format == Format::OpenaiResponses).await;
        progress.finish_and_clear();
        let made = made?;
        let proof = &made.proof;
        let mut out = std::io::stdout().lock();
        // The reader of the output may close it early (`head`), which is no failure.
        let written = if self.json {
            write_json(&mut out, &made, &left_out)
        } else {
            write_text(&mut out, &made, told.as_deref())
        };
        match written {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => return Err(error.into()),
            _ => {}
        }
        if proof.is_accepted() || proof.is_not_smaller() {
            return Ok(());
        }
        let reasons: Vec<String> = proof.refusals.iter().map(ToString::to_string).collect();
        anyhow::bail!(
            "a service would refuse this summary: {}",
            if reasons.is_empty() { "its probes fail".to_owned() } else { reasons.join("; ") }
        )
    }
}

impl Compress {
    fn material(&self, span: Vec<Numbered>) -> Material {
        let counter = TokenCounter::new(Tokenizer::default());
        let count = |sum: u32, n: &Numbered| sum.saturating_add(counter.count_message(&n.message));
        let span_tokens = span.iter().fold(0, count);
        Material {
            bound: self.max_summary_tokens,
            model_bound: self.max_summary_tokens,
            aim: self.max_summary_tokens,
            strategy: self.strategy.into(),
            ..Material::first(span, span_tokens, counter, Clock::system().now())
        }
    }
}

fn write_text(
    out: &mut impl std::io::Write,
    made: &OfflineResult,
    left_out: Option<&str>,
) -> std::io::Result<()> {
    let proof = &made.proof;
    let (meta, report) = (&proof.meta, &proof.report);
    writeln!(out, "{}\n", proof.rendering.text.trim_end())?;
    if !proof.digest.text.is_empty() {
        writeln!(out, "{}\n", proof.digest.text)?;
    }
    let ratio =
        meta.compression_ratio.map(|ratio| format!(" ({:.1} % less)", ratio * 100.0)).unwrap_or_default();
    writeln!(out, "tokens: {} → {}{ratio}", meta.tokens_before, meta.tokens_after)?;
    let score = report.score.map_or_else(|| "none asked".to_owned(), |score| format!("{score:.2}"));
    writeln!(
        out,
        "probes: {score} ({} asked, {} failed, {} cut by the bound)",
        report.asked, report.failed, report.cut
    )?;
    if let Some(exam) = &report.exam {
        writeln!(out, "exam: {} of {} answered from the summary alone", exam.passed, exam.asked)?;
    }
    for result in report.results.iter().filter(|result| result.verdict == Verdict::Fail) {
        writeln!(out, "  failed: {}", result.probe.question)?;
    }
    let model = meta.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
    writeln!(out, "engine: {}{model}, strategy: {}", meta.engine.as_str(), meta.strategy.as_str())?;
    write_calls(out, made)?;
    for warning in &meta.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    if let Some(told) = left_out {
        writeln!(out, "left out (not messages): {told}")?;
    }
    if proof.is_not_smaller() {
        writeln!(out, "note: a service would skip this; the summary is not smaller than the messages")?;
    }
    Ok(())
}

/// Lists the calls to models, and their cost.
fn write_calls(out: &mut impl std::io::Write, made: &OfflineResult) -> std::io::Result<()> {
    if made.calls.is_empty() {
        return Ok(());
    }
    for call in &made.calls {
        let status = call.http_status.map(|status| format!(" {status}")).unwrap_or_default();
        writeln!(
            out,
            "call: {} of {} to {} by {}: {}{status}, {} + {} tokens, {} ms",
            call.purpose,
            call.from_seq,
            call.through_seq,
            call.model,
            call.outcome,
            call.input_tokens,
            call.output_tokens,
            call.latency_ms
        )?;
    }
    let cost = made.cost;
    writeln!(
        out,
        "cost: {} calls ({} failed), {} + {} tokens, {} ms, {} millionths of the currency of ANCHORD_LLM_PRICES",
        cost.calls, cost.failed_calls, cost.input_tokens, cost.output_tokens, cost.latency_ms, cost.micros
    )?;
    if let Some(rubric) = &made.rubric {
        writeln!(out, "rubric: {:.2} of 5 ({})", rubric.overall, rubric.model)?;
    }
    Ok(())
}

fn write_json(
    out: &mut impl std::io::Write,
    made: &OfflineResult,
    left_out: &BTreeMap<String, usize>,
) -> std::io::Result<()> {
    let proof = &made.proof;
    let object = serde_json::json!({
        "summary": proof.summary,
        "meta": proof.meta,
        "rendering": proof.rendering.text,
        "digest": proof.digest.text,
        "probes": proof.report.results,
        "gate": proof.gate,
        "calls": made.calls,
        "cost": made.cost,
        "entries": proof.proposed.model.is_some().then(|| proof.proposed.account.clone().closed()),
        "exam": proof.report.exam,
        "rubric": made.rubric,
        "left_out": left_out,
        "accepted": proof.is_accepted(),
        "refusals": proof.refusals.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &object)?;
    writeln!(out)
}
