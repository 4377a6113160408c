//! The integration tests, one module per journey, in one binary: it is linked once.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail where something is not as expected, as tests do"
)]

#[path = "../support/mod.rs"]
mod support;

mod appends;
mod compressions;
mod contexts;
mod database;
mod document;
mod isolation;
mod launcher;
mod messages;
mod queue;
mod recall;
mod rules;
mod serve;
mod sessions;
mod summaries;
