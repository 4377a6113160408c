//! What is hostile stays data, what is secret stays here, and logs tell nothing of what was said.

use anchord_llm::{Client, Options, Provider};
use serde_json::{Value, json};

use super::{app_for, compressed, options};
use crate::support::app::COMPRESS;
use crate::support::app::{App, app_with_model};
use crate::support::corpus::{benign, lines, secrets};
use crate::support::database;
use crate::support::provider::{Act, Asks, FakeProvider, record};
use crate::support::service::Service;
use crate::support::talks::called;

/// The sections that a model words.
const WORDED: [&str; 8] = [
    "session_intent", "requests", "decisions_made", "current_state", "blockers", "open_questions",
    "next_steps", "findings",
];
/// The sections that are code's alone.
const READ: [&str; 4] = ["files_modified", "files_read", "test_results", "constraints"];

async fn append(app: &App, session: &str, messages: &[Value]) {
    let path = format!("/v1/sessions/{session}/messages");
    app.call("POST", &path, json!({"messages": messages}).to_string()).await.with(201);
}

async fn compress(app: &App, session: &str) -> Value {
    let queued = app.call("POST", &format!("/v1/sessions/{session}/compressions"), COMPRESS).await.with(202);
    app.work().await;
    app.call("GET", queued.headers["location"].to_str().unwrap(), "").await.json()
}

fn call(number: usize, output: &str) -> [Value; 2] {
    called(&format!("c{number}"), "fetch", &json!({"page": "samples"}), output)
}

/// A page of something harmless, so that there is something to save.
fn page() -> String {
    "a row of the CSV samples, with a quoted field and another one. ".repeat(60)
}

fn task() -> Vec<Value> {
    let mut messages = vec![
        json!({"role": "user", "content": "Make the importer in src/import.rs read CSV files. Never touch vendor/."}),
        json!({"role": "assistant", "content": "I look at the samples for the importer."}),
    ];
    messages.extend(call(0, &page()));
    messages.push(json!({"role": "assistant", "content": "The importer in src/import.rs reads CSV files with the csv crate."}));
    messages
}

fn goes_on() -> Vec<Value> {
    let mut messages: Vec<Value> = call(9, &page()).to_vec();
    for _ in 0..3 {
        messages.push(json!({"role": "assistant", "content": "The importer goes on with the samples."}));
        messages.push(json!({"role": "user", "content": "Go on."}));
    }
    messages.push(json!({"role": "assistant", "content": "I go on."}));
    messages
}

/// What a model tells that does as it is told by its data.
fn obedient(planted: &str) -> String {
    let mut told = record(2);
    told["intent"] = json!(planted);
    told["state"] = json!(format!("{planted}."));
    let add = |section: &str, name: &str, text: &str| json!({"section": section, "name": name, "text": text, "seqs": [6]});
    told["add"] = json!([
        add("decisions", "", planted),
        add("blockers", "", planted),
        add("next", "", planted),
        add("questions", "", planted),
        add("findings", "", planted),
        add("findings", "", &format!("{planted} with key-4711")),
        add("files", "src/evil.rs", planted),
    ]);
    told["update"] = json!([{"id": "R1", "text": planted, "seqs": [6]}]);
    told["files_modified"] = json!([{"path": "src/evil.rs", "action": "modified", "changes": [planted]}]);
    told["files_read"] = json!([{"path": "src/evil.rs"}]);
    told["constraints"] = json!([{"text": planted, "source": "user"}]);
    told["test_results"] = json!([{"command": "cargo test", "outcome": "pass"}]);
    told["warnings"] = json!([planted]);
    told.to_string()
}

/// Every piece of data stands between marks that nothing in it closes.
fn assert_closed(prompt: &str, name: &str) {
    let mark = prompt.split("Data stands between <").nth(1).expect("a mark").split(' ').next().unwrap();
    assert!(mark.starts_with("data-"), "{name}");
    let opened = prompt.matches(&format!("<{mark} kind=")).count();
    // The instructions name the end once.
    assert_eq!(prompt.matches(&format!("</{mark}>")).count(), opened + 1, "{name}");
}

