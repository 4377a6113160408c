//! Requests of pages from other origins (CORS): off unless the operator names origins.
//!
//! The layer stands before everything else, so that a preflight needs no key and counts against no rate. Keys are headers
//! that a page sets itself, so no credentials of the browser are ever allowed.

use std::time::Duration;

use axum::http::{HeaderName, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::edge::boundary::REQUEST_ID;
use crate::edge::origins::Origins;
use crate::extract::auth::X_API_KEY;
use crate::extract::idempotency::{IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED};
use crate::extract::prefer::PREFERENCE_APPLIED;

/// How long a browser may keep the answer to a preflight. Chromium caps it at two hours.
const MAX_AGE: Duration = Duration::from_hours(2);

/// The layer that answers preflights and marks replies; `None` when no origin is allowed.
pub(crate) fn layer(origins: &Origins) -> Option<CorsLayer> {
    let origins = match origins {
        Origins::None => return None,
        Origins::Any => AllowOrigin::any(),
        Origins::These(origins) => AllowOrigin::list(origins.iter().cloned()),
    };
    let name = HeaderName::from_static;
    let sent = [
        header::AUTHORIZATION,
        X_API_KEY,
        header::ACCEPT,
        header::CONTENT_TYPE,
        header::IF_NONE_MATCH,
        IDEMPOTENCY_KEY,
        REQUEST_ID,
        name("prefer"),
        name("last-event-id"),
        name("traceparent"),
    ];
    let exposed = [
        REQUEST_ID,
        header::RETRY_AFTER,
        name("ratelimit"),
        name("ratelimit-policy"),
        header::LOCATION,
        header::ETAG,
        header::ALLOW,
        IDEMPOTENT_REPLAYED,
        PREFERENCE_APPLIED,
    ];
    let methods = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let layer = CorsLayer::new().allow_origin(origins).allow_methods(methods).allow_headers(sent);
    Some(layer.expose_headers(exposed).max_age(MAX_AGE))
}
