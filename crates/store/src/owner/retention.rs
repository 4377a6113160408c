//! Removal of what has expired, over all tenants, by at most so many rows at a time.

use crate::prelude::*;

/// The most rows that one statement removes.
const ROWS: i64 = 1_000;

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

/// Removes the rows of a table whose time is longer past than this; how many. They are named by their places: a plan that is
/// made while a table is empty would read all of it to find them by their keys.
macro_rules! forget_old {
    ($store:ident, $table:literal, $time:literal, $past:literal) => {
        until_few!(
            $store,
            "delete from "
                + $table
                + " x where x.ctid = any (array(
               select o.ctid from "
                + $table
                + " o where o."
                + $time
                + " < now() - interval '"
                + $past
                + "'
               order by o."
                + $time
                + " limit $1 for update skip locked))",
            ROWS
        )
    };
}

impl Store {
    /// Removes sign-ins that have ended; returns how many.
    pub async fn forget_old_signins(&self) -> Result<u64> {
        forget_old!(self, "console_signins", "expires_at", "0 days")
    }

    /// Removes replies that were kept for a day; returns how many.
    pub async fn forget_old_replies(&self) -> Result<u64> {
        forget_old!(self, "idempotency_keys", "created_at", "24 hours")
    }

    /// Removes events that are older than a week; returns how many.
    pub async fn forget_old_events(&self) -> Result<u64> {
        forget_old!(self, "events", "created_at", "7 days")
    }

    /// Removes deliveries that are older than a month, and cancels pending ones of disabled webhooks, which were written at
    /// the moment of the disabling; returns how many were removed.
    pub async fn tidy_deliveries(&self) -> Result<u64> {
        self.forget_old_secrets().await?;
        self.cancel_stranded_deliveries().await?;
        forget_old!(self, "webhook_deliveries", "created_at", "30 days")
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
