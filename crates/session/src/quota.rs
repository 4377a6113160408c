//! Quotas: limits for a single tenant, besides those for every tenant of the installation.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The bounds of one tenant; what is absent or null is not bounded for it alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
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
}

impl Quotas {
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
        match large.iter().find(|(_, bound)| bound.is_some_and(|bound| i64::try_from(bound).is_err())) {
            Some((name, _)) => Err((name, "must be at most 9223372036854775807")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
