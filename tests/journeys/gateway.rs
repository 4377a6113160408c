//! The gateway: what agents send passes as it came and is kept, compactions are answered, and no key goes where it must not.

mod agents;
mod refusals;
mod streams;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anchord_gateway::Config;
use anchord_store::secrets::SecretKeys;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use http_body_util::BodyExt as _;
use secrecy::SecretString;
use serde_json::{Value, json};
use sqlx::Row as _;
use tokio_util::task::TaskTracker;

use crate::support::app::{Answer, App, OPERATOR, OURS, THEIRS, app};
use crate::support::service::{Client, Service, anchord, data_folder};

/// The key that an agent has for its provider.
const PROVIDERS: &str = "Bearer sk-provider-secret";
const MESSAGES: &str = "/gateway/anthropic/v1/messages?beta=true";
const CHAT: &str = "/gateway/openai/v1/chat/completions";
const ITEMS: &str = "/gateway/openai/v1/responses";
/// The key that seals items.
const SECRETS_KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
/// Words of Claude Code's request for a compaction.
const SUMMARISE: &str = "Your task is to create a detailed summary of the conversation. Answer in <summary>.";

/// A request as the provider got it.
#[derive(Clone, Debug)]
struct Got {
    method: String,
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

/// A provider that answers what it is told to, in turn.
#[derive(Clone, Default)]
struct Provider {
    base: String,
    got: Arc<Mutex<Vec<Got>>>,
    answers: Arc<Mutex<VecDeque<Response>>>,
}

impl Provider {
    async fn start() -> (Self, String) {
        let provider = Self::default();
        let shared = provider.clone();
        let answer = move |request: Request| {
            let shared = shared.clone();
            async move {
                let (parts, body) = request.into_parts();
                let body = body.collect().await.expect("a body").to_bytes();
                let path = parts.uri.to_string();
                let got = Got { method: parts.method.to_string(), path, headers: parts.headers, body };
                shared.got.lock().expect("no panic").push(got);
                let next = shared.answers.lock().expect("no panic").pop_front();
                next.unwrap_or_else(|| Response::new(Body::from("{}")))
            }
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        TaskTracker::new().spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
        let base = format!("http://{address}/base");
        (Self { base: base.clone(), ..provider }, base)
    }

    fn will_answer(&self, status: u16, kind: &str, body: impl Into<Body>) {
        let mut answer = Response::new(body.into());
        *answer.status_mut() = StatusCode::from_u16(status).expect("a status");
        answer.headers_mut().insert("content-type", kind.parse().expect("a type"));
        answer.headers_mut().insert("request-id", "req_1".parse().expect("a text"));
        self.answers.lock().expect("no panic").push_back(answer);
    }

    /// Will stream an answer of Anthropic's with one text.
    fn will_say(&self, text: &str) {
        let start =
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
        let delta =
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
        let stop = json!({"type": "content_block_stop", "index": 0});
        let events =
            [start, delta, stop, json!({"type": "message_stop"})].map(|event| format!("data: {event}\n\n"));
        self.will_answer(200, "text/event-stream", events.concat());
    }

    fn got(&self) -> Vec<Got> {
        self.got.lock().expect("no panic").clone()
    }
}

/// A gateway to a provider.
fn config(base: &str) -> Config {
    let base = Some(base.parse().expect("a URL"));
    let secrets = SecretKeys::parse(&SecretString::from(SECRETS_KEY)).expect("a key");
    Config { anthropic: base.clone(), openai: base, secrets, ..Config::default() }
}

/// Who writes the summaries that answer compactions.
#[derive(PartialEq)]
enum Answers {
    Model,
    Code,
}

/// An API with a gateway to a provider.
async fn gateway(answers: Answers) -> (App, Provider) {
    let (provider, base) = Provider::start().await;
    let mut app = app().await;
    app.put_gateway(Config { answers_by_code: answers == Answers::Code, ..config(&base) });
    (app, provider)
}

/// Sends what an agent sends, as the holder of an anchord key.
async fn send(app: &App, key: &str, path: &str, body: &str, headers: &[(&str, &str)]) -> Answer {
    let length = body.len().to_string();
    let own = [("x-anchord-key", key), ("authorization", PROVIDERS), ("content-length", &length)];
    app.call_with("POST", path, body.to_owned(), &[&own, headers].concat()).await
}

/// The messages of a session, once there are so many.
async fn stored(app: &App, session: &str, count: usize) -> Vec<Value> {
    let path = format!("/v1/sessions/{session}/messages?limit=1000");
    for _ in 0..1200 {
        let page = app.call("GET", &path, "").await.json();
        let items = page["items"].as_array().cloned().unwrap_or_default();
        if items.len() >= count {
            return items.into_iter().map(|item| item["message"].clone()).collect();
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("{session} has no {count} messages: {}", app.call("GET", &path, "").await.text);
}

async fn branches(app: &App, session: &str) -> usize {
    let page = app.call("GET", &format!("/v1/sessions/{session}/branches"), "").await.good().json();
    page["items"].as_array().map_or(0, Vec::len)
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]})
}

fn said(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}]})
}

