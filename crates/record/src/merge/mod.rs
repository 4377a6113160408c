//! Merges one span's facts and proposal into the current summary.
//!
//! What lives here: one file per section, with its rule.
//! Invariant: pure and deterministic; a span never removes files, errors or constraints of the summary, unless they are
//! above its bounds; a span that is already covered changes nothing.
//! Must not know: engines, renderings, token counts, where a summary is stored.

mod blockers;
mod bound;
mod decisions;
mod errors;
mod files;
mod narrative;
mod places;
pub mod requests;
mod runs;
mod since;
mod things;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::proposal::Proposal;
use super::section::Section;
use super::summary::{Remark, Summary};
use anchord_facts::ledger::Facts;
use anchord_facts::ledger::constraints::{self, Constraint, ConstraintSource};
use anchord_facts::wording;
use anchord_messages::id::Seq;

pub(super) use blockers::merge as merge_blockers;
pub use blockers::{blocked_command, is_blocked_by, is_of_failing_tests};
pub use since::merge as merge_since;

/// The most proposed constraints of a record.
const MOST_PROPOSED: usize = 200;

/// The input of a merge besides the span.
#[derive(Clone, Copy, Debug)]
pub struct MergeContext<'a> {
    /// The number of the new version.
    pub version: i64,
    /// The anchor of the current summary; 0 when there is none.
    pub anchor: Seq,
    /// The last message of the span.
    pub through_seq: Seq,
    /// The caller's pins, in the caller's order.
    pub pins: &'a [Constraint],
    /// Ids of extracted constraints and of requests that the caller dropped.
    pub dropped_entries: &'a BTreeSet<String>,
}

/// The result of a merge: a summary that is not yet checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// The new document.
    pub summary: Summary,
    /// Warnings for the new version.
    pub warnings: Vec<String>,
    /// Entries that were removed from the summary, whose probes are retired.
    pub gone: Gone,
}

/// What a rule of the merge removed from the summary.
///
/// Earlier versions' critical probes ask for it until a rule retires them. The record cannot show it: for a
/// rename it has the first name and the last, and a probe for a name between would fail every later version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gone {
    /// Constraints that the caller removed since the last version, or that are above the bound.
    pub constraints: Vec<Constraint>,
    /// Path keys of files that were renamed, were copies that the span removed, or are above the bound.
    pub files: BTreeSet<String>,
    /// The messages of errors that are above the bound.
    pub errors: Vec<String>,
}

/// Merges a span into the current summary, which is taken by value because it grows with its session.
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
    runs::merge(summary, &facts.test_runs);
    requests::fold(&mut summary.requests, &facts.requests, (&summary.ids, ctx.dropped_entries));
    let gone = requests::bound(&mut summary.requests);
    leave_out(&mut summary.left_out, Section::Requests, gone);
    let mut gone = things::merge(summary, &facts.things, &facts.named);
    gone += things::merge(summary, &proposal.things, &[]);
    leave_out(&mut summary.left_out, Section::Things, gone.saturating_add(facts.things_left_out));
    merge_questions(&mut summary.open_questions, facts, proposal);
    merged.gone.constraints = merge_constraints(&mut summary.constraints, &facts.constraints, ctx);
    merge_proposals(summary, &facts.proposed_constraints, ctx.dropped_entries);
    narrative::merge(summary, facts, proposal, &mut merged.warnings);
    since::add_done(&mut summary.current_state.done, facts);
    blockers::merge(&mut summary.blockers, &summary.test_results, &summary.ids);
    bound::keep(summary, ctx.anchor, &mut merged.gone);
    let mut seen = BTreeSet::new();
    merged.warnings.retain(|w| seen.insert(w.clone()));
    merged
}

/// Counts entries that a limit removed from a section.
fn leave_out(left_out: &mut BTreeMap<Section, u32>, section: Section, gone: u32) {
    if gone > 0 {
        let all = left_out.entry(section).or_default();
        *all = all.saturating_add(gone);
    }
}

