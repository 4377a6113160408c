//! The usage ledger: what sessions, tasks and tenants used.
//!
//! What lives here: the meter, which counts in the memory of the process; `write` stores the counts, `read` sums them
//! up.
//! Invariant: counting costs a request neither a statement nor a wait. Counts are stored about once a second and at
//! the end of the process; a crash loses that second of counts, and never a message. A provider's report and a call
//! of a model are stored in the transaction of their effect. Sums by day outlive sessions and name none; everything
//! else is erased with its session. A task is erased with its last session, because its id is the caller's own text
//! and may reveal what the session did.
//! Must not know: HTTP, how figures are presented.

pub(super) mod meter;
mod read;
mod write;

pub use meter::{ContextCoverage, Meter, User};
pub use read::{DayUsage, OutcomesByCompression, QuotaUsage, Task, UsageReport};
pub use write::{Report, Reported};
pub(super) use write::{add_model_call, add_vector_bytes};
