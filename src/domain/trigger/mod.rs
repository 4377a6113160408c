//! When to compress: the running counts of a session in, one decision out.
//!
//! What lives here: the named policies, one function per signal, the decision.
//! Invariant: only declared rules run, and the same counts give the same decision.
//! Must not know: the queue, the clock, the messages themselves.

mod decision;
mod policy;
mod signal;

pub use decision::{Decision, Start, decide};
pub use policy::PolicyName;
pub use signal::{Action, Signal, SignalKind};

use super::accounting::Accounting;
use super::id::Seq;

/// What a decision is made from.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The running counts after the append or the settlement.
    pub counts: &'a Accounting,
    /// The newest message.
    pub head: Seq,
    /// Through which message the summary covers the session.
    pub anchor: Seq,
    /// The caller says that a task has just ended.
    pub task_boundary: bool,
}
