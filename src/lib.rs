//! anchord keeps AI agents going past their context window.
//!
//! What lives here is what runs: commands, configuration, telemetry, and the composition root. One way:
//! `main → cli → app → {http, worker, postgres}`. What they stand on is in `crates/`, in the order in which data flows:
//! messages → facts → record → context, session → store → http, worker.

pub mod app;
pub mod cli;
pub mod config;
pub mod telemetry;
