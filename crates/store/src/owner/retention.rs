//! Removal of what has expired, over all tenants, by at most so many rows at a time.

use crate::prelude::*;

/// The most rows that one statement removes.
const ROWS: i64 = 1_000;
/// How long events are kept, in days.
const EVENT_DAYS: i32 = 7;
/// How long deliveries are kept, in days.
const DELIVERY_DAYS: i32 = 30;

/// Repeats a statement until it removes fewer rows than it may; the number that it removed in all.
macro_rules! until_few {
    ($store:ident, $($statement:tt)*) => {{
        let mut all = 0;
        loop {
            let done = sqlx::query!($($statement)*).execute(&mut $store.owner.acquire().await?).await?;
            all += done.rows_affected();
            if done.rows_affected() < ROWS.unsigned_abs() {
                break Ok(all);
            }
        }
    }};
}

impl Store {
    /// Removes sign-ins that have ended; returns how many.
    pub async fn forget_old_signins(&self) -> Result<u64> {
        until_few!(
            self,
            "with old as materialized (
               select o.tenant_id, o.digest from console_signins o
               where o.expires_at < now() order by o.expires_at limit $1 for update skip locked
             )
             delete from console_signins s using old where s.tenant_id = old.tenant_id and s.digest = old.digest",
            ROWS
        )
    }

    /// Removes replies that were kept for a day; returns how many.
    pub async fn forget_old_replies(&self) -> Result<u64> {
        until_few!(
            self,
            "with old as materialized (
               select o.tenant_id, o.route, o.key from idempotency_keys o
               where o.created_at < now() - interval '24 hours' order by o.created_at limit $1 for update skip locked
             )
             delete from idempotency_keys i using old
             where i.tenant_id = old.tenant_id and i.route = old.route and i.key = old.key",
            ROWS
        )
    }

    /// Removes events that are older than a week; returns how many.
    pub async fn forget_old_events(&self) -> Result<u64> {
        until_few!(
            self,
            "with old as materialized (
               select o.tenant_id, o.session_id, o.id from events o
               where o.created_at < now() - make_interval(days => $1)
               order by o.created_at limit $2 for update skip locked
             )
             delete from events e using old
             where e.tenant_id = old.tenant_id and e.session_id = old.session_id and e.id = old.id",
            EVENT_DAYS,
            ROWS
        )
    }

    /// Removes deliveries that are older than a month, and cancels pending ones of disabled webhooks, which were written at
    /// the moment of the disabling; returns how many were removed.
    pub async fn tidy_deliveries(&self) -> Result<u64> {
        self.forget_old_secrets().await?;
        self.cancel_stranded_deliveries().await?;
        until_few!(
            self,
            "with old as materialized (
               select o.tenant_id, o.webhook_id, o.id from webhook_deliveries o
               where o.created_at < now() - make_interval(days => $1)
               order by o.created_at limit $2 for update skip locked
             )
             delete from webhook_deliveries d using old
             where d.tenant_id = old.tenant_id and d.webhook_id = old.webhook_id and d.id = old.id",
            DELIVERY_DAYS,
            ROWS
        )
    }

    async fn cancel_stranded_deliveries(&self) -> Result<u64> {
        until_few!(
            self,
            "with stranded as materialized (
               select o.tenant_id, o.webhook_id, o.id
               from webhooks k
               join webhook_deliveries o on o.tenant_id = k.tenant_id and o.webhook_id = k.id and o.status = 'pending'
               where k.disabled_reason is not null
               limit $1 for update of o skip locked
             )
             update webhook_deliveries d
             set status = 'cancelled', due_at = null, leased_until = null, finished_at = now()
             from stranded s where d.tenant_id = s.tenant_id and d.webhook_id = s.webhook_id and d.id = s.id",
            ROWS
        )
    }
}
