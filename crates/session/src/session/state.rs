//! The state of a session, and the values that follow from it without an event.

use chrono::{DateTime, Utc};

use crate::accounting::{Accounting, MessageCounts, Usage};
use crate::compression::Status;
use crate::models;
use crate::settings::{Policy, Settings};
use crate::signal::HistoryScope;
use crate::trigger::Recent;
use crate::warning::Warning;
use anchord_context::mask::{Clipping, Marks, MaskMode};
use anchord_messages::id::{BranchName, CompressionId, Seq, SessionId, SessionName, SessionRef};
use anchord_messages::shape::AsShape;

/// A session is indexed for recall when a version is published, and again when this many messages have
/// arrived. Messages that no summary covers are in the context anyway, and recall reads them from the store.
/// Indexing at every two hundred took half of what an append cost, mostly for sessions that end before
/// anything is covered.
pub(super) const INDEX_EVERY: Seq = 1_000;

/// A session.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its internal id, never used again.
    pub id: SessionId,
    /// The id of its branch main, which stands for the whole of it; the same as `id` when it is that branch.
    pub root: SessionId,
    /// The caller's name for it.
    pub name: SessionName,
    /// The branch that this is the state of.
    pub branch: BranchName,
    /// The settings as the caller made them, for all branches.
    pub settings: Settings,
    /// Grows with every change of the settings.
    pub settings_revision: i64,
    /// Whether it has more branches than this one. Then an append that names another model changes the settings first, because
    /// the others have them too.
    pub has_branches: bool,
    /// The tenant's defaults, used where the caller set nothing.
    pub defaults: Settings,
    /// Position of the newest message.
    pub head_seq: Seq,
    /// The anchor: the last message that the current summary covers.
    pub anchor_seq: Seq,
    /// The last message in the recall index.
    pub indexed_seq: Seq,
    /// The current summary version.
    pub version: Option<i64>,
    /// The newest version that was ever made.
    pub last_version: i64,
    /// How many versions compressions published.
    pub compression_count: i32,
    /// Grows when contexts change without a new message: with pins, notes, released messages and dropped constraints of this branch,
    /// with a rollback or an import; in main, with the settings, too.
    pub context_revision: i64,
    /// Running token and message counts.
    pub accounting: Accounting,
    /// Its history for the signals.
    pub recent: Recent,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last written to.
    pub updated_at: DateTime<Utc>,
    /// The compression that waits or runs, if there is one.
    pub live: Option<Live>,
}

/// A compression that waits or runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Live {
    /// Its id.
    pub id: CompressionId,
    /// How far it is.
    pub status: Status,
}

impl Session {
    /// A new session.
    pub fn new(id: SessionId, name: SessionName, defaults: Settings, now: DateTime<Utc>) -> Self {
        Self {
            id,
            root: id,
            name,
            branch: BranchName::main(),
            settings: Settings::default(),
            settings_revision: 0,
            has_branches: false,
            defaults,
            head_seq: 0,
            anchor_seq: 0,
            indexed_seq: 0,
            version: None,
            last_version: 0,
            compression_count: 0,
            context_revision: 1,
            accounting: Accounting::default(),
            recent: Recent::default(),
            created_at: now,
            updated_at: now,
            live: None,
        }
    }

    /// The branch, unless it is main.
    pub fn other_branch(&self) -> Option<&BranchName> {
        Some(&self.branch).filter(|branch| !branch.is_main())
    }

    /// How a caller names it, whichever branch is current then: main is named, too, when it is not the only one.
    pub fn reference(&self) -> SessionRef {
        let is_told = self.has_branches || !self.branch.is_main();
        SessionRef { name: self.name.clone(), branch: Some(self.branch.clone()).filter(|_| is_told) }
    }

    /// Whether it is the branch main, whose row stands for the whole session.
    pub fn is_main(&self) -> bool {
        self.id == self.root
    }

    /// Whether the tokenizer is fixed: by the first message, or by the first fork, because all branches count with one.
    pub fn has_fixed_tokenizer(&self) -> bool {
        self.accounting.tokenizer.is_some()
    }

    /// The settings, with the tenant's defaults where the session sets nothing, and with the tokenizer once it is fixed.
    pub fn effective_settings(&self) -> Settings {
        self.in_force(&self.settings)
    }

    pub(super) fn in_force(&self, own: &Settings) -> Settings {
        let mut settings = own.over(&self.defaults);
        settings.tokenizer = self.accounting.tokenizer.or(settings.tokenizer);
        settings
    }

