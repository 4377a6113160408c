//! The integration tests, one module per journey, in one binary: it is linked once.
//!
//! They run under `cargo test`; databases keep tests independent of how many processes run them, so any other runner
//! works.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail where something is not as expected, as tests do"
)]

mod admission;
mod agent_tools;
mod appends;
mod audit;
mod authentication;
mod between_appends;
mod bounds;
mod branch_settings;
mod branches;
mod cells;
mod clients;
mod command_line;
mod compressions;
mod concurrency;
mod console;
mod contexts;
mod corpus;
mod database;
mod deliveries;
mod digests;
mod document;
mod dumps;
mod erasing;
mod events;
mod examples;
mod failover;
mod fairness;
mod faults;
mod formats;
mod gateway;
mod handoff;
mod hangups;
mod hostile;
mod idle_jobs;
mod import;
mod isolation;
mod kept;
mod keys;
mod kills;
mod launcher;
mod lifecycle;
mod llm;
mod looking_back;
mod masking;
mod mcp;
mod meanings;
mod messages;
mod models;
mod observed;
mod odd_inputs;
mod plans;
mod queue;
mod quotas;
mod recall;
mod records;
mod repeated_outputs;
mod replays;
mod replies;
mod rolling;
mod rules;
mod schema;
mod serve;
mod sessions;
mod stateless;
mod strategies;
mod summaries;
#[path = "../support/mod.rs"]
mod support;
mod tasks;
mod tenant_wide;
mod tenants;
mod transcripts;
mod triggers;
mod usage;
mod webhooks;
