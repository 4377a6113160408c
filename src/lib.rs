//! anchord keeps AI agents going past their context window.
//!
//! Modules in reading order. One way: `main → cli → app → {http, worker, postgres}`;
//! `http → store, domain`; `worker → store, llm, domain`; `store → domain`; `domain →` nothing of
//! ours. `tests/architecture` checks it. What they stand on is in `crates/`.

pub mod app;
pub mod background;
pub mod cli;
pub mod clock;
pub mod config;
pub mod domain;
pub mod http;
pub mod llm;
pub mod store;
pub mod telemetry;
pub mod trace;
pub mod worker;
