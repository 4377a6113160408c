//! Messages of agents and models, in the one form that all other crates use.
//!
//! What lives here: the message (`message`) and its ids (`id`); parsers and writers of the wire formats (`format`) and
//! parsers of agents' log files (`transcript`); groups of a call and its results, which cannot be split (`group`); the
//! shape of a message, which is what grouping and masking need without its body (`shape`); the digest by which messages are
//! compared (`content_digest`); token counts (`tokens`);
//! writing systems (`script`), stop words, how a time is written (`time`), and errors about JSON values in the API's terms (`misread`).
//! Invariant: the same input gives the same bytes, on any machine, at any time.
//! Must not know: how messages are used.

pub mod content_digest;
pub mod format;
pub mod group;
pub mod id;
pub mod inner_json;
pub mod message;
pub mod misread;
pub mod patch;
pub mod rounded;
pub mod script;
pub mod shape;
pub mod stop_words;
pub mod time;
pub mod tokens;
pub mod transcript;

#[cfg(test)]
mod properties;
