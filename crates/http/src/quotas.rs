//! The quotas of tenants: what is used of them, and the check before an append.
//!
//! A process reads the usage of a tenant every few seconds and adds what it admits in between, so a tenant may exceed its
//! quota by what other processes admit in that time. An append takes its room once, before it is tried, and what is not
//! stored of it gives its room back.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use axum::extract::State;
use chrono::{DateTime, Days, NaiveTime, Utc};
use moka::future::Cache;
use serde::Serialize;
use strum::VariantArray as _;
use utoipa::ToSchema;

use super::auth::Reader;
use super::json::Reply;
use super::problem::{ApiError, FULL_RETRY};
use super::state::AppState;
use anchord_messages::id::TenantId;
use anchord_session::quota::{Bound, Quotas};
use anchord_store::bounds::Used;
use anchord_store::{Store, StoreError};

/// How long a usage that was read is used.
const EXPIRES_AFTER: Duration = Duration::from_secs(2);
/// The most tenants whose usage is cached.
const MAX_TENANTS: u64 = 10_000;

/// The usage of tenants that have quotas.
#[derive(Clone, Debug)]
pub struct QuotaWatch(Cache<TenantId, Arc<Counted>>);

#[derive(Debug)]
struct Counted {
    messages: AtomicI64,
    bytes: AtomicI64,
}

impl Default for QuotaWatch {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MAX_TENANTS).time_to_live(EXPIRES_AFTER).build())
    }
}

/// The size of an append.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub(super) messages: usize,
    pub(super) bytes: usize,
}

/// What a bound holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuotaScope {
    /// All that the tenant has.
    Tenant,
    /// Each session.
    Session,
    /// Each webhook.
    Webhook,
}

/// A bound of the tenant.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct QuotaStatus {
    /// Its name, as the problem `quota-exceeded` tells it.
    pub quota: &'static str,
    /// What it holds for.
    pub scope: QuotaScope,
    /// The most that is allowed; null when nothing is bounded.
    pub limit: Option<u64>,
    /// What is used of it; null for requests per second, and for a bound of each session or webhook.
    pub used: Option<u64>,
    /// When what is used begins anew; null when it does not by itself.
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub resets_at: Option<DateTime<Utc>>,
}

/// The bounds of the tenant.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct QuotaReport {
    /// Every bound.
    pub quotas: Vec<QuotaStatus>,
}

/// Reads the tenant's quotas, and what is used of them.
///
/// Messages and tokens of the day begin anew at midnight (UTC). Sessions and kept replies are counted by each process, which
/// learns within two minutes what others have made.
#[utoipa::path(
    get, path = "/v1/quotas", tag = "usage", operation_id = "usage.get_quotas",
    responses((status = 200, body = QuotaReport, description = "Every bound."))
)]
pub async fn find_quotas(
    Reader(caller): Reader,
    State(state): State<AppState>,
) -> Result<Reply<QuotaReport>, ApiError> {
    let now = state.clock.now();
    let used = state.store.find_used(caller.tenant, now.date_naive()).await?;
    Ok(Reply(QuotaReport { quotas: statuses(&caller.quotas, &used, tomorrow(now)) }))
}

fn statuses(quotas: &Quotas, used: &Used, tomorrow: Option<DateTime<Utc>>) -> Vec<QuotaStatus> {
    let of_tenant = |quota, limit, used: Option<i64>, resets_at| QuotaStatus {
        quota,
        scope: QuotaScope::Tenant,
        limit,
        used: used.map(|used| u64::try_from(used).unwrap_or_default()),
        resets_at,
    };
    let appended = used.appended;
    let compressions = quotas.concurrent_compressions.map(u64::from);
    let mut statuses = vec![
        of_tenant("requests_per_second", quotas.requests_per_second.map(u64::from), None, None),
        of_tenant("messages_per_day", quotas.messages_per_day, Some(appended.messages), tomorrow),
        of_tenant("stored_bytes", quotas.stored_bytes, Some(appended.bytes), None),
        of_tenant("llm_tokens_per_day", quotas.llm_tokens_per_day, Some(used.llm_tokens), tomorrow),
        of_tenant("concurrent_compressions", compressions, Some(used.running_compressions), None),
    ];
    for &bound in Bound::VARIANTS {
        let limit = quotas.of(bound).or(u64::try_from(bound.default()).ok());
        let (scope, used) = match bound {
            Bound::Sessions => (QuotaScope::Tenant, Some(used.sessions)),
            Bound::Keys => (QuotaScope::Tenant, Some(used.keys)),
            Bound::KeptReplies => (QuotaScope::Tenant, Some(used.kept_replies)),
            Bound::WaitingJobs => (QuotaScope::Tenant, Some(used.waiting_jobs)),
            Bound::WaitingDeliveries => (QuotaScope::Webhook, None),
            Bound::JobsPerSession | Bound::VersionsPerSession | Bound::TasksPerSession => {
                (QuotaScope::Session, None)
            }
        };
        statuses.push(QuotaStatus { scope, ..of_tenant(bound.name(), limit, used, None) });
    }
    statuses
}

