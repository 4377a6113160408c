//! Messages of agents and models, in the one form that all other crates use.
//!
//! What lives here: a message and its ids, the wire formats that it is read from, groups that must stay together, token
//! counts, shapes, readers for agents' logs; the scripts of characters, and stop words.
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
