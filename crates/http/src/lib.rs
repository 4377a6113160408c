//! The HTTP API: authenticates, parses, calls the domain and the store, and replies.
//!
//! What lives here: the router as a table of contents, the extractors, problems, and one file per resource.
//! Invariant: every 4xx and 5xx reply is a problem (RFC 9457) with the request's id, no body holds an internal cause,
//! and the OpenAPI document has every operation with all of its replies.
//! Must not know: SQL (the store does), how a summary is made (domain and worker), the worker (both meet in the
//! store's queue), the environment (config).
//!
//! | folder | what it has |
//! |---|---|
//! | `api` | the operations, one file for each resource; how a handler is written |
//! | `extract` | what handlers take as arguments and give as replies |
//! | `admission` | limits: memory, processor time, quotas, rates, failed keys |
//! | `cells` | which cell a request is about |
//! | `edge` | connections, origins, unknown paths, the outermost layer |
//! | `problem` | errors, and the replies and pages that they become |

pub mod admission;
pub mod api;
pub mod cells;
pub mod edge;
pub mod extract;
mod known_branches;
mod limits;
mod openapi;
pub mod operator_token;
pub mod problem;
mod request_scope;
mod served_prefixes;
mod state;

use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::Uri;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::{Router, middleware};
use tower::ServiceBuilder;
use tower_http::compression::CompressionLayer;

pub use known_branches::KnownBranches;
pub use limits::Limits;
pub use request_scope::Scope;
pub use served_prefixes::ServedPrefixes;
pub use state::{AppState, Shared};

use api::{operations, ops};
use edge::unknown_paths::{self, Routes};
use edge::{boundary, cors};
use problem::ApiError;

/// The OpenAPI document.
pub fn openapi() -> serde_json::Value {
    openapi::complete(operations().into_openapi())
}

/// The part of the API that a listener serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// Everything.
    Whole,
    /// Everything but the operator's API and the metrics, which have a listener of their own.
    Public,
    /// The operator's API, the metrics, health and readiness.
    Operator,
}

impl Surface {
    fn has(self, route: &str) -> bool {
        let is_operators = route == "/metrics" || route.starts_with("/v1/admin/");
        match self {
            Self::Whole => true,
            Self::Public => !is_operators,
            Self::Operator => {
                is_operators || ["/healthz", "/readyz"].contains(&route) || route.starts_with("/problems")
            }
        }
    }
}

/// The whole API.
pub fn router(state: AppState) -> Router {
    router_of(Surface::Whole, state)
}

/// A part of the API.
pub fn router_of(surface: Surface, state: AppState) -> Router {
    let (operations, document) = operations().split_for_parts();
    let served = Routes::new(document.paths.paths.keys().filter(|route| surface.has(route)).cloned());
    let routes = operations.merge(ops::documentation());
    let routes = if surface == Surface::Whole {
        routes
    } else {
        let served = (surface, served.clone());
        routes.route_layer(middleware::from_fn_with_state(served, serve_surface))
    };
    let routes = routes.fallback(async move |uri: Uri| served.unknown(uri.path()));
    let origins = cors::layer(&state.origins);
    let whole = unknown_paths::without_trailing_slash(with_boundary(routes, &state).with_state(state));
    // Outermost, so that a preflight is answered before anything is asked of it, and every reply is marked.
    match origins {
        Some(origins) => whole.layer(origins),
        None => whole,
    }
}

/// A path that this listener does not serve does not exist.
async fn serve_surface(
    State((surface, served)): State<(Surface, Routes)>,
    request: Request,
    next: Next,
) -> Response {
    match request.extensions().get::<MatchedPath>() {
        Some(route) if surface.has(route.as_str()) => next.run(request).await,
        _ => served.unknown(request.uri().path()).into_response(),
    }
}

/// Wraps routes in what every request passes, from the outside in: id, span, metrics and problems; a
/// timeout, and a task of its own once the client has gone; compression of replies; the memory for them, and
/// the refusal of conditions that the service does not support.
pub fn with_boundary(routes: Router<AppState>, state: &AppState) -> Router<AppState> {
    // One layer of four, because the router boxes each that it is given, and what it passes on.
    let boundary = ServiceBuilder::new()
        .layer(middleware::from_fn_with_state(state.clone(), boundary::observe))
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn_with_state(state.clone(), boundary::admit_reply))
        // The body extractors have their own limit, with a problem that names it.
        .layer(DefaultBodyLimit::disable());
    routes.method_not_allowed_fallback(async || ApiError::MethodNotAllowed).layer(boundary)
}
