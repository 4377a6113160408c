//! The client of an embeddings server, which speaks OpenAI's `POST /embeddings`: texts go in, a vector comes back for each.
//!
//! Replies are checked whole: one vector for each text, of finite numbers that are not all zero, and all of the same
//! dimensions. The dimensions are those of the first reply; another number is an error until it has come several times in
//! a row, because a model that was replaced under its name does not change back.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::Rng as _;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::json;

use super::breaker::Breakers;
use super::client::{build, read};
use super::error::LlmError;
use super::openai;
use anchord_messages::id::TenantId;
use anchord_runtime::cache::{Cache, Expiry};
use anchord_runtime::shares::Shares;

/// The path behind the base URL.
const PATH: &str = "/embeddings";
/// The most bytes that are read of a response: a batch of the largest vectors, as JSON writes them.
const MAX_RESPONSE_BYTES: usize = 16 * 1024 * 1024;
/// The most dimensions of a vector.
const MOST_DIMENSIONS: usize = 4_096;
/// How often in a row other dimensions come before they are believed.
const BELIEVED_AFTER: u32 = 3;
/// How many questions' vectors are kept, and for how long.
const CACHED_QUESTIONS: u64 = 512;
const CACHED_FOR: Duration = Duration::from_mins(10);
/// The longest wait before a failed batch is tried again, and the longest one that a server may ask for.
const LONGEST_WAIT: Duration = Duration::from_mins(5);
const LONGEST_ASKED: Duration = Duration::from_hours(1);

/// Configuration of an embeddings server.
#[derive(Clone, Debug)]
pub struct EmbeddingOptions {
    /// The base URL, up to the part before `/embeddings`.
    pub base_url: String,
    /// The API key, for servers that require one.
    pub api_key: Option<SecretString>,
    /// Whether the key is sent in the header `api-key` instead of as a bearer token.
    pub sends_api_key: bool,
    /// The model.
    pub model: String,
    /// The most concurrent batches, and of one tenant. Questions have as many again.
    pub concurrency: (u32, u32),
    /// The deadline of a batch.
    pub batch_timeout: Duration,
    /// The deadline of a question, for which somebody waits.
    pub question_timeout: Duration,
    /// The first wait before a failed batch is tried again; it doubles each time.
    pub backoff: Duration,
}

impl EmbeddingOptions {
    /// The defaults for a server and a model.
    pub fn new(base_url: String, model: String) -> Self {
        Self {
            base_url,
            api_key: None,
            sends_api_key: false,
            model,
            concurrency: (4, 2),
            batch_timeout: Duration::from_secs(30),
            question_timeout: Duration::from_millis(1_500),
            backoff: Duration::from_secs(2),
        }
    }
}

/// The vectors of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// One for each text, in order.
    pub vectors: Vec<Vec<f32>>,
    /// How many numbers each has.
    pub dimensions: usize,
    /// Tokens of the texts, as the server counts them; 0 when it does not say.
    pub tokens: u64,
}

/// A client of one embeddings server; cheap to clone.
#[derive(Clone)]
pub struct Embedder {
    inner: Arc<Inner>,
}

struct Inner {
    http: reqwest::Client,
    options: EmbeddingOptions,
    /// The limits of batches and of questions, separate so that no question waits for batches.
    batches: Shares<TenantId>,
    questions: Shares<TenantId>,
    breakers: Breakers,
    known: Cache<(TenantId, String), Arc<[f32]>>,
    dimensions: Mutex<Dimensions>,
}

impl fmt::Debug for Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedder").field("model", &self.inner.options.model).finish_non_exhaustive()
    }
}

