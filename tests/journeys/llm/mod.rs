//! Compressions with a model on the network: what it words is used, what it makes up is not, and whatever
//! it does the session goes on.

mod apart;
mod by_hand;
mod exams;
mod failures;
mod gate;
mod pieces;
mod safety;
mod single_calls;
mod spent;
mod worded;

use std::time::Duration;

use anchord_llm::{Client, Options, Price, Provider};
use serde_json::{Value, json};

use crate::support::app::compress_all;
use crate::support::app::{App, app_with_model};
use crate::support::provider::{Act, FakeProvider};

const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn options(fake: &FakeProvider, provider: Provider) -> Options {
    let path = if provider == Provider::Openai { "/v1" } else { "" };
    Options {
        base_url: Some(format!("{}{path}", fake.url)),
        api_key: Some("sk-test-key-of-the-operator".to_owned().into()),
        timeout: Duration::from_millis(1_500),
        backoff: Duration::from_millis(1),
        prices: [("small".to_owned(), Price { input: 2.0, output: 10.0 })].into(),
        ..Options::new(provider, "small".to_owned())
    }
}

/// A client of a provider.
pub fn client(fake: &FakeProvider) -> Client {
    Client::new(options(fake, Provider::Openai)).expect("a client")
}

/// A stretch of the session's work: about eight thousand tokens in `2 * rounds` messages.
pub fn stretch(rounds: usize) -> Vec<Value> {
    let mut messages = Vec::new();
    for i in 0..rounds {
        let filler =
            "the importer reads another file of the CSV samples and checks quoted fields. ".repeat(20);
        messages.push(json!({"role": "assistant", "content": format!("Step {i}: {filler}")}));
        messages.push(json!({"role": "user", "content": format!("Go on with step {}.", i + 1)}));
    }
    messages.push(
        json!({"role": "assistant", "content": "Next, write a test for quoted fields of the importer."}),
    );
    messages
}

async fn append(app: &App, messages: &[Value]) {
    app.call("POST", "/v1/sessions/s/messages", json!({"messages": messages}).to_string()).await.with(201);
}

/// An API with a session that compresses only when it is told to.
async fn app_for(options: Options) -> App {
    app_of(options, 30).await
}

async fn app_of(options: Options, rounds: usize) -> App {
    let app = app_with_model(Client::new(options).expect("a client")).await;
    assert_eq!(app.call("PUT", "/v1/sessions/s", r#"{"auto": false}"#).await.status, 201);
    let mut messages = vec![
        json!({"role": "user", "content": "Make the importer in src/import.rs read CSV files. Never touch vendor/."}),
        json!({"role": "assistant", "content": "I decided to use the csv crate for the importer because quoted fields are hard to read by hand."}),
        json!({"role": "user", "content": format!("Good. The token is {SECRET}, keep going with the importer.")}),
    ];
    messages.extend(stretch(rounds));
    append(&app, &messages).await;
    app
}

async fn compressed(app: &App, body: &str) -> Value {
    let queued = app.call("POST", "/v1/sessions/s/compressions", compress_all(body)).await.with(202);
    app.work().await;
    let location = queued.headers["location"].to_str().unwrap().to_owned();
    app.call("GET", &location, "").await.json()
}

async fn document(app: &App) -> String {
    app.call("GET", "/v1/sessions/s/summary", "").await.text
}

fn raw(status: u16, headers: &[(&'static str, &'static str)]) -> Act {
    Act::Raw(status, headers.to_vec(), String::new())
}