/// The texts of a streamed answer of Anthropic's.
fn streamed(answer: &Answer) -> String {
    let data = answer.text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|data| {
        Some(serde_json::from_str::<Value>(data).ok()?["delta"]["text"].as_str()?.to_owned())
    })
    .collect()
}

#[tokio::test]
async fn a_request_and_its_answer_pass_byte_for_byte_and_are_kept() {
    let (app, provider) = gateway(Answers::Model).await;
    provider.will_say("Größe: 7");
    let body = r#"{ "model":"claude-x", "system" : "You are…", "messages":[{"role":"user","content":"hé\u00e9", "n":12345678901234567890123}],"stream":true }"#;
    let headers = [("x-claude-code-session-id", "c1"), ("anthropic-beta", "a,b"), ("user-agent", "agent/1")];
    let answer = send(&app, OURS, MESSAGES, body, &headers).await.with(200);
    assert_eq!(answer.headers["request-id"], "req_1");
    assert_eq!(answer.headers["x-anchord-session"], "c1");
    assert!(answer.text.contains("Größe: 7") && answer.text.ends_with("{\"type\":\"message_stop\"}\n\n"));
    let [got] = &provider.got()[..] else { panic!("one request") };
    assert_eq!((got.method.as_str(), got.path.as_str()), ("POST", "/base/v1/messages?beta=true"));
    assert_eq!(got.body, body);
    assert_eq!(
        (&got.headers["authorization"], &got.headers["anthropic-beta"]),
        (&PROVIDERS.parse().unwrap(), &"a,b".parse().unwrap())
    );
    assert_eq!(got.headers["user-agent"], "agent/1");
    let ours = got
        .headers
        .iter()
        .find(|(name, value)| name.as_str().starts_with("x-anchord") || value.as_bytes() == OURS.as_bytes());
    assert_eq!(ours, None, "nothing of ours goes upstream");
    let kept = stored(&app, "c1", 2).await;
    assert_eq!(kept[0]["content"], "héé");
    assert_eq!(kept[1], said("Größe: 7"));

    // The next list has both, and only what is new is stored.
    provider.will_say("8");
    let next = json!({"messages": [{"role": "user", "content": "héé", "n": "N"}, said("Größe: 7"), user("and now?")], "stream": true});
    let next = next.to_string().replace("\"N\"", "12345678901234567890123");
    send(&app, OURS, MESSAGES, &next, &headers).await.with(200);
    assert_eq!(stored(&app, "c1", 4).await.len(), 4);
    assert_eq!(branches(&app, "c1").await, 1);
}

#[tokio::test]
async fn what_the_provider_refuses_comes_back_as_it_is_and_is_not_kept() {
    let (app, provider) = gateway(Answers::Model).await;
    provider.will_answer(
        429,
        "application/json",
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}"#,
    );
    let body = json!({"messages": [user("a")]}).to_string();
    let answer = send(&app, OURS, MESSAGES, &body, &[("x-anchord-session", "s1")]).await.with(429);
    assert_eq!(answer.json()["error"]["message"], "slow");
    provider.will_answer(200, "application/json", "{\"input_tokens\": 1}");
    send(&app, OURS, "/gateway/anthropic/v1/messages/count_tokens", &body, &[("x-anchord-session", "s1")])
        .await
        .with(200);
    provider.will_answer(200, "application/json", "not json");
    send(&app, OURS, MESSAGES, "not json either", &[("x-anchord-session", "s1")]).await.with(200);
    assert_eq!(provider.got()[2].body, "not json either", "what cannot be read passes");
    app.call("GET", "/v1/sessions/s1", "").await.with(404);
}

