//! The session: its state, and what each event makes of it.
//!
//! What lives here: the state and its events (`session`), running token counts (`accounting`), settings and the policy that
//! follows from them; the triggers, which decide when to compress; which messages a compression covers (`span`) and how
//! many tokens its results may take (`room`); quotas and usage.
//! Invariant: a state and an event decide the next state and its effects, and nothing else does.
//! Must not know: where a state is stored, I/O, async, clocks, randomness, the environment.

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
pub mod summary_models;
pub mod trigger;
pub mod usage;
pub mod warning;
