//! The patterns of rules: compiled, and found fast in a line (`prefilter`).
//!
//! Programs print ASCII around what they say, and an automaton with ASCII word boundaries stays fast
//! on lines that hold other characters; only marker words of other scripts need Unicode's.

mod compile;
mod prefilter;
mod required;

pub use compile::{Grouped, ascii, narrowed, unicode};
pub(crate) use prefilter::{Line, Prefilter};
