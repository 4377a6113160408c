//! What of a summary is its head, and how its lists are cut.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::keyed;
use crate::changes::List;
use crate::digest::Turn;
use crate::ids::{Held, Ids};
use crate::section::Section;
use crate::summary::{
    Blocker, CurrentState, Decision, ErrorEntry, ModifiedFile, ReadFile, Remark, RequestEntry, Summary,
    TestResult,
};
use anchord_facts::ledger::constraints::Constraint;
use anchord_facts::thing::Thing;
use anchord_messages::id::Seq;

/// Entries of a part: the fewer, the less is written for one that changed; the more, the fewer rows are read for a
/// record.
pub(super) const ENTRIES: usize = 16;
/// Messages whose turns are one part.
const TURNS: Seq = 32;
/// Ids that are one part, held or not.
const IDS: u32 = 64;

fn is_empty(left_out: &BTreeMap<Section, u32>) -> bool {
    left_out.is_empty()
}

/// What of a summary stands in no list that is cut.
#[derive(Serialize, Deserialize)]
pub(super) struct Head<'a> {
    session_intent: Cow<'a, str>,
    session_intent_seqs: Cow<'a, [Seq]>,
    current_state: Cow<'a, CurrentState>,
    next_steps: Cow<'a, [String]>,
    next_steps_seqs: Cow<'a, [Seq]>,
    #[serde(default, skip_serializing_if = "is_empty")]
    left_out: Cow<'a, BTreeMap<Section, u32>>,
    #[serde(default)]
    last_ids: Cow<'a, BTreeMap<List, u32>>,
}

impl<'a> Head<'a> {
    pub(super) fn of(summary: &'a Summary) -> Self {
        // Every section by its name: a new one is in the head or among the lists.
        let Summary {
            session_intent,
            session_intent_seqs,
            requests: _,
            files_modified: _,
            files_read: _,
            decisions_made: _,
            current_state,
            errors: _,
            test_results: _,
            blockers: _,
            open_questions: _,
            findings: _,
            next_steps,
            next_steps_seqs,
            things: _,
            left_out,
            notes: _,
            constraints: _,
            proposed_constraints: _,
            digest: _,
            ids,
        } = summary;
        Self {
            session_intent: Cow::Borrowed(session_intent),
            session_intent_seqs: Cow::Borrowed(session_intent_seqs),
            current_state: Cow::Borrowed(current_state),
            next_steps: Cow::Borrowed(next_steps),
            next_steps_seqs: Cow::Borrowed(next_steps_seqs),
            left_out: Cow::Borrowed(left_out),
            last_ids: Cow::Borrowed(&ids.last),
        }
    }

    /// A summary with empty lists.
    pub(super) fn summary(self) -> Summary {
        Summary {
            session_intent: self.session_intent.into_owned(),
            session_intent_seqs: self.session_intent_seqs.into_owned(),
            current_state: self.current_state.into_owned(),
            next_steps: self.next_steps.into_owned(),
            next_steps_seqs: self.next_steps_seqs.into_owned(),
            left_out: self.left_out.into_owned(),
            ids: Ids { last: self.last_ids.into_owned(), held: Vec::new() },
            ..Summary::default()
        }
    }
}

/// The lists that are cut, in the order in which a summary is stored.
macro_rules! lists {
    ($($(#[$stored:meta])? $list:ident: $part:ident($entry:ty)),+) => {
        /// Some entries of one list.
        #[derive(Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub(super) enum Part<'a> {
            $($part($(#[$stored])? Cow<'a, [$entry]>),)+
            Digest(Cow<'a, [Turn]>),
            Ids(Cow<'a, [Held]>),
        }

        impl Part<'_> {
            /// Puts its entries behind those that their list has.
            pub(super) fn join(self, summary: &mut Summary) {
                match self {
                    $(Self::$part(entries) => summary.$list.extend(entries.into_owned()),)+
                    Self::Digest(turns) => summary.digest.extend(turns.into_owned()),
                    Self::Ids(held) => summary.ids.held.extend(held.into_owned()),
                }
            }
        }

        /// Cuts all lists.
        pub(super) fn cut(summary: &Summary) -> impl Iterator<Item = Part<'_>> {
            std::iter::empty()
                $(.chain(summary.$list.chunks(ENTRIES).map(|entries| Part::$part(Cow::Borrowed(entries)))))+
                .chain(turns(&summary.digest))
                .chain(ids(&summary.ids.held))
        }
    };
}

lists! {
    #[serde(with = "keyed")]
    requests: Requests(RequestEntry),
    files_modified: FilesModified(ModifiedFile),
    files_read: FilesRead(ReadFile),
    #[serde(with = "keyed")]
    decisions_made: DecisionsMade(Decision),
    #[serde(with = "keyed")]
    errors: Errors(ErrorEntry),
    test_results: TestResults(TestResult),
    blockers: Blockers(Blocker),
    open_questions: OpenQuestions(Remark),
    findings: Findings(Remark),
    things: Things(Thing),
    notes: Notes(Remark),
    constraints: Constraints(Constraint),
    proposed_constraints: ProposedConstraints(Constraint)
}

/// Cuts turns where their numbers do: some go and others stay, and what stays is to be the same part.
fn turns(digest: &[Turn]) -> impl Iterator<Item = Part<'_>> {
    let together = |a: &Turn, b: &Turn| a.seq / TURNS == b.seq / TURNS;
    digest.chunk_by(together).map(|turns| Part::Digest(Cow::Borrowed(turns)))
}

/// Cuts ids where their numbers do, for the same reason.
fn ids(held: &[Held]) -> impl Iterator<Item = Part<'_>> {
    held.chunk_by(|a, b| a.list == b.list && a.id / IDS == b.id / IDS)
        .map(|held| Part::Ids(Cow::Borrowed(held)))
}