#[tokio::test]
async fn a_key_is_required_opens_its_own_tenants_sessions_and_may_be_for_the_gateway_alone() {
    let (app, provider) = gateway(Answers::Code).await;
    let body = json!({"messages": [user("whose?")], "stream": true}).to_string();
    let refused =
        app.call_with("POST", MESSAGES, body.clone(), &[("x-api-key", "sk-provider")]).await.with(401);
    assert_eq!(refused.json()["error"]["type"], "authentication_error", "in the provider's shape");
    send(&app, "anchord_unknown-key-00000000000000000000", MESSAGES, &body, &[]).await.with(401);
    assert!(provider.got().is_empty(), "nothing went upstream");
    let made = app.call("POST", "/v1/keys", r#"{"scopes": ["gateway"]}"#).await.with(201).json();
    let narrow = made["key"].as_str().expect("a key").to_owned();
    app.call_as(&narrow, "GET", "/v1/sessions", "").await.refused_as(403, "forbidden");
    for key in [narrow.as_str(), THEIRS] {
        provider.will_say("yours");
        send(&app, key, MESSAGES, &body, &[("x-anchord-session", "same")]).await.with(200);
    }
    // In the path, where an agent has no header.
    provider.will_say("yours");
    let path = format!("/gateway/key/{narrow}/session/other/anthropic/v1/messages");
    app.call_with(
        "POST",
        &path,
        body.clone(),
        &[("x-api-key", "sk"), ("content-length", &body.len().to_string())],
    )
    .await
    .with(200);
    assert!(!format!("{:?}", provider.got()).contains(&narrow), "it stays here");
    assert_eq!(stored(&app, "same", 2).await.len(), 2);
    assert_eq!(stored(&app, "other", 2).await.len(), 2);
    let theirs = app.call_as(THEIRS, "GET", "/v1/sessions", "").await.good().json();
    assert_eq!(
        theirs["items"].as_array().map(Vec::len),
        Some(1),
        "theirs is another session of the same name"
    );
    // In a place from which it would go upstream.
    let misplaced = [("x-api-key", narrow.as_str()), ("x-anchord-key", narrow.as_str())];
    app.call_with("POST", MESSAGES, body.clone(), &misplaced).await.with(400);
    // A paste of nothing that was said there opens no session.
    let paste = json!({"messages": [{"role": "user", "content": "Here is the conversation so far: x </conversation>"}]});
    provider.will_answer(200, "application/json", "{}");
    let asked =
        send(&app, &narrow, CHAT, &paste.to_string(), &[("x-anchord-session", "same")]).await.with(200);
    assert_eq!(asked.text, "{}", "the provider was asked");
    let read_only = app.call("POST", "/v1/keys", r#"{"scopes": ["read"]}"#).await.with(201).json();
    send(&app, read_only["key"].as_str().expect("a key"), MESSAGES, &body, &[]).await.with(403);
}

#[tokio::test]
async fn agents_of_a_tenant_with_a_key_of_the_provider_have_an_anchord_key_alone() {
    let (mut app, provider) = gateway(Answers::Model).await;
    let tenant = format!("/v1/admin/tenants/{}", app.tenant);
    let set = json!({"provider_keys": {"anthropic": "sk-lent", "openai": "sk-other"}}).to_string();
    app.call_as(OPERATOR, "PATCH", &tenant, set.clone()).await.refused_at(422, "/provider_keys/anthropic");
    // With a key that encrypts them.
    app.store = app.store.clone().with_secret_keys(config(&provider.base).secrets);
    app.put_gateway(config(&provider.base));
    for bad in ["", "a b", "ä"] {
        let set = json!({"provider_keys": {"openai": bad}}).to_string();
        app.call_as(OPERATOR, "PATCH", &tenant, set).await.refused_at(422, "/provider_keys/openai");
    }
    let answer = app.call_as(OPERATOR, "PATCH", &tenant, set).await.with(200);
    assert_eq!(answer.json()["provider_keys_for"], json!(["anthropic", "openai"]));
    assert!(!answer.text.contains("sk-"), "nobody reads them back");
    let row = "select provider_keys::text from tenants where provider_keys::text <> '{}'";
    let found = sqlx::raw_sql(row).fetch_one(&mut app.database.connect().await).await.expect("a row");
    let stored: String = found.try_get(0).expect("a text");
    assert!(stored.contains("anthropic") && !stored.contains("sk-lent"), "they are encrypted");

    let made = app.call("POST", "/v1/keys", r#"{"scopes": ["gateway"]}"#).await.with(201).json();
    let ours = made["key"].as_str().expect("a key").to_owned();
    let body = json!({"messages": [user("a")]}).to_string();
    let ask = async |path: &str, headers: &[(&str, &str)]| {
        let length = body.len().to_string();
        let headers = [headers, &[("content-length", length.as_str())]].concat();
        app.call_with("POST", path, body.clone(), &headers).await.with(200);
        provider.got().pop().expect("a request").headers
    };
    let bearer = format!("Bearer {ours}");
    let got = ask(MESSAGES, &[("x-api-key", &ours)]).await;
    assert_eq!((&got["x-api-key"], got.get("authorization")), (&"sk-lent".parse().unwrap(), None));
    let got = ask(MESSAGES, &[("authorization", &bearer)]).await;
    assert_eq!((&got["x-api-key"], got.get("authorization")), (&"sk-lent".parse().unwrap(), None));
    let got = ask(CHAT, &[("authorization", &bearer)]).await;
    assert_eq!((&got["authorization"], got.get("x-api-key")), (&"Bearer sk-other".parse().unwrap(), None));
    // A key of the caller's own is the one that pays.
    let got = ask(CHAT, &[("x-anchord-key", &ours), ("authorization", "Bearer sk-mine")]).await;
    assert_eq!(got["authorization"], "Bearer sk-mine");
    // Another tenant has none.
    let made = app.call_as(THEIRS, "POST", "/v1/keys", r#"{"scopes": ["gateway"]}"#).await.with(201).json();
    let theirs = made["key"].as_str().expect("a key").to_owned();
    let refused = app.call_with("POST", MESSAGES, body.clone(), &[("x-api-key", &theirs)]).await.with(400);
    assert_eq!(refused.headers["x-anchord-problem"], "misplaced-key");
    // It goes to the operations that agents need, and to no other.
    let read = async |path: &str| app.call_with("GET", path, String::new(), &[("x-api-key", &ours)]).await;
    read("/gateway/anthropic/v1/models").await.with(200);
    let before = provider.got().len();
    for path in ["/gateway/openai/v1/files", "/gateway/anthropic/v1/organizations/api_keys"] {
        assert_eq!(read(path).await.with(403).headers["x-anchord-problem"], "not-lent");
    }
    assert_eq!(provider.got().len(), before);
    // A new key of the operator's takes over, and the old one is not needed any more.
    let with = |keys: &str| {
        let keys = SecretKeys::parse(&SecretString::from(keys)).expect("keys");
        app.store.clone().with_secret_keys(keys)
    };
    let found = async |store: anchord_store::Store| {
        let key = store.provider_key(app.tenant, "openai").await.expect("a look");
        key.map(|key| secrecy::ExposeSecret::expose_secret(&key).to_owned())
    };
    let new = "HwECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    assert_eq!(found(with(new)).await, None);
    assert_eq!(with(new).encrypt_secrets_again().await.expect("a round"), (1, 1), "without the old key");
    assert_eq!(with(&format!("{new},{SECRETS_KEY}")).encrypt_secrets_again().await.expect("a round"), (1, 0));
    assert_eq!(found(with(new)).await.as_deref(), Some("sk-other"));
    assert_eq!(with(new).encrypt_secrets_again().await.expect("a round"), (0, 0), "nothing is left to do");
    let unset = json!({"provider_keys": {"openai": null}}).to_string();
    let answer = app.call_as(OPERATOR, "PATCH", &tenant, unset).await.with(200);
    assert_eq!(answer.json()["provider_keys_for"], json!(["anthropic"]));
}

#[tokio::test]
async fn a_compaction_is_answered_and_the_session_goes_on_behind_it_any_number_of_times() {
    let (app, provider) = gateway(Answers::Code).await;
    let headers = [("x-claude-code-session-id", "c1")];
    let mut list = vec![user("Write the parser in src/parse.rs. Never use unwrap.")];
    let mut count = 1;
    for round in 1..=3 {
        for step in 1..=2 {
            let text = format!("Round {round}, step {step}: the port is 47{round}{step}.");
            provider.will_say(&text);
            send(&app, OURS, MESSAGES, &json!({"messages": list, "stream": true}).to_string(), &headers)
                .await
                .with(200);
            list.extend([said(&text), user(&format!("go on after {round}.{step}"))]);
            count += 2;
            stored(&app, "c1", count - 1).await;
        }
        let before = provider.got().len();
        let mut asking = list.clone();
        let blocks = asking.last_mut().expect("a message")["content"].as_array_mut().expect("blocks");
        blocks.push(json!({"type": "text", "text": SUMMARISE}));
        let answer =
            send(&app, OURS, MESSAGES, &json!({"messages": asking, "stream": true}).to_string(), &headers)
                .await
                .with(200);
        assert_eq!(provider.got().len(), before, "the provider was not asked");
        let text = streamed(&answer);
        assert!(
            text.contains("<summary>")
                && text.contains("Never use unwrap")
                && text.contains(&format!("47{round}2")),
            "{text}"
        );
        assert!(!text.contains(SUMMARISE), "the instruction is none of the conversation: {text}");
        assert_eq!(stored(&app, "c1", count).await.len(), count);
        let summary = format!("This session is being continued. {text}");
        list = vec![
            json!({"role": "user", "content": summary}),
            json!({"role": "system", "content": "Today is …"}),
            user("next"),
        ];
        count += 1;
    }
    provider.will_say("done");
    send(&app, OURS, MESSAGES, &json!({"messages": list, "stream": true}).to_string(), &headers)
        .await
        .with(200);
    let kept = stored(&app, "c1", count + 1).await;
    assert_eq!(kept.len(), count + 1);
    assert!(!json!(kept).to_string().contains("being continued"), "our own words are not kept as anybody's");
    assert_eq!(branches(&app, "c1").await, 1);
}

#[tokio::test]
async fn without_a_model_the_provider_summarises_and_what_code_kept_is_appended() {
    let (app, provider) = gateway(Answers::Model).await;
    let headers = [("x-claude-code-session-id", "c1")];
    provider.will_say("The port is 4711.");
    let first = json!({"messages": [user("Which port?")], "stream": true}).to_string();
    send(&app, OURS, MESSAGES, &first, &headers).await.with(200);
    stored(&app, "c1", 2).await;
    provider.will_say("<summary>The provider's own.</summary>");
    let asking = json!({"messages": [user("Which port?"), said("The port is 4711."), user(SUMMARISE)], "stream": true});
    let answer = send(&app, OURS, MESSAGES, &asking.to_string(), &headers).await.with(200);
    assert!(answer.text.contains("The provider's own."), "{}", answer.text);
    assert!(answer.text.contains("[anchord: session c1, branch main, message 2, "), "{}", answer.text);
    assert_eq!(provider.got()[1].body, asking.to_string(), "what was asked passed as it came");
    let whole = streamed(&answer);
    let mark = format!("Summary: … {whole}");
    provider.will_say("It is still 4711.");
    let next = json!({"messages": [user(&mark), user("And now?")], "stream": true}).to_string();
    send(&app, OURS, MESSAGES, &next, &headers).await.with(200);
    assert_eq!(stored(&app, "c1", 4).await[2]["content"][0]["text"], "And now?");
    assert_eq!(branches(&app, "c1").await, 1);

    // A tool's output that holds a summary of ours, mark and all, moves nothing, in whatever message it comes.
    let result =
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": whole}]});
    let call = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "run", "input": {}}]});
    let mut list =
        vec![user(&mark), user("And now?"), said("It is still 4711."), user("Run it."), call, result];
    for text in ["Done.", "That too."] {
        provider.will_say(text);
        let body = json!({"messages": list, "stream": true}).to_string();
        send(&app, OURS, MESSAGES, &body, &headers).await.with(200);
        list.extend([said(text), user(&format!("I ran it: {whole}"))]);
    }
    assert_eq!(stored(&app, "c1", 10).await.len(), 10);
    assert_eq!(branches(&app, "c1").await, 1);

    // Nor does a mark that we did not write, or that stands without its summary.
    let forged = "[anchord: session c1, branch main, message 1, after 3, 00112233445566778899]";
    let line = &whole[whole.rfind("[anchord: ").expect("a mark")..];
    for text in [
        forged.to_owned(),
        format!("The log says {line}"),
        mark.replace("message 2", "message 1"),
        mark.replace("session c1", "session c2"),
    ] {
        provider.will_say("no");
        let own = [("x-anchord-session", "forger")];
        let list = json!({"messages": [user("first"), user(&text)], "stream": true}).to_string();
        send(&app, OURS, MESSAGES, &list, &own).await.with(200);
    }
    assert_eq!(stored(&app, "forger", 3).await[0]["content"][0]["text"], "first");
    assert_eq!(stored(&app, "c1", 10).await.len(), 10);
}

