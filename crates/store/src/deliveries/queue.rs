//! The queue of deliveries: claims due attempts, settles them under their fence, and deletes old deliveries.
//!
//! A claim postpones the row's due time by a lease of thirty seconds. An attempt takes at most ten, so there is no
//! heartbeat, no presence and no status `running`; a dead worker delays a delivery by half a minute. Claims run one
//! at a time, because they count the running attempts of all processes. A tenant has at most sixteen concurrent
//! attempts, but each of its webhooks may always have one: otherwise four dead receivers would delay the fifth.

use std::fmt;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretSlice};

use super::{named, parsed};
use crate::prelude::*;
use crate::secrets::Unreadable;
use anchord_messages::id::{DeliveryId, WebhookId};
use anchord_webhooks::event::Event;
use anchord_webhooks::{DeliveryStatus, DisabledReason, Failure};

/// A webhook is disabled when every attempt has failed for this many days.
const FAILING_DAYS: i32 = 5;

/// The secrets that sign a message, the current one first.
#[derive(Clone, Debug)]
pub struct Secrets(Result<Vec<SecretSlice<u8>>, Unreadable>);

impl Secrets {
    /// The bytes of each secret.
    ///
    /// # Errors
    /// When one of them cannot be decrypted.
    pub fn expose(&self) -> Result<impl Iterator<Item = &[u8]>, &Unreadable> {
        self.0.as_ref().map(|secrets| secrets.iter().map(SecretSlice::expose_secret))
    }
}

/// A claimed attempt.
#[derive(Clone)]
pub struct Attempt {
    /// The tenant of the webhook.
    pub tenant: TenantId,
    /// The webhook that receives the message.
    pub webhook: WebhookId,
    /// The message's id.
    pub id: DeliveryId,
    /// The number of the attempt; it is the fence under which its outcome is recorded.
    pub attempt: i32,
    /// Attempts since the message was created or redelivered, this one included.
    pub tries: u32,
    /// The address of the webhook.
    pub url: String,
    /// The secrets that sign the message.
    pub secrets: Secrets,
    /// The body of the message.
    pub body: String,
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may contain a token, and the body is the tenant's data.
        f.debug_struct("Attempt")
            .field("id", &self.id)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptOutcome {
    /// The status code of the response.
    pub status_code: Option<u16>,
    /// Why it failed; `None` when it succeeded.
    pub failure: Option<Failure>,
    /// Whether the receiver answered that it wants no more messages.
    pub gone: bool,
    /// How long the attempt took.
    pub took: Duration,
    /// The wait before the next attempt; `None` when the delivery is given up.
    pub again_after: Option<Duration>,
}

/// The state of a delivery after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryState {
    /// The status of the delivery; `None` when a newer attempt holds the fence, or the delivery was erased with its
    /// session.
    pub status: Option<DeliveryStatus>,
    /// Why this attempt disabled the webhook; `None` when it did not.
    pub disabled: Option<DisabledReason>,
}

/// A claimed delivery before it is read.
pub(crate) struct DueDelivery {
    pub(crate) tenant_id: Uuid,
    pub(crate) webhook_id: Uuid,
    pub(crate) id: Uuid,
    pub(crate) attempts: i32,
    pub(crate) tries: i32,
    pub(crate) event: String,
    pub(crate) payload: serde_json::Value,
    pub(crate) session_name: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) event_id: Option<i64>,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) url: String,
    pub(crate) secret: Vec<u8>,
    pub(crate) previous_secret: Option<Vec<u8>>,
}

impl Store {
    /// Claims at most `limit` due attempts of all tenants, within the limits of concurrent attempts of a webhook and
    /// of a tenant, and commits.
    pub async fn claim_deliveries(
        &self,
        lease: Duration,
        limit: i32,
        shares: (i32, i32),
    ) -> Result<Vec<Attempt>> {
        let rows = self.claim_due_deliveries(lease, limit, shares).await?;
        let claimed = rows.into_iter().filter_map(|row| {
            // Skip a row that does not parse, so that it does not block the others; its lease ends by itself.
            let (session, branch) = match named(row.id, row.session_name, row.branch) {
                Ok(named) => named,
                Err(error) => {
                    tracing::error!(%error, "webhooks.not_read");
                    return None;
                }
            };
            let event = Event {
                id: row.event_id,
                kind: row.event,
                session_id: session,
                branch,
                created_at: row.created_at,
                data: row.payload.as_object().cloned().unwrap_or_default(),
            };
            let (tenant, webhook) = (TenantId(row.tenant_id), WebhookId(row.webhook_id));
            let secrets = std::iter::once(row.secret).chain(row.previous_secret);
            let secrets = secrets.map(|stored| self.secret_keys.decrypt(tenant, webhook, stored));
            Some(Attempt {
                tenant,
                webhook,
                id: DeliveryId(row.id),
                attempt: row.attempts,
                tries: u32::try_from(row.tries).unwrap_or_default(),
                url: row.url,
                secrets: Secrets(secrets.collect()),
                body: event.text(),
            })
        });
        Ok(claimed.collect())
    }

