//! The merge: one span's facts and proposal into the current summary.
//!
//! What lives here: a rule per section, each in the file of its subject.
//! Invariant: pure and deterministic; files, errors and constraints of the summary are never lost
//! to a span; a span that is already covered changes nothing.
//! Must not know: engines, renderings, token counts, where a summary is stored.

mod blockers;
mod decisions;
mod errors;
mod files;
mod narrative;
mod places;
pub mod requests;
mod runs;
mod things;

use std::collections::{BTreeSet, HashSet};

use super::proposal::Proposal;
use super::section::Section;
use super::summary::{Remark, Summary};
use anchord_facts::ledger::Facts;
use anchord_facts::ledger::constraints::{Constraint, ConstraintSource};
use anchord_facts::wording;
use anchord_messages::id::Seq;

pub use blockers::is_of_failing_tests;

/// What the merge needs to know besides the span.
#[derive(Clone, Copy, Debug)]
pub struct MergeContext<'a> {
    /// The version that is being made.
    pub version: i64,
    /// The message up to which the current summary covers the session; 0 when there is none.
    pub anchor: Seq,
    /// The last message of the span.
    pub through_seq: Seq,
    /// The caller's pins, in the caller's order.
    pub pins: &'a [Constraint],
    /// Ids of extracted constraints that the caller removed.
    pub removed_constraints: &'a BTreeSet<String>,
}

/// A candidate: merged, not yet trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// The new document.
    pub summary: Summary,
    /// What the version should warn of.
    pub warnings: Vec<String>,
    /// What left the summary, so that nobody asks for it.
    pub gone: Gone,
}

/// What a rule of the merge took out of the summary.
///
/// An earlier version's critical probe asks for it until a rule retires that probe. The record cannot show it: of a rename
/// it has the first name and the last, and a probe for a name in between would fail every later version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gone {
    /// Constraints that the caller took back since the last version.
    pub constraints: Vec<Constraint>,
    /// Identities of files that were renamed, or were copies that the span removed.
    pub files: BTreeSet<String>,
}

/// Merges a span into the current summary, which grows with its session and is not copied for it.
#[must_use]
pub fn merge(current: Option<Summary>, facts: &Facts, proposal: &Proposal, ctx: MergeContext<'_>) -> Merged {
    let is_first = current.is_none();
    let mut merged = Merged { summary: current.unwrap_or_default(), ..Merged::default() };
    if !is_first && ctx.through_seq <= ctx.anchor {
        return merged;
    }
    merged.warnings.clone_from(&proposal.warnings);
    let summary = &mut merged.summary;
    merged.gone.files = files::merge(summary, facts, proposal.is_beside);
    decisions::merge(&mut summary.decisions_made, &proposal.decisions);
    errors::merge(&mut summary.errors, facts, ctx.version);
    runs::merge(&mut summary.test_results, &facts.test_runs);
    requests::fold(&mut summary.requests, &facts.requests);
    let gone = requests::bound(&mut summary.requests);
    leave_out(summary, Section::Requests, gone);
    let mut gone = things::merge(&mut summary.things, &facts.things, &facts.named);
    gone += things::merge(&mut summary.things, &proposal.things, &[]);
    leave_out(summary, Section::Things, gone.saturating_add(facts.things_left_out));
    merge_questions(&mut summary.open_questions, facts, proposal.is_beside);
    merged.gone.constraints = merge_constraints(&mut summary.constraints, &facts.constraints, ctx);
    narrative::merge(summary, facts, proposal, &mut merged.warnings);
    blockers::merge(&mut summary.blockers, &summary.test_results);
    let mut seen = BTreeSet::new();
    merged.warnings.retain(|w| seen.insert(w.clone()));
    merged
}

/// Counts entries that a bound left out of a section.
fn leave_out(summary: &mut Summary, section: Section, gone: u32) {
    if gone > 0 {
        let all = summary.left_out.entry(section).or_default();
        *all = all.saturating_add(gone);
    }
}

/// What the agent asks stays open until a person speaks.
fn merge_questions(open: &mut Vec<Remark>, facts: &Facts, is_beside: bool) {
    if !is_beside && (facts.answered || !facts.questions.is_empty()) {
        open.retain(|question| question.session_id.is_some());
    }
    for (text, seq) in &facts.questions {
        open.push(Remark { text: text.clone(), seqs: vec![*seq], session_id: None });
    }
}

/// Pins first, then what the summary has, then what the span adds; returns what the caller took back.
fn merge_constraints(
    constraints: &mut Vec<Constraint>,
    found: &[Constraint],
    ctx: MergeContext<'_>,
) -> Vec<Constraint> {
    let mut texts = HashSet::new();
    let mut pinned = BTreeSet::new();
    let mut kept = Vec::with_capacity(ctx.pins.len() + constraints.len() + found.len());
    let mut dropped = Vec::new();
    for pin in ctx.pins {
        if pinned.insert(wording::normalized(&pin.text)) {
            kept.push(Constraint { source: ConstraintSource::Pin, ..pin.clone() });
        }
    }
    // What a person said stays beside a pin that says the same: the pin may be taken back.
    for old in constraints.drain(..) {
        if old.source == ConstraintSource::Pin {
            if !pinned.contains(&wording::normalized(&old.text)) {
                dropped.push(old);
            }
        } else if ctx.removed_constraints.contains(&old.id) {
            dropped.push(old);
        } else if texts.insert(wording::normalized(&old.text)) {
            kept.push(old);
        }
    }
    for new in found {
        if new.text.trim().is_empty() || ctx.removed_constraints.contains(&new.id) {
            continue;
        }
        if texts.insert(wording::normalized(&new.text)) {
            kept.push(new.clone());
        } else if let Some(known) =
            kept.iter_mut().find(|known| known.id == new.id && known.session_id.is_none())
        {
            // Demanded once more.
            wording::join_seqs(&mut known.seqs, &new.seqs);
        }
    }
    *constraints = kept;
    dropped
}

#[cfg(test)]
mod cuts;
#[cfg(test)]
mod tests;
