//! Deliveries: the state of the messages to a webhook, and redelivery on request.

use crate::api::prelude::*;
use crate::api::webhooks::WebhookPath;
use anchord_messages::id::{DeliveryId, WebhookId};
use anchord_store::deliveries::{Delivery, Redelivery};
use anchord_webhooks::DeliveryStatus;

/// A delivery with what is sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = WebhookDeliveryDetail)]
pub struct DeliveryDetail {
    /// The delivery.
    pub delivery: Delivery,
    /// The body of the message.
    #[schema(value_type = anchord_webhooks::event::Event)]
    pub message: Value,
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
    responses((status = 200, body = Page<Delivery>, description = "A page of deliveries."))
)]
pub async fn list_deliveries(
    Admin { caller, state }: Admin,
    Path(path): Path<WebhookPath>,
    Query(query): Query<DeliveriesQuery>,
) -> Result<Reply<Page<Delivery>>> {
    let scope = format!("deliveries {} {}", path.webhook_id, query.status.map_or("all", <&str>::from));
    let paging = Paging::<DeliveryId>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let place = (caller.tenant, path.webhook_id);
    let found = state.store.list_deliveries(place, query.status, paging.after, paging.rows()).await?;
    let rows = found.or_missing(Kind::WebhookNotFound)?;
    Ok(Reply(paging.page(rows, |delivery| delivery.id)))
}

/// Reads a delivery, with the message that is sent.
#[utoipa::path(
    get, path = "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}", tag = "webhooks", operation_id = "webhooks.get_delivery", params(DeliveryPath),
    responses((status = 200, body = DeliveryDetail, description = "The delivery."))
)]
pub async fn find_delivery(
    Admin { caller, state }: Admin,
    Path(path): Path<DeliveryPath>,
) -> Result<Reply<DeliveryDetail>> {
    let found = state.store.find_delivery(caller.tenant, path.webhook_id, path.delivery_id).await?;
    let (delivery, body) = found.or_missing(Kind::DeliveryNotFound)?;
    let message = serde_json::from_str(&body).map_err(ApiError::internal)?;
    Ok(Reply(DeliveryDetail { delivery, message }))
}

/// Sends a test message, `webhook.test`.
///
/// It is delivered as every other message: signed, retried and logged.
#[utoipa::path(
    post, path = "/v1/webhooks/{webhook_id}/test", tag = "webhooks", operation_id = "webhooks.test", params(WebhookPath),
    responses(
        (status = 202, body = Delivery, description = "The delivery; it is on its way."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "The webhook is disabled, or the first request with this Idempotency-Key still runs.")
    )
)]
pub async fn test_webhook(
    Admin { caller, state }: Admin,
    Path(path): Path<WebhookPath>,
    key: IdempotencyKey,
) -> Result<KeptReply> {
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, [0; 32]).await?);
    let made = state.store.insert_test_delivery(&mut tx, caller.tenant, path.webhook_id).await?;
    let reply = queued(made, Kind::WebhookNotFound)?;
    claimed.commit(&state.store, tx, None, reply).await
}

/// Delivers a message again immediately, whatever its status.
///
/// It keeps its id and its body, and is tried again as a new one is.
#[utoipa::path(
    post, path = "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", tag = "webhooks", operation_id = "webhooks.redeliver", params(DeliveryPath),
    responses(
        (status = 202, body = Delivery, description = "The delivery; it is on its way."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "The webhook is disabled, the delivery is being tried, or the first request with this \
                        Idempotency-Key still runs.")
    )
)]
pub async fn redeliver(
    Admin { caller, state }: Admin,
    Path(path): Path<DeliveryPath>,
    key: IdempotencyKey,
) -> Result<KeptReply> {
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, [0; 32]).await?);
    let place = (caller.tenant, path.webhook_id);
    let made = state.store.redeliver(&mut tx, place, path.delivery_id).await?;
    let reply = queued(made, Kind::DeliveryNotFound)?;
    claimed.commit(&state.store, tx, None, reply).await
}

fn queued(made: Redelivery, missing: Kind) -> Result<KeptReply> {
    match made {
        Redelivery::Queued(delivery) => KeptReply::json(StatusCode::ACCEPTED, &delivery),
        Redelivery::NoDelivery => Err(ApiError::NotFound(missing)),
        Redelivery::Disabled => {
            Err(ApiError::Conflict("the webhook is disabled; enable it first".to_owned()))
        }
        Redelivery::Running => Err(ApiError::Conflict("it is being tried right now".to_owned())),
    }
}
