//! The outermost layer of every request: request id, tracing span, metrics, timeout, and the bodies of problems.
//!
//! Each request runs to its end. When a client disconnects, the future of its connection is dropped, and a
//! transaction that is dropped while it begins can leave its connection inside an open transaction. So the rest of
//! the request then continues in a task of its own, and a graceful shutdown waits for it. A task for every request
//! would cost each of them two switches between threads.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tracing::Instrument;
use uuid::Uuid;

use crate::extract::params;
use crate::extract::prefer;
use crate::problem::{ApiError, Problem};
use crate::request_scope::Scope;
use crate::state::AppState;
use anchord_runtime::{background, trace};

/// The header that carries the request id, both ways.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request, for what a handler writes of it.
#[derive(Clone, Debug, Default)]
pub struct RequestId(pub(crate) String);

/// Gives the request its id, measures it, and writes the bodies of problems.
pub async fn observe(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    background::request_arrived();
    let id = request_id(request.headers());
    let uri = request.uri().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str);
    let operation = format!("{} {route}", method_label(&request));
    let span = tracing::info_span!(
        "request",
        request.id = %id,
        http.operation = %operation,
        tenant.id = tracing::field::Empty
    );
    if let Some(parent) = request.headers().get(trace::HEADER).and_then(|value| value.to_str().ok()) {
        trace::continue_from(&span, parent);
    }
    request.extensions_mut().insert(span.clone());
    request.extensions_mut().insert(RequestId(id.clone()));
    let scope = Scope::default();
    request.extensions_mut().insert(scope.clone());
    let mut response = run_to_the_end(&state, request, next, scope).instrument(span.clone()).await;

    let failed = response.status().is_client_error() || response.status().is_server_error();
    let problem = response.extensions_mut().remove::<Problem>();
    if failed && (problem.is_some() || !has_body_of_ours(&response)) {
        let problem =
            problem.unwrap_or_else(|| span.in_scope(|| Problem::of_status(response.status(), uri.path())));
        write_problem(&mut response, named(problem, &uri), &id);
    }
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Replies have a tenant's content. A reply that may be stored says so itself.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let status = response.status().as_u16();
    let seconds = started.elapsed().as_secs_f64();
    let labels = [("operation", operation), ("status", status.to_string())];
    metrics::counter!("anchord_http_requests_total", &labels).increment(1);
    let [(_, operation), _] = labels;
    metrics::histogram!("anchord_http_request_seconds", "operation" => operation).record(seconds);
    // All are in the metrics. A log line for each success would cost a tenth of a read, and one for each refusal would let a
    // caller fill the log.
    span.in_scope(|| {
        if response.status().is_server_error() {
            tracing::info!(http.status = status, http.seconds = seconds, "request.done");
        } else {
            tracing::debug!(http.status = status, http.seconds = seconds, "request.done");
        }
    });
    response
}

/// Runs the request within its timeout.
async fn run_to_the_end(state: &AppState, request: Request, next: Next, scope: Scope) -> Response {
    let wait = prefer::requested_wait(request.headers()).ok().flatten().unwrap_or_default();
    let running = ToTheEnd {
        running: Some(AssertUnwindSafe(next.run(request)).catch_unwind().boxed()),
        span: tracing::Span::current(),
        counted: state.tracker.token(),
        scope,
    };
    match tokio::time::timeout(state.limits.request_timeout + wait, running).await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => ApiError::internal(anyhow::anyhow!("the handler panicked")).into_response(),
        Err(_) => ApiError::Timeout.into_response(),
    }
}

/// A request that runs to its end even when it is dropped: first in its connection's task, which costs no switch
/// between tasks, and after a drop in a task of its own.
struct ToTheEnd {
    /// `None` once the request has ended.
    running: Option<BoxFuture<'static, Result<Response, Box<dyn Any + Send>>>>,
    span: tracing::Span,
    /// Counts the request for the graceful shutdown, in whichever task it runs.
    counted: TaskTrackerToken,
    scope: Scope,
}