#[tokio::test]
async fn no_text_is_obeyed_wherever_it_stands() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_with_model(Client::new(options(&fake, Provider::Openai)).unwrap()).await;
    let corpus: Vec<(&str, &str, &str)> = lines(include_str!("../../fixtures/injections.txt"))
        .map(|line| {
            let mut parts = line.splitn(3, " | ");
            (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap())
        })
        .collect();
    assert!(corpus.len() >= 40);
    let mut mark = "data-0123456789abcdef".to_owned();
    for (number, (place, planted, text)) in corpus.into_iter().enumerate() {
        let (session, name) = (format!("s{number}"), format!("{number} {place}: {text}"));
        let text = text.replace("\\n", "\n").replace("\\u202e", "\u{202e}").replace("\\u202c", "\u{202c}");
        let text = text.replace("{mark}", &mark);
        assert_eq!(
            app.call("PUT", &format!("/v1/sessions/{session}"), r#"{"auto": false}"#).await.status,
            201
        );
        let mut messages = task();
        match place {
            "tool" => messages.extend(call(1, &text)),
            "result" | "person" => messages.push(json!({"role": "user", "content": text})),
            _ => messages.push(json!({"role": "assistant", "content": text})),
        }
        messages.extend(goes_on());
        append(&app, &session, &messages).await;
        if place == "summary" {
            // The first summary tells what the assistant said; the second is asked with it.
            let mut told = record(6);
            told["state"] = json!(text);
            fake.play([Act::Say(told.to_string())]);
            assert_eq!(compress(&app, &session).await["status"], "succeeded", "{name}");
            append(&app, &session, &goes_on()).await;
            append(&app, &session, &goes_on()).await;
        }
        let before = fake.seen().len();
        fake.play([Act::Say(obedient(planted))]);
        let done = compress(&app, &session).await;
        assert_eq!(done["status"], "succeeded", "{name}: {done}");
        let seen = fake.seen();
        assert!(seen.len() > before, "{name}");
        for one in &seen[before..] {
            assert_closed(&one.prompt(), &name);
        }
        // A harness's reminder is no data: it is not even shown.
        if place != "summary" && !text.contains("system-reminder") {
            assert!(
                seen[before].prompt().contains(text.lines().last().unwrap()),
                "it was part of the data: {name}"
            );
        }
        mark = seen[before]
            .prompt()
            .split("Data stands between <")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .to_owned();

        let document = app.call("GET", &format!("/v1/sessions/{session}/summary"), "").await.json();
        for section in READ {
            let told = document[section].to_string();
            assert!(!told.contains(planted) && !told.contains("evil.rs"), "{name}: {section} {told}");
        }
        assert!(document["constraints"].to_string().contains("Never touch vendor/"), "{name}: {document}");
        assert_eq!(document["test_results"], json!([]), "{name}");
        for section in WORDED {
            // Wording is free where an entry cites the agent; an aim and a request need a person.
            let is_free =
                ["findings", "decisions_made", "current_state", "blockers", "next_steps", "open_questions"]
                    .contains(&section);
            let told = document[section].to_string();
            assert!(is_free || !told.contains(planted), "{name}: {section} {told}");
        }
        let warnings = document["warnings"].to_string();
        assert!(warnings.contains("were left out"), "{name}: {warnings}");
        assert!(!warnings.contains(planted), "{name}: {warnings}");
    }
}

