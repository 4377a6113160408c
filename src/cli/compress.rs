//! `anchord compress FILE`: compresses a transcript in memory, by the steps of the service, without server and
//! database.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar};

use super::output::counted;
use super::prelude::*;
use super::transcript::{self, FileFormat};
use crate::app::{self, CompressedMessages, OfflineResult};
use crate::config::{self, Check as _};
use anchord_messages::format::Format;
use anchord_messages::message::Numbered;
use anchord_messages::tokens::{TokenCounter, Tokenizer};
use anchord_messages::transcript::Transcript;
use anchord_record::candidate::Material;
use anchord_record::probe::Verdict;
use anchord_record::render;
use anchord_record::strategy::Strategy;
use anchord_runtime::clock::Clock;
use anchord_session::stateless::{CompressOptions, Conversation};

/// Arguments of `compress`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  anchord compress examples/session.json
  anchord compress ~/.claude/projects/app/1234.jsonl --max-summary-tokens 1500
  cat session.json | anchord compress - --json | jq -r .rendering")]
pub(super) struct Compress {
    /// File with messages (an array, an object with `messages`, or one message per line) or an agent's log; - for
    /// standard input
    file: PathBuf,
    /// Format of the file; detected from its contents if not given
    #[arg(long, value_name = "FORMAT")]
    format: Option<FileFormat>,
    /// Maximum number of tokens of the summary
    #[arg(long, value_name = "TOKENS", default_value_t = render::DEFAULT_BOUND_TOKENS)]
    #[arg(value_parser = whole::<u32>(render::LEAST_BOUND_TOKENS..))]
    max_summary_tokens: u32,
    /// Strategy; for one file, regenerative and anchored give the same input
    #[arg(long, value_name = "STRATEGY", default_value = "anchored")]
    strategy: NamedStrategy,
    #[command(flatten)]
    llm: config::Llm,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum NamedStrategy {
    /// Merge the messages into the record
    Anchored,
    /// Write the record anew from all messages
    Regenerative,
    /// Write one dense text, which cannot be verified
    Opaque,
    /// List the facts, without a narrative
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
    pub(super) async fn run(self) -> Result<()> {
        self.llm.check()?;
        // Only drawn on a terminal.
        let progress = ProgressBar::new_spinner();
        progress.enable_steady_tick(Duration::from_millis(100));
        progress.set_message("reading the transcript");
        let read = transcript::read(&self.file, self.format)?;
        if self.output.json && self.llm.is_none() {
            let (conversation, left_out) = conversation(&read)?;
            progress.set_message("writing the summary");
            let made = app::compress_by_code(&conversation, self.options());
            progress.finish_and_clear();
            return print_reply(&made?, json!({"left_out": left_out}));
        }
        let (format, told) = (read.format, read.told_left_out());
        let kept = if self.output.json { Some(conversation(&read)?) } else { None };
        let span = (1..).zip(read.messages).map(|(seq, logged)| Numbered { seq, message: logged.message });
        progress.set_message("counting tokens");
        let material = self.material(span.collect());
        progress.set_message("writing the summary");
        let made = app::compress(&self.llm, material, format == Format::OpenaiResponses).await;
        progress.finish_and_clear();
        let made = made?;
        if let Some((conversation, left_out)) = kept {
            let by_model = by_model(&made, &left_out);
            return print_reply(&app::reply(&conversation, self.strategy.into(), made.checked)?, by_model);
        }
        let checked = &made.checked;
        output::print_foreign(&text(&made, told.as_deref())?)?;
        if checked.is_accepted() || checked.is_not_smaller() {
            return Ok(());
        }
        let reasons: Vec<String> = checked.refusals.iter().map(ToString::to_string).collect();
        anyhow::bail!(
            "a service would refuse this summary: {}",
            if reasons.is_empty() { "its probes fail".to_owned() } else { reasons.join("; ") }
        )
    }
}

impl Compress {
    fn options(&self) -> CompressOptions {
        CompressOptions {
            strategy: self.strategy.into(),
            target_tokens: None,
            max_summary_tokens: self.max_summary_tokens,
            now: Clock::system().now(),
        }
    }

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

/// The result for a person.
fn text(made: &OfflineResult, left_out: Option<&str>) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let checked = &made.checked;
    let (meta, report) = (&checked.meta, &checked.report);
    writeln!(out, "{}\n", checked.rendering.text.trim_end())?;
    if !checked.digest.text.is_empty() {
        writeln!(out, "{}\n", checked.digest.text)?;
    }
    writeln!(out, "tokens: {}", saved(meta.tokens_before, meta.tokens_after))?;
    match report.score {
        Some(score) => writeln!(
            out,
            "probes: {} of {} passed, score {}",
            report.asked.saturating_sub(report.failed),
            report.asked,
            output::score(score)
        )?,
        None => writeln!(out, "probes: none asked")?,
    }
    if report.cut > 0 {
        writeln!(out, "  {} more ask for what the bound left out", counted(report.cut.into(), "probe"))?;
    }
    if let Some(exam) = &report.exam {
        writeln!(out, "exam: {} of {} answered from the summary alone", exam.passed, exam.asked)?;
    }
    for result in report.results.iter().filter(|result| result.verdict == Verdict::Fail) {
        writeln!(out, "  failed: {}", result.probe.question)?;
    }
    let model = meta.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
    writeln!(out, "engine: {}{model}, strategy: {}", meta.engine.as_ref(), meta.strategy.as_ref())?;
    write_calls(&mut out, made)?;
    for warning in &meta.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    if let Some(told) = left_out {
        writeln!(out, "left out (not messages): {told}")?;
    }
    if checked.is_not_smaller() {
        writeln!(
            out,
            "note: a service would keep the messages, because the summary is not smaller than they are"
        )?;
    }
    Ok(out)
}

/// The tokens before and after, and what that is in words. Only what was saved has a share.
fn saved(before: i64, after: i64) -> String {
    let count = |tokens: i64| HumanCount(u64::try_from(tokens).unwrap_or_default()).to_string();
    let tokens = format!("{} → {}", count(before), count(after));
    #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
    let share = |tokens: i64| tokens as f64 / before as f64 * 100.0;
    match before - after {
        0 => format!("{tokens} (as many as before)"),
        more if more < 0 => {
            format!("{tokens} (the summary is larger than what it replaces, by {})", count(-more))
        }
        fewer => format!("{tokens} ({:.1} % fewer)", share(fewer)),
    }
}

/// Lists the calls to models, and their cost.
fn write_calls(out: &mut String, made: &OfflineResult) -> std::fmt::Result {
    if made.calls.is_empty() {
        return Ok(());
    }
    for call in &made.calls {
        let status = call.end.http_status.map(|status| format!(" {status}")).unwrap_or_default();
        writeln!(
            out,
            "call: {} of {} to {} by {}: {}{status}, {} + {} tokens, {} ms",
            call.purpose,
            call.from_seq,
            call.through_seq,
            call.model,
            call.end.outcome,
            call.end.input_tokens,
            call.end.output_tokens,
            call.end.latency_ms
        )?;
    }
    let cost = made.cost;
    #[expect(clippy::cast_precision_loss, reason = "a cost is far below 2^52 millionths")]
    let price = cost.micros as f64 / 1e6;
    writeln!(
        out,
        "cost: {} ({} failed), {} + {} tokens, {} ms, {price:.6} in the currency of ANCHORD_LLM_PRICES",
        counted(cost.calls.into(), "call"),
        cost.failed_calls,
        cost.input_tokens,
        cost.output_tokens,
        cost.latency_ms
    )?;
    if let Some(rubric) = &made.rubric {
        writeln!(out, "rubric: {:.2} of 5 ({})", rubric.overall, rubric.model)?;
    }
    Ok(())
}

/// The messages as the service takes them, and how many entries of the file are none.
fn conversation(read: &Transcript) -> Result<(Conversation, BTreeMap<String, usize>)> {
    let mut conversation = Conversation::new(read.format, TokenCounter::new(Tokenizer::default()));
    for logged in &read.messages {
        let refused = |error| anyhow::anyhow!("line {}: {error}", logged.line);
        conversation.push(logged.raw.clone()).map_err(refused)?;
    }
    Ok((conversation, read.left_out.clone()))
}

/// Fields beside the service's reply when a model was asked.
fn by_model(made: &OfflineResult, left_out: &BTreeMap<String, usize>) -> Value {
    let checked = &made.checked;
    json!({
        "left_out": left_out,
        "calls": made.calls,
        "cost": made.cost,
        "entries": checked.proposed.model.is_some().then(|| checked.proposed.account.clone().closed()),
        "exam": checked.report.exam,
        "rubric": made.rubric,
    })
}

/// Prints the reply of `POST /v1/compress`, and behind its fields those of the command alone.
fn print_reply(reply: &CompressedMessages, more: Value) -> Result<()> {
    let mut object = serde_json::to_value(reply)?;
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
    output::print_json(&object)?;
    let refused = reply.warnings.iter().find_map(|warning| warning.strip_prefix("rejected: "));
    refused.map_or(Ok(()), |why| Err(anyhow::anyhow!("a service would refuse this summary: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_told_of_what_was_saved_alone() {
        assert_eq!(saved(12_000, 3_000), "12,000 → 3,000 (75.0 % fewer)");
        assert_eq!(saved(50, 360), "50 → 360 (the summary is larger than what it replaces, by 310)");
        assert_eq!(saved(50, 50), "50 → 50 (as many as before)");
        assert_eq!(saved(0, 0), "0 → 0 (as many as before)");
    }
}
