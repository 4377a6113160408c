//! `anchord compress FILE`: the service's own steps on a transcript, without server and database.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::app::{self, Alone};
use crate::clock::Clock;
use crate::config::{self, Check as _};
use crate::domain::candidate::Material;
use crate::domain::format::{self, Format, detect::detect};
use crate::domain::message::Numbered;
use crate::domain::probe::Verdict;
use crate::domain::render;
use crate::domain::strategy::Strategy;
use crate::domain::tokens::{TokenCounter, Tokenizer};

/// What `compress` takes.
#[derive(Args, Debug)]
pub(super) struct Compress {
    /// A JSON array of messages, or an object with `messages`; - for standard input
    file: PathBuf,
    /// The messages' format; told by the messages without it
    #[arg(long, value_name = "FORMAT")]
    format: Option<MessageFormat>,
    /// Most tokens of the summary
    #[arg(long, value_name = "TOKENS", default_value_t = render::DEFAULT_BOUND_TOKENS)]
    #[arg(value_parser = clap::value_parser!(u32).range(i64::from(render::LEAST_BOUND_TOKENS)..))]
    max_summary_tokens: u32,
    /// How the summary is made; a transcript is one span, so that regenerative reads what anchored does
    #[arg(long, value_name = "STRATEGY", default_value = "anchored")]
    strategy: NamedStrategy,
    #[command(flatten)]
    llm: config::Llm,
    /// Print the record, the figures and the probes as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MessageFormat {
    OpenaiChat,
    Anthropic,
    OpenaiResponses,
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

impl From<MessageFormat> for Format {
    fn from(named: MessageFormat) -> Self {
        match named {
            MessageFormat::OpenaiChat => Self::OpenaiChat,
            MessageFormat::Anthropic => Self::Anthropic,
            MessageFormat::OpenaiResponses => Self::OpenaiResponses,
        }
    }
}

/// A transcript file: the messages alone, or a request that carries them.
enum Transcript {
    Messages(Vec<Box<RawValue>>),
    Request(Request),
}

#[derive(Deserialize)]
struct Request {
    #[serde(alias = "input")]
    messages: Vec<Box<RawValue>>,
    /// Where one format keeps the system prompt.
    #[serde(default)]
    system: Option<Box<RawValue>>,
}

impl Compress {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        self.llm.check()?;
        let text = read(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        let (format, span) =
            messages(&text, self.format.map(Format::from)).context(self.file.display().to_string())?;
        let progress = Progress::start();
        progress.tell("counting tokens");
        let material = self.material(span);
        progress.tell("writing the summary");
        let made = app::compress(&self.llm, material, format == Format::OpenaiResponses).await?;
        progress.end();
        let proof = &made.proof;
        let mut out = std::io::stdout().lock();
        // Whoever reads us may stop early (`head`), which is no failure of ours.
        let written = if self.json { write_json(&mut out, &made) } else { write_text(&mut out, &made) };
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
            strategy: self.strategy.into(),
            ..Material::first(span, span_tokens, counter, Clock::system().now())
        }
    }
}

