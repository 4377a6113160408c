//! The HTTP API: authenticates, parses, calls the domain and the store, and replies.
//!
//! What lives here: the router as a table of contents, the extractors, problems, and one file per resource.
//! Invariant: every 4xx and 5xx reply is a problem (RFC 9457) with the request's id, no body holds an internal cause,
//! and the OpenAPI document has every operation with all of its replies.
//! Must not know: SQL (the store does), how a summary is made (domain and worker), the worker (both meet in the
//! store's queue), the environment (config).
//!
//! # How a handler is written
//!
//! ```text
//! /// Makes a version current again, as a new version.       ← summary in the OpenAPI document
//! ///
//! /// Further lines become its description.
//! #[utoipa::path(
//!     post, path = "/v1/sessions/{session_id}/…",
//!     tag = "summaries", operation_id = "summaries.…",        // a tag of openapi.rs, and a name in it
//!     params(VersionPath), request_body = Rollback,
//!     responses((status = 201, body = Version, description = "The new version."))
//! )]
//! pub async fn roll_back(
//!     Writer(caller): Writer,                                // first: who, and with which scope
//!     State(state): State<AppState>,
//!     Path(path): Path<VersionPath>,                         // then parameters
//!     key: IdempotencyKey,                                   // on every POST
//!     body: Json<Rollback>,                                  // the body is last
//! ) -> Result<KeptReply, ApiError> {
//!     let mut tx = state.store.begin(caller.tenant).await?;
//!     let claimed = match key.claim(&state.store, &mut tx, caller.tenant, body.digest).await? {
//!         Claim::Replay(reply) => return Ok(reply),          // before any precondition
//!         Claim::First(claimed) => claimed,
//!     };
//!     …                                                      // None → ApiError::NotFound(Kind::…)
//!     let reply = KeptReply::json(StatusCode::CREATED, &version)?;
//!     claimed.commit(&state.store, tx, Some(session), reply).await
//! }
//! ```
//!
//! 1. The authorisation is the first argument, so that an unauthenticated caller learns nothing else:
//!    [`auth::Reader`] on GET, [`auth::Writer`] on the rest, [`auth::Admin`], [`auth::Operator`].
//! 2. Parameters are structs with `deny_unknown_fields` in [`params::Path`] and [`params::Query`]; the
//!    body is [`json::Json`] or, when it may be absent, [`json::OptionalJson`].
//! 3. Lists use [`paging::Paging`]; their query names everything that narrows the list.
//! 4. Responses that every operation of the kind shares (401, 403, 404, 413, 415, 422, 429, 5xx,
//!    `Idempotency-Key`, `Prefer: return=minimal` on PUT and PATCH) are added by `openapi.rs`; a handler declares what is
//!    its own. `boundary.rs` honours the preference, so a handler returns the whole.
//! 5. The route goes into `routes` below, and `cargo run -- openapi > openapi/anchord.json` renews
//!    the committed document.

#![expect(
    clippy::missing_errors_doc,
    reason = "a handler's docs are its description in the API, where its problems are declared"
)]

mod accept;
pub mod admission;
pub mod append_reply;
pub mod assemblies;
pub mod audit;
pub mod auth;
pub mod batch;
pub mod bodies;
pub mod boundary;
pub mod branches;
pub mod calls;
pub mod compress;
pub mod compressions;
pub mod connections;
pub mod constraints;
pub mod context;
mod cors;
pub mod deliveries;
pub mod evaluations;
pub mod events;
pub mod export;
pub mod guesses;
pub mod handoff;
mod heavy;
pub mod idempotency;
pub mod import;
pub mod json;
pub mod keys;
pub mod ledger;
mod limits;
mod lingering;
pub mod message;
pub mod messages;
pub mod models;
pub mod notes;
mod openapi;
pub mod operator_token;
pub mod ops;
pub mod origins;
pub mod paging;
pub mod params;
pub mod pins;
pub mod preaggregate;
pub mod prefer;
pub mod probes;
pub mod problem;
pub mod quotas;
pub mod rate_limit;
pub mod recall;
pub mod replies;
mod routes;
mod scope;
pub mod sessions;
pub mod settings;
mod shares;
mod state;
pub mod streams;
pub mod summaries;
pub mod tasks;
pub mod tenants;
pub mod todos;
pub mod tokens;
pub mod tool_outputs;
pub mod tools;
pub mod transcript;
pub mod usage;
pub mod waits;
pub mod webhook_messages;
pub mod webhooks;

use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::Uri;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::{Router, middleware};
use tower_http::compression::CompressionLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use limits::Limits;
pub use state::{AppState, Shared};

use problem::ApiError;
use routes::Routes;