/// The agent's questions stay open until a person speaks, those that were stated as open until a person takes them up;
/// with a model (`is_beside`), until it closes them.
fn merge_questions(open: &mut Vec<Remark>, facts: &Facts, proposal: &Proposal) {
    let stated = &facts.carry.open_questions;
    if !proposal.is_beside && (facts.answered || !facts.questions.is_empty()) {
        open.retain(|question| stated.contains(&question.text));
    }
    let is_stated = |text: &str| {
        let text = wording::normalized(text);
        proposal.open_questions.iter().any(|question| text.ends_with(&wording::normalized(&question.text)))
    };
    for (text, seq) in facts.questions.iter().filter(|(text, _)| !is_stated(text)) {
        open.push(Remark { text: text.clone(), seqs: vec![*seq], session_id: None });
    }
    for new in &proposal.open_questions {
        match open.iter_mut().find(|known| known.text == new.text) {
            Some(known) => wording::join_seqs(&mut known.seqs, &new.seqs),
            None => open.push(new.clone()),
        }
    }
}

/// Pins first, then the summary's constraints, then the span's; returns those that the caller removed, and those that a
/// person ended.
fn merge_constraints(
    held: &mut Vec<Constraint>,
    found: &[Constraint],
    ctx: MergeContext<'_>,
) -> Vec<Constraint> {
    let mut texts: HashMap<String, usize> = HashMap::new();
    let mut pinned = BTreeSet::new();
    let mut kept = Vec::with_capacity(ctx.pins.len() + held.len() + found.len());
    let mut dropped = Vec::new();
    for pin in ctx.pins {
        if pinned.insert(wording::normalized(&pin.text)) {
            kept.push(Constraint { source: ConstraintSource::Pin, ..pin.clone() });
        }
    }
    // A person's constraint stays beside a pin of the same text, because the pin may be removed.
    for old in held.drain(..) {
        if old.source == ConstraintSource::Pin {
            if !pinned.contains(&wording::normalized(&old.text)) {
                dropped.push(old);
            }
        } else if ctx.dropped_entries.contains(&old.id) {
            dropped.push(old);
        } else if let Entry::Vacant(place) = texts.entry(wording::normalized(&old.text)) {
            place.insert(kept.len());
            kept.push(old);
        }
    }
    for new in found {
        if new.text.trim().is_empty() || ctx.dropped_entries.contains(&new.id) {
            continue;
        }
        match texts.entry(wording::normalized(&new.text)) {
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push(new.clone());
            }
            // The same constraint was stated again.
            Entry::Occupied(place) => {
                if let Some(known) = kept.get_mut(*place.get()) {
                    wording::join_seqs(&mut known.seqs, &new.seqs);
                }
            }
        }
    }
    dropped.extend(constraints::end_replaced(&mut kept, later(found)));
    *held = kept;
    dropped
}

/// Which constraints may end earlier ones: the span's, and those that have done so, because reading the whole history
/// again may bring back what they ended.
fn later(found: &[Constraint]) -> impl Fn(&Constraint) -> bool {
    let found: HashSet<&str> = found.iter().map(|new| new.id.as_str()).collect();
    move |one| one.permits || !one.replaces.is_empty() || found.contains(one.id.as_str())
}

/// The summary's proposed constraints, then the span's, without those that bind by now or that the caller removed.
fn merge_proposals(summary: &mut Summary, found: &[Constraint], removed: &BTreeSet<String>) {
    let binding: HashSet<String> =
        summary.constraints.iter().map(|constraint| wording::normalized(&constraint.text)).collect();
    let proposed = &mut summary.proposed_constraints;
    for new in found {
        match proposed.iter_mut().find(|known| known.id == new.id) {
            Some(known) => wording::join_seqs(&mut known.seqs, &new.seqs),
            None => proposed.push(new.clone()),
        }
    }
    constraints::end_replaced(proposed, later(found));
    proposed.retain(|one| !removed.contains(&one.id) && !binding.contains(&wording::normalized(&one.text)));
    // The newest stay, because nobody has accepted the others for long.
    let excess = proposed.len().saturating_sub(MOST_PROPOSED);
    proposed.drain(..excess);
}

#[cfg(test)]
mod cuts;
#[cfg(test)]
mod tests;
