//! Recall: finds the messages of a session that a question is about.
//!
//! What lives here: words of any script ([`Query`], [`Document`]), the compact form in which an index
//! keeps them ([`postings`]), the ranking and the snippets.
//! Invariant: a message gives the same terms whether it is read from the index or scanned at query
//! time, so a hit does not depend on how far the index is. Work is linear in the text, terms per
//! message are bounded, and no text makes it fail.
//! Must not know: where the index is kept, how messages are stored, who asks.
//!
//! The way of a query: [`Query::parse`] → [`Matches`] filled from postings and scanned documents →
//! [`Matches::rank`] → the texts of the best are looked at ([`Query::examine`]) → [`settle`].

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
