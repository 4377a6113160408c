//! Work of requests that keeps a processor busy, in its tenant's turn.

use crate::prelude::*;
use anchord_runtime::fair::{self, NoTurn};

/// Runs work of a tenant's request on a background thread, when it is the tenant's turn.
pub(super) async fn compute<T: Send + 'static>(
    tenant: TenantId,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    fair::requests().run(tenant.0.as_u128(), work).await.map_err(|none| match none {
        NoTurn::Busy => StoreError::TenantBusy,
        NoTurn::Broken(_) => StoreError::Broken,
    })
}