#[tokio::test]
async fn an_opaque_item_is_opened_for_its_tenant_alone() {
    let (app, provider) = gateway(Answers::Code).await;
    let headers = [("thread-id", "t1")];
    let item = |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let asking = json!({"input": [item("Remember the port 4711."), {"type": "compaction_trigger"}], "stream": true, "seed": 1});
    let answer = send(&app, OURS, ITEMS, &asking.to_string(), &headers).await.with(200);
    let done = answer
        .text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter_map(|data| serde_json::from_str::<Value>(data).ok())
        .find(|event| event["type"] == "response.output_item.done")
        .expect("an item");
    let sealed = done["item"].clone();
    assert_eq!(sealed["type"], "compaction");
    assert!(!sealed.to_string().contains("4711"), "it is sealed: {sealed}");
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), format!("{{\"log\": true}}\n{sealed}\n")).expect("a written file");
    let print = |key: &str| {
        let file = file.path().to_str().expect("a plain path");
        let run = anchord(&["item", file]).env("ANCHORD_SECRETS_KEY", key).output().expect("the program");
        (run.status.success(), String::from_utf8_lossy(&run.stdout).contains("Remember the port 4711."))
    };
    assert_eq!(print(SECRETS_KEY), (true, true), "the operator's key opens it");
    assert_eq!(print("HwECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="), (false, false));
    provider.will_answer(
        200,
        "text/event-stream",
        "data: {\"type\":\"response.completed\",\"response\":{}}\n\n",
    );
    let next = json!({"seed": 1.5, "input": [sealed, item("Which port?")], "stream": true}).to_string();
    send(&app, OURS, ITEMS, &next, &headers).await.with(200);
    let got = String::from_utf8(provider.got()[0].body.to_vec()).expect("text");
    assert!(got.contains("Remember the port 4711.") && !got.contains("encrypted_content"), "{got}");
    assert!(got.starts_with("{\"seed\":1.5,\"input\":["), "every other field stays: {got}");
    let refused = send(&app, THEIRS, ITEMS, &next, &headers).await.with(400);
    assert_eq!(refused.headers["x-anchord-problem"], "sealed-item", "another tenant's is not opened");
    assert_eq!(provider.got().len(), 1, "nor sent on");
    refusals::an_item_for_which_there_is_no_room_is_refused(&app, &provider, &next).await;
    assert_eq!(stored(&app, "t1", 2).await[1]["content"][0]["text"], "Which port?");
}

