//! When to compress: the running counts of a session in, one decision out.
//!
//! What lives here: the named policies, one file per signal, the decision; and what the signals about
//! history need: what a message tells (`notice`) and what a session keeps of it (`recent`).
//! Invariant: only declared rules run, and the same counts give the same decision; what is kept is
//! bounded, so that an append costs the same at any length.
//! Must not know: the queue, the clock, stored messages.

mod calls;
mod circular;
mod cycles;
mod decision;
mod growth;
mod intent_lost;
mod message_count;
mod news;
mod notice;
mod packed;
mod recent;
mod rereading;
mod sketch;
mod task_boundary;
#[cfg(test)]
mod tests;
mod turn_count;
mod utilization;
mod verbosity;

pub use decision::{Decision, Start, decide};
pub use notice::Noticed;
pub use recent::Recent;

use super::accounting::Accounting;
use anchord_messages::id::Seq;

/// What a decision is made from.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The running counts after the append or the settlement.
    pub counts: &'a Accounting,
    /// What is kept of the history.
    pub recent: &'a Recent,
    /// The newest message.
    pub head: Seq,
    /// The first message of the append; one more than `head` when nothing is appended.
    pub first: Seq,
    /// Through which message the summary covers the session.
    pub anchor: Seq,
    /// The last message of the task that the caller says has just ended.
    pub boundary: Option<Seq>,
    /// Versions published so far.
    pub versions: i64,
    /// The time, in seconds since 1970.
    pub now: i64,
}
