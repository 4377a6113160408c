//! The quotas of tenants: what is used of them, and the check before an append.
//!
//! A process reads the usage of a tenant every few seconds and adds what it admits in between, so a tenant may exceed its
//! quota by what other processes admit in that time. An append takes its room once, before it is tried, and what is not
//! stored of it gives its room back.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, Days, NaiveTime, Utc};
use moka::future::Cache;

use crate::problem::{ApiError, FULL_RETRY, Result};
use anchord_messages::id::TenantId;
use anchord_session::quota::Quotas;
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
pub(crate) struct BatchSize {
    pub(crate) messages: usize,
    pub(crate) bytes: usize,
}

impl BatchSize {
    fn less(self, other: Self) -> Self {
        Self {
            messages: self.messages.saturating_sub(other.messages),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}

/// The room that an append has taken from the quotas. The part that is not stored when it is dropped is given back.
#[derive(Debug, Default)]
pub(crate) struct QuotaReservation {
    /// `None` when nothing was taken.
    counted: Option<Arc<Counted>>,
    left: BatchSize,
}

impl QuotaReservation {
    /// Keeps the room of what was stored.
    pub(crate) fn store(&mut self, size: BatchSize) {
        self.left = self.left.less(size);
    }

    /// Whether the room that is left is enough.
    pub(crate) fn covers(&self, size: BatchSize) -> bool {
        self.counted.is_none() || (size.messages <= self.left.messages && size.bytes <= self.left.bytes)
    }
}

impl Drop for QuotaReservation {
    fn drop(&mut self) {
        if let Some(counted) = &self.counted {
            counted.messages.fetch_sub(whole(self.left.messages), Ordering::Relaxed);
            counted.bytes.fetch_sub(whole(self.left.bytes), Ordering::Relaxed);
        }
    }
}

impl QuotaWatch {
    /// Takes room for a batch of a tenant, or rejects it and names the quota that is used up.
    pub(crate) async fn admit(
        &self,
        (store, now): (&Store, DateTime<Utc>),
        (tenant, quotas): (TenantId, &Quotas),
        size: BatchSize,
    ) -> Result<QuotaReservation> {
        if quotas.messages_per_day.is_none() && quotas.stored_bytes.is_none() {
            return Ok(QuotaReservation::default());
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
        take(&counted.messages, size.messages, ("messages_per_day", quotas.messages_per_day), wait)?;
        let mut admitted =
            QuotaReservation { counted: Some(Arc::clone(&counted)), left: BatchSize { bytes: 0, ..size } };
        take(&counted.bytes, size.bytes, ("stored_bytes", quotas.stored_bytes), FULL_RETRY)?;
        admitted.left = size;
        Ok(admitted)
    }
}

/// Adds to a count unless the sum exceeds its bound.
fn take(
    count: &AtomicI64,
    more: usize,
    (quota, bound): (&'static str, Option<u64>),
    retry_after: Duration,
) -> Result<()> {
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
pub(crate) fn tomorrow(now: DateTime<Utc>) -> Option<DateTime<Utc>> {
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
