//! Recall: search for the messages of sessions that a question is about, by their words and by what they mean.
//!
//! What lives here: the tokenizer for all scripts (`words`, `stem`), the terms of questions and messages ([`Query`],
//! [`Document`]), the binary format of the index ([`postings`]), the ranking (`rank`), and the snippets (`examine`); the
//! passages of messages that get vectors (`passages`), the format of vectors ([`vectors`]), and how both rankings become
//! one (`hybrid`).
//! Invariant: a message gives the same terms whether it is read from the index or scanned at query time, so hits do not
//! depend on the progress of indexing. Work is linear in the text, the terms per message are limited, and no text
//! causes an error.
//! Must not know: where the index is stored, how messages are stored, who asks, what makes the vectors.
//!
//! The steps of a search: [`Query::parse`]; fill [`Matches`] from postings and scanned documents, for each session;
//! [`rank`] them; [`join`] what is near by its vectors; examine the texts of the best ([`Query::examine`]); [`final_order`] the
//! final order.

mod analyze;
mod asking;
mod examine;
mod hybrid;
mod passages;
pub mod postings;
mod query;
mod rank;
mod stem;
pub mod vectors;
mod words;

pub use analyze::{Analyzer, Document, Frequencies, Term, analyze};
pub use examine::{Examined, Hit, final_order};
pub use hybrid::join;
pub use passages::{MOST_PASSAGES, passages};
pub use query::Query;
pub use rank::{Matches, Meaning, Ranked, rank};
