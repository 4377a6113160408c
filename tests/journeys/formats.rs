//! Messages whose format nobody names are taken as what they are, what a provider would refuse is repaired where it is
//! served, and marks for Anthropic's cache stand where the stable prefix ends.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::app::{Answer, App, COMPRESS, app};
use crate::support::validity;

const PATH: &str = "/v1/sessions/s/messages";
const CONTEXT: &str = "/v1/sessions/s/context";

async fn post(app: &App, messages: &Value) -> Answer {
    app.call("POST", &format!("{PATH}?include=format"), json!({"messages": messages}).to_string()).await
}

async fn append(app: &App, messages: &Value) -> Value {
    post(app, messages).await.with(201).json()
}

async fn context(app: &App, query: &str) -> Value {
    let context = app.call("GET", &format!("{CONTEXT}{query}"), "").await.with(200).json();
    assert_eq!(validity::problems(&context), Vec::<String>::new(), "{context:#}");
    context
}

/// The format that each message was stored in.
async fn stored_formats(app: &App) -> Vec<String> {
    let export = app.call("GET", "/v1/sessions/s/export", "").await.text;
    let lines = export.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.filter_map(|line| Some(line["format"].as_str()?.to_owned())).collect()
}

fn chat() -> Value {
    json!([
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "out"},
    ])
}

fn blocks() -> Value {
    json!([
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "out"}]},
    ])
}

fn items() -> Value {
    json!([
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "zz"},
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "out"},
    ])
}

#[rstest]
#[case::chat("openai-chat", chat())]
#[case::blocks("anthropic", blocks())]
#[case::items("openai-responses", items())]
#[tokio::test]
async fn messages_without_a_format_are_taken_as_what_they_are(#[case] format: &str, #[case] messages: Value) {
    let app = app().await;
    // Nothing tells the format of plain text yet.
    let hello = append(&app, &json!([{"role": "user", "content": "hello"}])).await;
    assert_eq!(hello.get("format"), None, "{hello}");
    let told = append(&app, &messages).await;
    assert_eq!(told["format"], format);
    let count = messages.as_array().expect("a list").len();
    let served = context(&app, "").await;
    assert_eq!(served["format"], format, "a context is of the session's format");
    let all = served["messages"].as_array().expect("a list");
    assert_eq!(all[1..], messages.as_array().expect("a list")[..], "served as what they are");
    // Plain text is of the session's format from here on.
    append(&app, &json!([{"role": "user", "content": "go on"}])).await;
    let mut expected = vec!["openai-chat".to_owned()];
    expected.resize(count + 2, format.to_owned());
    assert_eq!(stored_formats(&app).await, expected);
    for other in ["openai-chat", "anthropic", "openai-responses"] {
        let there = context(&app, &format!("?format={other}")).await;
        assert!(there["messages"].to_string().contains("out"), "{there}");
    }
    // What nobody named is summarised and served as before.
    app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await.good();
    app.work().await;
    assert_eq!(context(&app, "").await["format"], format);
}

#[tokio::test]
async fn what_contradicts_is_refused_with_what_is_meant_and_changes_nothing() {
    let app = app().await;
    append(&app, &json!([{"role": "user", "content": "hello"}])).await;
    let refuse = async |path: &str, body: Value, pointer: &str, hint: &str| {
        let reply = app.call("POST", path, body.to_string()).await;
        let expected = (422, "invalid-request".to_owned(), pointer.to_owned());
        assert_eq!(reply.refusal(), expected, "{path} {body}: {}", reply.text);
        let detail = reply.json()["errors"][0]["detail"].as_str().unwrap_or_default().to_owned();
        assert!(detail.contains(hint), "{detail}");
    };
    let plain = json!({"role": "user", "content": "x"});
    for (meant, messages) in [("openai-chat", chat()), ("anthropic", blocks()), ("openai-responses", items())]
    {
        let last = messages.as_array().expect("a list").last().expect("a message").clone();
        for stated in ["openai-chat", "anthropic", "openai-responses"].into_iter().filter(|s| *s != meant) {
            let body = json!({"format": stated, "messages": [plain, last]});
            let hint = format!("did you mean \"format\": \"{meant}\"?");
            for path in [PATH, "/v1/compress", "/v1/tokens"] {
                refuse(path, body.clone(), "/messages/1", &hint).await;
            }
            let line = json!({"kind": "message", "seq": 2, "format": stated, "message": last});
            let sent = [("content-type", "application/x-ndjson")];
            let import = app.call_with("POST", "/v1/sessions/s/import", line.to_string(), &sent).await;
            assert_eq!(import.refusal().0, 422, "{}", import.text);
            assert_eq!(import.refusal().2, "/0/message");
            assert!(import.text.contains("did you mean"), "{}", import.text);
        }
    }
    let mixed = json!([chat()[0], chat()[1], plain, blocks()[0]]);
    for path in [PATH, "/v1/compress", "/v1/tokens"] {
        refuse(
            path,
            json!({"messages": mixed}),
            "/messages/3",
            "but message 0 has `tool_calls` (openai-chat)",
        )
        .await;
    }
    assert_eq!(stored_formats(&app).await, ["openai-chat"]);
    // What no format defines is content as any other.
    let unknown = json!({"role": "user", "content": [{"type": "hologram", "beam": [1]}], "mood": "fine"});
    for stated in ["openai-chat", "anthropic", "openai-responses"] {
        let body = json!({"format": stated, "messages": [unknown]});
        assert_eq!(app.call("POST", PATH, body.to_string()).await.status, 201);
    }
}

