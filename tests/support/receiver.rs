//! A receiver of webhooks of the tests' own, on a free port: it answers by a script and keeps what it was sent.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use tokio::sync::Semaphore;

/// What the receiver answers to one message.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A status.
    Status(u16),
    /// A status and a header.
    With(u16, &'static str, String),
    /// 200, when it is told to.
    Held,
}

/// A message, as it came.
#[derive(Clone, Debug)]
pub struct Message {
    /// The path that it came to.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: String,
}

impl Message {
    /// A header's text.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name}")).to_str().expect("text")
    }

    /// Its body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// What it tells.
    pub fn kind(&self) -> String {
        self.json()["type"].as_str().expect("a type").to_owned()
    }
}

/// The receiver.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// Its address, without a path.
    pub url: String,
    script: Arc<Mutex<VecDeque<Answer>>>,
    seen: Arc<Mutex<Vec<Message>>>,
    arrived: Arc<Semaphore>,
    held: Arc<Semaphore>,
    /// Messages that wait for their answer, and the most that did at once.
    waiting: Arc<Mutex<(usize, usize)>>,
}

impl Receiver {
    /// Starts a receiver that plays `script`, and then goes on with its last answer.
    pub async fn start(script: impl IntoIterator<Item = Answer>) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let this = Self {
            url: format!("http://{}", listener.local_addr().expect("an address")),
            script: Arc::new(Mutex::new(script.into_iter().collect())),
            seen: Arc::default(),
            arrived: Arc::new(Semaphore::new(0)),
            held: Arc::new(Semaphore::new(0)),
            waiting: Arc::default(),
        };
        let router = axum::Router::new().fallback(take).with_state(this.clone());
        #[expect(clippy::disallowed_methods, reason = "the server lives as long as the test's runtime")]
        tokio::spawn(async move { axum::serve(listener, router).await });
        this
    }

    /// Plays another script from now on.
    pub fn play(&self, script: impl IntoIterator<Item = Answer>) {
        *self.script.lock().unwrap() = script.into_iter().collect();
    }

    /// Every message so far.
    pub fn seen(&self) -> Vec<Message> {
        self.seen.lock().unwrap().clone()
    }

    /// What every message so far tells.
    pub fn kinds(&self) -> Vec<String> {
        self.seen().iter().map(Message::kind).collect()
    }

    /// Waits for `count` more messages than were waited for before.
    pub async fn arrivals(&self, count: u32) {
        self.arrived.acquire_many(count).await.expect("an open semaphore").forget();
    }

    /// Answers so many messages that are held.
    pub fn release(&self, count: usize) {
        self.held.add_permits(count);
    }

    /// The most messages that were held at the same time.
    pub fn most_at_once(&self) -> usize {
        self.waiting.lock().unwrap().1
    }
}

async fn take(State(receiver): State<Receiver>, uri: Uri, headers: HeaderMap, body: String) -> Response {
    let answer = {
        let mut script = receiver.script.lock().unwrap();
        if script.len() > 1 { script.pop_front().unwrap() } else { script[0].clone() }
    };
    receiver.seen.lock().unwrap().push(Message { path: uri.path().to_owned(), headers, body });
    if matches!(answer, Answer::Held) {
        let mut waiting = receiver.waiting.lock().unwrap();
        waiting.0 += 1;
        waiting.1 = waiting.1.max(waiting.0);
    }
    receiver.arrived.add_permits(1);
    let status = |status| StatusCode::from_u16(status).expect("a status");
    match answer {
        Answer::Status(code) => status(code).into_response(),
        Answer::With(code, name, value) => (status(code), [(name, value)]).into_response(),
        Answer::Held => {
            receiver.held.acquire().await.expect("an open semaphore").forget();
            receiver.waiting.lock().unwrap().0 -= 1;
            StatusCode::OK.into_response()
        }
    }
}