impl Future for ToTheEnd {
    type Output = Result<Response, Box<dyn Any + Send>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(running) = &mut self.running else { return Poll::Pending };
        let ended = std::task::ready!(running.poll_unpin(cx));
        self.running = None;
        Poll::Ready(ended)
    }
}

impl Drop for ToTheEnd {
    fn drop(&mut self) {
        let Some(rest) = self.running.take() else { return };
        self.scope.abandoned().cancel();
        // Without a runtime nothing can continue, and nothing needs to.
        if let Ok(runtime) = Handle::try_current() {
            let counted = self.counted.clone();
            let rest = async move {
                drop(rest.await);
                drop(counted);
            };
            self.counted.task_tracker().spawn_on(rest.instrument(self.span.clone()), &runtime);
        }
    }
}

/// The problem, with the branch that the request named when nothing was found.
fn named(mut problem: Problem, uri: &Uri) -> Problem {
    if let Ok(Some(branch)) = params::branch_of(uri.query().unwrap_or_default()) {
        problem.name_branch(&branch);
    }
    problem
}

fn write_problem(response: &mut Response, mut problem: Problem, id: &str) {
    id.clone_into(&mut problem.instance);
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    *response.body_mut() = Body::from(body);
}

/// Whether a failed reply already has a JSON body: a replayed one, or `/readyz`.
fn has_body_of_ours(response: &Response) -> bool {
    response
        .headers()
        .get(header::CONTENT_TYPE)
        // Pages are the console's; what axum writes itself is plain text.
        .is_some_and(|kind| {
            [&b"application/"[..], b"text/html"].iter().any(|of| kind.as_bytes().starts_with(of))
        })
}

/// Refuses `If-Match`, and reserves the memory of the reply; a layer below the compression, because a compressed reply has no
/// known length.
pub(crate) async fn admit_reply(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let scope = request.extensions().get::<Scope>().cloned();
    let response = match refused_condition(&request) {
        Some(refused) => refused.into_response(),
        None => next.run(request).await,
    };
    let tenant = scope.as_ref().and_then(Scope::tenant);
    if let Some(moved) = moved(scope.as_ref(), response.status()).await {
        return moved;
    }
    state.admission.replies.admit(tenant, response).await
}

/// Why a change under a condition is refused: no operation checks one, and a caller that sent it must not believe that it held.
fn refused_condition(request: &Request) -> Option<ApiError> {
    if request.method().is_safe() || !request.headers().contains_key(header::IF_MATCH) {
        return None;
    }
    let detail = "no operation checks it, and nothing was changed; an append has expected_next_seq";
    Some(ApiError::parameter("If-Match", detail))
}

/// The reply in the place of one that found nothing, or no key, because the tenant was moved to another cell meanwhile.
async fn moved(scope: Option<&Scope>, status: StatusCode) -> Option<Response> {
    if ![StatusCode::NOT_FOUND, StatusCode::UNAUTHORIZED].contains(&status) {
        return None;
    }
    let (tenant, cell) = scope.and_then(Scope::cell)?;
    let why = match cell.has_lost(*tenant).await {
        Ok(false) => return None,
        Ok(true) => ApiError::Unavailable(anyhow::anyhow!("the tenant was moved to another cell")),
        Err(error) => error,
    };
    Some(why.into_response())
}

/// The caller's request id when it is valid, otherwise a new one.
fn request_id(headers: &HeaderMap) -> String {
    headers
        .get(REQUEST_ID)
        .and_then(|value| value.to_str().ok())
        .filter(|id| {
            (1..=128).contains(&id.len())
                && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(&b))
        })
        .map_or_else(|| Uuid::now_v7().to_string(), str::to_owned)
}

/// The method as a label with few values: callers can invent methods, and each would be a time series of its own.
fn method_label(request: &Request) -> &'static str {
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    known.into_iter().find(|name| request.method() == name).unwrap_or("other")
}
