//! Webhook deliveries: one row for each message to a webhook, which is both the dispatcher's queue and the caller's
//! log.
//!
//! What lives here: listing deliveries, test messages and redelivery; `queue` claims and settles attempts.
//! Invariant: a row is written in the transaction of its event ([`super::events`]), and only the holder of an
//! attempt's fence records its outcome. A claimed attempt that is not settled is repeated when its lease ends.
//!
//! The statement that writes an event also writes a row for each subscribed webhook. A dispatcher that read stored
//! events instead would need a position up to which all events are visible. Event ids follow the order of commits
//! within a session only, so it would skip events that commit late. For a tenant without webhooks the cost is one
//! index lookup (0.02 to 0.05 ms); an event with twenty webhooks adds twenty rows to the append's transaction.

pub mod queue;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{bounds, channel};
use crate::prelude::*;
use anchord_messages::id::{DeliveryId, WebhookId};
use anchord_webhooks::event::Event;
use anchord_webhooks::{DeliveryStatus, Failure, TEST_EVENT};

/// A message to a webhook and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
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
pub struct Delivery {
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
    /// The receiver's last answer; null when there was none.
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

/// The outcome of a redelivery or a test message.
#[derive(Clone, Debug)]
pub enum Redelivery {
    /// The delivery is due.
    Queued(Box<Delivery>),
    /// There is no such delivery or webhook.
    NoDelivery,
    /// The webhook is disabled.
    Disabled,
    /// An attempt is running.
    Running,
}

impl Store {
    /// Is notified when deliveries may be due.
    pub fn deliveries_due(&self) -> Arc<Notify> {
        Arc::clone(&self.due)
    }

    /// Lists a webhook's deliveries, newest first; `None` when there is no such webhook.
    pub async fn list_deliveries(
        &self,
        (tenant, webhook): (TenantId, WebhookId),
        status: Option<DeliveryStatus>,
        before: Option<DeliveryId>,
        limit: i64,
    ) -> Result<Option<Vec<Delivery>>> {
        let mut tx = self.snapshot(tenant).await?;
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
            r#"select d.webhook_id, d.id, coalesce(main.name, s.name) as session, s.branch as "branch?", d.event_id, d.event, d.payload, d.status, d.due_at,
                      d.leased_until > now() as "running?", d.attempts, d.last_status_code, d.last_error,
                      d.last_duration_ms, d.last_attempt_at, d.created_at, d.finished_at
               from webhook_deliveries d
               left join sessions s on s.tenant_id = d.tenant_id and s.id = d.session_id
               left join sessions main on main.tenant_id = s.tenant_id and main.id = s.root_id
               where d.tenant_id = $1 and d.webhook_id = $2 and ($3::uuid is null or d.id < $3)
                 and ($4::text is null or d.status = $4)
                 -- Those of an erased session are deleted in steps.
                 and (d.session_id is null or s.id is not null)
               order by d.id desc limit $5"#,
            tenant.0,
            webhook.0,
            before.map(|id| id.0),
            status.map(<&str>::from),
            limit
        )
        .fetch_all(&mut *tx)
        .await?;
        rows.into_iter().map(|row| Ok(row.read()?.0)).collect::<Result<_, _>>().map(Some)
    }

    /// Finds a delivery and the body that is sent; `None` when there is no such delivery.
    pub async fn find_delivery(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        id: DeliveryId,
    ) -> Result<Option<(Delivery, String)>> {
        let mut tx = self.snapshot(tenant).await?;
        find(&mut tx, (tenant, webhook), id).await
    }

    /// Queues a test message to a webhook.
    pub async fn insert_test_delivery(
        &self,
        tx: &mut PgConnection,
        tenant: TenantId,
        webhook: WebhookId,
    ) -> Result<Redelivery> {
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
        bounds::require_delivery_room(tx, tenant, webhook.0).await?;
        wake(tx).await?;
        let made = find(tx, (tenant, webhook), id).await?;
        Ok(made.map_or(Redelivery::NoDelivery, |(made, _)| Redelivery::Queued(Box::new(made))))
    }

