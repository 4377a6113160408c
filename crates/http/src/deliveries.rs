//! Deliveries: the state of the messages to a webhook, and redelivery on request.

use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::auth::Admin;
use super::idempotency::{Claim, IdempotencyKey, KeptReply};
use super::json::Reply;
use super::paging::{Page, Paging};
use super::params::{Path, Query};
use super::problem::{ApiError, Problem, Resource};
use super::state::AppState;
use super::webhooks::WebhookPath;
use anchord_messages::id::{BranchName, DeliveryId, SessionName, WebhookId};
use anchord_store::deliveries::{Delivery, Redelivery};
use anchord_webhooks::{DeliveryStatus, Failure};

/// A message to a webhook and what became of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(examples(json!({
    "id": "dlv_01929f5be2c47c3fb1c4a6d24b4e1a10",
    "webhook_id": "whk_01929f5be2c47c3fb1c4a6d24b4e1a11",
    "event": "summary.published",
    "session_id": "planner",
    "status": "pending",
    "attempts": 2,
    "last_status_code": 503,
    "last_error": "status",
    "last_duration_ms": 41,
    "last_attempt_at": "2026-01-05T09:31:05.000Z",
    "next_attempt_at": "2026-01-05T09:32:12.000Z",
    "created_at": "2026-01-05T09:31:00.000Z",
    "finished_at": null
})))]
#[schema(as = WebhookDelivery)]
pub struct DeliveryView {
    /// The message's id: `webhook-id` of every attempt, and the same for every webhook that gets the message.
    pub id: DeliveryId,
    /// The webhook.
    pub webhook_id: WebhookId,
    /// The type of the event.
    #[schema(examples("summary.published"))]
    pub event: String,
    /// The session that it is about; null for a test.
    #[schema(required = true, inline)]
    pub session_id: Option<SessionName>,
    /// The branch of the session; absent when it is `main`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, inline)]
    pub branch: Option<BranchName>,
    /// Its status.
    pub status: DeliveryStatus,
    /// Attempts so far.
    pub attempts: i32,
    /// What the receiver answered last; null when it did not.
    #[schema(required = true)]
    pub last_status_code: Option<i32>,
    /// Why the last attempt failed: `status`, `timeout`, `connection`, `tls` or `address`; null when it
    /// succeeded.
    #[schema(required = true)]
    pub last_error: Option<Failure>,
    /// The duration of the last attempt, in milliseconds.
    #[schema(required = true)]
    pub last_duration_ms: Option<i64>,
    /// When it was last tried.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub last_attempt_at: Option<DateTime<Utc>>,
    /// When it is tried next; null while it is being tried and when it is not tried again.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// When it was made: in the commit of its event.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
    /// When it succeeded or was given up.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub finished_at: Option<DateTime<Utc>>,
}

/// A delivery with what is sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = WebhookDeliveryDetail)]
pub struct DeliveryDetail {
    /// The delivery.
    pub delivery: DeliveryView,
    /// The body of the message.
    #[schema(value_type = anchord_webhooks::event::Event)]
    pub message: Value,
}

impl From<Delivery> for DeliveryView {
    fn from(delivery: Delivery) -> Self {
        Self {
            id: delivery.id,
            webhook_id: delivery.webhook,
            event: delivery.event,
            session_id: delivery.session,
            branch: delivery.branch,
            status: delivery.status,
            attempts: delivery.attempts,
            last_status_code: delivery.last_status_code,
            last_error: delivery.last_error,
            last_duration_ms: delivery.last_duration_ms,
            last_attempt_at: delivery.last_attempt_at,
            next_attempt_at: delivery.next_attempt_at,
            created_at: delivery.created_at,
            finished_at: delivery.finished_at,
        }
    }
}

/// Which deliveries to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DeliveriesQuery {
    /// Only deliveries with this status.
    #[param(inline)]
    pub status: Option<DeliveryStatus>,
    /// Items of the page.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[param(max_length = 1024)]
    pub cursor: Option<String>,
}

/// The path of a delivery.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct DeliveryPath {
    /// The webhook's id.
    pub webhook_id: WebhookId,
    /// The delivery's id.
    pub delivery_id: DeliveryId,
}

