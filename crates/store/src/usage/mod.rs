//! The usage ledger: what sessions, tasks and tenants used.
//!
//! What lives here: the meter, which counts in the memory of the process; `write` brings what was
//! counted to the database, `read` sums it up.
//! Invariant: counting costs a request neither a statement nor a wait. What was counted is written
//! about once a second and at the end of the process; a crash loses that second of figures, and never a
//! message. What is written with an effect of its own (a provider's report, a call of a model) commits
//! with that effect. Sums by day outlive sessions and name none; everything else goes with its session. A task goes with
//! its last session, because its id is the caller's own text and may say what the session did.
//! Must not know: HTTP, how figures are presented.

pub(super) mod meter;
mod read;
mod write;

pub use meter::{Meter, Shown, User};
pub use read::{DayUsage, OutcomesByCompression, Standing, TaskUsage, UsageReport};
pub(super) use write::add_model_call;
pub use write::{Report, Reported};
