//! Deliveries: the messages to webhooks, as a queue for those who deliver and as a log for those who ask.
//!
//! Invariant: a row is written in the commit of its event ([`super::events`]), and only who holds the fence
//! of an attempt says what became of it. What a claim does not settle comes again when its lease ends.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret as _, SecretSlice};
use serde_json::{Value, json};
use sqlx::PgConnection;
use tokio::sync::Notify;
use uuid::Uuid;

use super::{Store, StoreError};
use crate::domain::id::{DeliveryId, SessionName, TenantId, WebhookId};
use crate::domain::webhook::{self, DeliveryStatus, DisabledReason, Failure, TEST_EVENT};

/// The channel that tells of new deliveries.
pub(super) const CHANNEL: &str = "anchord_deliveries";
/// How long deliveries are kept, in days.
const KEPT_DAYS: i32 = 30;
/// Deliveries that one statement forgets or takes back.
const AT_ONCE: i32 = 5_000;
/// A webhook of which every attempt has failed for so many days is disabled.
const FAILING_DAYS: i32 = 5;

/// A message to a webhook and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The message's id.
    pub id: DeliveryId,
    /// Where it goes.
    pub webhook: WebhookId,
    /// The session that it is about.
    pub session: Option<SessionName>,
    /// What it tells.
    pub event: String,
    /// Where it stands.
    pub status: DeliveryStatus,
    /// Attempts so far.
    pub attempts: i32,
    /// What the receiver answered last.
    pub last_status_code: Option<i32>,
    /// Why the last attempt failed.
    pub last_error: Option<Failure>,
    /// How long the last attempt took, in ms.
    pub last_duration_ms: Option<i64>,
    /// When it was last tried.
    pub last_attempt_at: Option<DateTime<Utc>>,
    /// When it is tried next; `None` while it is being tried and when it is not tried again.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was settled.
    pub finished_at: Option<DateTime<Utc>>,
}

/// Secrets that sign a message, the current one first.
#[derive(Clone, Debug)]
pub struct Secrets(Vec<SecretSlice<u8>>);

impl Secrets {
    /// The bytes of each.
    pub fn expose(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(SecretSlice::expose_secret)
    }
}

/// One attempt that was claimed.
#[derive(Clone)]
pub struct Attempt {
    /// Whose it is.
    pub tenant: TenantId,
    /// Where it goes.
    pub webhook: WebhookId,
    /// The message's id.
    pub id: DeliveryId,
    /// Its number, and the fence of what is said about it.
    pub attempt: i32,
    /// Attempts since the message was made, or asked for again, this one included.
    pub tries: u32,
    /// Where the webhook is.
    pub url: String,
    /// What signs it.
    pub secrets: Secrets,
    /// What is sent.
    pub body: String,
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An address may hold a token, and the body is the tenant's.
        f.debug_struct("Attempt")
            .field("id", &self.id)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What the receiver answered.
    pub status_code: Option<u16>,
    /// Why it failed; `None` when it succeeded.
    pub failure: Option<Failure>,
    /// The receiver wants to hear nothing any more.
    pub gone: bool,
    /// How long it took.
    pub took: Duration,
    /// When a failed one is tried again; `None` when it is given up.
    pub again_after: Option<Duration>,
}

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Where it stands; `None` when another attempt holds the fence, or it is gone with its session.
    pub status: Option<DeliveryStatus>,
    /// Why its webhook was disabled just now.
    pub disabled: Option<DisabledReason>,
}

/// What became of the wish to deliver something again.
#[derive(Clone, Debug)]
pub enum Redelivery {
    /// It is pending.
    Queued(Box<Delivery>),
    /// There is no such delivery.
    NoDelivery,
    /// Its webhook is disabled.
    Disabled,
    /// It is being tried.
    Running,
}

impl Store {
    /// Hears of deliveries that may be due.
    #[must_use]
    pub fn deliveries_due(&self) -> Arc<Notify> {
        Arc::clone(&self.due)
    }

