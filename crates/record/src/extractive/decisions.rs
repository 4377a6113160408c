//! Finds decisions in tool calls and results: answers to the model's questions, plans approved or rejected.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::super::summary::Decision;
use super::text::{clip, is_placeholder};
use anchord_facts::ledger::line::squash;
use anchord_facts::ledger::requests::PLAN_TOOLS;
use anchord_facts::pattern;
use anchord_messages::inner_json;
use anchord_messages::message::{Numbered, Role, ToolCall};

/// The longest decision, rationale or alternative, in characters.
const MAX_TEXT: usize = 400;
/// The most decisions of a span.
const MOST_OF_SPAN: usize = 200;
/// The most parts of an approved plan that are listed.
const MAX_PARTS: usize = 6;
/// The most bytes of a span's results that are searched for quoted answers.
const MOST_READ: usize = 128 * 1024;

/// The decisions that tool calls and results contain.
pub(super) fn find(span: &[Numbered]) -> Vec<Decision> {
    let mut waiting: BTreeMap<&str, (i64, &ToolCall)> = BTreeMap::new();
    let (mut found, mut room) = (Vec::new(), MOST_READ);
    for Numbered { seq, message } in span {
        if message.role == Role::Assistant {
            waiting.extend(message.calls().map(|call| (call.id.as_str(), (*seq, call))));
        }
        for result in message.results() {
            let Some((call_seq, call)) = waiting.remove(result.call_id.as_str()) else { continue };
            let seqs = vec![call_seq, *seq];
            let text = result.text();
            match call.name.as_str() {
                "AskUserQuestion"
                | "ask_user_question"
                | "ask_followup_question"
                | "request_user_input"
                | "ask_user"
                | "ask_question"
                | "question" => found.extend(answers(call, &text, &seqs, &mut room)),
                tool if PLAN_TOOLS.contains(&tool) => found.extend(plan(call, &text, &seqs)),
                _ => {}
            }
        }
    }
    found.retain(|decision| !is_placeholder(&decision.decision));
    // The latest: each is compared with all that the record has.
    found.drain(..found.len().saturating_sub(MOST_OF_SPAN));
    found
}

fn decision(text: &str, rationale: &str, alternatives: Vec<String>, seqs: Vec<i64>) -> Decision {
    Decision {
        decision: clip(&squash(text), MAX_TEXT),
        rationale: clip(&squash(rationale), MAX_TEXT),
        alternatives: alternatives
            .into_iter()
            .map(|a| clip(&squash(&a), 120))
            .filter(|a| !is_placeholder(a))
            .collect(),
        seqs,
        ..Decision::default()
    }
}

/// The answers in a tool's result, each with the options that were not chosen.
fn answers(call: &ToolCall, text: &str, seqs: &[i64], room: &mut usize) -> Vec<Decision> {
    let arguments: Value = inner_json::read(&call.arguments).unwrap_or_default();
    let mut pairs = if text.len() <= *room { quoted_pairs(text) } else { Vec::new() };
    *room = room.saturating_sub(text.len());
    if pairs.is_empty() {
        pairs = keyed_pairs(&arguments, text);
    }
    if pairs.is_empty() {
        // Other agents return the answer alone.
        let question = ["question", "prompt", "message"].iter().find_map(|k| arguments.get(*k)?.as_str());
        let text = text.trim();
        let bare = text.strip_prefix("<answer>").and_then(|t| t.strip_suffix("</answer>")).unwrap_or(text);
        let declined = bare.starts_with("The user doesn't want to") || bare.starts_with("The user declined");
        pairs.extend(
            question
                .filter(|_| !bare.is_empty() && !declined && bare.len() < 2_000)
                .map(|q| (q.to_owned(), squash(bare))),
        );
    }
    pairs
        .into_iter()
        .map(|(question, answer)| {
            let options = options(&arguments, &question)
                .into_iter()
                .filter(|label| !answer.contains(label.as_str()))
                .take(6)
                .collect();
            decision(&format!("{} → {answer}", clip(&question, 200)), "", options, seqs.to_vec())
        })
        .collect()
}

