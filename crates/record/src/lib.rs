//! The record of a session, which is its summary: what happened so far, made by merging each new span into
//! the summary before.
//!
//! What lives here, in the order in which data flows:
//! - a proposal for the narrative: by code (`extractive`) or by a model that lists changes (`changes`);
//! - `merge` puts facts and proposal into the current summary; `candidate` runs one compression from end to
//!   end;
//! - checks before it is published: the `gate` compares the summary with the messages, `probe` asks questions
//!   that code made from the facts, `exam` asks questions that a model wrote;
//! - `render` writes the summary for a model; the `digest` quotes lines of what it covers; `handoff` renders
//!   it for another agent.
//!
//! Invariant: the same input gives the same bytes, on any machine, at any time.
//! Must not know: sessions' settings and counts, I/O, async, clocks, randomness, the environment.

pub mod candidate;
pub mod changes;
mod critical;
pub mod digest;
pub mod entries;
pub mod exam;
mod exam_scores;
pub mod extractive;
pub mod file_history;
pub mod fill;
pub mod gate;
pub mod handoff;
pub mod ids;
mod mark;
pub mod merge;
pub mod parts;
pub mod phase;
pub mod probe;
pub mod proposal;
pub mod redacted;
pub mod regenerate;
pub mod render;
pub mod rubric;
pub mod section;
pub mod strategy;
pub mod summary;
#[cfg(test)]
mod testing;
pub mod version;
pub mod version_diff;
