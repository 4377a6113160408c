//! The integration tests, one module per journey, in one binary: it is linked once.

mod appends;
mod database;
mod isolation;
mod launcher;
mod queue;
mod recall;
mod serve;
mod support;
#[path = "../support/mod.rs"]
#[path = "../support/mod.rs"]
