//! Recall: full-text search for the messages of a session that a question is about.
//!
//! What lives here: the tokenizer for all scripts (`words`, `stem`), the terms of questions and messages ([`Query`],
//! [`Document`]), the binary format of the index ([`postings`]), the ranking (`rank`), and the snippets (`examine`).
//! Invariant: a message gives the same terms whether it is read from the index or scanned at query time, so hits do not
//! depend on the progress of indexing. Work is linear in the text, the terms per message are limited, and no text
//! causes an error.
//! Must not know: where the index is stored, how messages are stored, who asks.
//!
//! The steps of a search: [`Query::parse`]; fill [`Matches`] from postings and scanned documents; [`Matches::rank`];
//! examine the texts of the best ([`Query::examine`]); [`settle`] the final order.

mod analyze;
mod asking;
mod examine;
pub mod postings;
mod query;
mod rank;
mod stem;
mod words;

pub use analyze::{Analyzer, Document, Frequencies, Term, analyze};
pub use examine::{Examined, Hit, settle};
pub use query::{Needed, Query};
pub use rank::{Matches, Ranked};
