//! Webhooks: the addresses that receive a tenant's events. [`super::events`] writes the messages to them, and
//! [`super::deliveries`] records the deliveries.
//!
//! Invariant: a secret leaves the service only in the reply that creates it, and in signatures; with a key, no row has one
//! as it is.

use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

use super::audit::{self, Actor};
use super::deliveries;
use super::error::expect_rows;
use super::owner::deliveries::StoredSecrets;
use super::secrets::SEALED;
use crate::prelude::*;
use anchord_messages::id::WebhookId;
use anchord_webhooks::signature::{self, SECRET_BYTES};
use anchord_webhooks::{DisabledReason, WebhookEvent};

/// The most webhooks of a tenant.
pub const MAX_WEBHOOKS: i64 = 20;
/// How many webhooks are read at once whose secrets are encrypted again.
const SECRETS_AT_ONCE: i64 = 500;

/// A webhook, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(examples(json!({
    "id": "whk_01929f5be2c47c3fb1c4a6d24b4e1a10",
    "url": "https://hooks.example.com/anchord",
    "events": ["summary.published", "compression.failed"],
    "description": "tells the orchestrator",
    "enabled": true,
    "disabled_reason": null,
    "disabled_at": null,
    "failing_since": null,
    "previous_secret_until": null,
    "created_at": "2026-01-05T09:30:00.000Z",
    "updated_at": "2026-01-05T09:30:00.000Z"
})))]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// Where it is.
    pub url: String,
    /// The events that it gets; null for all.
    #[schema(required = true)]
    pub events: Option<Vec<WebhookEvent>>,
    /// A description for people.
    #[schema(required = true)]
    pub description: Option<String>,
    /// Whether it gets anything.
    pub enabled: bool,
    /// Why it gets nothing: `caller`, `gone` (the receiver answered 410) or `failing` (every attempt of five
    /// days failed); null while it is enabled.
    #[schema(required = true)]
    pub disabled_reason: Option<DisabledReason>,
    /// Since when it gets nothing.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub disabled_at: Option<DateTime<Utc>>,
    /// When the first of the attempts failed since which none has succeeded; null when the last one did.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub failing_since: Option<DateTime<Utc>>,
    /// The previous secret stays valid until this time.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub previous_secret_until: Option<DateTime<Utc>>,
    /// When it was created.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub updated_at: DateTime<Utc>,
}

/// A webhook to create.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({
    "url": "https://hooks.example.com/anchord",
    "events": ["summary.published", "compression.failed"],
    "description": "tells the orchestrator"
})))]
#[schema(as = CreateWebhook)]
pub struct NewWebhook {
    /// Where it is: `https`, and public on the internet, unless the operator allows others.
    #[schema(min_length = 1, max_length = 2048, format = "uri")]
    pub url: String,
    /// The events that it gets; all of them, also later ones, when it is absent or null.
    #[schema(min_items = 1, max_items = 7)]
    pub events: Option<Vec<WebhookEvent>>,
    /// A description for people.
    #[schema(max_length = 500)]
    pub description: Option<String>,
    /// Whether it gets anything.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub enabled: bool,
}

fn yes() -> bool {
    true
}

/// A change of a webhook; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"enabled": true, "events": null})), as = WebhookPatch)]
pub struct WebhookChange {
    /// The URL. Pending deliveries go to the new one.
    #[schema(min_length = 1, max_length = 2048, format = "uri")]
    pub url: Option<String>,
    /// The events that it gets; null for all.
    #[serde(default, deserialize_with = "anchord_messages::patch::present")]
    #[schema(value_type = Option<Vec<WebhookEvent>>, min_items = 1, max_items = 7)]
    pub events: Option<Option<Vec<WebhookEvent>>>,
    /// A description for people; null removes it.
    #[serde(default, deserialize_with = "anchord_messages::patch::present")]
    #[schema(value_type = Option<String>, max_length = 500)]
    pub description: Option<Option<String>>,
    /// Whether it gets messages. Deliveries that are pending when it is disabled are cancelled.
    pub enabled: Option<bool>,
}

/// The outcome of creating a webhook.
#[derive(Clone, Debug)]
pub enum CreateOutcome {
    /// It is created, with this secret.
    Done(Box<Webhook>, SecretString),
    /// The tenant has the most webhooks that it may have.
    TooMany,
}

