//! What an engine proposes for the narrative sections of the next version; requests, files, tests, errors
//! come from the ledger and are not an engine's to change.

use super::summary::{Blocker, CurrentState, Decision};
use super::thing::Thing;
use anchord_messages::id::Seq;

/// The narrative of one span, from an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// The intent that the span states, when it states one.
    pub intent: Option<ProposedIntent>,
    /// Decisions made in the span, oldest first.
    pub decisions: Vec<Decision>,
    /// Where the work stands at the span's end; an empty text keeps the old state.
    pub current_state: CurrentState,
    /// What stands in the way at the span's end.
    pub blockers: Vec<Blocker>,
    /// Whether the span resolves the blockers of before, so that an empty list replaces them.
    pub blockers_resolved: bool,
    /// What comes next; empty keeps the old steps.
    pub next_steps: Vec<String>,
    /// The messages that the next steps came from.
    pub next_steps_seqs: Vec<Seq>,
    /// What later work needs and the ledger does not tell: what a model learnt; pictures and files, in words.
    pub things: Vec<Thing>,
    /// Whether a model tells the rest: then what it wrote of questions and steps is its own to end.
    pub is_beside: bool,
    /// What the engine could not do, for the version's warnings.
    pub warnings: Vec<String>,
}

/// An intent found in a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedIntent {
    /// The intent's text.
    pub text: String,
    /// Whether it changes the scope of a session that already has an intent.
    pub changes_scope: bool,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
}
