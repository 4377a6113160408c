//! The session: its state, and what becomes of it with each event.
//!
//! What lives here: the aggregate (`session`) with its running counts, the settings and the policy that follows from
//! them, the signals and the decision when to compress, the span and the room of a compression; quotas and usage.
//! Invariant: a state and an event decide the next state and its effects, and nothing else does.
//! Must not know: where a state is kept, I/O, async, clocks, randomness, the environment.

pub mod accounting;
pub mod calibration;
pub mod compression;
pub mod flags;
pub mod models;
pub mod outline;
mod pressure;
pub mod quota;
pub mod room;
pub mod session;
pub mod settings;
pub mod signal;
pub mod span;
pub mod stateless;
pub mod trigger;
pub mod usage;
