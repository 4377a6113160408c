//! The workers: a pool that claims jobs from the queue, runs each and stores how it ended.
//!
//! What lives here: the pool with its leases, its presence (a database lock that shows that the process lives) and its
//! drain at shutdown; one file per kind of job (`compress`, `evaluate`, `index`) and per step of a compression (`input`, `span_facts`,
//! `engine`, `build`, `grader`); the webhook dispatcher; the janitor, which deletes expired rows.
//! Invariant: no transaction is open while a job works, and every write of a job carries the number of its attempt, so
//! that a worker that lost its lease changes nothing.
//! Must not know: HTTP. Both meet in `store::compressions`, where HTTP enqueues and the pool claims.

mod batches;
mod build;
mod call_log;
mod compress;
pub mod embedder;
mod engine;
pub mod eraser;
mod evaluate;
mod exam;
mod grader;
pub mod index;
mod input;
pub mod janitor;
mod job;
mod model_client;
mod narrate;
pub mod offline;
mod pool;
mod presence;
mod reread;
mod span_facts;
pub mod webhook_client;
pub mod webhook_dispatcher;

pub use job::{Env, JobError};
pub use pool::Pool;
