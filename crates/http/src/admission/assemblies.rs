//! The memory for contexts and records that are being read and assembled: a total for the process, and a share of it for
//! each tenant.
//!
//! A context is in memory up to three times, as rows, as entries and as the reply, and a tenant may ask for many large ones
//! at once. A context that is larger than the share is assembled when the tenant assembles nothing else.

use crate::admission::memory::{Memory, units};
use crate::problem::Result;
use anchord_messages::id::TenantId;
use anchord_runtime::shares::Permit;

/// Bytes of a token of a context while it is assembled: four of text, three times.
const TOKEN_BYTES: usize = 12;
/// Bytes of a request that reads records, two at most: the largest, as they are stored and as values. Small ones are
/// read so fast that they need no distinction.
const RECORD_BYTES: usize = 5 * 1024 * 1024;
/// Contexts that take less are not counted.
const SMALL_BYTES: usize = 1024 * 1024;
/// Subjects of a refusal.
const OF_TENANT: &str = "the contexts and records that the tenant's requests read";
const OF_ALL: &str = "the contexts and records that are read";

/// The memory for contexts of all tenants.
#[derive(Clone, Debug)]
pub struct Assemblies(Memory);

impl Assemblies {
    /// A total in bytes, of which a tenant has a quarter.
    pub fn new(total: usize) -> Self {
        Self(Memory::new(units(total), 0, [OF_TENANT, OF_ALL]))
    }

    /// Takes the memory for a context of at most so many tokens, until it is dropped; `None` for a small one.
    pub(crate) async fn take(&self, tenant: TenantId, tokens: u64) -> Result<Option<Permit>> {
        let bytes = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(TOKEN_BYTES);
        if bytes < SMALL_BYTES {
            return Ok(None);
        }
        self.0.take(Some(tenant), units(bytes)).await.map(Some)
    }

    /// Takes the memory for a record that is read and worked on, until it is dropped.
    pub(crate) async fn take_for_record(&self, tenant: TenantId) -> Result<Permit> {
        self.0.take(Some(tenant), units(RECORD_BYTES)).await
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::problem::ApiError;

    #[tokio::test]
    async fn large_contexts_of_one_tenant_wait_for_each_other_and_small_ones_for_nothing() {
        let assemblies = Assemblies::new(16 * 1_024 * 1_024);
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
        let assemblies = Assemblies::new(80 * 1_024 * 1_024);
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
