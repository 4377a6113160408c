//! The pure part: everything that decides, nothing that does.
//!
//! What lives here: messages and their groups, token counts, the ledger of facts, the summary and
//! its merge, renderings, probes, triggers and the assembled context.
//! Invariant: the same input gives the same bytes, on any machine, at any time.
//! Must not know: I/O, async, clocks, randomness, the environment, SQL, HTTP.
//!
//! Data goes one way: messages → facts (`ledger`) → proposal (`extractive` or an LLM) →
//! candidate (`merge`, checked by `gate` and `probe`) → version → rendering and `digest` → context.

pub mod accounting;
pub mod candidate;
pub mod changes;
pub mod compression;
pub mod context;
pub mod digest;
pub mod document;
pub mod exam;
pub mod extractive;
pub mod file_history;
pub mod flags;
pub mod gate;
pub mod handoff;
pub mod hindsight;
mod mark;
pub mod mask;
pub mod merge;
pub mod models;
pub mod outline;
pub mod parts;
pub mod pin;
pub mod probe;
pub mod proposal;
pub mod quota;
pub mod redacted;
pub mod regenerate;
pub mod render;
pub mod room;
pub mod rubric;
pub mod section;
pub mod session;
pub mod settings;
pub mod span;
pub mod stateless;
pub mod strategy;
pub mod summary;
pub mod trigger;
pub mod usage;
pub mod version;
pub mod version_diff;
pub mod webhook;
