//! The summary: what a session came to, kept by merging only what is new.
//!
//! What lives here: the summary and its merge, renderings, the digest, probes, the gate, exams, the hand-off to another
//! agent; `candidate` is one compression from messages to a version that may be published.
//! Invariant: the same input gives the same bytes, on any machine, at any time.
//! Must not know: sessions' settings and counts, I/O, async, clocks, randomness, the environment.
//!
//! Data goes one way: facts → proposal (`extractive` or a model's) → `merge` → `candidate`, checked by `gate` and
//! `probe` → rendering and `digest`.

pub mod candidate;
pub mod changes;
mod critical;
pub mod digest;
pub mod document;
pub mod entries;
pub mod exam;
mod exam_scores;
pub mod extractive;
pub mod file_history;
pub mod fill;
pub mod gate;
pub mod handoff;
pub mod hindsight;
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
pub mod version;
pub mod version_diff;
