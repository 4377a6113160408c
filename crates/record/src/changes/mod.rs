//! The changes that a model makes to a summary, and their check.
//!
//! What lives here: the pieces of a span that a model reads one by one (`chunk`), the summary with its
//! entries numbered (`board`), the prompt, the parser of replies, the check of who said what a reply records as a
//! wish and where its names stand, and how changes are applied.
//! Invariant: messages are data between marks that they cannot close; what a reply does not mention stays as
//! it is; no wish of a tool is kept; no secret is in a prompt or a change.
//! Must not know: providers, their wire formats, retries, where changes are stored.

mod account;
mod board;
mod chunk;
mod corpus;
mod lines;
mod list;
mod prompt;
mod reply;
mod support;
#[cfg(test)]
mod tests;
mod words;

pub use reply::bare_json;

pub use account::{Account, Loss};
pub use board::{Board, RefusedChange};
pub use chunk::{Chunk, Clipping, next_chunk};
pub use list::{List, Number};
pub use prompt::{Frame, MIN_CHUNK_TOKENS, Prompt, PromptRoom, evidence, schema};
pub use reply::{Addition, Became, Changes, Closing, Ended, Read, ReplyError, Revision, read};
pub use support::check;

/// The most tokens of a reply.
pub const REPLY_TOKENS: u32 = 4_096;
