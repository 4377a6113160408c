//! Memory that tenants share: a total, a part of it for each tenant, and a wait for it. The unit is a KiB.

use std::time::Duration;

use crate::problem::{ApiError, Result};
use anchord_messages::id::TenantId;
use anchord_runtime::shares::{Full, Permit, Shares};

/// One party may have this part of the total: a quarter.
const PART: u32 = 4;
/// How long a party waits for memory; a test not as long.
const WAIT: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 5 });

/// The memory of all tenants; the operator is a party of its own (`None`).
#[derive(Clone, Debug)]
pub(super) struct Memory {
    shares: Shares<Option<TenantId>>,
    /// Subjects of a refusal: by the share, and by the total.
    of: [&'static str; 2],
}

impl Memory {
    /// A total, of which a party has a quarter, and at least so much.
    pub(super) fn new(total: u32, least: u32, of: [&'static str; 2]) -> Self {
        // One party never has all of it, however small it is.
        let shares = Shares::new(total.max(2 * least), (total / PART).max(least));
        Self { shares, of }
    }

    /// Takes memory at once, or none. More than the share is given to a party that has nothing else.
    pub(super) fn try_take(&self, party: Option<TenantId>, some: u32) -> Result<Permit> {
        self.shares.try_take(party, some.min(self.shares.share())).map_err(|full| self.refuse(full))
    }

    /// Takes memory as soon as it is there.
    pub(super) async fn take(&self, party: Option<TenantId>, some: u32) -> Result<Permit> {
        let taken = self.shares.take(party, some.min(self.shares.share()), WAIT).await;
        taken.map_err(|full| self.refuse(full))
    }

    fn refuse(&self, full: Full) -> ApiError {
        let [of_share, of_total] = self.of;
        let (of, limit) = match full {
            Full::Share(limit) => (of_share, limit),
            Full::Total(limit) => (of_total, limit),
        };
        ApiError::BodiesInFlight { of, limit: u64::from(limit) * 1_024 }
    }
}

/// The units of so many bytes.
pub(super) fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1_024)).unwrap_or(u32::MAX)
}
