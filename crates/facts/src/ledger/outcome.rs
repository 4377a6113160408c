//! The outcome of a tool call, parsed from its output: the exit code, and whether the call failed.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;
use serde_json::Value;

use super::line::{any_of, head, tail};
use super::vocabulary::VOCABULARY;
use super::words::WORDS;
use crate::pattern;
use anchord_messages::inner_json;

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome<'a> {
    /// The output, without a JSON wrapper.
    pub output: Cow<'a, str>,
    /// The exit code, when the output contains one.
    pub exit_code: Option<i32>,
    /// Whether the call failed; `None` when neither the output nor the harness shows it.
    pub failed: Option<bool>,
}

/// How much of an output's beginning is searched for reports of failure, in bytes; what follows is the tool's content.
const EDGE: usize = 600;

static EXIT_CODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(concat!(
        r"(?i)(?:<returncode>\s*|<exit_code>\s*|\bexit[ _]code[:= ]\s*|\bexit status[:= ]\s*|\breturn ?code[:= ]\s*",
        r"|exit code is\s*|exited with (?:exit )?(?:code|status) |(?:finished|completed) with exit code |\(exit code:? |^exit=)",
        r"(-?\d{1,10})\b"
    ))
});

/// Parses an output. With `shell`, the tool ran a shell command: its output may contain any words, and the harness adds
/// the exit code.
pub(super) fn read(output: Cow<'_, str>, is_error: Option<bool>, shell: bool) -> Outcome<'_> {
    if shell {
        return shell_outcome(output, is_error);
    }
    // Codex wraps the result of its patch tool, too, with an exit code.
    let (output, exit_code) = match wrapped(&output) {
        Some((inner, code)) => (Cow::Owned(inner), Some(code)),
        None => (output, None),
    };
    let failed = is_error == Some(true)
        || exit_code.is_some_and(|code| code != 0)
        || refused(&output)
        || not_done(&output);
    Outcome { output, exit_code, failed: Some(failed) }
}

fn shell_outcome(output: Cow<'_, str>, is_error: Option<bool>) -> Outcome<'_> {
    if let Some((inner, exit_code)) = unwrap_json(&output).or_else(|| labelled(&output)) {
        let failed = exit_code.map(|c| c != 0).or(is_error);
        return Outcome { output: Cow::Owned(inner), exit_code, failed };
    }
    if refused(&output) {
        return Outcome { output, exit_code: None, failed: Some(true) };
    }
    let exit_code = exit_code(&output).or(if is_error == Some(false) { Some(0) } else { None });
    let failed = match exit_code {
        Some(code) => Some(code != 0),
        None => is_error,
    };
    Outcome { output, exit_code, failed }
}

/// The text and the exit code of a tool that is no shell but reports like one.
fn wrapped(output: &str) -> Option<(String, i32)> {
    let start = output.trim_start();
    if start.starts_with('{') && start.contains("\"metadata\"") {
        let (inner, code) = unwrap_json(output)?;
        return Some((inner, code?));
    }
    let rest = start.strip_prefix("Exit code: ")?;
    let (code, rest) = rest.split_once('\n')?;
    let (_, inner) = rest.split_once("Output:")?;
    Some((inner.trim_start().to_owned(), code.trim().parse().ok()?))
}

/// Unwraps `{"output": …, "metadata": {"exit_code": 0}}`, or a flat form of it, which Codex and others return.
fn unwrap_json(output: &str) -> Option<(String, Option<i32>)> {
    let text = output.trim();
    if !text.starts_with('{') || !text.ends_with('}') {
        return None;
    }
    let value: Value = inner_json::read(text)?;
    let top = value.as_object()?;
    let code = |v: &Value| {
        ["exit_code", "exitCode", "returncode", "return_code", "exit_status", "code"]
            .iter()
            .find_map(|k| v.get(*k))
            .and_then(Value::as_i64)
            .and_then(|n| i32::try_from(n).ok())
    };
    let exit_code = top.get("metadata").and_then(code).or_else(|| code(&value));
    let texts: Vec<&str> =
        ["output", "stdout", "stderr"].iter().filter_map(|k| top.get(*k).and_then(Value::as_str)).collect();
    if texts.is_empty() {
        return None;
    }
    Some((texts.join("\n").trim_end().to_owned(), exit_code))
}

/// The output and exit code in the labelled form of Gemini CLI and Qwen Code, in which a label without a value is
/// absent or `(none)`.
fn labelled(output: &str) -> Option<(String, Option<i32>)> {
    const LABELS: &[&str] = &[
        "\nStderr: ", "\nError: ", "\nExit Code: ", "\nSignal: ", "\nBackground PIDs: ",
        "\nProcess Group PGID: ",
    ];
    let text = output.trim_start();
    let label = ["Output: ", "Stdout: "].into_iter().find_map(|label| {
        let at = if text.starts_with(label) {
            0
        } else if text.starts_with("Command: ") {
            1 + text.find(&format!("\n{label}"))?
        } else {
            return None;
        };
        Some(at + label.len())
    })?;
    let rest = text.get(label..)?;
    // The program's output may contain something like a label; the harness's labels are at the end.
    let end = tail(rest, 1_000);
    let from = rest.len() - end.len();
    let value = |name: &str| {
        let at = end.rfind(name)? + name.len();
        end.get(at..)?.lines().next().map(str::trim)
    };
    if value("\nProcess Group PGID: ").is_none() && value("\nExit Code: ").is_none() {
        return None;
    }
    let said = |name: &str| value(name).filter(|value| *value != "(none)");
    let exit_code = match said("\nExit Code: ") {
        Some(code) => code.parse().ok(),
        None => (said("\nError: ").is_none() && said("\nSignal: ").is_none()).then_some(0),
    };
    // The label for errors introduces program output too, which is kept; the labels after it are cut off.
    let inner = LABELS.iter().skip(2).filter_map(|name| end.rfind(name)).min().unwrap_or(end.len());
    Some((rest.get(..from + inner)?.trim().to_owned(), exit_code))
}

fn exit_code(output: &str) -> Option<i32> {
    let find = |text: &str, last: bool| {
        let found = if last { EXIT_CODE.captures_iter(text).last() } else { EXIT_CODE.captures(text) };
        found.and_then(|c| c.get(1)?.as_str().parse().ok())
    };
    let trimmed = output.trim_start();
    // At the head, only the first lines can be the harness's; an "exit code" further down is program output.
    let first = head(trimmed.lines().next().unwrap_or(""), 120);
    let starts = |p: &str| first.get(..p.len()).is_some_and(|s| s.eq_ignore_ascii_case(p));
    if ["exit code", "<returncode>", "<exit_code>", "process exited with", "command exited with", "chunk id"]
        .iter()
        .any(|p| starts(p))
        && let Some(code) = find(head(trimmed, 300), false)
    {
        return Some(code);
    }
    let last = tail(output.trim_end(), 300);
    if WORDS.exit_labels.iter().any(|h| last.contains(h)) {
        return find(last, true);
    }
    None
}

/// The output without the line in which a harness repeats the call (`[read_file for 'a'] Result:`).
fn answer(output: &str) -> &str {
    let output = output.trim_start();
    let first = head(output, 1_200).lines().next().unwrap_or("");
    let repeats = first.starts_with('[') && first.trim_end().ends_with("Result:")
        || first.starts_with("EXECUTION RESULT of [") && first.trim_end().ends_with("]:");
    if repeats { output.get(first.len()..).unwrap_or("").trim_start() } else { output }
}

fn refused(output: &str) -> bool {
    static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(&VOCABULARY.refused));
    // The words must begin within the first 40 bytes, and none is longer than 80 bytes.
    WORDS.find(head(answer(output), 40 + 80)).is_some_and(|hit| hit.start() < 40)
}

fn not_done(output: &str) -> bool {
    static SURELY: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(&VOCABULARY.surely_not_done));
    static EITHER: LazyLock<AhoCorasick> =
        LazyLock::new(|| any_of(VOCABULARY.done.iter().chain(&VOCABULARY.not_done)));
    let trimmed = answer(output).trim_end();
    let text = head(trimmed, EDGE);
    let begins = |word: &String| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if VOCABULARY.error_starts.iter().any(begins) {
        return true;
    }
    // A long output is content; a tool that did nothing reports that in a short output or on its first line.
    let is_brief = trimmed.len() <= 400 && memchr::memchr_iter(b'\n', trimmed.as_bytes()).nth(3).is_none();
    let searched = if is_brief { text } else { head(text.lines().next().unwrap_or(""), 200) };
    // What follows a report of success quotes the file.
    SURELY.is_match(searched)
        || EITHER.find(searched).is_some_and(|first| first.pattern().as_usize() >= VOCABULARY.done.len())
}