    /// Lists a webhook's deliveries, newest first; `None` when there is no such webhook.
    ///
    /// # Errors
    /// When the database fails or a row does not parse.
    pub async fn list_deliveries(
        &self,
        (tenant, webhook): (TenantId, WebhookId),
        status: Option<DeliveryStatus>,
        before: Option<DeliveryId>,
        limit: i64,
    ) -> Result<Option<Vec<Delivery>>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let known = sqlx::query_scalar!(
            "select id from webhooks where tenant_id = $1 and id = $2",
            tenant.0,
            webhook.0
        )
        .fetch_optional(&mut *tx)
        .await?;
        if known.is_none() {
            return Ok(None);
        }
        let rows = sqlx::query_as!(
            Row,
            r#"select d.webhook_id, d.id, s.name as "session?", d.event_id, d.event, d.payload, d.status, d.due_at,
                      d.leased_until > now() as "running?", d.attempts, d.last_status_code, d.last_error,
                      d.last_duration_ms, d.last_attempt_at, d.created_at, d.finished_at
               from webhook_deliveries d
               left join sessions s on s.tenant_id = d.tenant_id and s.id = d.session_id
               where d.tenant_id = $1 and d.webhook_id = $2 and ($3::uuid is null or d.id < $3)
                 and ($4::text is null or d.status = $4)
               order by d.id desc limit $5"#,
            tenant.0,
            webhook.0,
            before.map(|id| id.0),
            status.map(DeliveryStatus::as_str),
            limit
        )
        .fetch_all(&mut *tx)
        .await?;
        rows.into_iter().map(|row| Ok(row.read()?.0)).collect::<Result<_, _>>().map(Some)
    }

    /// Finds a delivery with what is sent.
    ///
    /// # Errors
    /// When the database fails or the row does not parse.
    pub async fn find_delivery(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        id: DeliveryId,
    ) -> Result<Option<(Delivery, String)>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        find(&mut tx, (tenant, webhook), id).await
    }

    /// Makes a message that tries a webhook.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn insert_test_delivery(
        &self,
        tx: &mut PgConnection,
        tenant: TenantId,
        webhook: WebhookId,
    ) -> Result<Redelivery, StoreError> {
        let id = DeliveryId(Uuid::now_v7());
        let payload = json!({"webhook_id": webhook.to_string()});
        let enabled = sqlx::query_scalar!(
            r#"with made as (
                 insert into webhook_deliveries (tenant_id, webhook_id, id, event, payload)
                 select k.tenant_id, k.id, $3, $4, $5::text::json from webhooks k
                 where k.tenant_id = $1 and k.id = $2 and k.disabled_reason is null for key share
                 returning 1
               )
               select exists (select from made) as "enabled!" from webhooks k where k.tenant_id = $1 and k.id = $2"#,
            tenant.0,
            webhook.0,
            id.0,
            TEST_EVENT,
            payload.to_string()
        )
        .fetch_optional(&mut *tx)
        .await?;
        match enabled {
            None => return Ok(Redelivery::NoDelivery),
            Some(false) => return Ok(Redelivery::Disabled),
            Some(true) => {}
        }
        wake(tx).await?;
        let made = find(tx, (tenant, webhook), id).await?;
        Ok(made.map_or(Redelivery::NoDelivery, |(made, _)| Redelivery::Queued(Box::new(made))))
    }

    /// Makes a delivery due at once, whatever became of it before.
    ///
    /// # Errors
    /// When the database fails or the row does not parse.
    pub async fn redeliver(
        &self,
        tx: &mut PgConnection,
        (tenant, webhook): (TenantId, WebhookId),
        id: DeliveryId,
    ) -> Result<Redelivery, StoreError> {
        let row = sqlx::query!(
            r#"select k.disabled_reason is not null as "disabled!", coalesce(d.leased_until > now(), false) as "running!"
               from webhook_deliveries d join webhooks k on k.tenant_id = d.tenant_id and k.id = d.webhook_id
               where d.tenant_id = $1 and d.webhook_id = $2 and d.id = $3 for update of d"#,
            tenant.0,
            webhook.0,
            id.0
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(row) = row else { return Ok(Redelivery::NoDelivery) };
        if row.disabled || row.running {
            return Ok(if row.disabled { Redelivery::Disabled } else { Redelivery::Running });
        }
        sqlx::query!(
            "update webhook_deliveries
             set tries = case when status = 'pending' then tries else 0 end,
                 status = 'pending', due_at = now(), leased_until = null, finished_at = null
             where tenant_id = $1 and webhook_id = $2 and id = $3",
            tenant.0,
            webhook.0,
            id.0
        )
        .execute(&mut *tx)
        .await?;
        wake(tx).await?;
        let queued = find(tx, (tenant, webhook), id).await?;
        Ok(queued.map_or(Redelivery::NoDelivery, |(queued, _)| Redelivery::Queued(Box::new(queued))))
    }

    /// Claims attempts that are due, over all tenants, and commits.
    ///
    /// # Errors
    /// When the database fails or a row does not parse.
    pub async fn claim_deliveries(
        &self,
        lease: Duration,
        limit: i32,
        (per_webhook, per_tenant): (i32, i32),
    ) -> Result<Vec<Attempt>, StoreError> {
        let rows = sqlx::query!(
            r#"select tenant_id as "tenant_id!", webhook_id as "webhook_id!", id as "id!", attempts as "attempts!",
                      tries as "tries!", event as "event!", payload as "payload!", session_name, event_id,
                      created_at as "created_at!", url as "url!", secret as "secret!", previous_secret
               from claim_deliveries($1, $2, $3, $4)"#,
            lease.as_secs_f64(),
            limit,
            per_webhook,
            per_tenant
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter()
            .map(|row| {
                let session = named(row.id, row.session_name)?;
                let body = body(&row.event, row.created_at, session.as_ref().zip(row.event_id), &row.payload);
                let secrets = std::iter::once(row.secret).chain(row.previous_secret);
                Ok(Attempt {
                    tenant: TenantId(row.tenant_id),
                    webhook: WebhookId(row.webhook_id),
                    id: DeliveryId(row.id),
                    attempt: row.attempts,
                    tries: u32::try_from(row.tries).unwrap_or_default(),
                    url: row.url,
                    secrets: Secrets(secrets.map(SecretSlice::from).collect()),
                    body,
                })
            })
            .collect()
    }

    /// Settles an attempt, and disables its webhook when it is gone or has failed for days.
    ///
    /// # Errors
    /// When the database fails or the row does not parse.
    pub async fn settle_delivery(&self, attempt: &Attempt, ended: &Ended) -> Result<Settled, StoreError> {
        let mut tx = self.begin(attempt.tenant).await?;
        // Webhooks are locked before their deliveries.
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
            ended.failure.map(Failure::as_str),
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
        Ok(Settled { status, disabled })
    }

    /// Forgets deliveries that are older than a month and takes back what is pending for disabled webhooks,
    /// over all tenants; gives how many were forgotten.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn tidy_deliveries(&self) -> Result<i64, StoreError> {
        loop {
            let taken = sqlx::query_scalar!(r#"select cancel_stranded_deliveries($1) as "taken!""#, AT_ONCE)
                .fetch_one(&self.pool)
                .await?;
            if taken < AT_ONCE {
                break;
            }
        }
        let mut all = 0;
        loop {
            let gone =
                sqlx::query_scalar!(r#"select forget_old_deliveries($1, $2) as "gone!""#, KEPT_DAYS, AT_ONCE)
                    .fetch_one(&self.pool)
                    .await?;
            all += i64::from(gone);
            if gone < AT_ONCE {
                return Ok(all);
            }
        }
    }

    /// For how many seconds the oldest delivery that is due has been due, over all tenants.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn oldest_due_delivery(&self) -> Result<f64, StoreError> {
        let seconds = sqlx::query_scalar!(r#"select oldest_due_delivery() as "seconds!""#);
        Ok(seconds.fetch_one(&self.pool).await?)
    }
}

async fn note_success(tx: &mut PgConnection, attempt: &Attempt) -> Result<(), StoreError> {
    sqlx::query!(
        "update webhooks set failing_since = null where tenant_id = $1 and id = $2 and failing_since is not null",
        attempt.tenant.0,
        attempt.webhook.0
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Notes a failure that is the first of a row or the last that is borne; tells why the webhook is disabled.
async fn note_failure(
    tx: &mut PgConnection,
    attempt: &Attempt,
    gone: bool,
) -> Result<Option<DisabledReason>, StoreError> {
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
    Ok(word.flatten().and_then(|word| DisabledReason::parse(&word)))
}

/// Takes back what is pending for a webhook. What someone else holds is left to whoever settles it, or to
/// the upkeep.
pub(super) async fn cancel_pending(
    tx: &mut PgConnection,
    tenant: TenantId,
    webhook: WebhookId,
) -> Result<(), StoreError> {
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

/// Tells every process, with the commit, that a delivery is due.
async fn wake(tx: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query_scalar!(r#"select pg_notify($1, '') is null as "told!""#, CHANNEL).fetch_one(tx).await?;
    Ok(())
}

struct Row {
    webhook_id: Uuid,
    id: Uuid,
    session: Option<String>,
    event_id: Option<i64>,
    event: String,
    payload: Value,
    status: String,
    due_at: Option<DateTime<Utc>>,
    running: Option<bool>,
    attempts: i32,
    last_status_code: Option<i32>,
    last_error: Option<String>,
    last_duration_ms: Option<i64>,
    last_attempt_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    finished_at: Option<DateTime<Utc>>,
}

impl Row {
    fn read(self) -> Result<(Delivery, String), StoreError> {
        let session = named(self.id, self.session)?;
        let body = body(&self.event, self.created_at, session.as_ref().zip(self.event_id), &self.payload);
        let delivery = Delivery {
            id: DeliveryId(self.id),
            webhook: WebhookId(self.webhook_id),
            session,
            event: self.event,
            status: parsed(self.id, &self.status)?,
            attempts: self.attempts,
            last_status_code: self.last_status_code,
            last_error: self.last_error.as_deref().and_then(Failure::parse),
            last_duration_ms: self.last_duration_ms,
            last_attempt_at: self.last_attempt_at,
            next_attempt_at: self.due_at.filter(|_| self.running != Some(true)),
            created_at: self.created_at,
            finished_at: self.finished_at,
        };
        Ok((delivery, body))
    }
}

async fn find(
    tx: &mut PgConnection,
    (tenant, webhook): (TenantId, WebhookId),
    id: DeliveryId,
) -> Result<Option<(Delivery, String)>, StoreError> {
    sqlx::query_as!(
        Row,
        r#"select d.webhook_id, d.id, s.name as "session?", d.event_id, d.event, d.payload, d.status, d.due_at,
                  d.leased_until > now() as "running?", d.attempts, d.last_status_code, d.last_error,
                  d.last_duration_ms, d.last_attempt_at, d.created_at, d.finished_at
           from webhook_deliveries d
           left join sessions s on s.tenant_id = d.tenant_id and s.id = d.session_id
           where d.tenant_id = $1 and d.webhook_id = $2 and d.id = $3"#,
        tenant.0,
        webhook.0,
        id.0
    )
    .fetch_optional(tx)
    .await?
    .map(Row::read)
    .transpose()
}

fn named(id: Uuid, name: Option<String>) -> Result<Option<SessionName>, StoreError> {
    let read = |name: String| {
        SessionName::parse(&name)
            .map_err(|error| StoreError::corrupt("webhook_deliveries", "session_id", id, error))
    };
    name.map(read).transpose()
}

fn parsed(id: Uuid, word: &str) -> Result<DeliveryStatus, StoreError> {
    let status = DeliveryStatus::parse(word);
    status.ok_or_else(|| StoreError::corrupt("webhook_deliveries", "status", id, "unknown word"))
}

fn body(event: &str, at: DateTime<Utc>, place: Option<(&SessionName, i64)>, payload: &Value) -> String {
    let payload = payload.as_object().cloned().unwrap_or_default();
    webhook::body(event, at, place, payload)
}