/// `User has answered your questions: "Q"="A", "Q2"="A2". …`
fn quoted_pairs(text: &str) -> Vec<(String, String)> {
    static PAIR: LazyLock<Regex> =
        LazyLock::new(|| pattern::unicode(r#"(?s)"([^"]{1,1000}?)"\s?=\s?"(.{1,2000}?)"(?:[,.]|\s|$)"#));
    PAIR.captures_iter(text)
        .take(20)
        .filter_map(|c| Some((c.get(1)?.as_str().to_owned(), c.get(2)?.as_str().to_owned())))
        .collect()
}

/// `{"answers": {"id": …}}`, where the questions of the call have the ids or are the keys.
fn keyed_pairs(arguments: &Value, text: &str) -> Vec<(String, String)> {
    let Some(Value::Object(reply)) = inner_json::read::<Value>(text) else { return Vec::new() };
    let Some(answers) = reply.get("answers").and_then(Value::as_object) else { return Vec::new() };
    let asked = |key: &str| {
        let all = arguments.get("questions").and_then(Value::as_array)?;
        let one = all.iter().find(|q| q.get("id").and_then(Value::as_str) == Some(key))?;
        one.get("question").and_then(Value::as_str).map(str::to_owned)
    };
    let pair = |(key, value): (&String, &Value)| {
        let mut said = Vec::new();
        strings(value, 4, &mut said);
        (!said.is_empty()).then(|| (asked(key).unwrap_or_else(|| key.clone()), said.join(", ")))
    };
    answers.iter().take(20).filter_map(pair).collect()
}

fn strings(value: &Value, depth: usize, found: &mut Vec<String>) {
    match value {
        Value::String(text) if found.len() < 8 && !text.trim().is_empty() => {
            found.push(clip(&squash(text), 200));
        }
        Value::Array(items) if depth > 0 => items.iter().for_each(|v| strings(v, depth - 1, found)),
        Value::Object(fields) if depth > 0 => fields.values().for_each(|v| strings(v, depth - 1, found)),
        Value::String(_)
        | Value::Array(_)
        | Value::Object(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_) => {}
    }
}

/// The labels of the options that the call offered for a question.
fn options(arguments: &Value, question: &str) -> Vec<String> {
    let by_question = arguments
        .get("questions")
        .and_then(Value::as_array)
        .and_then(|all| all.iter().find(|q| q.get("question").and_then(Value::as_str) == Some(question)));
    let offered = by_question.unwrap_or(arguments);
    ["options", "suggestions", "follow_up"]
        .iter()
        .find_map(|key| offered.get(*key)?.as_array())
        .map(|options| {
            let label = |o: &Value| o.get("label").unwrap_or(o).as_str().map(str::to_owned);
            options.iter().filter_map(label).collect()
        })
        .unwrap_or_default()
}

fn plan(call: &ToolCall, text: &str, seqs: &[i64]) -> Option<Decision> {
    let arguments: Value = inner_json::read(&call.arguments).unwrap_or_default();
    let plan = arguments.get("plan").and_then(Value::as_str).unwrap_or("");
    let mut headings = plan.lines().map(str::trim).filter(|l| !l.is_empty());
    let title = headings.next().map_or("", |l| l.trim_start_matches('#').trim());
    let parts: Vec<&str> = headings
        .filter(|l| l.starts_with("## ") || l.starts_with("### "))
        .map(|l| l.trim_start_matches('#').trim())
        .filter(|l| !l.is_empty())
        .take(MAX_PARTS)
        .collect();
    let title = clip(title, 160);
    let lower = text.to_lowercase();
    if lower.contains("doesn't want to proceed") || lower.contains("rejected") {
        let said = text.split_once("the user said:").map_or("", |(_, said)| said.trim());
        let words = format!("{} {title}", "Plan rejected by the user:");
        return Some(decision(words.trim_end(), said, Vec::new(), seqs.to_vec()));
    }
    (lower.contains("approved") || lower.contains("can now start")).then(|| {
        let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) };
        let words = format!("{} {title}{parts}", "Plan approved by the user:");
        decision(words.trim_end(), "", Vec::new(), seqs.to_vec())
    })
}
