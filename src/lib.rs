//! anchord keeps AI agents going past their context window.
//!
//! What lives here: the commands, the configuration, telemetry, and the composition root. Calls go one way:
//! `main → cli → app → {http, worker, postgres}`. The crates below them are in `crates/`, in the order in which data
//! flows: messages → facts → record → context, session → store → http, worker.

pub mod app;
pub mod cli;
pub mod config;
pub mod telemetry;
