//! When to compress: takes the running counts of a session, returns one decision.
//!
//! What lives here: one file per signal, the decision, and the input of the signals about history: the values
//! of one message (`message_signals`) and what a session stores of them (`recent`).
//! Invariant: only declared rules run, and the same counts give the same decision; what is stored is bounded,
//! so that an append costs the same at any length.
//! Must not know: the queue, the clock, stored messages.

mod calls;
mod circular;
mod cycles;
mod decision;
mod growth;
mod input;
mod intent_lost;
mod lost_task;
mod message_count;
mod message_signals;
mod news;
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

pub use decision::{BriefDecision, Decision, HeldBack, Start, decide};
pub use input::TriggerInput;
pub use message_signals::MessageSignals;
pub use recent::Recent;
