//! Checks what a provider refuses, on the reply's JSON. The integration tests and the bench include this file
//! too, so it uses nothing of the crate.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Everything that is wrong with a reply; empty when a provider would accept it.
pub fn problems(reply: &Value) -> Vec<String> {
    let mut bad = Vec::new();
    let messages = reply["messages"].as_array().expect("messages");
    match reply["format"].as_str() {
        Some("openai-chat") => chat(messages, &mut bad),
        Some("anthropic") => anthropic(reply, messages, &mut bad),
        Some("openai-responses") => responses(messages, &mut bad),
        other => bad.push(format!("the format {other:?}")),
    }
    marks(reply, &mut bad);
    accounting(reply, messages, &mut bad);
    bad
}

/// The most marks for its cache that Anthropic takes in a request.
const MOST_MARKS: usize = 4;

/// Marks for the provider's cache: Anthropic alone has them, at most four, on blocks that are cached, longer-lived ones
/// first.
fn marks(reply: &Value, bad: &mut Vec<String>) {
    let mut marked = Vec::new();
    find_marks(&reply["system"], &mut marked);
    find_marks(&reply["messages"], &mut marked);
    if marked.len() > if reply["format"] == "anthropic" { MOST_MARKS } else { 0 } {
        bad.push(format!("{} marks", marked.len()));
    }
    let mut short = false;
    for block in marked {
        let mark = &block["cache_control"];
        let kind = block["type"].as_str().unwrap_or("none");
        let cached = matches!(kind, "text" | "image" | "document" | "tool_use" | "tool_result");
        if !cached || (kind == "text" && block["text"].as_str().unwrap_or("").is_empty()) {
            bad.push(format!("a mark on {block}"));
        }
        let ttl = mark["ttl"].as_str().unwrap_or("5m");
        if mark["type"] != "ephemeral" || !["5m", "1h"].contains(&ttl) || (short && ttl == "1h") {
            bad.push(format!("an odd mark: {mark}"));
        }
        short |= ttl == "5m";
    }
}

/// The blocks with a mark, also in what tools returned; what a tool was given is the caller's own.
fn find_marks<'v>(content: &'v Value, marked: &mut Vec<&'v Value>) {
    for part in content.as_array().into_iter().flatten() {
        if part.get("cache_control").is_some() {
            marked.push(part);
        }
        find_marks(&part["content"], marked);
    }
}

fn accounting(reply: &Value, messages: &[Value], bad: &mut Vec<String>) {
    let int = |v: &Value| v.as_i64().expect("a number");
    let sources = reply["sources"].as_array().expect("sources");
    if sources.len() != messages.len() {
        bad.push(format!("{} sources for {} messages", sources.len(), messages.len()));
    }
    let mut told: BTreeSet<i64> = (1..=int(&reply["anchor_seq"])).collect();
    told.extend(sources.iter().filter_map(Value::as_array).flatten().map(int));
    for omitted in reply["omitted"].as_array().expect("omitted") {
        told.extend(int(&omitted["from_seq"])..=int(&omitted["to_seq"]));
    }
    let untold: Vec<i64> = (1..=int(&reply["head_seq"])).filter(|s| !told.contains(s)).collect();
    if !untold.is_empty() {
        bad.push(format!("not accounted for: {untold:?}"));
    }
    let tokens = &reply["tokens"];
    let parts = ["system", "summary", "digest", "notes", "tail"];
    let sum: i64 = parts.into_iter().map(|part| int(&tokens[part])).sum();
    if sum != int(&tokens["total"]) {
        bad.push("token components do not add up".to_owned());
    }
    if int(&tokens["total"]) > int(&reply["max_input_tokens"]) || reply["within_budget"] != true {
        bad.push(format!("{} tokens for a budget of {}", tokens["total"], reply["max_input_tokens"]));
    }
}