#[tokio::test]
async fn a_list_that_openais_operation_compacts_goes_on_behind_an_item_of_ours() {
    let (app, provider) = gateway(Answers::Code).await;
    let headers = [("thread-id", "t1")];
    let item = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
    let list =
        [item("user", "input_text", "Remember the port 4711."), item("assistant", "output_text", "Noted.")];
    let asking = json!({"model": "m", "instructions": "You are…", "input": list}).to_string();
    let path = "/gateway/openai/v1/responses/compact";
    let compacted = send(&app, OURS, path, &asking, &headers).await.with(200).json();
    assert!(provider.got().is_empty());
    assert_eq!(compacted["object"], "response.compaction");
    let output = compacted["output"].as_array().expect("items");
    assert_eq!((output.len(), &output[0]), (2, &list[0]), "what people said, and the item");
    provider.will_answer(200, "application/json", json!({"output": []}).to_string());
    let next = [output.as_slice(), &[item("user", "input_text", "Which port?")]].concat();
    send(&app, OURS, ITEMS, &json!({"input": next}).to_string(), &headers).await.with(200);
    let got = String::from_utf8(provider.got()[0].body.to_vec()).expect("text");
    assert!(got.contains("Noted.") && !got.contains("encrypted_content"), "{got}");
    assert_eq!(stored(&app, "t1", 3).await.len(), 3);
    assert_eq!(branches(&app, "t1").await, 1);
}

