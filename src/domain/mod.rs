//! The pure part: everything that decides, nothing that does.
//!
//! What lives here: messages and their groups, token counts, the ledger of facts, the summary and
//! its merge, renderings, probes, triggers and the assembled context.
//! Invariant: the same input gives the same bytes, on any machine, at any time.
//! Must not know: I/O, async, clocks, randomness, the environment, SQL, HTTP.
//!
//! Data goes one way: messages → facts (`ledger`) → proposal (`extractive` or an LLM) →
//! candidate (`merge`, checked by `probe`) → version → rendering → context.

pub mod extractive;
pub mod id;
pub mod ledger;
pub mod message;
pub mod proposal;
pub mod redact;
pub mod summary;