fn has_content(content: &Value) -> bool {
    match content {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(parts) => {
            let is_text =
                |p: &&Value| matches!(p["type"].as_str(), Some("text" | "input_text" | "output_text"));
            !parts.is_empty()
                && parts.iter().filter(is_text).all(|p| !p["text"].as_str().unwrap_or("").trim().is_empty())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

fn is_name(name: &Value) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.as_str().is_some_and(|name| !name.is_empty() && name.len() <= 64 && name.chars().all(plain))
}

/// Whether an address is one that providers fetch, or contains the picture.
fn is_picture(url: &Value) -> bool {
    let url = url.as_str().unwrap_or("");
    let inline = url.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,"));
    url.starts_with("https://")
        || url.starts_with("http://")
        || inline.is_some_and(|(_, data)| !data.is_empty())
}

/// Parts of other formats, which the provider refuses.
fn foreign(content: &Value, kinds: &[&str], at: usize, bad: &mut Vec<String>) {
    for part in content.as_array().into_iter().flatten() {
        if part["type"].as_str().is_none_or(|kind| kinds.contains(&kind)) {
            bad.push(format!("{at}: a part that is not known there: {part}"));
        }
    }
}

const FOREIGN_TO_CHAT: &[&str] = &[
    "input_text", "output_text", "input_image", "input_file", "image", "document", "tool_use", "tool_result",
    "thinking", "redacted_thinking",
];
const FOREIGN_TO_ANTHROPIC: &[&str] = &[
    "input_text", "output_text", "input_image", "input_file", "image_url", "file", "input_audio", "refusal",
    "audio",
];
const FOREIGN_TO_RESPONSES: &[&str] = &[
    "text", "image_url", "file", "image", "document", "tool_use", "tool_result", "thinking",
    "redacted_thinking", "audio",
];

fn chat(messages: &[Value], bad: &mut Vec<String>) {
    let mut at = 0;
    while at < messages.len() {
        let message = &messages[at];
        let role = message["role"].as_str().unwrap_or("none");
        let calls = message["tool_calls"].as_array().filter(|_| role == "assistant");
        if !["system", "developer", "user", "assistant"].contains(&role) {
            bad.push(format!("{at}: stray {role}"));
        }
        let otherwise = has_content(&message["refusal"]) || message["audio"].is_object();
        if calls.is_none() && !otherwise && !has_content(&message["content"]) {
            bad.push(format!("{at}: empty {role}: {message}"));
        }
        let foreign_here =
            [FOREIGN_TO_CHAT, if role == "system" { &["input_audio", "file"] } else { &[] }].concat();
        foreign(&message["content"], &foreign_here, at, bad);
        for part in message["content"].as_array().into_iter().flatten() {
            if part["type"] == "image_url" && !is_picture(&part["image_url"]["url"]) {
                bad.push(format!("{at}: no picture: {part}"));
            }
        }
        if calls.is_some_and(Vec::is_empty) || message.get("function_call").is_some() {
            bad.push(format!("{at}: calls that are none"));
        }
        at += 1;
        let Some(calls) = calls else { continue };
        let mut open = BTreeSet::new();
        for call in calls {
            let id = call["id"].as_str().unwrap_or("");
            if id.is_empty() || !open.insert(id) {
                bad.push(format!("{at}: call id {id:?}"));
            }
            let custom = call["type"] == "custom" && is_name(&call["custom"]["name"]);
            if !custom && (!is_name(&call["function"]["name"]) || !call["function"]["arguments"].is_string())
            {
                bad.push(format!("{at}: odd call {call}"));
            }
        }
        while at < messages.len() && messages[at]["role"] == "tool" {
            let id = messages[at]["tool_call_id"].as_str().unwrap_or("");
            if !open.remove(id) {
                bad.push(format!("{at}: result {id:?} without its call"));
            }
            let content = &messages[at]["content"];
            if !has_content(content)
                || content
                    .as_array()
                    .is_some_and(|c| c.iter().any(|p| p["type"] == "image_url" || p["type"] == "file"))
                || content.as_array().is_some_and(|c| c.iter().any(|p| p["type"] == "input_audio"))
            {
                bad.push(format!("{at}: result content {content}"));
            }
            at += 1;
        }
        if !open.is_empty() && at < messages.len() {
            bad.push(format!("{at}: calls without results {open:?}"));
        }
    }
}

fn anthropic(reply: &Value, messages: &[Value], bad: &mut Vec<String>) {
    if messages.first().is_some_and(|m| m["role"] != "user") {
        bad.push("the first message is not a user's".to_owned());
    }
    if let Some(system) = reply.get("system")
        && !has_content(system)
    {
        bad.push("empty system".to_owned());
    }
    let mut all_ids = BTreeSet::new();
    let mut open: Vec<String> = Vec::new();
    if let Some(last) = messages.last().filter(|m| m["role"] == "assistant") {
        let content = &last["content"];
        let said = content.as_str().or_else(|| content.as_array()?.last()?["text"].as_str()).unwrap_or("");
        if said != said.trim_end() {
            bad.push("the last word ends in white space".to_owned());
        }
    }
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or("none");
        if role != if at % 2 == 0 { "user" } else { "assistant" } {
            bad.push(format!("{at}: {role} out of turn"));
        }
        if !has_content(&message["content"]) {
            bad.push(format!("{at}: empty content {}", message["content"]));
        }
        let blocks = message["content"].as_array().cloned().unwrap_or_default();
        foreign(&message["content"], FOREIGN_TO_ANTHROPIC, at, bad);
        media(&blocks, at, bad);
        let mut others = false;
        let mut expected = std::mem::take(&mut open);
        for block in &blocks {
            let kind = block["type"].as_str().unwrap_or("none");
            match (kind, role) {
                ("tool_result", "user") => {
                    let id = block["tool_use_id"].as_str().unwrap_or("").to_owned();
                    match expected.iter().position(|e| *e == id) {
                        Some(i) => drop(expected.remove(i)),
                        None => bad.push(format!("{at}: result {id:?} without its call")),
                    }
                    if others {
                        bad.push(format!("{at}: result after other content"));
                    }
                    let content = &block["content"];
                    let inner = content.as_array().cloned().unwrap_or_default();
                    if content.is_array() && !has_content(content) {
                        bad.push(format!("{at}: empty text in a result: {content}"));
                    }
                    foreign(content, FOREIGN_TO_ANTHROPIC, at, bad);
                    foreign(content, &["tool_use", "tool_result", "thinking", "redacted_thinking"], at, bad);
                    media(&inner, at, bad);
                }
                ("tool_use", "assistant") => {
                    let id = block["id"].as_str().unwrap_or("").to_owned();
                    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                    if id.is_empty() || !id.chars().all(plain) || !all_ids.insert(id.clone()) {
                        bad.push(format!("{at}: call id {id:?}"));
                    }
                    if !block["input"].is_object() || !is_name(&block["name"]) {
                        bad.push(format!("{at}: odd call {block}"));
                    }
                    open.push(id);
                }
                ("thinking", "assistant") => {
                    if block["signature"].as_str().unwrap_or("").is_empty() {
                        bad.push(format!("{at}: thinking without a signature"));
                    }
                }
                ("tool_result" | "tool_use" | "thinking" | "redacted_thinking" | "none", _)
                    if role != "assistant" || kind != "redacted_thinking" =>
                {
                    bad.push(format!("{at}: {kind} from {role}"));
                }
                _ => others = true,
            }
        }
        if !expected.is_empty() {
            bad.push(format!("{at}: calls without results {expected:?}"));
        }
        let thinks = |b: &Value| b["type"] == "thinking" || b["type"] == "redacted_thinking";
        if blocks.last().is_some_and(thinks) {
            bad.push(format!("{at}: thinking at the end"));
        }
    }
}

fn media(blocks: &[Value], at: usize, bad: &mut Vec<String>) {
    for block in blocks.iter().filter(|b| b["type"] == "image" || b["type"] == "document") {
        let source = &block["source"];
        let kinds: &[&str] = if block["type"] == "image" {
            &["image/png", "image/jpeg", "image/gif", "image/webp"]
        } else {
            &["application/pdf", "text/plain"]
        };
        let fine = match source["type"].as_str() {
            Some("url") => source["url"].as_str().is_some_and(|url| url.starts_with("http")),
            Some("base64") => {
                source["data"].as_str().is_some_and(|data| !data.is_empty())
                    && source["media_type"].as_str().is_some_and(|kind| kinds.contains(&kind))
            }
            Some("text") => block["type"] == "document" && source["data"].is_string(),
            Some("file") => source["file_id"].is_string(),
            Some("content") => block["type"] == "document",
            _ => false,
        };
        if !fine {
            bad.push(format!("{at}: no media: {block}"));
        }
    }
}

/// The kinds of output that a kind of call accepts.
fn answers(call: &str, output: &str) -> bool {
    match call {
        "function_call" => output == "function_call_output",
        // The older tool accepts a function's output as well.
        "local_shell_call" => ["function_call_output", "local_shell_call_output"].contains(&output),
        other => output.strip_suffix("_output") == Some(other),
    }
}

fn is_output(item: &Value) -> bool {
    let output = &item["output"];
    match item["type"].as_str() {
        Some("computer_call_output") => output["type"] == "computer_screenshot",
        Some("shell_call_output") => output.is_array(),
        _ => has_content(output),
    }
}

fn responses(items: &[Value], bad: &mut Vec<String>) {
    let mut all_ids: BTreeSet<&str> = BTreeSet::new();
    let mut open: BTreeMap<&str, &str> = BTreeMap::new();
    let mut answering = false;
    // Reasoning needs the item that it led to.
    let mut reasons = false;
    for (at, item) in items.iter().enumerate() {
        let kind = item["type"].as_str().unwrap_or("message");
        let output = kind.ends_with("_output");
        let models =
            kind != "message" && !output && kind != "mcp_approval_response" || item["role"] == "assistant";
        if reasons && !models {
            bad.push(format!("{at}: reasoning without what it leads to, but {kind}"));
        }
        reasons = kind == "reasoning";
        if output {
            answering = true;
            let id = item["call_id"].as_str().unwrap_or("");
            match open.remove(id) {
                None => bad.push(format!("{at}: output {id:?} without its call")),
                Some(call) if !answers(call, kind) => bad.push(format!("{at}: {kind} for a {call}")),
                Some(_) => {}
            }
            if !is_output(item) {
                bad.push(format!("{at}: odd output {item}"));
            }
            foreign(&item["output"], FOREIGN_TO_RESPONSES, at, bad);
            pictures(&item["output"], at, bad);
        } else if let Some(id) = item["call_id"].as_str() {
            if answering && !open.is_empty() {
                bad.push(format!("{at}: a call between a call and its output"));
            }
            answering = false;
            if id.is_empty() || !all_ids.insert(id) {
                bad.push(format!("{at}: call id {id:?}"));
            }
            let fine = match kind {
                "function_call" => is_name(&item["name"]) && item["arguments"].is_string(),
                "custom_tool_call" => is_name(&item["name"]) && item["input"].is_string(),
                other => other.ends_with("_call"),
            };
            if !fine {
                bad.push(format!("{at}: odd call {item}"));
            }
            open.insert(id, kind);
        } else if kind == "message" {
            let role = item["role"].as_str().unwrap_or("none");
            if !["system", "developer", "user", "assistant"].contains(&role) || !has_content(&item["content"])
            {
                bad.push(format!("{at}: odd message {item}"));
            }
            foreign(&item["content"], FOREIGN_TO_RESPONSES, at, bad);
            let other = if role == "assistant" { "input_text" } else { "output_text" };
            foreign(&item["content"], &[other], at, bad);
            pictures(&item["content"], at, bad);
            if !open.is_empty() && (role != "assistant" || answering) {
                bad.push(format!("{at}: {role} between a call and its output"));
            }
        } else if ["function_call", "custom_tool_call"].contains(&kind) {
            bad.push(format!("{at}: a call without an id"));
        }
    }
    if reasons {
        bad.push("reasoning at the end".to_owned());
    }
}

fn pictures(content: &Value, at: usize, bad: &mut Vec<String>) {
    for part in content.as_array().into_iter().flatten() {
        if part["type"] == "input_image" && !is_picture(&part["image_url"]) && !part["file_id"].is_string() {
            bad.push(format!("{at}: no picture: {part}"));
        }
    }
}
