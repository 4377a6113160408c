//! Webhooks: the addresses that receive the events of a tenant.
//!
//! A secret is shown once, in the reply that creates it, which is never stored: with an `Idempotency-Key` nothing is
//! replayed where one is created.

use secrecy::{ExposeSecret as _, SecretString};

use crate::api::prelude::*;
use anchord_messages::id::WebhookId;
use anchord_store::webhooks::{CreateOutcome, MAX_WEBHOOKS, NewWebhook, Webhook, WebhookChange};
use anchord_webhooks::WebhookEvent;
use anchord_webhooks::target::{self, Reach};

/// All that exist; the schemas repeat the number.
const MAX_EVENTS: usize = WebhookEvent::COUNT;
/// The most characters of a description.
const MAX_DESCRIPTION_CHARS: usize = 500;
/// How long a rotated secret stays valid when the caller does not say.
const DEFAULT_OVERLAP_SECONDS: u32 = 24 * 60 * 60;
/// The longest time that a rotated secret may stay valid.
const MAX_OVERLAP_SECONDS: u32 = 7 * 24 * 60 * 60;

/// How a secret is replaced.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"overlap_seconds": 3600})), as = WebhookSecretRotation)]
pub struct SecretRotation {
    /// How long the old secret signs beside the new one, in seconds; default a day, 0 when it has leaked.
    #[schema(maximum = 604_800)]
    pub overlap_seconds: Option<u32>,
}

/// A webhook with a secret that was just made; this is the only reply that shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookWithSecret {
    /// The webhook.
    pub webhook: Webhook,
    /// The secret that signs its messages: `whsec_` and the secret in base64, as libraries for Standard Webhooks take it.
    #[schema(examples("whsec_…"))]
    pub secret: String,
}

/// The path of a webhook.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct WebhookPath {
    /// The webhook's id.
    pub webhook_id: WebhookId,
}

/// Lists the tenant's webhooks, oldest first.
#[utoipa::path(
    get, path = "/v1/webhooks", tag = "webhooks", operation_id = "webhooks.list", params(PageQuery),
    responses((status = 200, body = Page<Webhook>, description = "A page of webhooks."))
)]
pub async fn list_webhooks(
    Admin { caller, state }: Admin,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<Webhook>>> {
    let paging = Paging::<WebhookId>::read(&caller, "webhooks", query.limit, query.cursor.as_deref())?;
    let rows = state.store.list_webhooks(caller.tenant, paging.after, paging.rows()).await?;
    Ok(Reply(paging.page(rows, |webhook| webhook.id)))
}

/// Makes a webhook.
///
/// It receives the events listed under `webhooks`. The secret is shown in this
/// reply and never again, so an `Idempotency-Key` replays nothing here: erase what was made twice.
#[utoipa::path(
    post, path = "/v1/webhooks", tag = "webhooks", operation_id = "webhooks.create", request_body = NewWebhook,
    responses(
        (status = 201, body = WebhookWithSecret, description = "The webhook, and its secret; it is shown once."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "The tenant has 20 webhooks, which are the most.")
    )
)]
pub async fn create_webhook(
    Admin { caller, state }: Admin,
    _: IdempotencyKey,
    body: Json<NewWebhook>,
) -> Result<(StatusCode, Reply<WebhookWithSecret>)> {
    let mut new = body.value;
    check_url(&new.url, state.webhook_reach)?;
    check_description(new.description.as_deref())?;
    new.events = new.events.map(checked_events).transpose()?;
    match state.store.insert_webhook(caller.tenant, &new, caller.actor()).await? {
        CreateOutcome::Done(webhook, secret) => {
            Ok((StatusCode::CREATED, Reply(WebhookWithSecret::of(*webhook, &secret))))
        }
        CreateOutcome::TooMany => {
            Err(ApiError::Conflict(format!("a tenant has at most {MAX_WEBHOOKS} webhooks; erase one first")))
        }
    }
}

impl WebhookWithSecret {
    fn of(webhook: Webhook, secret: &SecretString) -> Self {
        Self { webhook, secret: secret.expose_secret().to_owned() }
    }
}

/// Reads a webhook.
#[utoipa::path(
    get, path = "/v1/webhooks/{webhook_id}", tag = "webhooks", operation_id = "webhooks.get", params(WebhookPath),
    responses((status = 200, body = Webhook, description = "The webhook."))
)]
pub async fn find_webhook(
    Admin { caller, state }: Admin,
    Path(path): Path<WebhookPath>,
) -> Result<Reply<Webhook>> {
    let found = state.store.find_webhook(caller.tenant, path.webhook_id).await?;
    Ok(Reply(found.or_missing(Kind::WebhookNotFound)?))
}

