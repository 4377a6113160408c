//! Shared services of a process at run time: the clock, caches, shares of a limit, threads for long work and how
//! tenants share them, the trace context of a job.
//!
//! Invariant: long work yields to requests.
//! Must not know: what the service is for.

pub mod background;
pub mod cache;
pub mod clock;
pub mod fair;
pub mod shares;
pub mod trace;
