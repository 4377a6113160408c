//! The examples of the OpenAPI document: replies that this journey gets, each of which has the shape that the document
//! declares. `just openapi-examples` records them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anchord_llm::{Client, Options, Provider};
use serde_json::{Map, Value, json};

use crate::support::app::{App, OPERATOR, app_with_model};
use crate::support::provider::{Act, FakeProvider};

/// With it the journey writes the examples.
const RECORD: &str = "ANCHORD_EXAMPLES_RECORD";
/// Lists and texts of examples are cut to this.
const MOST_ITEMS: usize = 2;
const MOST_CHARS: usize = 400;

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/examples.json")
}

#[expect(
    clippy::disallowed_methods,
    reason = "who runs the tests asks for it, and no configuration of the service does"
)]
fn records() -> bool {
    std::env::var_os(RECORD).is_some()
}

/// Examples by operation and status.
type Examples = BTreeMap<String, BTreeMap<String, Value>>;

/// Method, path and declaration of the operations, by name.
fn operations(document: &Value) -> BTreeMap<String, (String, String, Value)> {
    let mut found = BTreeMap::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("a path") {
            let id = operation["operationId"].as_str().expect("an operationId").to_owned();
            found.insert(id, (method.to_uppercase(), path.clone(), operation.clone()));
        }
    }
    found
}

/// The schemas of an operation's successful JSON replies, by status.
fn replies(operation: &Value) -> BTreeMap<String, Value> {
    let declared = operation["responses"].as_object().expect("replies");
    let successful = declared.iter().filter(|(status, _)| status.starts_with('2'));
    successful
        .filter_map(|(status, reply)| {
            Some((status.clone(), reply.pointer("/content/application~1json/schema")?.clone()))
        })
        .collect()
}

