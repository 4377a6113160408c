//! The only statements that cross tenants, and the connections that they run on.
//!
//! What lives here: statements by which a tenant becomes known (keys, sign-ins, names), what an operator asks about all
//! tenants, and upkeep of all tenants' rows. They run as the owner of the tables, to whom the policies show every row.
//! Invariant: nothing outside of this folder gets one of these connections, because [`Owner::acquire`] is private to it; a
//! statement here names the tenant of each row that it touches, or stands with its reason in the list of `tests.rs`.
//!
//! Connections have settings for the plans of such statements: no sequential scans, hash joins or merge joins, because a plan
//! that is made while the tables are empty would read them whole later, and no JIT, which the high cost of a scan that cannot
//! be avoided would start. A `limit 1` around a search by a whole key stands there for the same reason.

mod audit;
pub(crate) mod deliveries;
mod keys;
pub mod presence;
mod queue;
mod retention;
mod signins;
mod tenants;
#[cfg(test)]
mod tests;

use crate::connection::Pool;
use crate::prelude::*;

/// Connections of one process as the owner, for requests and again for workers. Look-ups of keys, which are most of what
/// they serve, are made by four at a time.
pub(crate) const CONNECTIONS: u32 = 4;
/// The settings of these connections, beside those of all others.
pub(crate) const SETTINGS: [(&str, &str); 4] =
    [("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"), ("jit", "off")];

/// Connections that work as the owner of the tables, which row-level security shows the rows of all tenants.
#[derive(Clone, Debug)]
pub(crate) struct Owner(Pool);

impl Owner {
    pub(crate) fn new(pool: Pool) -> Self {
        Self(pool)
    }

    async fn acquire(&self) -> Result<PgConnection> {
        Ok(self.0.acquire().await?)
    }

    pub(crate) async fn close(&self) {
        self.0.close().await;
    }
}
