//! What a model is asked about a span, and what of its answer is believed.
//!
//! What lives here: the pieces that a span is asked in, the prompt, the strict reading of the reply, and
//! the check that the span supports what the reply says.
//! Invariant: messages are data between marks that they cannot close; a reply changes nothing but the
//! narrative; nothing is kept that the span does not support; no secret is in a prompt or a narrative.
//! Must not know: providers, their wire formats, retries, where a narrative is stored.

mod chunk;
mod prompt;
mod reply;
mod support;
#[cfg(test)]
mod tests;

pub(in crate::domain) use reply::bare_json;

pub use chunk::{Chunk, Clipping, next_chunk};
pub use prompt::{Frame, Prompt, evidence, schema};
pub use reply::{Narrative, ReplyError, State, Told, ToldDecision, ToldFact, read};
pub use support::keep_supported;

use super::document::TechnicalFact;
use super::proposal::{Proposal, ProposedIntent};
use super::summary::{Blocker, CurrentState, Decision};
use super::thing::Thing;
use super::wording;

/// Tokens that a reply may take.
pub const REPLY_TOKENS: u32 = 4_096;

/// Puts the narratives of a span's pieces together, in their order: the later state, blockers and steps
/// replace the earlier ones, decisions and facts add up.
#[must_use]
pub fn together(narratives: Vec<Narrative>) -> Narrative {
    let mut all = Narrative::default();
    for next in narratives {
        if all.session_intent.is_empty() || (next.intent_changes_scope && !next.session_intent.is_empty()) {
            all.session_intent = next.session_intent;
            all.intent_changes_scope |= next.intent_changes_scope;
            all.intent_seqs = next.intent_seqs;
        }
        all.decisions.extend(next.decisions);
        if !next.current_state.text.is_empty() {
            all.current_state = next.current_state;
        }
        if !next.blockers.is_empty() || next.blockers_resolved {
            all.blockers = next.blockers;
            all.blockers_resolved = next.blockers_resolved;
        }
        if !next.next_steps.is_empty() {
            all.next_steps = next.next_steps;
        }
        all.technical_context.extend(next.technical_context);
        all.warnings.extend(next.warnings);
    }
    all
}

/// The narrative as a proposal; what it leaves empty comes from the deterministic engine's.
#[must_use]
pub fn proposal(narrative: Narrative, code: Proposal) -> Proposal {
    let mut warnings = narrative.warnings;
    let mut fill = |empty: bool, section: &str| {
        if empty {
            warnings.push(format!("{section}: the model told none; code filled it"));
        }
        empty
    };
    let intent = if fill(narrative.session_intent.is_empty() && code.intent.is_some(), "session_intent") {
        code.intent
    } else {
        Some(ProposedIntent {
            text: narrative.session_intent,
            changes_scope: narrative.intent_changes_scope,
            seqs: narrative.intent_seqs,
        })
    };
    let intent = intent.filter(|intent| !intent.text.is_empty());
    let current_state = if fill(narrative.current_state.text.is_empty(), "current_state") {
        code.current_state
    } else {
        let state = narrative.current_state;
        let filled = |text: String| Some(text).filter(|text| !text.is_empty());
        CurrentState {
            phase: filled(state.phase),
            task: filled(state.task),
            text: state.text,
            seqs: state.seqs,
        }
    };
    let (blockers, blockers_resolved) = if narrative.blockers.is_empty() && !narrative.blockers_resolved {
        (code.blockers, code.blockers_resolved)
    } else {
        let blocker = |told: Told| Blocker { text: told.text, seqs: told.seqs, session_id: None };
        (narrative.blockers.into_iter().map(blocker).collect(), narrative.blockers_resolved)
    };
    let (next_steps, next_steps_seqs) = if fill(narrative.next_steps.is_empty(), "next_steps") {
        (code.next_steps, code.next_steps_seqs)
    } else {
        let mut seqs = Vec::new();
        narrative.next_steps.iter().for_each(|step| wording::join_seqs(&mut seqs, &step.seqs));
        (narrative.next_steps.into_iter().map(|step| step.text).collect(), seqs)
    };
    let mut decisions: Vec<Decision> = narrative.decisions.into_iter().map(decision).collect();
    // A choice that a tool carried is a fact, whether the model tells it or not.
    let found = code.decisions.into_iter().filter(|found| {
        !decisions.iter().any(|told| support::overlap(&found.decision, &told.decision) >= 0.5)
    });
    let found: Vec<Decision> = found.collect();
    decisions.extend(found);
    decisions.sort_by_key(|decision| decision.seqs.first().copied().unwrap_or_default());
    let thing =
        |ToldFact { key, value, seqs }| Thing::from(TechnicalFact { key, value, seqs, session_id: None });
    let mut things: Vec<Thing> = narrative.technical_context.into_iter().map(thing).collect();
    things.extend(code.things);
    warnings.extend(code.warnings);
    Proposal {
        intent,
        decisions,
        current_state,
        blockers,
        blockers_resolved,
        next_steps,
        next_steps_seqs,
        things,
        warnings,
    }
}

fn decision(told: ToldDecision) -> Decision {
    Decision {
        decision: told.decision,
        rationale: told.rationale,
        alternatives: told.alternatives,
        superseded_by: None,
        seqs: told.seqs,
        session_id: None,
    }
}
