//! The anchored summary, section by section; every version has every section, filled or explicitly empty.
//!
//! A summary is complete up to bounds that work does not reach; a rendering is limited. `entries` has the entries of its sections.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::digest::{self, Turn};
use super::ids::Ids;
use super::merge::requests;
use super::section::Section;
use anchord_facts::ledger::EarlierNames;
use anchord_facts::ledger::constraints::Constraint;
use anchord_facts::thing::Thing;
use anchord_messages::id::Seq;

pub use super::entries::{
    Blocker, CurrentState, Decision, ErrorEntry, ErrorStatus, FileStatus, ModifiedFile, ReadFile, Remark,
    RequestEntry, RequestState, TestResult, with_session,
};

/// The sections of one summary version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SummarySections)]
pub struct Summary {
    /// The current request.
    pub session_intent: String,
    /// The messages that the intent came from.
    pub session_intent_seqs: Vec<Seq>,
    /// Requests of people, oldest first.
    pub requests: Vec<RequestEntry>,
    /// Files that the session changed.
    pub files_modified: Vec<ModifiedFile>,
    /// Files that the session read and did not change.
    pub files_read: Vec<ReadFile>,
    /// Decisions, oldest first.
    pub decisions_made: Vec<Decision>,
    /// The current state of the work.
    pub current_state: CurrentState,
    /// Errors, open and resolved.
    pub errors: Vec<ErrorEntry>,
    /// The latest run of each test command.
    pub test_results: Vec<TestResult>,
    /// Obstacles to progress.
    pub blockers: Vec<Blocker>,
    /// Unanswered questions.
    pub open_questions: Vec<Remark>,
    /// What was learnt and is not obvious: causes, limits, dead ends.
    pub findings: Vec<Remark>,
    /// The next steps, in order.
    pub next_steps: Vec<String>,
    /// The messages that the next steps came from.
    pub next_steps_seqs: Vec<Seq>,
    /// Things with an identity in the session, and their properties as last known.
    pub things: Vec<Thing>,
    /// The agent's own notes.
    pub notes: Vec<Remark>,
    /// Requirements, verbatim.
    pub constraints: Vec<Constraint>,
    /// Requirements found in messages that take effect only when the caller pins them (setting `constraints`: `propose`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposed_constraints: Vec<Constraint>,
    /// How many entries of a section a bound left out; recall finds what they came from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<Section, u32>,
    /// The turns that the digest is chosen from. They are stored with the record and are no section of it:
    /// the document says what was understood, and these are quotations.
    #[serde(skip)]
    pub digest: Vec<Turn>,
    /// The ids of the entries that a model was shown; stored with the record and never served.
    #[serde(skip)]
    pub ids: Ids,
}

impl Summary {
    /// Takes out what a caller dropped: its constraints, and their words in the digest. Requests that it closed are no longer open.
    pub fn leave_dropped(&mut self, dropped: &BTreeSet<String>) {
        for list in [&mut self.constraints, &mut self.proposed_constraints] {
            list.retain(|known| !dropped.contains(&known.id));
        }
        digest::forget(&mut self.digest, dropped);
        requests::close(&mut self.requests, dropped);
    }

    /// How many entries of a section a limit removed.
    pub fn left_out_of(&self, section: Section) -> usize {
        self.left_out.get(&section).map_or(0, |gone| *gone as usize)
    }

    /// The names that the ledger of the next span needs: files, changed and read, and things.
    pub fn known(&self) -> EarlierNames<'_> {
        let changed = self.files_modified.iter().map(|file| file.path.as_str());
        EarlierNames {
            paths: changed.chain(self.files_read.iter().map(|file| file.path.as_str())).collect(),
            things: self.things.iter().map(|thing| thing.id.as_str()).collect(),
        }
    }
}
