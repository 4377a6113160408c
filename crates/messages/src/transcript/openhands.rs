//! Parses logs of `OpenHands`: actions and observations as events, in an array, in an object with `history` or
//! `events`, or one per line; and the events of its later SDK, which have a `kind`.
//!
//! An observation answers the action that caused it. Events about the agent's state are not messages.

#![expect(clippy::indexing_slicing, reason = "what JSON does not have reads as null")]

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::{Found, LeftOut, TranscriptError, entries, parse, place};

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, alias = "events")]
    history: Vec<&'a RawValue>,
}

/// Arguments that are not part of the request to the tool.
const OWN_ARGUMENTS: [&str; 8] = [
    "thought", "confirmation_state", "hidden", "blocking", "keep_prompt", "security_risk", "is_confirmed",
    "impl_source",
];

pub(super) fn read(text: &str, left: &mut LeftOut) -> Result<Vec<Found>, TranscriptError> {
    let start = text.trim_start();
    let mut log =
        Log { left, messages: Vec::new(), open: BTreeMap::new(), calls: HashSet::new(), reply: None };
    if start.starts_with('[') {
        let events: Vec<&RawValue> = parse(text, text, "an array of events")?;
        log.take_all(text, events.into_iter().map(RawValue::get))?;
    } else if let Ok(document) = serde_json::from_str::<Document<'_>>(text) {
        log.take_all(text, document.history.into_iter().map(RawValue::get))?;
    } else {
        let all = entries::<&RawValue>(text, "an event", log.left)?;
        log.take_all(text, all.into_iter().map(|(line, _)| line))?;
    }
    let raw = |(at, message): (usize, Value)| Found { at, raw: message.to_string() };
    Ok(log.messages.into_iter().map(raw).collect())
}

struct Log<'l> {
    left: &'l mut LeftOut,
    messages: Vec<(usize, Value)>,
    /// The ids of calls without an observation, by the id of their event.
    open: BTreeMap<String, String>,
    /// The ids of all calls; an observation for none of them is not a tool result.
    calls: HashSet<String>,
    /// The id of the model's reply to which the last message's calls belong.
    reply: Option<String>,
}

