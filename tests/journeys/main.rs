//! The integration tests, one module per journey, in one binary: it is linked once.

#[path = "../support/mod.rs"]
mod support;

mod appends;
mod contexts;
mod database;
mod isolation;
mod launcher;
mod messages;
mod queue;
mod recall;
mod serve;
mod sessions;
