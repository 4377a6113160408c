//! The integration tests, one module per journey, in one binary: it is linked once.

mod appends;
mod compressions;
mod database;
mod document;
mod isolation;
mod launcher;

mod queue;
mod recall;
mod rules;
mod serve;
mod summaries;
#[path = "../support/mod.rs"]
mod support;
