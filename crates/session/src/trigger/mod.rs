//! When to compress: takes the running counts of a session, returns one decision.
//!
//! What lives here: the rules of the signals, the decision, and what the rules about history use: the values
//! of one message (`message_signals`) and what a session stores of them (`recent`).
//! Invariant: only declared rules run, and the same counts give the same decision; an append computes the signals that its
//! policy counts, and others when they are asked for; what is stored is bounded, so that an append costs the same at any
//! length.
//! Must not know: the queue, the clock, stored messages.

mod calls;
mod decision;
mod lost_task;
mod message_signals;
mod news;
mod recent;
mod rules;
mod sketch;
#[cfg(test)]
mod tests;
mod texts;

pub use decision::{Decision, HeldBack, Start, decide};
pub use message_signals::MessageSignals;
pub use recent::{PastMessage, REPLAYED_BYTES, REPLAYED_MESSAGES, Recent};
pub use rules::TriggerInput;
