//! The changes that a model makes to a summary, and the check of them.
//!
//! What lives here: the pieces that a span is asked in, the summary with its entries numbered, the prompt, the reading
//! of the reply, the check that the data supports it, and how it is applied.
//! Invariant: messages are data between marks that they cannot close; what a reply does not touch stays as it is;
//! nothing is kept that the data does not support; no secret is in a prompt or a change.
//! Must not know: providers, their wire formats, retries, where changes are stored.

mod account;
mod board;
mod chunk;
mod claim;
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

pub use account::{Account, Loss, settle};
pub use board::{Board, RefusedChange};
pub use chunk::{Chunk, Clipping, next_chunk};
pub use claim::Fault;
pub use list::{List, Number};
pub use prompt::{Frame, Prompt, evidence, schema};
pub use reply::{Addition, Changes, Closing, Ended, Read, ReplyError, Revision, read};
pub use support::{CheckedReply, check};

/// Tokens that a reply may take.
pub const REPLY_TOKENS: u32 = 4_096;
