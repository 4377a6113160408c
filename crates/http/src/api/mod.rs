//! The operations, one file for each resource: its requests, its replies and its handlers.
//!
//! # How a handler is written
//!
//! Names that most operations use come from `prelude`.
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
//!     Writer { caller, state }: Writer,                      // first: who, and with which scope
//!     Path(path): Path<VersionPath>,                         // then parameters
//!     key: IdempotencyKey,                                   // on every POST
//!     body: Json<Rollback>,                                  // the body is last
//! ) -> Result<KeptReply> {
//!     let mut tx = state.store.begin(caller.tenant).await?;
//!     let claimed = key.claim(&state.store, &mut tx, caller.tenant, body.digest).await?;
//!     let claimed = first_or_replay!(claimed);               // before any precondition
//!     …                                                      // None → `.or_missing(Kind::…)?`
//!     let reply = KeptReply::json(StatusCode::CREATED, &version)?;
//!     claimed.commit(&state.store, tx, Some(session), reply).await
//! }
//! ```
//!
//! 1. The authorisation is the first argument, so that an unauthenticated caller learns nothing else:
//!    [`Reader`] on GET, [`Writer`] on the rest, [`Admin`], [`Operator`].
//! 2. Parameters are structs with `deny_unknown_fields` in [`Path`] and [`Query`]; the
//!    body is [`Json`] or, when it may be absent, [`OptionalJson`].
//! 3. Lists use [`Paging`]; their query names everything that narrows the list.
//! 4. Responses that every operation of the kind shares (401, 403, 404, 413, 415, 422, 429, 5xx,
//!    `Idempotency-Key`) are added by `openapi.rs`; a handler declares what is its own.
//! 5. The route goes into `operations` below, and `cargo run -- openapi > openapi/anchord.json` renews
//!    the committed document.
//!
//! Appends are the exception: `messages.rs` passes the key on to `store::gather`, which stores the reply with the messages.

pub mod append_reply;
pub mod audit;
pub mod batch;
pub mod branches;
pub mod calls;
pub mod compress;
pub mod compressions;
pub mod context;
pub mod deliveries;
pub mod dropped;
pub mod evaluations;
pub mod events;
pub mod export;
pub mod handoff;
pub mod import;
pub mod keys;
pub mod ledger;
pub mod message;
pub mod messages;
pub mod models;
pub mod notes;
pub mod ops;
pub mod pins;
pub mod preaggregate;
pub(crate) mod prelude;
pub mod probes;
pub mod quotas;
pub mod recall;
pub mod served;
pub mod sessions;
pub mod settings;
pub mod summaries;
pub mod tasks;
pub mod tenants;
pub mod todos;
pub mod tokens;
pub mod tool_outputs;
pub mod tools;
pub mod transcript;
pub mod usage;
pub mod webhook_messages;
pub mod webhooks;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::prelude::*;
use crate::openapi;

/// Every operation, in the order of the documentation.
pub(crate) fn operations() -> OpenApiRouter<AppState> {
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
        .routes(routes!(served::list_served))
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
        .routes(routes!(dropped::remove_constraint))
        .routes(routes!(dropped::close_request))
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
        .routes(routes!(keys::find_current_key))
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
        .routes(routes!(tenants::find_tenant, tenants::patch_tenant, tenants::delete_tenant))
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