impl Store {
    /// Creates a webhook and its secret.
    pub async fn insert_webhook(
        &self,
        tenant: TenantId,
        new: &NewWebhook,
        actor: Actor,
    ) -> Result<CreateOutcome> {
        let mut tx = self.begin(tenant).await?;
        // Lock the tenant, so that two requests cannot both take the last place. Sessions can be created meanwhile.
        sqlx::query!("select from tenants where id = $1 for no key update", tenant.0)
            .fetch_optional(&mut *tx)
            .await?;
        let known = sqlx::query_scalar!(
            r#"select count(*) as "known!" from webhooks where tenant_id = $1"#,
            tenant.0
        )
        .fetch_one(&mut *tx)
        .await?;
        if known >= MAX_WEBHOOKS {
            return Ok(CreateOutcome::TooMany);
        }
        let id = WebhookId(Uuid::now_v7());
        let secret = rand::random::<[u8; SECRET_BYTES]>();
        let events = words(new.events.as_deref());
        let done = sqlx::query!(
            "insert into webhooks (tenant_id, id, url, description, events, secret, disabled_reason, disabled_at)
             values ($1, $2, $3, $4, $5, $6, case when not $7::boolean then 'caller' end,
                     case when not $7 then now() end)",
            tenant.0,
            id.0,
            new.url,
            new.description,
            events.as_deref(),
            self.secret_keys.encrypt(tenant, id, &secret)?,
            new.enabled
        )
        .execute(&mut *tx)
        .await?;
        expect_rows("the insert of a webhook", 1, done.rows_affected())?;
        audit::record(&mut tx, tenant, actor, "webhook.created", id).await?;
        let Some(made) = find(&mut tx, tenant, id).await? else { return Ok(CreateOutcome::TooMany) };
        tx.commit().await?;
        Ok(CreateOutcome::Done(Box::new(made), SecretString::from(signature::told(&secret))))
    }

    /// Lists a tenant's webhooks, oldest first.
    pub async fn list_webhooks(
        &self,
        tenant: TenantId,
        after: Option<WebhookId>,
        limit: i64,
    ) -> Result<Vec<Webhook>> {
        let mut tx = self.snapshot(tenant).await?;
        let rows = sqlx::query_as!(
            Row,
            "select id, url, description, events, disabled_reason, disabled_at, failing_since,
                    case when previous_secret_until > now() then previous_secret_until end as previous_secret_until,
                    created_at, updated_at
             from webhooks where tenant_id = $1 and ($2::uuid is null or id > $2) order by id limit $3",
            tenant.0,
            after.map(|id| id.0),
            limit
        )
        .fetch_all(&mut *tx)
        .await?;
        rows.into_iter().map(Row::read).collect()
    }

    /// Finds a webhook.
    pub async fn find_webhook(&self, tenant: TenantId, id: WebhookId) -> Result<Option<Webhook>> {
        let mut tx = self.snapshot(tenant).await?;
        find(&mut tx, tenant, id).await
    }