#[tokio::test]
async fn an_opaque_item_of_the_provider_stands_for_what_was_said_also_after_a_restart() {
    let (mut app, provider) = gateway(Answers::Model).await;
    let headers = [("thread-id", "t1")];
    let item = |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let will_give = |item: Value| {
        let done = json!({"type": "response.output_item.done", "item": item});
        let end = json!({"type": "response.completed", "response": {}});
        provider.will_answer(200, "text/event-stream", format!("data: {done}\n\ndata: {end}\n\n"));
    };
    let theirs = json!({"type": "compaction", "encrypted_content": "gAAAA-theirs"});
    let said =
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "4711"}]});
    will_give(theirs.clone());
    will_give(said.clone());
    let asking = json!({"input": [item("Remember 4711."), item("Go."), {"type": "compaction_trigger"}]});
    send(&app, OURS, ITEMS, &asking.to_string(), &headers).await.with(200);
    // At once, as an agent goes on; it sends its own words again before the item.
    let next = json!({"input": [item("Remember 4711."), theirs, item("Which port?")]});
    send(&app, OURS, ITEMS, &next.to_string(), &headers).await.with(200);
    assert_eq!(provider.got()[1].body, next.to_string(), "the item goes back to the provider as it came");
    assert_eq!(stored(&app, "t1", 4).await.len(), 4);
    // Another process goes on with the same list.
    app.put_gateway(config(&provider.base));
    let list = [item("Remember 4711."), theirs, item("Which port?"), said, item("Thanks.")];
    will_give(
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Bye."}]}),
    );
    send(&app, OURS, ITEMS, &json!({"input": list}).to_string(), &headers).await.with(200);
    let kept = stored(&app, "t1", 6).await;
    let texts: Vec<&str> = kept.iter().filter_map(|item| item["content"][0]["text"].as_str()).collect();
    assert_eq!(texts, ["Remember 4711.", "Go.", "Which port?", "4711", "Thanks.", "Bye."]);
    assert_eq!(branches(&app, "t1").await, 1);
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused_where_the_operator_wants_it() {
    let (mut app, provider) = gateway(Answers::Model).await;
    app.put_gateway(Config { refuses_unkept: true, ..config(&provider.base) });
    let headers = [("x-session-id", "s1")];
    let refused = [
        (json!({"messages": [{"role": "wizard", "content": "a"}]}).to_string(), "422 invalid-request"),
        ("no JSON".to_owned(), "unreadable"),
    ];
    for (body, reason) in refused {
        let answer = send(&app, OURS, CHAT, &body, &headers).await.with(503);
        assert_eq!(answer.headers["x-anchord-problem"], "not-kept");
        assert_eq!(answer.headers["x-anchord-not-kept"], reason);
    }
    assert!(provider.got().is_empty(), "nothing went upstream");
    let body = json!({"messages": [{"role": "user", "content": "a"}]}).to_string();
    send(&app, OURS, CHAT, &body, &headers).await.with(200);
    assert_eq!(stored(&app, "s1", 1).await.len(), 1);
    // A title is none of the conversation.
    let title = json!({"messages": [{"role": "system", "content": "You are a title generator. …"}, {"role": "user", "content": "t"}]});
    send(&app, OURS, CHAT, &title.to_string(), &headers).await.with(200);
}

