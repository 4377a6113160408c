//! Tool uses that are written as text: fenced commands, XML tags, function tags, console lines.
//!
//! A block in an assistant's text counts as a tool use only when the next message contains its result; otherwise
//! it is an example or advice.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::invocation::Invocation;
use super::line::head;
use super::reading::Reading;
use super::words::WORDS;
use super::{aider, tools};
use crate::pattern;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;

/// The most tool uses of one message.
const MAX_USES: usize = 64;
/// The most of them that read all of the reply.
const MOST_WHOLE: usize = 8;
/// How many bytes the uses of a text read together of a reply that is the output of several, at least one all of it.
const MOST_READ: usize = 1024 * 1024;

/// The tool uses in an assistant message that has no structured calls.
pub(super) fn assistant<'r>(span: &'r [Reading<'_>], at: usize) -> Vec<Invocation<'r>> {
    let (Some(said), Some(next)) = (span.get(at), span.get(at + 1)) else { return Vec::new() };
    uses(said.text(), said.seq, next)
}

/// The tool uses in the last text of the previous span, whose results are in the first message of this span.
pub(super) fn before<'a>(text: &str, seq: Seq, span: &'a [Reading<'_>]) -> Vec<Invocation<'a>> {
    let Some(next) = span.first() else { return Vec::new() };
    let late = |one: Invocation<'_>| {
        let mut owned = Invocation::pending(
            Cow::Owned(one.tool.into_owned()),
            Cow::Owned(one.arguments.into_owned()),
            seq,
        );
        owned.command = one.command.map(|c| Cow::Owned(c.into_owned()));
        owned
    };
    let mut found: Vec<Invocation<'a>> = uses(text, seq, next).into_iter().map(late).collect();
    for one in &mut found {
        one.answer(Cow::Borrowed(next.text()), None, next.seq);
    }
    found
}

/// The last text of a span, when it may contain a tool use whose result is in the next span.
pub(super) fn unanswered(span: &[Reading<'_>]) -> Option<(Seq, String)> {
    const KEPT: usize = 64 * 1024;
    let last = span.last().filter(|m| m.message.role == Role::Assistant)?;
    if last.message.calls().next().is_some() {
        return None;
    }
    let text = last.text();
    let may_hold = text.len() <= KEPT && (text.contains("```") || text.contains("</"));
    may_hold.then(|| (last.seq, text.to_owned()))
}

/// The tool uses in a text whose results are in the next message.
fn uses<'t>(text: &'t str, seq: Seq, next: &'t Reading<'_>) -> Vec<Invocation<'t>> {
    if !matches!(next.message.role, Role::User | Role::Tool) || next.message.name.is_some() {
        return Vec::new();
    }
    let mut found = if text.contains("</") { tagged(text, seq) } else { Vec::new() };
    let fenced = found.is_empty();
    if fenced {
        found = fences(text).into_iter().map(|c| Invocation::shell(Cow::Borrowed(c), seq)).collect();
    }
    if found.is_empty() {
        return found;
    }
    let reply = next.text();
    if fenced {
        match observation(reply) {
            Some(Runs::One) if found.len() == 1 => {}
            Some(Runs::Any) => {}
            Some(Runs::One) | None => return Vec::new(),
        }
    }
    // Each use reads all of the reply, which is the output of all of them; of many, only the first.
    let most = (MOST_READ / reply.len().max(1)).clamp(1, MOST_WHOLE);
    for (at, one) in found.iter_mut().enumerate() {
        let output =
            if at < most { reply } else { head(reply, (MOST_READ / MAX_USES).min(reply.len() / 16)) };
        one.answer(Cow::Borrowed(output), None, next.seq);
    }
    found
}

/// The tool uses in a text that has no results yet. A fence without a language is not one here: only a result
/// distinguishes it from an example.
pub(super) fn asked(text: &str) -> Vec<Invocation<'_>> {
    let found = if text.contains("</") { tagged(text, 0) } else { Vec::new() };
    let shells = ["```bash", "```sh", "```console", "```zsh", "```mswea_bash_command"];
    if found.is_empty() && shells.iter().any(|fence| text.contains(fence)) {
        return fences(text).into_iter().map(|c| Invocation::shell(Cow::Borrowed(c), 0)).collect();
    }
    found
}

/// How many fenced commands of one turn a harness runs, by the form of its report.
enum Runs {
    /// One block per turn; it rejects more.
    One,
    /// Any number.
    Any,
}