impl Log<'_> {
    fn take_all<'a>(
        &mut self,
        text: &'a str,
        events: impl Iterator<Item = &'a str>,
    ) -> Result<(), TranscriptError> {
        for raw in events {
            let event: Map<String, Value> = parse(text, raw, "an event")?;
            let event = Value::Object(event);
            let at = place(text, raw);
            if event["kind"].is_string() {
                self.take_later(at, &event);
            } else if event["action"].is_string() {
                self.act(at, &event);
            } else if event["observation"].is_string() {
                self.observe(at, &event);
            } else {
                self.left.add("events of no kind");
            }
        }
        Ok(())
    }

    fn say(&mut self, at: usize, role: &str, content: &Value) {
        self.reply = None;
        self.messages.push((at, json!({"role": role, "content": content})));
    }

    fn act(&mut self, at: usize, event: &Value) {
        let (args, action) = (&event["args"], text(&event["action"]));
        let by_agent = event["source"] == "agent";
        match action {
            "message" => {
                let role = if by_agent { "assistant" } else { "user" };
                self.say(at, role, &with_images(text(&args["content"]), &args["image_urls"]));
            }
            "system" => self.say(at, "system", &args["content"]),
            "recall" | "null" | "change_agent_state" | "condensation" | "condensation_request" => {
                self.left.add(action);
            }
            "finish" => {
                let last = ["final_thought", "thought"].iter().map(|key| text(&args[*key]));
                let last = last.chain([text(&event["message"])]).find(|said| !said.is_empty());
                self.say(at, "assistant", &last.unwrap_or("Finished.").into());
            }
            _ if by_agent => self.call(at, event, action),
            _ => self.say(at, "user", &event["message"]),
        }
    }

    fn call(&mut self, at: usize, event: &Value, action: &str) {
        let args = &event["args"];
        let known = &event["tool_call_metadata"];
        let event_id = event["id"].to_string();
        let id = match text(&known["tool_call_id"]) {
            "" => format!("event_{event_id}"),
            id => id.to_owned(),
        };
        let reply = &known["model_response"];
        let sent = reply["choices"][0]["message"]["tool_calls"].as_array().into_iter().flatten();
        let sent = sent.into_iter().find(|call| call["id"] == id.as_str());
        let (name, arguments) = match sent.and_then(|call| call["function"]["arguments"].as_str()) {
            Some(arguments) => (text(&known["function_name"]).to_owned(), arguments.to_owned()),
            None => plain_call(action, args, text(&known["function_name"])),
        };
        self.open.insert(event_id, id.clone());
        self.push_call(at, text(&args["thought"]), reply["id"].as_str(), call(&id, &name, &arguments));
    }

    /// Adds a call; calls of one reply of the model become one message.
    fn push_call(&mut self, at: usize, thought: &str, reply: Option<&str>, call: Value) {
        self.calls.insert(text(&call["id"]).to_owned());
        if let (Some(reply), Some((_, last))) = (reply, self.messages.last_mut())
            && self.reply.as_deref() == Some(reply)
            && let Some(calls) = last.get_mut("tool_calls").and_then(Value::as_array_mut)
        {
            calls.push(call);
            return;
        }
        let content = if thought.is_empty() { Value::Null } else { thought.into() };
        self.messages.push((at, json!({"role": "assistant", "content": content, "tool_calls": [call]})));
        self.reply = reply.map(str::to_owned);
    }

    fn observe(&mut self, at: usize, event: &Value) {
        let by_cause = self.open.remove(&event["cause"].to_string());
        let named = event["tool_call_metadata"]["tool_call_id"].as_str().map(str::to_owned);
        let content = match text(&event["content"]) {
            "" => text(&event["message"]),
            content => content,
        };
        let content = with_exit_code(content, &event["extras"]);
        let named = named.filter(|id| self.calls.contains(id));
        match (by_cause.or(named), text(&event["observation"])) {
            (Some(id), _) => self.answer(at, &id, &content.into()),
            (None, "run" | "run_ipython" | "read" | "write" | "edit" | "browse" | "error" | "mcp") => {
                self.say(at, "user", &content.into());
            }
            (None, kind) => self.left.add(kind),
        }
    }

    fn answer(&mut self, at: usize, id: &str, content: &Value) {
        self.messages.push((at, json!({"role": "tool", "tool_call_id": id, "content": content})));
    }

    /// Handles an event of the later SDK.
    fn take_later(&mut self, at: usize, event: &Value) {
        match text(&event["kind"]) {
            "SystemPromptEvent" => self.say(at, "system", &said(&event["system_prompt"]).into()),
            "MessageEvent" => {
                let message = &event["llm_message"];
                let by_agent = message["role"] == "assistant" || event["source"] == "agent";
                let role = if by_agent { "assistant" } else { "user" };
                let images = message["content"].as_array().into_iter().flatten();
                let images: Value = images
                    .filter_map(|part| part["image_urls"].as_array())
                    .flatten()
                    .cloned()
                    .collect::<Vec<_>>()
                    .into();
                self.say(at, role, &with_images(&said(&message["content"]), &images));
            }
            "ActionEvent" => {
                let sent = &event["tool_call"];
                let id =
                    [&event["tool_call_id"], &sent["id"]].into_iter().map(text).find(|id| !id.is_empty());
                let own = format!("event_{}", text(&event["id"]));
                let id = id.unwrap_or(&own);
                let name = [&event["tool_name"], &sent["name"], &sent["function"]["name"]];
                let name = name.into_iter().map(text).find(|name| !name.is_empty()).unwrap_or("tool");
                let arguments = [&sent["arguments"], &sent["function"]["arguments"]];
                let arguments = arguments.into_iter().map(text).find(|arguments| !arguments.is_empty());
                let arguments = arguments.map_or_else(|| event["action"].to_string(), str::to_owned);
                let reply = event["llm_response_id"].as_str();
                self.push_call(at, &said(&event["thought"]), reply, call(id, name, &arguments));
            }
            "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation" => {
                let observed = &event["observation"];
                let places = [
                    &observed["content"], &observed["output"], observed, &event["error"],
                    &event["rejection_reason"],
                ];
                let content = places.into_iter().map(said).find(|said| !said.is_empty()).unwrap_or_default();
                let id = text(&event["tool_call_id"]);
                if self.calls.contains(id) {
                    self.answer(at, id, &content.into());
                } else {
                    self.say(at, "user", &content.into());
                }
            }
            kind => self.left.add(kind),
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The text in a string, in a text block, or in a list of these.
fn said(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().map(said).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        Value::Object(fields) => fields.get("text").map(|inner| text(inner).to_owned()).unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// Converts an action into a call: the tool's name (`name` unless it is empty) and the arguments as JSON text.
fn plain_call(action: &str, args: &Value, name: &str) -> (String, String) {
    let mut own = args.as_object().cloned().unwrap_or_default();
    own.retain(|key, _| !OWN_ARGUMENTS.contains(&key.as_str()));
    let (tool, command) = match action {
        "run" => ("execute_bash", None),
        "run_ipython" => ("execute_ipython_cell", None),
        "read" => ("str_replace_editor", Some("view")),
        "write" => ("str_replace_editor", Some("create")),
        "edit" => ("str_replace_editor", own.is_empty().then_some("view")),
        other => (other, None),
    };
    if action == "write"
        && let Some(content) = own.remove("content")
    {
        own.insert("file_text".to_owned(), content);
    }
    if let Some(command) = command {
        own.insert("command".to_owned(), command.into());
    }
    (if name.is_empty() { tool } else { name }.to_owned(), Value::Object(own).to_string())
}

/// The output of a command with its exit code, which the log has in a separate field, unless the output contains it.
fn with_exit_code(content: &str, extras: &Value) -> String {
    let code = [&extras["exit_code"], &extras["metadata"]["exit_code"]].into_iter().find_map(Value::as_i64);
    match code {
        Some(code) if code >= 0 && !content.contains("exit code") => {
            format!("{content}\n[Command finished with exit code {code}]")
        }
        _ => content.to_owned(),
    }
}

fn with_images(content: &str, urls: &Value) -> Value {
    let images: Vec<&str> = urls.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if images.is_empty() {
        return content.into();
    }
    let image = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
    let parts =
        std::iter::once(json!({"type": "text", "text": content})).chain(images.into_iter().map(image));
    parts.collect()
}
