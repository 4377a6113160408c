//! The database store: the only crate with SQL.
//!
//! What lives here: one file per resource, each with methods of [`Store`]; `load`, which reads whole sessions;
//! `gather`, which groups concurrent appends into shared transactions; `compressions`, the job queue, and
//! `settle`, which ends a job; `pool`, the connections, with `primary`, which chooses the server, `connection`, which gives
//! up a server that does not answer, and `bulkhead`, which limits how many of them a tenant uses.
//! Invariant: every statement on a tenant's rows names the tenant and runs under row-level security, as a role that
//! owns nothing; statements that work for many tenants at once are in `owner`, and name the tenant of every row. The rows of an
//! append commit together or not at all.
//! Must not know: HTTP, LLMs, how a summary is made.

mod actor;
pub mod address;
pub mod audit;
pub mod base;
pub mod bounds;
pub mod branches;
pub mod breakers;
mod bulkhead;
mod candidate;
pub mod cells;
mod channel;
pub mod compressions;
mod compute;
mod connection;
pub mod context;
mod counts;
pub mod deliveries;
pub mod dropped;
pub mod dump;
pub mod embeddings;
pub mod erasures;
mod error;
pub mod events;
pub mod export;
pub mod figures;
pub mod gather;
mod history;
pub mod idempotency;
pub mod import;
mod job;
mod kept;
mod key_cache;
mod key_format;
pub mod keys;
pub mod ledger;
pub mod listener;
pub mod load;
mod lock;
mod marks;
pub mod messages;
pub mod metadata;
pub mod migrate;
pub mod moving;
pub mod narratives;
pub mod notes;
mod notifier;
pub mod outlines;
mod owner;
pub mod pins;
mod pool;
mod prelude;
mod primary;
pub mod probes;
pub mod provider_keys;
mod readers;
pub mod recall;
pub mod secrets;
pub mod served;
pub mod sessions;
pub mod settle;
pub mod signins;
pub mod single_calls;
pub mod summaries;
pub mod tenants;
pub mod todos;
pub mod tool_outputs;
pub mod usage;
pub mod webhooks;

pub use bulkhead::Tx;
pub use error::{Result, StoreError};
pub use owner::presence;
pub use pool::{Connections, DEFAULT_CONNECTIONS, Store};
