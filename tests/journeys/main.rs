//! The integration tests, one module per journey, in one binary: it is linked once.

mod database;
mod launcher;
mod queue;
mod serve;
#[path = "../support/mod.rs"]
mod support;