fn observation(reply: &str) -> Option<Runs> {
    let text = reply.trim_start();
    if WORDS.reports_of_one.iter().any(|p| text.starts_with(p)) {
        return Some(Runs::One);
    }
    let any =
        WORDS.reports_of_many.iter().any(|p| text.starts_with(p)) || text.trim_end().ends_with("bash-$");
    any.then_some(Runs::Any)
}

/// The commands in fenced shell blocks. If there is none, a single fence without a language counts, because some agents
/// write one such command at the end of a turn.
fn fences(text: &str) -> Vec<&str> {
    let (mut shells, mut bare) = (Vec::new(), Vec::new());
    let mut from = 0;
    // Shell fences count in any position, as they do for harnesses: an earlier fence of another language may be
    // indented, nested or never closed.
    while let Some(open) = text.get(from..).and_then(|rest| rest.find("```")) {
        let after = from + open + 3;
        let rest = text.get(after..).unwrap_or("");
        from = after;
        // A language name is short; an unbounded search would make many fences quadratic.
        let Some(line_end) = head(rest, 40).find('\n') else { continue };
        let language = rest.get(..line_end).unwrap_or("").trim();
        let is_shell = ["bash", "sh", "shell", "console", "zsh", "mswea_bash_command"].contains(&language);
        if !is_shell && !language.is_empty() {
            continue;
        }
        let body = rest.get((line_end + 1).min(rest.len())..).unwrap_or("");
        let Some(end) = body.find("\n```") else { break };
        let command = body.get(..end).unwrap_or("").trim();
        if !command.is_empty() {
            if is_shell { shells.push(command) } else { bare.push(command) }
        }
        if is_shell {
            from = after + line_end + 1 + end + 4;
        }
        if shells.len() >= MAX_USES || bare.len() >= MAX_USES {
            break;
        }
    }
    if shells.is_empty() && bare.len() == 1 { bare } else { shells }
}

static FUNCTION: LazyLock<Regex> = LazyLock::new(|| pattern::unicode(r"<function=([A-Za-z0-9_.-]{1,80})>"));
static PARAMETER: LazyLock<Regex> = LazyLock::new(|| pattern::unicode(r"<parameter=([A-Za-z0-9_.-]{1,80})>"));
static TAG: LazyLock<Regex> = LazyLock::new(|| pattern::unicode(r"<([a-z_]{2,40})>"));