#[tokio::test]
async fn a_loop_that_never_compacts_is_sent_the_context_once_its_list_is_too_long() {
    let (app, provider) = gateway(Answers::Model).await;
    app.call("PUT", "/v1/sessions/loop", json!({"context_window": 8_000}).to_string()).await.with(201);
    let path = "/gateway/session/loop/assemble/openai/v1/chat/completions";
    let mut list = vec![
        json!({"role": "system", "content": "You are a loop."}),
        json!({"role": "user", "content": "Count."}),
    ];
    let mut was_replaced = false;
    for turn in 0..24 {
        let text = format!("Turn {turn}. {}", "The count goes on without an end. ".repeat(40));
        provider.will_answer(
            200,
            "application/json",
            json!({"choices": [{"message": {"role": "assistant", "content": text}}]}).to_string(),
        );
        let body = json!({"model": "m", "messages": list, "temperature": 0.5}).to_string();
        let answer = send(&app, OURS, path, &body, &[]).await.with(200);
        assert_eq!(answer.headers["x-anchord-session"], "loop");
        let got = provider.got().pop().expect("a request").body;
        let sent: Value = serde_json::from_slice(&got).expect("JSON");
        if got == body {
            assert!(!was_replaced || turn < 4, "turn {turn}");
        } else {
            was_replaced = true;
            assert_eq!(sent["messages"][0], list[0], "the system prompt stays");
            assert_eq!((&sent["temperature"], &sent["model"]), (&json!(0.5), &json!("m")));
            assert!(got.len() < body.len());
        }
        list.extend([
            json!({"role": "assistant", "content": text}),
            json!({"role": "user", "content": format!("next {turn}")}),
        ]);
        stored(&app, "loop", list.len() - 2).await;
        app.work().await;
    }
    assert!(was_replaced);
    assert_eq!(branches(&app, "loop").await, 1);
}