/// Changes a webhook, disables it or enables it again.
///
/// Deliveries that are pending for a webhook that is disabled are cancelled, and events while it is disabled are not
/// delivered; a cancelled delivery can be asked for again.
#[utoipa::path(
    patch, path = "/v1/webhooks/{webhook_id}", tag = "webhooks", operation_id = "webhooks.update", params(WebhookPath), request_body = WebhookChange,
    responses((status = 200, body = Webhook, description = "The webhook as it is now."))
)]
pub async fn change_webhook(
    Admin { caller, state }: Admin,
    Path(path): Path<WebhookPath>,
    body: Json<WebhookChange>,
) -> Result<Reply<Webhook>> {
    let mut change = body.value;
    if let Some(url) = &change.url {
        check_url(url, state.webhook_reach)?;
    }
    check_description(change.description.as_ref().and_then(Option::as_deref))?;
    change.events = change.events.map(|events| events.map(checked_events).transpose()).transpose()?;
    let found = state.store.change_webhook(caller.tenant, path.webhook_id, &change, caller.actor()).await?;
    Ok(Reply(found.or_missing(Kind::WebhookNotFound)?))
}

/// Erases a webhook with its deliveries.
#[utoipa::path(
    delete, path = "/v1/webhooks/{webhook_id}", tag = "webhooks", operation_id = "webhooks.delete", params(WebhookPath),
    responses((status = 204, description = "It is erased."))
)]
pub async fn delete_webhook(
    Admin { caller, state }: Admin,
    Path(path): Path<WebhookPath>,
) -> Result<StatusCode> {
    let is_gone = state.store.delete_webhook(caller.tenant, path.webhook_id, caller.actor()).await?;
    is_gone.then_some(StatusCode::NO_CONTENT).or_missing(Kind::WebhookNotFound)
}

/// Gives a webhook a new secret; the old one signs beside it for a while.
///
/// Until then `webhook-signature` holds a signature of each, so that receivers can change over at any time. A
/// rotation within the overlap of the one before ends the oldest secret at once.
#[utoipa::path(
    post, path = "/v1/webhooks/{webhook_id}/rotate", tag = "webhooks", operation_id = "webhooks.rotate_secret", params(WebhookPath),
    request_body = Option<SecretRotation>,
    responses((status = 200, body = WebhookWithSecret, description = "The webhook, and its new secret; it is shown once."))
)]
pub async fn rotate_webhook_secret(
    Admin { caller, state }: Admin,
    Path(path): Path<WebhookPath>,
    _: IdempotencyKey,
    body: OptionalJson<SecretRotation>,
) -> Result<Reply<WebhookWithSecret>> {
    let overlap = body.value.overlap_seconds.unwrap_or(DEFAULT_OVERLAP_SECONDS);
    if overlap > MAX_OVERLAP_SECONDS {
        return Err(ApiError::invalid("/overlap_seconds", format!("must be at most {MAX_OVERLAP_SECONDS}")));
    }
    let actor = caller.actor();
    let rotated = state.store.rotate_webhook_secret(caller.tenant, path.webhook_id, overlap, actor).await?;
    let (webhook, secret) = rotated.or_missing(Kind::WebhookNotFound)?;
    Ok(Reply(WebhookWithSecret::of(webhook, &secret)))
}

fn check_url(url: &str, reach: Reach) -> Result<()> {
    target::parse(url, reach).map(drop).map_err(|refused| ApiError::invalid("/url", refused.to_string()))
}

fn check_description(description: Option<&str>) -> Result<()> {
    let fits = |text: &str| text.chars().count() <= MAX_DESCRIPTION_CHARS && !text.contains('\0');
    if description.is_none_or(fits) {
        return Ok(());
    }
    let detail = format!("must have at most {MAX_DESCRIPTION_CHARS} characters, and no NUL");
    Err(ApiError::invalid("/description", detail))
}

/// Each event once, in the order of the documentation.
fn checked_events(mut events: Vec<WebhookEvent>) -> Result<Vec<WebhookEvent>> {
    if events.is_empty() {
        return Err(ApiError::invalid("/events", "must name at least one event; null stands for all"));
    }
    let named = events.len();
    if named > MAX_EVENTS {
        let detail = format!("{named} events; at most {MAX_EVENTS} are allowed");
        return Err(ApiError::invalid("/events", detail));
    }
    events.sort_unstable();
    events.dedup();
    Ok(events)
}
