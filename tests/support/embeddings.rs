//! An embeddings server of the tests' own, on a free port: it knows a few concepts, answers by an act, and keeps what it
//! was sent.

use std::sync::{Arc, Mutex};

use anchord_llm::{Embedder, EmbeddingOptions};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use std::time::Duration;

/// Words of one meaning; a text's vector counts them.
const CONCEPTS: [&[&str]; 6] = [
    &["crane", "hoist", "winch"],
    &["orange", "tangerine", "amber"],
    &["budget", "money", "costs"],
    &["winter", "january", "frost"],
    &["boat", "ship", "vessel"],
    &["allergic", "allergy", "intolerant"],
];

/// How the server answers.
#[derive(Clone, Debug)]
pub enum Answering {
    /// With vectors, padded with zeros by so many numbers.
    Well(usize),
    /// With a status.
    Status(u16),
    /// With vectors, unless a text holds this.
    Refusing(&'static str),
    /// With this, whatever was asked.
    With(Value),
    /// Never.
    Never,
}

/// The server.
#[derive(Clone, Debug)]
pub struct FakeEmbeddings {
    /// Its address, without a path.
    pub url: String,
    answering: Arc<Mutex<Answering>>,
    seen: Arc<Mutex<Vec<(Uri, HeaderMap, Value)>>>,
}

impl FakeEmbeddings {
    /// Starts a server that answers well.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let answering = Arc::new(Mutex::new(Answering::Well(0)));
        let this = Self { url, answering, seen: Arc::default() };
        let router = axum::Router::new().fallback(answer).with_state(this.clone());
        #[expect(clippy::disallowed_methods, reason = "the server lives as long as the test's runtime")]
        tokio::spawn(async move { axum::serve(listener, router).await });
        this
    }

    /// Answers differently from now on.
    pub fn answer(&self, answering: Answering) {
        *self.answering.lock().unwrap() = answering;
    }

    /// The same with another address, at which nobody listens.
    pub fn moved_to(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// A client of it, as a process that has just started has one.
    pub fn client(&self, model: &str) -> Embedder {
        Embedder::new(EmbeddingOptions {
            api_key: Some("embedding-key".into()),
            question_timeout: Duration::from_millis(300),
            batch_timeout: Duration::from_millis(500),
            backoff: Duration::from_millis(10),
            ..EmbeddingOptions::new(format!("{}/v1", self.url), model.to_owned())
        })
        .expect("a client")
    }

    /// The texts of every request so far, request by request.
    pub fn texts(&self) -> Vec<Vec<String>> {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|(_, _, body)| inputs(body)).collect()
    }

    /// The first request.
    pub fn first(&self) -> (Uri, HeaderMap, Value) {
        self.seen.lock().unwrap()[0].clone()
    }
}

fn inputs(body: &Value) -> Vec<String> {
    let inputs = body["input"].as_array().expect("a list of texts");
    inputs.iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

/// The vector of a text: how often it names each concept, and a little of what every text has.
fn vector(text: &str, padding: usize) -> Vec<f32> {
    let text = text.to_lowercase();
    let of = |words: &&[&str]| words.iter().map(|word| text.matches(word).count()).sum::<usize>();
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let mut vector: Vec<f32> = CONCEPTS.iter().map(|words| of(words) as f32).collect();
    vector.push(0.2);
    vector.extend(std::iter::repeat_n(0.0, padding));
    vector
}

async fn answer(State(fake): State<FakeEmbeddings>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    fake.seen.lock().unwrap().push((uri, headers, body.clone()));
    let texts = inputs(&body);
    let answering = fake.answering.lock().unwrap().clone();
    let padding = match answering {
        Answering::Well(padding) => padding,
        Answering::Refusing(word) if texts.iter().any(|text| text.contains(word)) => {
            return (StatusCode::BAD_REQUEST, r#"{"error": {"message": "no"}}"#).into_response();
        }
        Answering::Refusing(_) => 0,
        Answering::Status(status) => return StatusCode::from_u16(status).unwrap().into_response(),
        Answering::With(body) => return axum::Json(body).into_response(),
        Answering::Never => std::future::pending().await,
    };
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": vector(text, padding)}))
        .collect();
    let usage = json!({"prompt_tokens": 10 * data.len(), "total_tokens": 10 * data.len()});
    axum::Json(json!({"object": "list", "data": data, "model": body["model"], "usage": usage}))
        .into_response()
}
