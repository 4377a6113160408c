//! The API as this server calls it, in this process or over HTTP, and the words of its refusals.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, Request, header};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

use anchord_http::admission::guesses::Peer;
use anchord_http::extract::auth::ByGateway;

/// A call: a body is posted, and everything else is read.
#[derive(Clone, Debug)]
pub struct Call {
    /// Path and query.
    pub path: String,
    /// The media type of the reply.
    pub accept: &'static str,
    /// The body, as JSON.
    pub body: Option<String>,
}

impl Call {
    /// A call that reads JSON.
    pub fn read(path: String) -> Self {
        Self { path, accept: "application/json", body: None }
    }

    /// Its method.
    pub fn method(&self) -> Method {
        if self.body.is_some() { Method::POST } else { Method::GET }
    }
}

/// A reply, whatever its status.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub text: String,
}

/// Why no reply came, for whom the server answers.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Away(pub String);

/// The API, for the holder of a key.
pub trait Api: Send + Sync + 'static {
    /// Makes a call.
    fn call(&self, call: Call) -> impl Future<Output = Result<Reply, Away>> + Send;
}

/// The API of this process. A call passes the same checks, limits and quotas as any caller's.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) router: Router,
    /// The caller's headers that say who it is.
    pub(crate) headers: HeaderMap,
    pub(crate) peer: Option<Peer>,
}

impl Api for Local {
    async fn call(&self, call: Call) -> Result<Reply, Away> {
        let away = |what: &str| Away(format!("the service's own call {what}"));
        let mut request = Request::new(Body::empty());
        *request.method_mut() = call.method();
        *request.uri_mut() = call.path.parse().map_err(|_| away("has a path that is none"))?;
        self.headers.clone_into(request.headers_mut());
        request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static(call.accept));
        if let Some(body) = call.body {
            request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            *request.body_mut() = Body::from(body);
        }
        // A key of the scope `gateway` is given to an agent, whose server this is.
        request.extensions_mut().insert(ByGateway::Made);
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(peer);
        }
        let Ok(reply) = self.router.clone().oneshot(request).await;
        let status = reply.status().as_u16();
        let body = reply.into_body().collect().await.map_err(|_| away("was cut off"))?.to_bytes();
        let text = String::from_utf8(body.into()).map_err(|_| away("got no text"))?;
        Ok(Reply { status, text })
    }
}

impl Reply {
    /// The body as JSON; null when it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// The API's own words about a refusal.
    pub(crate) fn told(&self) -> String {
        told(&self.json(), self.status)
            .unwrap_or_else(|| format!("the service answers {} without saying why", self.status))
    }
}

/// The API's own words about a refusal, with the places that it names; `None` when it is no problem of the API.
pub fn told(problem: &Value, status: u16) -> Option<String> {
    let word = |of: &Value, key: &str| of.get(key)?.as_str().map(str::to_owned);
    let (title, detail) = (word(problem, "title")?, word(problem, "detail")?);
    let places = problem.get("errors").and_then(Value::as_array).into_iter().flatten();
    let places = places.filter_map(|place| Some((word(place, "pointer")?, word(place, "detail")?)));
    // One place is in the detail already.
    let others = places.filter(|(_, fault)| !detail.contains(fault));
    let others = others.map(|(pointer, fault)| format!("{pointer} {fault}"));
    let told: Vec<String> = std::iter::once(detail.clone()).chain(others).collect();
    Some(format!("{} ({status} {title})", told.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_with_each_place_once() {
        let body = r#"{"title":"Invalid request","detail":"/a: must be 1",
            "errors":[{"pointer":"/a","detail":"must be 1"},{"pointer":"/b","detail":"must be 2"}]}"#;
        let told = |status, text: &str| Reply { status, text: text.to_owned() }.told();
        assert_eq!(told(422, body), "/a: must be 1; /b must be 2 (422 Invalid request)");
        assert_eq!(told(502, "<html>"), "the service answers 502 without saying why");
    }
}
