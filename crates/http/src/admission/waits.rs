//! The waits for results that a process admits at once, shared by tenant.

use crate::admission::shares::{Permit, Shares};
use anchord_messages::id::TenantId;

/// The most waits of a process.
const MAX_WAITS: u32 = 512;
/// The most waits of one tenant.
const TENANT_WAITS: u32 = 64;

/// The waits of a process.
#[derive(Clone, Debug)]
pub struct Waits(Shares<TenantId>);

impl Default for Waits {
    fn default() -> Self {
        Self(Shares::new(MAX_WAITS, TENANT_WAITS))
    }
}

impl Waits {
    /// Admits another wait of a tenant while it holds the place; `None` when there is none.
    pub(crate) fn take(&self, tenant: TenantId) -> Option<Permit> {
        self.0.try_take(tenant, 1).ok()
    }
}
