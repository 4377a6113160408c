//! The clients of model servers.
//!
//! What lives here: one client for two wire formats (chat completions and messages), and one for embeddings, with
//! deadlines, limits of concurrent calls and circuit breakers.
//! Invariant: no log, no error and no `Debug` output holds a key or the text of a prompt or a reply; a response
//! body is read up to a limit; no redirect is followed, so that a key reaches the operator's address only.
//! Must not know: the content of prompts and replies, jobs, the database.

mod anthropic;
mod breaker;
mod call;
mod client;
mod dialect;
mod embeddings;
mod error;
mod openai;
mod options;

pub use call::{Attempt, Call, Usage};
pub use client::Client;
pub use embeddings::{Embedded, Embedder, EmbeddingOptions};
pub use error::LlmError;
pub use options::{Options, Price, Provider};