#[tokio::test]
async fn what_cannot_be_kept_passes_and_says_so() {
    let (app, provider) = gateway(Answers::Model).await;
    let headers = [("x-session-id", "s1")];
    // A message that the API refuses.
    let body = json!({"messages": [{"role": "wizard", "content": "a"}], "stream": true}).to_string();
    provider.will_answer(200, "application/json", "{}");
    send(&app, OURS, CHAT, &body, &headers).await.with(200);
    for _ in 0..100 {
        provider.will_answer(200, "application/json", "{}");
        let answer = send(&app, OURS, CHAT, &body, &headers).await.with(200);
        if let Some(why) = answer.headers.get("x-anchord-not-kept") {
            assert_eq!(why, "422 invalid-request");
            // A title is none of the conversation.
            let title = json!({"messages": [{"role": "system", "content": "You are a title generator. …"}, {"role": "user", "content": "t"}]});
            let answer = send(&app, OURS, CHAT, &title.to_string(), &headers).await.with(200);
            assert_eq!(answer.headers["x-anchord-not-kept"], "aside");
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("nobody was told");
}

#[tokio::test]
async fn a_provider_that_is_not_there_or_not_configured_is_told_from_an_answer_of_it() {
    let mut app = app().await;
    let config =
        Config { anthropic: Some("http://127.0.0.1:9/".parse().expect("a URL")), ..Config::default() };
    app.put_gateway(config);
    let body = json!({"messages": [user("a")]}).to_string();
    let answer = send(&app, OURS, MESSAGES, &body, &[]).await.with(502);
    assert_eq!(answer.headers["x-anchord-problem"], "upstream-unreachable");
    assert_eq!(answer.json()["error"]["type"], "api_error");
    send(&app, OURS, CHAT, &body, &[]).await.with(404);
    send(&app, OURS, "/gateway/anthropic/%2e%2e/secret", &body, &[]).await.with(404);
    app.put_gateway(Config::default());
    let answer = send(&app, OURS, MESSAGES, &body, &[]).await.with(404);
    assert!(answer.text.contains("ANCHORD_GATEWAY_ANTHROPIC"), "what to set: {}", answer.text);
    app.call("GET", "/v1/sessions", "").await.with(200);
}

#[test]
fn an_agent_runs_behind_a_service_of_its_own_that_ends_with_it() {
    let folder = data_folder();
    let data = folder.path().to_str().expect("a plain path");
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let url = format!("http://127.0.0.1:{port}");
    let agent = "printf '%s %s' \"$ANTHROPIC_BASE_URL\" \"$OPENAI_BASE_URL\"; exit 7";
    let run =
        anchord(&["wrap", "--url", &url, "--data-dir", data, "--session", "mine", "--", "sh", "-c", agent])
            .env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
            .output()
            .expect("the program");
    let printed = String::from_utf8_lossy(&run.stdout);
    let expected = format!("{url}/gateway/session/mine/anthropic {url}/gateway/session/mine/openai/v1");
    assert_eq!(
        (run.status.code(), printed.as_ref()),
        (Some(7), expected.as_str()),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    assert!(!folder.path().join("postgres/cluster/postmaster.pid").exists(), "the service was left running");
}

#[test]
fn agents_at_the_same_time_share_a_service_and_the_last_one_ends_it() {
    let folder = data_folder();
    let data = folder.path().to_str().expect("a plain path");
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let url = format!("http://127.0.0.1:{port}");
    let file = |name: &str| folder.path().join(name);
    let until = |what: &dyn Fn() -> bool| {
        for _ in 0..2400 {
            if what() {
                return;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("it did not come to that");
    };
    let start = |name: &str| {
        // An agent that works until it is told to end.
        let agent = format!("touch {data}/{name}.up; while [ ! -e {data}/{name}.end ]; do sleep 0.05; done");
        let words = ["wrap", "--url", &url, "--data-dir", data, "--", "sh", "-c", &agent];
        let wrapped = anchord(&words).spawn().expect("the program");
        until(&|| file(&format!("{name}.up")).exists());
        wrapped
    };
    let is_there = || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
    let [mut first, mut second] = [start("first"), start("second")];
    for (name, agent, is_left) in [("first", &mut first, true), ("second", &mut second, false)] {
        assert!(is_there(), "before the {name} ends");
        std::fs::write(file(&format!("{name}.end")), "").expect("a file");
        assert!(agent.wait().expect("an end").success());
        assert_eq!(is_there(), is_left, "after the {name} has ended");
    }
    assert!(!file("postgres/cluster/postmaster.pid").exists(), "the database was left running");
}

#[test]
fn the_gateway_has_an_address_of_its_own_when_it_is_given_one() {
    let folder = data_folder();
    let data = folder.path().to_str().expect("a plain path");
    let words = ["serve", "--listen", "127.0.0.1:0", "--gateway-listen", "127.0.0.1:0", "--data-dir", data];
    let service = Service::start(&words);
    let problem = |client: &Client| {
        let reply = client.call("GET", "/gateway/openai/v1/models", &[], "").expect("a reply");
        (reply.status, reply.json()["error"]["code"] == "not-found")
    };
    assert_eq!((problem(&service.gateway()), problem(&service.client())), ((404, true), (404, false)));
    let elsewhere = service.gateway().call("GET", "/v1/sessions", &[], "").expect("a reply");
    assert_eq!(elsewhere.status, 404, "the API is not there");
}

#[tokio::test]
async fn what_costs_more_to_read_than_it_weighs_passes_unread() {
    let (app, provider) = gateway(Answers::Model).await;
    for list in
        [format!("[{}1]", "1,".repeat(300_000)), json!(vec![user("[anchord: session q"); 20_001]).to_string()]
    {
        let body = format!("{{\"messages\":{list}}}");
        let answer = send(&app, OURS, MESSAGES, &body, &[("x-anchord-session", "s")]).await.with(200);
        assert_eq!(answer.headers["x-anchord-not-kept"], "unreadable");
        assert_eq!(provider.got().pop().expect("a request").body, body);
    }
    app.call("GET", "/v1/sessions/s", "").await.with(404);
}
