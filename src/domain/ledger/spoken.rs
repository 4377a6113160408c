//! Tool uses that are written as text: fenced commands, XML tags, function tags, console lines.
//!
//! A block in an assistant's text is a use only when the message after it reports on it; otherwise
//! it is an example or advice.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::super::message::{Numbered, Role};
use super::aider;
use super::invocation::{Invocation, text_of};

/// The most uses read out of one message.
const MAX_USES: usize = 64;

/// The tool uses in an assistant message that has no structured calls.
pub(super) fn assistant(span: &[Numbered], at: usize) -> Vec<Invocation<'_>> {
    let Some(said) = span.get(at) else { return Vec::new() };
    let text = text_of(&said.message.parts);
    let Cow::Borrowed(text) = text else { return Vec::new() };
    let mut uses = Vec::new();
    if text.contains("</") {
        uses = tagged(text, said.seq);
    }
    let fenced = uses.is_empty();
    if fenced {
        if !text.contains("```") {
            return Vec::new();
        }
        uses = fences(text).into_iter().map(|c| Invocation::shell(Cow::Borrowed(c), said.seq)).collect();
    }
    if uses.is_empty() {
        return uses;
    }
    let Some(next) = span.get(at + 1) else {
        // The last word of a span: whether it ran is not known yet.
        return if fenced { Vec::new() } else { uses };
    };
    if !matches!(next.message.role, Role::User | Role::Tool) || next.message.name.is_some() {
        return Vec::new();
    }
    let Cow::Borrowed(reply) = text_of(&next.message.parts) else { return Vec::new() };
    if fenced {
        let seen = observation(reply);
        let one_only = matches!(seen, Some(Seen::One));
        if seen.is_none() || (one_only && uses.len() != 1) {
            return Vec::new();
        }
    }
    for one in &mut uses {
        one.answer(Cow::Borrowed(reply), None, next.seq);
    }
    uses
}

/// How an observation reports on fenced commands.
enum Seen {
    /// Its harness runs one block per turn and refuses more.
    One,
    /// Its harness may run several.
    Any,
}

fn observation(reply: &str) -> Option<Seen> {
    let text = reply.trim_start();
    const ONE: &[&str] = &["<returncode>", "diff --git ", "The last command <command>", "{\"returncode\""];
    if ONE.iter().any(|p| text.starts_with(p)) {
        return Some(Seen::One);
    }
    const ANY: &[&str] = &[
        "<output>",
        "Observation:",
        "OBSERVATION:",
        "EXECUTION RESULT",
        "Execution result",
        "Command output:",
        "[Command ",
        "Exit code: ",
        "exitcode: ",
    ];
    if ANY.iter().any(|p| text.starts_with(p)) || text.trim_end().ends_with("bash-$") {
        return Some(Seen::Any);
    }
    None
}

/// The commands in fenced shell blocks. A fence without a language counts only when it is the only
/// one, as in agents that put one bare command at the end of a turn.
fn fences(text: &str) -> Vec<&str> {
    let mut shells = Vec::new();
    let mut bare = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("```") {
        let after = rest.get(open + 3..).unwrap_or("");
        let line_end = after.find('\n').unwrap_or(after.len());
        let language = after.get(..line_end).unwrap_or("").trim();
        let body = after.get((line_end + 1).min(after.len())..).unwrap_or("");
        let close = body.find("\n```").map(|c| (c, c + 4)).or_else(|| body.find("```").map(|c| (c, c + 3)));
        let Some((end, next)) = close else { break };
        let command = body.get(..end).unwrap_or("").trim();
        let is_shell = ["bash", "sh", "shell", "console", "zsh", "mswea_bash_command"].contains(&language);
        if is_shell && !command.is_empty() {
            shells.push(command);
        } else if language.is_empty() && !command.is_empty() {
            bare.push(command);
        }
        rest = body.get(next..).unwrap_or("");
        if shells.len() >= MAX_USES {
            break;
        }
    }
    if shells.is_empty() && bare.len() == 1 { bare } else { shells }
}

/// Tools that agents call by XML tags in their text.
const TAGGED: &[&str] = &[
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "read_file",
    "execute_command",
    "list_files",
    "search_files",
    "new_rule",
];

static FUNCTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"<function=([A-Za-z0-9_.-]{1,80})>").ok());
static PARAMETER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"<parameter=([A-Za-z0-9_.-]{1,80})>").ok());
static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"<([a-z_]{2,40})>").ok());

