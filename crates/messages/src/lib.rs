//! Messages of agents and models, in the one form that all other crates use.
//!
//! What lives here: a message and its ids; the wire formats that it is read from (`format`); agents' log files
//! (`transcript`); groups of a call and its results, which cannot be split; token counts; the shape of a message (what grouping and
//! masking need of it without its body); writing systems and stop words.
//! Invariant: the same input gives the same bytes, on any machine, at any time.
//! Must not know: what is done with a message.

pub mod format;
pub mod group;
pub mod id;
pub mod message;
pub mod misread;
pub mod script;
pub mod shape;
pub mod stop_words;
pub mod tokens;
pub mod transcript;

#[cfg(test)]
mod properties;