#[tokio::test]
async fn calls_without_a_session_and_imports_recognise_formats_too() {
    let app = app().await;
    for (format, messages) in
        [("openai-chat", chat()), ("anthropic", blocks()), ("openai-responses", items())]
    {
        for path in ["/v1/compress", "/v1/tokens"] {
            let reply = app.call("POST", path, json!({"messages": messages}).to_string()).await;
            assert_eq!(
                (reply.status.as_u16(), &reply.json()["format"]),
                (200, &json!(format)),
                "{}",
                reply.text
            );
        }
        let messages = messages.as_array().expect("a list");
        let mut lines: Vec<String> = (1..)
            .zip(messages)
            .map(|(seq, message)| json!({"kind": "message", "seq": seq, "message": message}).to_string())
            .collect();
        lines.push(json!({"kind": "end", "messages": messages.len()}).to_string());
        let sent = [("content-type", "application/x-ndjson")];
        let path = format!("/v1/sessions/{format}/import");
        app.call_with("POST", &path, lines.join("\n"), &sent).await.with(201);
        let served = app.call("GET", &format!("/v1/sessions/{format}/context"), "").await.json();
        assert_eq!(served["format"], format);
        assert_eq!(validity::problems(&served), Vec::<String>::new(), "{served}");
    }
}

