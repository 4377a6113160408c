//! What the parts of a process share while they run: the clock, threads for long work, the trace of a job.
//!
//! Invariant: long work gives way to requests.
//! Must not know: what the service is for.

pub mod background;
pub mod clock;
pub mod trace;