/// Closes every object whose fields are listed, so that a field that only a reply has is a fault.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            let kind = &fields.get("type").cloned().unwrap_or_default();
            let is_object =
                kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("object")));
            if is_object && fields.contains_key("properties") {
                fields.entry("additionalProperties").or_insert_with(|| false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What is wrong with a value of a schema of the document: also fields that the schema has not, and times without
/// milliseconds.
pub fn faults(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut whole = json!({"allOf": [schema], "components": document["components"]});
    close(&mut whole);
    let validator = jsonschema::draft202012::new(&whole).expect("a schema");
    let mut faults: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    imprecise(value, &mut faults);
    faults
}

/// Finds times of another precision than milliseconds, in UTC.
fn imprecise(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.values().for_each(|inner| imprecise(inner, found)),
        Value::Array(items) => items.iter().for_each(|inner| imprecise(inner, found)),
        Value::String(text) => {
            let is_time =
                text.len() > 18 && text.len() < 40 && text.parse::<chrono::DateTime<chrono::Utc>>().is_ok();
            if is_time && !(text.len() == 24 && text.ends_with('Z') && text.as_bytes().get(19) == Some(&b'.'))
            {
                found.push(format!("{text} is a time without milliseconds"));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Cuts lists and texts, and replaces secrets.
fn shorten(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                match (name.as_str(), inner.as_str()) {
                    ("key", Some(key)) if key.starts_with("ak_") => *inner = "ak_shown-once".into(),
                    ("secret", Some(_)) => *inner = "whsec_c2hvd24tb25jZQ==".into(),
                    _ => shorten(inner),
                }
            }
        }
        Value::Array(items) => {
            items.truncate(MOST_ITEMS);
            items.iter_mut().for_each(shorten);
        }
        Value::String(text) if text.chars().count() > MOST_CHARS => {
            *text = text.chars().take(MOST_CHARS).chain(['…']).collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Calls operations by name and keeps their replies.
struct Caller {
    app: App,
    document: Value,
    operations: BTreeMap<String, (String, String, Value)>,
    examples: Examples,
    faults: Vec<String>,
}

impl Caller {
    async fn call(&mut self, id: &str, path: Value, body: Value) -> Value {
        self.call_with(id, path, body, &[]).await
    }

    /// Calls an operation; `path` has the parameters of its path, and `?` its query.
    async fn call_with(&mut self, id: &str, path: Value, body: Value, headers: &[(&str, &str)]) -> Value {
        let (method, template, operation) = self.operations[id].clone();
        let mut url = template.clone();
        for (name, value) in path.as_object().expect("parameters") {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            url = if name == "?" {
                format!("{url}?{text}")
            } else {
                url.replace(&format!("{{{name}}}"), &text)
            };
        }
        let token = format!("Bearer {OPERATOR}");
        let mut headers = headers.to_vec();
        if template.starts_with("/v1/admin") {
            headers.push(("authorization", &token));
        }
        let body = match body {
            Value::Null => String::new(),
            Value::String(lines) => lines,
            body @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                body.to_string()
            }
        };
        let reply = self.app.call_with(&method, &url, body, &headers).await;
        assert!(reply.status.is_success(), "{id} {url}: {} {}", reply.status, reply.text);
        let status = reply.status.as_str().to_owned();
        let declared = replies(&operation);
        let mut value = reply.json();
        if let Some(schema) = declared.get(&status) {
            for fault in faults(&self.document, schema, &value) {
                self.faults.push(format!("{id} {status}: {fault}"));
            }
            let whole = value.clone();
            shorten(&mut value);
            self.examples.entry(id.to_owned()).or_default().entry(status).or_insert(value);
            whole
        } else {
            value
        }
    }

    /// Compresses and gives what came of it.
    async fn compress(&mut self, session: &str, request: Value) -> Value {
        let path = json!({"session_id": session});
        let queued = self.call("compressions.create", path, request).await;
        self.app.work().await;
        let path = json!({"session_id": session, "compression_id": queued["id"]});
        self.call("compressions.get", path, Value::Null).await
    }
}

/// A session's work: a rule, files, a long output, an error, a failing test, a choice.
fn work(name: &str) -> Vec<Value> {
    let mut messages = vec![
        json!({"role": "system", "content": "You are a coding agent."}),
        json!({"role": "user", "content": format!("Port {name} to the new tables. You must never touch vendor/.")}),
        json!({"role": "assistant", "content": "I decided to keep it table driven because that is simpler to test."}),
    ];
    for step in 0..12 {
        let arguments = json!({"command": format!("cargo test --test step_{step}")}).to_string();
        let function = json!({"name": "bash", "arguments": arguments});
        let id = format!("call_{name}_{step}");
        messages.push(json!({"role": "assistant", "content": format!("Step {step} of {name}."),
                             "tool_calls": [{"id": id, "type": "function", "function": function}]}));
        let output = format!(
            "{}error[E0308]: mismatched types\n --> src/{name}_{step}.rs:3:5\ntest result: FAILED. 3 passed; 1 failed",
            "running the tests of this crate one by one\n".repeat(60)
        );
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": output}));
    }
    messages.push(json!({"role": "assistant", "content": "Next, I will fix the mismatched types."}));
    messages
}

async fn caller(fake: &FakeProvider) -> Caller {
    let options = Options {
        base_url: Some(format!("{}/v1", fake.url)),
        api_key: Some("sk-test-key-of-the-operator".to_owned().into()),
        ..Options::new(Provider::Openai, "small".to_owned())
    };
    let app = app_with_model(Client::new(options).expect("a client")).await;
    let document = anchord_http::openapi();
    let operations = operations(&document);
    Caller { app, document, operations, examples: Examples::new(), faults: Vec::new() }
}

async fn sessions(caller: &mut Caller) {
    let s = json!({"session_id": "planner"});
    let settings =
        json!({"context_window": 20_000, "auto": false, "task_id": "shop", "metadata": {"team": "web"}});
    caller.call("sessions.put", s.clone(), settings.clone()).await;
    caller.call("sessions.put", s.clone(), settings).await;
    caller.call("sessions.update", s.clone(), json!({"phase": "implementation"})).await;
    caller.call("messages.append", s.clone(), json!({"messages": work("parser")})).await;
    caller.call("messages.list", s.clone(), Value::Null).await;
    caller.call("pins.replace", s.clone(), json!({"pins": [{"text": "Answer in English."}]})).await;
    caller.call("pins.add", s.clone(), json!({"text": "Never push to main."})).await;
    caller.call("pins.list", s.clone(), Value::Null).await;
    caller
        .call("pins.replace_shared", json!({}), json!({"pins": [{"text": "No deploys on a Friday."}]}))
        .await;
    caller.call("pins.add_shared", json!({}), json!({"text": "Use tabs."})).await;
    caller.call("pins.list_shared", json!({}), Value::Null).await;
    let todos = json!({"todos": [{"content": "Fix the types", "status": "in_progress"}]});
    caller.call("todos.replace", s.clone(), todos).await;
    caller.call("todos.list", s.clone(), Value::Null).await;
    let probe = json!({"kind": "recall", "question": "Which folder stays?", "expected": ["vendor/"],
                       "match": {"kind": "ratio", "ratio": 0.5}});
    let made = caller.call("probes.create", s.clone(), probe).await;
    let path = json!({"session_id": "planner", "probe_id": made["id"]});
    caller.call("probes.update", path, json!({"expected": ["vendor/"], "match": null})).await;
    caller.call("settings.put", json!({}), json!({"min_messages": 8})).await;
    caller.call("settings.update", json!({}), json!({"preserve_recent": 4})).await;
    caller.call("settings.get", json!({}), Value::Null).await;
    caller.call("sessions.list", json!({}), Value::Null).await;
}

async fn summaries(caller: &mut Caller) {
    let s = json!({"session_id": "planner"});
    let first = caller.compress("planner", json!({"target": 0.3, "engine": "extractive"})).await;
    assert_eq!(first["status"], "succeeded", "{first}");
    caller.call("compressions.create", s.clone(), json!({})).await;
    caller.call("compressions.list", s.clone(), Value::Null).await;
    caller.call("messages.append", s.clone(), json!({"messages": work("lexer")})).await;
    let worded = caller.compress("planner", json!({"target": 0.3, "engine": "llm"})).await;
    let path = json!({"session_id": "planner", "compression_id": worded["id"]});
    caller.call("compressions.list_model_calls", path, Value::Null).await;
    caller.call("messages.append", s.clone(), json!({"messages": work("printer")})).await;
    let queued = caller.call("compressions.create", s.clone(), json!({"target": 0.2})).await;
    let path = json!({"session_id": "planner", "compression_id": queued["id"]});
    caller.call("compressions.cancel", path, Value::Null).await;

    caller.call("summaries.get_current", s.clone(), Value::Null).await;
    caller.call("summaries.list", s.clone(), Value::Null).await;
    caller.call("summaries.get", json!({"session_id": "planner", "version": 1}), Value::Null).await;
    caller.call("summaries.diff", json!({"session_id": "planner", "version": 2}), Value::Null).await;
    caller.call("summaries.rollback", json!({"session_id": "planner", "version": 1}), Value::Null).await;
    caller.call("sessions.get_state", s.clone(), Value::Null).await;
    caller.call("sessions.get_handoff", s.clone(), Value::Null).await;
    caller.call("tasks.get_handoff", json!({"task_id": "shop"}), Value::Null).await;
    caller.call("probes.list", s.clone(), Value::Null).await;
    let queued = caller.call("evaluations.create", s.clone(), Value::Null).await;
    caller.app.work().await;
    let listed = caller.call("evaluations.list", s.clone(), Value::Null).await;
    let path = json!({"session_id": "planner", "evaluation_id": listed["items"][0]["id"]});
    caller.call("evaluations.get", path, Value::Null).await;
    assert!(queued["id"].is_string());
    for kind in ["file", "command", "test_run", "error", "identifier", "constraint"] {
        caller
            .call("ledger.list", json!({"session_id": "planner", "?": format!("kind={kind}")}), Value::Null)
            .await;
    }
    caller.call("recall.search", json!({"session_id": "planner", "?": "q=step_7"}), Value::Null).await;
    caller.call("recall.search_sessions", json!({"?": "q=step_7&task_id=shop"}), Value::Null).await;
}

async fn contexts(caller: &mut Caller) {
    let s = json!({"session_id": "planner"});
    let context = caller.call("context.get", s.clone(), Value::Null).await;
    caller.app.store.flush_served().await.expect("a database that answers");
    caller.call("context.list_served", s.clone(), Value::Null).await;
    let masked = context["masked"][0]["ref"].as_str().expect("a masked output").to_owned();
    caller
        .call(
            "tool_outputs.get",
            json!({"session_id": "planner", "ref": masked, "?": "to_line=3"}),
            Value::Null,
        )
        .await;
    caller.call("tools.list", json!({"?": "format=anthropic"}), Value::Null).await;
    let tool = |name: &str| json!({"session_id": "planner", "tool": name});
    let arguments = json!({"arguments": json!({"query": "step_7"}).to_string()});
    caller.call("tools.run", tool("search_past"), arguments).await;
    let note = json!({"arguments": {"text": "step_7 fails on the types of the new tables."}});
    caller.call("tools.run", tool("note"), note).await;
    caller.call("notes.list", s.clone(), Value::Null).await;
    let used = json!({"input_tokens": context["tokens"]["total"], "output_tokens": 120});
    caller.call("usage.report", s.clone(), used).await;
    caller.call("usage.get", json!({}), Value::Null).await;
    caller.call("usage.get_quotas", json!({}), Value::Null).await;
    caller.call("tasks.put", json!({"task_id": "shop"}), json!({"status": "completed"})).await;
    caller.call("tasks.get", json!({"task_id": "shop"}), Value::Null).await;
    caller.call("sessions.get", s.clone(), Value::Null).await;

    let child = json!({"session_id": "coder"});
    let settings =
        json!({"context_window": 20_000, "auto": false, "task_id": "shop", "parent_session_id": "planner"});
    caller.call("sessions.put", child.clone(), settings).await;
    caller.call("messages.append", child.clone(), json!({"messages": work("cart")})).await;
    caller.compress("coder", json!({"target": 0.3, "engine": "extractive"})).await;
    let lines = caller.app.call("GET", "/v1/sessions/planner/export", "").await.text;
    let kind = [("content-type", "application/x-ndjson")];
    caller.call_with("sessions.import", json!({"session_id": "copy"}), lines.into(), &kind).await;
}

async fn stateless(caller: &mut Caller) {
    caller.call("stateless.count_tokens", json!({}), json!({"text": "hello"})).await;
    let file = json!({"name": "a.md", "content": "# A\nfinding\n"});
    caller.call("stateless.preaggregate", json!({}), json!({"files": [file]})).await;
    let request = json!({"messages": work("parser"), "target_tokens": 2_000});
    caller.call("stateless.compress", json!({}), request.clone()).await;
    let mut by_model = request;
    by_model["engine"] = "llm".into();
    let queued = caller.call("stateless.compress", json!({}), by_model).await;
    let path = json!({"compression_id": queued["id"]});
    caller.call("stateless.get_compressed", path.clone(), Value::Null).await;
    caller.app.work().await;
    caller.call("stateless.get_compressed", path, Value::Null).await;
}

async fn tenant(caller: &mut Caller) {
    let model = json!({"name": "house-1"});
    let figures = json!({"context_window": 32_768, "max_output_tokens": 4_096, "tokenizer": "cl100k_base"});
    caller.call("models.put", model.clone(), figures.clone()).await;
    caller.call("models.put", model.clone(), figures).await;
    caller.call("models.get", model, Value::Null).await;
    caller.call("models.list", json!({}), Value::Null).await;
    let made = caller.call("keys.create", json!({}), json!({"scopes": ["read"], "name": "dashboard"})).await;
    caller.call("keys.list", json!({}), Value::Null).await;
    caller.call("keys.get_current", json!({}), Value::Null).await;
    caller.call("keys.rotate", json!({"key_id": made["id"]}), json!({"overlap_seconds": 60})).await;
    let made =
        caller.call("webhooks.create", json!({}), json!({"url": "https://hooks.example.com/anchord"})).await;
    let path = json!({"webhook_id": made["webhook"]["id"]});
    caller.call("webhooks.list", json!({}), Value::Null).await;
    caller.call("webhooks.get", path.clone(), Value::Null).await;
    caller.call("webhooks.update", path.clone(), json!({"events": ["summary.published"]})).await;
    caller.call("webhooks.rotate_secret", path.clone(), json!({"overlap_seconds": 60})).await;
    let sent = caller.call("webhooks.test", path.clone(), Value::Null).await;
    caller.call("webhooks.list_deliveries", path.clone(), Value::Null).await;
    let delivery = json!({"webhook_id": path["webhook_id"], "delivery_id": sent["id"]});
    caller.call("webhooks.get_delivery", delivery.clone(), Value::Null).await;
    caller.call("webhooks.redeliver", delivery, Value::Null).await;
    caller.call("audit.list", json!({}), Value::Null).await;
    caller.call("health.live", json!({}), Value::Null).await;
    caller.call("health.ready", json!({}), Value::Null).await;
}

async fn operator(caller: &mut Caller) {
    let made = caller.call("tenants.create", json!({}), json!({"name": "acme"})).await;
    let tenant = json!({"tenant_id": made["id"]});
    caller.call("tenants.list", json!({}), Value::Null).await;
    caller.call("tenants.get", tenant.clone(), Value::Null).await;
    caller
        .call(
            "tenants.update",
            tenant.clone(),
            json!({"status": "active", "quotas": {"messages_per_day": 100_000}, "retention_days": 90}),
        )
        .await;
    caller.call("tenants.put_settings", tenant.clone(), json!({"min_messages": 8})).await;
    caller.call("tenants.update_settings", tenant.clone(), json!({"preserve_recent": 4})).await;
    let settings = caller.call("tenants.get_settings", tenant.clone(), Value::Null).await;
    assert_eq!(settings["settings"], json!({"min_messages": 8, "preserve_recent": 4}));
    let key = caller.call("tenants.create_key", tenant.clone(), json!({"scopes": ["read", "write"]})).await;
    caller.call("tenants.list_keys", tenant.clone(), Value::Null).await;
    let path = json!({"tenant_id": made["id"], "key_id": key["id"]});
    caller.call("tenants.rotate_key", path, json!({"overlap_seconds": 60})).await;
    caller.call("audit.list_all", json!({}), Value::Null).await;
}

async fn transcript(caller: &mut Caller) {
    let s = json!({"session_id": "assistant"});
    let list = json!([
        {"role": "system", "content": "You are a coding agent."},
        {"role": "user", "content": "Rename the option --quiet to --silent."},
    ]);
    caller.call("transcript.sync", s, json!({"model": "gpt-4o", "messages": list})).await;
}

async fn branches(caller: &mut Caller) {
    let s = json!({"session_id": "planner"});
    caller.call("branches.create", s.clone(), json!({"name": "retry-2", "seq": 4})).await;
    caller.call("branches.list", s.clone(), Value::Null).await;
    let path = json!({"session_id": "planner", "branch": "retry-2"});
    caller.call("branches.get", path.clone(), Value::Null).await;
    caller.call("branches.truncate", s.clone(), json!({"seq": 2})).await;
    caller.call("branches.switch", s.clone(), json!({"name": "main"})).await;
    caller.call("branches.delete", path, Value::Null).await;
}

#[tokio::test]
async fn every_reply_has_the_shape_that_the_document_declares() {
    let fake = FakeProvider::start([Act::Good]).await;
    let mut caller = caller(&fake).await;
    sessions(&mut caller).await;
    summaries(&mut caller).await;
    contexts(&mut caller).await;
    branches(&mut caller).await;
    transcript(&mut caller).await;
    stateless(&mut caller).await;
    tenant(&mut caller).await;
    operator(&mut caller).await;
    assert_eq!(caller.faults, [""; 0]);
    let silent: Vec<&String> = caller
        .operations
        .iter()
        .filter(|(id, (_, _, operation))| {
            !replies(operation).is_empty() && !caller.examples.contains_key(*id)
        })
        .map(|(id, _)| id)
        .collect();
    assert!(silent.is_empty(), "not called here: {silent:?}");
    if records() {
        let text = serde_json::to_string_pretty(&caller.examples).expect("JSON");
        fs::write(file(), text + "\n").expect("a file");
    }
}

#[test]
fn every_successful_json_reply_has_an_example_of_its_shape() {
    let document = anchord_http::openapi();
    let mut shown = 0;
    for (id, (_, _, operation)) in operations(&document) {
        let replies = replies(&operation);
        let mut examples = 0;
        for (status, schema) in &replies {
            let place = format!("/responses/{status}/content/application~1json/example");
            let Some(example) = operation.pointer(&place) else { continue };
            assert_eq!(faults(&document, schema, example), [""; 0], "{id} {status}");
            examples += 1;
        }
        assert!(examples > 0 || replies.is_empty(), "{id} has no example: just openapi-examples");
        shown += examples;
    }
    assert!(shown > 80, "{shown}");
    let stored: Map<String, Value> =
        serde_json::from_str(&fs::read_to_string(file()).expect("a file")).expect("JSON");
    let known = operations(&document);
    assert!(
        stored.keys().all(|id| known.contains_key(id)),
        "an example of no operation: just openapi-examples"
    );
}

/// The examples of requests and schemas are what their schemas say, too.
#[test]
fn every_example_of_a_schema_has_its_shape() {
    let document = anchord_http::openapi();
    let mut shown = 0;
    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        for example in schema["examples"].as_array().into_iter().flatten() {
            assert_eq!(faults(&document, schema, example), [""; 0], "{name}");
            shown += 1;
        }
    }
    assert!(shown > 15, "{shown}");
}