fn read(file: &Path) -> std::io::Result<String> {
    if file != Path::new("-") {
        return std::fs::read_to_string(file);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

/// Reads a transcript's messages, numbered from 1.
fn messages(text: &str, format: Option<Format>) -> anyhow::Result<(Format, Vec<Numbered>)> {
    let transcript: Transcript = parse(text)?;
    let (mut raw, system) = match transcript {
        Transcript::Messages(messages) => (messages, None),
        Transcript::Request(request) => (request.messages, request.system),
    };
    let format = format.unwrap_or_else(|| detect(raw.iter().map(|message| message.get())));
    if let Some(content) = system.filter(|content| content.get() != "null") {
        let message = format!("{{\"role\":\"system\",\"content\":{}}}", content.get());
        raw.insert(0, RawValue::from_string(message)?);
    }
    anyhow::ensure!(!raw.is_empty(), "there are no messages in it");
    let read = |(seq, raw): (i64, &str)| {
        let message = format::parse(format, raw).map_err(|error| {
            anyhow::anyhow!("message {seq} is not in the format {}: {error}", format.as_str())
        })?;
        Ok(Numbered { seq, message })
    };
    let span = (1..).zip(raw.iter().map(|message| message.get())).map(read).collect::<anyhow::Result<_>>()?;
    Ok((format, span))
}

fn parse(text: &str) -> anyhow::Result<Transcript> {
    // An untagged enum cannot hold raw JSON, so the two shapes are told by their first character.
    if text.trim_start().starts_with('[') {
        serde_json::from_str(text).map(Transcript::Messages).context("not an array of messages")
    } else {
        serde_json::from_str(text).map(Transcript::Request).context("not an object with messages")
    }
}

fn write_text(out: &mut impl std::io::Write, made: &Alone) -> std::io::Result<()> {
    let proof = &made.proof;
    let (meta, report) = (&proof.meta, &proof.report);
    writeln!(out, "{}\n", proof.rendering.text.trim_end())?;
    let ratio =
        meta.compression_ratio.map(|ratio| format!(" ({:.1} % less)", ratio * 100.0)).unwrap_or_default();
    writeln!(out, "tokens: {} → {}{ratio}", meta.tokens_before, meta.tokens_after)?;
    let score = report.score.map_or_else(|| "none asked".to_owned(), |score| format!("{score:.2}"));
    writeln!(
        out,
        "probes: {score} ({} asked, {} failed, {} cut by the bound)",
        report.asked, report.failed, report.cut
    )?;
    for result in report.results.iter().filter(|result| result.verdict == Verdict::Fail) {
        writeln!(out, "  failed: {}", result.probe.question)?;
    }
    let model = meta.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
    writeln!(out, "engine: {}{model}, strategy: {}", meta.engine.as_str(), meta.strategy.as_str())?;
    write_calls(out, made)?;
    for warning in &meta.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    if proof.is_not_smaller() {
        writeln!(out, "note: a service would skip this; the summary is not smaller than the messages")?;
    }
    Ok(())
}

/// What models were asked, call by call, and what it cost.
fn write_calls(out: &mut impl std::io::Write, made: &Alone) -> std::io::Result<()> {
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
        "cost: {} calls ({} failed), {} + {} tokens, {} ms, {} millionths",
        cost.calls, cost.failed_calls, cost.input_tokens, cost.output_tokens, cost.latency_ms, cost.micros
    )?;
    if let Some(rubric) = &made.rubric {
        writeln!(out, "rubric: {:.2} of 5 ({})", rubric.overall, rubric.model)?;
    }
    Ok(())
}

fn write_json(out: &mut impl std::io::Write, made: &Alone) -> std::io::Result<()> {
    let proof = &made.proof;
    let object = serde_json::json!({
        "summary": proof.summary,
        "meta": proof.meta,
        "rendering": proof.rendering.text,
        "probes": proof.report.results,
        "gate": proof.gate,
        "calls": made.calls,
        "cost": made.cost,
        "rubric": made.rubric,
        "accepted": proof.is_accepted(),
        "refusals": proof.refusals.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &object)?;
    writeln!(out)
}

/// One line on a terminal that says what is being done, and nothing anywhere else.
struct Progress {
    on_terminal: bool,
}

impl Progress {
    fn start() -> Self {
        Self { on_terminal: std::io::stderr().is_terminal() }
    }

    fn tell(&self, what: &str) {
        if self.on_terminal {
            // A progress line that cannot be shown is not missed.
            let _ = write!(std::io::stderr(), "\r\x1b[K{what} …");
        }
    }

    fn end(&self) {
        if self.on_terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::message::Role;

    #[test]
    fn a_transcript_is_an_array_or_an_object_with_messages() {
        let array = r#"[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]"#;
        let object = format!(r#"{{"model": "m", "id": 7, "messages": {array}}}"#);
        for text in [array, &object] {
            let read = messages(text, None).expect("a transcript").1;
            assert_eq!(read.iter().map(|n| n.seq).collect::<Vec<_>>(), [1, 2]);
        }
    }

    #[test]
    fn a_system_prompt_apart_comes_first() {
        let text = r#"{"system": "be kind", "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1"}]}]}"#;
        let read = messages(text, None).expect("a transcript").1;
        assert_eq!(
            read.first().map(|n| (n.message.role, n.message.text())),
            Some((Role::System, "be kind".to_owned()))
        );
        assert_eq!(read.len(), 2);
    }

    #[test]
    fn what_is_no_transcript_is_told_with_its_place() {
        for (text, place) in [
            ("", "not an object"),
            ("{}", "missing field `messages`"),
            ("[]", "no messages"),
            (r#"[{"role": "user", "content": "a"}, {"role": "cook"}]"#, "message 2"),
            (r#"[{"role": "user""#, "line 1"),
        ] {
            let error = format!("{:#}", messages(text, None).expect_err(text));
            assert!(error.contains(place), "{text}: {error}");
        }
    }
}
