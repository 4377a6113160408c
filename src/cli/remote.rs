//! The client of a running service for commands: HTTP with an API key, and retries.

use std::time::Duration;

use anyhow::{Context as _, bail};
use reqwest::{Method, StatusCode, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

/// The most tries of a request, when the service cannot be reached or is busy.
const TRIES: u32 = 6;
/// How long a request may take.
const TIMEOUT: Duration = Duration::from_mins(2);
/// The longest wait before the next try.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// The client.
#[derive(Debug)]
pub(super) struct Remote {
    http: reqwest::Client,
    url: Url,
    key: SecretString,
}

/// The reply to a request.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) body: Value,
}

impl Reply {
    /// The error of the service as text for the user of the command.
    pub(super) fn told(&self) -> String {
        let word = |key: &str| self.body.get(key).and_then(Value::as_str).unwrap_or_default();
        format!("{} {}: {}", self.status.as_u16(), word("title"), word("detail"))
    }
}

/// The body of a request that may be sent again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent<'a> {
    pub(super) body: &'a str,
    /// Lets the service recognise a repeated request, so that it has no effect twice.
    pub(super) idempotency_key: &'a str,
}

impl Remote {
    pub(super) fn new(url: &str, key: SecretString) -> anyhow::Result<Self> {
        let url: Url = url.parse().with_context(|| format!("--url {url}"))?;
        if url.cannot_be_a_base() || !matches!(url.scheme(), "http" | "https") {
            bail!("--url {url}: must begin with http:// or https://");
        }
        // Fails when a TLS crypto provider is installed already; that is the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(Duration::from_secs(10))
            .timeout(TIMEOUT)
            .user_agent(concat!("anchord/", env!("CARGO_PKG_VERSION")))
            .build()
            .context("the HTTP client")?;
        Ok(Self { http, url, key })
    }

    pub(super) async fn get(&self, path: &[&str], query: &[(&str, String)]) -> anyhow::Result<Reply> {
        let mut url = self.address(path)?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.send_with_retries(Method::GET, &url, None).await
    }

    pub(super) async fn post(&self, path: &[&str], sent: Sent<'_>) -> anyhow::Result<Reply> {
        self.send_with_retries(Method::POST, &self.address(path)?, Some(sent)).await
    }

    fn address(&self, path: &[&str]) -> anyhow::Result<Url> {
        let mut url = self.url.clone();
        let Ok(mut segments) = url.path_segments_mut() else { bail!("{}: not an address", self.url) };
        segments.pop_if_empty().extend(path);
        drop(segments);
        Ok(url)
    }

    /// Sends a request until a reply is final or no try is left.
    async fn send_with_retries(
        &self,
        method: Method,
        url: &Url,
        sent: Option<Sent<'_>>,
    ) -> anyhow::Result<Reply> {
        let mut wait = Duration::from_millis(500);
        for attempt in 1.. {
            let mut request =
                self.http.request(method.clone(), url.clone()).bearer_auth(self.key.expose_secret());
            if let Some(sent) = sent {
                request = request.header("content-type", "application/json");
                request = request.header("idempotency-key", sent.idempotency_key).body(sent.body.to_owned());
            }
            let last = attempt >= TRIES;
            let answered = match request.send().await {
                Ok(response) => {
                    let (status, headers) = (response.status(), response.headers().clone());
                    response.text().await.map(|text| (status, headers, text))
                }
                Err(error) => Err(error),
            };
            match answered {
                Ok((status, headers, text)) => {
                    if last || !is_retryable(status) {
                        return Ok(Reply {
                            status,
                            body: serde_json::from_str(&text).unwrap_or(Value::Null),
                        });
                    }
                    let later =
                        headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
                    wait = later.map_or(wait, Duration::from_secs).min(MAX_WAIT);
                }
                Err(error) if last => {
                    return Err(error).with_context(|| format!("{} does not answer", self.url));
                }
                Err(error) => tracing::debug!(%error, "remote.no_answer"),
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(MAX_WAIT);
        }
        bail!("{} does not answer", self.url)
    }
}

/// Whether another try may get another reply.
fn is_retryable(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}
