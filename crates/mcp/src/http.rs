//! `/mcp` before the API: streamable HTTP without sessions.
//!
//! Each request is answered on its own, as JSON, so that nothing is held for a client and any process answers any request.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts as _, Query, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use axum::{Json, Router};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use rmcp::model::{ErrorData, JsonRpcError};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use crate::api::Local;
use crate::server::Server;
use crate::target::Connection;
use anchord_http::AppState;
use anchord_http::admission::guesses::Peer;
use anchord_http::extract::auth::{ByGateway, Reader, X_API_KEY};
use anchord_http::problem::{ApiError, Problem};

/// The path of the server.
const PATH: &str = "/mcp";
/// The most bytes of a request; the longest argument is a question of some thousand characters.
const MOST_BYTES: usize = 256 * 1024;
/// The headers of a request that say who the caller is.
const OF_CALLER: [HeaderName; 3] = [AUTHORIZATION, X_API_KEY, HeaderName::from_static("x-forwarded-for")];

/// The MCP server before other routes; `api` is what it calls.
pub fn before(rest: Router, api: Router, state: AppState) -> Router {
    let handle =
        async move |State(state): State<AppState>, request: Request| handle(api, &state, request).await;
    let routes = Router::new().route(PATH, any(handle));
    anchord_http::with_boundary(routes, &state).with_state(state).merge(rest)
}

async fn handle(router: Router, state: &AppState, request: Request) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(ByGateway::Caller);
    // The API checks the key again at each call; this one refuses a bad one with a problem before a body is read.
    Reader::from_request_parts(&mut parts, state).await?;
    let connection = Query::<Connection>::try_from_uri(&parts.uri);
    let Query(connection) = connection.map_err(|wrong| ApiError::BadRequest(wrong.body_text()))?;
    let mut headers = HeaderMap::new();
    for name in OF_CALLER {
        for value in parts.headers.get_all(&name) {
            headers.append(&name, value.clone());
        }
        // The SDK has no use for a key, and so cannot write it into a log.
        parts.headers.remove(&name);
    }
    // A page in a browser that reaches this service by another name has no key to send, so that the SDK's checks of names,
    // which are for servers without keys, have nothing to protect; and which names a proxy gives is not known here.
    parts.headers.insert(HOST, HeaderValue::from_static("anchord"));
    let body = whole(body).await?;
    let sent = body.clone();
    let is_json = is_json(&parts.headers);
    let peer = parts.extensions.get::<Peer>().copied();
    let server = Server { api: Arc::new(Local { router, headers, peer }), connection };
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MOST_BYTES),
    );
    let reply = service.handle(Request::from_parts(parts, Body::from(body))).await;
    if is_json && reply.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return Ok(no_message(&sent));
    }
    Ok(told(reply.map(Body::new)).await)
}

/// Whether the body is sent as JSON, as the SDK asks for it.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// The protocol's own error about a body that is none of its messages, which the SDK calls a wrong media type.
fn no_message(body: &[u8]) -> Response {
    let (id, error) = match serde_json::from_slice::<Value>(body) {
        Err(wrong) => (None, ErrorData::parse_error(format!("the body is no JSON: {wrong}"), None)),
        Ok(Value::Array(_)) => (None, ErrorData::invalid_request("send one message at a time", None)),
        Ok(value) => {
            let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
            (id, ErrorData::invalid_request("the body is no message of JSON-RPC 2.0", None))
        }
    };
    (StatusCode::BAD_REQUEST, Json(JsonRpcError::new(id, error))).into_response()
}

/// The body of a request.
async fn whole(body: Body) -> Result<Bytes, ApiError> {
    let read = Limited::new(body, MOST_BYTES).collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() {
            ApiError::TooLarge { what: "the body".to_owned(), limit: MOST_BYTES, unit: "bytes" }
        } else {
            ApiError::BadRequest("the body was cut off".to_owned())
        }
    });
    Ok(read?.to_bytes())
}

/// A reply with the SDK's words about a refusal, which are plain text, as the detail of a problem.
async fn told(reply: Response) -> Response {
    let is_json = reply.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if !reply.status().is_client_error() || is_json {
        return reply;
    }
    let (parts, body) = reply.into_parts();
    let words = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let detail = String::from_utf8_lossy(&words).into_owned();
    let problem = Problem { detail, ..Problem::of_status(parts.status, PATH) };
    let mut reply = Response::from_parts(parts, Body::empty());
    reply.extensions_mut().insert(problem);
    reply
}
