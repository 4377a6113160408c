//! The only statements that cross tenants, and the connections that they run on.
//!
//! What lives here: statements by which a tenant becomes known (keys, sign-ins, names), what an operator asks about all
//! tenants, commits of gathered appends, claims of jobs and deliveries, upkeep of all tenants' rows, and erasing, which deletes
//! what the working role may not delete and does not see. They run as the owner of the tables, to whom the policies show every row.
//! Invariant: nothing outside of this folder gets one of these connections, because [`Owner::acquire`] is private to it; a
//! statement here names the tenant of each row that it touches, or stands with its reason in the list of `tests.rs`.
//!
//! Connections have settings for the plans of such statements: no sequential scans, hash joins or merge joins, because a plan
//! that is made while the tables are empty would read them whole later, and no JIT, which the high cost of a scan that cannot
//! be avoided would start. A `limit 1` around a search by a whole key stands there for the same reason.

pub(crate) mod appends;
mod audit;
pub(crate) mod cells;
mod claims;
pub(crate) mod deliveries;
mod erasing;
mod erasures;
mod keys;
pub mod presence;
mod queue;
mod retention;
mod signins;
mod tenants;
#[cfg(test)]
mod tests;

use crate::bulkhead::{Bulkhead, Need, Share};
use crate::connection::Pool;
use crate::prelude::*;
use crate::readers::{Readers, Reading};

/// Connections of one process as the owner, for requests and for workers. Of those for requests, erasing takes at most
/// half: the rest are left to look-ups of keys and of sign-ins.
pub(crate) const CONNECTIONS: [u32; 2] = [14, 6];
/// The settings of these connections, beside those of all others.
pub(crate) const SETTINGS: [(&str, &str); 4] =
    [("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"), ("jit", "off")];

/// Connections that work as the owner of the tables, which row-level security shows the rows of all tenants.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pool: Pool,
    /// Connections that are kept for claims of jobs.
    kept: Readers,
    /// The limits of tenants that erase; `None` for workers.
    bulkhead: Option<Bulkhead>,
}

impl Owner {
    pub(crate) fn new(pool: Pool, bulkhead: Option<Bulkhead>) -> Self {
        let kept = Readers::new(pool.max_connections());
        Self { pool, kept, bulkhead }
    }

    async fn acquire(&self) -> Result<PgConnection> {
        Ok(self.pool.acquire().await?)
    }

    /// Waits for a connection for one statement that commits by itself.
    async fn read(&self) -> Result<Reading> {
        self.kept.acquire(&self.pool, Share::default()).await
    }

    /// Waits for a place among the connections that a tenant may hold.
    async fn share(&self, tenant: TenantId) -> Result<Share> {
        Bulkhead::share(self.bulkhead.as_ref(), tenant, Need::Change).await
    }

    pub(crate) async fn close(&self) {
        self.kept.close();
        self.pool.close().await;
    }
}

impl Store {
    /// Begins a transaction about a tenant as the owner.
    async fn begin_as_owner(&self, share: Share, tenant: TenantId, settings: &str) -> Result<Tx> {
        self.begin_on(&self.owner.pool, share, tenant, ["begin", settings]).await
    }
}
