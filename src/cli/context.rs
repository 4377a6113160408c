//! `anchord context`: prints what a session sends to the model next.

use std::fmt::Write as _;

use anstyle::Style;

use super::output::{count_at, counted, text_at};
use super::prelude::*;
use indicatif::HumanCount;

/// Arguments of `context`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  anchord context planner
  anchord context planner --format anthropic --json > request.json
  anchord context planner --max-input-tokens 8000
  anchord context planner --through 120")]
pub(super) struct ContextCommand {
    /// Session ID
    #[arg(value_parser = SessionName::parse)]
    session: SessionName,
    /// Format of the messages [default: the session's own]
    #[arg(long, value_name = "FORMAT")]
    format: Option<WireFormat>,
    /// Maximum number of tokens of the context [default: the session's effective window]
    #[arg(long, value_name = "TOKENS", value_parser = whole::<u32>(1..=10_000_000))]
    max_input_tokens: Option<u32>,
    /// Repeat the current task, open errors and next steps at the end
    #[arg(long)]
    recap: bool,
    /// Print the context as it was when this message was the newest
    #[arg(long, value_name = "POSITION")]
    through: Option<u64>,
    /// Print the context with this version of the summary
    #[arg(long, value_name = "NUMBER")]
    of_version: Option<u64>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    access: TenantAccess,
}

/// The formats of messages, by their names on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum WireFormat {
    /// OpenAI's chat completions
    OpenaiChat,
    /// Anthropic's messages
    Anthropic,
    /// OpenAI's responses
    OpenaiResponses,
}

impl ContextCommand {
    pub(super) async fn run(self) -> Result<()> {
        let remote = Remote::of_tenant(&self.access)?;
        // What is not named is the service's to choose: the session's own format, its effective window.
        let mut query = Vec::new();
        query.extend(self.format.map(|format| ("format", word(&format))));
        query.extend(self.max_input_tokens.map(|most| ("max_input_tokens", most.to_string())));
        query.extend(self.recap.then(|| ("recap", "true".to_owned())));
        query.extend(self.through.map(|seq| ("through_seq", seq.to_string())));
        query.extend(self.of_version.map(|version| ("version", version.to_string())));
        let context = remote.read(&["v1", "sessions", self.session.as_str(), "context"], &query).await?;
        if self.output.json {
            return output::print_json(&context);
        }
        output::print(&shown(&context))
    }
}

/// The context for a person: its figures, and its messages one below the other.
fn shown(context: &Value) -> String {
    let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
    let count = |pointer: &str| count_at(context, pointer).unwrap_or_default();
    let messages = context.get("messages").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut text = String::new();
    let number = u64::try_from(messages.len()).unwrap_or(u64::MAX);
    let (total, most) = (HumanCount(count("/tokens/total")), HumanCount(count("/max_input_tokens")));
    // Infallible throughout: a String is written to.
    let _ = writeln!(text, "{dim}{}, {total} of {most} tokens{dim:#}", counted(number, "message"));
    if let Some(version) = count_at(context, "/summary_version") {
        let covered = counted(count("/anchor_seq"), "message");
        let _ = writeln!(text, "{dim}summary version {version} covers the first {covered}{dim:#}");
    }
    for (name, noun) in [("masked", "tool output"), ("omitted", "range")] {
        let many = context.get(name).and_then(Value::as_array).map_or(0, Vec::len);
        if many > 0 {
            let many = u64::try_from(many).unwrap_or(u64::MAX);
            let told = match noun {
                "range" => format!("{} left out or shortened", ranges(many)),
                _ => format!("{} shown as placeholders", counted(many, noun)),
            };
            let _ = writeln!(text, "{dim}{told}{dim:#}");
        }
    }
    if let Some(system) = text_at(context, "/system") {
        let _ = write!(text, "\n{bold}system{bold:#}\n{}\n", output::visible(system.trim_end()));
    }
    for message in messages {
        let speaker = text_at(message, "/role").or_else(|| text_at(message, "/type")).unwrap_or("message");
        let _ = writeln!(text, "\n{bold}{}{bold:#}", output::one_line(speaker));
        for part in parts(message) {
            let _ = writeln!(text, "{}", output::visible(part.trim_end()));
        }
    }
    text
}

fn ranges(count: u64) -> String {
    if count == 1 {
        "one range of messages was".to_owned()
    } else {
        format!("{} ranges of messages were", HumanCount(count))
    }
}

/// Text of a message: its texts as they are, everything else as JSON.
fn parts(message: &Value) -> Vec<String> {
    let Some(fields) = message.as_object() else { return vec![message.to_string()] };
    let mut parts = Vec::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("role", _) | (_, Value::Null) => {}
            ("content" | "output", Value::String(text)) => parts.push(text.clone()),
            ("content" | "output" | "summary", Value::Array(blocks)) => {
                parts.extend(blocks.iter().map(block));
            }
            ("tool_calls", Value::Array(calls)) => parts.extend(calls.iter().map(Value::to_string)),
            ("type", _) if fields.contains_key("role") => {}
            (_, value) => parts.push(format!("{name}: {}", plain(value))),
        }
    }
    parts
}

/// A content block: its text, or the whole block as JSON.
fn block(block: &Value) -> String {
    let text = text_at(block, "/text").filter(|_| {
        let kind = text_at(block, "/type").unwrap_or("text");
        kind == "text" || kind.ends_with("_text")
    });
    text.map_or_else(|| block.to_string(), str::to_owned)
}

/// A value without the quotes of a text.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_context_is_shown_with_its_figures_and_messages() {
        let context = json!({
            "messages": [
                {"role": "user", "content": "Read a.rs\u{1b}[2J"},
                {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function"}]},
                {"role": "tool", "tool_call_id": "c", "content": "fn main() {}"},
                {"role": "user", "content": [{"type": "text", "text": "And?"}, {"type": "image_url"}]}
            ],
            "summary_version": 2, "anchor_seq": 1,
            "tokens": {"total": 1_234}, "max_input_tokens": 160_000,
            "masked": [{"seq": 3}], "omitted": [{"from_seq": 1}, {"from_seq": 5}]
        });
        let text = anstream::adapter::strip_str(&shown(&context)).to_string();
        for part in [
            "4 messages, 1,234 of 160,000 tokens\nsummary version 2 covers the first 1 message\n",
            "1 tool output shown as placeholders\n2 ranges of messages were left out or shortened\n",
            "\nuser\nRead a.rs\u{fffd}[2J\n",
            "\nassistant\n{\"id\":\"c\",\"type\":\"function\"}\n",
            "\ntool\ntool_call_id: c\nfn main() {}\n",
            "\nuser\nAnd?\n{\"type\":\"image_url\"}\n",
        ] {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
    }
}