impl Embedder {
    /// Builds the client.
    ///
    /// # Errors
    /// When the system's certificates cannot be read.
    pub fn new(options: EmbeddingOptions) -> Result<Self, reqwest::Error> {
        let http = build(options.question_timeout)?;
        let (all, of_one) = options.concurrency;
        let inner = Inner {
            http,
            batches: Shares::new(all, of_one),
            questions: Shares::new(all, of_one),
            breakers: Breakers::new(),
            known: Cache::new(CACHED_QUESTIONS, Expiry::After(CACHED_FOR)),
            dimensions: Mutex::default(),
            options,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The model.
    pub fn model(&self) -> &str {
        &self.inner.options.model
    }

    /// The vectors of texts, which are without secrets already.
    ///
    /// # Errors
    /// When the server does not answer, or not as it should.
    pub async fn embed(&self, tenant: TenantId, texts: &[String]) -> Result<Embedded, LlmError> {
        let inner = &*self.inner;
        let ask = self.ask(tenant, texts, &inner.batches, inner.options.batch_timeout);
        ask.await
    }

    /// The vector of a question, which is without secrets already. Questions that were asked lately are not sent again.
    ///
    /// # Errors
    /// When the server does not answer in time, or not as it should.
    pub async fn question(&self, tenant: TenantId, text: &str) -> Result<Arc<[f32]>, LlmError> {
        let inner = &*self.inner;
        let key = (tenant, text.to_owned());
        if let Some(vector) = inner.known.get(&key) {
            return Ok(vector);
        }
        let texts = [text.to_owned()];
        let asked = self.ask(tenant, &texts, &inner.questions, inner.options.question_timeout).await?;
        let vector: Arc<[f32]> = asked.vectors.into_iter().next().ok_or(LlmError::Malformed)?.into();
        inner.known.insert(key, Arc::clone(&vector));
        Ok(vector)
    }

    /// How long to wait after so many failures in a row.
    pub fn wait_after(&self, error: &LlmError, failures: u32) -> Duration {
        let own = self.inner.options.backoff.saturating_mul(1 << failures.min(12));
        let spread = rand::rng().random_range(0.5..1.0);
        let asked = error.retry_after().unwrap_or_default().min(LONGEST_ASKED);
        own.mul_f64(spread).min(LONGEST_WAIT).max(asked)
    }

    async fn ask(
        &self,
        tenant: TenantId,
        texts: &[String],
        limits: &Shares<TenantId>,
        deadline: Duration,
    ) -> Result<Embedded, LlmError> {
        let inner = &*self.inner;
        let model = &inner.options.model;
        let until = tokio::time::Instant::now() + deadline;
        let permit = limits.take(tenant, 1, deadline).await.map_err(|_| LlmError::Busy)?;
        if !inner.breakers.allows(tenant, model) {
            return Err(LlmError::Open);
        }
        let asked = tokio::time::timeout_at(until, self.send(texts)).await;
        drop(permit);
        let asked = asked.unwrap_or(Err(LlmError::Timeout));
        let is_good = !asked.as_ref().is_err_and(LlmError::is_outage);
        inner.breakers.record(tenant, model, is_good);
        asked
    }

    async fn send(&self, texts: &[String]) -> Result<Embedded, LlmError> {
        let options = &self.inner.options;
        let address = openai::address_of(&options.base_url, &options.model, PATH);
        let request = self.inner.http.post(address).header("content-type", "application/json");
        let key = options.api_key.as_ref().map(SecretString::expose_secret);
        let request = openai::headers(request, key, options.sends_api_key);
        let body = json!({"model": options.model, "input": texts}).to_string();
        let bytes = read(request.body(body), MAX_RESPONSE_BYTES).await?;
        let embedded = parse(&bytes, texts.len())?;
        let mut known = self.inner.dimensions.lock().unwrap_or_else(PoisonError::into_inner);
        if known.are(embedded.dimensions) { Ok(embedded) } else { Err(LlmError::Malformed) }
    }
}

/// The dimensions that the server's vectors have.
#[derive(Debug, Default)]
struct Dimensions {
    /// 0 before the first reply.
    believed: usize,
    /// Others that came last, and how often in a row.
    other: (usize, u32),
}

impl Dimensions {
    /// Whether a reply's dimensions are the ones that are expected.
    fn are(&mut self, dimensions: usize) -> bool {
        if self.believed == dimensions {
            self.other = (0, 0);
            return true;
        }
        let (other, times) = self.other;
        self.other = (dimensions, if other == dimensions { times + 1 } else { 1 });
        if self.believed == 0 || self.other.1 >= BELIEVED_AFTER {
            *self = Self { believed: dimensions, other: (0, 0) };
            return true;
        }
        false
    }
}

#[derive(Deserialize)]
struct Reply {
    data: Vec<Entry>,
    #[serde(default)]
    usage: Usage,
}

#[derive(Deserialize)]
struct Entry {
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Default, Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
}

/// Reads a reply, which must have a vector for each of so many texts.
fn parse(bytes: &[u8], texts: usize) -> Result<Embedded, LlmError> {
    let Reply { mut data, usage } = serde_json::from_slice(bytes).map_err(|_| LlmError::Malformed)?;
    // The order is that of the texts, unless the entries say which is whose.
    if data.iter().all(|entry| entry.index.is_some()) {
        data.sort_by_key(|entry| entry.index);
        if !data.iter().enumerate().all(|(at, entry)| entry.index == Some(at)) {
            return Err(LlmError::Malformed);
        }
    }
    let dimensions = data.first().map_or(0, |entry| entry.embedding.len());
    let is_vector = |entry: &Entry| {
        let vector = &entry.embedding;
        vector.len() == dimensions && vector.iter().all(|x| x.is_finite()) && vector.iter().any(|x| *x != 0.0)
    };
    if data.len() != texts || !(1..=MOST_DIMENSIONS).contains(&dimensions) || !data.iter().all(is_vector) {
        return Err(LlmError::Malformed);
    }
    let vectors = data.into_iter().map(|entry| entry.embedding).collect();
    Ok(Embedded { vectors, dimensions, tokens: usage.prompt_tokens })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reply: &serde_json::Value, texts: usize) -> Result<Vec<Vec<f32>>, LlmError> {
        parse(reply.to_string().as_bytes(), texts).map(|embedded| embedded.vectors)
    }

    #[test]
    fn vectors_are_given_in_the_order_of_the_texts() {
        let reply = json!({"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0.5]}],
                           "usage": {"prompt_tokens": 7, "total_tokens": 7}});
        assert_eq!(read(&reply, 2), Ok(vec![vec![1.0, 0.5], vec![0.0, 1.0]]));
        assert_eq!(parse(reply.to_string().as_bytes(), 2).map(|e| (e.dimensions, e.tokens)), Ok((2, 7)));
        let unnumbered = json!({"data": [{"embedding": [0, 1]}, {"embedding": [1, 0]}]});
        assert_eq!(read(&unnumbered, 2), Ok(vec![vec![0.0, 1.0], vec![1.0, 0.0]]));
    }

    #[test]
    fn nonsense_is_refused() {
        let vector = |values: serde_json::Value| json!({"data": [{"index": 0, "embedding": values}]});
        for (reply, texts) in [
            (json!({}), 1),
            (json!({"data": []}), 1),
            (vector(json!([])), 1),
            (vector(json!([0, 0])), 1),
            (vector(json!([1, null])), 1),
            (vector(json!([1, "NaN"])), 1),
            (vector(json!([1e300, 0])), 1),
            (vector(vec![1; 4_097].into()), 1),
            (vector(json!("AACAPwAAAAA=")), 1),
            (vector(json!([1, 0])), 2),
            (json!({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}), 2),
            (json!({"data": [{"index": 0, "embedding": [1]}, {"index": 2, "embedding": [1]}]}), 2),
            (json!({"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 0]}]}), 2),
        ] {
            assert_eq!(read(&reply, texts), Err(LlmError::Malformed), "{reply:.80}");
        }
        assert_eq!(parse(b"<html>", 1), Err(LlmError::Malformed));
    }

    #[test]
    fn other_dimensions_are_believed_when_they_stay() {
        let mut dimensions = Dimensions::default();
        assert!(dimensions.are(384) && dimensions.are(384));
        assert!(!dimensions.are(768) && !dimensions.are(768));
        assert!(dimensions.are(384), "the server was wrong twice");
        assert!(!dimensions.are(768) && !dimensions.are(512) && !dimensions.are(768) && !dimensions.are(768));
        assert!(dimensions.are(768), "it has another model");
        assert!(!dimensions.are(384));
    }

    #[test]
    fn a_wait_grows_and_has_an_end() {
        let options = EmbeddingOptions::new("http://127.0.0.1:1".to_owned(), "m".to_owned());
        let embedder = Embedder::new(options).expect("a client");
        let wait = |failures| embedder.wait_after(&LlmError::Connection, failures);
        assert!(wait(0) <= Duration::from_secs(2) && wait(4) >= Duration::from_secs(16));
        assert!(wait(u32::MAX) <= LONGEST_WAIT);
        let asked = LlmError::Status { status: 429, retry_after: Some(Duration::from_mins(9)) };
        assert_eq!(embedder.wait_after(&asked, 0), Duration::from_mins(9));
    }
}
