//! The API of this process, called as any caller would: what the gateway keeps and reads passes the same checks, limits and
//! quotas, and it can do nothing that a caller could not.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Method, Request, header};
use http_body_util::BodyExt as _;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tower::ServiceExt as _;

use crate::mark::Position;
use anchord_http::extract::auth::{ByGateway, X_API_KEY};
use anchord_messages::id::BranchName;

/// How long a call may take, and one that waits for a job.
const LONGEST: Duration = Duration::from_secs(10);
const LONG: Duration = Duration::from_secs(50);

/// Why a call did not succeed: its status, and the kind of its problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{status} {kind}")]
pub(crate) struct Problem {
    pub(crate) status: u16,
    pub(crate) kind: String,
}

impl Problem {
    /// Whether the same call may succeed a little later.
    pub(crate) fn passes(&self) -> bool {
        matches!(self.status, 429 | 503)
    }

    /// A reply that is none that is known.
    pub(crate) fn unreadable() -> Self {
        Self { status: 500, kind: "unreadable".to_owned() }
    }
}

/// The API, for the holder of a key.
#[derive(Clone)]
pub(crate) struct Api {
    router: Router,
    key: SecretString,
}

/// A call.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) prefer: Option<&'static str>,
    pub(crate) body: Body,
}

impl Call {
    pub(crate) fn get(path: String) -> Self {
        Self { method: Method::GET, path, prefer: None, body: Body::empty() }
    }

    pub(crate) fn with(method: Method, path: String, body: String) -> Self {
        Self { method, path, prefer: None, body: Body::from(body) }
    }

    pub(crate) fn preferring(self, preference: &'static str) -> Self {
        Self { prefer: Some(preference), ..self }
    }
}

/// The end of a session.
#[derive(Deserialize)]
struct Newest {
    /// Absent when it is main.
    branch: Option<String>,
    head_seq: i64,
}

/// A page of stored messages.
#[derive(Deserialize)]
pub(crate) struct Page {
    pub(crate) items: Vec<Stored>,
    pub(crate) next_cursor: Option<String>,
}

/// A stored message.
#[derive(Deserialize)]
pub(crate) struct Stored {
    pub(crate) seq: i64,
    pub(crate) message: Box<RawValue>,
}

impl Api {
    pub(crate) fn new(router: Router, key: SecretString) -> Self {
        Self { router, key }
    }

    /// Makes a call, and returns the body of its reply.
    pub(crate) async fn call(&self, call: Call) -> Result<Bytes, Problem> {
        let broken = |kind: &str| Problem { status: 500, kind: kind.to_owned() };
        let mut request = Request::builder().method(call.method).uri(call.path);
        if let Some(prefer) = call.prefer {
            request = request.header("prefer", prefer);
        }
        let mut request = request.body(call.body).map_err(|_| broken("bad-path"))?;
        let mut key = HeaderValue::from_str(self.key.expose_secret()).map_err(|_| broken("bad-key"))?;
        key.set_sensitive(true);
        request.headers_mut().insert(X_API_KEY, key);
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.extensions_mut().insert(ByGateway::Made);
        let waits = if call.prefer.is_some_and(|prefer| prefer.starts_with("wait")) { LONG } else { LONGEST };
        let asked = tokio::time::timeout(waits, self.router.clone().oneshot(request)).await;
        let Ok(reply) = asked.map_err(|_| Problem { status: 503, kind: "slow".to_owned() })?;
        let status = reply.status();
        let body = reply.into_body().collect().await.map_err(|_| broken("cut-off"))?.to_bytes();
        if status.is_success() {
            return Ok(body);
        }
        Err(Problem { status: status.as_u16(), kind: kind_of(&body) })
    }

    /// The same for a reply that is read.
    pub(crate) async fn read<T: DeserializeOwned>(&self, call: Call) -> Result<T, Problem> {
        let body = self.call(call).await?;
        serde_json::from_slice(&body).map_err(|_| Problem::unreadable())
    }

    /// The end of a session's current branch.
    pub(crate) async fn newest(&self, session: &str) -> Result<Position, Problem> {
        let Newest { branch, head_seq } = self.read(Call::get(session.to_owned())).await?;
        let branch = branch.unwrap_or_else(|| BranchName::main().to_string());
        Ok(Position { branch, seq: head_seq })
    }

    /// At most so many messages of a branch, from a position on.
    pub(crate) async fn messages(
        &self,
        (session, branch): (&str, &str),
        (from, most): (i64, i64),
    ) -> Result<Page, Problem> {
        let path = format!("{session}/messages?branch={branch}&from_seq={from}&limit={most}");
        self.read(Call::get(path)).await
    }
}

/// The kind of a problem document.
fn kind_of(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Document {
        r#type: String,
    }
    let document: Option<Document> = serde_json::from_slice(body).ok();
    let kind = document.map(|document| document.r#type.trim_start_matches("/problems/").to_owned());
    kind.unwrap_or_else(|| "unknown".to_owned())
}
