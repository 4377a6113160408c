//! The circuit breaker of a session: after repeated failures of a model, code writes the session's summaries for a
//! while.
//!
//! It is a row, because each compression of a session may run in another process, and a pause of up to an hour must
//! outlive restarts. The breaker of a provider (in `anchord-llm`) is in memory: each process notices an outage within
//! five calls, and its pause is seconds.

use crate::prelude::*;

/// The consecutive failures that open a breaker.
const OPENS_AFTER: i32 = 3;

/// The circuit breaker of a session's calls to models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LlmBreaker {
    /// Consecutive compressions for which the model gave no usable result, including those that fell back to code.
    pub failures: i32,
    /// Until when summaries are written by code only; null while the model is still called.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub open_until: Option<DateTime<Utc>>,
}

impl Store {
    /// Whether the breaker is open, so that code writes the summaries for now.
    pub async fn llm_is_resting(&self, tenant: TenantId, session: SessionId) -> Result<bool> {
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

    /// Finds the state of a session's breaker; `None` when the last compression succeeded.
    pub async fn find_llm_breaker(&self, tenant: TenantId, session: SessionId) -> Result<Option<LlmBreaker>> {
        let mut tx = self.snapshot(tenant).await?;
        let breaker = sqlx::query_as!(
            LlmBreaker,
            "select failures, open_until from llm_breakers where tenant_id = $1 and session_id = $2",
            tenant.0,
            session.0,
        )
        .fetch_optional(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(breaker)
    }

    /// Records whether the model of a compression succeeded. From the third failure in a row on, the breaker opens
    /// for 1, 5, 15 and then 60 minutes; a success closes it.
    pub async fn note_llm(&self, tenant: TenantId, session: SessionId, good: bool) -> Result<()> {
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
