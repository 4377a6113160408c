//! The context that a model is sent in place of the whole session.
//!
//! What lives here: the assembly of system messages, pins, summary and newest messages within a budget, valid for the
//! provider; the mask, which clips large tool outputs; pins; the agent's notes and the tools by which it
//! reads what is left out.
//! Invariant: no context holds a tool result without its call, and none is larger than its budget: when the indispensable parts do not fit, there is an error.
//! Must not know: how a summary is made, I/O, async, clocks, randomness, the environment.

pub mod context;
pub mod mask;
pub mod note;
pub mod pin;
pub mod tools;