fn tagged(text: &str, seq: Seq) -> Vec<Invocation<'_>> {
    let mut uses = Vec::new();
    let mut from = 0;
    if text.contains("<function=") {
        for found in FUNCTION.captures_iter(text).take(MAX_USES) {
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
    for found in TAG.captures_iter(text) {
        let (Some(all), Some(name)) = (found.get(0), found.get(1)) else { continue };
        if all.start() < from || !WORDS.tagged_tools.contains(name.as_str()) || uses.len() >= MAX_USES {
            continue;
        }
        let close = format!("</{}>", name.as_str());
        let body = text.get(all.end()..).unwrap_or("");
        // Without a closing tag the tool use was cut off; searching on would make many tags quadratic.
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
    let mut from = 0;
    for found in PARAMETER.captures_iter(body).take(MAX_USES) {
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

/// The child tags of a tool's tag, as arguments; `<args><file>…` is flattened.
fn children(body: &str) -> Map<String, Value> {
    let mut all = Map::new();
    let mut from = 0;
    for found in TAG.captures_iter(body) {
        let (Some(open), Some(name)) = (found.get(0), found.get(1)) else { continue };
        if open.start() < from || ["args", "file"].contains(&name.as_str()) || all.len() >= MAX_USES {
            continue;
        }
        let close = format!("</{}>", name.as_str());
        let rest = body.get(open.end()..).unwrap_or("");
        // A file's content may contain the closing tag itself; the last one belongs to the tool.
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

fn with_arguments(name: &str, arguments: Map<String, Value>, seq: Seq) -> Invocation<'_> {
    let command = if tools::may_run_commands(name) { tools::shell_command(name, &arguments) } else { None };
    let text = Value::Object(arguments).to_string();
    let mut one = Invocation::pending(Cow::Borrowed(name), Cow::Owned(text), seq);
    one.command = command.map(Cow::Owned);
    one
}

/// The tool uses in a user message: lines of aider's console, commands that the person ran.
pub(super) fn user<'r>(span: &'r [Reading<'_>], at: usize) -> Vec<Invocation<'r>> {
    let Some(said) = span.get(at) else { return Vec::new() };
    let text = said.text();
    if said.message.name.as_deref() == Some("aider") {
        return aider::console(span, at, text);
    }
    person_ran(span, at, text)
}

/// The command in `<bash-input>`, with the `<bash-stdout>` of the same or the next message.
fn person_ran<'a>(span: &'a [Reading<'_>], at: usize, text: &'a str) -> Vec<Invocation<'a>> {
    let Some(said) = span.get(at) else { return Vec::new() };
    let between = |text: &'a str, open: &str, close: &str| {
        let from = text.find(open)? + open.len();
        let rest = text.get(from..)?;
        rest.get(..rest.find(close)?)
    };
    let Some(command) = between(text, "<bash-input>", "</bash-input>") else { return Vec::new() };
    let mut one = Invocation::shell(Cow::Borrowed(command), said.seq);
    let same = between(text, "<bash-stdout>", "</bash-stdout>").map(|o| (o, said.seq));
    let next = span
        .get(at + 1)
        .filter(|n| n.message.role == Role::User)
        .and_then(|n| between(n.text(), "<bash-stdout>", "</bash-stdout>").map(|o| (o, n.seq)));
    if let Some((output, seq)) = same.or(next) {
        one.answer(Cow::Borrowed(output), None, seq);
    }
    vec![one]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TOKENS: &[&str] = &[
        "<write_to_file>", "</write_to_file>", "<path>", "</path>", "<content>", "</content>", "<read_file>",
        "</read_file>", "<execute_command>", "<command>", "</command>", "</execute_command>", "<args>",
        "<file>", "</file>", "<diff>", "</diff>", "<function=bash>", "<parameter=command>", "</parameter>",
        "</function>", "a.rs", "ls", "\n", "é", "汉", "<", ">", "```bash\n", "```\n", "\n```",
    ];

    fn text() -> impl Strategy<Value = String> {
        (prop::collection::vec(prop::sample::select(TOKENS), 0..80), 0..16_usize).prop_map(|(tokens, cut)| {
            let text = tokens.concat();
            text[..text.floor_char_boundary(text.len().saturating_sub(cut))].to_owned()
        })
    }

    /// Every string in some JSON.
    fn strings(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) => out.push(text.clone()),
            Value::Array(list) => list.iter().for_each(|v| strings(v, out)),
            Value::Object(map) => map.values().for_each(|v| strings(v, out)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn values(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        for one in tagged(text, 1) {
            strings(&serde_json::from_str(&one.arguments).unwrap(), &mut out);
        }
        out
    }

    proptest! {
        #[test]
        fn what_tags_hold_stands_in_the_text_and_is_no_longer_than_it(text in text()) {
            let uses = tagged(&text, 1);
            prop_assert!(uses.len() <= MAX_USES);
            prop_assert!(uses.iter().all(|u| text.contains(u.tool.as_ref())));
            let held = values(&text);
            prop_assert!(held.iter().all(|v| text.contains(v.as_str())));
            let size: usize = held.iter().map(String::len).sum();
            prop_assert!(size <= text.len());
            let twice: usize = values(&text.repeat(2)).iter().map(String::len).sum();
            prop_assert!(twice <= 2 * text.len());
        }

        #[test]
        fn fences_hold_parts_of_the_text_that_do_not_overlap(text in text()) {
            let found = fences(&text);
            prop_assert!(found.len() <= MAX_USES);
            prop_assert!(found.iter().map(|f| f.len()).sum::<usize>() <= text.len());
        }

        #[test]
        fn a_tag_that_is_whole_is_read_whole(
            path in "[a-z]{1,8}/[a-zé汉 ]{1,8}\\.ts",
            content in "([a-z<>/ =é]{0,14}\n){0,5}",
        ) {
            let text = format!("Now.\n<write_to_file>\n<path>{path}</path>\n<content>\n{content}</content>\n</write_to_file>\nDone.");
            prop_assume!(!content.contains("</"));
            let uses = tagged(&text, 1);
            prop_assert_eq!(uses.len(), 1);
            let arguments: Value = serde_json::from_str(&uses[0].arguments).unwrap();
            prop_assert_eq!(arguments["path"].as_str(), Some(path.as_str()));
            let content = format!("\n{content}");
            prop_assert_eq!(arguments["content"].as_str(), Some(content.as_str()));
        }

        #[test]
        fn a_function_tag_that_is_whole_is_read_whole(command in "[a-z./é][a-z./ é-]{0,29}") {
            let text = format!("<function=bash>\n<parameter=command>{command}</parameter>\n</function>");
            let uses = tagged(&text, 1);
            prop_assert_eq!(uses.len(), 1);
            prop_assert_eq!(uses[0].command.as_deref(), Some(command.as_str()));
        }
    }
}