    /// Makes a delivery due at once, whatever its status, unless an attempt is running or the webhook is disabled.
    pub async fn redeliver(
        &self,
        tx: &mut PgConnection,
        (tenant, webhook): (TenantId, WebhookId),
        id: DeliveryId,
    ) -> Result<Redelivery> {
        let row = sqlx::query!(
            r#"select k.disabled_reason is not null as "disabled!", coalesce(d.leased_until > now(), false) as "running!"
               from webhook_deliveries d join webhooks k on k.tenant_id = d.tenant_id and k.id = d.webhook_id
               where d.tenant_id = $1 and d.webhook_id = $2 and d.id = $3
                 and (d.session_id is null
                      or exists (select from sessions s where s.tenant_id = d.tenant_id and s.id = d.session_id))
               for update of d"#,
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
        bounds::require_delivery_room(tx, tenant, webhook.0).await?;
        wake(tx).await?;
        let queued = find(tx, (tenant, webhook), id).await?;
        Ok(queued.map_or(Redelivery::NoDelivery, |(queued, _)| Redelivery::Queued(Box::new(queued))))
    }
}

/// Notifies every process, on commit, that a delivery is due.
async fn wake(tx: &mut PgConnection) -> Result<()> {
    sqlx::query_scalar!(r#"select pg_notify($1, '') is null as "told!""#, channel::DELIVERIES)
        .fetch_one(tx)
        .await?;
    Ok(())
}

struct Row {
    webhook_id: Uuid,
    id: Uuid,
    session: Option<String>,
    branch: Option<String>,
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
    fn read(self) -> Result<(Delivery, String)> {
        let (session, branch) = named(self.id, self.session, self.branch)?;
        let event = Event {
            id: self.event_id,
            kind: self.event.clone(),
            session_id: session.clone(),
            branch: branch.clone(),
            created_at: self.created_at,
            data: self.payload.as_object().cloned().unwrap_or_default(),
        };
        let body = event.text();
        let delivery = Delivery {
            id: DeliveryId(self.id),
            webhook_id: WebhookId(self.webhook_id),
            event: self.event,
            session_id: session,
            branch,
            status: parsed(self.id, &self.status)?,
            attempts: self.attempts,
            last_status_code: self.last_status_code,
            last_error: self.last_error.as_deref().and_then(|word| word.parse::<Failure>().ok()),
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
) -> Result<Option<(Delivery, String)>> {
    sqlx::query_as!(
        Row,
        r#"select d.webhook_id, d.id, coalesce(main.name, s.name) as session, s.branch as "branch?", d.event_id, d.event, d.payload, d.status, d.due_at,
                  d.leased_until > now() as "running?", d.attempts, d.last_status_code, d.last_error,
                  d.last_duration_ms, d.last_attempt_at, d.created_at, d.finished_at
           from webhook_deliveries d
           left join sessions s on s.tenant_id = d.tenant_id and s.id = d.session_id
           left join sessions main on main.tenant_id = s.tenant_id and main.id = s.root_id
           where d.tenant_id = $1 and d.webhook_id = $2 and d.id = $3
             and (d.session_id is null or s.id is not null)"#,
        tenant.0,
        webhook.0,
        id.0
    )
    .fetch_optional(tx)
    .await?
    .map(Row::read)
    .transpose()
}

/// The session of an event, and its branch unless that is main.
type Named = (Option<SessionName>, Option<BranchName>);

fn named(id: Uuid, session: Option<String>, branch: Option<String>) -> Result<Named> {
    let corrupt = |error: &dyn std::fmt::Display| {
        StoreError::corrupt("webhook_deliveries", "session_id", id, error.to_string())
    };
    let session = session.map(|name| SessionName::parse(&name)).transpose().map_err(|e| corrupt(&e))?;
    let branch = branch.map(|name| BranchName::parse(&name)).transpose().map_err(|e| corrupt(&e))?;
    Ok((session, branch.filter(|branch| !branch.is_main())))
}

fn parsed(id: Uuid, word: &str) -> Result<DeliveryStatus> {
    let status = word.parse::<DeliveryStatus>().ok();
    status.ok_or_else(|| StoreError::corrupt("webhook_deliveries", "status", id, "unknown word"))
}
