//! The memory for contexts and records that are being read and assembled: a total for the process, and a share of it for
//! each tenant.
//!
//! A context is in memory up to three times, as rows, as entries and as the reply, and a tenant may ask for many large ones
//! at once. A context that is larger than the share is assembled when the tenant assembles nothing else.

use std::time::Duration;

use crate::admission::shares::{Permit, Shares};
use crate::problem::Result;
use anchord_messages::id::TenantId;

/// Bytes of a token of a context while it is assembled: four of text, three times.
const TOKEN_BYTES: u64 = 12;
/// Bytes of a request that reads records, two at most: the largest, as they are stored and as values. Small ones are
/// read so fast that they need no distinction.
const RECORD_BYTES: u64 = 5 * 1024 * 1024;
/// Contexts that take less are not counted.
const SMALL_BYTES: u64 = 1024 * 1024;
/// One tenant may have this part of the total: a quarter.
const PART: u32 = 4;
/// How long a context waits for others of its tenant, or of all.
const WAIT: Duration = Duration::from_secs(5);

/// The memory for contexts of all tenants. The unit is a KiB.
#[derive(Clone, Debug)]
pub struct Assemblies {
    memory: Shares<TenantId>,
    wait: Duration,
}

impl Assemblies {
    /// A total in bytes, of which a tenant has a quarter.
    pub fn new(total: usize) -> Self {
        let total = u32::try_from(total / 1_024).unwrap_or(u32::MAX);
        Self { memory: Shares::new(total, total / PART), wait: WAIT }
    }

    /// Takes the memory for a context of at most so many tokens, until it is dropped; `None` for a small one.
    pub(crate) async fn take(&self, tenant: TenantId, tokens: u64) -> Result<Option<Permit>> {
        let bytes = tokens.saturating_mul(TOKEN_BYTES);
        if bytes < SMALL_BYTES {
            return Ok(None);
        }
        self.take_bytes(tenant, bytes).await.map(Some)
    }

    /// Takes the memory for a record that is read and worked on, until it is dropped.
    pub(crate) async fn take_for_record(&self, tenant: TenantId) -> Result<Permit> {
        self.take_bytes(tenant, RECORD_BYTES).await
    }

    async fn take_bytes(&self, tenant: TenantId, bytes: u64) -> Result<Permit> {
        let units = u32::try_from(bytes / 1_024).unwrap_or(u32::MAX).min(self.memory.share());
        let taken = self.memory.take(tenant, units, self.wait).await;
        let of = [
            "the contexts and records that the tenant's requests read",
            "the contexts and records that are read",
        ];
        taken.map_err(|full| full.of_memory(of))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::problem::ApiError;

    #[tokio::test]
    async fn large_contexts_of_one_tenant_wait_for_each_other_and_small_ones_for_nothing() {
        let assemblies = Assemblies { wait: Duration::ZERO, ..Assemblies::new(16 * 1_024 * 1_024) };
        let [us, them] = [1, 2].map(|id| TenantId(Uuid::from_u128(id)));
        let large = assemblies.take(us, 10_000_000).await.unwrap();
        assert!(large.is_some(), "alone, also beyond the share");
        assert!(matches!(assemblies.take(us, 200_000).await, Err(ApiError::BodiesInFlight { .. })));
        assert!(assemblies.take(us, 1_000).await.unwrap().is_none());
        assert!(assemblies.take(them, 200_000).await.unwrap().is_some());
        drop(large);
        assert!(assemblies.take(us, 200_000).await.is_ok());
    }

    #[tokio::test]
    async fn records_of_one_tenant_wait_for_each_other() {
        let assemblies = Assemblies { wait: Duration::ZERO, ..Assemblies::new(80 * 1_024 * 1_024) };
        let [us, them] = [1, 2].map(|id| TenantId(Uuid::from_u128(id)));
        let mut held = Vec::new();
        for _ in 0..4 {
            held.push(assemblies.take_for_record(us).await.unwrap());
        }
        assert!(matches!(assemblies.take_for_record(us).await, Err(ApiError::BodiesInFlight { .. })));
        assert!(assemblies.take_for_record(them).await.is_ok());
        held.pop();
        assert!(assemblies.take_for_record(us).await.is_ok());
    }
}
