//! Endpoints for operating the service: health, readiness, metrics, and the OpenAPI document with its pages.

use std::io::Read as _;
use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Redirect;
use axum::routing::get;
use axum::{Router, middleware};
use flate2::read::GzDecoder;
use http_body_util::BodyExt as _;
use strum::VariantArray as _;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::api::prelude::*;
use crate::cells::Cell;
use crate::extract::accept;
use crate::problem::pages;
use anchord_store::compressions::{Kind, QueueState};

/// Content policy of the documentation's pages: nothing but their own files. They set styles within elements.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The health of the service.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Health {
    /// `ok` or `unavailable`.
    #[schema(examples("ok"))]
    status: &'static str,
}

/// Reports that the process is alive.
#[utoipa::path(
    get, path = "/healthz", tag = "health", operation_id = "health.live", security(()),
    responses((status = 200, body = Health, description = "It is alive."))
)]
pub async fn find_health() -> Reply<Health> {
    Reply(Health { status: "ok" })
}

/// Reports whether requests can be served: whether the database answers, or did within the last second.
#[utoipa::path(
    get, path = "/readyz", tag = "health", operation_id = "health.ready", security(()),
    responses(
        (status = 200, body = Health, description = "Requests can be served."),
        (status = 503, body = Health, description = "The database does not answer, or the process is about to end.")
    )
)]
pub async fn find_readiness(State(state): State<AppState>) -> Response {
    let ready = !state.tracker.is_closed() && state.admission.readiness.look(&state.store).await;
    if ready {
        Reply(Health { status: "ok" }).into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, Reply(Health { status: "unavailable" })).into_response()
    }
}

/// Serves metrics in the Prometheus text format.
#[utoipa::path(
    get, path = "/metrics", tag = "health", operation_id = "health.metrics",
    responses((status = 200, body = String, content_type = "text/plain", description = "The metrics; no label names a tenant."))
)]
pub async fn find_metrics(_: Operator, State(state): State<AppState>) -> Response {
    rendered_metrics(&state).await
}

/// The router of a separate listener: metrics without a token, and health, for processes without an API.
pub fn metrics_router(state: AppState) -> Router {
    Router::new()
        .route("/healthz", get(find_health))
        .route("/readyz", get(find_readiness))
        .route("/metrics", get(async |State(state): State<AppState>| rendered_metrics(&state).await))
        .with_state(state)
}

async fn rendered_metrics(state: &AppState) -> Response {
    // The queue is read only when metrics are requested, so that gauges that nobody reads cost no query.
    // A cell that is away is left out; all are asked at once, because it takes seconds to say so.
    let (mut queue, mut oldest) = (None, None);
    let [mut idle, mut in_use, mut most] = [0.0; 3];
    let asked = state.cells().into_iter().map(async |cell: Cell| {
        let read = futures::join!(cell.state.store.queue_state(), cell.state.store.oldest_due_delivery());
        (cell, read)
    });
    for (Cell { name: cell, state, .. }, read) in futures::future::join_all(asked).await {
        match read.0 {
            Ok(more) => queue.get_or_insert_with(Vec::new).extend(more),
            Err(error) => tracing::warn!(%error, cell, "metrics.queue_not_read"),
        }
        match read.1 {
            Ok(seconds) => oldest = Some(seconds.max(oldest.unwrap_or_default())),
            Err(error) => tracing::warn!(%error, cell, "metrics.deliveries_not_read"),
        }
        let connections = state.store.connections();
        idle += f64::from(connections.idle);
        in_use += f64::from(connections.open - connections.idle);
        most += f64::from(connections.most);
    }
    if let Some(queue) = queue {
        set_queue_gauges(&queue);
    }
    if let Some(seconds) = oldest {
        metrics::gauge!("anchord_webhook_oldest_due_seconds").set(seconds);
    }
    for (word, count) in [("idle", idle), ("in_use", in_use)] {
        metrics::gauge!("anchord_db_connections", "state" => word).set(count);
    }
    metrics::gauge!("anchord_db_connections_max").set(most);
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], state.metrics.render()).into_response()
}

/// Sets the gauges of all kinds and statuses, so that one without jobs does not keep its last value.
fn set_queue_gauges(queue: &[QueueState]) {
    for &kind in Kind::VARIANTS {
        let mut oldest = 0.0_f64;
        for status in ["queued", "running"] {
            let mut jobs = 0.0;
            // One of each cell.
            for known in queue.iter().filter(|state| state.kind == kind && state.status == status) {
                jobs += f64::from(u32::try_from(known.jobs).unwrap_or(u32::MAX));
                oldest = oldest.max(known.oldest_due_seconds.unwrap_or_default());
            }
            metrics::gauge!("anchord_queue_jobs", "kind" => <&str>::from(kind), "status" => status).set(jobs);
        }
        metrics::gauge!("anchord_queue_oldest_due_seconds", "kind" => <&str>::from(kind)).set(oldest);
    }
}

/// Decodes a page for a client that does not take gzip: the files are in the program as gzip alone, a third of their size.
async fn encoded_as_accepted(request: Request, next: Next) -> Response {
    let takes_gzip = accept::takes_gzip(request.headers());
    let (mut head, body) = next.run(request).await.into_parts();
    let is_gzip = head.headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding == "gzip");
    if is_gzip {
        head.headers.insert(header::VARY, header::ACCEPT_ENCODING.into());
    }
    if !is_gzip || takes_gzip {
        return Response::from_parts(head, body);
    }
    head.headers.remove(header::CONTENT_ENCODING);
    head.headers.remove(header::CONTENT_LENGTH);
    let decoded = async {
        let packed = body.collect().await?.to_bytes();
        let mut file = Vec::new();
        // The reply to a HEAD has no body.
        if !packed.is_empty() {
            GzDecoder::new(packed.as_ref()).read_to_end(&mut file)?;
        }
        anyhow::Ok(file)
    };
    match decoded.await {
        Ok(file) => Response::from_parts(head, Body::from(file)),
        Err(error) => ApiError::internal(error).into_response(),
    }
}

/// The OpenAPI document as JSON, made when it is first asked for: it takes tens of milliseconds, which no start should wait for.
static DOCUMENT: LazyLock<String> = LazyLock::new(|| crate::openapi().to_string());

/// Serves the OpenAPI document, the pages that show it, and those that explain problems.
pub(crate) fn documentation() -> Router<AppState> {
    let kind = HeaderValue::from_static("application/json");
    let pages: Router<AppState> = SwaggerUi::new("/docs").config(Config::from("/openapi.json")).into();
    let header = |name, value| SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value));
    let pages = pages.layer(middleware::from_fn(encoded_as_accepted)).merge(pages::routes());
    let pages = pages
        .layer(header(header::CONTENT_SECURITY_POLICY, PAGE_POLICY))
        .layer(header(header::X_FRAME_OPTIONS, "DENY"))
        .layer(header(header::REFERRER_POLICY, "no-referrer"));
    // Who opens the bare address in a browser wants to know what this is.
    let pages = pages.route("/", get(async || Redirect::temporary("/docs")));
    pages.route("/openapi.json", get(async move || ([(header::CONTENT_TYPE, kind)], DOCUMENT.as_str())))
}