#[tokio::test]
async fn arguments_of_another_type_come_back_as_they_were_sent_and_are_served_as_a_provider_takes_them() {
    let app = app().await;
    let sent = [
        r#"{"role":"assistant", "content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":{"path": "x", "n":1}}}]}"#,
        r#"{"role":"tool","tool_call_id":"a","content":"out"}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"b","name":"f","input":"{\"path\": \"x\"}"}]}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"out"}]}"#,
        r#"{"type":"function_call","call_id":"c","name":"f","arguments":{"path":"x"}}"#,
        r#"{"type":"function_call_output","call_id":"c","output":"out"}"#,
    ];
    for batch in sent.chunks(2) {
        app.call("POST", PATH, format!(r#"{{"messages":[{}]}}"#, batch.join(","))).await.with(201);
    }
    let originals = app.call("GET", PATH, "").await.text;
    for message in sent {
        assert!(originals.contains(message), "{message} in {originals}");
    }
    for format in ["openai-chat", "anthropic", "openai-responses"] {
        let served = context(&app, &format!("?format={format}")).await["messages"].to_string();
        assert_eq!(served.matches("path").count(), 3, "{served}");
    }
}

#[tokio::test]
async fn marks_are_asked_for_and_only_where_a_format_has_them() {
    let app = app().await;
    let mark = json!({"type": "ephemeral"});
    append(
        &app,
        &json!([
            {"role": "system", "content": [{"type": "text", "text": "Be brief.", "cache_control": mark}]},
            {"role": "user", "content": [{"type": "text", "text": "hello", "cache_control": mark}]},
        ]),
    )
    .await;
    let plain = app.call("GET", CONTEXT, "").await;
    assert_eq!(plain.json()["format"], "anthropic", "marks suggest it");
    assert!(!plain.text.contains("cache_control"), "{}", plain.text);
    assert!(
        app.call("GET", PATH, "").await.text.contains("cache_control"),
        "originals are as they were sent"
    );
    let mut tags = vec![plain.headers["etag"].clone()];
    for ttl in ["5m", "1h"] {
        let reply = app.call("GET", &format!("{CONTEXT}?cache_control={ttl}"), "").await;
        let marked = context(&app, &format!("?cache_control={ttl}")).await;
        assert_eq!(marked["system"][0]["text"], "Be brief.");
        assert_eq!(marked["system"][0]["cache_control"]["type"], "ephemeral");
        assert_eq!(marked["tokens"], plain.json()["tokens"]);
        assert_eq!(marked["stable_prefix"], plain.json()["stable_prefix"]);
        tags.push(reply.headers["etag"].clone());
    }
    tags.dedup();
    assert_eq!(tags.len(), 3, "each has a tag of its own");
    for format in ["openai-chat", "openai-responses"] {
        let refused = app.call("GET", &format!("{CONTEXT}?cache_control=5m&format={format}"), "").await;
        refused.refused_at(422, "/cache_control");
    }
    let odd = app.call("GET", &format!("{CONTEXT}?cache_control=2h"), "").await;
    assert_eq!(odd.refusal().0, 422, "{}", odd.text);
    // A session without a format so far has one as soon as marks are asked for.
    app.call(
        "POST",
        "/v1/sessions/t/messages",
        json!({"messages": [{"role": "user", "content": "hi"}]}).to_string(),
    )
    .await;
    let other = app.call("GET", "/v1/sessions/t/context?cache_control=5m", "").await;
    assert_eq!(other.json()["format"], "anthropic", "{}", other.text);
}

/// Sets a mark on the last block of a message, as an agent does with its newest one.
fn marked(mut message: Value) -> Value {
    if let Some(text) = message["content"].as_str().map(str::to_owned) {
        message["content"] = json!([{"type": "text", "text": text}]);
    }
    if let Some(last) = message["content"].as_array_mut().and_then(|blocks| blocks.last_mut()) {
        last["cache_control"] = json!({"type": "ephemeral"});
    }
    message
}

#[tokio::test]
async fn an_agent_that_marks_every_turn_and_names_no_format_gets_valid_contexts_over_sixty_turns() {
    let app = app().await;
    assert_eq!(app.call("PUT", "/v1/sessions/s", r#"{"context_window": 16000}"#).await.status, 201);
    append(
        &app,
        &json!([
            marked(json!({"role": "system", "content": "You are a coding agent. Never push to main."})),
            marked(json!({"role": "user", "content": "Read every part of src and fix what fails."})),
        ]),
    )
    .await;
    let (mut versions, mut prefixes) = (Vec::new(), std::collections::BTreeMap::new());
    for turn in 0..60 {
        let uses: Vec<Value> = (0..=turn % 3)
            .map(|i| json!({"type": "tool_use", "id": format!("toolu_{turn}_{i}"), "name": "read_file", "input": {"path": format!("src/part{turn}_{i}.rs")}}))
            .collect();
        let results: Vec<Value> = uses
            .iter()
            .map(|call| json!({"type": "tool_result", "tool_use_id": call["id"], "content": format!("fn part_{turn}() {{ let value = {turn}; }}\n").repeat(25)}))
            .collect();
        let mut said = vec![json!({"type": "text", "text": format!("I read part {turn}.")})];
        said.extend(uses.clone());
        append(&app, &json!([{"role": "assistant", "content": said}])).await;
        // While its calls wait, the context is valid too.
        let waiting = context(&app, "?cache_control=5m").await;
        assert_eq!(waiting["pending_tool_calls"].as_array().map(Vec::len), Some(uses.len()));
        append(&app, &json!([marked(json!({"role": "user", "content": results}))])).await;
        if turn % 10 == 9 {
            append(&app, &json!([{"role": "assistant", "content": "Done with these."}, marked(json!({"role": "user", "content": format!("Go on after {turn}.")}))])).await;
        }
        app.work().await;
        for query in ["", "?cache_control=5m", "?cache_control=1h"] {
            let served = context(&app, query).await;
            assert_eq!(served["format"], "anthropic");
            assert_eq!(served["pending_tool_calls"], json!([]), "every call is paired");
            let marks = served["system"].to_string().matches("cache_control").count()
                + served["messages"].to_string().matches("cache_control").count();
            let has_summary = !served["summary_version"].is_null();
            let expected = if query.is_empty() { 0 } else { 1 + usize::from(has_summary) };
            assert_eq!(marks, expected, "{query} at turn {turn}: {served:#}");
            if query == "?cache_control=5m" && has_summary {
                versions.push(served["summary_version"].clone());
                // The same prefix has the same bytes, marks included.
                let first = served["messages"][0]["content"].as_array().expect("blocks");
                let end =
                    first.iter().position(|block| block.get("cache_control").is_some()).expect("a mark");
                let bytes = (served["system"].to_string(), json!(first[..=end]).to_string());
                let hash = served["stable_prefix"]["sha256"].to_string();
                assert_eq!(prefixes.entry(hash).or_insert_with(|| bytes.clone()), &bytes);
            }
        }
    }
    versions.dedup();
    assert!(versions.len() >= 3, "it was summarised again and again: {versions:?}");
    assert!(prefixes.len() < 30, "prefixes stay between versions: {}", prefixes.len());
}