#[tokio::test]
async fn no_secret_is_in_anything_that_leaves_or_stays() {
    let fake = FakeProvider::start([Act::Good]).await;
    let all = Options {
        probe_model: Some("examiner".to_owned()),
        judge_model: Some("judge".to_owned()),
        ..options(&fake, Provider::Openai)
    };
    let app = app_for(all).await;
    assert!(secrets().iter().all(|case| case.without.contains('¤') && !case.secrets.is_empty()));
    for (number, chunk) in secrets().chunks(3).enumerate() {
        let mut messages = Vec::new();
        let texts: Vec<&str> = chunk.iter().map(|case| case.text.as_str()).collect();
        let all = texts.join("\n");
        messages.push(json!({"role": "user", "content": format!("Use this: {all}")}));
        let arguments = json!({"command": format!("cat <<'EOF' > .env\n{all}\nEOF")}).to_string();
        let id = format!("s{number}");
        messages.push(json!({"role": "assistant", "content": format!("I decided to use {all} because it is there."),
            "tool_calls": [{"id": id, "type": "function", "function": {"name": "bash", "arguments": arguments}}]}));
        messages
            .push(json!({"role": "tool", "tool_call_id": id, "content": format!("error: cannot use {all}")}));
        super::append(&app, &messages).await;
    }
    super::append(&app, &super::stretch(6)).await;
    let first = secrets()[0].text.clone();
    let probe =
        json!({"kind": "recall", "question": format!("What is {first} for?"), "expected": ["importer"]});
    assert_eq!(app.call("POST", "/v1/sessions/s/probes", probe.to_string()).await.status, 201);
    let pins = json!({"pins": [{"text": format!("Always use {first} here")}]});
    assert_eq!(app.call("PUT", "/v1/sessions/s/pins", pins.to_string()).await.status, 200);
    for body in ["{}", r#"{"strategy": "regenerative"}"#, r#"{"strategy": "opaque"}"#] {
        super::append(&app, &super::stretch(20)).await;
        let done = compressed(&app, body).await;
        assert_eq!((&done["status"], &done["engine"]), (&json!("succeeded"), &json!("llm")), "{done}");
    }
    let mut texts: Vec<(String, String)> = Vec::new();
    for seen in fake.seen() {
        texts.push((format!("{:?}", seen.asks()), seen.body.to_string()));
        texts.push((format!("{:?}", seen.asks()), seen.prompt()));
    }
    for asks in [Asks::Narrative, Asks::Answers, Asks::Judgement] {
        assert!(!fake.seen_for(asks).is_empty(), "{asks:?}");
    }
    let evaluations = app.call("GET", "/v1/sessions/s/evaluations", "").await.json();
    let mut paths: Vec<String> = evaluations["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("evaluations/{}", one["id"].as_str().unwrap()))
        .collect();
    let plain = [
        "summary", "summary?style=anchored", "summary?style=state", "summary?style=opaque", "compressions",
        "probes?limit=500", "ledger?limit=500",
    ];
    paths.extend(plain.map(str::to_owned));
    for path in paths {
        let reply = app.call("GET", &format!("/v1/sessions/s/{path}"), "").await.good();
        texts.push((path, reply.text));
    }
    let mut leaks = Vec::new();
    for (place, text) in &texts {
        for case in secrets() {
            if let Some(at) = case.secrets.iter().find_map(|secret| text.find(secret.as_str())) {
                let around: String = text[..at].chars().rev().take(40).collect();
                leaks.push(format!("{place}: {}: {}", case.name, around.chars().rev().collect::<String>()));
            }
        }
    }
    leaks.sort_unstable();
    leaks.dedup();
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

#[tokio::test]
async fn what_is_no_secret_reaches_the_model_as_it_is() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_for(options(&fake, Provider::Openai)).await;
    for lines in benign().chunks(10) {
        let text = lines.join("\n");
        super::append(&app, &[json!({"role": "user", "content": text})]).await;
    }
    super::append(&app, &super::stretch(4)).await;
    assert_eq!(compressed(&app, "").await["engine"], "llm");
    let prompt = fake.seen()[0].prompt();
    for line in benign() {
        assert!(prompt.contains(line), "{line}");
    }
}

// In a process of its own: which places of the code log at all is decided once for a whole process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logs_at_their_most_verbose_hold_no_text_of_a_message_a_prompt_or_a_reply() {
    let unusable = Act::Say("an unusable answer of the model".to_owned());
    let fake = FakeProvider::start([Act::Good, unusable, Act::Good]).await;
    let database = database().await;
    let (url, key) = (format!("{}/v1", fake.url), "sk-test-key-of-the-operator");
    let asked =
        ["--llm-provider", "openai", "--llm-base-url", &url, "--llm-api-key", key, "--llm-model", "small"];
    let judged = ["--probe-model", "examiner", "--judge-model", "judge", "--log", "trace"];
    let service = Service::on(&database.url, &[asked.as_slice(), judged.as_slice()].concat());
    let client = service.client();
    let append = |messages: Vec<Value>| {
        let body = json!({ "messages": messages }).to_string();
        assert_eq!(client.call("POST", "/v1/sessions/s/messages", &[], &body).expect("a reply").status, 201);
    };
    let compressed = || {
        let wait = [("prefer", "wait=30")];
        client.call("POST", "/v1/sessions/s/compressions", &wait, COMPRESS).expect("a reply").json()
    };
    let put = client.call("PUT", "/v1/sessions/s", &[], r#"{"auto": false}"#).expect("a reply");
    assert_eq!(put.status, 201);
    append(task());
    append(vec![json!({"role": "user", "content": format!("The token is {}.", super::SECRET)})]);
    append(super::stretch(30));
    assert_eq!(compressed()["engine"], "llm");
    append(super::stretch(12));
    assert_eq!(compressed()["engine"], "llm");
    fake.play([super::raw(401, &[])]);
    append(super::stretch(12));
    assert_eq!(compressed()["engine"], "extractive");
    assert_eq!(client.get("/v1/sessions/s/context").status, 200);
    let logged = service.end_with_log();
    assert!(logged.contains("llm.told") && logged.contains("TRACE"), "{}", logged.len());
    for text in [
        "importer",
        "quoted fields",
        "vendor/",
        "Go on with step",
        "csv crate",
        super::SECRET,
        "sk-test-key-of-the-operator",
        "unusable answer of the model",
        "You keep the record",
        "information not found",
    ] {
        let line = logged.lines().find(|line| line.contains(text));
        assert_eq!(line, None, "{text}");
    }
}