/// Lists a webhook's deliveries, newest first.
///
/// They are kept for thirty days, and no longer than the session that they are about.
#[utoipa::path(
    get, path = "/v1/webhooks/{webhook_id}/deliveries", tag = "webhooks", operation_id = "webhooks.list_deliveries", params(WebhookPath, DeliveriesQuery),
    responses((status = 200, body = Page<DeliveryView>, description = "A page of deliveries."))
)]
pub async fn list_deliveries(
    Admin(caller): Admin,
    State(state): State<AppState>,
    Path(path): Path<WebhookPath>,
    Query(query): Query<DeliveriesQuery>,
) -> Result<Reply<Page<DeliveryView>>, ApiError> {
    let scope =
        format!("deliveries {} {}", path.webhook_id, query.status.map_or("all", DeliveryStatus::as_str));
    let paging = Paging::<DeliveryId>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let place = (caller.tenant, path.webhook_id);
    let rows = state.store.list_deliveries(place, query.status, paging.after, paging.rows()).await?;
    let rows = rows.ok_or(ApiError::NotFound(Resource::Webhook))?;
    Ok(Reply(paging.page(rows, |delivery| delivery.id, Into::into)))
}

/// Reads a delivery, with the message that is sent.
#[utoipa::path(
    get, path = "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}", tag = "webhooks", operation_id = "webhooks.get_delivery", params(DeliveryPath),
    responses((status = 200, body = DeliveryDetail, description = "The delivery."))
)]
pub async fn find_delivery(
    Admin(caller): Admin,
    State(state): State<AppState>,
    Path(path): Path<DeliveryPath>,
) -> Result<Reply<DeliveryDetail>, ApiError> {
    let found = state.store.find_delivery(caller.tenant, path.webhook_id, path.delivery_id).await?;
    let (delivery, body) = found.ok_or(ApiError::NotFound(Resource::Delivery))?;
    let message = serde_json::from_str(&body).map_err(ApiError::internal)?;
    Ok(Reply(DeliveryDetail { delivery: delivery.into(), message }))
}

/// Sends a test message, `webhook.test`.
///
/// It is delivered as every other message: signed, retried and logged.
#[utoipa::path(
    post, path = "/v1/webhooks/{webhook_id}/test", tag = "webhooks", operation_id = "webhooks.test", params(WebhookPath),
    responses(
        (status = 202, body = DeliveryView, description = "The delivery; it is on its way."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "The webhook is disabled, or the first request with this Idempotency-Key still runs.")
    )
)]
pub async fn test_webhook(
    Admin(caller): Admin,
    State(state): State<AppState>,
    Path(path): Path<WebhookPath>,
    key: IdempotencyKey,
) -> Result<KeptReply, ApiError> {
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = match key.claim(&state.store, &mut tx, &caller, [0; 32]).await? {
        Claim::Replay(reply) => return Ok(reply),
        Claim::First(claimed) => claimed,
    };
    let made = state.store.insert_test_delivery(&mut tx, caller.tenant, path.webhook_id).await?;
    let reply = queued(made, Resource::Webhook)?;
    claimed.keep(&state.store, &mut tx, None, &reply).await?;
    tx.commit().await?;
    Ok(reply)
}

/// Delivers a message again immediately, whatever its status.
///
/// It keeps its id and its body, and is tried again as a new one is.
#[utoipa::path(
    post, path = "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", tag = "webhooks", operation_id = "webhooks.redeliver", params(DeliveryPath),
    responses(
        (status = 202, body = DeliveryView, description = "The delivery; it is on its way."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "The webhook is disabled, the delivery is being tried, or the first request with this \
                        Idempotency-Key still runs.")
    )
)]
pub async fn redeliver(
    Admin(caller): Admin,
    State(state): State<AppState>,
    Path(path): Path<DeliveryPath>,
    key: IdempotencyKey,
) -> Result<KeptReply, ApiError> {
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = match key.claim(&state.store, &mut tx, &caller, [0; 32]).await? {
        Claim::Replay(reply) => return Ok(reply),
        Claim::First(claimed) => claimed,
    };
    let place = (caller.tenant, path.webhook_id);
    let made = state.store.redeliver(&mut tx, place, path.delivery_id).await?;
    let reply = queued(made, Resource::Delivery)?;
    claimed.keep(&state.store, &mut tx, None, &reply).await?;
    tx.commit().await?;
    Ok(reply)
}

fn queued(made: Redelivery, missing: Resource) -> Result<KeptReply, ApiError> {
    match made {
        Redelivery::Queued(delivery) => KeptReply::json(StatusCode::ACCEPTED, &DeliveryView::from(*delivery)),
        Redelivery::NoDelivery => Err(ApiError::NotFound(missing)),
        Redelivery::Disabled => {
            Err(ApiError::Conflict("the webhook is disabled; enable it first".to_owned()))
        }
        Redelivery::Running => Err(ApiError::Conflict("it is being tried right now".to_owned())),
    }
}
