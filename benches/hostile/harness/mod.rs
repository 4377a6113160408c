//! One tenant that calls every operation of the API as heavily as its bounds allow, and another that works meanwhile.
//!
//! What lives here: `requests` writes the requests from the OpenAPI document, `table` has what no schema says,
//! `attacker` sends them, `neighbour` is the tenant that must not notice, and `watch` looks at the service's process.
//! The bench and a journey include it.
//! Must not know: the service's internals. It is a client, and looks at the process from outside.

pub mod attacker;
pub mod neighbour;
pub mod requests;
pub mod table;
pub mod watch;

use std::time::Duration;

use anyhow::{Context as _, ensure};
use reqwest::{Client, Method};
use serde_json::Value;

/// The longest that a request may take; the service itself ends them at 60 s and the wait that was asked for.
const PATIENCE: Duration = Duration::from_secs(125);

/// A caller: where the service is, and with which key.
#[derive(Clone, Debug)]
pub struct Caller {
    client: Client,
    base: String,
    key: String,
}

impl Caller {
    /// A caller at an address like `127.0.0.1:8080`.
    pub fn new(address: &str, key: &str) -> anyhow::Result<Self> {
        // Fails when there is one already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().no_proxy().timeout(PATIENCE).build()?;
        Ok(Self { client, base: format!("http://{address}"), key: key.to_owned() })
    }

    /// The same with connections of its own: one that was closed on another caller's large body is no business of this one.
    pub fn apart(&self) -> anyhow::Result<Self> {
        let client = Client::builder().no_proxy().timeout(PATIENCE).build()?;
        Ok(Self { client, ..self.clone() })
    }

    /// The same with another key or token.
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: key.to_owned(), ..self.clone() }
    }

    /// A request with this caller's key.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key)
    }

    /// Sends JSON and returns the JSON of a reply that must be a success.
    pub async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> anyhow::Result<Value> {
        let mut request = self.request(method.clone(), path).header("prefer", "wait=60");
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let reply = request.send().await?;
        let (status, text) = (reply.status(), reply.text().await?);
        let shown = text.get(..text.floor_char_boundary(500)).unwrap_or_default();
        ensure!(status.is_success(), "{method} {path}: {status} {shown}");
        if text.is_empty() {
            return Ok(Value::Null);
        }
        // Pages and metrics are text.
        Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// A GET.
    pub async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.call(Method::GET, path, None).await
    }

    /// A POST.
    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.call(Method::POST, path, Some(body)).await
    }

    /// A PUT.
    pub async fn put(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.call(Method::PUT, path, Some(body)).await
    }
}

/// The text at a place in a reply.
pub fn text<'a>(reply: &'a Value, pointer: &str) -> anyhow::Result<&'a str> {
    reply.pointer(pointer).and_then(Value::as_str).with_context(|| format!("no {pointer} in {reply}"))
}