    /// Takes the model that an append named into the settings, after the session was read.
    pub fn take_named_model(&mut self) {
        if let Some(model) = &self.accounting.model {
            self.settings.model = Some(model.clone());
        }
    }

    /// Grows with every change of pins or settings, the tenant's included.
    pub fn served_revision(&self) -> i64 {
        // A change of the settings is written to main's row, where it counts as a change of the context.
        let of_session = if self.is_main() { 0 } else { self.settings_revision };
        self.context_revision + self.accounting.model_revision + of_session + self.defaults.wide_revision()
    }

    /// A warning about the window: nobody told its size.
    pub fn warnings(&self) -> Vec<Warning> {
        self.window_warning().into_iter().collect()
    }

    /// The policy for a context that another model gets: its window and the reserve for its answer, whatever window the session
    /// has. The counting tokenizer stays, and what the provider's reports say of the session's own model is taken for the
    /// offset alone. `None` when the model is not known.
    pub fn policy_for(&self, model: &str) -> Option<Policy> {
        let limits = models::limits_of(model, self.defaults.wide_models())?;
        let own = Settings {
            model: Some(model.to_owned()),
            context_window: None,
            reserved_output_tokens: self
                .settings
                .reserved_output_tokens
                .filter(|tokens| *tokens < limits.context_window),
            ..self.settings.clone()
        };
        let policy = self.in_force(&own).policy();
        let calibration = &self.accounting.calibration;
        let is_same = self.effective_settings().model.is_some_and(|own| {
            models::limits_of(&own, self.defaults.wide_models()).is_some_and(|own| own == limits)
        });
        Some(if is_same {
            policy.calibrated(calibration)
        } else {
            policy.calibrated(&calibration.offset_alone())
        })
    }

    /// The settings with every default resolved, and the windows corrected by the provider's reports.
    pub fn policy(&self) -> Policy {
        self.effective_settings().policy().calibrated(&self.accounting.calibration)
    }

    /// How full the context is.
    pub fn usage(&self) -> Usage {
        let settings = self.effective_settings();
        let policy = settings.policy().calibrated(&self.accounting.calibration);
        self.usage_under(&policy, settings.system_tokens.unwrap_or_default())
    }

    pub(super) fn usage_under(&self, policy: &Policy, uncounted: u32) -> Usage {
        let assumed = self.window_warning().is_some();
        Usage { assumed, ..self.accounting.usage(policy, uncounted) }
    }

    /// Tokens of a default context now.
    pub fn context_tokens(&self) -> u32 {
        u32::try_from(self.usage().context_tokens).unwrap_or(u32::MAX)
    }

    /// The history that an append needs, one that asks for every signal or not.
    pub fn history_needed(&self, every_signal: bool) -> HistoryScope {
        if every_signal {
            return HistoryScope::All;
        }
        self.settings.policy.or(self.defaults.policy).unwrap_or_default().history()
    }

    /// Whether the session has messages of which its history of this scope has to be made first.
    pub fn lacks_history(&self, scope: HistoryScope) -> bool {
        self.head_seq > 0 && self.recent.scope() < scope
    }

    fn window_warning(&self) -> Option<Warning> {
        Warning::of_window(self.settings.window_source(&self.defaults))
    }

    /// The last message before the tail: the anchor, or the end of the system prompt.
    pub fn floor(&self) -> Seq {
        self.floor_at(self.anchor_seq)
    }

    /// Removes the masked tokens from the counts where masking is off; the tenant may have turned it off
    /// since they were counted.
    pub fn forget_masks_that_are_off(&mut self) {
        if self.effective_settings().mask.unwrap_or_default() == MaskMode::Off {
            self.accounting.masked_tokens = 0;
        }
    }

    /// Which outputs are clipped.
    pub fn clipping(&self) -> Clipping {
        self.accounting.clipping()
    }

    /// Before which message an append of the `coming` messages has to clip outputs, and the most tokens that the context
    /// should have then.
    pub fn clip_boundary<'a>(
        &self,
        coming: impl Iterator<Item = &'a MessageCounts> + Clone,
    ) -> Option<(Seq, u64)> {
        self.accounting.clip_boundary(&self.policy(), (self.head_seq, self.floor()), coming)
    }

    /// Clips outputs as [`Self::clip_boundary`] says. Every append decides on what a context would serve. `tail` is every message
    /// after the floor, ascending.
    pub fn clip_before<T: AsShape>(&mut self, before: (Seq, u64), tail: &[T], marks: &Marks) {
        let policy = self.policy();
        self.accounting.clip_before(&policy, before, tail, marks);
    }
}
