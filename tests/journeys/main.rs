//! The integration tests, one module per journey, in one binary: it is linked once.

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