impl Load {
    fn less(self, other: Self) -> Self {
        Self {
            messages: self.messages.saturating_sub(other.messages),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}

/// The room that an append has taken from the quotas. What is not stored when it is dropped is given back.
#[derive(Debug, Default)]
pub(super) struct Admitted {
    /// `None` when nothing was taken.
    counted: Option<Arc<Counted>>,
    left: Load,
}

impl Admitted {
    /// Keeps the room of what was stored.
    pub(super) fn store(&mut self, load: Load) {
        self.left = self.left.less(load);
    }

    /// Whether the room that is left is enough.
    pub(super) fn covers(&self, load: Load) -> bool {
        self.counted.is_none() || (load.messages <= self.left.messages && load.bytes <= self.left.bytes)
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        if let Some(counted) = &self.counted {
            counted.messages.fetch_sub(whole(self.left.messages), Ordering::Relaxed);
            counted.bytes.fetch_sub(whole(self.left.bytes), Ordering::Relaxed);
        }
    }
}

impl QuotaWatch {
    /// Takes room for a batch of a tenant, or rejects it and names the quota that is used up.
    pub(super) async fn admit(
        &self,
        (store, now): (&Store, DateTime<Utc>),
        (tenant, quotas): (TenantId, &Quotas),
        load: Load,
    ) -> Result<Admitted, ApiError> {
        if quotas.messages_per_day.is_none() && quotas.stored_bytes.is_none() {
            return Ok(Admitted::default());
        }
        let look = async {
            let used = store.find_standing(tenant, now.date_naive()).await?;
            Ok::<_, StoreError>(Arc::new(Counted {
                messages: used.messages.into(),
                bytes: used.bytes.into(),
            }))
        };
        let counted = self.0.try_get_with(tenant, look).await;
        let counted = counted.map_err(|error: Arc<StoreError>| {
            let is_busy = matches!(*error, StoreError::TenantBusy);
            if is_busy { ApiError::TenantBusy } else { ApiError::Unavailable(anyhow::anyhow!(error)) }
        })?;
        let wait = until_tomorrow(now);
        take(&counted.messages, load.messages, ("messages_per_day", quotas.messages_per_day), wait)?;
        let mut admitted = Admitted { counted: Some(Arc::clone(&counted)), left: Load { bytes: 0, ..load } };
        take(&counted.bytes, load.bytes, ("stored_bytes", quotas.stored_bytes), FULL_RETRY)?;
        admitted.left = load;
        Ok(admitted)
    }
}

/// Adds to a count unless the sum exceeds its bound.
fn take(
    count: &AtomicI64,
    more: usize,
    (quota, bound): (&'static str, Option<u64>),
    retry_after: Duration,
) -> Result<(), ApiError> {
    let more = whole(more);
    let bound = bound.map_or(i64::MAX, |bound| i64::try_from(bound).unwrap_or(i64::MAX));
    let fits = |used: i64| used.checked_add(more).filter(|after| *after <= bound);
    match count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
        Ok(_) => Ok(()),
        Err(used) => {
            let room = if quota == "stored_bytes" {
                "delete sessions, or ask the operator for a larger quota"
            } else {
                "wait for the next day (UTC), or ask the operator for a larger quota"
            };
            Err(ApiError::QuotaExceeded { quota, limit: bound, used: used.max(0), room, retry_after })
        }
    }
}

fn whole(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// How long until the next day (UTC) begins.
fn until_tomorrow(now: DateTime<Utc>) -> Duration {
    tomorrow(now).and_then(|begins| (begins - now).to_std().ok()).unwrap_or(FULL_RETRY)
}

/// When the next day (UTC) begins.
fn tomorrow(now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let tomorrow = now.date_naive().checked_add_days(Days::new(1));
    tomorrow.map(|day| day.and_time(NaiveTime::MIN).and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_to_the_last_is_taken_and_one_more_is_not() {
        let count = AtomicI64::new(7);
        let ask = |more| take(&count, more, ("messages_per_day", Some(10)), FULL_RETRY).is_ok();
        assert!(!ask(4));
        assert!(ask(3));
        assert!(!ask(1));
        assert!(ask(0));
        assert!(take(&count, usize::MAX, ("stored_bytes", None), FULL_RETRY).is_err(), "no overflow");
    }

    #[test]
    fn a_day_ends_at_midnight() {
        let now = DateTime::parse_from_rfc3339("2026-02-28T23:59:00Z").unwrap().to_utc();
        assert_eq!(until_tomorrow(now), Duration::from_mins(1));
    }
}
