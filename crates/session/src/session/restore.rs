//! Restores the counts of an imported branch: takes those that the export states, and counts the others again.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{MAX_KEPT, Session};
use crate::accounting::{BegunWith, MessageCounts, RetainedMessage};
use crate::calibration::Calibration;
use crate::outline::Outline;
use crate::trigger::Recent;
use anchord_context::mask::Clipping;
use anchord_messages::id::Seq;

/// The most entries of `begun_with`; a branch has at most one for itself and each of its ancestors.
const MAX_BEGUN_WITH: usize = 1_000;
/// The largest id of a note that an import may state, so that there is always a next one.
const MAX_NOTE: i64 = 1 << 53;

/// Counts of a branch that cannot be counted again from its messages, versions, pins and notes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = ExportLineCounts)]
pub struct CountState {
    /// How the provider counts, by its reports.
    #[serde(skip_serializing_if = "Calibration::is_none")]
    #[schema(value_type = Object)]
    pub calibration: Calibration,
    /// The versions with which this branch and its ancestors began.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub begun_with: Vec<BegunWith>,
    /// The messages that are kept, shared ones included.
    pub kept: Vec<Seq>,
    /// The user message that is served beside the version.
    pub carried: Option<Seq>,
    /// Through which message large outputs are served clipped.
    pub mask_upto: Seq,
    /// The size from which on an output is clipped, in tokens.
    pub mask_from: u32,
    /// Tokens of all messages when the last compression ended.
    pub settled_tokens: u64,
    /// The newest message at that moment.
    pub settled_head: Seq,
    /// The last message of the last attempt's span.
    pub attempted_through: Seq,
    /// How many automatic compressions in a row published nothing.
    pub refused: u32,
    /// The id of the newest note that was ever made.
    pub last_note: i64,
    /// Whether a rollback suspended automatic compression.
    pub suspended: bool,
}

/// Rows of a branch that a restore needs beside the export.
#[derive(Clone, Copy, Debug, Default)]
pub struct Restored<'a> {
    /// The messages that the state keeps.
    pub kept: &'a [RetainedMessage],
    /// The user message that it serves beside the version.
    pub carried: Option<RetainedMessage>,
    /// Tokens of the version's record and digest.
    pub served: (u32, u32),
    /// Every message after the floor, ascending.
    pub tail: &'a [Outline],
}

impl CountState {
    /// The counts to export.
    pub fn of(session: &Session) -> Self {
        let counts = &session.accounting;
        Self {
            calibration: counts.calibration.clone(),
            begun_with: counts.begun_with.clone(),
            kept: counts.kept.iter().map(|kept| kept.seq).collect(),
            carried: counts.carried.map(|carried| carried.seq),
            mask_upto: counts.mask_upto,
            mask_from: counts.mask_from,
            settled_tokens: counts.settled_tokens,
            settled_head: counts.settled_head,
            attempted_through: counts.attempted_through,
            refused: counts.refused,
            last_note: counts.last_note,
            suspended: counts.suspended,
        }
    }

    /// The first field whose value this branch cannot have; `None` when all fit. `mask_from` and `refused` may have any value, and
    /// `settled_tokens` is lowered to the branch's tokens when it is restored.
    pub fn misfit(&self, session: &Session) -> Option<&'static str> {
        let head = session.head_seq;
        let is_here = |seq: &Seq| (0..=head).contains(seq);
        let ascends =
            |one: &BegunWith, next: &BegunWith| one.version < next.version && one.published <= next.published;
        let begun_with = self.begun_with.len() <= MAX_BEGUN_WITH
            && (self.begun_with.is_empty() || !session.is_main())
            && self.begun_with.is_sorted_by(ascends)
            && self.begun_with.iter().all(|begun| {
                (1..=session.last_version).contains(&begun.version) && is_here(&begun.published)
            });
        let kept = self.kept.len() <= MAX_KEPT
            && self.kept.is_sorted_by(|one, next| one < next)
            && self.kept.iter().all(|seq| *seq > 0 && is_here(seq));
        [
            ("calibration", self.calibration.is_sound()),
            ("begun_with", begun_with),
            ("kept", kept),
            ("carried", self.carried.is_none_or(|seq| (1..=session.anchor_seq).contains(&seq))),
            ("mask_upto", is_here(&self.mask_upto)),
            ("settled_head", is_here(&self.settled_head)),
            ("attempted_through", is_here(&self.attempted_through)),
            ("last_note", (0..=MAX_NOTE).contains(&self.last_note)),
        ]
        .into_iter()
        .find_map(|(field, fits)| (!fits).then_some(field))
    }
}

impl Session {
    /// Sets the counts that an export states, and counts the others again.
    pub fn restore(&mut self, state: CountState, found: Restored<'_>) {
        let policy = self.policy();
        let counted: Vec<MessageCounts> = found.tail.iter().map(Outline::counted).collect();
        let mut counts = self.accounting.rebuilt(self.anchor_seq, &counted, policy.preserve_recent);
        (counts.summary_tokens, counts.digest_tokens) = found.served;
        counts.calibration = state.calibration;
        counts.begun_with = state.begun_with;
        counts.kept = found.kept.to_vec();
        counts.carried = found.carried;
        counts.settled_tokens = state.settled_tokens.min(counts.appended_tokens);
        counts.settled_head = state.settled_head;
        counts.attempted_through = state.attempted_through;
        counts.refused = state.refused;
        counts.last_note = counts.last_note.max(state.last_note);
        counts.suspended = state.suspended;
        let marks = counts.marks(found.tail);
        let clipping = Clipping::of(state.mask_upto.max(self.anchor_seq), state.mask_from);
        counts.clip(clipping, policy.mask, found.tail, &marks);
        self.accounting = counts;
        self.forget_masks_that_are_off();
        // A publication clears the history of the signals, so behind a version there is none to restore.
        if self.version.is_some() {
            self.recent = Recent::forgotten(self.anchor_seq);
        }
        self.context_revision += 1;
    }
}
