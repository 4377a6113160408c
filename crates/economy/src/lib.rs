//! Economy: sessions are replayed in memory, and ways of managing their contexts are compared by what all prompts cost, and
//! by what they know.
//!
//! What lives here: `replay` feeds a session to the domain as the service does, and `served` gives the context that it would
//! serve. `ways` plays a session in each way, `history` is how the ways without the service make room, `tally` counts what
//! prompts cost, `look` and `kept` search them for the past. `sizes` plays the ways of which the sizes of calls say enough.
//!
//! A prompt costs its tokens; those that it begins with like the prompt before it a tenth. Writing a summary costs what it
//! reads and five times what it says. The service is its domain: `replay` calls the same functions in the same order as
//! appends and workers do, and the context of an append is served before the compression that it started ends.
//!
//! Cost says nothing without what is known for it, so every prompt is searched for what the agent needs next: the newest
//! outputs; the names in its next message that stand in the past, but in none of the newest ten messages; the texts that
//! its next edit replaces; and sentences that were written into a session to be asked for. Names of the parameters of tools
//! do not count as needed, nor as known: an agent has them in its tools' definitions. The summaries of other ways have no
//! words here, so they know what they keep word for word.
//! Invariant: every way answers the same calls of the same sessions, and tokens are bytes by one ratio for each session.
//! Must not know: files, store, server, providers of models, how figures are shown.

pub mod history;
pub mod kept;
pub mod known;
mod look;
pub mod piece;
pub mod replay;
pub mod served;
pub mod sessions;
pub mod sizes;
pub mod tally;
#[cfg(test)]
mod tests;
pub mod ways;
