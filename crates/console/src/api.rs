//! The API of this process. A call passes the same checks, limits and quotas as any caller's.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use anchord_http::extract::auth::SignedIn;

/// How long a call may take; longer than the API itself gives a request that waits for a job.
const LONGEST: Duration = Duration::from_secs(50);

/// The API.
#[derive(Clone, Debug)]
pub(crate) struct Local(pub(crate) Router);

/// A call.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) accept: &'static str,
    pub(crate) prefer: Option<&'static str>,
    pub(crate) body: Option<String>,
}

impl Call {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), accept: "application/json", prefer: None, body: None }
    }

    pub(crate) fn of(method: Method, path: impl Into<String>, body: Option<String>) -> Self {
        Self { method, body, ..Self::get(path) }
    }
}

impl Local {
    /// Makes a call for somebody who is signed in; a status of 500 and no body when nothing came back.
    pub(crate) async fn call(&self, signed_in: SignedIn, call: Call) -> (StatusCode, Bytes) {
        let lost = (StatusCode::INTERNAL_SERVER_ERROR, Bytes::new());
        let mut request =
            Request::builder().method(call.method).uri(call.path).header(header::ACCEPT, call.accept);
        if let Some(prefer) = call.prefer {
            request = request.header("prefer", prefer);
        }
        let Ok(mut request) = request.body(call.body.map_or_else(Body::empty, Body::from)) else {
            return lost;
        };
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.extensions_mut().insert(signed_in);
        let Ok(Ok(reply)) = tokio::time::timeout(LONGEST, self.0.clone().oneshot(request)).await else {
            return lost;
        };
        let status = reply.status();
        match reply.into_body().collect().await {
            Ok(body) => (status, body.to_bytes()),
            Err(_) => lost,
        }
    }
}