    /// Changes a webhook; `None` when there is no such webhook. Disabling it cancels its pending deliveries; enabling
    /// it resets its failures.
    pub async fn change_webhook(
        &self,
        tenant: TenantId,
        id: WebhookId,
        change: &WebhookChange,
        actor: Actor,
    ) -> Result<Option<Webhook>> {
        let mut tx = self.begin(tenant).await?;
        let events = change.events.as_ref().and_then(|events| words(events.as_deref()));
        let description = change.description.as_ref().and_then(Option::as_deref);
        let done = sqlx::query!(
            "update webhooks
             set url = coalesce($3, url),
                 description = case when $4::boolean then $5 else description end,
                 events = case when $6::boolean then $7 else events end,
                 failing_since = case when $3 <> url or $8::boolean and disabled_reason is not null then null
                                      else failing_since end,
                 disabled_reason = case when $8::boolean then null when not $8 then coalesce(disabled_reason, 'caller')
                                        else disabled_reason end,
                 disabled_at = case when $8::boolean then null when not $8 then coalesce(disabled_at, now())
                                    else disabled_at end,
                 updated_at = now()
             where tenant_id = $1 and id = $2",
            tenant.0,
            id.0,
            change.url,
            change.description.is_some(),
            description,
            change.events.is_some(),
            events.as_deref(),
            change.enabled
        )
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(None);
        }
        if change.enabled == Some(false) {
            deliveries::queue::cancel_pending(&mut tx, tenant, id).await?;
        }
        audit::record(&mut tx, tenant, actor, "webhook.changed", id).await?;
        let changed = find(&mut tx, tenant, id).await?;
        tx.commit().await?;
        Ok(changed)
    }

    /// Erases a webhook with its deliveries; returns `false` when there is no such webhook.
    pub async fn delete_webhook(&self, tenant: TenantId, id: WebhookId, actor: Actor) -> Result<bool> {
        // Disable it first, in a transaction of its own: a new event must not wait for the deletion of the
        // deliveries.
        let mut tx = self.begin(tenant).await?;
        let done = sqlx::query!(
            "update webhooks set disabled_reason = coalesce(disabled_reason, 'caller'),
                                 disabled_at = coalesce(disabled_at, now())
             where tenant_id = $1 and id = $2",
            tenant.0,
            id.0
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        let mut tx = self.begin(tenant).await?;
        // Deleting a long log of deliveries takes long.
        sqlx::query!("set local statement_timeout = 0").execute(&mut *tx).await?;
        let done = sqlx::query!("delete from webhooks where tenant_id = $1 and id = $2", tenant.0, id.0)
            .execute(&mut *tx)
            .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        audit::record(&mut tx, tenant, actor, "webhook.deleted", id).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Gives a webhook a new secret. The previous one signs beside it for a while, and the one before that no longer.
    /// `None` when there is no such webhook.
    pub async fn rotate_webhook_secret(
        &self,
        tenant: TenantId,
        id: WebhookId,
        overlap_seconds: u32,
        actor: Actor,
    ) -> Result<Option<(Webhook, SecretString)>> {
        let secret = rand::random::<[u8; SECRET_BYTES]>();
        let mut tx = self.begin(tenant).await?;
        let done = sqlx::query!(
            "update webhooks
             set previous_secret = case when $4::float8 > 0 then secret end,
                 previous_secret_until = case when $4 > 0 then now() + make_interval(secs => $4) end,
                 secret = $3, updated_at = now()
             where tenant_id = $1 and id = $2",
            tenant.0,
            id.0,
            self.secret_keys.encrypt(tenant, id, &secret)?,
            f64::from(overlap_seconds)
        )
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(None);
        }
        audit::record(&mut tx, tenant, actor, "webhook.rotated", id).await?;
        let Some(rotated) = find(&mut tx, tenant, id).await? else { return Ok(None) };
        tx.commit().await?;
        Ok(Some((rotated, SecretString::from(signature::told(&secret)))))
    }

    /// Encrypts again what another key than the first has encrypted, or none; returns how many webhooks had such
    /// secrets, tenants such keys of providers and cells such an address, and how many of them keep one because it cannot be
    /// decrypted.
    ///
    /// # Errors
    /// When the database fails; what was encrypted before stays.
    pub async fn encrypt_secrets_again(&self) -> Result<(usize, usize)> {
        let Some(head) = self.secret_keys.head() else { return Ok((0, 0)) };
        let (mut found, mut unreadable) = self.encrypt_addresses_again(&head).await?;
        let mut after = (Uuid::nil(), Uuid::nil());
        loop {
            let rows = self.secrets_of_other_keys(&head, after, SECRETS_AT_ONCE).await?;
            let Some(last) = rows.last() else { return Ok((found, unreadable)) };
            after = (last.tenant.0, last.webhook.0);
            for StoredSecrets { tenant, webhook: id, secret: stored, previous: old } in rows {
                found += 1;
                if id == SEALED {
                    unreadable += usize::from(!self.encrypt_provider_keys_again(tenant).await?);
                    continue;
                }
                let again = |stored: Vec<u8>| match self.secret_keys.decrypt(tenant, id, stored) {
                    Ok(secret) => self.secret_keys.encrypt(tenant, id, secret.expose_secret()).map(Some),
                    Err(error) => {
                        tracing::error!(tenant.id = %tenant, webhook.id = %id, %error, "webhooks.secret_unreadable");
                        Ok(None)
                    }
                };
                let Some(secret) = again(stored.clone())? else {
                    unreadable += 1;
                    continue;
                };
                let previous = old.clone().map(again).transpose()?.flatten();
                let mut tx = self.begin(tenant).await?;
                // A rotation meanwhile has encrypted with the first key.
                sqlx::query!(
                    "update webhooks set secret = $3, previous_secret = $4
                     where tenant_id = $1 and id = $2 and secret = $5 and previous_secret is not distinct from $6",
                    tenant.0,
                    id.0,
                    secret,
                    previous,
                    stored,
                    old
                )
                .execute(&mut *tx)
                .await?;
                tx.commit().await?;
            }
        }
    }
}

struct Row {
    id: Uuid,
    url: String,
    description: Option<String>,
    events: Option<Vec<String>>,
    disabled_reason: Option<String>,
    disabled_at: Option<DateTime<Utc>>,
    failing_since: Option<DateTime<Utc>>,
    previous_secret_until: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl Row {
    fn read(self) -> Result<Webhook> {
        let corrupt = |column| StoreError::corrupt("webhooks", column, self.id, "unknown word");
        // Skip an event that only a newer version of the service has.
        let known = |names: Vec<String>| names.iter().filter_map(|name| WebhookEvent::parse(name)).collect();
        let (word, disabled_at) = self.disabled_reason.zip(self.disabled_at).unzip();
        let parsed = |word: String| word.parse::<DisabledReason>().map_err(|_| corrupt("disabled_reason"));
        let disabled_reason = word.map(parsed).transpose()?;
        Ok(Webhook {
            id: WebhookId(self.id),
            url: self.url,
            description: self.description,
            events: self.events.map(known),
            enabled: disabled_reason.is_none(),
            disabled_reason,
            disabled_at,
            failing_since: self.failing_since,
            previous_secret_until: self.previous_secret_until,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

async fn find(tx: &mut PgConnection, tenant: TenantId, id: WebhookId) -> Result<Option<Webhook>> {
    sqlx::query_as!(
        Row,
        "select id, url, description, events, disabled_reason, disabled_at, failing_since,
                case when previous_secret_until > now() then previous_secret_until end as previous_secret_until,
                created_at, updated_at
         from webhooks where tenant_id = $1 and id = $2",
        tenant.0,
        id.0
    )
    .fetch_optional(tx)
    .await?
    .map(Row::read)
    .transpose()
}

fn words(events: Option<&[WebhookEvent]>) -> Option<Vec<String>> {
    events.map(|events| events.iter().map(|event| event.as_str().to_owned()).collect())
}
