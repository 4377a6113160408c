//! The circuit breaker of a session: after repeated failures of a model, code makes its summaries for a while.
//!
//! It is a row, because a session meets another process at every compression and its pause of up to an hour outlives
//! restarts. A provider's breaker (in `anchord-llm`) is in memory: every process sees the trouble within five calls,
//! and it lasts seconds.

use chrono::{DateTime, Utc};

use super::{Store, StoreError};
use anchord_messages::id::{SessionId, TenantId};

/// Failures in a row that open a session's breaker.
const OPENS_AFTER: i32 = 3;

/// How a session's summarising by models went of late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breaker {
    /// Compressions in a row for which the model came to nothing.
    pub failures: i32,
    /// Until when code alone words the session; `None` while the breaker is closed.
    pub open_until: Option<DateTime<Utc>>,
}

impl Store {
    /// Whether a session is left to code for now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn llm_is_resting(&self, tenant: TenantId, session: SessionId) -> Result<bool, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let resting = sqlx::query_scalar!(
            r#"select exists (select from llm_breakers where tenant_id = $1 and session_id = $2 and open_until > now()) as "resting!""#,
            tenant.0,
            session.0,
        )
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(resting)
    }

    /// Finds a session's breaker; `None` when its last compression went well.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_llm_breaker(
        &self,
        tenant: TenantId,
        session: SessionId,
    ) -> Result<Option<Breaker>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let row = sqlx::query!(
            "select failures, open_until from llm_breakers where tenant_id = $1 and session_id = $2",
            tenant.0,
            session.0,
        )
        .fetch_optional(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(row.map(|row| Breaker { failures: row.failures, open_until: row.open_until }))
    }

    /// Counts a compression that a model worded or failed to word. From the third failure in a row on, the
    /// session rests for 1, 5, 15 and then 60 minutes; one success closes the breaker.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn note_llm(&self, tenant: TenantId, session: SessionId, good: bool) -> Result<(), StoreError> {
        let mut tx = self.begin(tenant).await?;
        if good {
            sqlx::query!(
                "delete from llm_breakers where tenant_id = $1 and session_id = $2",
                tenant.0,
                session.0
            )
            .execute(&mut *tx)
            .await?;
        } else {
            let opened = sqlx::query_scalar!(
                r#"insert into llm_breakers as b (tenant_id, session_id, failures)
                   select tenant_id, id, 1 from sessions where tenant_id = $1 and id = $2
                   on conflict (tenant_id, session_id) do update
                   set failures = b.failures + 1, updated_at = now(),
                       open_until = case when b.failures + 1 < $3 then null
                         else now() + make_interval(mins => (array[1, 5, 15, 60])[least(b.failures + 2 - $3, 4)]) end
                   returning open_until is not null as "open!""#,
                tenant.0,
                session.0,
                OPENS_AFTER,
            )
            .fetch_optional(&mut *tx)
            .await?;
            if opened == Some(true) {
                metrics::counter!("anchord_llm_session_breakers_opened_total").increment(1);
            }
        }
        tx.commit().await?;
        Ok(())
    }
}