    /// Records the outcome of an attempt. Disables the webhook when it is gone or has failed for days.
    pub async fn settle_delivery(&self, attempt: &Attempt, ended: &AttemptOutcome) -> Result<DeliveryState> {
        let mut tx = self.begin(attempt.tenant).await?;
        // Lock order: webhooks before their deliveries.
        let disabled = match ended.failure {
            None => {
                note_success(&mut tx, attempt).await?;
                None
            }
            Some(_) => note_failure(&mut tx, attempt, ended.gone).await?,
        };
        let is_final = ended.gone || ended.again_after.is_none();
        let status = sqlx::query_scalar!(
            "update webhook_deliveries d
             set status = word.status, leased_until = null,
                 due_at = case when word.status = 'pending' then now() + make_interval(secs => $7) end,
                 finished_at = case when word.status <> 'pending' then now() end,
                 last_status_code = $5, last_error = $6, last_duration_ms = $8
             from webhooks k
             cross join lateral (
               select case when $6::text is null then 'succeeded' when $9::boolean then 'failed'
                           when k.disabled_reason is not null then 'cancelled' else 'pending' end as status
             ) word
             where d.tenant_id = $1 and d.webhook_id = $2 and d.id = $3 and d.attempts = $4 and d.status = 'pending'
               and k.tenant_id = $1 and k.id = $2
             returning d.status",
            attempt.tenant.0,
            attempt.webhook.0,
            attempt.id.0,
            attempt.attempt,
            ended.status_code.map(i32::from),
            ended.failure.map(<&str>::from),
            ended.again_after.unwrap_or_default().as_secs_f64(),
            i64::try_from(ended.took.as_millis()).unwrap_or(i64::MAX),
            is_final
        )
        .fetch_optional(&mut *tx)
        .await?;
        if disabled.is_some() {
            cancel_pending(&mut tx, attempt.tenant, attempt.webhook).await?;
        }
        tx.commit().await?;
        let status = status.map(|word| parsed(attempt.id.0, &word)).transpose()?;
        Ok(DeliveryState { status, disabled })
    }
}

async fn note_success(tx: &mut PgConnection, attempt: &Attempt) -> Result<()> {
    sqlx::query!(
        "update webhooks set failing_since = null where tenant_id = $1 and id = $2 and failing_since is not null",
        attempt.tenant.0,
        attempt.webhook.0
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Records the first failure after a success, and disables the webhook when it is gone or has failed for too long.
/// Returns the reason when it disabled the webhook.
async fn note_failure(
    tx: &mut PgConnection,
    attempt: &Attempt,
    gone: bool,
) -> Result<Option<DisabledReason>> {
    let word = sqlx::query_scalar!(
        "update webhooks k
         set failing_since = coalesce(k.failing_since, now()),
             disabled_reason = ends.reason, disabled_at = case when ends.reason is not null then now() end
         from (select case when $5::boolean then 'gone'
                           when w.failing_since < now() - make_interval(days => $6) then 'failing' end as reason
               from webhooks w where w.tenant_id = $1 and w.id = $2) ends
         where k.tenant_id = $1 and k.id = $2 and k.disabled_reason is null
           and (k.failing_since is null or ends.reason is not null)
           and exists (select from webhook_deliveries d
                       where d.tenant_id = $1 and d.webhook_id = $2 and d.id = $3 and d.attempts = $4
                         and d.status = 'pending')
         returning k.disabled_reason",
        attempt.tenant.0,
        attempt.webhook.0,
        attempt.id.0,
        attempt.attempt,
        gone,
        FAILING_DAYS
    )
    .fetch_optional(tx)
    .await?;
    Ok(word.flatten().and_then(|word| word.parse::<DisabledReason>().ok()))
}

/// Cancels the pending deliveries of a webhook. Locked and leased ones are left to the attempt that holds them, or to
/// the janitor.
pub(crate) async fn cancel_pending(
    tx: &mut PgConnection,
    tenant: TenantId,
    webhook: WebhookId,
) -> Result<()> {
    sqlx::query!(
        "update webhook_deliveries d
         set status = 'cancelled', due_at = null, leased_until = null, finished_at = now()
         from (select x.id from webhook_deliveries x
               where x.tenant_id = $1 and x.webhook_id = $2 and x.status = 'pending' and x.leased_until is null
               for update skip locked) pending
         where d.tenant_id = $1 and d.webhook_id = $2 and d.id = pending.id",
        tenant.0,
        webhook.0
    )
    .execute(tx)
    .await?;
    Ok(())
}
