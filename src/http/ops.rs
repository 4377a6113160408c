//! For those who run the service: health, metrics, the OpenAPI document and its pages.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::AppState;
use super::auth::Operator;
use super::json::Reply;

/// How the service is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Health {
    /// `ok` or `unavailable`.
    #[schema(examples("ok"))]
    status: &'static str,
}

/// Tells that the process is alive.
#[utoipa::path(
    get, path = "/healthz", tag = "operations", security(()),
    responses((status = 200, body = Health, description = "It is alive."))
)]
pub async fn find_health() -> Reply<Health> {
    Reply(Health { status: "ok" })
}

/// Tells whether requests can be served: whether the database answers.
#[utoipa::path(
    get, path = "/readyz", tag = "operations", security(()),
    responses(
        (status = 200, body = Health, description = "Requests can be served."),
        (status = 503, body = Health, description = "The database does not answer, or the process is about to end.")
    )
)]
pub async fn find_readiness(State(state): State<AppState>) -> Response {
    let ready = !state.tracker.is_closed() && state.store.ping().await.is_ok();
    if ready {
        Reply(Health { status: "ok" }).into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, Reply(Health { status: "unavailable" })).into_response()
    }
}

/// Serves metrics in the Prometheus text format.
#[utoipa::path(
    get, path = "/metrics", tag = "operations",
    responses((status = 200, body = String, content_type = "text/plain", description = "The metrics; no label names a tenant."))
)]
pub async fn find_metrics(_: Operator, State(state): State<AppState>) -> Response {
    rendered_metrics(&state).await
}

/// The metrics alone, without a token, for a listen address of their own.
pub fn metrics_router(state: AppState) -> Router {
    Router::new()
        .route("/metrics", get(async |State(state): State<AppState>| rendered_metrics(&state).await))
        .with_state(state)
}

async fn rendered_metrics(state: &AppState) -> Response {
    // Asked for when it is read: a gauge that nobody reads costs no query.
    if let Ok(depth) = state.store.queue_depth().await {
        for status in ["queued", "running"] {
            let jobs = depth.iter().find(|(known, _)| known == status).map_or(0, |(_, jobs)| *jobs);
            metrics::gauge!("anchord_queue_jobs", "status" => status)
                .set(f64::from(u32::try_from(jobs).unwrap_or(u32::MAX)));
        }
    }
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], state.metrics.render()).into_response()
}

/// Serves the OpenAPI document and the pages that show it.
pub(super) fn documentation(document: &serde_json::Value) -> Router<AppState> {
    let json = document.to_string();
    let kind = HeaderValue::from_static("application/json");
    let pages: Router<AppState> = SwaggerUi::new("/docs").config(Config::from("/openapi.json")).into();
    pages.route("/openapi.json", get(async move || ([(header::CONTENT_TYPE, kind)], json)))
}
