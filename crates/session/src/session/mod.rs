//! The session as one aggregate: its state, and pure functions from a state and an event to the next state.
//!
//! Invariant: every change of a session is decided here, from a state that was read at one moment. The caller writes
//! the outcome only if the session is still as it was read; else it reads again and decides again.
//! Must not know: the database, HTTP, how messages are written.

mod append;
mod change;
mod end;
mod fork;
mod outputs;
mod restore;
mod state;

pub use append::{AppendRefusal, Appended, BatchOptions, FirstSettings, Incoming, KeptTooMuch, MAX_KEPT};
pub use end::{Ending, VersionSizes};
pub use fork::{ForkPoint, InheritedVersion};
pub use restore::{CountState, Restored};
pub use state::{Live, Session};

#[cfg(test)]
mod tests;
