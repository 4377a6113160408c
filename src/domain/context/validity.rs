//! What a provider refuses, checked on the reply's JSON, for the tests of this module and, as a file
//! that they include, for the integration tests: hence nothing of the crate is used here.

use std::collections::BTreeSet;

use serde_json::Value;

/// Everything that is wrong with a reply; empty when a provider would take it.
pub fn problems(reply: &Value) -> Vec<String> {
    let mut bad = Vec::new();
    let messages = reply["messages"].as_array().expect("messages");
    match reply["format"].as_str() {
        Some("openai-chat") => chat(messages, &mut bad),
        Some("anthropic") => anthropic(reply, messages, &mut bad),
        Some("openai-responses") => responses(messages, &mut bad),
        other => bad.push(format!("the format {other:?}")),
    }
    accounting(reply, messages, &mut bad);
    bad
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
    let sum = int(&tokens["system"]) + int(&tokens["summary"]) + int(&tokens["tail"]);
    if sum != int(&tokens["total"]) {
        bad.push("token components do not add up".to_owned());
    }
    if int(&tokens["total"]) > int(&reply["max_tokens"]) || reply["within_budget"] != true {
        bad.push(format!("{} tokens for a budget of {}", tokens["total"], reply["max_tokens"]));
    }
}

fn has_content(content: &Value) -> bool {
    match content {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(parts) => {
            !parts.is_empty()
                && parts
                    .iter()
                    .all(|p| p["type"] != "text" || !p["text"].as_str().unwrap_or("").trim().is_empty())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

fn chat(messages: &[Value], bad: &mut Vec<String>) {
    let mut at = 0;
    while at < messages.len() {
        let message = &messages[at];
        let role = message["role"].as_str().unwrap_or("none");
        let calls = message["tool_calls"].as_array().filter(|_| role == "assistant");
        if !["system", "developer", "user", "assistant"].contains(&role) {
            bad.push(format!("{at}: stray {role}"));
        }
        if calls.is_none() && !has_content(&message["content"]) {
            bad.push(format!("{at}: empty {role}: {message}"));
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
            if call["function"]["name"].as_str().unwrap_or("").is_empty()
                || !call["function"]["arguments"].is_string()
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
        && system.as_str().is_none_or(|s| s.trim().is_empty())
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
                }
                ("tool_use", "assistant") => {
                    let id = block["id"].as_str().unwrap_or("").to_owned();
                    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                    if id.is_empty() || !id.chars().all(plain) || !all_ids.insert(id.clone()) {
                        bad.push(format!("{at}: call id {id:?}"));
                    }
                    if !block["input"].is_object() || block["name"].as_str().unwrap_or("").is_empty() {
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
        if !blocks.is_empty() && blocks.iter().all(thinks) {
            bad.push(format!("{at}: nothing but thinking"));
        }
    }
}

fn responses(items: &[Value], bad: &mut Vec<String>) {
    let mut all_ids: BTreeSet<&str> = BTreeSet::new();
    let mut open: BTreeSet<&str> = BTreeSet::new();
    let mut answering = false;
    for (at, item) in items.iter().enumerate() {
        let kind = item["type"].as_str().unwrap_or("message");
        if let Some(id) = item["call_id"].as_str() {
            if kind.ends_with("_output") {
                answering = true;
                if !open.remove(id) {
                    bad.push(format!("{at}: output {id:?} without its call"));
                }
                if item["output"].as_str().is_some_and(|o| o.trim().is_empty()) {
                    bad.push(format!("{at}: empty output"));
                }
            } else {
                if answering && !open.is_empty() {
                    bad.push(format!("{at}: a call between a call and its output"));
                }
                answering = false;
                if id.is_empty() || !all_ids.insert(id) {
                    bad.push(format!("{at}: call id {id:?}"));
                }
                open.insert(id);
            }
        } else if kind == "message" {
            let role = item["role"].as_str().unwrap_or("none");
            if !["system", "developer", "user", "assistant"].contains(&role) || !has_content(&item["content"])
            {
                bad.push(format!("{at}: odd message {item}"));
            }
            if !open.is_empty() && (role != "assistant" || answering) {
                bad.push(format!("{at}: {role} between a call and its output"));
            }
        } else if kind == "reasoning" && at + 1 < items.len() && items[at + 1]["role"] == "user" {
            bad.push(format!("{at}: reasoning without what it leads to"));
        }
    }
}