fn tagged(text: &str, seq: i64) -> Vec<Invocation<'_>> {
    let mut uses = Vec::new();
    let mut from = 0;
    let (Some(tag), Some(function)) = (TAG.as_ref(), FUNCTION.as_ref()) else { return uses };
    if text.contains("<function=") {
        for found in function.captures_iter(text).take(MAX_USES) {
            let (Some(all), Some(name)) = (found.get(0), found.get(1)) else { continue };
            if all.start() < from {
                continue;
            }
            let body = text.get(all.end()..).unwrap_or("");
            let end = body.find("</function>").unwrap_or(body.len());
            from = all.end() + end;
            uses.push(with_arguments(name.as_str(), parameters(body.get(..end).unwrap_or("")), seq));
        }
        return uses;
    }
    for found in tag.captures_iter(text) {
        let (Some(all), Some(name)) = (found.get(0), found.get(1)) else { continue };
        if all.start() < from || !TAGGED.contains(&name.as_str()) || uses.len() >= MAX_USES {
            continue;
        }
        let close = format!("</{}>", name.as_str());
        let body = text.get(all.end()..).unwrap_or("");
        // Without its closing tag the use was cut off; looking on would cost a pass per tag.
        let Some(end) = body.find(&close) else { break };
        from = all.end() + end;
        let arguments = children(body.get(..end).unwrap_or(""));
        if !arguments.is_empty() {
            uses.push(with_arguments(name.as_str(), arguments, seq));
        }
    }
    uses
}

fn parameters(body: &str) -> Map<String, Value> {
    let mut all = Map::new();
    let Some(regex) = PARAMETER.as_ref() else { return all };
    let mut from = 0;
    for found in regex.captures_iter(body).take(MAX_USES) {
        let (Some(open), Some(name)) = (found.get(0), found.get(1)) else { continue };
        if open.start() < from {
            continue;
        }
        let rest = body.get(open.end()..).unwrap_or("");
        let end = rest.find("</parameter>").unwrap_or(rest.len());
        from = open.end() + end;
        let value = rest.get(..end).unwrap_or("");
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        all.insert(name.as_str().to_owned(), Value::String(value.to_owned()));
    }
    all
}

/// The child tags of a tool's tag; `<args><file>…` nests and is looked into.
fn children(body: &str) -> Map<String, Value> {
    let mut all = Map::new();
    let Some(regex) = TAG.as_ref() else { return all };
    let mut from = 0;
    for found in regex.captures_iter(body) {
        let (Some(open), Some(name)) = (found.get(0), found.get(1)) else { continue };
        if open.start() < from || ["args", "file"].contains(&name.as_str()) || all.len() >= MAX_USES {
            continue;
        }
        let close = format!("</{}>", name.as_str());
        let rest = body.get(open.end()..).unwrap_or("");
        // A file's content may hold its own closing tag; the last one is the tool's.
        let end = if name.as_str() == "content" { rest.rfind(&close) } else { rest.find(&close) };
        let Some(end) = end else { break };
        from = open.end() + end;
        let value = rest.get(..end).unwrap_or("");
        let value = if name.as_str() == "content" || name.as_str() == "diff" { value } else { value.trim() };
        match all.get_mut(name.as_str()) {
            Some(Value::Array(list)) => list.push(Value::String(value.to_owned())),
            Some(first) => {
                let old = first.take();
                *first = Value::Array(vec![old, Value::String(value.to_owned())]);
            }
            None => {
                all.insert(name.as_str().to_owned(), Value::String(value.to_owned()));
            }
        }
    }
    all
}

fn with_arguments(name: &str, arguments: Map<String, Value>, seq: i64) -> Invocation<'_> {
    let value = Value::Object(arguments);
    let mut one = Invocation::pending(Cow::Borrowed(name), Cow::Owned(value.to_string()), seq);
    if super::tools::may_run_commands(name) {
        one.command = super::tools::shell_command(name, &value).map(Cow::Owned);
    }
    one
}

/// The tool uses that a user message reports: aider's console, commands that the person ran.
pub(super) fn user(span: &[Numbered], at: usize) -> Vec<Invocation<'_>> {
    let Some(said) = span.get(at) else { return Vec::new() };
    let Cow::Borrowed(text) = text_of(&said.message.parts) else { return Vec::new() };
    if said.message.name.as_deref() == Some("aider") {
        return aider::console(span, at, text);
    }
    person_ran(span, at, text)
}

/// `<bash-input>` with the `<bash-stdout>` of the same or the next message.
fn person_ran<'a>(span: &'a [Numbered], at: usize, text: &'a str) -> Vec<Invocation<'a>> {
    let Some(said) = span.get(at) else { return Vec::new() };
    let between = |text: &'a str, open: &str, close: &str| {
        let from = text.find(open)? + open.len();
        let rest = text.get(from..)?;
        rest.get(..rest.find(close)?)
    };
    let Some(command) = between(text, "<bash-input>", "</bash-input>") else { return Vec::new() };
    let mut one = Invocation::shell(Cow::Borrowed(command), said.seq);
    let same = between(text, "<bash-stdout>", "</bash-stdout>").map(|o| (o, said.seq));
    let next = span.get(at + 1).filter(|n| n.message.role == Role::User).and_then(|n| {
        let Cow::Borrowed(text) = text_of(&n.message.parts) else { return None };
        between(text, "<bash-stdout>", "</bash-stdout>").map(|o| (o, n.seq))
    });
    if let Some((output, seq)) = same.or(next) {
        one.answer(Cow::Borrowed(output), None, seq);
    }
    vec![one]
}
