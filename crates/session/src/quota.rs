//! Quotas: limits for a single tenant, besides those for every tenant of the installation.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use utoipa::ToSchema;

/// The largest bound on rows.
const MAX_COUNT: u64 = 100_000_000;

/// The bounds of one tenant; what is absent or null is not bounded for it alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = TenantQuotas)]
pub struct Quotas {
    /// Requests per second, over all keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub requests_per_second: Option<u32>,
    /// Messages appended in a day (UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages_per_day: Option<u64>,
    /// Bytes of messages that are stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_bytes: Option<u64>,
    /// Tokens that summarising by models may take in a day (UTC); beyond it code makes the summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_tokens_per_day: Option<u64>,
    /// Compressions at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1000)]
    pub concurrent_compressions: Option<u32>,
    /// Sessions; 1,000,000 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<u64>,
    /// API keys that are neither revoked nor expired; 1,000 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<u64>,
    /// Replies that are kept for idempotency keys, for a day each; 5,000,000 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_replies: Option<u64>,
    /// Jobs that wait for a worker when a caller asks for another one; 10,000 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_jobs: Option<u64>,
    /// Deliveries that wait for each webhook; 10,000 when absent. Further events are not delivered to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_deliveries: Option<u64>,
    /// Jobs of one session, ended ones included, when a caller asks for another one; 20,000 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs_per_session: Option<u64>,
    /// Versions of one session when a caller asks for a rollback; 20,000 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub versions_per_session: Option<u64>,
    /// Tasks that one session was part of; 1,000 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks_per_session: Option<u64>,
}

/// A bound that every tenant has: its own quota, or the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Bound {
    /// Sessions.
    Sessions,
    /// Keys that are neither revoked nor expired.
    Keys,
    /// Replies that are kept for idempotency keys.
    KeptReplies,
    /// Jobs that wait for a worker.
    WaitingJobs,
    /// Deliveries that wait for a webhook.
    WaitingDeliveries,
    /// Jobs of a session.
    JobsPerSession,
    /// Versions of a session.
    VersionsPerSession,
    /// Tasks of a session.
    TasksPerSession,
}

impl Bound {
    /// The field of [`Quotas`] that sets it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The bound of a tenant without a quota of its own.
    pub fn default(self) -> i64 {
        match self {
            Self::Sessions => 1_000_000,
            Self::Keys | Self::TasksPerSession => 1_000,
            Self::KeptReplies => 5_000_000,
            Self::WaitingJobs | Self::WaitingDeliveries => 10_000,
            Self::JobsPerSession | Self::VersionsPerSession => 20_000,
        }
    }

    /// How a caller gets room again.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Sessions => {
                "delete sessions that are over, or ask the operator for a retention or a larger quota"
            }
            Self::Keys => "revoke keys that are not used, or ask the operator for a larger quota",
            Self::KeptReplies => "replies are kept for a day; send fewer requests with an Idempotency-Key",
            Self::WaitingJobs => "wait until some of the tenant's compressions have ended",
            Self::WaitingDeliveries => "mend or disable the webhook that does not answer",
            Self::JobsPerSession | Self::VersionsPerSession | Self::TasksPerSession => {
                "go on in a new session, or ask the operator for a larger quota"
            }
        }
    }

    /// Whether room may come by itself within seconds.
    pub fn passes(self) -> bool {
        matches!(self, Self::WaitingJobs | Self::WaitingDeliveries)
    }
}

impl Quotas {
    /// The tenant's own quota for a bound.
    pub fn of(&self, bound: Bound) -> Option<u64> {
        match bound {
            Bound::Sessions => self.sessions,
            Bound::Keys => self.keys,
            Bound::KeptReplies => self.kept_replies,
            Bound::WaitingJobs => self.waiting_jobs,
            Bound::WaitingDeliveries => self.waiting_deliveries,
            Bound::JobsPerSession => self.jobs_per_session,
            Bound::VersionsPerSession => self.versions_per_session,
            Bound::TasksPerSession => self.tasks_per_session,
        }
    }

    /// Checks the limits; the error names the field and the allowed values.
    ///
    /// # Errors
    /// When a limit is outside its range: some must not be 0, and all must fit the database's type.
    pub fn validate(&self) -> Result<(), (&'static str, &'static str)> {
        if self.requests_per_second == Some(0) {
            return Err((
                "requests_per_second",
                "must be at least 1; suspend the tenant to refuse everything",
            ));
        }
        if self.concurrent_compressions.is_some_and(|jobs| !(1..=1_000).contains(&jobs)) {
            return Err(("concurrent_compressions", "must be from 1 to 1000"));
        }
        // The database stores signed integers of 64 bits.
        let large = [
            ("messages_per_day", self.messages_per_day),
            ("stored_bytes", self.stored_bytes),
            ("llm_tokens_per_day", self.llm_tokens_per_day),
        ];
        let is_too_large = |bound: Option<u64>| bound.is_some_and(|bound| i64::try_from(bound).is_err());
        if let Some((name, _)) = large.iter().find(|(_, bound)| is_too_large(*bound)) {
            return Err((name, "must be at most 9223372036854775807"));
        }
        // They are counted row by row, one more than the bound.
        match Bound::VARIANTS.iter().find(|bound| self.of(**bound).is_some_and(|own| own > MAX_COUNT)) {
            Some(bound) => Err((bound.name(), "must be at most 100000000")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_bound_is_that_of_its_quota() {
        for &bound in Bound::VARIANTS {
            let quotas = serde_json::json!({bound.name(): 7});
            let quotas: Quotas = serde_json::from_value(quotas).unwrap();
            assert_eq!(quotas.of(bound), Some(7), "{bound:?}");
        }
    }

    #[test]
    fn bounds_that_let_nothing_through_are_refused_by_name() {
        let refused = |quotas: Quotas| quotas.validate().map_err(|(name, _)| name);
        assert_eq!(refused(Quotas::default()), Ok(()));
        assert_eq!(
            refused(Quotas { requests_per_second: Some(0), ..Quotas::default() }),
            Err("requests_per_second")
        );
        assert_eq!(
            refused(Quotas { concurrent_compressions: Some(1_001), ..Quotas::default() }),
            Err("concurrent_compressions")
        );
        assert_eq!(
            refused(Quotas { stored_bytes: Some(u64::MAX), ..Quotas::default() }),
            Err("stored_bytes")
        );
        assert_eq!(refused(Quotas { messages_per_day: Some(0), ..Quotas::default() }), Ok(()));
        assert_eq!(refused(Quotas { keys: Some(MAX_COUNT + 1), ..Quotas::default() }), Err("keys"));
    }
}