/// Every operation, in the order of the documentation.
fn operations() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(openapi::declared())
        .routes(routes!(
            sessions::put_session,
            sessions::patch_session,
            sessions::find_session,
            sessions::delete_session
        ))
        .routes(routes!(sessions::list_sessions))
        .routes(routes!(export::export_session))
        .routes(routes!(import::import_session))
        .routes(routes!(messages::append_messages, messages::list_messages))
        .routes(routes!(messages::release_message))
        .routes(routes!(context::find_context))
        .routes(routes!(transcript::sync_transcript))
        .routes(routes!(branches::list_branches, branches::create_branch))
        .routes(routes!(branches::find_branch, branches::delete_branch))
        .routes(routes!(branches::switch_branch))
        .routes(routes!(branches::truncate_session))
        .routes(routes!(tool_outputs::find_tool_output))
        .routes(routes!(tools::list_tools))
        .routes(routes!(tools::run_tool))
        .routes(routes!(notes::list_notes))
        .routes(routes!(notes::remove_note))
        .routes(routes!(pins::list_pins, pins::replace_pins, pins::add_pin))
        .routes(routes!(pins::remove_pin))
        .routes(routes!(pins::list_tenant_pins, pins::replace_tenant_pins, pins::add_tenant_pin))
        .routes(routes!(pins::remove_tenant_pin))
        .routes(routes!(settings::find_settings, settings::put_settings, settings::patch_settings))
        .routes(routes!(models::list_models))
        .routes(routes!(models::find_model, models::put_model, models::delete_model))
        .routes(routes!(constraints::remove_constraint))
        .routes(routes!(tokens::count_tokens))
        .routes(routes!(preaggregate::preaggregate_outputs))
        .routes(routes!(compress::compress_messages))
        .routes(routes!(compress::queued::find_compressed, compress::queued::erase_compressed))
        .routes(routes!(compressions::create_compression, compressions::list_compressions))
        .routes(routes!(compressions::find_compression, compressions::cancel_compression))
        .routes(routes!(calls::list_calls))
        .routes(routes!(summaries::find_summary))
        .routes(routes!(summaries::list_summaries))
        .routes(routes!(summaries::find_summary_version))
        .routes(routes!(summaries::diff_summary_versions))
        .routes(routes!(summaries::roll_back_summary))
        .routes(routes!(todos::find_todos, todos::replace_todos))
        .routes(routes!(summaries::find_state))
        .routes(routes!(events::follow_events))
        .routes(routes!(handoff::find_handoff))
        .routes(routes!(handoff::find_task_handoff))
        .routes(routes!(ledger::list_ledger))
        .routes(routes!(probes::list_probes, probes::create_probe))
        .routes(routes!(probes::change_probe, probes::remove_probe))
        .routes(routes!(evaluations::list_evaluations, evaluations::create_evaluation))
        .routes(routes!(evaluations::find_evaluation))
        .routes(routes!(keys::list_keys, keys::create_key))
        .routes(routes!(keys::revoke_key))
        .routes(routes!(keys::rotate_key))
        .routes(routes!(webhooks::list_webhooks, webhooks::create_webhook))
        .routes(routes!(webhooks::find_webhook, webhooks::change_webhook, webhooks::delete_webhook))
        .routes(routes!(webhooks::rotate_webhook_secret))
        .routes(routes!(deliveries::test_webhook))
        .routes(routes!(deliveries::list_deliveries))
        .routes(routes!(deliveries::find_delivery))
        .routes(routes!(deliveries::redeliver))
        .routes(routes!(audit::list_audit_events))
        .routes(routes!(tenants::create_tenant, tenants::list_tenants))
        .routes(routes!(
            tenants::find_tenant,
            tenants::put_tenant,
            tenants::patch_tenant,
            tenants::delete_tenant
        ))
        .routes(routes!(
            tenants::find_tenant_settings,
            tenants::put_tenant_settings,
            tenants::patch_tenant_settings
        ))
        .routes(routes!(keys::list_tenant_keys, keys::create_tenant_key))
        .routes(routes!(keys::revoke_tenant_key))
        .routes(routes!(keys::rotate_tenant_key))
        .routes(routes!(audit::list_all_audit_events))
        .routes(routes!(ops::find_health))
        .routes(routes!(ops::find_readiness))
        .routes(routes!(ops::find_metrics))
        .routes(routes!(recall::recall))
        .routes(routes!(recall::recall_over_sessions))
        .routes(routes!(usage::report_usage))
        .routes(routes!(usage::find_usage))
        .routes(routes!(quotas::find_quotas))
        .routes(routes!(tasks::find_task, tasks::put_task))
}

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
    let document = openapi::complete(document);
    let routes = operations.merge(ops::documentation(&document));
    let routes = if surface == Surface::Whole {
        routes
    } else {
        let served = (surface, served.clone());
        routes.route_layer(middleware::from_fn_with_state(served, serve_surface))
    };
    let routes = routes.fallback(async move |uri: Uri| served.unknown(uri.path()));
    let origins = cors::layer(&state.origins);
    let whole = routes::without_trailing_slash(with_boundary(routes, &state).with_state(state));
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

/// Wraps routes in what every request passes, from the outside in: id, span, metrics and problems; a task and a
/// timeout of its own; compression of replies; the memory for them.
pub fn with_boundary(routes: Router<AppState>, state: &AppState) -> Router<AppState> {
    routes
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        // The body extractors have their own limit, with a problem that names it.
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn(boundary::refuse_conditions))
        .layer(middleware::from_fn_with_state(state.clone(), boundary::count_reply))
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn_with_state(state.clone(), boundary::observe))
}
